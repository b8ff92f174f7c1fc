"""What a site says of itself elsewhere: an Atom feed (RFC 4287), and the picture beside a link."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from xml.etree import ElementTree as ET

from markupsafe import escape

from accelreport.report import formatting
from accelreport.report.model import Page
from accelreport.report.pages.headline import headline
from accelreport.report.site.options import SiteFacts
from accelreport.report.text import beginning, label, lines_within, text_width
from accelreport.report.theme import FONT, SERIES_LIGHT, TOKENS
from accelreport.report.view import BenchmarkView

FEED = "feed.xml"
_ATOM = "http://www.w3.org/2005/Atom"
EPOCH = datetime.fromisoformat("1970-01-01T00:00:00+00:00")
"""When a site was changed whose records do not say it."""


def feed(benches: Sequence[BenchmarkView], facts: SiteFacts) -> str:
    """The feed: an entry for each machine's run of a benchmark, the newest first.

    Only records date an entry, so building again changes nothing.
    """
    runs = [(when, bench, machine) for bench in benches for machine, when in _ends(bench)]
    runs.sort(key=lambda run: (run[0], run[1].slug, run[2]), reverse=True)
    newest = runs[0][0] if runs else EPOCH
    root = ET.Element("feed", xmlns=_ATOM)
    _text(root, "title", facts.title)
    _text(root, "id", facts.address)
    _text(root, "updated", newest.isoformat())
    ET.SubElement(root, "link", href=facts.address)
    ET.SubElement(root, "link", rel="self", href=f"{facts.address}{FEED}")
    author = ET.SubElement(root, "author")
    _text(author, "name", facts.title)
    for when, bench, machine in runs:
        entry = ET.SubElement(root, "entry")
        page = f"{facts.address}{bench.slug}.html"
        _text(entry, "title", f"{bench.named} on machine {label(machine, 12)}")
        _text(entry, "id", f"{page}#run-{label(machine, 12)}-{when:%Y%m%dT%H%M%SZ}")
        _text(entry, "updated", when.isoformat())
        ET.SubElement(entry, "link", href=page)
        _text(entry, "summary", headline(bench))
    ET.indent(root, "")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _text(parent: ET.Element, name: str, text: str) -> None:
    ET.SubElement(parent, name).text = text


def _ends(bench: BenchmarkView) -> list[tuple[str, datetime]]:
    """Machines, and when each ended its last cell."""
    ends: dict[str, datetime] = {}
    for (_, machine), record in bench.records.items():
        when = formatting.instant(record.finished_at)
        if when is not None:
            ends[machine] = max(when, ends.get(machine, when))
    return list(ends.items())


PREVIEW = "preview/index.png"
"""The picture of the front page, and of pages without one of their own."""
WIDTH, HEIGHT = 1200, 630
_LEFT = 72
_ROOM = WIDTH - 2 * _LEFT


def preview(page: Page, facts: SiteFacts) -> str:
    """An SVG file of 1200 × 630, the size that OpenGraph's readers ask for."""
    ink, soft, paper = (TOKENS[name][0] for name in ("ink", "soft", "paper"))
    heading = lines_that_fit(page.headline or page.title, 60, 3)
    finding = lines_that_fit(page.finding, 32, 4)
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


def lines_that_fit(text: str, size: float, most: int) -> list[str]:
    """The text in lines that fit; where it needs more than so many, the last ends in "…"."""
    lines = lines_within(text, _ROOM, size, bold=size > 40)
    if len(lines) > most:
        lines = [*lines[: most - 1], f"{lines[most - 1]} …"]
    return [_cut(line, size) for line in lines]


def _cut(line: str, size: float) -> str:
    """A line without what runs over the edge, as one long word may."""
    while text_width(line, size, bold=size > 40) > _ROOM:
        line = beginning(line, len(line) * 9 // 10 - 1) + "…"
    return line
