"""The report as plain values: what stands on each page, every string already formatted.

Pages are built from a handful of blocks (prose, tables, figures, facts, code, notes, a
gallery of samples, downloads). Templates lay blocks out and decide nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

from markupsafe import Markup

from accelreport.report.theme import KeyShape

Tone = Literal["plain", "loud", "bad", "good", "quiet"]
LineRole = Literal["value", "interval", "detail", "reason", "dash"]


@dataclass(frozen=True)
class Badge:
    """A mark on a number, and the sentence it stands for."""

    text: str
    meaning: str
    tone: Tone | str = "loud"


@dataclass(frozen=True)
class Line:
    """A line of a table cell."""

    text: str
    role: LineRole = "value"
    href: str = ""
    title: str = ""
    """The whole of what `text` begins."""


@dataclass(frozen=True)
class Strip:
    """An interval against what is required of it, in percent of the strip's width."""

    low: float
    value: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    """The bounds, each with its text; of a ratio those of its column's axis."""
    allowed: tuple[float, float] | None = None
    """What lies within them, up to the edge where one is missing; None of a ratio."""
    open: bool = False
    """Whether it is an interval of 90 %, whose ends are drawn open."""


@dataclass(frozen=True)
class Measure:
    """A number that decides something, in parts."""

    place: str
    value: str
    rest: str
    strip: Strip | None = None


@dataclass(frozen=True)
class Entry:
    """A table cell: one or more lines, and where the evidence is."""

    lines: tuple[Line, ...]
    href: str = ""
    badges: tuple[Badge, ...] = ()
    heat: int | None = None
    """A bin of the ramp."""
    ramp: Literal["h", "c"] = "h"
    """"h" goes from slower to faster, "c" from few to many."""
    mark: str = ""
    """An extra class from a closed list: "baseline", "absent", "wrong"."""
    more: tuple[Line, ...] = ()
    """Lines that a reader has to open."""
    more_title: str = ""
    """What opens them."""
    bar: tuple[int, ...] = ()
    """Parts of a whole, drawn as a bar before the lines."""
    tag: Badge | None = None
    """A verdict, before the lines."""
    measures: tuple[Measure, ...] = ()
    """Numbers with their strips, before the lines."""
    strip: Strip | None = None


def entry(*lines: Line | str, **rest: Any) -> Entry:
    """A table cell of these lines; a text is a value. `rest` are the other fields of an `Entry`."""
    return Entry(tuple(Line(line) if isinstance(line, str) else line for line in lines), **rest)


def under(text: str, role: LineRole = "reason") -> tuple[Line, ...]:
    """A line below the value of a cell; none where there is no text."""
    return (Line(text, role),) if text else ()


@dataclass(frozen=True)
class Column:
    """A table column; `device`, its number, makes a small key before its title.

    `wide` gives it a quarter of a table of sentences, however short its own are. `ticks` are the
    axis of its strips.
    """

    title: str
    detail: str = ""
    number: bool = False
    device: int | None = None
    wide: bool = False
    ticks: tuple[tuple[float, str], ...] = ()


def number_columns(titles: Iterable[str]) -> tuple[Column, ...]:
    """A column of numbers for each title."""
    return tuple(Column(title, number=True) for title in titles)


@dataclass(frozen=True)
class Facets:
    """What a reader may filter rows by, in words of the page; a row may have several of each."""

    device: tuple[str, ...] = ()
    verdict: tuple[str, ...] = ()
    provenance: tuple[str, ...] = ()


@dataclass(frozen=True)
class Row:
    """A table row; the first cell is its header."""

    header: Entry
    entries: tuple[Entry, ...]
    id: str = ""
    device: int | None = None
    facets: Facets = Facets()


def table_row(*cells: Entry | Line | str, id: str = "", device: int | None = None,  # noqa: A002
              facets: Facets = Facets()) -> Row:  # fmt: skip
    """A row of these cells, the first of them its header; a text or a line is a cell of its own."""
    header, *entries = (cell if isinstance(cell, Entry) else entry(cell) for cell in cells)
    return Row(header, tuple(entries), id, device, facets)


