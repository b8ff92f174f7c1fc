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

CATALOGUE: dict[str, CatalogueEntry] = {
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
"""Every data set by its name."""
