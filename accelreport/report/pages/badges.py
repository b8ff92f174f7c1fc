"""The marks a number carries where it stands, and which sweep points get a panel of their own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from typing import Literal

from accelreport.analysis.findings import Subject
from accelreport.analysis.results import UNTIMED, Result
from accelreport.analysis.warnings import REFUSED
from accelreport.report import quantity
from accelreport.report.metrics import axis_title, settings_text
from accelreport.report.model import (
    Badge,
    Column,
    Download,
    Entry,
    Key,
    Line,
    Row,
    RowGroup,
    Table,
    Tone,
    entry,
    table_row,
    under,
)
from accelreport.report.text import label
from accelreport.report.theme import line_key
from accelreport.report.view import BenchmarkView, Point, Series, SeriesPoint
from accelreport.report.warning_text import reason_text
from accelreport.spec.device import Device
from accelreport.spec.source import FULL

SYNTHETIC = Badge(
    "synthetic data",
    "generated stand-in",
)
SAMPLE = Badge(
    "sample",
    "small training set",
    "quiet",
)
USER_SUPPLIED = Badge(
    "own files",
    "unpublished checksums",
    "quiet",
)
EXTRAPOLATED = Badge(
    "extrapolated",
    "from steady steps",
)
PARTIAL = Badge(
    "partial run",
    "stopped by budget",
)
SINGLE = Badge("one process", "no interval", "quiet")


def with_intervals(table: Table) -> Table:
    """The table, whose caption names the intervals of its numbers where one of them has any."""
    rows = (row for group in table.groups for row in group.rows)
    lines = (line for row in rows for own in row.entries for line in own.lines)
    known = any(line.role == "interval" and quantity.EN_DASH in line.text for line in lines)
    caption = (table.caption, "95 % intervals over processes." * known)
    return replace(table, caption=" ".join(filter(None, caption)))


def kind_text(row: Result) -> str:
    """Why a row has no numbers, in two or three words."""
    if row.status == "missing":
        return "not run"
    if row.status == REFUSED:
        return f"refused: {reason_text(row.failure_kind)}"
    if row.measured:
        return "no steady step"
    return reason_text(row.failure_kind) or label(row.status, 40)


def tried_kinds(benches: Iterable[BenchmarkView]) -> set[str]:
    """The kinds of devices on which a process was begun: "CPU", "GPU"."""
    return {
        bench.plan.devices[row.device].kind for bench in benches for row in bench.results if row.ran
    }


def needs_device(row: Result, kind: str, tried: Collection[str]) -> bool:
    """Whether a cell has no number because it needs a kind of device that was not used."""
    needed = row.status == "missing" or row.failure_kind == "no-device"
    return needed and kind not in {"CPU", *tried}


def absent_text(absent: Iterable[tuple[str, Device, Result]], tried: Collection[str]) -> str:
    """Devices without a number, and why: "GPU and GPU, bfloat16 (need a GPU)".

    Args:
        absent: name, device and rows of each, of which the first one that ran, or one, counts.
        tried: kinds of devices that were used.
    """
    reasons: dict[tuple[str, str], dict[str, None]] = {}
    listed = set[tuple[str, str]]()
    for name, device, row in sorted(absent, key=lambda one: not one[2].ran):
        if (name, device.hardware) in listed:  # its first reason counts
            continue
        listed.add((name, device.hardware))
        needed = needs_device(row, device.kind, tried)
        key = ("", device.hardware) if needed else (kind_text(row), "")
        reasons.setdefault(key, {})[name] = None
    parts = []
    for (why, hardware), names in reasons.items():
        needs = f"need{'s' * (len(names) == 1)} {hardware}"
        parts.append(f"{quantity.listed([*names])} ({needs if hardware else why})")
    return "; ".join(parts)


def origin_badges(origins: Collection[str]) -> list[Badge]:
    """What is said about the input of some cells, by where it came from."""
    pairs = (("synthetic", SYNTHETIC), ("sample", SAMPLE), ("user-supplied", USER_SUPPLIED))
    return [badge for origin, badge in pairs if origin in origins]


def number_badges(
    rows: Sequence[Result], *, total: bool = False, quality: bool = False
) -> tuple[Badge, ...]:
    """Marks of a number made from the measured ones of `rows`.

    Args:
        rows: every cell of one device and point, measured or not (`BenchmarkView.planned`).
        total: whether the number is the total of a run, which a partial run extrapolates.
        quality: whether the number is what a model learnt, which a sample of the data changes.
    """
    measured = [row for row in rows if (row.measured if quality else row.timed)]
    origins = {row.origin for row in measured}
    badges = origin_badges(origins if quality else origins - {"sample"})
    if any(row.status == "partial" for row in measured):
        badges.append(EXTRAPOLATED if total else PARTIAL)
    if len(measured) == 1:
        badges.append(SINGLE)
    if measured:
        badges += _lost(rows)
    return tuple(badges)


def _lost(rows: Sequence[Result]) -> list[Badge]:
    """How many of the planned processes gave nothing, failed ones apart from missing ones."""
    badges = []
    tones: tuple[tuple[str, set[str], Tone], ...] = (
        ("failed", {"failed", "skipped"}, "bad"),
        ("refused", {REFUSED}, "bad"),
        ("untimed", {UNTIMED}, "quiet"),
        ("not run", {"missing"}, "quiet"),
    )
    for word, states, tone in tones:
        lost = [row for row in rows if row.outcome in states]
        if lost:
            reasons = quantity.listed(sorted({kind_text(row) for row in lost}))
            text = f"{len(lost)} of {len(rows)} {word}"
            badges.append(Badge(text, f"{text}: {reasons}.", tone))
    return badges


def absence(bench: BenchmarkView, series: Series, point: Point) -> Entry:
    """The cell of a table that has no number, with the reason."""
    rows = bench.planned(series, point)
    kinds = sorted(Counter(map(kind_text, rows)).items())
    texts = [f"{kind}{f' ({count})' * (len(kinds) > 1)}" for kind, count in kinds]
    texts = texts or ["not planned"]
    bad = any(row.status in {"failed", REFUSED} for row in rows)
    outcome = "refused" if any(row.status == REFUSED for row in rows) else "failed"
    return Entry(
        lines=(
            Line(outcome if bad else "not measured", "value"),
            Line(label(quantity.listed(texts), 90), "reason"),
        ),
        href=bench.evidence(series, point),
        mark="failed" if bad else "absent",
    )


def measured_row(bench: BenchmarkView, place: SeriesPoint, texts: Iterable[str]) -> Row:
    """A device's row of numbers, the first of which leads to its evidence and bears the marks."""
    first, *rest = texts
    badges = number_badges(bench.planned(*place))
    number = entry(first, href=bench.evidence(*place), badges=badges)
    return table_row(place[0].title, number, *rest, device=place[0].colour)


