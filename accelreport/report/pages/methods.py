"""How every number on the site is made, in a page's worth of words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import tomli

from accelreport.analysis.learning import WITHIN
from accelreport.analysis.stats import LEVEL, MARGIN, last_calibration
from accelreport.report import quantity
from accelreport.report.model import (
    Column,
    Fact,
    Facts,
    Line,
    Page,
    RowGroup,
    Section,
    Table,
    entry,
    number_columns,
    table_row,
)
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
        title="Coverage in simulations",
        corner="noise",
        columns=number_columns(f"n = {n}" for n in kept.processes),
        groups=(RowGroup(tuple(rows)),),
    )
    percents = [share for noise in kept.coverage for share in noise.percent]
    detail = quantity.extent(percents, _percent)
    return Section("coverage", table.title, (table,), folded=True, detail=detail)


def _percent(share: float) -> str:
    return f"{quantity.fixed(share, 1)}{quantity.SPACE}%"


STAGES = (
    ("process", "the interpreter starts", "cold start", 1),
    ("import", "framework and libraries", "cold start", 3),
    ("build", "data, model, optimizer", "cold start", 2),
    ("first step", "trace, compile, run", "cold start", 3),
    ("warm-up", "unsteady steps", "whole training", 2),
    ("timed steps", "steady windows, synchronised", "steady time", 8),
    ("evaluation", "validation, each epoch", "whole training with validation", 2),
    ("checks", "timer, kernels, weights", "warnings", 2),
)
"""Each stage of a process: its name, what happens in it, which number holds it, and its length."""


def methods_page() -> Page:
    """The page, which does not depend on what was measured."""
    measuring, comparing, quality = _definitions()
    lengths = [length for *_, length in STAGES]
    table = Table(
        id="process-table",
        title="Stages of one process",
        corner="stage",
        columns=(Column("time, not to scale"), Column("number")),
        groups=(
            RowGroup(
                tuple(
                    table_row(
                        entry(name, Line(what, "reason")),
                        entry("", bar=(sum(lengths[:n]), length, sum(lengths[n + 1 :]))),
                        number,
                    )
                    for n, (name, what, number, length) in enumerate(STAGES)
                )
            ),
        ),
    )
    measuring = replace(measuring, blocks=(table, *measuring.blocks))
    quality = replace(quality, folded=True, detail="targets, published figures, claims")
    return Page(
        path="methods.html",
        title="Methods",
        headline="Every steady time comes from a process of its own, after its warm-up",
        finding="",
        description="How steps are timed, runs compared and intervals made",
        sections=(measuring, comparing, quality, _marks(), coverage_section()),
        template="article.html",
    )


def _marks() -> Section:
    """The marks of charts as they are drawn, and the badges of numbers."""
    drawn = (
        ("measured", "●", (1, 0, 0)),
        ("stopped by the budget, or a single run", "○", (0, 1, 0)),
        ("published", "◇", (0, 0, 1)),
        ("without a time", "", (0, 0, 1)),
        ("95 % interval", "├─┤", ()),
        ("above the peak", "✕", ()),
    )
    table = Table(
        id="marks-table",
        title="Marks of charts",
        corner="meaning",
        columns=(Column("mark"), Column("bar or cell")),
        groups=(
            RowGroup(tuple(table_row(text, mark, entry(bar=bar)) for text, mark, bar in drawn)),
        ),
    )
    badges = (SYNTHETIC, SAMPLE, USER_SUPPLIED, PARTIAL, EXTRAPOLATED, SINGLE)
    listed = Facts(tuple(Fact(badge.text, badge.meaning) for badge in badges), long=True)
    return Section("marks", "Marks", (table, listed), folded=True, detail="of charts and numbers")


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
