"""Every figure and every number as a file, for a document or a program of one's own.

A figure's drawing is one SVG file: title, key, all panels. Nothing outside it is needed: the names
of colours are replaced by the colours of one theme, and the legend, which is HTML on the page, is
drawn. Its numbers are CSV. All numbers of a benchmark are CSV for a spreadsheet and JSON for a
program. A picture stands beside a link to the site.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, TypeVar, cast

import pandas as pd
from markupsafe import Markup, escape

from accelreport.analysis.claims import distinct
from accelreport.analysis.findings import Finding, Value
from accelreport.report.claim_text import claims_frame
from accelreport.report.frames import (
    curve_frame,
    published_frame,
    results_frame,
    rows_of,
    speedups_frame,
    targets_frame,
    timed_steps,
)
from accelreport.report.model import Block, Download, Entry, Figure, Key, Page, Table
from accelreport.report.say import Speaker
from accelreport.report.site.options import SiteFacts
from accelreport.report.text import cut, lines_within, text_width
from accelreport.report.theme import (
    DASHES,
    FONT,
    LINE_KEYS,
    KeyShape,
    variables,
)
from accelreport.report.view import BenchmarkView
from accelreport.results.record import Record
from accelreport.strict_json import plain

_FORMULA = re.compile(r"^(?=[=+\-@\t\r])|(?<=[;\n])(?=[=+\-@])")
"""Where a spreadsheet would begin a formula: some take semicolons for separators."""


def csv_of(table: Table) -> str:
    """Comma-separated values; texts that a spreadsheet would run get an apostrophe."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(map(harmless, _heading(table)))
    writer.writerows(map(harmless, row) for row in _rows(table))
    return file.getvalue()


def _heading(table: Table) -> list[str]:
    return [table.corner, *(column.title for column in table.columns)]


def _rows(table: Table) -> Iterator[list[str]]:
    """Rows as texts; a row under a heading says the heading first."""
    for group in table.groups:
        for row in group.rows:
            header = _text(row.header)
            name = f"{group.title}: {header}" if group.title else header
            yield [name, *(_text(entry) for entry in row.entries)]


def _text(entry: Entry) -> str:
    lines = [line.text for line in entry.lines]
    marks = [f"({badge.text})" for badge in entry.badges]
    return "; ".join(text for text in lines if text) + "".join(f" {mark}" for mark in marks)


def harmless(text: str) -> str:
    """The text with an apostrophe wherever a spreadsheet would begin to read a formula."""
    return _FORMULA.sub("'", text)


MARGIN = 16.0
GAP = 20.0
_BOX = re.compile(r'viewBox="0 0 ([\d.]+) ([\d.]+)"')
_COLOUR = re.compile(r"var\(--([a-z0-9-]+)\)")


@dataclass(frozen=True)
class _MeasuredSvg:
    text: str
    width: float
    height: float


def figure_svg(figure: Figure, drawn: Sequence[Markup], *, dark: bool) -> str:
    """The figure as a file.

    Args:
        figure: its title, keys and panels.
        drawn: the wide drawing of each panel, as on the page.
        dark: the theme.
    """
    panels = [_measured(drawing) for drawing in drawn]
    columns = {1: 1, 2: 2, 4: 2}.get(len(panels), 3)
    width = columns * max(p.width for p in panels) + (columns - 1) * GAP
    lines = lines_within(figure.title, width, 17, bold=True)
    pieces = [_svg_text(line, 0, 18 + 22 * i, 17, "bold") for i, line in enumerate(lines)]
    top = 10 + 22.0 * len(lines)
    for row in _rows_of_keys(() if figure.named else figure.keys, width):
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
                pieces.append(_svg_text(title, x, top + 14, 13.5, "bold"))
            at = f'<svg x="{x:g}" y="{top + head:g}" '
            pieces.append(panel.text.replace("<svg ", at, 1))
        top += head + max(p.height for p in row_panels) + GAP
    marks = "; ".join(f"{badge.text}: {badge.meaning}" for badge in figure.badges)
    subtitle = " ".join(part for part in (figure.subtitle, marks) if part)
    for line in lines_within(subtitle, width, 12):
        pieces.append(_svg_text(line, 0, top, 12, "normal", "var(--soft)"))
        top += 16
    return _file(figure.title, pieces, width, top - GAP / 2, dark=dark)