def measured_entry(
    bench: BenchmarkView, place: SeriesPoint, lines: Iterable[Line], *, mark: str = ""
) -> Entry:
    """A cell of a number: its lines, its evidence, and its marks."""
    badges = number_badges(bench.planned(*place))
    return Entry(tuple(lines), href=bench.evidence(*place), badges=badges, mark=mark)


def absent_row(bench: BenchmarkView, place: SeriesPoint, columns: int) -> Row:
    """A device's row without numbers: the reason of `absence`, and a dash for each."""
    gone = absence(bench, *place)
    reason = Line(f"{gone.lines[0].text}: {gone.lines[1].text}", "reason")
    reasons = entry(reason, href=gone.href)
    return table_row(place[0].title, reasons, *"–" * (columns - 1), device=place[0].colour)


def groups_by_point(
    bench: BenchmarkView, rows: Callable[[Point], Iterable[Row]]
) -> tuple[RowGroup, ...]:
    """Each sweep point's rows under its title; a point without rows has no group."""
    groups = (RowGroup(tuple(rows(point)), title=bench.point_name(point)) for point in bench.points)
    return tuple(group for group in groups if group.rows)


MOST_PANELS = 6
"""Panels of a figure; the table below it has every point."""


def panel_points(points: Sequence[Point], most: int = MOST_PANELS) -> list[Point]:
    """All points, or so many spread evenly from the first to the last."""
    if len(points) <= most:
        return list(points)
    step = (len(points) - 1) / (most - 1)
    return [points[round(i * step)] for i in range(most)]


def keys(series: Sequence[Series], *, dashed: bool = True) -> tuple[Key, ...]:
    """The legend of devices, whose lines are `dashed` or known by colour and mark alone."""
    return tuple(
        Key(s.title, s.css, line_key(s.pattern if dashed else 0), s.colour) for s in series
    )


def device_columns(series: Sequence[Series]) -> tuple[Column, ...]:
    """A column of numbers for each device, with its key."""
    return tuple(Column(s.title, number=True, device=s.colour) for s in series)


def loud_badges(bench: BenchmarkView, of: Iterable[Subject] = ()) -> tuple[Badge, ...]:
    """The loud marks of the numbers in a figure, each once: of all, or of those that are drawn.

    Its title, its marks and the last line of the page say which runs are partial.
    """
    badges: dict[str, Badge] = {}
    drawn = {(one.device, one.machine, one.point) for one in of}
    for series, point in bench.shown_places:
        if drawn and (series.device, series.machine, point) not in drawn:
            continue
        for badge in number_badges(bench.planned(series, point)):
            if badge.tone == "loud" and badge != PARTIAL:
                badges[badge.text] = badge
    return tuple(badges.values())


