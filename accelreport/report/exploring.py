"""Figures a reader may explore: Vega sleeps in the page, packed, until a button wakes it.

The engine is the bundle that vl-convert brings along, so nothing is fetched. It evaluates
expressions with its interpreter and never as code, and the page's policy knows it by its
hash: it needs no permission that a page without it does not have.
"""

from __future__ import annotations

import base64
import copy
import gzip
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from accelreport.report.model import Figure

_EXPORT = "self.accelreportVega = vegaEmbed;"


@dataclass(frozen=True)
class Engine:
    """Vega, Vega-Lite and their interpreter.

    Attributes:
        code: the script as it runs.
        packed: the same compressed, in base 64.
    """

    code: str
    packed: str


@dataclass(frozen=True)
class Explorable:
    """What a page holds for exploring.

    Attributes:
        engine: what draws.
        figures: id of a figure → its specifications, packed.
    """

    engine: Engine
    figures: Mapping[str, str]


def engine() -> Engine:
    """The engine; making it takes some seconds."""
    import vl_convert

    # In a function of its own, or thousands of its names would become the page's.
    code = f"(() => {{{vl_convert.javascript_bundle(_EXPORT)}}})();"
    return Engine(code, _packed(code))


def explorable(figures: Iterable[Figure], made: Engine) -> Explorable:
    """What a page with these figures holds."""
    return Explorable(made, {figure.id: _packed(_specs(figure)) for figure in figures})


def _packed(text: str) -> str:
    return base64.b64encode(gzip.compress(text.encode(), 9, mtime=0)).decode()


def _specs(figure: Figure) -> str:
    return json.dumps([lively(drawing.spec) for drawing in figure.drawings])


def lively(spec: Mapping[str, Any]) -> dict[str, Any]:
    """A specification whose axes of numbers a reader can move; pointing tells values anyway."""
    made = copy.deepcopy(dict(spec))
    layer = made.get("spec", made)["layer"][0]
    moved = [axis for axis in ("x", "y") if layer["encoding"].get(axis, {}).get("type") == _NUMBER]
    select = {"type": "interval", "encodings": moved}
    layer["params"] = [{"name": "moved", "select": select, "bind": "scales"}]
    return made


_NUMBER = "quantitative"
