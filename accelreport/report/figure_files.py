"""A figure as files: the drawing in both themes, its numbers, and what it was drawn from."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence

from markupsafe import Markup

from accelreport.report.model import Block, Download, Figure, Table
from accelreport.report.standalone import columns_of, figure_svg
from accelreport.report.table_text import csv_of, latex_of, markdown_of
from accelreport.report.theme import variables

_COLOUR = re.compile(r"var\(--([a-z0-9-]+)\)")
_TABLES: dict[str, tuple[str, Callable[[Table], str]]] = {
    ".csv": ("CSV", csv_of),
    ".md": ("Markdown", markdown_of),
    ".tex": ("LaTeX", latex_of),
}
_DRAWN = {".svg": "SVG", ".dark.svg": "SVG, dark"}
_PICTURES = {".png": "PNG", ".dark.png": "PNG, dark"}
_SOURCE = ".vl.json"


def data_of(figure: Figure, after: Sequence[Block]) -> Table | None:
    """The numbers of a figure: its own table, or the first one that follows it."""
    tables = (block for block in after if isinstance(block, Table))
    return figure.table or next(tables, None)


def figure_links(figure: Figure, stem: str, *, pictures: bool) -> tuple[Download, ...]:
    """Links to the files of a figure.

    Args:
        figure: with its data, where there are any.
        pictures: whether the drawings are also PNG files.
        stem: their path from the site's root, without what follows the first full stop.
    """
    names = _DRAWN | (_PICTURES if pictures else {})
    if figure.data is not None:
        names |= {suffix: title for suffix, (title, _) in _TABLES.items()}
    names[_SOURCE] = "Vega-Lite"
    return tuple(Download(f"{stem}{suffix}", title) for suffix, title in names.items())


def figure_files(
    figure: Figure, drawn: Sequence[Markup], png: Callable[[str], bytes]
) -> Iterator[tuple[str, str | bytes]]:
    """The files that a figure's links lead to, by their paths.

    Args:
        figure: the figure.
        drawn: the wide drawing of each panel, as on the page.
        png: an SVG file → the same as a PNG file.
    """
    suffixes = (*_TABLES, _SOURCE, ".dark.svg", ".svg", ".dark.png", ".png")
    for link in figure.downloads:
        suffix = next(s for s in suffixes if link.href.endswith(s))
        if suffix in _DRAWN:
            yield link.href, figure_svg(figure, drawn, dark="dark" in suffix)
        elif suffix in _PICTURES:
            yield link.href, png(figure_svg(figure, drawn, dark="dark" in suffix))
        elif suffix == _SOURCE:
            yield link.href, vega_lite(figure)
        elif figure.data is not None:
            yield link.href, _TABLES[suffix][1](figure.data)


def vega_lite(figure: Figure) -> str:
    """The figure's Vega-Lite specification, with its legend, in the colours of paper.

    Several panels become a concatenation. Altair names rows by their content, so that those of
    two panels can stand side by side.
    """
    from accelreport.report.charts.drawing import PAPER

    specs = [drawing.spec for drawing in figure.drawings]
    parts = [
        {name: part for name, part in spec.items() if name not in _OF_THE_WHOLE}
        | ({"title": panel.title} if panel.title else {})
        for panel, spec in zip(figure.panels, specs, strict=True)
    ]
    whole = {
        "$schema": specs[0]["$schema"],
        "title": figure.title,
        "description": " ".join(part for part in (figure.subtitle, figure.caption) if part),
        "config": PAPER,
        "datasets": {name: rows for spec in specs for name, rows in spec["datasets"].items()},
    }
    columns = {"columns": 1 if figure.stacked else columns_of(len(parts))}
    whole |= parts[0] | {"title": figure.title} if len(parts) == 1 else {"concat": parts} | columns
    colours = {name: day for name, day, _ in variables()}
    text = json.dumps(whole, ensure_ascii=True)
    return _COLOUR.sub(lambda found: colours[found[1]], text) + "\n"


_OF_THE_WHOLE = {"$schema", "config", "datasets"}
"""What Vega-Lite knows only at the top of a specification."""
