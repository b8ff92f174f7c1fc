"""Pages that respond to a reader, and are whole for one whose browser runs no script."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.browser import opened

pytestmark = pytest.mark.e2e

BENCHMARK = "mnist_batch_sweep.full.html"
SHOWN = "tbody tr:not(.group):visible"


def first_cells(page: Page, table: str) -> list[str]:
    """The header of each row of a table, from the top."""
    return page.locator(f"#{table} tbody tr:not(.group) > :first-child").all_inner_texts()


@pytest.mark.parametrize(
    ("path", "facet"),
    [
        ("claims.html", "Verdict"),
        ("claims.html", "Device"),
        ("claims.html", "Provenance"),
        ("benchmarks.html", "Device"),
        ("benchmarks.html", "Provenance"),
    ],
)
def test_a_reader_filters_rows_and_sends_what_is_left(
    path: str, facet: str, example: Path, browser: Browser
) -> None:
    name = facet.lower()
    with opened(browser, example / path) as page:
        page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
        every = page.locator(SHOWN).count()
        choice = page.locator(f"select[name={name}]")
        value = choice.locator("option").last.inner_text()
        choice.select_option(value)
        left = page.locator(SHOWN)
        assert 0 < left.count() < every
        facts = page.locator(f"tr[data-{name}]:visible")
        for number in range(facts.count()):
            assert value in (facts.nth(number).get_attribute(f"data-{name}") or "").split("\n")
        assert f"{left.count()} of" in page.locator(".filter output").inner_text()
        address, found = page.url, left.count()
        page.go_back()
        expect(choice).to_have_value("")
        page.go_forward()
        expect(choice).to_have_value(value)
    with opened(browser, example / path, address.partition(".html")[2]) as page:
        expect(page.locator(f"select[name={name}]")).to_have_value(value)
        page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
        assert page.locator(SHOWN).count() == found


def test_a_column_of_numbers_is_sorted_by_value_with_the_keyboard(
    example: Path, browser: Browser
) -> None:
    """Times are written in the unit that suits each, and a rate has commas."""
    with opened(browser, example / "benchmarks.html") as page:
        page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
        before = first_cells(page, "all-rates")
        table = page.locator("#all-rates")
        head = table.locator("thead th", has_text="rate")
        head.get_by_role("button").focus()
        for way in ("ascending", "descending"):
            page.keyboard.press("Enter")
            assert head.get_attribute("aria-sort") == way
            for body in table.locator("tbody").all():
                cells = body.locator("tr:not(.group) > :nth-child(3)")
                values = [cell.get_attribute("data-value") for cell in cells.all()]
                known = [float(value) for value in values if value]
                assert known == sorted(known, reverse=way == "descending")
                # What has no number is last both ways.
                assert all(values[: len(known)])
        address = page.url
        page.keyboard.press("Enter")
        assert head.get_attribute("aria-sort") is None
        assert first_cells(page, "all-rates") == before
    with opened(browser, example / "benchmarks.html", address.partition(".html")[2]) as page:
        assert page.locator("#all-rates [aria-sort=descending]").count() == 1


def unfold(page: Page, place: str) -> None:
    """Opens the line of the record that a place of the page is behind, if it is behind one."""
    for line in page.locator(f"details.folded:has({place}) > summary").all():
        line.click()


@pytest.mark.parametrize("path", ["benchmarks.html", BENCHMARK])
def test_every_column_of_every_table_can_be_sorted(
    path: str, example: Path, browser: Browser
) -> None:
    with opened(browser, example / path) as page:
        page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
        rows = sorted(page.locator("tbody tr").all_text_contents())
        for number in range(page.locator(".sort").count()):
            page.evaluate("number => document.querySelectorAll('.sort')[number].click()", number)
            assert page.locator("[aria-sort]").count() == 1
            assert sorted(page.locator("tbody tr").all_text_contents()) == rows


LAST = "svg => [...svg.querySelectorAll('path, rect')].findLastIndex(mark => mark.told)"
"""The uppermost mark of a figure."""


def test_a_mark_that_is_pointed_at_tells_its_value_and_sets_its_device_off(
    example: Path, browser: Browser
) -> None:
    with opened(browser, example / BENCHMARK) as page:
        svg = page.locator("#sweep .full svg")
        mark = svg.locator("path, rect").nth(svg.evaluate(LAST))
        mark.hover(force=True)
        tip = page.locator(".tip").inner_text()
        assert "batch size" in tip
        assert "images/s" in tip
        own = mark.get_attribute("data-series")
        others = page.locator(f".chart [data-series]:not([data-series='{own}']):visible")
        assert others.count() > 5
        for other in others.all()[:20]:
            assert float(other.evaluate("e => getComputedStyle(e).opacity")) < 0.3
        same = page.locator(f".chart .full path[data-series='{own}']:visible").first
        assert float(same.evaluate("e => getComputedStyle(e).opacity")) == 1
        page.locator("h1").hover()
        assert not page.locator(".tip").is_visible()
        assert float(others.first.evaluate("e => getComputedStyle(e).opacity")) == 1


def test_values_of_a_figure_are_reached_by_the_keyboard(example: Path, browser: Browser) -> None:
    with opened(browser, example / BENCHMARK) as page:
        page.locator("#sweep .full svg").focus()
        tip = page.get_by_role("status").locator("visible=true")
        first = tip.inner_text()
        page.keyboard.press("ArrowRight")
        assert tip.inner_text() != first
        page.keyboard.press("ArrowLeft")
        assert tip.inner_text() == first
        page.keyboard.press("Escape")
        assert tip.count() == 0
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Tab")
        assert tip.count() == 0


@pytest.mark.parametrize("way", ["hover", "focus"])
def test_an_entry_of_a_legend_sets_its_device_off_in_all_figures(
    way: str, example: Path, browser: Browser
) -> None:
    with opened(browser, example / "strategies.full.html") as page:
        # Legends are in folds: a figure of an opening names its rows and lines at them.
        page.locator("details").evaluate_all("folds => folds.forEach(fold => { fold.open = true })")
        entry = page.locator(".keys:visible [data-series]").nth(1)
        getattr(entry, way)()
        own = entry.get_attribute("data-series")
        lit = page.locator(".chart .on")
        figures = lit.evaluate_all("marks => new Set(marks.map(e => e.closest('figure').id)).size")
        assert figures > 1
        assert {mark.get_attribute("data-series") for mark in lit.all()} == {own}


def test_a_row_that_is_pointed_at_sets_its_device_off(example: Path, browser: Browser) -> None:
    with opened(browser, example / "frameworks.full.html") as page:
        unfold(page, "#speedup")
        row = page.locator("#speedup tr[data-series]").first
        row.hover()
        assert page.locator(".chart .on").count() > 0


def test_a_browser_without_scripts_has_each_value_as_a_title(
    example: Path, browser: Browser
) -> None:
    with opened(browser, example / BENCHMARK) as page:
        told = page.evaluate(
            "[...document.querySelectorAll('.chart svg *')].map(e => e.told).filter(Boolean)"
        )
    with opened(browser, example / BENCHMARK, script=False) as page:
        titles = page.locator(".chart svg * > title").all_text_contents()
    assert titles == told
    assert len(titles) > 30


def test_paper_shows_neither_filters_nor_signs_of_buttons(example: Path, browser: Browser) -> None:
    with opened(browser, example / "benchmarks.html") as page:
        page.emulate_media(media="print")
        assert not page.locator(".filter").is_visible()
        line = page.locator(".sort").first.evaluate("e => getComputedStyle(e).borderStyle")
        assert line == "none"


def test_nothing_of_it_is_there_without_scripts(example: Path, browser: Browser) -> None:
    for path in ("claims.html", "benchmarks.html", BENCHMARK):
        with opened(browser, example / path, "#verdict=confirmed", script=False) as page:
            assert page.locator("button, select, .filter:visible").count() == 0
            assert page.locator("tbody tr").count() > 3
            assert page.locator("tbody tr[hidden], tbody[hidden]").count() == 0
