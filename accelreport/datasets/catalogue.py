"""The data sets accelreport knows, by name.

Sizes and checksums are those of the publishers' files. A file without a checksum is
pinned when it is first downloaded (see `pins`).
"""

from __future__ import annotations

from accelreport.datasets.entry import CatalogueEntry
from accelreport.datasets.published_images import FASHION_MNIST, MNIST
from accelreport.datasets.published_sequences import (
    IMDB,
    SHAKESPEARE,
    SHAKESPEARE_GUTENBERG,
    UCI_HAR,
)
from accelreport.datasets.published_series import BEIJING, CSV, WEATHER_DENMARK
from accelreport.plugins import DATASETS, PluginError, Plugins

BUILT_IN: dict[str, CatalogueEntry] = {
    entry.name: entry
    for entry in (
        MNIST,
        FASHION_MNIST,
        IMDB,
        UCI_HAR,
        SHAKESPEARE,
        SHAKESPEARE_GUTENBERG,
        WEATHER_DENMARK,
        BEIJING,
        CSV,
    )
}
"""The data sets that accelreport itself knows."""

_PLUGINS = Plugins(DATASETS, CatalogueEntry, "name", BUILT_IN)

CATALOGUE: dict[str, CatalogueEntry] = {**BUILT_IN, **_PLUGINS.found}
"""Every data set that can be used, by its name: also those that packages add."""

BROKEN: dict[str, PluginError] = _PLUGINS.broken
"""Why a package's data set cannot be used, by its name."""
