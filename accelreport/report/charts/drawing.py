"""Altair in the type and the colours of the site, and what all its charts share.

A chart is a function of its width that gives an Altair chart: its rows say which device is
which, and pointing at a mark tells its values. Colours are named as `var(--…)`, which makes a
drawing follow the page from light to dark. Nothing is ever fetched.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Literal, Protocol, TypeAlias

import altair as alt

from accelreport.report.charts.scales import Axis, Scale, ticked
from accelreport.report.model import Drawing
from accelreport.report.text import text_width
from accelreport.report.theme import DASHES, FONT, HALO, SERIES_LIGHT, series, shape

Chart: TypeAlias = "alt.LayerChart | alt.FacetChart | alt.HConcatChart | alt.VConcatChart"
Make = Callable[[int], Chart]
"""Width in pixels → chart."""

WIDE = 860
"""Width in pixels of a chart that has a row to itself."""
NARROW = 330
"""Width of a chart on a telephone."""
ROOMY = 500
"""Pixels from which a chart has room for more ticks and longer names."""

LEFT, RIGHT = 2, 6
"""Pixels kept free at both sides of a chart."""
LABEL_SIZE = 12.5
"""Size of the letters of a chart, in pixels."""
MOST_DRAWN = 1e300
"""The largest number on an axis."""
BESIDE = 6.0
"""Gap between a label and its axis."""
LONGEST = 170
"""Pixels that a label of an axis may take."""
LONGEST_HEADING = 800
"""Pixels that a heading over a facet may take."""

_INK: dict[str, Any] = {"labelColor": "var(--ink)", "labelFontSize": LABEL_SIZE}
_SOFT = {"labelColor": "var(--soft)", "titleColor": "var(--soft)", "titleFontWeight": "normal"}
PAPER: dict[str, Any] = {
    "background": "var(--paper)",
    "font": FONT,
    "padding": {"left": LEFT, "right": RIGHT, "top": 4, "bottom": 2},
    "view": {"stroke": None},
    "aria": False,
    "axis": _SOFT
    | {"labelFontSize": LABEL_SIZE, "titleFontSize": LABEL_SIZE, "titlePadding": 8}
    | {"labelPadding": 5, "labelLimit": LONGEST, "tickSize": 4, "gridColor": "var(--grid)"}
    | {"domainColor": "var(--rule)", "tickColor": "var(--rule)"},
    "header": _INK
    | {"labelFontWeight": "bold", "labelAnchor": "start", "labelOrient": "top"}
    | {"labelPadding": 3, "labelLimit": LONGEST_HEADING, "title": None},
    "legend": _INK | {"orient": "top", "labelLimit": 400, "columns": 4, "symbolOpacity": 1},
    "title": {"anchor": "start", "color": "var(--ink)", "fontSize": 14},
    "text": {"fill": "var(--ink)", "fontSize": LABEL_SIZE},
    "rule": {"stroke": "var(--ink)"},
    "line": {"strokeWidth": 2.25, "strokeCap": "round", "strokeJoin": "round"},
    "point": {"filled": True, "opacity": 1},
    "range": {"category": list(SERIES_LIGHT)},
}
"""The theme of a figure that stands alone, with its legend, on a ground of its own."""
IN_PAGE = PAPER | {"background": "transparent", "legend": {"disable": True}}
"""The theme of a drawing in a page, which has the ground and the legend."""

alt.theme.register("accelreport", enable=False)(lambda: {"config": PAPER})
alt.theme.register("accelreport in a page", enable=False)(lambda: {"config": IN_PAGE})


_UNCHECKED = partial(alt.utils.schemapi.debug_mode, arg=False)
"""A test holds our charts against Vega-Lite's schema; doing so in a build would double its time."""


class DeviceStyle(Hashable, Protocol):
    """What tells one device from all others in every chart; a page's `Series` is one."""

    @property
    def title(self) -> str:
        """What it is called."""

    @property
    def colour(self) -> int:
        """Its number, from which colour and mark follow."""

    @property
    def pattern(self) -> int:
        """Which of the theme's dashes its lines have."""


