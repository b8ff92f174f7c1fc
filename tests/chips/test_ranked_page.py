"""The ranked page: ranks, ratios to the first, what is published, and what a reader chooses."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from accelreport.chips.board import Board, board_of
from accelreport.report.model import Links, Table
from accelreport.report.pages.ranked import ranked_page, shown_figures
from accelreport.report.site.chips import build_chips
from tests.chips.invented import folder
from tests.support.browser import opened

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Board:
    return board_of(folder(tmp_path_factory.mktemp("chips"), 8))


@pytest.fixture(scope="module")
def site(board: Board, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder_of = next(iter(tmp_path_factory.getbasetemp().glob("chips*")))
    out = tmp_path_factory.mktemp("site")
    build_chips(board, folder_of, out)
    return out


def ranks_of(page: Page) -> list[str]:
    return page.locator(
        "#ranked tbody:first-of-type tr:visible th .badge:first-of-type"
    ).all_inner_texts()


def test_every_entry_is_a_row_in_the_order_of_its_ranks(board: Board) -> None:
    """What is published is drawn alone; who is first is named if it is known."""
    assert board.published["images"]
    pages = {figure: ranked_page(board, figure) for figure in shown_figures(board)}
    (front,) = (page for page in pages.values() if page.path == "index.html")
    for figure, page in pages.items():
        ranks = board.ranks[figure.name]
        table, others = page.sections[0].blocks[0], front.sections[1].blocks[0]
        assert isinstance(table, Table)
        assert isinstance(others, Links)
        rows, published = table.groups[0].rows, board.published.get(figure.name, ())
        (drawn,) = page.figures
        places = [row.header.tag.text for row in table.groups[0].rows if row.header.tag]
        assert [place.split("–")[0] for place in places] == [f"{rank.best}" for rank in ranks]
        assert rows[0].entries[1].lines[0].text == "1×"
        drawn_as = drawn.drawings[0].description
        assert all(f"{place} · " in drawn_as for place in places)
        for row, rank in zip(rows[1:], ranks[1:], strict=True):
            undecided = row.entries[1].lines[0].text == "undecided"
            assert undecided == (rank.best <= ranks[0].worst)
        assert ("leaves validation out" in drawn.caption) == bool(published)
        assert "utline" not in drawn.caption, "a group of its bars is called published"
        several = sum(rank.best == 1 for rank in ranks) > 1
        beside = [link.what for link in others.items if link.title == figure.title]
        assert len(beside) == (page.path != "index.html")
        assert all(("undecided" in text) == several for text in (page.headline, *beside))
        assert ("synthetic data" in page.kicker) == (figure.spec != "chip_accuracy")


def test_rows_are_filtered_and_the_address_keeps_the_choice(site: Path, browser: Browser) -> None:
    with opened(browser, site / "index.html", files=True) as page:
        page.locator("#ranks summary").click()
        every = ranks_of(page)
        page.get_by_label("Find in the tables").fill("float32")
        chosen, fragment = ranks_of(page), page.evaluate("location.hash")
        assert 0 < len(chosen) < len(every)
    with opened(browser, site / "index.html", fragment, files=True) as page:
        assert ranks_of(page) == chosen


def test_ratios_are_to_the_chip_that_a_reader_chooses(site: Path, browser: Browser) -> None:
    with opened(browser, site / "index.html", files=True) as page:
        rows = page.locator("#ranked tbody:first-of-type tr")
        values = [float(v) for v in rows.locator("[data-value]:nth-of-type(1)").evaluate_all(
            "cells => cells.map(cell => cell.dataset.value)")]  # fmt: skip
        head = page.locator("#ranked th").nth(2)
        page.locator("#ranks summary").click()
        assert head.inner_text() == "speed relative to first"
        page.get_by_label("Ratio to").select_option(index=len(values))
        assert re.fullmatch(r"speed relative to .+, b?float(16|32)", head.inner_text())
        ratios = rows.locator("td:nth-of-type(2)").all_inner_texts()
        assert ratios[-1] == "1×"
        assert float(ratios[0][:-1]) == pytest.approx(values[0] / values[-1], rel=0.06)
        page.get_by_label("Ratio to").select_option("first")
        assert rows.locator("td:nth-of-type(2)").first.text_content() == "1×"


def test_another_figure_is_another_page_that_needs_no_script(site: Path, browser: Browser) -> None:
    with opened(browser, site / "index.html", script=False, files=True) as page:
        page.get_by_role("link", name="Latency of one image").click()
        assert " in latency of one image" in page.locator("h1").inner_text()


def test_a_value_of_steps_that_the_budget_stopped_says_so(
    board: Board, site: Path, browser: Browser
) -> None:
    stopped = [row.entry.stopped for row in board.ranks["images"]]
    assert any(stopped)
    assert not all(stopped)
    with opened(browser, site / "index.html", script=False, files=True) as page:
        values = page.locator("#ranked tbody:first-of-type td:nth-of-type(1)").all_text_contents()
        best = page.locator("#ranked td .value").first.text_content()
        notes = page.locator(".table-note").all_text_contents()
    with opened(browser, site / "latency.html", script=False, files=True) as page:
        of_256 = page.locator(".links li", has_text="CNN, batch 256").first.text_content()
    assert best
    assert best in (of_256 or "")
    assert "† stopped by the budget" in notes
    assert ["†" in text for text in values] == [bool(own) for own in stopped]


def test_every_ranked_page_leads_to_the_report(tmp_path: Path, browser: Browser) -> None:
    folder_of = folder(tmp_path / "chips", 2)
    address = "https://example.org/chips/"
    out = tmp_path / "site" / "chips"
    build_chips(board_of(folder_of), folder_of, out, "../index.html", address)
    for path in out.glob("*.html"):
        text = path.read_text(encoding="utf-8")
        name = "" if path.name == "index.html" else path.name
        assert f'<link rel="canonical" href="{address}{name}">' in text
        assert f'content="{address}preview/{path.stem}.png"' in text
        assert (out / "preview" / f"{path.stem}.png").read_bytes().startswith(b"\x89PNG")
        with opened(browser, path, script=False, files=True) as page:
            link = page.get_by_role("link", name="Benchmarks")
            assert link.get_attribute("href") == "../index.html"
