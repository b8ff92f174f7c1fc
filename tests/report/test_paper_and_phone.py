"""Every kind of page on a sheet of A4 and on a telephone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.report.golden.kinds import KINDS, Kind, SiteName, page_of
from tests.report.test_browser import OVERLAPS, SMALLEST_TEXT
from tests.support.browser import opened

pytestmark = pytest.mark.e2e

PAGES = {page.path: page for page in reversed(KINDS) if not page.path.endswith("slides.html")}
"""Kinds of pages, each page once; slides are looked at in other tests."""

WITH_FIGURES = [kind for kind in PAGES.values() if kind.name in {"training", "product", "observed"}]

OPENED = """
for (const each of document.querySelectorAll('details')) each.open = !each.closest('figure')"""
"""Most figures stand in sections that a reader opens first; the tables in figures stay closed."""

MARKED = """() => {
  const figures = [...document.querySelectorAll('figure')]
    .filter(figure => !figure.closest('details:not([open])'));
  figures.forEach((figure, number) => {
    figure.style.position = 'relative';
    for (const side of ['top', 'bottom']) {
      const link = document.createElement('a');
      link.href = `https://example.org/${number}-${side}`;
      link.textContent = '.';
      link.style.cssText =
        `position: absolute; left: 0; ${side}: 0; width: 9px; height: 9px; display: block;` +
        'font-size: 1px; line-height: 9px';  // a letter of its usual height reaches further
      figure.append(link);
    }
  });
  return figures.length;
}"""
"""Puts a link at the top and at the bottom of every figure: a PDF says on which sheet a link is."""

TOO_WIDE = """() => [...document.querySelectorAll('main *')]
  .filter(e => e.checkVisibility() && e.getClientRects().length && !e.closest('.vh, pre, svg'))
  .filter(e => e.getBoundingClientRect().right > innerWidth + 1)
  .map(e => `${e.tagName}.${e.className}: ${e.textContent.trim().slice(0, 40)}`)"""


HEADINGS_OF_NOTHING = """() => [...document.querySelectorAll('section')]
  .filter(e => e.getClientRects().length)
  .filter(e => [...e.children].every(c => c.tagName === 'H2' || !c.getClientRects().length))
  .map(e => e.id)"""
"""Sections of which paper shows nothing but the heading."""


TABLES_OF_ONE_SHEET = """() => [...document.querySelectorAll('.table.prose')]
  .filter(e => getComputedStyle(e).breakInside !== 'auto').map(e => e.id)"""
"""Tables of sentences, which may be long, that paper puts on a new sheet as a whole."""

HEADS_ALONE = """() => [...document.querySelectorAll('tbody:first-of-type > tr:first-child')]
  .filter(e => getComputedStyle(e).breakBefore !== 'avoid').map(e => e.textContent)"""
"""First rows of tables that may leave the head at the end of a sheet."""


def sheets_of_links(paper: bytes) -> dict[str, int]:
    """Addresses of a PDF's links, and the number of the sheet that each is on."""
    bodies = dict(re.findall(rb"(?:^|\n)(\d+) 0 obj\n(.*?)\nendobj", paper, re.DOTALL))
    sheets = [body for body in bodies.values() if b"/Type /Page\n" in body]
    found = {}
    for number, sheet in enumerate(sheets):
        links = re.search(rb"/Annots \[([^\]]*)\]", sheet)
        for name in re.findall(rb"(\d+) 0 R", links[1]) if links else ():
            address = re.search(rb"/URI \(([^)]*)\)", bodies[name])
            if address:
                found[address[1].decode()] = number
    return found


def sheets_of_figures(page: Page) -> list[tuple[int, int]]:
    """The sheets on which each figure of a page begins and ends."""
    page.emulate_media(media="print")
    figures = page.evaluate(MARKED)
    links = sheets_of_links(page.pdf(prefer_css_page_size=True))
    named = [f"https://example.org/{number}" for number in range(figures)]
    return [(links[f"{name}-top"], links[f"{name}-bottom"]) for name in named]


@pytest.mark.parametrize("kind", WITH_FIGURES, ids=lambda kind: kind.name)
def test_no_figure_is_split_between_two_sheets(
    kind: Kind, every_site: dict[SiteName, Path], browser: Browser
) -> None:
    with opened(browser, page_of(kind, every_site), width=725) as page:
        page.evaluate(OPENED)
        places = sheets_of_figures(page)
    assert len(places) >= 2
    assert [pair for pair in places if pair[0] != pair[1]] == []
    assert len({first for first, _ in places}) > 1


@pytest.mark.parametrize("kind", PAGES.values(), ids=lambda kind: kind.name)
def test_paper_is_light_with_letters_of_eleven_pixels_and_holds_the_whole_width(
    kind: Kind, every_site: dict[SiteName, Path], browser: Browser
) -> None:
    with opened(browser, page_of(kind, every_site), width=725, scheme="dark") as page:
        page.emulate_media(media="print", color_scheme="dark")
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert ground == "rgb(255, 255, 255)"
        assert "@bottom-left{content:" in page.content(), "the sheet names its site"
        assert page.evaluate(SMALLEST_TEXT) >= 11
        assert page.evaluate(TOO_WIDE) == []
        assert page.evaluate(HEADINGS_OF_NOTHING) == []
        assert page.evaluate(TABLES_OF_ONE_SHEET) == []
        assert page.evaluate(HEADS_ALONE) == []
        assert page.evaluate(OVERLAPS) == []


@pytest.mark.parametrize("kind", PAGES.values(), ids=lambda kind: kind.name)
def test_a_telephone_shows_letters_of_ten_pixels_and_scrolls_one_way(
    kind: Kind, every_site: dict[SiteName, Path], browser: Browser
) -> None:
    with opened(browser, page_of(kind, every_site), width=390) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert page.evaluate(SMALLEST_TEXT) >= 10
        assert page.evaluate(OVERLAPS) == []
        assert page.locator(".mast").evaluate("e => e.offsetHeight") <= 100


def test_no_figure_is_taller_on_paper_than_a_sheet(
    every_site: dict[SiteName, Path], browser: Browser
) -> None:
    with opened(browser, every_site["ordinary"] / "ceilings.html", width=725) as page:
        page.emulate_media(media="print")
        assert (
            page.evaluate("""() => [...document.querySelectorAll('.chart svg')]
          .filter(e => e.getBoundingClientRect().height > 263 * 96 / 25.4).length""")
            == 0
        )
