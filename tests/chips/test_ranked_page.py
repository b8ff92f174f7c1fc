"""The ranked page: its choices with and without a script, its size, and what it compares."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from markupsafe import Markup
from playwright.sync_api import Browser, Page, expect

from accelreport.analysis.stats import geometric_mean
from accelreport.chips.board import Board, Submission, board_of
from accelreport.chips.ranking import FIGURES, Entry
from accelreport.report import quantity
from accelreport.report.charts.drawing import Named
from accelreport.report.charts.trade_off import Offer, unbeaten
from accelreport.report.pages.ranked import ranked_page, ranked_table, shown_figures
from accelreport.report.site.chips import build_chips
from accelreport.report.site.options import SiteFacts
from accelreport.report.site.render import Renderer
from tests.chips.invented import folder
from tests.support.browser import opened

pytestmark = pytest.mark.e2e

MOST = 300_000
"""Bytes of the page with 500 machines in two precisions each."""
ROWS = "#board tbody tr:visible"


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Board:
    return board_of(folder(tmp_path_factory.mktemp("chips"), 8))


@pytest.fixture(scope="module")
def site(board: Board, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder_of = next(iter(tmp_path_factory.getbasetemp().glob("chips*")))
    out = tmp_path_factory.mktemp("site")
    build_chips(board, folder_of, out)
    return out


def crowd(board: Board, number: int) -> Board:
    """As many machines, each like one of the board, with times of its own."""
    rng = random.Random(0)  # noqa: S311 -- not for secrets

    def again(entry: Entry, name: str) -> Entry:
        pace = rng.lognormvariate(0, 1)
        values = [pace * value * rng.lognormvariate(0, 0.02) for value in entry.repeats.values()]
        return replace(entry, contribution=name, value=geometric_mean(values))

    def machines() -> Iterator[Submission]:
        for turn in range(number):
            one = board.machines[turn % len(board.machines)]
            name = f"{one.name[:-8]}{turn:08x}"
            environment = one.environment.model_copy(update={"machine": f"{turn:08x}"})
            entries = {f: [again(row, name) for row in rows] for f, rows in one.entries.items()}
            yield replace(one, name=name, environment=environment, entries=entries)

    return replace(board, histories={machine.machine: [machine] for machine in machines()})


def test_a_page_of_500_machines_in_two_precisions_is_small(board: Board) -> None:
    large = crowd(board, 500)
    renderer = Renderer(lambda _: Markup())
    for figure in shown_figures(large):
        page, table = ranked_page(large, figure), ranked_table(large, figure)
        text = renderer.render(page, site=SiteFacts("t"), board=table)
        assert len(text.encode()) <= MOST, figure.name
    assert len(ranked_table(large, FIGURES[0]).rows) >= 1000


def ranks(page: Page) -> list[str]:
    return page.locator(f"{ROWS} td:first-child").all_inner_texts()


@pytest.mark.parametrize("script", [True, False])
def test_rows_are_filtered_and_ticked_ones_shown_alone_without_a_script(
    site: Path, browser: Browser, script: bool
) -> None:
    with opened(browser, site / "index.html", script=script, files=True) as page:
        every = len(ranks(page))
        page.locator("fieldset label", has_text="float32").locator("input").check()
        assert 0 < len(ranks(page)) < every
        details = page.locator(f"{ROWS} td:nth-child(2) i").all_inner_texts()
        assert all("float32" in detail for detail in details)
        page.locator(f"{ROWS} input").nth(1).check()
        page.locator("fieldset label", has_text="ticked rows").locator("input").check()
        assert len(ranks(page)) == 1


def test_another_figure_is_another_page_that_needs_no_script(site: Path, browser: Browser) -> None:
    with opened(browser, site / "index.html", script=False, files=True) as page:
        page.get_by_role("link", name="latency").click()
        expect(page.locator("[aria-current]")).to_have_text("latency")


def test_the_address_keeps_choices_ticked_rows_and_their_verdict(
    site: Path, browser: Browser
) -> None:
    with opened(browser, site / "index.html", files=True) as page:
        page.locator("fieldset label", has_text="bfloat16").locator("input").check()
        boxes = page.locator(f"{ROWS} input[type=checkbox]")
        boxes.first.check()
        boxes.last.check()
        verdict = page.locator("#verdict").inner_text()
        assert " as fast as " in verdict
        shown, fragment = ranks(page), page.evaluate("location.hash")
        address = page.get_by_role("link", name="latency").get_attribute("href")
        assert address
        assert address.endswith(fragment)
    with opened(browser, site / "index.html", fragment, files=True) as page:
        assert page.locator("#verdict").inner_text() == verdict
        assert ranks(page) == shown


def test_two_whose_intervals_overlap_are_undecided(
    board: Board, site: Path, browser: Browser
) -> None:
    """The page says so of the same pairs as the ranks do."""
    rows = board.ranks["images"]
    with opened(browser, site / "index.html", files=True) as page:
        boxes = page.locator("#board tbody input[type=checkbox]")
        for place, (one, two) in enumerate(pairwise(rows)):
            boxes.nth(place).check()
            boxes.nth(place + 1).check()
            overlap = two.entry.value.high >= one.entry.value.low
            assert ("undecided" in page.locator("#verdict").inner_text()) == overlap
            boxes.nth(place).uncheck()
            boxes.nth(place + 1).uncheck()


def test_a_row_is_ticked_by_the_name_of_its_machine(site: Path, browser: Browser) -> None:
    with opened(browser, site / "index.html", script=False, files=True) as page:
        row = page.locator(ROWS).first.locator("td:nth-child(2)")
        chip, detail = (row.locator(tag).inner_text() for tag in ("a", "i"))
        page.get_by_role("checkbox", name=f"{chip} {detail}").check()
        assert row.get_by_role("checkbox").is_checked()


def test_without_a_script_the_page_says_how_two_rows_compare(site: Path, browser: Browser) -> None:
    with opened(browser, site / "index.html", script=False, files=True) as page:
        assert "undecided if their bars overlap" in page.locator("#verdict").inner_text()


def test_a_value_of_steps_that_the_budget_stopped_is_marked(
    board: Board, site: Path, browser: Browser
) -> None:
    """Beside each number of the ranked page, and with the steps on the page of the machine."""
    stopped = [row.entry.stopped for row in board.ranks["images"]]
    assert any(stopped)
    assert not all(stopped)
    with opened(browser, site / "index.html", script=False, files=True) as page:
        intervals = page.locator("#board tr:has(input) td:nth-child(4) p").all_inner_texts()
        assert [text.startswith("†") for text in intervals] == [bool(own) for own in stopped]
        first = stopped.index(next(filter(None, stopped)))
        page.locator("#board tbody a").nth(first).click()
        done, planned = map(quantity.count, stopped[first] or ())
        text = f"stopped after {done} of {planned} steps"
        assert page.get_by_text(text).count()


def test_a_chip_is_beaten_only_where_both_intervals_of_another_are_better() -> None:
    def offer(name: str, seconds: tuple[float, ...], cost: tuple[float, ...]) -> Offer:
        return Offer(name, Named(name, 0), seconds, cost, "")  # type: ignore[arg-type]

    best = offer("best", (10, 9, 11), (10, 9, 11))
    overlapping = offer("overlapping", (11, 10, 12), (30, 28, 32))
    cheaper = offer("cheaper", (50, 45, 55), (1, 0.9, 1.1))
    beaten = offer("beaten", (20, 18, 22), (20, 18, 22))
    offers = [best, overlapping, cheaper, beaten]
    assert unbeaten(offers) == [best, overlapping, cheaper]


def test_every_ranked_page_leads_to_the_report(tmp_path: Path, browser: Browser) -> None:
    folder_of = folder(tmp_path / "chips", 2)
    build_chips(board_of(folder_of), folder_of, tmp_path / "site" / "chips", "../index.html")
    for path in (tmp_path / "site" / "chips").glob("*.html"):
        with opened(browser, path, script=False, files=True) as page:
            link = page.get_by_role("link", name="Benchmarks")
            assert link.get_attribute("href") == "../index.html"
