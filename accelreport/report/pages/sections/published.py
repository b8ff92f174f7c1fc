"""Published against measured: somebody else's figures beside ours, never mixed with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from accelreport.analysis.published import PublishedResult
from accelreport.analysis.results import QUALITIES
from accelreport.report import formatting
from accelreport.report.charts.drawing import Named, panel
from accelreport.report.charts.published import Pair, published_pairs
from accelreport.report.charts.scales import percent_text, plain, plain_duration
from accelreport.report.metrics import (
    FIGURES,
    QUANTITIES,
    axis_title,
    figure_interval,
    figure_text,
    printed_text,
)
from accelreport.report.model import (
    Badge,
    Column,
    Download,
    Entry,
    Figure,
    Key,
    Line,
    Panel,
    Row,
    RowGroup,
    Section,
    Table,
)
from accelreport.report.pages.sections.about import web_address
from accelreport.report.published_text import caveat, citation, flag_text
from accelreport.report.text import label, sentence, tied
from accelreport.report.theme import COLOURS
from accelreport.report.view import BenchmarkView, present

ByFigure = Mapping[str, Sequence[PublishedResult]]
"""Published figures of each kind that there are any of, in the order of `FIGURES`."""


def _by_figure(bench: BenchmarkView) -> ByFigure:
    found: dict[str, list[PublishedResult]] = {}
    for each in bench.published_results:
        found.setdefault(each.figure, []).append(each)
    return {figure: found[figure] for figure in FIGURES if figure in found}


def published_figure(bench: BenchmarkView, most_rows: int = 0) -> Figure:
    """A drawing for each kind of figure, published and measured on one scale.

    Args:
        bench: the benchmark.
        most_rows: rows of a drawing at most; those of one kind are then shared out evenly.
    """
    panels = []
    by_figure = _by_figure(bench)
    devices = [_device(bench, row) for rows in by_figure.values() for row in rows]
    for figure, part, rows in _shares(by_figure, most_rows):
        name = FIGURES[figure][0]
        pairs = [_pair(bench, row) for row in rows]
        make = published_pairs(
            pairs,
            shown=devices,
            axis_title=name,
            text=_tick(figure),
            share=FIGURES[figure][1] == "share",
        )
        said = "; ".join(_sentence(pair.row, row) for pair, row in zip(pairs, rows, strict=True))
        number = list(FIGURES).index(figure)
        drawn = panel(
            make,
            prefix=f"pm{number}{part}",
            title=f"Published and measured {name}",
            description=said,
        )
        panels.append(Panel(drawn.wide, drawn.narrow, title=sentence(name)))
    return Figure(
        id="published-pairs",
        title="Published (◇) and measured here (●)",
        caption=(
            "A diamond is somebody else's figure as printed, a dot ours with its 95 % interval "
            "over processes, the rule between them their distance. Dashed: the published "
            "conditions differ from the spec's. Crossed out: it cannot be. A diamond alone: the "
            "device was not measured here."
        ),
        panels=tuple(panels),
        stacked=True,
        keys=_keys(bench, by_figure),
    )


def _shares(
    by_figure: ByFigure, most_rows: int
) -> Iterator[tuple[str, str, Sequence[PublishedResult]]]:
    """Kind of figure, a letter where it has several drawings, and the rows of each."""
    for figure, rows in by_figure.items():
        count = -(-len(rows) // most_rows) if most_rows else 1
        size = -(-len(rows) // count)
        for number in range(count):
            part = chr(ord("a") + number) if count > 1 else ""
            yield figure, part, rows[number * size : (number + 1) * size]


def _keys(bench: BenchmarkView, by_figure: ByFigure) -> tuple[Key, ...]:
    devices = dict.fromkeys(_device(bench, row) for rows in by_figure.values() for row in rows)
    return tuple(Key(each.title, f"s{each.colour % COLOURS}") for each in devices)


def _device(bench: BenchmarkView, found: PublishedResult) -> Named:
    return Named(bench.title_of(found.row.device), bench.colours[found.row.device])


def _sentence(name: str, found: PublishedResult) -> str:
    figure, ours = found.figure, found.measured.value
    measured = figure_text(figure, ours) if present(ours) else "nothing"
    return f"{name}: published {printed_text(figure, found.value)}, measured {measured}"


def _name(bench: BenchmarkView, found: PublishedResult) -> str:
    """What a published row is called: its sweep point, its label, and the machine it is beside."""
    point = found.point
    where = ", ".join(f"{axis_title(k)} {label(v, 30)}" for k, v in point.items())
    if len(point) == 1 == len(bench.axes):
        where = label(next(iter(point.values())), 30)
    machines = {series.machine for series in bench.series if series.machine}
    name = f"{where} · {label(found.row.label, 44)}" if where else label(found.row.label, 44)
    several = len(machines) > 1 and found.machine
    return f"{name} @ {label(found.machine, 12)}" if several else name


def _pair(bench: BenchmarkView, found: PublishedResult) -> Pair:
    ours = found.measured
    known = present(ours.value)
    interval = known and present(ours.low) and present(ours.high)
    return Pair(
        row=_name(bench, found),
        device=_device(bench, found),
        published=found.value,
        measured=ours.value if known else None,
        low=ours.low if interval else None,
        high=ours.high if interval else None,
        comparable=found.comparable,
        flagged=bool(found.flags),
    )


def _tick(figure: str) -> Any:
    unit = FIGURES[figure][1]
    texts = {
        "time": plain_duration,
        "share": percent_text,
        "number": formatting.short,
        "ratio": lambda value: f"{plain(value)}×",
        "size": formatting.megabytes,
    }
    return texts[unit]


MISMATCH = Badge("other conditions", "The published figure was made under other conditions.")
FLAG = Badge("flagged", "The published figures contradict arithmetic or physics.", "bad")


def published_section(bench: BenchmarkView) -> Section | None:
    """The section; None where the spec quotes nobody."""
    if not bench.published_results:
        return None
    ordered = _by_figure(bench)
    blocks = (published_figure(bench), _table(bench, ordered))
    return Section(
        "published", "Published against measured", blocks, finding=_finding(bench, ordered)
    )


def _finding(bench: BenchmarkView, by_figure: ByFigure) -> str:
    rows = [row for rows in by_figure.values() for row in rows]
    measured = [row for row in rows if present(row.measured.value)]
    titles = _titles(bench)
    by = f" by {formatting.listed(titles)}" if titles else ""
    published = f"Of {formatting.plural(len(rows), 'figure')} published{by}, "
    if not measured:
        return f"{published}none could be measured here."
    fair = [row for row in measured if row.comparable]
    near = [row for row in fair if 1 / 1.25 <= row.ratio <= 1.25]
    verb = "has" if len(measured) == 1 else "have"
    text = f"{published}{len(measured)} {verb} a counterpart measured here"
    if not fair:
        return f"{text}, none of them under the same conditions."
    if len(fair) < len(measured):
        text += f", {len(fair)} of them under the same conditions"
    agree = "1 agrees" if len(near) == 1 else f"{len(near) or 'none'} agree"
    return f"{text}; {agree} within a factor of 1.25."


def _titles(bench: BenchmarkView) -> list[str]:
    """Titles of the pieces that the figures are from, at most three of them."""
    sources = [row.source or bench.plan.source for row in bench.plan.published]
    titles = list(dict.fromkeys(f"“{label(each.title)}”" for each in sources if each))
    others = formatting.plural(len(titles) - 2, "other piece")
    return titles if len(titles) <= 3 else [*titles[:2], others]


LONG_NOTE = 100
"""Characters of a note that is told once, and not with every figure of its row."""


def _table(bench: BenchmarkView, by_figure: ByFigure) -> Table:
    first: dict[str, PublishedResult] = {}
    for row in (row for rows in by_figure.values() for row in rows):
        first.setdefault(row.row.note, row)
    groups = tuple(
        RowGroup(
            tuple(_row(bench, row, is_first=row is first[row.row.note]) for row in rows),
            title=sentence(FIGURES[figure][0]),
        )
        for figure, rows in by_figure.items()
    )
    titles = _titles(bench)
    noun = "Source" if len(titles) == 1 else "Sources"
    return Table(
        id="published-table",
        title="The figures",
        caption=(
            "Published figures stand as printed and enter no statistic; ours stand over their 95 % "
            "intervals over processes. "
            + (f"{noun}: {formatting.listed(titles)}. " if titles else "")
            + "S: printed in the source; O: in the original behind it; D: derived by arithmetic."
        ),
        corner=f"{bench.points_heading} · published on" if bench.axes else "published on",
        columns=(
            Column("published", number=True),
            Column("measured here", number=True),
            Column("measured ÷ published", number=True),
            Column("what to know"),
        ),
        groups=groups,
        style="prose",
        download=Download(f"{bench.slug}/published.csv", "CSV"),
    )


def _row(bench: BenchmarkView, found: PublishedResult, *, is_first: bool) -> Row:
    badges = (() if found.comparable else (MISMATCH,)) + ((FLAG,) if found.flags else ())
    note = found.row.note
    told = note if is_first or len(note) <= LONG_NOTE else f"{label(note, 40)} (above)"
    notes = [told, caveat(found), *map(flag_text, found.flags)]
    known = (*(Line(tied(label(note, 500))) for note in notes if note), *_source(bench, found))
    device = _device(bench, found)
    printed = f"{printed_text(found.figure, found.value)}{formatting.SPACE}[{found.row.mark}]"
    return Row(
        Entry((Line(_name(bench, found)), Line(_against(bench, found), "reason"))),
        (
            Entry((Line(printed),), badges=badges),
            _measured(found),
            Entry((Line(formatting.ratio(found.ratio) if present(found.ratio) else "–"),)),
            Entry(known or (Line("–"),)),
        ),
        device=device.colour,
    )


def _against(bench: BenchmarkView, found: PublishedResult) -> str:
    """What of ours a figure is put beside; of a speedup, also over what and by what."""
    ours = f"against {_device(bench, found).title}"
    if found.figure != "speedup":
        return ours
    over = f"{ours} over {bench.title_of(found.over)}"
    if found.row.over_where:
        places = found.row.over_where.items()
        over += " at " + ", ".join(f"{axis_title(k)} {label(v, 30)}" for k, v in places)
    by = found.row.quantity
    return over if by == "speedup" else f"{over}, by the {QUANTITIES.get(by, axis_title(by))}"


def _source(bench: BenchmarkView, found: PublishedResult) -> list[Line]:
    """Who published a row, where that is not the spec's own source or the row was imported."""
    by, imported = citation(found.source), found.row.imported
    if not imported and by == citation(bench.plan.source):
        return []
    begin = f"imported from {label(imported, 60)}: " if imported else "from "
    address = web_address(found.source.url if found.source else "")
    return [Line(begin + label(by, 240), "reason", href=address)]


def _measured(found: PublishedResult) -> Entry:
    figure, ours = found.figure, found.measured
    if not present(ours.value):
        return Entry((Line("not measured", "reason"),))
    lines = [Line(figure_text(figure, ours.value))]
    if present(ours.low) and present(ours.high):
        lines = [
            Line(figure_text(figure, ours.value, ours.low, ours.high)),
            Line(figure_interval(figure, ours.value, ours.low, ours.high), "interval"),
        ]
    said = caveat(found)
    extrapolated = found.extrapolated and figure == "total_time"
    badges = [Badge("extrapolated", said)] if extrapolated else []
    if found.stand_in == "synthetic":
        badges.append(Badge("synthetic data", said))
    elif found.stand_in and figure in QUALITIES:
        badges.append(Badge("sample", said, "quiet"))
    return Entry(tuple(lines), badges=tuple(badges))
