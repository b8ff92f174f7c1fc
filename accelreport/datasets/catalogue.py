"""The data sets that accelreport knows, by name: those of `catalogue.toml`, and packages' own."""

from __future__ import annotations

import difflib
from pathlib import Path

import tomli
from pydantic import TypeAdapter

from accelreport.datasets.entry import CatalogueEntry
from accelreport.datasets.errors import DataUnavailable
from accelreport.plugins import DATASETS, PluginError, Plugins

_ROWS = tomli.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))

BUILT_IN: dict[str, CatalogueEntry] = TypeAdapter(dict[str, CatalogueEntry]).validate_python(
    {name: {"name": name, **row} for name, row in _ROWS.items()}
)

_PLUGINS = Plugins(DATASETS, CatalogueEntry, "name", BUILT_IN)

CATALOGUE: dict[str, CatalogueEntry] = {**BUILT_IN, **_PLUGINS.usable}
"""Every data set that can be used, by its name: also those that packages add."""

BROKEN: dict[str, PluginError] = _PLUGINS.broken
"""Why a package's data set cannot be used, by its name."""


def find(name: str) -> CatalogueEntry:
    """The catalogue's entry of that name.

    Raises:
        DataUnavailable: when there is none; the message names the closest.
        PluginError: when the package that adds it does not work.
    """
    if name in CATALOGUE:
        return CATALOGUE[name]
    if name in BROKEN:
        raise BROKEN[name]
    close = difflib.get_close_matches(name, CATALOGUE, n=1)
    raise DataUnavailable(
        f"There is no data set called {name!r}.",
        why=f"Did you mean {close[0]!r}?" if close else "",
        remedy=f"The data sets are: {', '.join(CATALOGUE)}.",
    )