@dataclass(frozen=True)
class Named:
    """A device where there is nothing else to say of it."""

    title: str
    colour: int
    pattern: int = 0


class Devices:
    """The devices of a figure: their names in its rows, and the channels in which they differ.

    Args:
        shown: all of the figure, so that its panels have one legend.
    """

    def __init__(self, shown: Iterable[DeviceStyle]) -> None:
        self._shown = list(dict.fromkeys(shown))
        self._names = dict(
            zip(self._shown, distinct([each.title for each in self._shown]), strict=True)
        )

    def name(self, device: DeviceStyle) -> str:
        """What field `device` of its rows holds."""
        return self._names[device]

    def channels(self, *names: Literal["color", "shape", "strokeDash"]) -> dict[str, Any]:
        """Encodings of field `device`; without that of the dash where no line is dashed."""
        looks: dict[str, tuple[Any, list[Any]]] = {
            "color": (alt.Color, [series(each.colour) for each in self._shown]),
            "shape": (alt.Shape, [shape(each.colour) for each in self._shown]),
            "strokeDash": (alt.StrokeDash, [_dash(each.pattern) for each in self._shown]),
        }
        solid = not any(each.pattern for each in self._shown)
        return {
            name: looks[name][0](
                "device:N",
                title=None,
                scale=Scale(domain=list(self._names.values()), range=looks[name][1]),
            )
            for name in names
            if not (name == "strokeDash" and solid)
        }


def _dash(pattern: int) -> list[float]:
    return list(DASHES[pattern % len(DASHES)])


def distinct(names: Sequence[str]) -> list[str]:
    """The names, with a number behind each that was there before: a row is known by its name."""
    seen: Counter[str] = Counter()
    told = []
    for name in names:
        seen[name] += 1
        told.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return told


class Rows(alt.InlineData):  # type: ignore[misc]  # Altair is not typed here
    """Rows that nobody changes: Altair would copy each of them with every layer."""

    def __deepcopy__(self, _: object) -> Rows:
        return self

    @cached_property
    def name_by_content(self) -> str:
        """What Altair calls them beside the marks; a layer that shares them need not ask again."""
        text = json.dumps(self.values, sort_keys=True)
        return f"data-{hashlib.sha256(text.encode()).hexdigest()[:32]}"


class Layer(alt.Chart):  # type: ignore[misc]  # Altair is not typed here
    """A layer of a chart, of whose parts nobody changes any.

    Altair copies every layer each time that it puts layers together, which it does four times for
    a chart, with all axes and scales in it. What it changes in the copies are attributes of the
    layer itself, and for those a copy of the layer alone will do.
    """

    def copy(self, *_: object, **__: object) -> Layer:
        """A layer of which another attribute may be set."""
        alone = object.__new__(type(self))
        alone.__dict__.update(_args=self._args, _kwds=dict(self._kwds))
        return alone

    __deepcopy__ = copy

    def _compute_hash(self) -> str:
        """No name: Altair makes one of all that a layer shows, which only parameters need."""
        return ""

    def to_dict(
        self, *how: Any, context: dict[str, Any] | None = None, **rest: Any
    ) -> dict[str, Any]:
        """As Altair has it, which takes several times as long.

        It asks of every value whether it is a library's data, and reads every shorthand anew.
        """
        data = self.data
        above = data is alt.Undefined and "data" in (context or {})
        if not context or not (isinstance(data, Rows) or above):
            made: dict[str, Any] = super().to_dict(*how, context=context, **rest)
            return made
        shown = {name: value for name, value in self._kwds.items() if name != "_cached_hash"}
        if isinstance(data, Rows):
            context["datasets"][data.name_by_content] = data.values
            shown["data"] = {"name": data.name_by_content}
        if isinstance(self.mark, str):
            shown["mark"] = {"type": self.mark}
        plain: dict[str, Any] = _plain(shown, context.setdefault("plain", {}))
        return plain


_KINDS = {"Q": "quantitative", "N": "nominal"}
"""Letter of a shorthand → kind of the field."""


