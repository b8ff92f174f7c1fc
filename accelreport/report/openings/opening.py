"""A page's opening: its figures, each with the finding that it shows.

A plot is a function of a size, because the same plot is on a page, on a slide and on a telephone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from accelreport.analysis.findings import COMPARED, FACTS, Caveat, Finding, Kind, Value
from accelreport.analysis.ranking import title_finding
from accelreport.analysis.speed_findings import forward, rate_at
from accelreport.report.charts.dot_plot import dot_plot
from accelreport.report.charts.dots import Base, Dot, as_bars, from_zero, intervals_text, marks_text
from accelreport.report.charts.drawing import WIDE, Chart, draw
from accelreport.report.charts.sweep import (
    End,
    SweepAxes,
    SweepLine,
    SweepPanel,
    keys_of_lines,
)
from accelreport.report.claim_text import STATES
from accelreport.report.model import (
    Badge,
    Block,
    Code,
    Drawing,
    Figure,
    Gallery,
    Key,
    Panel,
    Section,
    Table,
)
from accelreport.report.say import Speaker
from accelreport.report.text import unshared
from accelreport.report.theme import series


@dataclass(frozen=True)
class Size:
    """How large a drawing is.

    Attributes:
        width: pixels, axes and labels included.
        height: pixels, the same.
        most: rows or lines that it may have where it is a slide; 0 elsewhere, where it has all.
    """

    width: int
    height: int
    most: int = 0


ON_A_SLIDE = Size(502, 210, most=6)
"""A drawing on a slide of 1280 × 720 is 2.25 times as large: its letters of 12.5 are 28 px.
The text of a last tick may be up to 10 px beyond it."""
ON_A_FIRST_SLIDE = Size(502, 180, most=6)
"""The same above lines on the data."""
SHARED = Size(502, 150, most=4)
"""A drawing of a link preview, which is 2.25 times as large as well."""
ON_A_PHONE = Size(330, 290)
"""A drawing on a telephone."""
FULL = 1104
"""Width of a figure that is alone, on a screen where a page has its whole width."""
_SIZES = {
    1: (Size(WIDE, 306),),
    2: (Size(650, 270), Size(422, 270)),
    3: (Size(650, 320), Size(422, 170), Size(422, 170)),
}
"""Of so many figures: the first at the left, the others at its right, as the style sheet has it."""
AXIS, SHORTEST = 58, 200
"""Pixels of an axis with its title, and of a drawing that is no higher than its neighbour."""


def _level(shown: Sequence[Shown]) -> Sequence[Size]:
    """Sizes of the figures of an opening; of two, one of any height is as high as the other."""
    sizes = _SIZES[len(shown)]
    if len(shown) == 2:
        first, beside = (
            int(one.chart(size).height + AXIS if isinstance(one, Plot) else size.height)
            for one, size in zip(shown, sizes, strict=True)
        )
        heights = max(SHORTEST, beside), max(SHORTEST, first)
        return [replace(size, height=own) for size, own in zip(sizes, heights, strict=True)]
    return sizes


def panel_size(count: int, height: int) -> Size:
    """Size of one of several panels of a figure: two or four are in rows of two, others three."""
    return Size(410 if count in {2, 4} else 346, height)


@dataclass(frozen=True, eq=False)
class Plot:
    """A chart that can be drawn at any size.

    Attributes:
        id: of its element; unique in the page.
        title: what it shows, as the words above it.
        description: the same in a sentence with its numbers, for a screen reader.
        described: the same of a drawing that leaves out some rows or lines; empty of any other.
        chart: size → chart.
        caption: how to read it.
        subtitle: what the axes are, where the drawing does not say it itself.
        brief: the same in the few words that a slide has room for.
        badges: marks of its numbers.
        table: its numbers.
        points: of its longest line, or its rows; 0 where they are counted as drawn.
        cut: whether a slide has not all of its rows.
        keys: its lines or devices, where the drawing does not name them.
        slide_keys: the same of a slide that leaves out some.
        named: whether a drawing of that size names its lines, so that the keys are for a
            telephone alone.
        up: what its axis counts and what its lines are, above the drawing of a slide.
        values: the numbers that it marks: every number of a title is one of them.
    """

    id: str
    title: str
    description: str
    chart: Callable[[Size], Chart]
    described: Callable[[Size], str] = lambda size: ""  # noqa: ARG005
    caption: str = ""
    subtitle: str = ""
    brief: str = ""
    badges: tuple[Badge, ...] = ()
    table: Table | None = None
    points: int = 0
    cut: bool = False
    keys: tuple[Key, ...] = ()
    slide_keys: tuple[Key, ...] = ()
    named: Callable[[Size], bool] = lambda size: False  # noqa: ARG005
    up: str = ""
    values: tuple[Value, ...] = ()

    def drawing(self, size: Size, prefix: str = "") -> Drawing:
        """The chart at one size; `prefix` begins its ids and is unique within the page."""
        return draw(
            lambda _: self.chart(size),
            size.width,
            prefix=prefix or self.id,
            title=self.title,
            description=self.described(size) or self.description,
        )

    def figure(self, size: Size, narrow: Size | None = None, *, alone: bool = False) -> Figure:
        """The figure of a page or a slide; `narrow` is drawn instead where there is little room.

        One that is `alone` in a page is drawn once more as wide as the page.
        """
        return Figure(
            id=self.id,
            title=self.title,
            caption=self.caption,
            subtitle=self.subtitle,
            panels=(
                replace(self.panel(size, narrow), full=self.drawing(full, f"{self.id}-f"))
                if (full := replace(size, width=FULL)) and alone
                else self.panel(size, narrow),
            ),
            keys=() if self.named(size) and narrow and self.named(narrow) else self.keys,
            named=self.named(size),
            badges=self.badges,
            table=self.table,
            shared=self.drawing(SHARED, f"{self.id}-s"),
        )

    def panel(self, size: Size, narrow: Size | None = None, title: str = "") -> Panel:
        """The chart as one of several of a figure; `narrow` as in `figure`."""
        phone = self.drawing(narrow, f"{self.id}-n") if narrow else None
        return Panel(self.drawing(size, f"{self.id}-w"), phone, title=title)


def dots_plot(
    dots: Sequence[Dot],
    *,
    axis: str,
    tick: Callable[[float], str],
    base: Base | None = None,
    on_a_slide: Callable[[int], Sequence[Dot]] | None = None,
    solid: str = "measured",
    note: str = "",
    **parts: Any,
) -> Plot:
    """Rows of marks on one axis, with their meaning as the caption.

    Args:
        dots: never none.
        axis: what the axis counts.
        tick: the text of a value at the axis.
        base: what the values are compared with.
        on_a_slide: the rows of a slide that has room for so many; all of them without it.
        solid: what a mark is that is neither published nor hollow.
        note: behind the meaning of the marks.
        parts: all else of the plot.
    """
    bars, longest = base is None and from_zero(dots), max(dot.value for dot in dots)
    dots = as_bars(dots, longest) if bars else dots
    # The title above the figure says what bars count; a slide has another one.
    titled = bars and axis.lower() in parts["title"].lower()

    def rows(size: Size) -> Sequence[Dot]:
        if not (on_a_slide and size.most):
            return dots
        own = on_a_slide(size.most)
        return as_bars(own, longest) if bars else own

    on_slides = rows(ON_A_SLIDE)
    log = base is not None or not from_zero(on_slides)
    sign = "◇ published" if log else "outline: published"
    sign *= any(dot.published for dot in on_slides)
    up = axis + " (log scale)" * log, sign, intervals_text(on_slides)

    def chart(size: Size) -> Chart:
        return dot_plot(
            rows(size),
            axis_title="" if size.most or titled else axis,
            tick=tick,
            width=size.width,
            height=size.height if size.most else 0,
            base=base,
        )

    def described(some: Sequence[Dot]) -> str:
        named = [
            " ".join(filter(None, (dot.name, dot.detail))) + f": {dot.whole_text}"
            for dot in some
            if dot.has_text
        ]
        return f"{'; '.join(named)}."

    return Plot(
        description=described(dots),
        described=lambda size: described(rows(size)),
        chart=chart,
        caption=f"{marks_text(dots, bars=bars, solid=solid)} {note}".strip(),
        points=len(dots),
        up=", ".join(filter(None, up)),
        **parts,
    )


def busy(values: Iterable[Value]) -> list[str]:
    """The mark of a slide with a number that was measured while other programs ran."""
    return ["busy"] * any(Caveat.BUSY in value.caveats for value in values)


def left_out(drawn: int, every: int, what: str = "rows") -> list[str]:
    """How many rows a slide has where it leaves out some."""
    return [f"{drawn} of {every} {what}"] * (drawn < every)


def rows_of_a_slide(dots: Sequence[Dot], title_dots: Sequence[Dot], most: int) -> list[Dot]:
    """Rows of the title, then the first of each colour, measured and published, then the others."""
    first = {(series(dot.device.colour), dot.published): dot for dot in reversed(dots)}
    order = {id(dot): dot for dot in (*title_dots, *reversed(first.values()), *dots)}
    kept = set(list(order)[:most])
    shown = [replace(dot.short, detail="") for dot in dots if id(dot) in kept]
    # The title or the line of the machine names the device of all of them.
    names, _ = unshared([dot.name for dot in shown])
    own = len(shown) > 1 and not any(dot.published for dot in shown)
    return [replace(d, name=n) for d, n in zip(shown, names, strict=True)] if own else shown


def lines_plot(
    lines: Sequence[SweepLine],
    ends: Sequence[End],
    axes: SweepAxes,
    *,
    words: Callable[[Sequence[SweepLine]], str],
    title_lines: Sequence[SweepLine] = (),
    unsaid: str = "",
    **parts: Any,
) -> Plot:
    """Lines over a swept number, with their legend.

    Args:
        lines: never none.
        ends: failures.
        axes: that hold them.
        words: what is said of some lines to who does not see them.
        title_lines: lines of the title, which a slide keeps first.
        unsaid: what a slide leaves out of their names.
        parts: all else of the plot.
    """
    short = {id(line): replace(line, name=line.name.replace(unsaid, "")) for line in lines}
    some, titled = [*short.values()], [short[id(line)] for line in title_lines]

    def drawn(size: Size) -> Sequence[SweepLine]:
        if not size.most:
            return lines
        return _lines_of_a_slide(some, ends, axes, titled, size)

    def panel(size: Size) -> SweepPanel:
        return SweepPanel(drawn(size), ends, axes, size.width, size.height)

    on_a_slide = _lines_of_a_slide(some, ends, axes, titled, ON_A_SLIDE)
    rest = left_out(len(on_a_slide), len(lines), "lines")
    return Plot(
        brief=" · ".join([*rest, *busy(parts.get("values", ()))]),
        description=words(lines),
        described=lambda size: words(drawn(size)),
        chart=lambda size: panel(size).chart(),
        keys=keys_of_lines(lines),
        slide_keys=keys_of_lines(on_a_slide),
        named=lambda size: panel(size).named,
        **parts,
    )


def _lines_of_a_slide(
    lines: Sequence[SweepLine],
    ends: Sequence[End],
    axes: SweepAxes,
    title_lines: Sequence[SweepLine],
    size: Size,
) -> Sequence[SweepLine]:
    """As many lines as a slide has room to name, the first of each colour before the others."""
    first = {line.device.colour: line for line in reversed(lines)}
    order = dict.fromkeys(id(line) for line in (*title_lines, *reversed(first.values()), *lines))
    # All slides have the same ones, which the line below counts.
    size = min(size, ON_A_FIRST_SLIDE, key=lambda size: size.height)
    for most in range(min(size.most, len(lines)), 0, -1):
        kept = set(list(order)[:most])
        some = [line for line in lines if id(line) in kept]
        if SweepPanel(some, ends, axes, size.width, size.height).named:
            return some
    return lines[: size.most]


Shown = Plot | Gallery | Code
"""What an opening shows: a chart, or samples of what a model saw, or what it wrote."""


@dataclass(frozen=True)
class Scene:
    """A figure and the finding that it shows: every number of the finding is marked in it.

    Attributes:
        finding: what it shows.
        shown: the figure.
        claimed: whether it is there for the claim that is the title.
    """

    finding: Finding
    shown: Shown
    claimed: bool = False

    def marks(self, values: Iterable[Value]) -> bool:
        """Whether its figure marks all of some numbers."""
        return isinstance(self.shown, Plot) and all(v in self.shown.values for v in values)


@dataclass(frozen=True)
class Opening:
    """What a page, its card and its slides begin with.

    Attributes:
        speaker: writes the findings.
        scenes: one to three figures, the one of the title first; never none.
        findings: all that the benchmark says, ranked; the first is the title.
        kicker: model, parameters, data set and source, in one line.
    """

    speaker: Speaker
    scenes: tuple[Scene, ...]
    findings: tuple[Finding, ...]
    kicker: str = ""

    @property
    def finding(self) -> Finding | None:
        """What the title says, beside claims; None where nothing is decided."""
        return title_finding(self.findings)

    @property
    def title(self) -> str:
        """A decided claim, else the finding, else the first fact."""
        return self.speaker.headline()

    @property
    def verdict(self) -> str:
        """What is decided of the claim of the title; empty of another title."""
        return STATES[self.speaker.claim.state] if self.speaker.claim else ""

    @property
    def summary(self) -> str:
        """The sentence of a row."""
        return f"{self.title}."

    @property
    def answered(self) -> tuple[Finding, ...]:
        """What the page says first: the title's finding, up to two more, and what is undecided."""
        first, *others = self.speaker.answered()
        marked = [
            f
            for f in self.findings
            if f.is_sentence and f is not first and first.base not in f.values
            and any(scene.marks(f.values) for scene in self.scenes)
        ]  # fmt: skip
        facts = [self._of_the_faster(f) for f in marked if f.kind in FACTS]
        # A network may forecast one series well and another one badly.
        series = [f for f in self.findings if f.kind is Kind.FORECAST and f.is_sentence]
        facts = [f for f in series if f is not first] if first in series else facts[:1]
        # Below a claim stand its numbers, and below a converted network three more.
        alone = self.speaker.claim or first.kind is Kind.INT8
        return (first, *([] if alone else facts), *others)

    def _of_the_faster(self, fact: Finding) -> Finding:
        """A rate as that of the faster side of the title's comparison."""
        first = self.speaker.answered()[0]
        if fact.kind is not Kind.RATE or first.kind not in COMPARED - {Kind.GAIN}:
            return fact
        rate = rate_at(self.speaker.bench, forward(first.values[0]).of)
        return Finding(Kind.RATE, (rate,)) if rate else fact

    @cached_property
    def by_answer(self) -> list[Scene]:
        """The figures, first those that show what the lines below the title begin with."""
        first = self.answered[0]
        return sorted(
            self.scenes,
            key=lambda scene: (
                not (scene.claimed or scene.finding is first or scene.marks(first.values))
            ),
        )

    @cached_property
    def answer(self) -> str:
        """The lines below the title; failures come first."""
        return self.speaker.below(self.answered)

    @property
    def unmeasured(self) -> bool:
        """Whether nothing has a time: all it shows is how to measure it."""
        return self.findings[0].kind is Kind.NOT_MEASURED

    def section(self) -> Section:
        """The first screen of the page, below its heading."""
        shown: list[Block] = []
        sizes = _level([scene.shown for scene in self.scenes])
        for scene, size in zip(self.scenes, sizes, strict=True):
            block = scene.shown
            if isinstance(block, Plot):
                figure = block.figure(size, ON_A_PHONE, alone=len(self.scenes) == 1)
                # A link preview shows what the title is of.
                first = scene is self.by_answer[0]
                shown.append(figure if first else replace(figure, shared=None))
            else:
                shown.append(block)
        note = " ".join(
            f"{self.speaker.title(f)}. " * (self.speaker.title(f) not in self.answer)
            + self.speaker.evidence(f)
            for f in self.answered
            if f.kind is Kind.UNDECIDED
        )
        return Section("answer", self.title, tuple(shown), finding=note)
