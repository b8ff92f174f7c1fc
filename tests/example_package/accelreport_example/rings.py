"""A data set without files: points on two rings."""

from __future__ import annotations

from typing import Any

import numpy as np

from accelreport.datasets.cache import Contents
from accelreport.datasets.entry import CatalogueEntry
from accelreport.datasets.parts import Options as Options
from accelreport.datasets.parts import Parts

ENTRY = CatalogueEntry(
    name="two_rings",
    title="Two rings",
    module="accelreport_example.rings",
    files=(),
    licence="CC0",
    citation="",
    homepage="",
    shape="1,024 + 256 points of the plane in 2 classes",
)


def read(entry: CatalogueEntry, files: list[Contents], options: Any) -> Parts:
    """Make the points; there is nothing to read."""
    return synthetic(entry, 0, options)


def synthetic(entry: CatalogueEntry, seed: int, options: Any) -> Parts:
    """`x` float32 [n, 2] and `y` uint8 [n] of both parts."""
    generator = np.random.default_rng(seed)

    def part(count: int) -> dict[str, Any]:
        y = (np.arange(count) % 2).astype(np.uint8)
        angle = generator.uniform(0, 2 * np.pi, count)
        radius = 1 + y + generator.normal(0, 0.1, count)
        x = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
        return {"x": x.astype(np.float32), "y": y}

    return Parts(part(1024), part(256), ("inner", "outer"), "Made-up points.")