def _measured(drawn: Markup) -> _MeasuredSvg:
    box = _BOX.search(str(drawn))
    if box is None:
        raise ValueError("a drawing without a viewBox")
    return _MeasuredSvg(str(drawn), float(box[1]), float(box[2]))


def _svg_text(
    text: str, x: float, y: float, size: float, weight: str, fill: str = "var(--ink)"
) -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" font-weight="{weight}" '
        f'fill="{fill}">{escape(text)}</text>'
    )


_MARKS: Mapping[KeyShape, str] = {
    "bar": "m-5-5h10v10h-10z",
    "dot": "m0-5a5 5 0 1 1 0 10a5 5 0 1 1 0-10z",
    "diamond": "m0-5l5 5l-5 5l-5-5z",
}
"""Outlines of the marks in a legend, from their middle; every other key is a line."""


def _key_width(key: Key) -> float:
    return 10.0 if key.shape in _MARKS else 28.0


def _rows_of_keys(keys: Sequence[Key], width: float) -> list[list[tuple[Key, float]]]:
    rows: list[list[tuple[Key, float]]] = []
    x = 0.0
    for key in keys:
        room = _key_width(key) + 30 + text_width(key.text, 13)
        if not rows or x + room > width:
            rows.append([])
            x = 0.0
        rows[-1].append((key, x))
        x += room
    return rows


def _key(key: Key, x: float, y: float) -> str:
    colour, wide = f"var(--{key.colour})", _key_width(key)
    if outline := _MARKS.get(key.shape):
        shape = f'<path d="M{x + 5:g} {y - 4:g}{outline}" fill="{colour}"/>'
    else:
        dashes = " ".join(f"{length:g}" for length in DASHES[LINE_KEYS.index(key.shape)])
        shape = (
            f'<path d="M{x:g} {y - 4:g}h{wide:g}" stroke="{colour}" stroke-width="2.5" '
            f'stroke-dasharray="{dashes}"/>'
        )
    return shape + _svg_text(key.text, x + wide + 8, y, 13, "normal")


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
    return _COLOUR.sub(lambda match: colours[match[1]], text)


_DRAWN = {".svg": "SVG", ".dark.svg": "SVG, dark"}


def data_of(figure: Figure, after: Sequence[Block]) -> Table | None:
    """The numbers of a figure: its own table, or the first one that follows it."""
    tables = (block for block in after if isinstance(block, Table))
    return figure.table or next(tables, None)


def figure_links(figure: Figure, stem: str) -> tuple[Download, ...]:
    """Links to the files of a figure.

    Args:
        figure: with its data, where there are any.
        stem: their path from the site's root, without what follows the first full stop.
    """
    names = dict(_DRAWN)
    if figure.data is not None:
        names[".csv"] = "CSV"
    return tuple(Download(f"{stem}{suffix}", title) for suffix, title in names.items())


def figure_files(figure: Figure, drawn: Sequence[Markup]) -> Iterator[tuple[str, str]]:
    """The files that a figure's links lead to, by their paths.

    Args:
        figure: the figure.
        drawn: the wide drawing of each panel, as on the page.
    """
    for link in figure.downloads:
        if link.href.endswith(".svg"):
            dark = link.href.endswith(".dark.svg")
            yield link.href, figure_svg(figure, drawn, dark=dark)
        elif figure.data is not None:
            yield link.href, csv_of(figure.data)


Part = TypeVar("Part")

_NAMES = {"id", "prefix"}
"""Fields of `report.model` that name an element of the page."""
_LINKS = {"href"}
"""Fields that lead somewhere."""


def relinked(value: Part, *, name: Callable[[str], str], link: Callable[[str], str]) -> Part:
    """A block, or anything of `report.model`, with other ids and other links.

    Args:
        value: a dataclass of the report model, a tuple of them, or a plain value.
        name: old id → new id; never asked for an empty one.
        link: old address → new address; never asked for an empty one.
    """
    return cast("Part", _moved(value, name, link))


def _moved(value: Any, name: Callable[[str], str], link: Callable[[str], str]) -> Any:
    if isinstance(value, tuple):
        return tuple(_moved(item, name, link) for item in value)
    if not is_dataclass(value) or isinstance(value, type):
        return value
    changed: dict[str, Any] = {}
    for member in fields(value):
        old = getattr(value, member.name)
        if member.name in _NAMES or member.name in _LINKS:
            new = (name if member.name in _NAMES else link)(old) if old else old
        else:
            new = _moved(old, name, link)
        if new is not old:
            changed[member.name] = new
    return replace(value, **changed) if changed else value


