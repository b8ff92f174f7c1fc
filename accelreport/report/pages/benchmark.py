"""A benchmark's page: the plan's sections, in the order a reader asks for them."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

from accelreport.report.model import Block, Download, Figure, Page, Section, Table
from accelreport.report.notices import notices_of
from accelreport.report.openings.registry import opening_of
from accelreport.report.pages.badges import with_shared_badges
from accelreport.report.pages.machines import machine_line
from accelreport.report.pages.sections.about import files_section, reproduce_section
from accelreport.report.pages.sections.claims import claims_section
from accelreport.report.pages.sections.cold_start import cold_start_section
from accelreport.report.pages.sections.cost import cost_section
from accelreport.report.pages.sections.deployment import deployment_section
from accelreport.report.pages.sections.hardware import hardware_section
from accelreport.report.pages.sections.learning import quality_section
from accelreport.report.pages.sections.network import network_section
from accelreport.report.pages.sections.predictions import predictions_section
from accelreport.report.pages.sections.published import published_section
from accelreport.report.pages.sections.runs import runs_section
from accelreport.report.pages.sections.speedup import speedup_section
from accelreport.report.pages.sections.steps import steps_section
from accelreport.report.site.export import data_of, figure_links
from accelreport.report.slides.benchmark import slides_path
from accelreport.report.text import label
from accelreport.report.view import BenchmarkView, measured_records


def benchmark_page(bench: BenchmarkView) -> Page:
    """The page of one plan."""
    opening = opening_of(bench)
    first = opening.section()
    shown = {block.id for block in first.blocks if isinstance(block, Figure)}
    sections = [section for make in SECTIONS if (section := make(bench))]
    # No deck is made where nothing has a time, and there is nothing to show.
    deck = () if opening.unmeasured else (Download(slides_path(bench), "This page as slides"),)
    return Page(
        path=f"{bench.slug}.html",
        title=label(bench.plan.title),
        kicker=opening.kicker,
        headline=opening.title,
        verdict=opening.verdict,
        finding=opening.answer,
        opening=_downloadable(bench, _without(first, ())),
        sections=tuple(_downloadable(bench, _without(part, shown)) for part in sections),
        measured_on=machine_line(measured_records([bench]), brief=True),
        template="benchmark.html",
        record="Record",
        notices=notices_of([bench]),
        crumbs=(Download("index.html", "All benchmarks"),),
        related=deck,
    )


def times_section(bench: BenchmarkView) -> Section | None:
    """Start-up, then the distribution of steady steps."""
    return _joined("times", "Start-up and steps", cold_start_section(bench), steps_section(bench))


def model_section(bench: BenchmarkView) -> Section | None:
    """What trained models predicted, and what became of them."""
    parts = predictions_section(bench), deployment_section(bench)
    return _joined("model", "Trained model", *parts)


def _joined(name: str, title: str, *parts: Section | None) -> Section | None:
    known = [part for part in parts if part]
    blocks = tuple(block for part in known for block in part.blocks)
    detail = next((part.detail for part in known if part.detail), "")
    return Section(name, title, blocks, folded=True, detail=detail) if known else None


SECTIONS: tuple[Callable[[BenchmarkView], Section | None], ...] = (
    cost_section,
    claims_section,
    network_section,
    reproduce_section,
    speedup_section,
    runs_section,
    times_section,
    quality_section,
    model_section,
    hardware_section,
    published_section,
    files_section,
)
"""Every section in the order of the page; None where a benchmark has nothing to say in it.

Those that are folded are the lines of its record.
"""


def _without(section: Section, shown: Collection[str]) -> Section:
    """The section without the figures of the opening; shared badges stand at titles of tables."""
    blocks: list[Block] = []
    for block in section.blocks:
        if isinstance(block, Figure):
            table = with_shared_badges(block.table) if block.table else None
            blocks.append(replace(block, table=table))
        else:
            blocks.append(with_shared_badges(block) if isinstance(block, Table) else block)
    kept = (b for b in blocks if not (isinstance(b, Figure) and b.id in shown))
    return replace(section, blocks=tuple(kept))


def _downloadable(bench: BenchmarkView, section: Section) -> Section:
    """The section with each figure also as files."""
    blocks: list[Block] = []
    for number, block in enumerate(section.blocks):
        if isinstance(block, Figure):
            figure = replace(block, data=data_of(block, section.blocks[number:]))
            links = figure_links(figure, f"{bench.slug}/{figure.id}")
            blocks.append(replace(figure, downloads=links))
        else:
            blocks.append(block)
    return replace(section, blocks=tuple(blocks))