@dataclass(frozen=True)
class RowGroup:
    """Rows under one heading (none when it is empty)."""

    rows: tuple[Row, ...]
    title: str = ""
    id: str = ""
    href: str = ""
    detail: str = ""


@dataclass(frozen=True)
class Download:
    """A file beside the page, or within it."""

    href: str
    """Empty where there is a reason, told in `detail`, that nothing can be had."""
    text: str
    detail: str = ""
    name: str = ""
    """What the file is to be called, where its address does not say it."""
    id: str = ""


@dataclass(frozen=True)
class Table:
    """A table with its title, and the caption that says how to read it."""

    id: str
    title: str
    columns: tuple[Column, ...]
    groups: tuple[RowGroup, ...]
    caption: str = ""
    corner: str = ""
    notes: tuple[str, ...] = ()
    style: Literal["plain", "matrix", "ranks", "prose", "prose verdicts"] = "plain"
    folded: bool = False
    """Whether a reader has to open it."""
    legend: bool = False
    """Whether the key of the heat bins stands under it."""
    download: Download | None = None
    badges: tuple[Badge, ...] = ()
    kind: Literal["table"] = "table"


@dataclass(frozen=True)
class Key:
    """An entry of a legend drawn in HTML."""

    text: str
    colour: str
    """Name of a CSS custom property without the dashes, such as "s0"."""
    shape: KeyShape = "dot"
    device: int | None = None
    """The number of the device that it names."""


@dataclass(frozen=True, eq=False)
class Drawing:
    """A chart that is yet to be drawn, and is made when somebody first asks for it."""

    make: Callable[[], Mapping[str, Any]]
    """Makes its Vega-Lite specification."""
    prefix: str
    """Unique within the page; its ids begin with it."""
    title: str
    """Its name for a screen reader."""
    description: str
    """What it shows, in a sentence."""

    @cached_property
    def spec(self) -> Mapping[str, Any]:
        """Its Vega-Lite specification."""
        return self.make()


@dataclass(frozen=True)
class Panel:
    """One drawing; `narrow` replaces `wide` where there is little room, and `full` where much."""

    wide: Drawing
    narrow: Drawing | None = None
    full: Drawing | None = None
    title: str = ""
    kind: Literal["panel"] = "panel"


@dataclass(frozen=True)
class Figure:
    """Drawings that belong together, with what a reader needs to understand them."""

    id: str
    title: str
    caption: str
    panels: tuple[Panel, ...]
    subtitle: str = ""
    """What the axes are, where the drawings do not say it themselves."""
    keys: tuple[Key, ...] = ()
    named: bool = False
    """Whether its wide drawings name all lines, so that the keys are for the narrow ones alone."""
    shared: Drawing | None = None
    """What a link preview shows of it."""
    badges: tuple[Badge, ...] = ()
    table: Table | None = None
    data: Table | None = None
    """The numbers it shows, for its files: its own table, or one that stands after it."""
    downloads: tuple[Download, ...] = ()
    kind: Literal["figure"] = "figure"

    @property
    def drawings(self) -> tuple[Drawing, ...]:
        """The wide drawing of each panel."""
        return tuple(panel.wide for panel in self.panels)


@dataclass(frozen=True)
class Prose:
    """A paragraph."""

    text: str
    kind: Literal["prose"] = "prose"


@dataclass(frozen=True)
class LayerBox:
    """A layer of a network, or several without weights, as a box."""

    kinds: tuple[str, ...]
    shape: str
    settings: str
    weights: str
    """How many; empty where it has none."""
    width: int
    height: int
    """Of the box in pixels."""
    sheets: int
    """How many such boxes stand behind one another, one for each channel up to a few."""


@dataclass(frozen=True)
class Layers:
    """A network from its input to its output."""

    items: tuple[LayerBox, ...]
    kind: Literal["layers"] = "layers"


