"""The site of a folder of contributions: ranked pages, a page of each machine, and the files."""

from __future__ import annotations

from pathlib import Path

from accelreport.chips.board import Board
from accelreport.report.model import Page
from accelreport.report.pages.ranked import (
    TITLE,
    json_path,
    machine_page,
    ranked_page,
    ranked_table,
    shown_figures,
    trade_off_page,
)
from accelreport.report.site.drawing import Drawer
from accelreport.report.site.options import SiteFacts
from accelreport.report.site.output import Output
from accelreport.report.site.render import Renderer


def build_chips(board: Board, folder: Path, out: Path) -> int:
    """Writes the site; the same contributions give the same bytes.

    Args:
        board: the contributions that were verified.
        folder: where their files are.
        out: where the site is written.

    Returns:
        How many pages it has.

    Raises:
        AccelReportError: the folder refuses, or nothing can be drawn.
    """
    facts = SiteFacts(TITLE)
    with Output(out) as output, Drawer(None) as drawer:
        renderer = Renderer(drawer.svg, None, facts)
        drawn: list[Page] = [machine_page(board, each) for each in board.histories.values()]
        drawn += filter(None, [trade_off_page(board)])
        for page in drawn:
            drawer.expect(page)
        for figure in shown_figures(board):
            page, table = ranked_page(board, figure), ranked_table(board, figure)
            output.add(page.path, renderer.render(page, site=facts, board=table))
        for page in drawn:
            output.add(page.path, renderer.render(page, site=facts))
        for history in board.histories.values():
            for each in history:
                output.add(json_path(each), (folder / each.file).read_bytes())
        output.finish()
    return len(drawn) + len(shown_figures(board))
