"""Cold starts: what passes before the first step is done, by stage."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from accelreport.analysis.cost import TimeLine
from accelreport.analysis.results import Result
from accelreport.report.bench import Bench, Point, Series
from accelreport.report.frames import median, present

STAGES: tuple[tuple[str, tuple[Callable[[Result], float], ...]], ...] = (
    (
        "process and imports",
        (lambda row: row.stages.process_s, lambda row: row.stages.import_s),
    ),
    ("data", (lambda row: row.stages.data_s,)),
    ("model", (lambda row: row.stages.build_s,)),
    ("", (lambda row: row.timings.first_step_s,)),
)
"""Stages of a cold start and the times they are made of; the last is the first step."""

Place = tuple[Series, Point]


@dataclass(frozen=True)
class Start:
    """A device's cold start at a point, in seconds.

    Attributes:
        stages: of the process whose start is the median one, so that they add up to it: medians
            of stages, each of another process, would not.
        first_s: the first step, the median over processes.
        steady_s: a steady step, the median over processes.
        run_s: a whole run from its launch on, evaluations left out, the median over processes.
    """

    stages: tuple[float, ...]
    first_s: float
    steady_s: float
    run_s: float

    @property
    def total(self) -> float:
        """Seconds until the first step is done, of the median process."""
        return sum(self.stages)


def start_of(bench: Bench, series: Series, point: Point) -> Start | None:
    """The cold start; None where no first step was timed."""
    rows = [row for row in bench.measured(series, point) if present(row.timings.first_step_s)]
    if not rows:
        return None
    started = sorted((_stages(row) for row in rows), key=sum)
    return Start(
        stages=started[(len(started) - 1) // 2],
        first_s=median([row.timings.first_step_s for row in rows]),
        steady_s=median([row.timings.steady_step_s for row in bench.measured(series, point)]),
        run_s=median([sum(_stages(row)[:-1]) + row.timings.total_s for row in rows]),
    )


def _stages(row: Result) -> tuple[float, ...]:
    """Seconds of each stage of a process; 0 where it was not reached."""
    return tuple(
        sum(seconds for read in readers if present(seconds := read(row))) for _, readers in STAGES
    )


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


def course_of(bench: Bench, place: Place, start: Start) -> TimeLine | None:
    """Seconds of the cold start and n warm steps after it (calls of a kernel)."""
    unit = unit_of(bench, place, start)
    return TimeLine(start.total, unit) if present(unit) else None


def measured_units(bench: Bench, place: Place) -> int:
    """Steps (calls of a kernel) that the longest process ran; 0 where there is no record."""
    records = [bench.record(row) for row in bench.measured(*place)]
    if bench.words.kernel:
        return max((len(record.blocks) for record in records if record), default=0)
    return max((sum(b.steps for b in record.blocks) for record in records if record), default=0)
