"""The order in which cells are measured."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

from accelreport.spec.cells import Cell


def interleaved(cells: Iterable[Cell]) -> list[Cell]:
    """The cells of one spec in the order in which they are measured.

    One repeat after the other; inside a repeat, all devices and sweep points in a shuffled
    order. Drift of the machine (heat, other load) then falls on all devices alike, instead
    of on the one that happens to come last, and a run that is cut short has whole repeats.

    The shuffle sorts by SHA-256 of spec, repeat and cell, so it is the same in every run and
    on every machine, whichever cells a run leaves out.
    """
    return sorted(cells, key=lambda cell: (cell.repeat, _draw(cell)))


def _draw(cell: Cell) -> bytes:
    return hashlib.sha256(f"{cell.spec}\n{cell.repeat}\n{cell.key}".encode()).digest()
