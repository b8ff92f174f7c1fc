"""Altair in the type and the colours of the site, and what all its charts share.

A chart is a function of its width that gives an Altair chart. Its rows name the device of each
mark, and a mark shows its values when it is pointed at. Colours are named as `var(--…)`, which
makes a drawing follow the page from light to dark. Nothing is ever fetched.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partialmethod
from typing import Any, Protocol, TypeAlias

import altair as alt

from accelreport.report.charts.scales import Axis, Scale, ticked
from accelreport.report.model import Drawing
from accelreport.report.text import text_width
from accelreport.report.theme import DASHES, FONT, HALO, series

WIDE = 768
"""Width in pixels of a chart that is alone in a page: its letters are as large as the page's, and
not too small on a tablet and on paper."""
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

_SOFT = {"labelColor": "var(--soft)", "titleColor": "var(--soft)", "titleFontWeight": "normal"}
THEME: dict[str, Any] = {
    "background": "transparent",
    "font": FONT,
    "padding": {"left": LEFT, "right": RIGHT, "top": 4, "bottom": 2},
    "view": {"stroke": None},
    "aria": False,
    "axis": _SOFT
    | {"labelFontSize": LABEL_SIZE, "titleFontSize": LABEL_SIZE, "titlePadding": 8}
    | {"labelPadding": 5, "labelLimit": LONGEST, "tickSize": 4, "gridColor": "var(--grid)"}
    | {"domainColor": "var(--rule)", "tickColor": "var(--rule)"},
    "legend": {"disable": True},
    "title": {"anchor": "start", "color": "var(--ink)", "fontSize": 14},
    "text": {"fill": "var(--ink)", "fontSize": LABEL_SIZE},
    "rule": {"stroke": "var(--ink)"},
    "line": {"strokeWidth": 2.25, "strokeCap": "round", "strokeJoin": "round"},
    "point": {"filled": True, "opacity": 1},
}
"""The theme of a drawing; the page has the ground and the legend."""


class DeviceStyle(Hashable, Protocol):
    """How a device looks in every chart, unlike all others; a page's `Series` is one."""

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


def device_fields(device: DeviceStyle) -> dict[str, Any]:
    """Fields of a row that say how a device's marks and lines look, for the channels below."""
    return {
        "device": f"{device.colour}-{device.pattern}",
        "colour": series(device.colour),
        "dash": device.pattern % len(DASHES),
    }


COLOUR = {"color": alt.Color("colour:N", scale=None)}
LINE_OF_ITS_OWN = COLOUR | {"detail": alt.Detail("device:N")}
"""Of lines: a device has a line of its own, also beside another one of its colour."""
_DASHES = Scale(domain=[*range(len(DASHES))], range=[*map(list, DASHES)])


def dashed(devices: Iterable[DeviceStyle]) -> dict[str, Any]:
    """The channel of dashes, where a line has one."""
    some = any(device.pattern for device in devices)
    return {"strokeDash": alt.StrokeDash("dash:O", scale=_DASHES)} if some else {}


def distinct(names: Sequence[str]) -> list[str]:
    """The names, with a number behind each that was there before: a row is known by its name."""
    counts: Counter[str] = Counter()
    numbered = []
    for name in names:
        counts[name] += 1
        numbered.append(name if counts[name] == 1 else f"{name} ({counts[name]})")
    return numbered


Rows: TypeAlias = Sequence[Mapping[str, Any]]


def rows(values: Rows) -> Rows:
    """Rows of JSON values. A number that no axis can hold becomes None, which is a gap."""
    return [
        {
            name: None if isinstance(value, float) and not drawable(value) else value
            for name, value in row.items()
        }
        for row in values
    ]


def drawable(value: float) -> bool:
    """Whether an axis can hold a number: it is finite, and the length of an axis with it is."""
    return abs(value) <= MOST_DRAWN


def marked(device: DeviceStyle | None, text: str, line: str = "") -> dict[str, Any]:
    """Fields of a row by which a reader knows its mark, and the look of its device.

    Args:
        device: in whose colour it is, and which a page can set off in all its figures; None for
            what belongs to no device.
        text: what its point or bar shows when it is pointed at.
        line: what its line shows when it is pointed at.
    """
    number = "" if device is None else str(device.colour)
    known = {POINT: f"{number}|{text}", LINE: f"{number}|{line}"}
    return known if device is None else known | device_fields(device)


POINT, LINE = "point", "line"
"""Fields of a row: the device of a point or bar, and of a line or text, and after a stroke the text
that it shows when it is pointed at."""


@dataclass(frozen=True, eq=False)
class Layer:
    """A layer of a chart.

    Altair's own layers are copied with all axes and scales whenever they are put together, which
    took longer than everything else.

    Attributes:
        rows: what is drawn.
        mark: how, in Vega-Lite's form.
        channels: what each channel shows.
    """

    rows: Rows
    mark: Mapping[str, Any] = field(default_factory=dict)
    channels: Mapping[str, Any] = field(default_factory=dict)

    def _marked(self, kind: str, **properties: Any) -> Layer:
        return replace(self, mark={"type": kind, **properties})

    mark_area = partialmethod(_marked, "area")
    mark_line = partialmethod(_marked, "line")
    mark_point = partialmethod(_marked, "point")
    mark_rect = partialmethod(_marked, "rect")
    mark_rule = partialmethod(_marked, "rule")
    mark_text = partialmethod(_marked, "text")

    def encode(self, **channels: Any) -> Layer:
        """The layer with further channels."""
        return replace(self, channels={**self.channels, **channels})

    @property
    def pointed(self) -> dict[str, Any]:
        """The channel of a mark's device and of the text that it shows when it is pointed at."""
        if not self.rows or POINT not in self.rows[0]:
            return {}
        key = POINT if self.mark["type"] in {"point", "rect"} else LINE
        return {"description": {"field": key, "type": "nominal"}}


