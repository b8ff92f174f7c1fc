"""What becomes of the cells of a study."""

from __future__ import annotations

from collections.abc import Callable

from accelreport.spec.cells import Cell

Fate = Callable[[Cell], str]
"""Cell → `ok`, `partial`, `skipped`, `missing`, or a failure kind."""


def all_ok(cell: Cell) -> str:
    """Every cell is measured to its end."""
    return "ok"


def assorted(cell: Cell) -> str:
    """Something of everything: no TPU, a GPU out of memory, a partial CPU run, gaps."""
    largest = cell.point.get("batch_size") in {1024, 4096} or cell.point.get("size") == 4096
    if cell.device == "tpu":
        return "skipped"
    if cell.device == "gpu" and largest and cell.repeat == 1:
        return "oom-device"
    if cell.device == "cpu" and largest:
        return "partial"
    if cell.device == "cpu-1" and cell.repeat == 0:
        return "timeout"
    if cell.device == "cpu-1" and cell.repeat == 1:
        return "missing"
    return "ok"
