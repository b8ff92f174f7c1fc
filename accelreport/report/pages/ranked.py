"""The ranked pages: all chips by one figure, a page of each machine, time against cost."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from accelreport.analysis.findings import Unit
from accelreport.analysis.overview import RATES_THEMSELVES, PublishedRate
from accelreport.analysis.stats import Verdict
from accelreport.chips.board import Board, Step, Submission, steps
from accelreport.chips.ranking import FIGURES, Entry, Figure, Ranked
from accelreport.report import quantity
from accelreport.report.charts.dot_plot import Dot, dot_plot
from accelreport.report.charts.drawing import NARROW, WIDE, Chart, Named
from accelreport.report.charts.scales import (
    decades,
    fitting,
    log_domain,
    percent_text,
    plain,
    plain_duration,
)
from accelreport.report.charts.trade_off import Offer, trade_off, unbeaten
from accelreport.report.model import (
    Code,
    Column,
    Download,
    Downloads,
    Fact,
    Facts,
    Note,
    Notes,
    Notice,
    Page,
    Prose,
    Row,
    RowGroup,
    Section,
    Table,
    Token,
    number_columns,
    table_row,
    under,
)
from accelreport.report.model import (
    entry as cell,
)
from accelreport.report.openings.opening import ON_A_PHONE, Plot, Size
from accelreport.report.rank_text import (
    chip_name,
    entry_name,
    framework_text,
    headline_text,
    interval_text,
    leaders,
    precision_text,
    rank_text,
    ratio_phrase,
    step_text,
    stopped_text,
    value_text,
)
from accelreport.report.site.options import RANKED_TITLE
from accelreport.report.text import label, slug
from accelreport.spec.device import FRAMEWORK_NAMES
from accelreport.spec.families import TENSORFLOW

TRADE_OFFS = "trade-offs.html"
COLOURS = {"CPU": 0, "GPU": 1, "TPU": 2}
"""Colour of a kind, as on every page."""
TICKS = {Unit.SECONDS: plain_duration, Unit.SHARE: percent_text}
PLOT_PIXELS = 330
"""Of the column of marks, for its ticks."""
FILTERS = ("Kind", "Measured in", "Framework", "Precision", "Price")
MOST_OPTIONS = 8
"""Choices of a filter; `ranked.css` has a rule for each."""
NO_PRICE = "no price"
DECIDED_CHANGES = (Verdict.FASTER, Verdict.SLOWER)


@dataclass(frozen=True)
class Filter:
    """What rows can be chosen by.

    Attributes:
        title: what is chosen.
        letter: classes of rows begin with it.
        options: class of its rows, and text, of each choice.
    """

    title: str
    letter: str
    options: tuple[tuple[str, str], ...]

    def classes(self, value: str) -> list[str]:
        """The class of a row with a value."""
        return [name for name, text in self.options if text == value]


@dataclass(frozen=True)
class BoardRow:
    """A row of the ranked table; positions are percent of the axis.

    A published row has no rank, page, ends, price and numbers.

    Attributes:
        classes: colour, and the option of each filter that it belongs to.
        name: of the chip.
        detail: kind, precision, and the framework where there are several or it is not TensorFlow;
            or who published it.
        at: of the mark.
        value: without the unit of a rate.
        interval: its ends.
        rank: a rank or a range.
        tied: whether it is a range.
        href: the page of the machine.
        doubted: whether a person should look at it.
        ends: of the interval; empty without one.
        stopped: whether the budget stopped a repeat.
        price: of an hour.
        numbers: value and ends, for the script that compares two.
    """

    classes: str
    name: str
    detail: str
    at: str
    value: str
    interval: str
    rank: str = ""
    tied: bool = False
    href: str = ""
    doubted: bool = False
    ends: tuple[str, ...] = ()
    stopped: bool = False
    price: str = ""
    numbers: str = ""


@dataclass(frozen=True)
class RankedTable:
    """All chips by one figure.

    Attributes:
        unit: title of the column of values.
        rank_by: path and short title of the page of each figure.
        filters: those with more than one choice.
        rows: the best first.
        ticks: position and text.
        priced: whether any of them has a price.
        phrase: what a comparison of two says.
        less: whether the smaller value is the faster one.
    """

    unit: str
    rank_by: tuple[tuple[str, str], ...]
    filters: tuple[Filter, ...]
    rows: tuple[BoardRow, ...]
    ticks: tuple[tuple[str, str], ...]
    priced: bool
    phrase: str
    less: bool


def shown_figures(board: Board) -> list[Figure]:
    """The figures that some ranked contribution has."""
    return [figure for figure in FIGURES if board.ranks[figure.name]]


def path_of(board: Board, figure: Figure) -> str:
    """The page that ranks by a figure; that of the first one is the front page."""
    return "index.html" if figure is shown_figures(board)[0] else f"{figure.name}.html"


def machine_path(machine: Submission) -> str:
    """The page of a machine: short, because every row of every figure leads to it."""
    return f"{slug(machine.machine)}.html"


def json_path(submission: Submission) -> str:
    """Where the file lies beside the pages."""
    return f"{slug(submission.file.removesuffix('.json'))}.json"


# The ranked table ------------------------------------------------------------------------


def ranked_table(board: Board, figure: Figure) -> RankedTable:
    """Every entry by one figure, and the published rates at their place."""
    ranks = board.ranks[figure.name]
    machines = {machine.name: machine for machine in board.machines}
    pairs = [(row, machines[row.entry.contribution]) for row in ranks]
    facets = [_facets(row.entry, machine) for row, machine in pairs]
    filters = [
        Filter(
            title, letter, tuple((f"{letter}{COLOURS.get(o, n)}", o) for n, o in enumerate(options))
        )
        for letter, title in zip("kbcde", FILTERS, strict=True)
        if len(options := sorted({facet[title] for facet in facets})[:MOST_OPTIONS]) > 1
    ]
    published = board.published.get(figure.name, ())
    ends = [end for row in ranks for end in row.entry.value.ends]
    domain = log_domain([*ends, *(rate.rate for _, rate in published)], 1.06)

    def at(value: float) -> str:
        low, high = map(math.log, domain)
        return f"{2 + 96 * (math.log(value) - low) / (high - low):.1f}%"

    tick = TICKS.get(figure.unit, plain)
    ticks = fitting(decades(*domain, 6), tick, domain, PLOT_PIXELS, log=True)
    rows = [
        (row.entry.value.value, _row(row, machine, figure, at, filters, facet))
        for (row, machine), facet in zip(pairs, facets, strict=True)
    ]
    rows += [(rate.rate, _published_row(by, rate, at, filters)) for by, rate in published]
    rows.sort(key=lambda pair: pair[0], reverse=figure.more_is_better)
    return RankedTable(
        unit=figure.short,
        rank_by=tuple((path_of(board, choice), choice.short) for choice in shown_figures(board)),
        filters=tuple(filters),
        rows=tuple(row for _, row in rows),
        ticks=tuple((at(value), tick(value)) for value in ticks),
        priced=any(row.entry.price for row in ranks),
        phrase=ratio_phrase(figure),
        less=figure.unit is Unit.SECONDS,
    )


def _facets(entry: Entry, machine: Submission) -> dict[str, str]:
    return {
        "Kind": entry.kind,
        "Measured in": machine.measured_at[:4],
        "Framework": FRAMEWORK_NAMES[entry.framework],
        "Precision": precision_text(entry),
        "Price": "given" if entry.price else NO_PRICE,
    }


def _row(
    row: Ranked,
    machine: Submission,
    figure: Figure,
    at: Callable[[float], str],
    filters: Sequence[Filter],
    facets: dict[str, str],
) -> BoardRow:
    entry = row.entry
    numbers = entry.value.value, *entry.value.ends
    own = [name for facet in filters for name in facet.classes(facets[facet.title])]
    several = any(facet.title == "Framework" for facet in filters)
    named = several or entry.framework != TENSORFLOW
    framework = FRAMEWORK_NAMES[entry.framework] if named else ""
    detail = filter(None, (entry.kind, framework, precision_text(entry)))
    return BoardRow(
        classes=" ".join(dict.fromkeys([f"k{COLOURS[entry.kind]}", *own])),
        name=label(chip_name(entry), 48),
        detail=" · ".join(detail),
        at=at(entry.value.value),
        value=value_text(entry, figure, bare=True),
        interval=interval_text(entry, figure, bare=True),
        rank=rank_text(row),
        tied=row.best != row.worst,
        href=machine_path(machine),
        doubted=bool(machine.doubts),
        ends=tuple(map(at, entry.value.ends)) if entry.value.known else (),
        stopped=entry.stopped is not None,
        price=_price(entry),
        numbers="/".join(f"{float(f'{number:.4g}'):g}" for number in numbers),
    )


def _price(entry: Entry) -> str:
    if entry.price is None:
        return ""  # the style sheet says that there is none
    # A price has the digits of its list: 0.18, 1.18.
    hour = quantity.setting(entry.price.per_hour)
    return f"{hour}{quantity.SPACE}{label(entry.price.currency, 8)}"


def _published_row(
    by: str, rate: PublishedRate, at: Callable[[float], str], filters: Sequence[Filter]
) -> BoardRow:
    kind = next((kind for kind in COLOURS if rate.row.device.startswith(kind.lower())), "")
    own = [name for facet in filters if facet.title == "Kind" for name in facet.classes(kind)]
    unit = Unit.NUMBER if rate.figure in RATES_THEMSELVES else Unit.SECONDS
    printed = quantity.write(rate.row.figures()[rate.figure], unit, digits=quantity.HEADLINE)
    return BoardRow(
        classes=" ".join(dict.fromkeys(["pub", f"k{COLOURS.get(kind, 0)}", *own])),
        name=label(rate.row.label, 48),
        detail=f"published by {label(by, 40)}, no rank",
        at=at(rate.rate),
        value=quantity.write(rate.rate, Unit.NUMBER),
        interval=f"from {printed}",
    )


def ranked_page(board: Board, figure: Figure) -> Page:
    """The page around the table by one figure."""
    machines, ranks = board.machines, board.ranks[figure.name]
    published = len(board.published.get(figure.name, ()))
    rows = quantity.plural(published, "published row") if published else ""
    repeats = max(row.entry.reached[1] for row in ranks)
    frameworks = {FRAMEWORK_NAMES[row.entry.framework] for row in ranks}
    counts = (
        figure.title,
        quantity.listed(sorted(frameworks)),
        quantity.plural(repeats, "repeat"),
        quantity.plural(len(machines), "machine"),
        rows,
    )
    return Page(
        path=path_of(board, figure),
        title=RANKED_TITLE,
        headline=RANKED_TITLE,
        finding=leaders(ranks, figure),
        kicker=" · ".join(filter(None, counts)),
        sections=tuple(_sections(board)),
        template="ranked.html",
        banner=invented(machines),
    )


def invented(machines: Sequence[Submission]) -> Notice | None:
    """What stands above everything where hardware does not exist."""
    count = sum(machine.invented for machine in machines)
    if not count:
        return None
    if len(machines) == 1:
        return Notice("Invented data.", "This machine does not exist.")
    if count == len(machines):
        return Notice("Invented data.", "None of these machines exists.")
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
    prose = (
        "Run accelreport chip, which takes ten minutes, then accelreport contribute, and read the "
        "file that it writes. Every file is verified before it is ranked."
    )
    code = Code("", (Token("accelreport chip\naccelreport contribute\n"),))
    yield Section("add", "Add yours", (Prose(prose), code))


# Time against cost and energy -------------------------------------------------------------


def trade_off_page(board: Board) -> Page | None:
    """Time to accuracy against its price, and against the energy of an image."""
    plots = tuple(_plots(board))
    if not plots:
        return None
    return Page(
        path=TRADE_OFFS,
        title="Time, cost and energy",
        headline="Time against cost and energy",
        finding="",
        sections=plots,
        template="chips.html",
        banner=invented(board.machines),
    )


TIME = next(figure for figure in FIGURES if figure.name == "accuracy")


def _offers(board: Board) -> tuple[list[Offer], list[Offer]]:
    """Time to accuracy with the cost of the training, and with the energy of an image."""
    joules = {
        (row.entry.contribution, row.entry.device): row.entry.value for row in board.ranks["energy"]
    }
    costs, energies = [], []
    for entry in (row.entry for row in board.ranks[TIME.name]):
        device = Named(label(entry_name(entry), 40), COLOURS[entry.kind])
        seconds = entry.value.value, *entry.value.ends
        offer = Offer(
            device.title,
            device,
            seconds,
            None,
            value_text(entry, TIME),
            hollow=not entry.value.known,
        )
        if entry.price:
            cents, low, high = (100 * entry.price.of(second) for second in seconds)
            costs.append(replace(offer, cost=(cents, low, high)))
        if used := joules.get((entry.contribution, entry.device)):
            energies.append(replace(offer, cost=(used.value, *used.ends)))
    return costs, energies


def _plots(board: Board) -> Iterator[Section]:
    costs, energies = _offers(board)
    for key, offers, unit, axis, better, what in (
        ("cost", costs, "US cents", "US cents of one training", "cheaper", "a price"),
        ("energy", energies, "J", "J of a training image", "more frugal", "a count of energy"),
    ):
        if not offers:
            continue
        best = unbeaten(offers)
        finding = (
            f"{quantity.plural(len(best), 'entry', 'entries')} of {len(offers)} may be on the "
            f"frontier: no other entry is decidedly both faster and {better}."
        )
        missing = len(board.ranks[TIME.name]) - len(offers)
        absent = f" Not drawn: {quantity.plural(missing, 'entry', 'entries')} without {what}."
        plot = Plot(
            id=f"by-{key}",
            title=f"{TIME.title}, against {key}",
            description=f"{finding} {'; '.join(offer.name for offer in best)}.",
            chart=partial(_trade_off, offers, unit, axis),
            subtitle=f"Up: {TIME.title} (log scale). Down and to the left is better.",
            caption="Dashed: the frontier of the marks, which are geometric means. Bars are 95 % "
            "intervals. An entry is beaten where both intervals of another are better than its own."
            f"{absent * bool(missing)}",
        )
        figure = plot.figure(Size(WIDE, 440), ON_A_PHONE)
        yield Section(key, f"Time against {key}", (figure,), finding)


def _trade_off(offers: Sequence[Offer], unit: str, axis: str, size: Size) -> Chart:
    return trade_off(offers, currency=unit, axis=axis, width=size.width, height=size.height)


# A machine --------------------------------------------------------------------------------


def machine_page(board: Board, history: Sequence[Submission]) -> Page:
    """What one machine contributed: figures with ranks, history, environment, doubts, files."""
    latest = history[-1]
    entries = [row for figure in FIGURES for row in latest.entries[figure.name]]
    first = next((row for row in entries if row.kind == latest.kind), entries[0])
    sections = [
        Section("figures", "Figures", (_figures(board, latest),)),
        *_history(history),
        *_doubts(latest),
        Section("machine", "Machine and software", (_environment(latest),)),
        Section("files", "Files", (Downloads(tuple(map(_file, reversed(history)))),)),
    ]
    return Page(
        path=machine_path(latest),
        title=label(chip_name(first), 60),
        finding=standing(latest, board),
        kicker=f"{latest.kind} · {framework_text(first, latest)} · {latest.name}",
        sections=tuple(sections),
        template="chips.html",
        banner=invented([latest]),
    )


def standing(machine: Submission, board: Board) -> str:
    """The best rank of a machine by the first figure that it has."""
    figure, row = board.ranks_of[machine.name][0]
    ranks = board.ranks[figure.name]
    value = f"{headline_text(row.entry, figure)}, rank {rank_text(row)} of {len(ranks)}"
    return f"{figure.title}: {value}."


def _figures(board: Board, machine: Submission) -> Table:
    rows: dict[str, list[Row]] = {}
    titles: dict[str, str] = {}
    for figure, row in board.ranks_of[machine.name]:
        entry = row.entry
        processes, of = entry.reached
        titles[entry.device] = entry_name(entry)
        rows.setdefault(entry.device, []).append(
            table_row(
                figure.title,
                cell(value_text(entry, figure), *under(interval_text(entry, figure), "interval")),
                f"{rank_text(row)} of {len(board.ranks[figure.name])}",
                f"{processes} of {of}",
                stopped_text(entry) or "all",
            )
        )
    return Table(
        id="ranks",
        title="What was measured, with ranks among all chips",
        corner="figure",
        columns=number_columns(("value, 95 % interval", "rank", "processes", "steps")),
        groups=tuple(
            RowGroup(tuple(own), titles[device], id=slug(device)) for device, own in rows.items()
        ),
        caption="A rank is a range where intervals overlap. Where the time budget stopped a "
        "repeat, the rate is that of its completed steps.",
    )


def _history(history: Sequence[Submission]) -> Iterator[Section]:
    """Points with intervals over time, and the changes that are decided."""
    if len(history) < 2:
        return
    figure, device = next(
        (figure, row.device) for figure in FIGURES for row in history[-1].entries[figure.name]
    )
    dots = [
        Dot(
            name=quantity.day(when) if (when := quantity.instant(submission.measured_at)) else "",
            detail=framework_text(row, submission),
            device=Named(submission.file, COLOURS[row.kind]),
            value=row.value.value,
            text=value_text(row, figure),
            low=row.value.ends[0],
            high=row.value.ends[1],
            hollow=not row.value.known,
        )
        for submission in history
        for row in submission.entries[figure.name]
        if row.device == device
    ]
    plot = Plot(
        id="over-time",
        title=f"{figure.title}, {label(device)}, contribution after contribution",
        description="; ".join(f"{dot.name}: {dot.text}" for dot in dots),
        chart=lambda size: dot_plot(
            dots, axis_title=figure.short, tick=plain, width=size.width, height=size.height
        ),
        caption="Marks are geometric means, and bars their 95 % intervals.",
    )
    high = 60 + 36 * len(dots)
    changes = steps(history)
    decided = [step for step in changes if step.verdict in DECIDED_CHANGES]
    count = quantity.plural(len(changes), "comparison")
    finding = f"{quantity.plural(len(decided), 'decided change')} in {count}."
    rows = (
        (step.figure.title, label(step.device), _changed(step), step_text(step)) for step in decided
    )
    table = Table(
        id="changes",
        title="Decided changes from one contribution to the next",
        corner="figure",
        columns=(Column("device"), Column("what differs", wide=True), Column("times as good")),
        groups=(RowGroup(tuple(table_row(*row) for row in rows)),),
        caption="The 95 % level holds for all comparisons together.",
        style="prose",
    )
    figure_of = plot.figure(Size(WIDE, high), Size(NARROW, high))
    blocks = (figure_of, table) if decided else (figure_of,)
    yield Section("history", "History", blocks, finding)


def _changed(step: Step) -> str:
    old, new = step.before.facts, step.after.facts
    differing = [
        f"{name} {old.get(name, 'none')} → {new.get(name, 'none')}"
        for name in sorted({*old, *new})
        if old.get(name) != new.get(name)
    ]
    return label("; ".join(differing), 300) or "nothing that is recorded"


def _doubts(machine: Submission) -> Iterator[Section]:
    by_text: dict[str, list[str]] = {}
    for doubt in machine.doubts:
        by_text.setdefault(doubt.message, []).append(doubt.cell)
    if by_text:
        notes = tuple(
            Note(label(text, 200), quantity.plural(len(cells), "cell") if any(cells) else "")
            for text, cells in by_text.items()
        )
        finding = "A person should look at this contribution."
        yield Section("doubts", "Self-checks and warnings", (Notes(notes),), finding)


def _environment(machine: Submission) -> Facts:
    rows = [Fact(label(name), label(value, 200)) for name, value in machine.facts.items() if value]
    return Facts((Fact("measured", quantity.moment(machine.measured_at)), *rows))


def _file(submission: Submission) -> Download:
    detail = (
        f"{quantity.moment(submission.measured_at)}, {quantity.plural(submission.cells, 'cell')}"
    )
    return Download(json_path(submission), label(submission.file), detail)
