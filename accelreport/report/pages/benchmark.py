"""A benchmark's page: the plan's sections, in the order a reader asks for them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from accelreport.report import quantity
from accelreport.report.model import Block, Download, Fact, Figure, Page, Section
from accelreport.report.openings.grid import grid_lines_section
from accelreport.report.openings.opening import Opening
from accelreport.report.openings.registry import opening_of
from accelreport.report.pages.machines import machine_line
from accelreport.report.pages.sections.about import (
    cells_section,
    cite_section,
    downloads_section,
    environment_section,
    measured_facts,
    reproduce_section,
    source_facts,
    spec_section,
)
from accelreport.report.pages.sections.batch_law import batch_law_section
from accelreport.report.pages.sections.claims import claims_section
from accelreport.report.pages.sections.cold_start import cold_start_section
from accelreport.report.pages.sections.compute import compute_section
from accelreport.report.pages.sections.cost import cost_section, resources_section
from accelreport.report.pages.sections.deployment import deployment_section
from accelreport.report.pages.sections.learning import quality_section
from accelreport.report.pages.sections.network import network_section
from accelreport.report.pages.sections.predictions import (
    confusion_section,
    forecast_section,
    generated_text_section,
    samples_section,
)
from accelreport.report.pages.sections.problems import (
    notices_of,
    problems_section,
    warnings_section,
)
from accelreport.report.pages.sections.published import published_section
from accelreport.report.pages.sections.speedup import scaling_section, speedup_section
from accelreport.report.pages.sections.steps import steps_section
from accelreport.report.site.export import data_of, figure_links
from accelreport.report.site.options import NO_FACTS, SiteFacts
from accelreport.report.slides.benchmark import slides_path
from accelreport.report.text import label
from accelreport.report.view import BenchmarkView


def benchmark_page(bench: BenchmarkView, facts: SiteFacts = NO_FACTS) -> Page:
    """The page of one plan.

    Args:
        bench: the plan with its records.
        facts: whether figures also become pictures and pages to embed.
    """
    opening = opening_of(bench)
    first = opening.section()
    shown = {block.id if block.kind == "figure" else block.kind for block in first.blocks}
    return Page(
        path=f"{bench.slug}.html",
        title=label(bench.plan.title),
        kicker=opening.kicker,
        headline=opening.title,
        finding=opening.answer,
        opening=_downloadable(bench, first, facts),
        sections=tuple(_downloadable(bench, each, facts) for each in _sections(bench, shown)),
        template="article.html",
        byline=byline(bench),
        notices=notices_of([bench]),
        crumbs=(Download("index.html", "All benchmarks"),),
        related=_slides(bench, opening),
    )


def _sections(bench: BenchmarkView, shown: Collection[str]) -> list[Section]:
    """Sections that have something to tell: those to be read, then folded those to be looked up.

    Args:
        bench: the plan with its records.
        shown: ids of the figures, and kinds of the other blocks, of the first screen.
    """
    lines = grid_lines_section(bench)
    # The grid and its lines have every time and quality, so that tables of them are looked up.
    compared = (speedup_section(bench), quality_section(bench, opened="learning-curves" in shown))
    steps = steps_section(bench)
    asked, beside = ((steps,), ()) if bench.words.calls else ((), (steps,))
    told = {"gallery": samples_section(bench), "code": generated_text_section(bench)}
    claims = claims_section(bench)
    answered = any(result.tested for result in bench.tested)
    read = (
        *((claims,) if answered else ()),
        *asked,
        lines,
        *(() if lines else compared),
        batch_law_section(bench),
        scaling_section(bench),
        confusion_section(bench),
        *(each for kind, each in told.items() if kind not in shown),
        forecast_section(bench, opened="forecast-0" in shown),
        deployment_section(bench, opened="int8" in shown),
        problems_section(bench),
        warnings_section(bench),
    )
    looked_up = (
        network_section(bench),
        *(() if answered else (claims,)),
        *(compared if lines else ()),
        *(each for kind, each in told.items() if kind in shown),
        published_section(bench),
        cold_start_section(bench),
        compute_section(bench),
        *beside,
        resources_section(bench),
        cost_section(bench),
        reproduce_section(bench),
        environment_section(bench),
        cells_section(bench),
        cite_section(bench),
        spec_section(bench),
        downloads_section(bench),
    )
    folded = (replace(each, folded=True) for each in looked_up if each)
    return [each for each in (*read, *folded) if each]


def _slides(bench: BenchmarkView, opening: Opening) -> tuple[Download, ...]:
    """The way to the deck; none is made where nothing has a time, and there is nothing to show."""
    return () if opening.unmeasured else (Download(slides_path(bench), "This page as slides"),)


def byline(bench: BenchmarkView) -> tuple[Fact, ...]:
    """When, where and after whom."""
    machines = machine_line(bench.records.values())
    facts = [
        *source_facts(bench),
        *([Fact("Measured on", machines)] if machines else []),
        *measured_facts(bench),
    ]
    dates = quantity.days(record.started_at for record in bench.records.values())
    if dates:
        facts.append(Fact("Date", dates))
    return tuple(facts)


def _downloadable(bench: BenchmarkView, section: Section, facts: SiteFacts) -> Section:
    """The section with each figure also as files."""
    blocks = tuple(
        _with_files(bench, block, section.blocks[number:], facts)
        if isinstance(block, Figure)
        else block
        for number, block in enumerate(section.blocks)
    )
    return replace(section, blocks=blocks)


def _with_files(
    bench: BenchmarkView, figure: Figure, after: Sequence[Block], facts: SiteFacts
) -> Figure:
    figure = replace(figure, data=data_of(figure, after))
    links = figure_links(figure, f"{bench.slug}/{figure.id}", pictures=facts.pictures)
    embed = f"embed/{bench.slug}.{figure.id}.html" if facts.address else ""
    return replace(figure, downloads=links, embed=embed)