@dataclass(frozen=True, eq=False)
class Chart:
    """Layers from the back to the front; those without rows are left out.

    Attributes:
        layers: what is drawn.
        width: of the plot, in pixels.
        height: of the plot, in pixels.
    """

    layers: Sequence[Layer]
    width: float
    height: float

    def to_dict(self) -> dict[str, Any]:
        """The specification.

        Only the first of several layers that share a channel has its axis and its scale, because
        Vega-Lite compares them property by property.
        """
        shown = [layer for layer in self.layers if layer.rows]
        sets = {id(layer.rows): layer.rows for layer in shown}
        names = {own: f"data-{number}" for number, own in enumerate(sets)}
        written: dict[int, dict[str, Any]] = {}
        known: dict[tuple[str, str], Any] = {}
        layers = []
        for layer in shown:
            encoding: dict[str, Any] = {}
            for channel, value in layer.channels.items():
                if id(value) not in written:
                    written[id(value)] = _channel(value)
                encoding[channel] = _unrepeated(
                    channel, dict(written[id(value)]), layer.mark, known
                )
            layers.append(
                {
                    "data": {"name": names[id(layer.rows)]},
                    "mark": dict(layer.mark),
                    "encoding": encoding | layer.pointed,
                }
            )
        return {
            "config": THEME,
            "layer": layers,
            "width": self.width,
            "height": self.height,
            "$schema": alt.SCHEMA_URL,
            "datasets": {names[own]: values for own, values in sets.items()},
        }


_PLAIN = ["axis", "scale"]
"""Parts of a channel that are plain Vega-Lite already. Altair would inspect every value in them."""


def _channel(channel: Any) -> dict[str, Any]:
    """A channel in Vega-Lite's form."""
    written: dict[str, Any] = channel.to_dict(validate=False, ignore=_PLAIN)
    for part in _PLAIN:
        with suppress(KeyError):  # few channels have both
            if channel[part] is not alt.Undefined:
                written[part] = channel[part]
    return written


_STACKED = {"area", "bar"}
"""Marks that Vega-Lite may stack: each of them needs its own scale."""


def _unrepeated(
    channel: str, own: dict[str, Any], mark: Mapping[str, Any], known: dict[tuple[str, str], Any]
) -> dict[str, Any]:
    """A channel without the axis and scale of an earlier layer; `known` collects the first ones."""
    for part in ("axis",) if mark["type"] in _STACKED else ("axis", "scale"):
        # Null is written each time: it holds for its own layer alone.
        if own.get(part) is None:
            continue
        if (channel, part) not in known:
            known[channel, part] = own[part]
        elif known[channel, part] == own[part]:
            # An axis without values has a number of ticks, which would count for all layers.
            own[part] = {name: own[part][name] for name in {"values"} & own[part].keys()}
    return own


def left_axis(values: Sequence[float], text: Callable[[float], str]) -> Axis:
    """A vertical axis of numbers, whose title is the figure's subtitle."""
    room = extent([text(value) for value in values])
    return ticked(values, text, title=None, domain=False, ticks=False, **room)


def extent(left: Sequence[str]) -> dict[str, float]:
    """Properties of a vertical axis whose labels take as much room as they need.

    Vega could fit a chart into its width itself. It then lays everything out twice, and as
    measuring text is most of its work, that takes half as long again.
    """
    room = _room(left)
    return {"minExtent": room, "maxExtent": room}


def _room(left: Sequence[str]) -> float:
    longest = max((text_width(text, LABEL_SIZE) for text in left), default=0.0)
    return round(min(1.03 * longest, float(LONGEST)) + BESIDE, 1)


def inner_width(width: int, left: Sequence[str]) -> float:
    """Pixels between the axes of a chart of a given width, whose vertical labels are known."""
    return round(width - _room(left) - LEFT - RIGHT, 1)


def halo(text: Layer, **mark: Any) -> Layer:
    """A layer of text on ground in the colour of the page.

    `page_svg` writes SVG's `paint-order`, by which an outline is behind its letter; Vega does not.
    """
    outlined: Layer = text.mark_text(**HALO | mark)
    return outlined


def text_layers(
    texts: Iterable[tuple[Mapping[str, Any], Mapping[str, Any]]], **channels: Any
) -> list[Layer]:
    """Texts at their places: those of one look are a layer, since a shift belongs to its mark.

    Args:
        texts: rows with a "label", and the properties of their marks.
        channels: where they are.
    """
    looks: dict[tuple[tuple[str, Any], ...], list[Mapping[str, Any]]] = {}
    for row, look in texts:
        looks.setdefault(tuple(look.items()), []).append(row)
    label = alt.Text("label:N")
    return [
        Layer(rows(own)).mark_text(**dict(look)).encode(**channels, text=label)
        for look, own in looks.items()
    ]


Make = Callable[[int], Chart]
"""Width in pixels → chart."""


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
        with alt.utils.schemapi.debug_mode(arg=False):
            return make(width).to_dict()

    return Drawing(spec, prefix, title, description)