def point_groups(bench: BenchmarkView, make: Callable[[Point, str], Row]) -> tuple[RowGroup, ...]:
    """Rows for every sweep point; with several axes, under headings of the first one."""
    if len(bench.axes) < 2:
        rows = tuple(make(point, bench.point_header(point)) for point in bench.points)
        return (RowGroup(rows),)
    groups: dict[str, list[Row]] = {}
    for point in bench.points:
        heading = settings_text({bench.axes[0]: point[0]})
        rest = bench.words_of_point(point, skip=1)
        groups.setdefault(heading, []).append(make(point, rest))
    return tuple(RowGroup(tuple(rows), title=heading) for heading, rows in groups.items())


def titles_of(benches: Sequence[BenchmarkView]) -> dict[str, str]:
    """Slug → title of a benchmark, with its profile where several have that title."""
    titles = [label(bench.plan.title) for bench in benches]
    return {
        bench.slug: title
        if titles.count(title) == 1
        else f"{title} ({label(bench.plan.profile, 40)} profile)"
        for bench, title in zip(benches, titles, strict=True)
    }


def benchmark_rows(bench: BenchmarkView, rows: Iterable[Row]) -> RowGroup:
    """Rows of a benchmark, under a heading that leads to its page, in a table of several."""
    return RowGroup(
        tuple(rows),
        title=label(bench.plan.title),
        href=f"{bench.slug}.html",
        detail="" if bench.plan.profile == FULL else f"{label(bench.plan.profile, 40)} profile",
    )


def groups_corner(bench: BenchmarkView) -> str:
    """The heading over the row headers of `point_groups`."""
    return " · ".join(axis_title(axis) for axis in bench.axes[1:]) or bench.points_heading


def points_by_devices(
    bench: BenchmarkView,
    fill: Callable[[BenchmarkView, Series, Point], Entry],
    *,
    id: str,  # noqa: A002 -- as the table's field is called
    title: str,
    caption: str = "",
    notes: tuple[str, ...] = (),
    badges: tuple[Badge, ...] = (),
    style: Literal["plain", "matrix"] = "matrix",
    download: Download | None = None,
) -> Table:
    """A table with sweep points down and devices across; the other arguments are the table's."""

    def row(point: Point, header: str) -> Row:
        return table_row(header, *(fill(bench, series, point) for series in bench.tried_series))

    table = Table(
        id=id,
        title=title,
        caption=caption,
        corner=groups_corner(bench),
        columns=device_columns(bench.tried_series),
        groups=point_groups(bench, row),
        notes=notes,
        badges=badges,
        style=style,
        download=download,
    )
    return devices_down(table)


MOST_ACROSS = 6
"""Devices that a page has room for side by side."""


def devices_down(table: Table) -> Table:
    """The table with its devices down, where they are many and each has a single number.

    A page would hide the last ones beyond its edge.
    """
    if len(table.columns) <= MOST_ACROSS or sum(len(group.rows) for group in table.groups) != 1:
        return table
    (row,) = (row for group in table.groups for row in group.rows)
    rows = tuple(
        table_row(
            entry(column.title, *under(column.detail, "detail")), number, device=column.device
        )
        for column, number in zip(table.columns, row.entries, strict=True)
    )
    heading = " ".join(line.text for line in row.header.lines)
    return replace(
        table, corner="device", columns=(Column(heading, number=True),), groups=(RowGroup(rows),)
    )


def with_shared_badges(table: Table) -> Table:
    """The table with the badges that every number of it bears beside its title, not at each."""
    entries = [entry for group in table.groups for row in group.rows for entry in row.entries]
    marked = [set(entry.badges) for entry in entries if entry.badges]
    bare = any(not e.badges and e.href and not e.mark for e in entries)
    if len(marked) < 2 or bare or "prose" in table.style:  # there a mark is a verdict
        return table
    shared = set.intersection(*marked)
    if not shared:
        return table

    def without(entry: Entry) -> Entry:
        return replace(entry, badges=tuple(b for b in entry.badges if b not in shared))

    groups = tuple(
        replace(
            group,
            rows=tuple(
                replace(row, entries=tuple(map(without, row.entries))) for row in group.rows
            ),
        )
        for group in table.groups
    )
    first = next(entry for entry in entries if entry.badges)
    badges = (*table.badges, *(badge for badge in first.badges if badge in shared))
    return replace(table, groups=groups, badges=tuple(dict.fromkeys(badges)))