@dataclass(frozen=True)
class Fact:
    """A term and what there is to say about it."""

    term: str
    value: str
    href: str = ""


@dataclass(frozen=True)
class Facts:
    """Terms and values."""

    rows: tuple[Fact, ...]
    title: str = ""
    id: str = ""
    long: bool = False
    """Whether the values are sentences, which read better one under another."""
    inline: bool = False
    """Whether the values are a few words, which read well behind one another."""
    href: str = ""
    """Where there is more of it."""
    kind: Literal["facts"] = "facts"


@dataclass(frozen=True)
class Token:
    """A piece of code and what it is."""

    text: str
    role: Literal["", "key", "text", "note", "head"] = ""


@dataclass(frozen=True)
class Code:
    """Code or a log, verbatim."""

    title: str
    tokens: tuple[Token, ...]
    folded: bool = False
    wrapped: bool = False
    """Whether long lines are broken instead of running out of sight."""
    kind: Literal["code"] = "code"


@dataclass(frozen=True)
class Note:
    """A failure, an absence or a warning: what, why, and what to do."""

    title: str
    text: str
    remedy: str = ""
    where: tuple[Download, ...] = ()
    tone: Tone = "plain"


@dataclass(frozen=True)
class Notes:
    """Notes under one another."""

    items: tuple[Note, ...]
    title: str = ""
    kind: Literal["notes"] = "notes"


@dataclass(frozen=True)
class Picture:
    """A sample prediction."""

    source: str
    """A `data:` address of a PNG."""
    width: int
    height: int
    true: str
    predicted: str
    probability: str
    wrong: bool


@dataclass(frozen=True)
class Gallery:
    """Sample predictions, and the rule by which they were chosen."""

    pictures: tuple[Picture, ...]
    rule: str
    badges: tuple[Badge, ...] = ()
    href: str = ""
    """The page of the run they are from."""
    title: str = ""
    kind: Literal["gallery"] = "gallery"


@dataclass(frozen=True)
class Downloads:
    """Files beside the page."""

    items: tuple[Download, ...]
    kind: Literal["downloads"] = "downloads"


@dataclass(frozen=True)
class RawTable:
    """Plain values in rows, the first column being the header: cheap, for raw data.

    With `words`, the values are sentences, which begin at the left. A folded one is opened by its
    title, so that a browser lays its rows out only when they are read.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    words: bool = False
    folded: bool = False
    kind: Literal["raw"] = "raw"


@dataclass(frozen=True)
class Sparkline:
    """A small drawing."""

    drawn: Markup
    up: tuple[str, ...]
    """Texts of its upright axis from the top, as far from each other."""
    kind: Literal["sparkline"] = "sparkline"


@dataclass(frozen=True)
class Link:
    """A line that leads to a page: its title, one number of it with what that is, its interval."""

    title: str
    href: str
    number: str
    what: str
    interval: str = ""


@dataclass(frozen=True)
class Links:
    """Lines in columns."""

    items: tuple[Link, ...]
    kind: Literal["links"] = "links"


@dataclass(frozen=True)
class Unit:
    """One thing of many, by its state."""

    text: str
    href: str
    state: str
    """A name from a closed list, by which the style sheet draws it."""
    verdict: str
    """The state in words."""
    number: str = ""
    """The values that decide it."""
    note: str = ""
    """What is said of its data."""


@dataclass(frozen=True)
class UnitRow:
    """Squares of one origin, those of one state together; texts where they have no key."""

    title: str
    detail: str
    items: tuple[Unit, ...]
    more: Download | None = None
    """Where those are that a screen does not show."""
    shown: int = 0
    """How many of them a screen shows; 0 for all."""


@dataclass(frozen=True)
class Units:
    """A square for each of many things, in rows."""

    rows: tuple[UnitRow, ...]
    keys: tuple[tuple[str, str, int], ...]
    """State, what it means, and how many are in it."""
    kind: Literal["units"] = "units"

    @property
    def items(self) -> tuple[Unit, ...]:
        """The squares of all rows."""
        return tuple(unit for row in self.rows for unit in row.items)


Block = (
    Prose
    | Table
    | Figure
    | Facts
    | Layers
    | Code
    | Notes
    | Gallery
    | Downloads
    | RawTable
    | Sparkline
    | Links
    | Units
)


@dataclass(frozen=True)
class Speech:
    """What a presenter says with a slide, and where its numbers come from.

    Attributes:
        spoken: one or two sentences to speak.
        sentences: what they rest on, to answer questions with.
        sources: pages that hold the numbers.
    """

    spoken: tuple[str, ...]
    sentences: tuple[str, ...]
    sources: tuple[Download, ...] = ()


@dataclass(frozen=True)
class Section:
    """A part of a page: its topic, what was found, and the blocks that show it."""

    id: str
    title: str
    blocks: tuple[Block, ...]
    finding: str = ""
    speech: Speech | None = None
    """The presenter's notes, where it is a slide."""
    folded: bool = False
    """Whether a reader has to open it: what is looked up and not read."""
    opened: bool = False
    """Whether a reader finds a folded section open, because something in it failed."""
    detail: str = ""
    """What was found, as a number or a few words, beside the title."""


