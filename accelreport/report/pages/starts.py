"""Cold starts: what passes before the first step is done, by stage."""

from __future__ import annotations

from dataclasses import dataclass

from accelreport.analysis.break_even import Line
from accelreport.report.bench import Bench, Point, Series
from accelreport.report.frames import median, present

STAGES = (
    ("process and imports", ("process_s", "import_s")),
    ("data", ("data_s",)),
    ("model", ("build_s",)),
    ("", ("first_step_s",)),
)
"""Stages of a cold start and the columns they are made of; the last is the first step."""

Place = tuple[Series, Point]


@dataclass(frozen=True)
class Start:
    """A device's cold start at a point: medians over processes, in seconds."""

    stages: tuple[float, ...]
    steady_s: float

    @property
    def total(self) -> float:
        """Seconds until the first step is done."""
        return sum(self.stages)


def start_of(bench: Bench, series: Series, point: Point) -> Start | None:
    """The cold start; None where no first step was timed."""
    rows = bench.measured(series, point)
    steady = median([row["steady_step_s"] for row in rows])
    stages = []
    for _, columns in STAGES:
        parts = [median([row[column] for row in rows]) for column in columns]
        stages.append(sum(part for part in parts if present(part)))
    if not rows or not stages[-1]:
        return None
    return Start(tuple(stages), steady)


def starts_of(bench: Bench) -> dict[Place, Start]:
    """Every cold start that was measured."""
    return {
        (series, point): start
        for series in bench.shown_series
        for point in bench.points
        if (start := start_of(bench, series, point))
    }


def unit_of(bench: Bench, place: Place, start: Start) -> float:
    """Seconds of the warm counterpart of the first step: a step, or a whole call."""
    if not bench.words.kernel:
        return start.steady_s
    records = [bench.record(row) for row in bench.measured(*place)]
    sizes = [record.blocks[0].steps for record in records if record and record.blocks]
    return start.steady_s * (sizes[0] if sizes else 1)


def course_of(bench: Bench, place: Place, start: Start) -> Line | None:
    """Seconds of the cold start and n warm steps after it (calls of a kernel)."""
    unit = unit_of(bench, place, start)
    return Line(start.total, unit) if present(unit) else None


def measured_units(bench: Bench, place: Place) -> int:
    """Steps (calls of a kernel) that the longest process ran; 0 where there is no record."""
    records = [bench.record(row) for row in bench.measured(*place)]
    if bench.words.kernel:
        return max((len(record.blocks) for record in records if record), default=0)
    return max((sum(b.steps for b in record.blocks) for record in records if record), default=0)
