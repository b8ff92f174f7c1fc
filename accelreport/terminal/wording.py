"""Numbers and cells as short texts."""

from __future__ import annotations

import math
from collections.abc import Mapping

from accelreport.runner.events import CellEndLine, CellName

MARKS = {"ok": "✓", "partial": "◐", "failed": "✗", "skipped": "–"}
"""One sign for each status, for the eye; the word stands beside it where it matters."""


def duration(seconds: float) -> str:
    """`0.4 s`, `12 s`, `3 min 20 s`, `1 h 05 min`."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s" if whole % 60 else f"{whole // 60} min"
    minutes = round(seconds / 60)
    return f"{minutes // 60} h {minutes % 60:02d} min"


def number(value: float) -> str:
    """Three significant digits, thousands apart: `0.0241`, `24.1`, `10,600`."""
    if not math.isfinite(value):
        return str(value)
    rounded = float(f"{value:.3g}")
    return f"{rounded:,.0f}" if 1000 <= abs(rounded) < 1e15 else f"{rounded:.3g}"


def cell_name(cell: CellName) -> str:
    """Device, sweep point and repeat: `cpu batch_size=512 #0`."""
    point = (f"{key.removeprefix('workload.')}={value}" for key, value in cell.point.items())
    return " ".join((cell.device, *point, f"#{cell.repeat}"))


def figures_text(figures: Mapping[str, float]) -> str:
    """The headline figures: time of a step, rate, quality."""
    parts = []
    if (step_s := figures.get("step_s")) is not None:
        parts.append(f"{_time(step_s)}/step")
    if (rate := figures.get("samples_per_s")) is not None:
        parts.append(f"{number(rate)} samples/s")
    if (tflops := figures.get("tflops")) is not None:
        parts.append(f"{number(tflops)} TFLOPS")
    for name in ("val_accuracy", "accuracy", "val_loss", "loss"):
        if (value := figures.get(name)) is not None:
            parts.append(f"{name} {value:.4f}")
            break
    return "  ".join(parts)


def end_text(line: CellEndLine) -> str:
    """What became of a cell: its headline figures, or why there are none."""
    if line.status in {"failed", "skipped"}:
        first = line.message.splitlines()[0] if line.message else ""
        kept = "" if line.record_path else "  (its earlier result is kept)"
        return f"{line.failure}: {first}{kept}"
    parts = [figures_text(line.figures)]
    if line.status == "partial":
        parts.append("stopped by its budget")
    if line.warnings:
        parts.append(f"⚠ {', '.join(dict.fromkeys(line.warnings))}")
    return "  ".join(part for part in parts if part)


class Remedies:
    """What to do about failures, each told once in a run."""

    def __init__(self) -> None:
        self._told: set[str] = set()

    def of(self, line: CellEndLine) -> list[str]:
        """A line with the remedy of a failed cell, if it was not told yet."""
        if line.status != "failed" or not line.remedy or line.remedy in self._told:
            return []
        self._told.add(line.remedy)
        return [f"    → {line.remedy}"]


def _time(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{number(seconds / size)} {unit}"
    return f"{number(seconds / 1e-9)} ns"
