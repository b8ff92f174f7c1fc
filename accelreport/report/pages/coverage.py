"""How often the intervals hold the truth: the tables that the calibration left."""

from __future__ import annotations

from collections.abc import Sequence

from accelreport.analysis.calibration import Calibration, Shares, found
from accelreport.report import formatting
from accelreport.report.model import Column, Entry, Line, Row, RowGroup, Section, Table
from accelreport.report.text import sentence


def coverage_section() -> Section:
    """Coverage of the intervals, and false alarms between equals, under each kind of noise."""
    kept = found()
    count = formatting.count(kept.experiments)
    return Section(
        "coverage",
        "How often the intervals hold the truth",
        (
            _table(
                kept,
                kept.coverage,
                "coverage-table",
                "Intervals that hold the true speedup",
                f"Share of the 95 % intervals, over {count} simulated experiments each, by "
                "processes of each device. python -m benchmarks.calibration makes them.",
            ),
            _table(
                kept,
                kept.differences,
                "difference-table",
                "Equals that are called faster or slower",
                f"Share of {count} comparisons of two devices that do not differ.",
            ),
            _table(
                kept,
                kept.modes,
                "modes-table",
                "Intervals that hold the true speedup, where one device has a slow mode",
                "Few processes may all miss it. What other sweep points show widens the "
                "interval; measured alone, nothing does.",
            ),
        ),
        finding=_finding(kept),
    )


def _finding(kept: Calibration) -> str:
    """The worst and the best from three processes on; what is said comes from the figures."""
    few = kept.processes.index(3)
    held = [share for row in kept.coverage for share in row.percent[few:]]
    wrong = max(share for row in kept.differences for share in row.percent[few:])
    return (
        f"From three processes on, {_percent(min(held))} to {_percent(max(held))} of the 95 % "
        f"intervals hold the truth, and at most {_percent(wrong)} of equals are told apart."
    )


def _table(kept: Calibration, rows: Sequence[Shares], name: str, title: str, caption: str) -> Table:
    return Table(
        id=name,
        title=title,
        caption=caption,
        corner="noise",
        columns=tuple(Column(f"n = {n}", number=True) for n in kept.processes),
        groups=(
            RowGroup(
                tuple(
                    Row(
                        Entry((Line(sentence(row.name)), Line(row.text, "reason"))),
                        tuple(Entry((Line(_percent(share)),)) for share in row.percent),
                    )
                    for row in rows
                )
            ),
        ),
    )


def _percent(share: float) -> str:
    return f"{formatting.fixed(share, 1)}{formatting.SPACE}%"
