"""Names of data sets."""

from __future__ import annotations

import difflib

from accelreport.datasets.catalogue import BROKEN, CATALOGUE
from accelreport.datasets.entry import CatalogueEntry
from accelreport.datasets.errors import DataUnavailable


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
        remedy=f"Known are: {', '.join(CATALOGUE)}.",
    )
