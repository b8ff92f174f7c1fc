"""What others published: figures beside ours and never mixed with them, and advice as quoted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import isnan, nan

from accelreport.analysis.findings import Provenance, Subject, Unit, Value
from accelreport.analysis.published import PublishedResult
from accelreport.analysis.results import QUALITIES, point_key
from accelreport.analysis.stats import Interval, grouped
from accelreport.report import quantity
from accelreport.report.charts.drawing import WIDE
from accelreport.report.charts.scales import percent_text
from accelreport.report.frames import caveat, citation
from accelreport.report.metrics import (
    FIGURES,
    QUANTITIES,
    axis_title,
    figure_interval,
    figure_text,
    printed_text,
    settings_text,
)
from accelreport.report.model import (
    Badge,
    Block,
    Column,
    Download,
    Entry,
    Fact,
    Facts,
    Figure,
    Line,
    Prose,
    Row,
    RowGroup,
    Section,
    Table,
    entry,
    number_columns,
    table_row,
)
from accelreport.report.openings.opening import ON_A_PHONE, Size
from accelreport.report.openings.rates import dot_of, rows_plot
from accelreport.report.pages.badges import with_intervals
from accelreport.report.pages.sections.about import web_address
from accelreport.report.quantity import setting
from accelreport.report.say import Speaker
from accelreport.report.text import label, sentence, tied
from accelreport.report.view import BenchmarkView, present
from accelreport.report.warning_text import flag_text
from accelreport.spec.claims import Names
from accelreport.spec.models import Published

TIMES = ("epoch_time", "step_time", "sample_time")
"""Figures in which a source may print one and the same time."""

IN_WORDS = Names(axis=axis_title, value=setting)
"""Keys and values of a spec as pages write them."""

FigureGroup = tuple[PublishedResult, ...]
"""A published figure, then figures of its row that give its time in other units."""

ByFigure = Mapping[str, Sequence[FigureGroup]]
"""Published figures of each kind that there are any of, in the order of `FIGURES`."""


def _by_figure(bench: BenchmarkView) -> ByFigure:
    alike: dict[tuple[object, ...], list[PublishedResult]] = {}
    for number, result in enumerate(bench.published_results):
        same = (id(result.row), result.machine, point_key(result.point))
        alike.setdefault(same if result.figure in TIMES else (number,), []).append(result)
    by_figure: dict[str, list[FigureGroup]] = {}
    for rows in alike.values():
        group = sorted(rows, key=lambda row: (bool(row.flags), not present(row.measured.value)))
        by_figure.setdefault(group[0].figure, []).append(tuple(group))
    return {figure: by_figure[figure] for figure in FIGURES if figure in by_figure}


def _name(bench: BenchmarkView, result: PublishedResult) -> str:
    """What a published row is called: its sweep point and its label."""
    point = result.point
    where = settings_text(point)
    if len(point) == 1 == len(bench.axes):
        where = label(setting(next(iter(point.values()))), 30)
    return f"{where} · {label(result.row.label, 44)}" if where else label(result.row.label, 44)


MISMATCH = Badge("other conditions", "see notes")
CLOCK = Badge("includes validation", "unlike clocks")
FLAG = Badge("flagged", "beyond a peak or its own figures", "bad")


def published_section(bench: BenchmarkView) -> Section | None:
    """The section; None where the spec quotes nobody."""
    blocks: list[Block] = list(_by_epoch(bench))
    detail = ""
    if bench.published_results:
        ordered = _by_figure(bench)
        blocks += [*_by_point(bench, ordered), _table(bench, ordered)]
        blocks += [notes] if (notes := _notes(bench)).rows else []
        # Several hosts may have measured beside one figure.
        groups = (group for every in ordered.values() for group in every)
        figures = {(id(own.row), own.figure) for own, *_ in groups}
        detail = quantity.plural(len(figures), "figure")
    if advice := bench.plan.advice:
        blocks.append(_advice(bench))
        cases = sum(len(row.words) + len(row.others) for row in advice)
        detail = detail or f"advice on {quantity.plural(cases, 'case')}"
    if not blocks:
        return None
    if (source := bench.plan.source) and source.note:
        blocks.append(Prose(tied(label(source.note, LONGEST_NOTE))))
    return Section("published", "Published", tuple(blocks), folded=True, detail=detail)


def _by_epoch(bench: BenchmarkView) -> Iterator[Figure]:
    """Published accuracies of single epochs beside those that were published of whole trainings."""
    rows = bench.plan.published
    varied = [row for row in rows if row.val_accuracy_by_epoch]
    for number, own in enumerate(varied):
        alike = (row for row in rows if row.where == own.where and row.source == own.source)
        values = [share for row in alike for share in _shares(row)]
        shares = list(own.val_accuracy_by_epoch.values())
        apart = quantity.percentage_points(round(max(shares) - min(shares), 4))
        speaker = Speaker(bench)
        dots = [
            replace(
                dot_of(speaker, value),
                name=" · ".join(filter(None, (dot_of(speaker, value).name, value.of.part))),
            )
            for value in values
        ]
        plot = rows_plot(
            bench,
            dots,
            name=f"by-epoch-{number}",
            title="Published validation accuracies",
            axis="validation accuracy",
            tick=percent_text,
            values=tuple(values),
        )
        note = f"{label(own.label, 44)}: spread {apart}"
        yield replace(plot, caption=note, badges=()).figure(Size(WIDE, 0), ON_A_PHONE)


def _shares(row: Published) -> Iterator[Value]:
    """The published accuracies of a row, each with its epoch where it is of one."""
    whole = {} if row.val_accuracy is None else {"": row.val_accuracy}
    for epoch, share in (row.val_accuracy_by_epoch or whole).items():
        of = Subject(row.device, row=row, part=f"epoch {epoch}" if epoch else "")
        alone = Interval(share, nan, nan, 0)
        yield Value(of, alone, Unit.SHARE, Provenance.PUBLISHED, frozenset())


def _by_point(bench: BenchmarkView, by_figure: ByFigure) -> Iterator[Table]:
    """The times that the source printed, as its own table: values down, devices across."""
    if len(bench.axes) != 1:
        return
    (axis,) = bench.axes
    cells: dict[tuple[str, object], FigureGroup] = {}
    for group in (group for figure in TIMES for group in by_figure.get(figure, ())):
        row = group[0].row
        if row.source is None and row.mark != "D" and axis in row.where:
            cells.setdefault((row.label, row.where[axis]), group)
    names = list(dict.fromkeys(name for name, _ in cells))
    every = bench.plan.axes[axis]
    values = [value for value in every if all((name, value) in cells for name in names)]
    if len(names) < 2 or len(values) < 2:
        return

    def printed(group: FigureGroup) -> Entry:
        lines = [f"{printed_text(r.figure, r.value)}, {FIGURES[r.figure][0]}" for r in group]
        flags = (FLAG,) if any(result.flags for result in group) else ()
        return Entry((Line(lines[0]), *(Line(text, "detail") for text in lines[1:])), badges=flags)

    rows = (table_row(setting(x), *(printed(cells[name, x]) for name in names)) for x in values)
    yield Table(
        id="published-by-point",
        title="As printed",
        caption=f"{label(citation(bench.plan.source), 240)}.",
        corner=axis_title(axis),
        columns=number_columns(label(name, 44) for name in names),
        groups=(RowGroup(tuple(rows)),),
    )


LONGEST_NOTE = 1500
"""Characters of what a spec says of its source."""


def _table(bench: BenchmarkView, by_figure: ByFigure) -> Table:
    groups = tuple(
        RowGroup(tuple(_row(bench, group) for group in rows), title=sentence(FIGURES[figure][0]))
        for figure, rows in by_figure.items()
    )
    sources = [row.source or bench.plan.source for row in bench.plan.published]
    titles = list(dict.fromkeys(f"“{label(source.title)}”" for source in sources if source))
    if len(titles) > 3:
        titles = [*titles[:2], quantity.plural(len(titles) - 2, "other piece")]
    table = Table(
        id="published-table",
        title="Figures",
        caption=f"{quantity.listed(titles)}.",
        corner="published on",
        columns=(
            Column("published", number=True),
            Column("measured here", number=True),
            Column("measured ÷ published", number=True),
            Column("notes"),
        ),
        groups=groups,
        style="prose",
        download=Download(f"{bench.slug}/published.csv", "CSV"),
    )
    return with_intervals(table)


def _notes(bench: BenchmarkView) -> Facts:
    """What published rows note: each text once, with the names of its rows and at no figure."""
    rows = [result.row for result in bench.published_results if result.row.note]
    facts = (
        Fact(quantity.listed(list(dict.fromkeys(label(row.label, 90) for row in own))), text)
        for text, own in grouped(rows, lambda row: tied(label(row.note, 500))).items()
    )
    return Facts(tuple(facts), id="published-notes", long=True)


def _row(bench: BenchmarkView, group: FigureGroup) -> Row:
    """A figure beside what was measured here."""
    first = group[0]
    flags = [flag for result in group for flag in result.flags]
    badges = (() if first.comparable else (MISMATCH,)) + ((FLAG,) if flags else ())
    badges += (CLOCK,) if isnan(first.validation) else ()
    # What is above a peak is said with the share of it.
    texts = [flag_text(flag) for flag in flags if flag.kind != "above-peak"]
    notes = dict.fromkeys(filter(None, [caveat(first, IN_WORDS), *texts]))
    known = (*(Line(tied(label(note, 500))) for note in notes), *_source(bench, first))
    others = [
        Line(f"{printed_text(result.figure, result.value)}, {FIGURES[result.figure][0]}", "detail")
        for result in group[1:]
    ]
    return table_row(
        entry(_name(bench, first), Line(_against(bench, first), "reason")),
        entry(printed_text(first.figure, first.value), *others, badges=badges),
        _measured(first),
        "–" if isnan(first.ratio) or isnan(first.validation) else quantity.ratio(first.ratio),
        Entry(known or (Line("–"),)),
        device=bench.colour_of(first.row.device),
    )


def _against(bench: BenchmarkView, result: PublishedResult) -> str:
    """What of ours a figure is put beside; of a speedup, also over what and by what."""
    several = len({series.machine for series in bench.series if series.machine}) > 1
    machine = result.machine or "" if several else ""
    ours = f"against {bench.title_on(result.row.device, machine)}"
    if result.figure != "speedup":
        return ours
    over = f"{ours} over {bench.title_of(result.over)}"
    if result.row.over_where:
        over += f" at {settings_text(result.row.over_where)}"
    by = result.row.quantity
    return over if by == "speedup" else f"{over}: {QUANTITIES.get(by, axis_title(by))}"


def _source(bench: BenchmarkView, result: PublishedResult) -> list[Line]:
    """Who published a row, where that is not the spec's own source or the row was imported."""
    by, imported = citation(result.source), result.row.imported
    if not imported and by == citation(bench.plan.source):
        return []
    begin = f"imported from {label(imported, 60)}: " if imported else "from "
    address = web_address(result.source.url if result.source else "")
    return [Line(begin + label(by, 240), "reason", href=address)]


