"""Which device is first for how many steps, in time or in money."""

from __future__ import annotations

from collections.abc import Mapping

from accelreport.analysis.cost import FastestRange, envelope
from accelreport.analysis.cost import TimeLine as Course
from accelreport.report import formatting
from accelreport.report.bench import Bench, Point
from accelreport.report.model import Badge, Column, Entry, Line, Row, RowGroup, Table
from accelreport.report.pages.panels import loud_badges
from accelreport.report.pages.starts import Place, measured_units

BEYOND = Badge(
    "extrapolated",
    "More steps than were measured; each of them is taken to last as long as the steady ones.",
    "quiet",
)
"""Said of a change of places that lies beyond what was run."""


def reigns_table(
    bench: Bench,
    courses: Mapping[Place, Course],
    *,
    id_: str,
    title: str,
    measure: str,
    settled: bool = True,
) -> Table | None:
    """The table; None where no two devices can be compared at a point.

    Args:
        bench: the benchmark.
        courses: what n steps take on each device at each point.
        id_: of the table.
        title: of the table.
        measure: what the first device does: "is done first", "costs least".
        settled: whether it is also shown where one device is first for any number of steps.
    """
    rows = [row for point in bench.points if (row := _row(bench, courses, point))]
    if not rows or not (settled or any(len(row.entries[0].lines) > 1 for row in rows)):
        return None
    noun = "calls" if bench.words.kernel else f"{bench.words.step}s"
    return Table(
        id=id_,
        title=title,
        caption=(
            f"Which device {measure}, its cold start and so many {noun} after it counted. From "
            "medians: devices whose steady times cannot be told apart change places by chance."
        ),
        corner=bench.points_heading if bench.axes else "",
        columns=(Column(f"for how many {noun}"),),
        groups=(RowGroup(tuple(rows)),),
        folded=len(rows) > 8,
        badges=loud_badges(bench),
    )


def _row(bench: Bench, courses: Mapping[Place, Course], point: Point) -> Row | None:
    own = {place[0]: course for place, course in courses.items() if place[1] == point}
    if len(own) < 2:
        return None
    titles = {series.title: series for series in own}
    reigns = envelope({series.title: course for series, course in own.items()})
    most = max(measured_units(bench, (series, point)) for series in own)
    badges = (BEYOND,) if reigns[-1].first > most else ()
    lines = tuple(Line(_said(bench, reign)) for reign in reigns)
    href = bench.evidence(titles[reigns[0].name], point)
    return Row(Entry((Line(bench.point_header(point)),)), (Entry(lines, href=href, badges=badges),))


def _said(bench: Bench, reign: FastestRange) -> str:
    noun = "call" if bench.words.kernel else bench.words.step
    if reign.last is None and reign.first == 1:
        return f"{reign.name}, for any number"
    if reign.last is None:
        return f"{reign.name}, from {formatting.count(reign.first)} on"
    if reign.first == 1:
        return f"{reign.name}, up to {formatting.plural(reign.last, noun)}"
    return f"{reign.name}, from {formatting.count(reign.first)} to {formatting.count(reign.last)}"