@dataclass(frozen=True)
class Notice:
    """Something said before any number: the data are synthetic, totals are extrapolated."""

    title: str
    text: str


@dataclass(frozen=True)
class Page:
    """A page."""

    path: str
    """Where it lies below the site's root, with "/" between folders."""
    title: str
    finding: str
    sections: tuple[Section, ...]
    template: str
    kicker: str = ""
    description: str = ""
    """For a search engine and a link preview; its headline and its finding unless it is given."""
    id: str = ""
    """Its id where several pages stand in one file."""
    image: str = ""
    """A picture of it for link previews, from the site's root."""
    measured_on: str = ""
    """The machines of its numbers in a few words."""
    headline: str = ""
    """The heading of the page, where it is not the title."""
    verdict: str = ""
    """What is decided of the claim that is the heading."""
    byline: tuple[Fact, ...] = ()
    banner: Notice | None = None
    """What a reader must know before the heading."""
    notices: tuple[Notice, ...] = ()
    record: str = ""
    """The heading over its folded sections, which are lines of one table; empty where each of them
    stands by itself."""
    crumbs: tuple[Download, ...] = ()
    related: tuple[Download, ...] = ()
    """Other forms of the page, such as its slides; like the crumbs from the site's root."""
    speech: Speech | None = None
    """The presenter's notes to its first slide, where it is a deck."""
    opening: Section | None = None
    """What stands in its first screen, below the heading: its figures side by side, and what
    they say (the section's finding)."""

    def __post_init__(self) -> None:
        """Sets what follows from the rest, so that a page made of this one keeps it."""
        description = self.description or ". ".join(
            filter(None, (self.headline and self.decided, self.finding))
        )
        object.__setattr__(self, "description", description)

    @property
    def decided(self) -> str:
        """The heading with its verdict, where it stands in a line of text."""
        return f"{self.headline or self.title}{f', {self.verdict}' * bool(self.verdict)}"

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Every figure on it."""
        opening = (self.opening,) if self.opening else ()
        blocks = (block for section in (*opening, *self.sections) for block in section.blocks)
        return tuple(block for block in blocks if isinstance(block, Figure))

    @property
    def drawings(self) -> Iterator[tuple[Figure, Drawing]]:
        """Every drawing on it, in each width, with its figure."""
        for figure in self.figures:
            for panel in figure.panels:
                widths = (panel.wide, panel.narrow, panel.full)
                yield from ((figure, drawing) for drawing in widths if drawing)

    def with_sections(self, change: Callable[[Section], Section]) -> Page:
        """The page with each of its sections changed, the opening too."""
        return replace(
            self,
            opening=change(self.opening) if self.opening else None,
            sections=tuple(map(change, self.sections)),
        )

    @property
    def root(self) -> str:
        """What leads from the page to the site's root: "" or "../"."""
        return "../" * self.path.count("/")
