"""The picture that stands beside a link to a page: its finding in large letters."""

from __future__ import annotations

from markupsafe import escape

from accelreport.report.facts import SiteFacts
from accelreport.report.lettering import lines_within, text_width
from accelreport.report.model import Page
from accelreport.report.theme import FONT, SERIES_LIGHT, TOKENS

PREVIEW = "preview/index.png"
"""The picture of the front page, and of pages without one of their own."""
WIDTH, HEIGHT = 1200, 630
_LEFT = 72
_ROOM = WIDTH - 2 * _LEFT


def preview(page: Page, facts: SiteFacts) -> str:
    """An SVG file of 1200 × 630, the size that OpenGraph's readers ask for."""
    ink, soft, paper = (TOKENS[name][0] for name in ("ink", "soft", "paper"))
    heading = wrapped(page.headline or page.title, 60, 3)
    finding = wrapped(page.finding, 32, 4)
    pieces = [_line(facts.title, 78, 26, soft)]
    top = 100.0
    for line in heading:
        top += 72
        pieces.append(_line(line, top, 60, ink, "bold"))
    top += 24
    for line in finding:
        top += 44
        pieces.append(_line(line, top, 32, soft))
    bars = "".join(
        f'<rect x="{_LEFT + 60 * number}" y="576" width="44" height="10" fill="{colour}"/>'
        for number, colour in enumerate(SERIES_LIGHT)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
        f'height="{HEIGHT}" font-family="{FONT}"><rect width="100%" height="100%" '
        f'fill="{paper}"/>{"".join(pieces)}{bars}</svg>'
    )


def _line(text: str, y: float, size: float, fill: str, weight: str = "normal") -> str:
    return (
        f'<text x="{_LEFT}" y="{y:g}" font-size="{size:g}" font-weight="{weight}" '
        f'fill="{fill}">{escape(text)}</text>'
    )


def wrapped(text: str, size: float, most: int) -> list[str]:
    """The text in lines that fit; where it needs more than so many, the last ends in "…"."""
    lines = lines_within(text, _ROOM, size, bold=size > 40)
    if len(lines) > most:
        lines = [*lines[: most - 1], f"{lines[most - 1]} …"]
    return [_cut(line, size) for line in lines]


def _cut(line: str, size: float) -> str:
    """A line without what runs over the edge, as one long word may."""
    while text_width(line, size, bold=size > 40) > _ROOM:
        line = line[: len(line) * 9 // 10 - 1] + "…"
    return line
