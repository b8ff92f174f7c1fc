"""The documentation in a real browser: light, dark and on a telephone."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.report.test_browser import opened

pytestmark = pytest.mark.e2e

PAGES = ("index.html", "tutorial.html", "statistics.html", "reference-spec.html")


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (1440, "dark"), (390, "light")])
def test_a_page_asks_for_nothing_and_fits(
    name: str, width: int, scheme: str, built: Path, browser: Browser
) -> None:
    with opened(browser, built / name, width=width, scheme=scheme) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert ground == ("rgb(255, 255, 255)" if scheme == "light" else "rgb(21, 22, 26)")
        menu = page.locator("#pages").bounding_box()
        content = page.locator("main").bounding_box()
        assert menu is not None
        assert content is not None
        # Beside what is read where there is room, and below it on a telephone.
        assert (menu["x"] + menu["width"] <= content["x"]) == (width > 1000)
        assert (menu["y"] >= content["y"] + content["height"]) == (width < 1000)


def test_a_choice_of_colours_is_the_reader_s(built: Path, browser: Browser) -> None:
    with opened(browser, built / "running.html") as page:
        page.get_by_label("Dark", exact=True).check()
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert ground == "rgb(21, 22, 26)"


def test_a_long_table_scrolls_in_itself_and_can_be_reached_by_keyboard(
    built: Path, browser: Browser
) -> None:
    with opened(browser, built / "arithmetic.html", width=390) as page:
        table = page.locator(".table").first
        assert table.evaluate("e => e.scrollWidth > e.clientWidth")
        table.focus()
        assert table.evaluate("e => e === document.activeElement")
