"""One run chosen to show something that only single runs have, and what to call it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from accelreport.report.bench import Bench, Series
from accelreport.results.record import Record


@dataclass(frozen=True)
class Run:
    """A run.

    Attributes:
        record: its record.
        series: its device.
        name: device, sweep point and seed, for a caption.
        href: the page of its cell.
    """

    record: Record
    series: Series
    name: str
    href: str


def first_run(bench: Bench, has: Callable[[Record], bool]) -> Run | None:
    """The first measured run, in the order of the plan, of which something is true."""
    for run in runs(bench):
        if has(run.record):
            return run
    return None


def runs(bench: Bench) -> list[Run]:
    """Every measured run, in the order of the plan."""
    found = []
    for series in bench.shown_series:
        for point in bench.points:
            for row in bench.measured(series, point):
                record = bench.record(row)
                if record:
                    where = f", {bench.point_title(point)}" if bench.axes else ""
                    name = f"{series.title}{where}, seed {row.seed}"
                    found.append(Run(record, series, name, bench.cell_page(row)))
    return found
