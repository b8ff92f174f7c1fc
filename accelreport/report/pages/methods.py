"""How every number on the site is made, in a page's worth of words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import altair as alt
import tomli

from accelreport.analysis.learning import WITHIN
from accelreport.analysis.stats import LEVEL, MARGIN, last_calibration
from accelreport.report import quantity
from accelreport.report.charts.drawing import ROOMY, Chart, Layer, rows
from accelreport.report.charts.scales import Scale
from accelreport.report.model import (
    Column,
    Fact,
    Facts,
    Key,
    Line,
    Page,
    RowGroup,
    Section,
    Table,
    entry,
    number_columns,
    table_row,
)
from accelreport.report.openings.opening import Plot, Size
from accelreport.report.pages.badges import (
    EXTRAPOLATED,
    PARTIAL,
    SAMPLE,
    SINGLE,
    SYNTHETIC,
    USER_SUPPLIED,
)
from accelreport.report.text import sentence


def coverage_section() -> Section:
    """Coverage of the intervals under each kind of noise; docs/statistics.md has further tables."""
    kept = last_calibration()
    rows = (
        table_row(
            entry(sentence(noise.name), Line(noise.text, "reason")), *map(_percent, noise.percent)
        )
        for noise in kept.coverage
    )
    table = Table(
        id="coverage-table",
        title="Coverage of 95 % intervals",
        corner="noise",
        columns=number_columns(f"n = {n}" for n in kept.processes),
        groups=(RowGroup(tuple(rows)),),
    )
    percents = [share for noise in kept.coverage for share in noise.percent]
    detail = quantity.extent(percents, _percent)
    return Section("coverage", table.title, (table,), folded=True, detail=detail)


def _percent(share: float) -> str:
    return f"{quantity.fixed(share, 1)}{quantity.SPACE}%"


WIDE, PHONE = Size(860, 0), Size(330, 0)
"""Sizes of the figure."""


def methods_page() -> Page:
    """The page, which does not depend on what was measured."""
    measuring, comparing, quality = _definitions()
    plot = Plot(
        id="process",
        title="One process",
        description=", ".join(name for name, *_ in STAGES),
        chart=lambda size: process_chart(size.width),
        keys=tuple(Key(name, colour, "bar") for name, colour, *_ in MEANINGS if colour),
        table=Table(
            id="process-table",
            title="Stages",
            corner="stage",
            columns=(Column("what happens", wide=True), Column("number")),
            groups=(RowGroup(tuple(table_row(name, *rest) for name, _, *rest in MEANINGS)),),
            style="prose",
        ),
        named=lambda size: size.width > ROOMY,
    )
    measuring = replace(measuring, blocks=(plot.figure(WIDE, PHONE), *measuring.blocks))
    badges = (SYNTHETIC, SAMPLE, USER_SUPPLIED, PARTIAL, EXTRAPOLATED, SINGLE)
    facts = [Fact(badge.text, badge.meaning) for badge in badges]
    listed = (Facts(tuple(facts), long=True),)
    detail = ", ".join(badge.text for badge in badges)
    marks = Section("marks", "Marks", listed, folded=True, detail=detail)
    return Page(
        path="methods.html",
        title="Methods",
        finding="",
        sections=(measuring, comparing, quality, coverage_section(), marks),
        template="article.html",
    )


def _definitions() -> Iterator[Section]:
    """The sections of `methods.toml`, each of terms and what they mean."""
    read = tomli.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
    amounts = {
        "level": quantity.percent(LEVEL, 0),
        "margin": quantity.percent(MARGIN, 0),
        "points": quantity.percentage_points(WITHIN),
    }
    for section in read["section"]:
        facts = (Fact(term, text.format(**amounts)) for term, text in section["facts"].items())
        yield Section(section["id"], section["title"], (Facts(tuple(facts), long=True),))


# The stages of one process as an example ---------------------------------------------------------

STAGES = (
    ("start-up", 0, 22, "p1"),
    ("first step", 22, 36, "p3"),
    ("warm-up", 36, 45, "p2"),
    ("window", 45, 57, "p0"),
    ("window", 58, 70, "p0"),
    ("evaluation", 71, 80, "wash"),
    ("window", 81, 89, "p0"),
    ("window", 90, 98, "p0"),
)
"""What a process does from its start (0) to its end (100), and the colour of each stage."""
SPANS = (
    ("cold start", 0, 36, 0),
    ("steady time", 45, 98, 0),
    ("imports, model", 0, 22, 1),
    ("trace, compile, run", 22, 36, 1),
    ("windows ÷ steps", 45, 98, 1),
)
"""What numbers are made of, in two lines."""
MEANINGS = (
    ("start-up", "p1", "imports, data, model", "the cold start"),
    ("first step", "p3", "trace, compile, run", "the cold start"),
    ("warm-up", "p2", "unsteady steps", "no number"),
    ("windows", "p0", "steady steps, synchronised", "the steady time"),
    ("evaluation", "", "validation, each epoch", "no number"),
)
"""Each stage: its name, the colour of its key, what happens in it, and which number holds it."""
_BAR, _LINE, _TOP = 44.0, 30.0, 24.0
"""Heights of the bar, of a line of spans, and of what stands above the bar."""


def process_chart(width: int) -> Chart:
    """The chart; one that is narrow has no words but those of the two numbers."""
    roomy = width > ROOMY
    spans = [span for span in SPANS if roomy or not span[3]]
    bottom = _TOP + _BAR
    x = Scale(domain=[0, 100], range=[0, width])
    y = Scale(domain=[0, 1], range=[0, 1])

    def across(field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=x, axis=None)

    def down(field: str) -> alt.Y:
        return alt.Y(f"{field}:Q", scale=y, axis=None)

    bars = rows(
        [
            {
                "from": start, "to": end, "top": _TOP, "bottom": bottom,
                "colour": f"var(--{colour})", "edge": "var(--soft)",
            }
            for _, start, end, colour in STAGES
        ]
    )  # fmt: skip
    plain = {"scale": None, "legend": None}
    lines = [
        {
            "from": start + 0.4, "to": end - 0.4, "middle": (start + end) / 2,
            "y": bottom + 14 + _LINE * line, "words": bottom + 27 + _LINE * line, "text": text,
        }
        for text, start, end, line in spans
    ]  # fmt: skip
    names = [
        {"middle": (start + end) / 2, "y": _TOP - 9, "text": text}
        for text, start, end, _ in STAGES
        if roomy
    ]
    layers = [
        Layer(bars).mark_rect(strokeWidth=0.75).encode(
            x=across("from"), x2=alt.X2("to"), y=down("top"), y2=alt.Y2("bottom"),
            fill=alt.Fill("colour:N", **plain), stroke=alt.Stroke("edge:N", **plain),
        ),
        Layer(rows(lines)).mark_rule(stroke="var(--ink)", strokeWidth=1.5).encode(
            x=across("from"), x2=alt.X2("to"), y=down("y")
        ),
        Layer(rows(lines)).mark_text(fontSize=12, limit=0).encode(
            x=across("middle"), y=down("words"), text=alt.Text("text:N")
        ),
        Layer(rows(names)).mark_text(fontSize=12, fontWeight="bold").encode(
            x=across("middle"), y=down("y"), text=alt.Text("text:N")
        ),
    ]  # fmt: skip
    lowest = bottom + 35 + _LINE * max(line for *_, line in spans)
    return Chart(layers, width - 12, lowest)
