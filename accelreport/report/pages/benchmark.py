"""A benchmark's page: the plan's sections, in the order a reader asks for them."""

from __future__ import annotations

from accelreport.report.bench import Bench
from accelreport.report.model import Download, Fact, Page
from accelreport.report.pages.claims import claims_section
from accelreport.report.pages.finding import headline
from accelreport.report.pages.notices import notices_of
from accelreport.report.pages.speedup import speedup_section
from accelreport.report.text import label


def benchmark_page(bench: Bench) -> Page:
    """The page of one plan."""
    plan = bench.plan
    finding = headline(bench)
    sections = [speedup_section(bench), claims_section(bench)]
    return Page(
        path=f"{bench.slug}.html",
        title=label(plan.title),
        kicker=f"{bench.words.family} · {label(plan.profile, 40)} profile",
        finding=finding,
        description=finding,
        sections=tuple(section for section in sections if section),
        template="article.html",
        byline=byline(bench),
        notices=notices_of([bench]),
        crumbs=(Download("index.html", "All benchmarks"),),
    )


def byline(bench: Bench) -> tuple[Fact, ...]:
    """When, where and after whom."""
    return ()