def _plain(value: Any, known: dict[int, tuple[Any, Any]]) -> Any:
    """A part of a layer as it stands in JSON; `known` are the parts that layers share, by id."""
    if isinstance(value, alt.SchemaBase):
        if id(value) not in known:
            inside = value._args[0] if value._args else _written_out(value._kwds)
            known[id(value)] = value, _plain(inside, known)
        return known[id(value)][1]
    if isinstance(value, dict):
        return {
            name: _plain(each, known) for name, each in value.items() if each is not alt.Undefined
        }
    if isinstance(value, list | tuple):
        return [_plain(each, known) for each in value]
    return value


def _written_out(channel: dict[str, Any]) -> dict[str, Any]:
    """Properties with field and kind where a shorthand stood."""
    shorthand = channel.get("shorthand", alt.Undefined)
    if shorthand is alt.Undefined:
        return channel
    field, _, letter = shorthand.partition(":")
    told = channel | {"field": field} | ({"type": _KINDS[letter]} if letter else {})
    del told["shorthand"]
    return told


def rows(values: Sequence[dict[str, Any]]) -> Rows:
    """Rows of JSON values. Altair names them by their content and keeps them beside the marks.

    A number that no axis can hold becomes None, which is a gap: JSON has no other word for it.
    """
    with _UNCHECKED():
        return Rows(values=[_drawable(row) for row in values])


def _drawable(row: dict[str, Any]) -> dict[str, Any]:
    if all(not isinstance(value, float) or drawable(value) for value in row.values()):
        return row
    return {
        name: None if isinstance(value, float) and not drawable(value) else value
        for name, value in row.items()
    }


def drawable(value: float) -> bool:
    """Whether an axis can hold a number: it is finite, and the length of an axis with it is."""
    return abs(value) <= MOST_DRAWN


def told(**fields: str) -> list[alt.Tooltip]:
    """What pointing at a mark tells: field → its title; numbers with four digits."""
    words = {"device", "label", "row", "stage", "group"}
    return [
        alt.Tooltip(f"{field}:N", title=title)
        if field in words
        else alt.Tooltip(f"{field}:Q", title=title, format=".4~g")
        for field, title in fields.items()
    ]


def left_axis(values: Sequence[float], text: Callable[[float], str]) -> Axis:
    """A vertical axis of numbers, whose title is the figure's subtitle."""
    room = extent([text(value) for value in values])
    return ticked(values, text, title=None, domain=False, ticks=False, **room)


def extent(left: Sequence[str], limit: int = LONGEST) -> dict[str, float]:
    """Properties of a vertical axis whose labels take as much room as they need.

    Vega could fit a chart into its width itself. It then lays everything out twice, and as
    measuring text is most of its work, that takes half as long again.
    """
    room = _room(left, limit)
    return {"minExtent": room, "maxExtent": room}


def _room(left: Sequence[str], limit: int) -> float:
    longest = max((text_width(text, LABEL_SIZE) for text in left), default=0.0)
    return round(min(1.03 * longest, float(limit)) + BESIDE, 1)


def inner_width(width: int, left: Sequence[str], limit: int = LONGEST) -> float:
    """Pixels between the axes of a chart of a given width, whose vertical labels are known."""
    return round(width - _room(left, limit) - LEFT - RIGHT, 1)


def halo(text: Layer, **mark: Any) -> Layer:
    """A layer of text on ground in the colour of the page.

    `page_svg` writes SVG's `paint-order`, by which an outline is behind its letter; Vega does not.
    """
    made: Layer = text.mark_text(**HALO | mark)
    return made


def draw(make: Make, width: int, *, prefix: str, title: str, description: str) -> Drawing:
    """A chart as it is handed to a page.

    Args:
        make: width in pixels → chart.
        width: pixels.
        prefix: unique within the page.
        title: its name for a screen reader.
        description: what it shows, in a sentence.
    """

    def spec() -> dict[str, Any]:
        with _UNCHECKED(), alt.theme.enable("accelreport in a page"):
            made: dict[str, Any] = make(width).to_dict(validate=False)
            return made

    return Drawing(spec, prefix, title, description)
