"""Rows of named marks, and what the marks mean."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from accelreport.report.charts.drawing import DeviceStyle
from accelreport.report.quantity import SPACE

HELD = 2.0
"""Multiple of a base that its axis always holds, so that nearly equal values look so."""
NARROW = 0.015
"""Share of the longest bar below which an interval is in words: its ends would be a blot."""
FROM_ZERO = 20.0
"""The largest value over the smallest, below which bars from zero show both."""


@dataclass(frozen=True)
class Dot:
    """A mark and, unless it is joined, the row that begins with it.

    Attributes:
        name: of the row.
        detail: below the name, such as where the number is from: "measured", "published 2018".
        device: from which its colour and its shape follow.
        value: positive.
        text: the value with its unit, beside the mark; empty where the mark has none.
        owner: before the text, what the value is of, where the row has marks of several.
        low: of its interval, also 0 or less; the value itself where there is none.
        high: of its interval.
        published: whether a source printed it.
        flagged: why it cannot be; empty where it can.
        hollow: why it is less than a whole measurement with an interval; empty where it is one.
        joined: whether it is in the row of the mark before it, whose name it shares.
        beside: ratios of the value, behind its text; over a base, what is before it in grey.
        brief: the text without its unit; empty where that is the text.
        ratio: those of its ratios that a slide and a telephone have.
        is_base: whether it is what its row is compared with: a bar as high as the row.
        rest: at the right end of its row: how many marks it leaves out.
        group: what its row and its neighbours have in common, above the first of them.
        span: its interval in words, without its unit.
        worded: whether these are behind its text, as its interval is too narrow to be drawn.
        quiet: whether its text is not bold, because it is not the number of the title.
    """

    name: str
    detail: str
    device: DeviceStyle
    value: float
    text: str
    low: float
    high: float
    published: bool = False
    flagged: str = ""
    hollow: tuple[str, ...] = ()
    joined: bool = False
    beside: str = ""
    brief: str = ""
    ratio: str = ""
    is_base: bool = False
    rest: str = ""
    owner: str = ""
    group: str = ""
    span: str = ""
    worded: bool = False
    quiet: bool = False

    @property
    def whole_text(self) -> str:
        """The text with what it is of, and its ratios."""
        return " · ".join(filter(None, (f"{self.owner} {self.text}".strip(), self.beside)))

    @property
    def has_text(self) -> bool:
        """Whether it has a text, which a limit's columns may have beside it alone."""
        return bool(self.text or (self.owner and self.beside))

    @property
    def short(self) -> Dot:
        """The same as a slide and a telephone have it."""
        return replace(self, text=self.brief or self.text, beside=self.ratio)


@dataclass(frozen=True)
class Base:
    """A value that all rows are compared with, at which a line is drawn.

    Attributes:
        value: positive.
        name: above the line; a base without a name has nothing above it.
        below, above: what a smaller and a larger value mean. A chart without a smaller value has
            no room for any; where there is one, their ground is shaded.
        limit: whether no value is larger. Then bands are grey, and ticks powers of ten.
    """

    value: float = 1.0
    name: str = ""
    below: str = ""
    above: str = ""
    limit: bool = False

    @property
    def held(self) -> tuple[float, ...]:
        """What the axis always holds."""
        if self.limit:
            return (self.value,)
        return self.value / HELD if self.below else self.value, self.value * HELD

    def shades(self, at: float, align: str) -> bool:
        """Whether a text at that side of a value is on the ground of smaller values."""
        return at < self.value or (at == self.value and align == "right")


def from_zero(dots: Sequence[Dot]) -> bool:
    """Whether rows that are compared with no base are bars from zero."""
    values = [dot.value for dot in dots]
    return max(values) < FROM_ZERO * min(values) and not any(dot.joined for dot in dots)


def as_bars(dots: Sequence[Dot], longest: float) -> list[Dot]:
    """Rows as bars: an interval that is too narrow for a line is in words behind its number.

    Args:
        dots: some rows.
        longest: the largest value of all rows.
    """

    def is_narrow(dot: Dot) -> bool:
        return bool(dot.span) and 0 < dot.high - dot.low < NARROW * longest

    return [
        replace(
            dot,
            text=f"{dot.text} ({dot.span})",
            brief=f"{dot.brief or dot.text} ({dot.span})",
            low=dot.value,
            high=dot.value,
            worded=True,
        )
        if is_narrow(dot)
        else dot
        for dot in dots
    ]


def marks_text(dots: Sequence[Dot], *, bars: bool, solid: str = "measured") -> str:
    """The marks that a chart has, and what they mean.

    Args:
        dots: its rows.
        bars: whether they are bars.
        solid: what a mark is that is neither published nor hollow.
    """
    own = [dot for dot in dots if not dot.published]
    hollow = " or ".join(why_hollow(own))
    published = "published" * any(dot.published for dot in dots)
    several = (published or hollow) and not all(dot.hollow for dot in own)
    looks = [("●", solid if several else ""), ("○", hollow), ("◇", published)]
    if bars:
        looks = [("outline:", published), ("pale:", hollow)]
    marks = [f"{mark} {text}" for mark, text in looks if text]
    marks += ["✕ above the peak"] * any(dot.flagged for dot in dots)
    text = " · ".join(filter(None, [*marks, intervals_text(dots)]))
    return f"{text[:1].upper()}{text[1:]}." if text else ""


def intervals_text(dots: Iterable[Dot]) -> str:
    """What lines at marks are, and brackets behind numbers; empty where there is neither."""
    shown = ["lines"] * any(dot.low < dot.high for dot in dots)
    shown += ["brackets"] * any(dot.worded for dot in dots)
    return f"{' and '.join(shown)}: 95{SPACE}% intervals" * bool(shown)


def why_hollow(dots: Iterable[Dot]) -> list[str]:
    """Why some of the marks are hollow, or bars pale."""
    return list(dict.fromkeys(why for dot in dots if not dot.published for why in dot.hollow))


def brief_marks(dots: Sequence[Dot], *, bars: bool) -> str:
    """The same in the few words of a slide: "pale: stopped by the budget"."""
    why = " or ".join(why_hollow(dots))
    sign = "pale:" if bars else "○"
    return f"{sign} {why}" if why else ""


Line = tuple[str, Mapping[str, Any]]
"""A text and its look."""


@dataclass(frozen=True)
class Row:
    """A name with its marks, in pixels from the top of the chart.

    Attributes:
        dots: the marks.
        head: lines of its name and of its detail.
        top, bottom: its edges.
        group: the name above it where it is the first row of its group.
        marks_top: where its marks begin, below a name that is above them.
    """

    dots: Sequence[Dot]
    head: Sequence[Line]
    top: float
    bottom: float
    marks_top: float
    group: str

    @property
    def lines(self) -> list[float]:
        """Where each mark is. A mark without a text is on the line of the next one that has one."""
        count = lanes(self.dots)
        pitch = (self.bottom - self.marks_top - 2) / max(count, 2)
        first = (self.marks_top + self.bottom - pitch * (count - 1)) / 2
        named = [0, *(dot.has_text and not dot.is_base for dot in self.dots)]
        return [first + pitch * min(sum(named[: n + 1]), count - 1) for n in range(len(self.dots))]


def lanes(dots: Sequence[Dot]) -> int:
    """How many lines the marks of a row need: each text has its own."""
    return max(1, sum(dot.has_text and not dot.is_base for dot in dots))
