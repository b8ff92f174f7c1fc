"""From an Altair chart to a drawing in the page's type and colours.

Everything a chart takes from the theme stands in one configuration (an Altair
`configure` after another one would wipe it), and nothing is ever fetched.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Protocol

import altair as alt

from accelreport.report.charts.layers import Rows, Spec
from accelreport.report.lettering import text_width
from accelreport.report.model import Drawing, Panel
from accelreport.report.theme import DASHES, FONT, series, shape

Make = Callable[[int], Spec]
"""Width in pixels → specification."""

WIDE = 860
"""Width in pixels of a chart that has a row to itself."""
NARROW = 330
"""Width of a chart on a telephone."""

LEFT, RIGHT = 2, 6
"""Pixels kept free at both sides of a chart."""

CONFIG: dict[str, Any] = {
    "background": "transparent",
    "font": FONT,
    "padding": {"left": LEFT, "right": RIGHT, "top": 4, "bottom": 2},
    "view": {"stroke": None},
    "aria": False,
    "axis": {
        "labelColor": "var(--soft)",
        "titleColor": "var(--soft)",
        "labelFontSize": 12.5,
        "titleFontSize": 12.5,
        "titleFontWeight": "normal",
        "titlePadding": 8,
        "labelPadding": 5,
        "gridColor": "var(--grid)",
        "domainColor": "var(--rule)",
        "tickColor": "var(--rule)",
        "tickSize": 4,
        "labelLimit": 170,
    },
    "text": {"fill": "var(--ink)", "fontSize": 12.5},
    "rule": {"stroke": "var(--ink)"},
    "line": {"strokeWidth": 2.25, "strokeCap": "round", "strokeJoin": "round"},
}
"""The one Vega-Lite configuration of the site."""


@cache
def channel(kind: Callable[..., Any], field: str, **properties: Any) -> Spec:
    """A channel that says the same in every chart: made into JSON values once.

    Args:
        kind: Altair's, such as `alt.X2`.
        field: its field, with its type.
        properties: what else it says.
    """
    made: Spec = kind(field, **properties).to_dict(validate=False)
    return made


STROKE, FILL, SHAPE = (
    channel(kind, field, scale=None, legend=None)
    for kind, field in (
        (alt.Stroke, "colour:N"),
        (alt.Fill, "colour:N"),
        (alt.Shape, "shape:N"),
    )
)
"""What a device wears: fields `colour` and `shape` of a row hold what is drawn."""


class Plot:
    """A chart being made: its data stand apart from its marks."""

    def __init__(self) -> None:
        self.datasets: dict[str, list[dict[str, Any]]] = {}
        self._channels: dict[int, tuple[Any, Any]] = {}

    def rows(self, values: list[dict[str, Any]]) -> Rows:
        """Rows that are JSON values already, for layers of this chart."""
        name = f"d{len(self.datasets)}"
        self.datasets[name] = values
        return Rows(name, self._channels)

    def finish(
        self, layers: list[Spec], *, width: int, height: Any, left: Sequence[str], limit: int = 170
    ) -> Spec:
        """The layers as a Vega-Lite specification of a given width.

        Vega could fit a chart into its width itself. It then lays everything out twice, and
        as measuring text is most of its work, that takes half as long again.

        Args:
            layers: the lowest one first.
            width: pixels, labels included.
            height: pixels of the inner part, or {"step": pixels} for each row.
            left: labels of the vertical axis.
            limit: pixels a label may take.
        """
        extent = _extent(left, limit)
        return {
            "$schema": alt.SCHEMA_URL,
            "layer": layers,
            "width": inner_width(width, left, limit),
            "height": height,
            "autosize": {"type": "pad", "contains": "padding"},
            "datasets": self.datasets,
            "config": {**CONFIG, "axisY": {"minExtent": extent, "maxExtent": extent}},
        }


LABEL_SIZE = 12.5
"""Size of the letters of an axis, in pixels."""
BESIDE = 6.0
"""Gap between a label and its axis."""


def _extent(left: Sequence[str], limit: int) -> float:
    """Pixels the labels of a vertical axis take, the gap beside them included.

    Labels count as bold, which headings among them are.
    """
    longest = max((text_width(text, LABEL_SIZE, bold=True) for text in left), default=0.0)
    return round(min(longest, float(limit)) + BESIDE, 1)


def inner_width(width: int, left: Sequence[str], limit: int = 170) -> float:
    """Pixels between the axes of a chart of a given width."""
    return round(width - _extent(left, limit) - LEFT - RIGHT, 1)


def panel_width(panels: int) -> int:
    """Width of one of several charts side by side: two or three fit into the page."""
    return 420 if panels in {2, 4} else 300


class Patterned(Protocol):
    """A line that may be dashed."""

    @property
    def pattern(self) -> int:
        """Which of the theme's dashes."""


def worn(number: int) -> dict[str, Any]:
    """Fields `colour` and `shape` of a row that shows a device."""
    return {"colour": series(number), "shape": shape(number)}


def dash(pattern: int) -> list[float]:
    """The dash of a pattern, for field `dash` of a row."""
    return list(DASHES[pattern % len(DASHES)])


def dashes(lines: Sequence[Patterned]) -> dict[str, Any]:
    """The encoding of field `dash`, where any line is dashed."""
    if not any(line.pattern for line in lines):
        return {}
    return {"strokeDash": alt.StrokeDash("dash:N", scale=None, legend=None)}


def halo_text(data: Rows, *, x: Any, y: Any, **mark: Any) -> list[Spec]:
    """Two layers of field `text`: one in the colour of the page, wider, and one in ink.

    SVG's `paint-order` would need only one, but Vega does not write it.
    """
    around = {**mark, "fill": "var(--paper)", "stroke": "var(--paper)", "strokeWidth": 4}
    return [
        data.mark_text(**each).encode(x=x, y=y, text=channel(alt.Text, "text:N"))
        for each in ({**around, "strokeJoin": "round"}, mark)
    ]


def draw(make: Make, width: int, *, prefix: str, title: str, description: str) -> Drawing:
    """A chart as it is handed to a page.

    Args:
        make: width in pixels → Vega-Lite specification.
        width: pixels.
        prefix: unique within the page.
        title: its name for a screen reader.
        description: what it shows, in a sentence.
    """
    with alt.utils.schemapi.debug_mode(arg=False):  # a test checks ours against the schema
        spec = make(width)
    return Drawing(spec, prefix, title, description)


def panel(make: Make, *, prefix: str, title: str, description: str) -> Panel:
    """A drawing in both widths; see `draw`."""
    wide, narrow = (
        draw(make, width, prefix=f"{prefix}{letter}", title=title, description=description)
        for letter, width in (("w", WIDE), ("n", NARROW))
    )
    return Panel(wide=wide, narrow=narrow)
