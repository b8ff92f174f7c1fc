"""The site: from a results folder to pages that load nothing and run nothing."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from accelreport.errors import AccelReportError
from accelreport.report import formatting
from accelreport.report.bench import Bench, cell_slug
from accelreport.report.drawer import Drawer
from accelreport.report.exports import bench_files, record_json, site_files
from accelreport.report.gather import Results, gather
from accelreport.report.model import Page
from accelreport.report.output import Output
from accelreport.report.pages.benchmark import benchmark_page
from accelreport.report.pages.cell import cell_page
from accelreport.report.pages.index import index_page
from accelreport.report.pages.methods import methods_page
from accelreport.report.pages.slides import slides_page
from accelreport.report.rendering import Renderer
from accelreport.report.standalone import figure_svg


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
    if options.templates is not None and not options.templates.is_dir():
        raise AccelReportError(
            f"{options.templates} is not a folder of templates.",
            remedy="Name a folder that holds copies of the templates you want to change.",
        )
    with Drawer() as drawer:
        benches = gather(results)
        if not benches:
            raise AccelReportError(
                "There is nothing to build a report from.",
                why="The results folder holds no plan.",
                remedy="Run `accelreport run specs/` first.",
            )
        output = Output(out)
        problems = [str(problem) for problem in results.problems]
        pages = []
        for page in _pages(benches, options.title, problems):
            drawer.expect(page)
            pages.append(page)
        for path, content in _files(benches):
            output.add(path, content)
        renderer = Renderer(drawer.svg, options.templates)
        site = SiteFacts(options.title, span(benches))
        # Pages without charts first: the others are still being drawn.
        for page in sorted(pages, key=lambda each: each.template != "cell.html"):
            output.add(page.path, renderer.render(page, site=site))
            for figure in page.figures:
                for number, file in enumerate(figure.downloads):
                    drawn = [drawer.svg(drawing) for drawing in figure.drawings]
                    output.add(file.href, figure_svg(figure, drawn, dark=number > 0))
    written = output.finish()
    return BuildResult(len(pages), written, out / "index.html", time.perf_counter() - started)


def _pages(benches: Sequence[Bench], title: str, problems: Sequence[str]) -> Iterator[Page]:
    yield index_page(benches, title, problems)
    yield methods_page()
    owners: dict[tuple[str, str], list[Bench]] = {}
    for bench in benches:
        page = benchmark_page(bench)
        yield page
        if bench.shown_series:
            yield slides_page(bench, page)
    for bench in benches:
        for place in bench.records:
            owners.setdefault(place, []).append(bench)
    for (key, machine), own in owners.items():
        yield cell_page(own[0], own[0].records[key, machine], machine, own)


def _files(benches: Sequence[Bench]) -> Iterator[tuple[str, str]]:
    texts: dict[tuple[str, str], str] = {}
    for bench in benches:
        for place, record in bench.records.items():
            if place not in texts:
                texts[place] = record_json(record)
                yield f"cells/{cell_slug(*place)}.json", texts[place] + "\n"
        yield from bench_files(bench, texts)
    yield from site_files(benches)


def span(benches: Sequence[Bench]) -> str:
    """When the records were measured."""
    dates = formatting.days(r.started_at for bench in benches for r in bench.records.values())
    if not dates:
        return "Nothing has been measured yet."
    return f"Measured {'from' if ' to ' in dates else 'on'} {dates}."
