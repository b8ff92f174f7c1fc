"""How far a reader of the example has to go, and what is folded on the way."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.support.browser import opened

pytestmark = pytest.mark.e2e


@pytest.mark.parametrize(
    ("name", "width", "most"),
    [
        ("index.html", 1280, 2600),
        ("mnist_batch_sweep.full.html", 1280, 2000),
        ("har_sweep.full.html", 1280, 2100),
        ("claims.html", 390, 5000),
        ("ceilings.html", 390, 2300),
    ],
)
def test_pages_of_the_example_are_not_longer_than_readers_bear(
    name: str, width: int, most: int, example: Path, browser: Browser
) -> None:
    with opened(browser, example / name, width=width) as page:
        assert page.evaluate("document.documentElement.scrollHeight") <= most


def test_a_page_of_the_example_has_at_most_eight_sections_and_its_record_last(
    example: Path, browser: Browser
) -> None:
    for path in example.glob("*.full.html"):
        with opened(browser, path) as page:
            headings = page.locator("main h2").all_inner_texts()
            assert headings[-1] == "Record"
            assert len(headings) <= 8


def test_a_link_to_a_line_of_the_record_opens_it_and_paper_leaves_it_out(
    example: Path, browser: Browser
) -> None:
    for place in ("hardware", "cells-0-0"):
        with opened(browser, example / "mnist_deploy.full.html") as page:
            assert not page.locator(f"#{place}").is_visible()
            page.evaluate(f"location.hash = '#{place}'")
            page.locator(f"#{place}").wait_for(state="visible")
            assert page.locator(".record > details[open]").count() == 1
    with opened(browser, example / "mnist_deploy.full.html") as page:
        page.emulate_media(media="print")
        assert page.locator(".record :visible").count() == 0


@pytest.mark.parametrize("width", [1280, 390])
def test_claims_are_folded_by_benchmark_and_those_that_are_decided_are_open(
    width: int, example: Path, browser: Browser
) -> None:
    with opened(browser, example / "claims.html", width=width) as page:
        for verdict in ("refuted", "claims"):
            assert page.locator(f"#{verdict}-table tr[id]").first.is_visible()
        # What was measured of each seed is beside its claim.
        measures = page.locator("#refuted-table .measure, #claims-table .measure", has_text="seed")
        assert measures.count()
        folded = page.locator("details.folded")
        assert folded.count() > 1
        # A square leads to its row, which opens.
        row = page.locator("details.folded tr[id]").first
        assert not row.is_visible()
        page.locator(f'.unit[href$="#{row.get_attribute("id")}"]').click()
        assert row.is_visible()
        page.emulate_media(media="print")
        assert folded.last.locator("tr[id] > th").last.is_visible()
        assert not folded.last.locator("tr[id] > td").last.is_visible()


@pytest.mark.parametrize(
    ("name", "width"),
    [("har_sweep", 390), ("har_sweep", 820), ("frameworks", 700), ("frameworks", 1100)],
)
def test_a_number_stands_on_the_one_line_of_what_tells_it_from_others(
    name: str, width: int, example: Path, browser: Browser
) -> None:
    with opened(browser, example / f"{name}.full.html", width=width) as page:
        places = page.locator("#claims .at").evaluate_all(
            "all => all.map(e => [e.offsetHeight, e.nextElementSibling.offsetTop - e.offsetTop])"
        )
        assert places
        assert all(height <= 20 and abs(below) <= 1 for height, below in places)
