"""A figure as one SVG file, for a paper or a slide of one's own: title, key, all panels.

Nothing outside the file is needed: the names of colours are replaced by the colours of one
theme, and the legend, which is HTML on the page, is drawn.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

from accelreport.report.lettering import lines_within, text_width
from accelreport.report.model import Figure, Key
from accelreport.report.theme import FONT, variables

MARGIN = 16.0
GAP = 20.0
_BOX = re.compile(r'viewBox="0 0 ([\d.]+) ([\d.]+)"')
_COLOUR = re.compile(r"var\(--([a-z0-9-]+)\)")


@dataclass(frozen=True)
class _Drawn:
    text: str
    width: float
    height: float


def figure_svg(figure: Figure, drawn: Sequence[Markup], *, dark: bool = False) -> str:
    """The figure as a file.

    Args:
        figure: its title, keys and panels.
        drawn: the wide drawing of each panel, as on the page.
        dark: the theme.
    """
    panels = [_measured(each) for each in drawn]
    columns = 1 if figure.stacked else columns_of(len(panels))
    width = columns * max(p.width for p in panels) + (columns - 1) * GAP
    lines = lines_within(figure.title, width, 17, bold=True)
    pieces = [_text(line, 0, 18 + 22 * i, 17, "bold") for i, line in enumerate(lines)]
    top = 10 + 22.0 * len(lines)
    for row in _rows_of_keys(figure.keys, width):
        top += 20
        pieces += [_key(key, x, top) for key, x in row]
    top += 14
    for first in range(0, len(panels), columns):
        row_panels = panels[first : first + columns]
        titles = [p.title for p in figure.panels[first : first + columns]]
        head = 22.0 if any(titles) else 0.0
        for i, (panel, title) in enumerate(zip(row_panels, titles, strict=True)):
            x = i * (max(p.width for p in panels) + GAP)
            if title:
                pieces.append(_text(title, x, top + 14, 13.5, "bold"))
            pieces.append(_placed(panel, x, top + head))
        top += head + max(p.height for p in row_panels) + GAP
    marks = "; ".join(f"{badge.text}: {badge.meaning}" for badge in figure.badges)
    told = " ".join(part for part in (figure.subtitle, marks) if part)
    for line in lines_within(told, width, 12):
        pieces.append(_text(line, 0, top, 12, "normal", "var(--soft)"))
        top += 16
    return _file(figure.title, pieces, width, top - GAP / 2, dark=dark)


def columns_of(panels: int) -> int:
    """How many panels stand side by side in a file."""
    return {1: 1, 2: 2, 4: 2}.get(panels, 3)


def _measured(drawn: Markup) -> _Drawn:
    found = _BOX.search(str(drawn))
    if found is None:
        raise ValueError("a drawing without a viewBox")
    return _Drawn(str(drawn), float(found[1]), float(found[2]))


def _placed(panel: _Drawn, x: float, y: float) -> str:
    return panel.text.replace("<svg ", f'<svg x="{x:g}" y="{y:g}" ', 1)


def _text(text: str, x: float, y: float, size: float, weight: str, fill: str = "var(--ink)") -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" font-weight="{weight}" '
        f'fill="{fill}">{escape(text)}</text>'
    )


def _rows_of_keys(keys: Sequence[Key], width: float) -> list[list[tuple[Key, float]]]:
    rows: list[list[tuple[Key, float]]] = []
    x = 0.0
    for key in keys:
        room = 40 + text_width(key.text, 13)
        if not rows or x + room > width:
            rows.append([])
            x = 0.0
        rows[-1].append((key, x))
        x += room
    return rows


def _key(key: Key, x: float, y: float) -> str:
    colour = f"var(--{key.colour})"
    if key.shape == "bar":
        shape = f'<rect x="{x:g}" y="{y - 9:g}" width="10" height="10" fill="{colour}"/>'
    elif key.shape == "dashed":
        shape = (
            f'<path d="M{x:g} {y - 4:g}h14" stroke="{colour}" stroke-width="2.5" '
            'stroke-dasharray="5 3"/>'
        )
    else:
        shape = f'<circle cx="{x + 5:g}" cy="{y - 4:g}" r="5" fill="{colour}"/>'
    return shape + _text(key.text, x + 18, y, 13, "normal")


def _file(title: str, pieces: Sequence[str], width: float, height: float, *, dark: bool) -> str:
    whole_width, whole_height = width + 2 * MARGIN, height + 2 * MARGIN
    colours = {name: (night if dark else day) for name, day, night in variables()}
    text = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {whole_width:g} {whole_height:g}" '
        f'width="{whole_width:g}" height="{whole_height:g}" font-family="{FONT}" role="img">'
        f"<title>{escape(title)}</title>"
        f'<rect width="100%" height="100%" fill="var(--paper)"/>'
        f'<g transform="translate({MARGIN:g},{MARGIN:g})">{"".join(pieces)}</g></svg>\n'
    )
    return _COLOUR.sub(lambda found: colours[found[1]], text)
