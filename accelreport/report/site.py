"""The site: from a results folder to pages that load nothing and run nothing."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from accelreport.errors import AccelReportError
from accelreport.report import formatting
from accelreport.report.bench import Bench
from accelreport.report.gather import Results, gather
from accelreport.report.output import Output
from accelreport.report.pages.benchmark import benchmark_page
from accelreport.report.pages.index import index_page
from accelreport.report.rendering import Renderer


@dataclass(frozen=True)
class BuildOptions:
    """What a person may choose.

    Attributes:
        title: the site's name, at the top of every page.
        templates: a folder whose templates replace ours, file by file.
    """

    title: str = "Accelerator benchmarks"
    templates: Path | None = None


@dataclass(frozen=True)
class BuildResult:
    """What was built.

    Attributes:
        pages: number of HTML pages.
        written: files that are new or changed.
        index: the page to open.
        seconds: how long it took.
    """

    pages: int
    written: int
    index: Path
    seconds: float


@dataclass(frozen=True)
class SiteFacts:
    """What every page says of the site."""

    title: str
    span: str


def build(results: Results, out: Path, *, options: BuildOptions = BuildOptions()) -> BuildResult:
    """Writes the site; needs neither TensorFlow nor any spec.

    The same records give the same bytes, whenever and wherever they are built.

    Args:
        results: the results folder.
        out: where the site is written; files that are not the site's own are kept.
        options: title and templates.

    Raises:
        AccelReportError: there is nothing to build from, or the folder refuses.
    """
    started = time.perf_counter()
    benches = gather(results)
    if not benches:
        raise AccelReportError(
            "There is nothing to build a report from.",
            why="The results folder holds no plan.",
            remedy="Run `accelreport run specs/` first.",
        )
    output = Output(out)
    renderer = Renderer(options.templates)
    site = SiteFacts(options.title, span(benches))
    problems = [str(problem) for problem in results.problems]
    pages = [index_page(benches, options.title, problems), *map(benchmark_page, benches)]
    for page in pages:
        output.add(page.path, renderer.render(page.template, "full", page=page, site=site))
    written = output.finish()
    return BuildResult(len(pages), written, out / "index.html", time.perf_counter() - started)


def span(benches: Sequence[Bench]) -> str:
    """When the records were measured."""
    starts = (record.started_at for bench in benches for record in bench.records.values())
    known = sorted(when for when in map(formatting.instant, starts) if when)
    if not known:
        return "Nothing has been measured yet."
    first, last = formatting.day(known[0]), formatting.day(known[-1])
    return f"Measured on {first}." if first == last else f"Measured from {first} to {last}."