def benchmark_files(
    bench: BenchmarkView, records: Mapping[tuple[str, str], str]
) -> Iterator[tuple[str, str]]:
    """Files beside a benchmark's page, by their paths.

    Args:
        bench: the benchmark.
        records: JSON text of every record, by key and machine.
    """
    folder = bench.slug
    frames = {
        "cells": results_frame(bench.plan, bench.results),
        "speedups": speedups_frame(bench.plan, bench.compared),
        "curves": curve_frame(bench.shown_records),
        "targets": targets_frame(bench.plan, bench.target_times),
        "published": published_frame(bench.published_results),
        "claims": claims_frame(bench.plan, bench.tested),
    }
    for name, frame in frames.items():
        yield f"{folder}/{name}.csv", csv_text(frame)
    yield f"{folder}/steps.csv", steps_csv(bench)
    yield f"{folder}/plan.json", bench.plan.model_dump_json(indent=1) + "\n"
    own = [records[place] for place in bench.records]
    yield f"{folder}/records.json", "[\n" + ",\n".join(own) + "\n]\n"
    yield f"{folder}/spec.toml", bench.plan.text


def site_files(benches: Sequence[BenchmarkView]) -> Iterator[tuple[str, str]]:
    """Files beside the front page: the headline figures of every benchmark."""
    frames, results = [], []
    for bench in benches:
        frame = speedups_frame(bench.plan, bench.compared)
        results.append(
            {
                "spec": bench.plan.spec,
                "profile": bench.plan.profile,
                "title": bench.plan.title,
                "baseline": bench.plan.model_dump(mode="json", include={"baseline"})["baseline"],
                "page": f"{bench.slug}.html",
                "findings": [_finding(bench, finding) for finding in bench.findings],
                "speedups": rows_of(frame),
                "claims": rows_of(claims_frame(bench.plan, bench.tested)),
            }
        )
        frame.insert(0, "spec", bench.plan.spec)
        frame.insert(1, "profile", bench.plan.profile)
        frame.insert(2, "baseline", str(bench.plan.baseline))
        frames.append(frame)
    yield "speedups.csv", csv_text(pd.concat(frames, ignore_index=True))
    claims = distinct([result for bench in benches for result in bench.tested])
    summary = {
        "count": len(claims),
        "by": Counter(result.claim.by for result in claims),
        "verdict": Counter(result.state.value for result in claims),
    }
    document = {"claims": summary, "benchmarks": results}
    text = json.dumps(plain(document), indent=1, ensure_ascii=False, default=str)
    yield "results.json", text + "\n"


def _finding(bench: BenchmarkView, finding: Finding) -> dict[str, Any]:
    """A finding in the words of its page, and the values that they are made of."""

    def row(value: Value) -> dict[str, Any]:
        of, over, interval = value.of, value.over, value.interval
        return {
            "device": of.device,
            "machine": of.machine,
            **bench.values(of.point or (None,) * len(bench.axes)),
            "published": of.row.label if of.row else "",
            "part": of.part,
            "over": over.device if over else "",
            "value": interval.value,
            "low": interval.low,
            "high": interval.high,
            "n": interval.n,
            "unit": value.unit,
            "verdict": value.verdict,
            "provenance": value.provenance,
            "caveats": sorted(value.caveats),
            "withheld": [held.why for held in value.why],
        }

    speaker = Speaker(bench)
    return {
        "kind": finding.kind,
        "title": speaker.title(finding) if finding.is_sentence else "",
        "evidence": speaker.answer(finding) if finding.is_sentence else "",
        "decided": finding.decided,
        "level": finding.level,
        "comparisons": finding.comparisons,
        "values": [row(value) for value in finding.values],
        "base": row(finding.base) if finding.base else None,
    }


def record_json(record: Record) -> str:
    """A record as its file has it."""
    return record.model_dump_json(indent=1)


