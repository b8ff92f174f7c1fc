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
_FIELDS = {
    "low": "interval from",
    "high": "interval to",
    "measured": "measured",
    "published": "published",
    "text": "label",
}
"""Fields of the rows whose meaning no axis tells."""


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
    """A specification whose marks tell their values, and whose axes a reader can move."""
    made = copy.deepcopy(dict(spec))
    bound = False
    for layer in made["layer"]:
        mark = layer["mark"] if isinstance(layer["mark"], dict) else {"type": layer["mark"]}
        layer["mark"] = mark
        encoding = layer["encoding"]
        for axis in ("x", "y"):
            scale = encoding.get(axis, {}).get("scale") or {}
            if scale.get("type") == "log":
                scale.pop("zero", None)  # which Vega would complain of to the reader
        if mark["type"] == "text":
            continue
        mark["clip"] = True
        encoding["tooltip"] = _told(encoding, _keys(made, layer))
        if not bound and _continuous(encoding, "x"):
            axes = [axis for axis in ("x", "y") if _continuous(encoding, axis)]
            select = {"type": "interval", "encodings": axes}
            layer["params"] = [{"name": "moved", "select": select, "bind": "scales"}]
            bound = True
    return made


def _keys(spec: Mapping[str, Any], layer: Mapping[str, Any]) -> set[str]:
    rows = spec.get("datasets", {}).get(layer.get("data", {}).get("name"), [])
    return {key for row in rows[:1] for key in row}


def _continuous(encoding: Mapping[str, Any], axis: str) -> bool:
    return bool(encoding.get(axis, {}).get("type") == "quantitative")


def _told(encoding: Mapping[str, Any], keys: set[str]) -> list[dict[str, Any]]:
    """Tooltip: what the axes show, by their titles, and the interval."""
    told: list[dict[str, Any]] = []
    titles = {}
    for axis in ("x", "y"):
        channel = encoding.get(axis, {})
        if _continuous(encoding, axis) and channel.get("field"):
            titles[channel["field"]] = _title(channel) or axis
    titles |= {field: title for field, title in _FIELDS.items() if field in keys - titles.keys()}
    for field, title in titles.items():
        kind = {} if field == "text" else {"format": ".4~g"}
        type_ = "nominal" if field == "text" else "quantitative"
        told.append({"field": field, "type": type_, "title": title, **kind})
    return told


def _title(channel: Mapping[str, Any]) -> str:
    axis = channel.get("axis") or {}
    title = axis.get("title") or channel.get("title") or ""
    return " ".join(title) if isinstance(title, list) else str(title)
