"""Pages in a real browser, with every connection refused."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect

from accelreport.report.theme import SERIES_DARK
from tests.report.scenarios import HOSTILE, Results, driven_study, ordinary, started_late
from tests.report.test_hostile import OURS
from tests.support.browser import opened, tab
from tests.support.program_server import ROOT
from tests.support.sites import build

pytestmark = pytest.mark.e2e

BENCHMARK = "mnist_batch_sweep.full.html"
KINDS = (
    "index.html",
    "devices.html",
    BENCHMARK,
    "mnist_batch_sweep.quick.html",
    "matmul.full.html",
    "cell",
)

COLOURS: dict[Literal["light", "dark"], str] = {
    "light": "rgb(255, 255, 255)",
    "dark": "rgb(21, 22, 26)",
}
"""What a page stands on, by what the system asks for."""

OVERLAPS = """() => {
  const found = [];
  for (const svg of document.querySelectorAll('svg[role=img]')) {
    if (!svg.getClientRects().length) continue;
    const boxes = [...svg.querySelectorAll('text')]
      .filter(text => text.getAttribute('stroke') === null)
      .map(text => [text.textContent, text.getBoundingClientRect()]);
    const frame = svg.getBoundingClientRect();
    for (let i = 0; i < boxes.length; i++) {
      const [said, a] = boxes[i];
      if (a.left < frame.left - 2 || a.right > frame.right + 2)
        found.push(svg.querySelector('title').textContent + ': ' + said + ' leaves the chart');
      for (let j = 0; j < i; j++) {
        const b = boxes[j][1];
        const x = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const y = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (x > 1 && y > 3)
          found.push(svg.querySelector('title').textContent + ': ' + said + ' / ' + boxes[j][0]);
      }
    }
  }
  return found;
}"""

SMALLEST_TEXT = """() => {
  let least = 100;
  for (const svg of document.querySelectorAll('svg[role=img]')) {
    const box = svg.getBoundingClientRect();
    if (!svg.checkVisibility() || svg.getAttribute('preserveAspectRatio') === 'none') continue;
    const scale = box.width / svg.viewBox.baseVal.width;
    for (const text of svg.querySelectorAll('text'))
      least = Math.min(least, scale * parseFloat(getComputedStyle(text).fontSize));
  }
  return least;
}"""


def where(site: Path, kind: str) -> Path:
    """The file of a kind of page."""
    if kind != "cell":
        return site / kind
    record = next(r for r in ordinary().studies[0].records if r.status == "partial")
    return site / "cells" / f"{record.key}.0a1b2c3d.html"


def rgb(colour: str) -> str:
    """A colour as a browser writes it."""
    return f"rgb({', '.join(str(int(colour[i : i + 2], 16)) for i in (1, 3, 5))})"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("width", [1920, 1280, 820, 390])
def test_a_page_asks_for_nothing_fits_can_be_read_and_follows_the_system_s_colours(
    kind: str, width: int, site: Path, browser: Browser
) -> None:
    with opened(browser, where(site, kind), width=width) as page:
        for scheme, colour in COLOURS.items():
            page.emulate_media(color_scheme=scheme)
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert page.evaluate(SMALLEST_TEXT) >= 10
            ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
            assert ground == colour
        assert page.evaluate(OVERLAPS) == []


@pytest.mark.parametrize("kind", KINDS)
def test_every_word_is_there_without_scripts(kind: str, site: Path, browser: Browser) -> None:
    path = where(site, kind)
    with opened(browser, path) as page:
        page.evaluate("for (const made of document.querySelectorAll('.filter')) made.remove()")
        with_scripts = page.inner_text("main")
    with opened(browser, path, script=False) as page:
        assert page.locator("main").inner_text() == with_scripts
        assert (
            page.locator("svg[role=img]").count() == page.locator("svg[role=img] > title").count()
        )


def test_a_reader_chooses_dark_or_light_without_scripts(site: Path, browser: Browser) -> None:
    def ground(page: Page) -> str:
        text: str = page.evaluate("getComputedStyle(document.body).backgroundColor")
        return text

    with opened(browser, site / BENCHMARK) as page:
        page.get_by_label("Dark").check()
        assert ground(page) == "rgb(21, 22, 26)"
        line = page.locator("svg[role=img] path[stroke='var(--s0)']").first
        assert line.evaluate("e => getComputedStyle(e).stroke") == rgb(SERIES_DARK[0])
        page.get_by_label("Light").check()
        assert ground(page) == "rgb(255, 255, 255)"


def test_a_choice_of_colours_is_kept_for_the_next_page(site: Path, browser: Browser) -> None:
    with opened(browser, site / "index.html", files=True) as page:
        page.get_by_label("Dark").check()
        page.goto((site / BENCHMARK).as_uri())
        # A browser may tell the next page of it a moment after that was opened.
        expect(page.get_by_label("Dark")).to_be_checked()
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert ground == "rgb(21, 22, 26)"


def test_open_pages_follow_a_choice_of_colours(site: Path, browser: Browser) -> None:
    with opened(browser, site / "index.html", files=True) as one:
        other = one.context.new_page()
        other.goto((site / BENCHMARK).as_uri())
        one.get_by_label("Dark").check()
        expect(other.get_by_label("Dark")).to_be_checked()
        other.get_by_label("Light").check()
        expect(one.get_by_label("Light")).to_be_checked()


def test_a_reader_finds_rows_by_words_and_has_all_of_them_without_scripts(
    site: Path, browser: Browser
) -> None:
    with opened(browser, site / "benchmarks.html") as page:
        rows, every = (page.locator(f"tbody tr{state}").count() for state in (":visible", ""))
        page.get_by_label("Find in the tables").fill("matrix COLD")
        assert 0 < page.locator("tbody tr:visible").count() < every
        assert page.locator(".filter output").inner_text().endswith("rows")
        # What is folded is found, too.
        assert page.locator("details[open] tbody tr:visible").count() > 0
        page.get_by_label("Find in the tables").fill("nothing of that name")
        assert page.locator("tbody tr:visible").count() == 0
        page.get_by_label("Find in the tables").fill("")
        assert page.locator("tbody tr:visible").count() == rows
    with opened(browser, site / "benchmarks.html", script=False) as page:
        assert page.locator("tbody tr:visible").count() == rows
        assert page.locator("input[type=search]").count() == 0


def test_the_keyboard_reaches_tables_links_and_folded_numbers(site: Path, browser: Browser) -> None:
    with opened(browser, site / BENCHMARK) as page:
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        reached = set()
        for _ in range(80):
            page.keyboard.press("Tab")
            reached.add(page.evaluate("document.activeElement.tagName"))
        assert {"A", "DIV", "INPUT", "SUMMARY"} <= reached
        summary = page.locator("figure summary").first
        summary.focus()
        page.keyboard.press("Enter")
        assert page.locator("figure details[open] table").first.is_visible()


@pytest.mark.parametrize("width", [1280, 820, 768, 390])
def test_what_a_reader_sees_of_a_chart_depends_on_the_room(
    width: int, site: Path, browser: Browser
) -> None:
    with opened(browser, site / BENCHMARK, width=width) as page:
        chart = page.locator("#sweep .chart").first
        assert chart.locator(":is(.wide, .full):visible").count() == (width > 390)
        assert chart.locator(".narrow").is_visible() is (width == 390)


def test_figures_side_by_side_are_drawn_for_their_columns_and_have_letters_of_one_size(
    tmp_path: Path, browser: Browser
) -> None:
    made = driven_study(Compiled={"xla": True}, Graph={}, Eager={"eager": True})
    build(Results((started_late(made, "cpu"),)), tmp_path / "out")
    with opened(browser, tmp_path / "out" / "example_training.full.html", width=1280) as page:
        scales = page.evaluate(
            "[...document.querySelectorAll('.opening .chart svg')]"
            ".map(svg => svg.getBoundingClientRect().width / svg.viewBox.baseVal.width)"
            ".filter(scale => scale)"
        )
        assert scales == pytest.approx([1.0, 1.0], abs=0.03)


def test_paper_is_light_and_splits_no_figure(site: Path, browser: Browser) -> None:
    with opened(browser, site / BENCHMARK, width=725, scheme="dark") as page:
        page.emulate_media(media="print", color_scheme="dark")
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert ground == "rgb(255, 255, 255)"
        whole = page.evaluate(
            "[...document.querySelectorAll('figure')]"
            ".every(f => getComputedStyle(f).breakInside === 'avoid')"
        )
        assert whole
        assert page.locator("#sweep .wide").first.is_visible()
        assert not page.locator(".mast").is_visible()
        paper = page.pdf(prefer_css_page_size=True)
        assert paper.startswith(b"%PDF")


def test_no_hostile_text_runs_or_fetches(attacked_site: Path, browser: Browser) -> None:
    every = sorted(attacked_site.glob("*.html"))
    pages = [path for path in every if not path.stem.endswith(".slides")]
    pages += [path for path in every if path.stem.endswith(".slides")][::5]
    pages += sorted((attacked_site / "cells").glob("*.html"))[::20]
    assert len(pages) > len(HOSTILE)
    for path in pages:
        with opened(browser, path, width=390) as page:
            assert page.title() != "broken"
            assert page.evaluate("document.documentElement.scrollWidth") <= 390, path.name
            assert page.locator("iframe").count() == 0
            assert set(page.locator("script").all_inner_texts()) <= OURS


def test_a_script_that_gets_into_a_page_is_refused(
    site: Path, tmp_path: Path, browser: Browser
) -> None:
    text = (site / BENCHMARK).read_text(encoding="utf-8")
    injected = "<script>document.title = 'broken'</script><p style='color: red' onclick='x()'>x</p>"
    (tmp_path / "page.html").write_text(text.replace("</main>", f"{injected}</main>"))
    said: list[str] = []

    def note(message: ConsoleMessage) -> None:
        said.append(message.text)

    with tab(browser, width=1280) as page:
        page.on("console", note)
        page.goto((tmp_path / "page.html").as_uri())
        assert page.title() != "broken"
        page.remove_listener("console", note)
    assert any("Content Security Policy" in message for message in said)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_readmes_picture_ends_below_the_words_under_the_front_pages_picture_and_within_no_text(
    browser: Browser, site: Path, scheme: Literal["light", "dark"]
) -> None:
    script = runpy.run_path(str(ROOT / "scripts" / "readme_picture.py"))
    with opened(browser, site / "index.html", width=script["WIDTH"], scheme=scheme) as tab:
        height = script["height_of"](tab)
        caption = tab.locator(".opening figure > .caption").last.bounding_box()
        assert caption
        assert caption["y"] + caption["height"] <= height
        cut = tab.evaluate(
            """height => [...document.querySelectorAll('p, summary, text, h1, h2')]
              .filter(each => getComputedStyle(each).visibility === 'visible')
              .map(each => [each.textContent, each.getBoundingClientRect()])
              .filter(([, box]) => box.top < height && height < box.bottom)
              .map(([said]) => said)""",
            height,
        )
    assert not cut