def _measured(result: PublishedResult) -> Entry:
    """What was measured here in the place of a published figure, with the marks it bears."""
    figure, ours = result.figure, result.measured
    if not present(ours.value):
        return entry(Line("not measured", "reason"))
    lines = [Line(figure_text(figure, ours.value))]
    if ours.low < ours.high:  # the size of a file is the same in every process
        lines = [
            Line(figure_text(figure, ours.value, ours.low, ours.high)),
            Line(figure_interval(figure, ours.value, ours.low, ours.high), "interval"),
        ]
    meaning = caveat(result, IN_WORDS)
    badges = [Badge("extrapolated", meaning)] if result.extrapolated else []
    if result.stand_in == "synthetic":
        badges.append(Badge("synthetic data", meaning))
    elif result.stand_in and figure in QUALITIES:
        badges.append(Badge("sample", meaning, "quiet"))
    return Entry(tuple(lines), badges=tuple(badges))


def _advice(bench: BenchmarkView) -> Table:
    """When to use which device, in the words of those who advise."""
    rows = []
    for row in bench.plan.advice:
        source = row.source or bench.plan.source
        by = (
            Line(label(citation(source), 240), "reason", href=web_address(source.url))
            if source
            else Line("–")
        )
        cases = (Line(f"“{label(words, 200)}”") for words in (*row.words, *row.others))
        rows.append(table_row(row.use, entry(*cases), entry(by)))
    return Table(
        id="advice-table",
        title="Advice, quoted",
        corner="device",
        columns=(Column("advised for", wide=True), Column("by", wide=True)),
        groups=(RowGroup(tuple(rows)),),
        style="prose",
    )
