"""The answer of a benchmark as a value: what its page, its card and its slides begin with.

A hero's figures are functions of a size, since the same figure stands on a page, on a slide, on
a telephone and, small, on the front page.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from accelreport.report.charts.drawing import Chart, draw
from accelreport.report.model import (
    Badge,
    Code,
    Drawing,
    Figure,
    Gallery,
    Key,
    LargeNumber,
    LargeNumbers,
    Panel,
    Section,
    Table,
)

MOST_NUMBERS = 4
"""Numbers that are set large."""


@dataclass(frozen=True)
class Size:
    """Width and height of a drawing, in pixels, axes and labels included."""

    width: int
    height: int


ON_A_SLIDE = Size(676, 284)
"""A drawing that fills a slide of 1280 × 720: stretched to 1109, its letters of 11.5 are 18 px."""
ON_A_PHONE = Size(330, 290)
"""A drawing that stands alone on a telephone."""
ON_A_CARD = Size(230, 130)
"""A drawing on a card of the front page."""
_FULL, _LEFT, _RIGHT, _THIRD = 1104, 650, 422, 346
_HEIGHT = 290
_WIDTHS = {1: (_FULL,), 2: (_LEFT, _RIGHT), 3: (_THIRD,) * 3}
"""Widths of so many figures side by side; the style sheet shares the row out alike."""


@dataclass(frozen=True, eq=False)
class HeroFigure:
    """A chart that can be drawn at any size.

    Attributes:
        id: of its element; unique in the page.
        title: what it shows, as the words above it.
        description: the same in a sentence with its numbers, for a screen reader.
        chart: size → chart.
        caption: how to read it; one sentence or none.
        badges: marks of its numbers.
        table: its numbers.
        points: of its longest line, or its rows; 0 where they are counted as drawn.
        keys: its devices, where the drawing does not name them.
        up: what its upright axis counts, which a drawing of lines does not say.
    """

    id: str
    title: str
    description: str
    chart: Callable[[Size], Chart]
    caption: str = ""
    badges: tuple[Badge, ...] = ()
    table: Table | None = None
    points: int = 0
    keys: tuple[Key, ...] = ()
    up: str = ""

    def drawing(self, size: Size, prefix: str = "") -> Drawing:
        """The chart at one size; `prefix` begins its ids and is unique within the page."""
        return draw(
            lambda _: self.chart(size),
            size.width,
            prefix=prefix or self.id,
            title=self.title,
            description=self.description,
        )

    def figure(self, size: Size, narrow: Size | None = None) -> Figure:
        """The figure of a page or a slide; `narrow` is drawn instead where there is little room."""
        return Figure(
            id=self.id,
            title=self.title,
            caption=self.caption,
            panels=(self.panel(size, narrow),),
            keys=self.keys,
            badges=self.badges,
            table=self.table,
        )

    def panel(self, size: Size, narrow: Size | None = None, title: str = "") -> Panel:
        """The chart as one of several of a figure; `narrow` as in `figure`."""
        phone = self.drawing(narrow, f"{self.id}-n") if narrow else None
        return Panel(self.drawing(size, f"{self.id}-w"), phone, title=title)


Shown = HeroFigure | Gallery | Code
"""What a hero shows: a chart, or samples of what a model saw, or what it wrote."""


@dataclass(frozen=True)
class Hero:
    """What a benchmark found.

    Attributes:
        title: the finding as a sentence, without a full stop.
        answer: one sentence or two with the numbers behind it.
        figures: one to three, the most telling first; never none.
        note: how to read them, and what weakens them.
        numbers: up to four that matter.
        small: what the card of the front page shows instead of the first figure.
        brief: the finding for that card, where it is not the title; without a full stop.
        undecided: whether the finding is that nothing was decided, or nothing measured.
        findings: what each figure shows, as the title of a slide of its own; without them the
            first figure has the hero's title, and the others have the answer.
        kicker: model, parameters, data set and source, in one line.
    """

    title: str
    answer: str
    figures: tuple[Shown, ...]
    numbers: tuple[LargeNumber, ...]
    note: str = ""
    small: Shown | None = None
    brief: str = ""
    undecided: bool = False
    findings: tuple[str, ...] = ()
    kicker: str = ""

    @property
    def thumbnail(self) -> Shown:
        """What the card of the front page shows."""
        return self.small or self.figures[0]

    @property
    def sentence(self) -> str:
        """The finding in one sentence for that card."""
        return f"{self.brief or self.title}."

    @property
    def unmeasured(self) -> bool:
        """Whether nothing has a time: all it shows is how to measure it."""
        return self.undecided and not self.numbers

    def shown(self) -> list[tuple[str, Shown]]:
        """Each figure with what it shows, as a sentence without a full stop."""
        others = self.answer.rstrip(".")
        known = self.findings or (self.title, *(others for _ in self.figures[1:]))
        return list(zip(known, self.figures, strict=True))

    def opening(self) -> Section:
        """What stands in the first screen of the page, below its heading."""
        sizes = figure_sizes(len(self.figures))
        shown = tuple(
            each.figure(size, ON_A_PHONE) if isinstance(each, HeroFigure) else each
            for each, size in zip(self.figures, sizes, strict=True)
        )
        numbers = (LargeNumbers(self.numbers[:MOST_NUMBERS]),) if self.numbers else ()
        return Section("answer", self.title, (*shown, *numbers), finding=self.note)


def figure_sizes(count: int) -> Sequence[Size]:
    """Sizes of one, two or three figures side by side on a page of 1280 px."""
    return [Size(width, _HEIGHT) for width in _WIDTHS[count]]
