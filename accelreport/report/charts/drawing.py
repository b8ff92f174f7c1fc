"""From an Altair chart to a drawing in the page's type and colours.

Everything a chart takes from the theme stands in one configuration (an Altair
`configure` after another one would wipe it), and nothing is ever fetched.
"""

from __future__ import annotations

from typing import Any

import altair as alt
import vl_convert
from markupsafe import Markup

from accelreport.report.model import Panel
from accelreport.report.svg import page_svg
from accelreport.report.theme import FONT

WIDE = 860
"""Width in pixels of a chart that has a row to itself."""
NARROW = 330
"""Width of a chart on a telephone."""

CONFIG: dict[str, Any] = {
    "background": "transparent",
    "font": FONT,
    "padding": {"left": 2, "right": 6, "top": 4, "bottom": 2},
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


def rows(values: list[dict[str, Any]]) -> alt.InlineData:
    """Inline data; the rows are JSON values already."""
    return alt.InlineData(values=values)


def panel_width(panels: int) -> int:
    """Width of one of several charts side by side: two or three fit into the page."""
    return 420 if panels in {2, 4} else 300


def fitted(chart: Any, *, width: int, height: Any) -> Any:
    """The chart made to fill its width, whatever its labels need of it."""
    kind = "fit-x" if isinstance(height, dict) else "fit"
    size = alt.AutoSizeParams(type=kind, contains="padding")
    return chart.properties(width=width, height=height, autosize=size)


def halo_text(data: Any, *, x: Any, y: Any, **mark: Any) -> list[Any]:
    """Two layers of field `text`: one in the colour of the page, wider, and one in ink.

    SVG's `paint-order` would need only one, but Vega does not write it.
    """
    around = {**mark, "fill": "var(--paper)", "stroke": "var(--paper)", "strokeWidth": 4}
    return [
        data.mark_text(**each).encode(x=x, y=y, text="text:N")
        for each in ({**around, "strokeJoin": "round"}, mark)
    ]


def draw(chart: Any, *, prefix: str, title: str, description: str) -> Markup:
    """A chart as SVG for a page.

    Args:
        chart: any Altair chart; its colours are CSS custom properties.
        prefix: unique within the page.
        title: its name for a screen reader.
        description: what it shows, in a sentence.
    """
    spec = chart.to_dict(validate=False)
    spec["config"] = CONFIG
    drawn = vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])
    return page_svg(drawn, prefix=prefix, title=title, description=description)


def panel(make: Any, *, prefix: str, title: str, description: str) -> Panel:
    """A drawing in both widths.

    Args:
        make: (width in pixels) → chart.
        prefix: unique within the page.
        title: its name for a screen reader.
        description: what it shows, in a sentence.
    """
    drawn = [
        draw(make(width), prefix=f"{prefix}{letter}", title=title, description=description)
        for letter, width in (("w", WIDE), ("n", NARROW))
    ]
    return Panel(wide=drawn[0], narrow=drawn[1])
