"""The site of a folder of contributions: ranked pages, a page of each machine, and the files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from accelreport.chips.board import Board
from accelreport.report.model import Download
from accelreport.report.pages.ranked import (
    archive_path,
    machine_page,
    ranked_page,
    shown_figures,
)
from accelreport.report.site.drawing import Drawer
from accelreport.report.site.export import figure_svg, preview
from accelreport.report.site.options import RANKED_TITLE, BuildOptions, facts_of
from accelreport.report.site.output import Output
from accelreport.report.site.render import Renderer


def build_chips(board: Board, folder: Path, out: Path, report: str = "", base_url: str = "") -> int:
    """Writes the site; the same contributions give the same bytes.

    Args:
        board: the contributions that were verified.
        folder: where their files are.
        out: where the site is written.
        report: address of the report that every page leads to; empty where there is none.
        base_url: where the site will be published; empty when that is not known.

    Returns:
        How many pages it has.

    Raises:
        AccelReportError: the folder refuses, or nothing can be drawn.
    """
    facts = facts_of(BuildOptions(title=RANKED_TITLE, base_url=base_url))
    with Output(out) as output, Drawer(None) as drawer:
        renderer = Renderer(drawer.svg, None, facts)
        related = (Download(report, "Benchmarks"),) if report else ()
        pages = [ranked_page(board, figure) for figure in shown_figures(board)]
        pages += [machine_page(board, history) for history in board.histories.values()]
        for page in pages:
            drawer.expect(page)
        for page in pages:
            image = f"preview/{Path(page.path).stem}.png" if facts.address else ""
            shown = replace(page, related=related, image=image)
            output.add(page.path, renderer.render(shown, site=facts))
            if image:
                drawn = [drawer.svg(drawing) for f in page.figures[:1] for drawing in f.drawings]
                figure = figure_svg(page.figures[0], drawn, dark=False) if drawn else ""
                picture = preview(page, facts, figure)
                output.add(image, drawer.png(picture, scale=1.0, of=f"{page.path}: the preview"))
        for history in board.histories.values():
            for submission in history:
                output.add(archive_path(submission), (folder / submission.file).read_bytes())
        output.finish()
    return len(pages)
