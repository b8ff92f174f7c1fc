"""The whole site as one file: every page but those of single cells, and every file in links.

It is for mail and for a hall without a network. A cell's page is left out because its
record, with every raw step, is among the files; nothing else is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from markupsafe import Markup

from accelreport.errors import AccelReportError, ExitCode
from accelreport.report.drawer import Drawer
from accelreport.report.enclosed import Part, bench_part, front_part, moved, with_figure_files
from accelreport.report.facts import SiteFacts
from accelreport.report.figure_cache import FigureCache
from accelreport.report.gather import gather
from accelreport.report.model import Figure, Page
from accelreport.report.options import BuildOptions
from accelreport.report.pages.benchmark import benchmark_page
from accelreport.report.pages.devices import devices_page
from accelreport.report.pages.index import index_page
from accelreport.report.pages.machines import machines_page
from accelreport.report.pages.methods import methods_page
from accelreport.report.rendering import Renderer
from accelreport.report.results import Results
from accelreport.results.atomic import write_whole

MARK = '<meta name="generator" content="accelreport">'
"""What tells our file from somebody else's."""


class SingleFileError(AccelReportError):
    """The one file cannot be written."""

    exit_code = ExitCode.BAD_RESULTS


def build_single(
    results: Results, out: Path, options: BuildOptions, facts: SiteFacts
) -> tuple[int, int]:
    """Writes the one file.

    Returns:
        How many pages of the site it holds, and how many files were written: 1, or 0 when
        it was there already, byte for byte.

    Raises:
        AccelReportError: there is nothing to build from, another file is in the way, or the
            disk refuses.
    """
    _refuse_foreign(out)
    pages, data = _made(results, options, facts)
    try:
        if out.is_file() and out.read_bytes() == data:
            return pages, 0
        out.parent.mkdir(parents=True, exist_ok=True)
        write_whole(out, data)
    except OSError as error:
        raise SingleFileError(
            f"{out} cannot be written.",
            why=f"{error.strerror or error}.",
            remedy="Free space or allow writing there, or choose another file with --out.",
        ) from error
    return pages, 1


def _made(results: Results, options: BuildOptions, facts: SiteFacts) -> tuple[int, bytes]:
    cache = FigureCache(options.cache / "figures") if options.cache else None
    with Drawer(cache) as drawer:
        parts = _parts(results, facts)
        homes = {part.page.path: part.id for part in parts}
        pages = [moved(part, homes) for part in parts]
        for page in pages:
            drawer.expect(page)

        def drawn(figure: Figure) -> list[Markup]:
            return [drawer.svg(drawing) for drawing in figure.drawings]

        pages = [with_figure_files(page, drawn) for page in pages]
        renderer = Renderer(drawer.svg, options.templates, facts)
        front = replace(pages[0], template="single.html", path="report.html")
        return len(pages), _text(renderer, front, pages, facts)


def _parts(results: Results, facts: SiteFacts) -> list[Part]:
    benches = gather(results)
    problems = [str(problem) for problem in results.problems]
    front = index_page(benches, facts.title, problems)
    own = [bench_part(benchmark_page(b), b, number) for number, b in enumerate(benches, start=1)]
    side_by_side = machines_page(benches)
    rest = [Part(side_by_side, "machines", {})] if side_by_side else []
    rest += [Part(devices_page(benches), "devices", {}), Part(methods_page(), "methods", {})]
    return [front_part(front, benches), *own, *rest]


def _text(renderer: Renderer, front: Page, pages: Sequence[Page], facts: SiteFacts) -> bytes:
    figures = [figure for page in pages if page.id != front.id for figure in page.figures]
    return renderer.render(front, figures=figures, pages=pages, site=facts).encode()


def _refuse_foreign(out: Path) -> None:
    try:
        with out.open(encoding="utf-8", errors="replace") as file:
            ours = MARK in file.read(4096)
    except FileNotFoundError:
        return
    except OSError as error:
        raise SingleFileError(
            f"{out} cannot be the file of a report.",
            why=f"{error.strerror or error}.",
            remedy="Name a file with --out, such as report.html.",
        ) from error
    if not ours:
        raise SingleFileError(
            f"{out} is in the way.",
            why="It was not written by accelreport build, which replaces only its own files.",
            remedy="Move it away, or choose another file with --out.",
        )
