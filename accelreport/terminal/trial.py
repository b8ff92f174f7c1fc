"""The table with which a trial ends: what a model takes for a step and for a call."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

import pandas as pd

from accelreport.analysis.findings import Unit
from accelreport.analysis.stats import Interval
from accelreport.report.frames import speedups_frame
from accelreport.report.quantity import MISSING, span, write
from accelreport.report.view import BenchmarkView
from accelreport.terminal.say import columns

HEADINGS = ("device", "batch size", "training step (95 %)", "rate", "latency (95 %)", "rate")
"""Of the table; each time is a mean over processes, with its interval."""


def trial_frame(benches: Iterable[BenchmarkView]) -> pd.DataFrame:
    """One row for each device and batch size.

    Returns:
        `device`, `batch_size` and, for `step` (of a training) and `call` (in inference), the
        seconds, both ends of their interval, the processes and why there is no time. An end is NaN
        where a single process gives no interval.
    """
    rows: dict[tuple[str, int], dict[str, Any]] = {}
    for bench in benches:
        called = bench.plan.workload.get("mode") == "inference"
        kind = "call" if called else "step"
        for row in speedups_frame(bench.plan, bench.compared).to_dict("records"):
            size = int(row.get("batch_size", bench.plan.workload["batch_size"]))
            own = rows.setdefault((row["device"], size), {})
            own |= {
                f"{kind}_s": row["seconds"],
                f"{kind}_low": row["seconds_low"],
                f"{kind}_high": row["seconds_high"],
                f"{kind}_processes": row["n"],
                f"{kind}_absent": row["reason"],
            }
    named = [{"device": device, "batch_size": size, **own} for (device, size), own in rows.items()]
    return pd.DataFrame(named)


def trial_rows(frame: pd.DataFrame) -> list[tuple[str, ...]]:
    """The texts of each row, by `HEADINGS`."""
    return [
        (
            str(row["device"]),
            f"{row['batch_size']:,}",
            *(
                text
                for kind in ("step", "call")
                for text in (_time(row, kind), _rate(row, kind, int(row["batch_size"])))
            ),
        )
        for row in frame.to_dict("records")
    ]


def trial_lines(frame: pd.DataFrame) -> Iterator[str]:
    """The table as lines of a terminal, then what has no time and why."""
    yield from columns([HEADINGS, *trial_rows(frame)])
    reasons = {
        str(row[f"{kind}_absent"]): None
        for row in frame.to_dict("records")
        for kind in ("step", "call")
        if not _number(row, f"{kind}_s") and row.get(f"{kind}_absent")
    }
    yield from (f"not measured: {reason}" for reason in reasons)


def _number(row: dict[Any, Any], name: str) -> float | None:
    value = row.get(name)
    return value if isinstance(value, float) and math.isfinite(value) else None


def _time(row: dict[Any, Any], kind: str) -> str:
    seconds = _number(row, f"{kind}_s")
    if seconds is None:
        return MISSING
    low, high = _number(row, f"{kind}_low"), _number(row, f"{kind}_high")
    if low is None or high is None:
        return f"{write(seconds, Unit.SECONDS)} (single run)"
    interval = Interval(seconds, low, high, int(row[f"{kind}_processes"]))
    return f"{write(seconds, Unit.SECONDS, interval)} ({span(interval, Unit.SECONDS)})"


def _rate(row: dict[Any, Any], kind: str, size: int) -> str:
    seconds = _number(row, f"{kind}_s")
    return write(size / seconds, Unit.RATE, noun="examples") if seconds else MISSING
