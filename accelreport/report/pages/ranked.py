"""The ranked pages: all chips by one figure, and a page of each machine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from accelreport.analysis.findings import Caveat, Unit
from accelreport.analysis.overview import PublishedRate
from accelreport.chips.board import Board, Submission
from accelreport.chips.contribution import release_of
from accelreport.chips.ranking import FIGURES, Entry, Figure, Ranked
from accelreport.report import quantity
from accelreport.report.charts.dots import Dot, from_zero
from accelreport.report.charts.drawing import NARROW, WIDE, Named
from accelreport.report.charts.scales import percent_text, plain, plain_duration
from accelreport.report.forms import CAVEATS, SIGNS, signs_text
from accelreport.report.model import (
    Badge,
    Code,
    Download,
    Downloads,
    Facets,
    Fact,
    Facts,
    Line,
    Link,
    Links,
    Note,
    Notes,
    Notice,
    Page,
    Row,
    RowGroup,
    Section,
    Table,
    Token,
    entry,
    number_columns,
    table_row,
    under,
)
from accelreport.report.model import (
    Entry as CellEntry,
)
from accelreport.report.model import (
    Figure as Drawn,
)
from accelreport.report.openings.opening import Size, dots_plot
from accelreport.report.rank_labels import (
    chip_label,
    confirmed_label,
    entry_label,
    interval_label,
    precision_label,
    rank_label,
    ratio_label,
    ratio_title,
    value_label,
)
from accelreport.report.text import label, sentence, slug, unshared
from accelreport.spec.device import FRAMEWORK_NAMES

COLOURS = {"CPU": 0, "GPU": 1, "TPU": 2}
"""Colour of a kind, as on every page."""
TICKS = {Unit.SECONDS: plain_duration, Unit.SHARE: percent_text}
MOST_DRAWN = 40
"""Rows of a chart; the table has all of them."""
TO_LOOK_AT = Badge("look at it", "see its page")


def shown_figures(board: Board) -> list[Figure]:
    """The figures that some ranked contribution has."""
    return [figure for figure in FIGURES if board.ranks[figure.name]]


def path_of(board: Board, figure: Figure) -> str:
    """The page that ranks by a figure; the front page has a published one whose best is whole."""
    front = min(
        shown_figures(board),
        key=lambda one: (bool(board.ranks[one.name][0].entry.stopped), not one.published),
    )
    return "index.html" if figure is front else f"{figure.name}.html"


def machine_path(machine: Submission) -> str:
    """The page of a machine."""
    return f"{slug(machine.machine)}.html"


def archive_path(submission: Submission) -> str:
    """Where the file lies beside the pages."""
    return f"{slug(submission.file.removesuffix('.zip'))}.zip"


# All chips by one figure -----------------------------------------------------------------


def ranked_page(board: Board, figure: Figure) -> Page:
    """All chips by one figure: a chart, a table, and the first of every other figure."""
    ranks = board.ranks[figure.name]
    every = (rate for _, rate in board.published.get(figure.name, ()))
    published = [rate.rate for rate in every if _alike(rate, ranks[0])]
    headline, finding = _first(ranks, figure, published)
    counts = (
        *([figure.title] if figure.title[1:] not in headline else []),
        quantity.listed(sorted({FRAMEWORK_NAMES[row.entry.framework] for row in ranks})),
        *(["synthetic data"] if any(row.entry.origin == "synthetic" for row in ranks) else []),
        quantity.plural(max(row.entry.reached[1] for row in ranks), "repeat"),
        quantity.plural(len(board.machines), "machine"),
        confirmed_label(ranks[0]),
    )
    return Page(
        path=path_of(board, figure),
        title=figure.title,
        headline=headline,
        finding=finding,
        kicker=" · ".join(counts),
        opening=Section("all", figure.title, (_chart(board, figure),)),
        sections=(
            # The chart has ranks and values of all that it draws.
            Section(
                "ranks",
                "Ranks",
                (_ranks(board, figure),),
                folded=len(ranks) <= MOST_DRAWN,
                detail=quantity.plural(len(ranks), "entry", "entries"),
            ),
            *([_figures(board, figure)] if len(shown_figures(board)) > 1 else []),
            *(_sections(board) if path_of(board, figure) == "index.html" else ()),
        ),
        template="ranked.html",
        banner=invented(board.machines),
    )


def _first(ranks: Sequence[Ranked], figure: Figure, published: Sequence[float]) -> tuple[str, str]:
    """Who is first of the measured, or how many may be, and what is known of the best value."""
    own = ranks[0].entry
    who, value = label(entry_label(own), 60), value_label(own, figure)
    leading, lines = sum(row.best == 1 for row in ranks), list[str]()
    if leading > 1:
        which = f" of {leading:,}" * (leading < len(ranks))
        headline = f"{figure.title}: undecided which{which} is first"
        lines.append(f"Best value: {who}, {value} ({interval_label(own, figure)}).")
    else:
        # A machine that is alone is ahead of nobody.
        alone = len({row.entry.contribution for row in ranks}) == 1
        test = f"{figure.title[0].lower()}{figure.title[1:]}"
        headline = (
            f"{figure.title}: {value} on {who}"
            if alone
            else (f"{who} is first of {len(ranks):,} in {test}: {value}")
        )
    if faster := [rate for rate in published if (rate > own.value.value) is figure.more_is_better]:
        lines.append(f"{len(faster)} of {len(published)} published values are better.")
    return headline, " ".join(lines)


def _chart(board: Board, figure: Figure) -> Drawn:
    """A row for each entry, the best first, then what others published."""
    ranks = board.ranks[figure.name]
    dots = [
        replace(
            _dot(row.entry, figure, f"{rank_label(row)} · {label(entry_label(row.entry), 48)}"),
            hollow=("self-reported",) * (not row.confirmed),
        )
        for row in ranks[:MOST_DRAWN]
    ]
    rates = board.published.get(figure.name, ())
    dots += [_published_dot(by, rate, figure) for by, rate in rates]
    validated = any(rate.row.includes == "validation" for _, rate in rates)
    title = ", ".join([sentence(figure.short), *["less is better"] * (not figure.more_is_better)])
    return _dot_figure("chart", title, dots, figure, CAVEATS[Caveat.UNVALIDATED] * validated)


def _published_dot(by: str, rate: PublishedRate, figure: Figure) -> Dot:
    name, value = label(rate.row.label, 48), rate.rate
    device = Named(name, COLOURS.get(_kind(rate), len(COLOURS)))
    text = quantity.write(value, figure.unit, noun=figure.noun, digits=rate.digits)
    by = label(by, 60) + ", with validation" * (rate.row.includes == "validation")
    return Dot(name, by, device, value, text, value, value, published=True,
               group="published")  # fmt: skip


def _dot(row: Entry, figure: Figure, name: str, detail: str = "") -> Dot:
    low, high = row.value.ends
    unit = Unit.NUMBER if figure.unit is Unit.RATE else figure.unit
    between = quantity.span(row.value, unit, figure.noun * (unit is figure.unit))
    return Dot(
        name=name,
        detail=detail,
        device=Named(name, COLOURS[row.kind]),
        value=row.value.value,
        text=value_label(row, figure),
        beside=f"({between})" * bool(between),
        low=low,
        high=high,
        hollow=("no interval",) * (not row.value.known),
    )


def _dot_figure(
    place: str,
    title: str,
    dots: Sequence[Dot],
    figure: Figure,
    note: str = "",
) -> Drawn:
    plot = dots_plot(
        dots,
        axis="" if from_zero(dots) else figure.short,  # values and the title have the unit
        tick=TICKS.get(figure.unit, plain),
        on_a_slide=lambda _: [dot.short for dot in dots],
        solid="confirmed" if place == "chart" else "measured",
        note=note,
        id=place,
        title=title,
    )
    return plot.figure(Size(WIDE, 0), Size(NARROW, 0), alone=True)


def _ranks(board: Board, figure: Figure) -> Table:
    ranks, machines = board.ranks[figure.name], {one.name: one for one in board.machines}
    priced = any(row.entry.price for row in ranks)
    rows = [_ranked_row(row, machines[row.entry.contribution], ranks, figure, priced=priced)
            for row in ranks]  # fmt: skip
    titles = ("value", ratio_title([figure]), *(["per hour"] if priced else []))
    return Table(
        id="ranked",
        title="Ranks",
        corner="rank · chip",
        columns=number_columns(titles),
        groups=(RowGroup(tuple(rows)),),
        notes=_foot(row.entry for row in ranks),
        style="ranks",
    )


def _ranked_row(
    row: Ranked, machine: Submission, ranks: Sequence[Ranked], figure: Figure, *, priced: bool
) -> Row:
    own = row.entry
    detail = own.kind, _release(own, machine), machine.measured_at[:4], confirmed_label(row)
    price = ""
    if own.price:  # it has the digits of its list: 0.18, 1.18
        price = f"{quantity.setting(own.price.per_hour)} {label(own.price.currency, 8)}"
    return table_row(
        entry(
            Line(label(entry_label(own), 60), href=machine_path(machine)),
            Line(" · ".join(detail), "detail"),
            tag=Badge(rank_label(row), "rank", "plain"),
            badges=(TO_LOOK_AT,) if machine.doubts else (),
        ),
        entry(*_value(own, figure)),
        ratio_label(row, ranks, figure) or "1×",
        *([price or "no price"] if priced else []),
        facets=Facets(device=(own.kind,)),
    )


def _value(own: Entry, figure: Figure) -> tuple[Line, ...]:
    sign = f"{quantity.SPACE}{SIGNS[Caveat.BUDGET]}" * bool(own.stopped)
    return (
        Line(value_label(own, figure)),
        Line(f"{interval_label(own, figure)}{sign}", "interval"),
    )


def _foot(entries: Iterable[Entry]) -> tuple[str, ...]:
    """What the sign of a value means, where one has it."""
    return (signs_text({Caveat.BUDGET}),) * any(entry.stopped for entry in entries)


def _titled(board: Board, figure: Figure, own: Entry) -> tuple[Line, ...]:
    """A figure, which has a page, and of what data it is."""
    synthetic = under("synthetic data" * (own.origin == "synthetic"), "detail")
    return (Line(figure.title, href=path_of(board, figure)), *synthetic)


def _alike(rate: PublishedRate, first: Ranked) -> bool:
    """Whether a published rate is by the clock and from the data of the measured ones."""
    return rate.row.includes != "validation" and first.entry.origin != "synthetic"


def _kind(rate: PublishedRate) -> str:
    return next((kind for kind in COLOURS if rate.row.device.startswith(kind.lower())), "")


def _figures(board: Board, shown: Figure) -> Section:
    """The best by every other figure, each of which has a page, and whether it is the first."""
    figures = [figure for figure in shown_figures(board) if figure is not shown]
    best = [board.ranks[figure.name][0].entry for figure in figures]
    names, shared = unshared([label(entry_label(one), 60) for one in best])
    links = []
    for figure, own, who in zip(figures, best, names, strict=True):
        value, interval = (line.text for line in _value(own, figure))
        leading = sum(row.best == 1 for row in board.ranks[figure.name])
        what = f"{'best value, undecided' if leading > 1 else 'first'}: {who}"
        what += " · synthetic data" * (own.origin == "synthetic")
        links.append(Link(figure.title, path_of(board, figure), value, what, interval))
    detail = " · ".join(filter(None, (shared, f"95{quantity.SPACE}% interval", *_foot(best))))
    return Section("figures", "Other tests", (Links(tuple(links)),), detail=detail)


def invented(machines: Sequence[Submission]) -> Notice | None:
    """What stands above everything where hardware does not exist."""
    count = sum(machine.invented for machine in machines)
    if not count:
        return None
    return Notice("Invented data.", f"{count} of {len(machines)} machines do not exist.")


def _sections(board: Board) -> Iterator[Section]:
    if board.refused:
        notes = tuple(
            Note(
                label(refusal.file),
                " ".join(label(why, 300) for why in refusal.reasons[:3]),
                tone="bad",
            )
            for refusal in board.refused
        )
        detail = quantity.plural(len(board.refused), "file")
        yield Section("refused", "Not ranked", (Notes(notes),), folded=True, detail=detail)
    tokens = Token("accelreport chip\n"), Token("accelreport contribute\n")
    yield Section("add", "Add yours", (Code("", tokens),))


# A machine --------------------------------------------------------------------------------


def machine_page(board: Board, history: Sequence[Submission]) -> Page:
    """What one machine contributed: figures with ranks, history, environment, doubts, files."""
    latest = history[-1]
    own = board.ranks_of[latest.name]
    # The first that is whole.
    figure, best = min(own, key=lambda ranked: bool(ranked[1].entry.stopped))
    first = next((row.entry for _, row in own if row.entry.kind == latest.kind), best.entry)
    value, ranks = value_label(best.entry, figure), board.ranks[figure.name]
    of = f"{quantity.plural(len(ranks), 'entry', 'entries')}"
    if len(ranks) > 1 and len({row.entry.contribution for row in ranks}) == 1:
        of += f", {'both' if len(ranks) == 2 else 'all'} its own"
    facts = [
        Fact(label(name), label(text, 200))
        for name, values in latest.facts.items()
        if (text := ", ".join(values))
    ]
    facts.insert(0, Fact("measured", quantity.moment(latest.measured_at)))
    software = {"package", "variable", *FRAMEWORK_NAMES.values()}
    installed = tuple(fact for fact in facts if fact.term.partition(" ")[0] in software)
    own_facts = tuple(fact for fact in facts if fact not in installed)
    files = [
        Download(
            archive_path(one),
            label(one.file),
            f"{quantity.moment(one.measured_at)}, {quantity.plural(one.cells, 'cell')}",
        )
        for one in reversed(history)
    ]
    return Page(
        path=machine_path(latest),
        title=label(chip_label(first), 60),
        finding=f"{figure.title}, {precision_label(best.entry)}: {value}, rank {rank_label(best)} "
        f"of {of}; {confirmed_label(best)}.",
        kicker=f"{latest.kind} · {_release(first, latest)} · {latest.name}",
        sections=(
            Section("ranks", "Results", (_own_ranks(board, own),)),
            *_history(history),
            *_doubts(latest),
            Section("machine", "Machine", (Facts(own_facts),)),
            Section("files", "Files", (Downloads(tuple(files)),)),
            Section("software", "Software", (Facts(installed, long=True),), folded=True),
        ),
        template="chips.html",
        banner=invented([latest]),
    )


def _release(own: Entry, machine: Submission) -> str:
    """Framework and release: "TensorFlow 2.21"."""
    release = ".".join(release_of(machine.environment, own.framework).split(".")[:2])
    return f"{FRAMEWORK_NAMES[own.framework]} {label(release, 12)}".strip()


def _own_ranks(board: Board, own: Sequence[tuple[Figure, Ranked]]) -> Table:
    """A row for each figure, with a column for each configuration; alone, it has no ranks."""
    cells: dict[Figure, dict[str, CellEntry]] = {}
    for figure, row in own:
        ranks, (processes, of) = board.ranks[figure.name], row.entry.reached
        others = {rank.entry.contribution for rank in ranks} - {row.entry.contribution}
        cells.setdefault(figure, {})[entry_label(row.entry)] = entry(
            *_value(row.entry, figure),
            *under(f"rank {rank_label(row)}" * bool(others)),
            *under(f"{processes}/{of} processes" * (processes < of)),
        )
    names = list(dict.fromkeys(name for by_name in cells.values() for name in by_name))
    rows = (
        table_row(
            entry(*_titled(board, figure, board.ranks[figure.name][0].entry)),
            *(by_name.get(name, entry("–")) for name in names),
        )
        for figure, by_name in cells.items()
    )
    return Table(
        id="ranks",
        title="Results",
        corner="test",
        columns=number_columns(unshared(names)[0]),
        groups=(RowGroup(tuple(rows)),),
        notes=_foot(row.entry for _, row in own),
        style="prose",
    )


def _history(history: Sequence[Submission]) -> Iterator[Section]:
    """The first figure of the latest contribution, in each contribution that has it."""
    if len(history) < 2:
        return
    figure, device = next(
        (figure, row.device) for figure in FIGURES for row in history[-1].entries[figure.name]
    )
    dots = [
        _dot(row, figure, quantity.day(when) if when else "", _release(row, one))
        for one in history
        for when in [quantity.instant(one.measured_at)]
        for row in one.entries[figure.name]
        if row.device == device
    ]
    title = f"{figure.title}, {label(device)}"
    drawn = _dot_figure("over-time", title, dots, figure)
    yield Section("history", "History", (drawn,))


def _doubts(machine: Submission) -> Iterator[Section]:
    by_text: dict[str, list[str]] = {}
    for doubt in machine.doubts:
        by_text.setdefault(doubt.message, []).append(doubt.cell)
    if by_text:
        notes = tuple(
            Note(label(text, 200), quantity.plural(len(cells), "cell") if any(cells) else "")
            for text, cells in by_text.items()
        )
        yield Section("doubts", "Self-checks and warnings", (Notes(notes),))
