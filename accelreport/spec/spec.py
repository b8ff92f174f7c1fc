"""A spec that has been read, checked and expanded."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from accelreport.spec.base import Scalar
from accelreport.spec.cells import Cell
from accelreport.spec.models import Claim, Device, Measure, Published, Source


@dataclass(frozen=True)
class Spec:
    """One spec file under one profile.

    Attributes:
        name: the file's stem.
        path: the file.
        text: the file, verbatim.
        profile: the profile it was read with; "full" when it stands as it is.
        title: title of the benchmark.
        description: a paragraph about it.
        source: the published piece it reproduces.
        devices: the devices it names, in its order.
        baseline: the device that speedups are relative to.
        workload: the family's parameters before the sweep, `kind` included, as JSON values.
        axes: swept keys and their values, in the order of the spec.
        measure: how each cell is measured.
        published: somebody else's figures.
        claims: sentences to be tested.
        cells: every cell, by point, then repeat, then device.
    """

    name: str
    path: Path
    text: str
    profile: str
    title: str
    description: str
    source: Source | None
    devices: dict[str, Device]
    baseline: str
    workload: dict[str, Any]
    axes: dict[str, list[Scalar]]
    measure: Measure
    published: tuple[Published, ...]
    claims: tuple[Claim, ...]
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class SpecSet:
    """Specs that were read together.

    Attributes:
        specs: in the order in which they were named; a folder's by name.
        devices: every device of their devices files, by name.
    """

    specs: tuple[Spec, ...]
    devices: dict[str, Device]

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The cells of all specs."""
        return tuple(cell for spec in self.specs for cell in spec.cells)