def csv_text(frame: pd.DataFrame) -> str:
    """A frame as CSV whose lines end with a line feed.

    A text that a spreadsheet would run as a formula gets an apostrophe before it. The rest is as
    pandas writes it, which takes several times as long for frames as small as these.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(harmless(str(name)) for name in frame.columns)
    columns = ([_cell(value) for value in frame[name].tolist()] for name in frame)
    writer.writerows(zip(*columns, strict=True))
    return text.getvalue()


def _cell(value: Any) -> Any:
    if isinstance(value, float):  # most are
        return "" if math.isnan(value) else value
    if isinstance(value, str):
        return harmless(value)
    if isinstance(value, tuple | list | dict):
        return json.dumps(plain(value), ensure_ascii=False, default=str)
    return "" if value is None or value is pd.NA else value


def steps_csv(bench: BenchmarkView) -> str:
    """Every timed step; a block that was not stamped step by step is one row with its mean.

    Each has the status of its cell, so that a reader can leave out the steps of a refused number.
    Written by hand because it is by far the largest file, and pandas takes five times as long.
    """
    statuses = {(result.key, result.machine): result.status for result in bench.results}
    lines = ["key,machine,epoch,step,steps,seconds,warmup,status"]
    for place, record in bench.records.items():
        cell, status = ",".join(place), statuses[place]
        lines += [
            f"{cell},{block.epoch},{step},{steps},{seconds!r},{not block.steady:d},{status}"
            for block, step, seconds, steps in timed_steps(record)
        ]
    return "\n".join(lines) + "\n"


PREVIEW = "preview/index.png"
"""The picture of the front page, and of pages without one of their own."""
WIDTH, HEIGHT = 1200, 630
_LEFT = 36
_ROOM = WIDTH - 2 * _LEFT
_HEADING, _LONG_HEADING, _TEXT = 56, 44, 28
_LARGER = 2.25
"""How many times as large a figure is as it was drawn: its letters of 12.5 are 28 px."""


def preview(page: Page, facts: SiteFacts, figure: str, name: str = "") -> str:
    """An SVG file of 1200 × 630, the size that OpenGraph's readers ask for.

    Args:
        page: the page, whose headline is the title, with its machine below.
        facts: name of the site.
        figure: a drawing of a few rows or lines; its finding stands there where it is empty.
        name: what the figure counts.
    """
    title = page.headline or page.title
    heading = (
        _HEADING if len(lines_within(title, _ROOM, _HEADING, bold=True)) < 3 else _LONG_HEADING
    )
    pieces, top, below = [], 30.0, HEIGHT - 36
    if page.verdict:
        top += _TEXT
        pieces.append(_svg_text(page.verdict, _LEFT, top, _TEXT, "bold", "var(--good)"))
    for line in lines_that_fit(title, heading, 3):
        top += 1.15 * heading
        pieces.append(_svg_text(line, _LEFT, top, heading, "bold"))
    if figure:
        top += 48
        (line,) = lines_that_fit(name, _TEXT, 1)
        pieces.append(_svg_text(line, _LEFT, top, _TEXT, "normal", "var(--soft)"))
        drawn = _measured(Markup(figure))  # noqa: S704 -- it is a drawing of this site
        top += 20
        larger = min(_LARGER, _ROOM / drawn.width, (below - _TEXT - 14 - top) / drawn.height)
        place = f"translate({_LEFT},{top:g}) scale({larger:g})"
        pieces.append(f'<g transform="{place}">{figure}</g>')
    else:
        for line in lines_that_fit(page.finding, 32, 4):
            top += 44
            pieces.append(_svg_text(line, _LEFT, top + 24, 32, "normal", "var(--soft)"))
    # The machine is named first, and what has no room is not.
    parts = [*dict.fromkeys(filter(None, (page.measured_on, page.title, facts.title)))]
    while len(parts) > 1 and text_width(" · ".join(parts), _TEXT) > _ROOM:
        parts.pop()
    (line,) = lines_that_fit(" · ".join(parts), _TEXT, 1)
    pieces.append(_svg_text(line, _LEFT, below, _TEXT, "normal", "var(--soft)"))
    colours = {name: light for name, light, _ in variables()}
    text = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
        f'height="{HEIGHT}" font-family="{FONT}"><rect width="100%" height="100%" '
        f'fill="var(--paper)"/>{"".join(pieces)}</svg>'
    )
    return _COLOUR.sub(lambda match: colours[match[1]], text)


def lines_that_fit(text: str, size: float, most: int) -> list[str]:
    """The text in lines that fit; where it needs more than so many, the last ends in "…"."""
    lines = lines_within(text, _ROOM, size, bold=size > 40) or [""]
    if len(lines) > most:
        lines = [*lines[: most - 1], f"{lines[most - 1]} …"]
    bold = size > 40
    return [
        line if text_width(line, size, bold=bold) <= _ROOM else cut(line, _ROOM / 1.1, size)
        for line in lines
    ]
