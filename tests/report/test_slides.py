"""Decks in a real browser: what a presenter and the last row of the hall may rely on."""

from __future__ import annotations

import re
import subprocess
from contextlib import AbstractContextManager
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
import segno
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from playwright.sync_api import Browser, Page

from accelreport.report.model import Code, Figure, Token
from accelreport.report.model import Page as ReportPage
from accelreport.report.pages.benchmark import benchmark_page
from accelreport.report.pages.index import index_page
from accelreport.report.site.assembly import gather
from accelreport.report.site.options import BuildOptions
from accelreport.report.slides.benchmark import (
    LEAST_POINTS,
    MOST_COMMANDS,
    MOST_SLIDES,
    figure_slides,
    points_of,
    slide_block,
    slides_page,
)
from accelreport.report.slides.site import deck_page
from accelreport.report.view import BenchmarkView
from tests.report.scenarios import Results, observed, ordinary
from tests.report.slide_checks import CUT, LITTLE, OUTSIDE, SMALL, TITLES
from tests.report.test_browser import OVERLAPS, SMALLEST_TEXT
from tests.report.test_front import busy
from tests.report.tree import Element, parse
from tests.support.browser import BROWSER_ARGUMENTS, browser_path, opened
from tests.support.edited import W, edited
from tests.support.processes import PATIENCE_S
from tests.support.records import study
from tests.support.sites import build

pytestmark = pytest.mark.e2e

WHOLE = "slides.html"
SWEEP = "mnist_batch_sweep.full.slides.html"
SWEEP_PAGE = "mnist_batch_sweep.full.html"
DECKS = (WHOLE, SWEEP, "mnist_batch_sweep.quick.slides.html", "matmul.full.slides.html")
LETTERS = 28
"""Pixels of the smallest letters on a screen of 720 lines, those of drawings among them."""


def told(
    browser: Browser,
    path: Path,
    query: str = "",
    *,
    width: int = 1920,
    height: int = 1080,
    script: bool = True,
    touch: bool = False,
) -> AbstractContextManager[Page]:
    """A deck from the disk on a hall's screen; errors and requests fail the test."""
    return opened(
        browser, path, query, width=width, height=height, script=script, touch=touch, files=True
    )


def place(page: Page) -> str:
    """The slide that fills the screen."""
    found: str = page.evaluate(
        "[...document.querySelectorAll('.slide')]"
        ".find(s => Math.abs(s.getBoundingClientRect().top) < 2)?.id"
    )
    return found


def slides_of(deck: Element) -> list[Element]:
    return [s for s in deck.all("section") if "slide" in s.attributes.get("class", "").split()]


def notes_of(slide: Element) -> Element:
    (notes,) = [e for e in slide.all("details") if e.attributes.get("class") == "speech"]
    return notes


def ids(page: Page) -> list[str]:
    found: list[str] = page.evaluate("[...document.querySelectorAll('.slide')].map(s => s.id)")
    return found


@pytest.fixture(scope="module")
def observed_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What networks were seen to do: pictures, curves, a forecast, and the trained one in use."""
    out = tmp_path_factory.mktemp("observed")
    build(observed(), out)
    return out


def test_a_hall_can_read_every_text_of_every_slide(
    site: Path, observed_site: Path, example: Path, browser: Browser
) -> None:
    """28 of 720 px, nothing over another, nothing cut, titles at one height, a large figure."""
    every = (site, observed_site, example)
    decks = [path for at in every for path in sorted(at.glob("*slides.html"))]
    assert len(decks) >= 20
    for deck in decks:
        with told(browser, deck, width=1280, height=720) as page:
            assert page.evaluate(LITTLE, 0.57) == [], deck
            assert page.evaluate(TITLES) <= 18, deck
            assert page.evaluate(OUTSIDE) == [], deck
            assert page.evaluate(SMALL, LETTERS) == [], deck
            assert page.evaluate(OVERLAPS) == [], deck
            assert page.evaluate(CUT) == [], deck


def test_a_deck_carries_its_fonts_and_no_other_page_pays_for_them(
    site: Path, browser: Browser
) -> None:
    with told(browser, site / WHOLE) as page:
        page.wait_for_function("document.fonts.status === 'loaded'")
        loaded = page.evaluate(
            "[...document.fonts].map(f => `${f.family} ${f.weight} ${f.status}`).sort()"
        )
        assert loaded == ["Arimo 700 loaded", "Arimo normal loaded", "Tinos 700 loaded"]
        for element, family in (("h1", "Tinos"), (".first .topic", "Arimo"), ("svg text", "Arimo")):
            used = page.locator(element).first.evaluate("e => getComputedStyle(e).fontFamily")
            assert used.startswith(family), element
    assert "@font-face" not in (site / "index.html").read_text(encoding="utf-8")
    assert "font-src" not in (site / "index.html").read_text(encoding="utf-8")


def test_no_text_however_long_or_odd_leaves_its_slide(
    attacked_site: Path, browser: Browser
) -> None:
    decks = sorted(attacked_site.glob("*slides.html"))
    assert len(decks) > 10
    for deck in decks:
        with told(browser, deck) as page:
            assert page.evaluate(OUTSIDE) == [], deck.name


def test_the_deck_of_the_whole_answers_and_shows_and_ends_with_the_commands(
    pages: dict[str, Element],
) -> None:
    deck = pages[WHOLE]
    slides = slides_of(deck)
    first, *own, last = (slide.attributes["id"] for slide in slides)
    assert (first, last) == ("start", "reproduce")
    assert own, "benchmarks that the first slide does not name"
    front = pages["index.html"]
    (answer,) = (e.text for e in front.all("h1"))
    assert title_of(slides[0]) == answer
    assert slides[0].all("svg"), "the answer has its picture"
    assert any(link.attributes["href"] == WHOLE for link in front.all("a"))


def test_every_deck_ends_with_its_commands_and_its_machine(decks: list[ReportPage]) -> None:
    for deck in decks:
        last = deck.sections[-1]
        (block,) = last.blocks
        assert last.id == "reproduce"
        assert isinstance(block, Code)
        lines = "".join(token.text for token in block.tokens).splitlines()
        assert len(lines) <= MOST_COMMANDS
        assert lines[-1] == "accelreport build"
        assert any(line.startswith("accelreport run specs/") for line in lines)
        assert f"Measured on {deck.measured_on}." in last.detail
    assert decks[0].sections[-1].detail.startswith("The notes have every command.")
    assert any("The time budget per cell stopped" in deck.sections[-1].detail for deck in decks)


@pytest.mark.parametrize(("deck", "page_of_deck"), [(WHOLE, ""), (SWEEP, SWEEP_PAGE)])
def test_the_last_slide_has_the_address_of_its_page_where_it_is_known(
    deck: str, page_of_deck: str, site: Path, tmp_path: Path, browser: Browser
) -> None:
    assert 'class="address"' not in (site / deck).read_text(encoding="utf-8")
    address_shown = f"https://report.example.org/bench/{page_of_deck}"
    address_known = BuildOptions(base_url="https://report.example.org/bench")
    build(ordinary(), tmp_path, options=address_known)
    with told(browser, tmp_path / deck, width=1280, height=720) as page:
        address = page.locator("#reproduce .address a")
        assert address.inner_text() == address_shown
        wide = "all => all.filter(e => e.scrollWidth > e.clientWidth).map(e => e.textContent)"
        assert page.locator("#reproduce pre").evaluate_all(wide) == []
        assert page.evaluate(OUTSIDE) == []
        assert page.evaluate(SMALL, LETTERS) == []
        # What a camera sees, module by module, is what encodes the address.
        picture = Image.open(BytesIO(page.locator("#reproduce .qr svg").screenshot())).convert("L")
    code = segno.make(address_shown, error="m", micro=False, boost_error=False)
    wanted = [list(map(bool, row)) for row in code.matrix_iter(border=4)]
    module = picture.width / len(wanted)
    assert module >= 6, "pixels, so that cameras in the last row can tell them apart"
    middles = ((np.arange(len(wanted)) + 0.5) * module).astype(int)
    dark = np.asarray(picture)[np.ix_(middles, middles)] < 128
    assert dark.tolist() == wanted


def title_of(slide: Element) -> str:
    (title,) = slide.all("h1", "h2")
    return title.text


@pytest.fixture(scope="module")
def many() -> list[BenchmarkView]:
    """More benchmarks than a talk has room for, of several forms, two profiles and no results."""
    copies = [study("matmul", spec=f"k{n}", repeats=3) for n in range(6)]
    sweeps = [study(spec=f"s{n}", repeats=3) for n in range(6)]
    empty = replace(study("matmul", spec="later", repeats=1), records=())
    made = (*ordinary().studies, *observed().studies, *copies, *sweeps, empty)
    return gather(Results(made))


def decks_of(benches: list[BenchmarkView]) -> list[ReportPage]:
    own = [slides_page(b, benchmark_page(b)) for b in benches if b.shown_series]
    return [deck_page(benches, index_page(benches, "Site", [])), *own]


@pytest.fixture(scope="module")
def decks(many: list[BenchmarkView]) -> list[ReportPage]:
    """Of the whole, then of each benchmark that has a figure."""
    return decks_of(many)


def test_a_deck_is_no_longer_than_its_talk(decks: list[ReportPage]) -> None:
    whole, *_ = decks
    assert all(2 <= 1 + len(deck.sections) <= MOST_SLIDES for deck in decks)
    told = [slide.speech.sources[0].href for slide in whole.sections if slide.speech]
    pages = [link for link in told if link != "index.html"]
    assert len(pages) == len(set(pages)), "one slide a benchmark"


def test_where_nothing_has_a_time_no_deck_is_made_and_nothing_leads_to_one(tmp_path: Path) -> None:
    made = study("matmul", spec="k", repeats=1)
    ended = tuple(
        record.model_copy(
            update={"status": "partial", "blocks": [b for b in record.blocks if not b.steady]}
        )
        for record in made.records
    )
    build(Results((replace(made, records=ended),)), tmp_path)
    assert not (tmp_path / "k.full.slides.html").exists()
    page = parse((tmp_path / "k.full.html").read_text(encoding="utf-8"))
    assert "no steady step" in page.text
    links = {link.attributes["href"] for link in page.all("a") if "href" in link.attributes}
    assert "k.full.slides.html" not in links


def test_no_figure_of_a_slide_has_fewer_than_three_points(decks: list[ReportPage]) -> None:
    shown = [slide.blocks[0] for deck in decks for slide in deck.sections]
    figures = [block for block in shown if isinstance(block, Figure)]
    assert figures
    assert all(points_of(figure.panels[0].wide.spec) >= LEAST_POINTS for figure in figures)
    # Two dots have a place beside their title alone.
    pair = gather(Results((study("matmul", devices=("cpu", "gpu"), axes={}, repeats=3),)))
    (deck,) = decks_of(pair)[1:]
    assert deck.headline == "Example T4 multiplies 30× as fast as Example"
    assert deck.opening
    (figure,) = deck.opening.blocks
    assert isinstance(figure, Figure)
    assert points_of(figure.panels[0].wide.spec) == 2
    assert [slide.id for slide in deck.sections] == ["reproduce"]


def test_no_two_slides_of_a_deck_have_one_title(decks: list[ReportPage]) -> None:
    for deck in decks:
        titles = [deck.headline, deck.finding.rstrip(".")]
        titles += [slide.title for slide in deck.sections]
        assert len(titles) == len({*titles})


def test_no_slide_has_more_than_six_rows_and_keeps_the_title_and_both_ends() -> None:
    (bench,) = (each for each in gather(edited(W)) if each.plan.spec == "frameworks")
    (slide, *_) = (slide for _, slide in figure_slides(bench))
    (figure,) = slide.blocks
    assert isinstance(figure, Figure)
    assert points_of(figure.panels[0].wide.spec) <= 6
    assert figure.caption.startswith("6 of 12 rows")
    drawn = str(figure.panels[0].wide.spec)
    names = ("graph, 2 threads", "XLA")
    assert all(f"TensorFlow {name}" in drawn for name in names)
    assert all(name in drawn for name in ("PyTorch", "JAX"))


def test_a_number_of_a_busy_machine_is_marked_on_each_slide_that_has_it() -> None:
    whole, own = decks_of(gather(Results((busy(study(devices=("cpu", "gpu"), repeats=5)),))))
    assert own.opening
    assert "busy" in own.opening.finding.split(" · ")
    assert whole.opening
    (figure,) = whole.opening.blocks
    assert isinstance(figure, Figure)
    assert " · busy" in str(figure.panels[0].wide.spec)


@given(
    st.lists(st.tuples(st.sampled_from(["note", "head", ""]), st.text()), min_size=1, max_size=9)
)
def test_what_a_network_wrote_is_cut_to_its_slide_and_no_epoch_is_left_out(
    parts: list[tuple[Literal["note", "head", ""], str]],
) -> None:
    code = Code("", tuple(Token(text[: 30 if role else 900], role) for role, text in parts))
    shown = slide_block(code, "text")
    assert isinstance(shown, Code)
    assert len(shown.tokens) == len(code.tokens)
    for kept, whole in zip(shown.tokens, code.tokens, strict=True):
        assert kept == whole if whole.role else len(kept.text) <= 13 * 69
    lines = "".join(token.text for token in shown.tokens).splitlines()
    titles = sum(len(token.text.splitlines()) + 1 for token in code.tokens if token.role)
    assert sum(1 + len(line) // 69 for line in lines) <= max(12, titles + len(parts))


def test_notes_hold_how_to_do_it_again(decks: list[ReportPage]) -> None:
    # What is behind a comment, or before a full stop, does not run where it is pasted.
    pasted = r"Commands \([^#:;]*\): [^#]*accelreport run [^#]*; accelreport build"
    for deck in decks:
        last = deck.sections[-1].speech
        assert last
        assert re.fullmatch(pasted, last.sentences[-1])
    assert all(len(s.speech.sentences) <= 7 for s in decks[0].sections if s.speech)


def test_notes_open_with_one_or_two_sentences_to_speak(
    decks: list[ReportPage], pages: dict[str, Element]
) -> None:
    for deck in decks:
        notes = [deck.speech, *(slide.speech for slide in deck.sections)]
        for speech in notes:
            assert speech
            assert 1 <= len(speech.spoken) <= 2
            assert all(text.endswith((".", "?")) for text in speech.spoken)
            assert not {*speech.spoken} & {*speech.sentences}
    for slide in slides_of(pages[WHOLE]):
        first, *_ = notes_of(slide).all("p")
        assert first.attributes["class"] == "say"


@pytest.mark.parametrize("deck", DECKS)
def test_every_slide_has_notes_that_say_where_the_numbers_are(
    deck: str, pages: dict[str, Element]
) -> None:
    slides = slides_of(pages[deck])
    for slide in slides:
        notes = notes_of(slide)
        assert 2 <= len([p for p in notes.all("p") if p.text]) <= 9, slide.attributes["id"]
        links = [link.attributes["href"] for link in notes.all("a")]
        assert links
        for link in links:
            path, _, name = link.partition("#")
            known = {e.attributes.get("id") for e in pages[path].all()}
            assert not name or name in known, link


def test_keys_move_from_slide_to_slide_and_the_address_names_it(
    site: Path, browser: Browser
) -> None:
    with told(browser, site / WHOLE) as page:
        known = ids(page)
        steps = (
            ("ArrowRight", 1), (" ", 2), ("ArrowLeft", 1), ("Shift+ ", 0),
            ("ArrowDown", 1), ("PageUp", 0),
            ("ArrowUp", 0),
            ("End", len(known) - 1), ("ArrowRight", len(known) - 1), ("Home", 0),
        )  # fmt: skip
        for key, index in steps:
            page.keyboard.press(key)
            assert place(page) == known[index], key
            assert page.evaluate("document.activeElement.id") == (known[index] or "start")
        page.keyboard.press("ArrowRight")
        page.wait_for_url(f"**#{known[1]}")
    with told(browser, site / WHOLE, f"#{known[1]}") as page:
        assert place(page) == known[1]
        page.keyboard.press("ArrowRight")
        assert place(page) == known[2]


def second_window(first: Page) -> Page:
    """The window that a speaker opens for the hall."""
    with first.context.expect_page() as opened:
        first.keyboard.press("w")
    second = opened.value
    second.wait_for_load_state()
    return second


def test_f_fills_the_screen_and_the_mast_leads_back_by_keyboard(
    site: Path, browser: Browser
) -> None:
    with told(browser, site / WHOLE) as page:
        page.keyboard.press("f")
        page.locator("html:fullscreen").wait_for()
        page.keyboard.press("f")
        page.locator("html:not(:fullscreen)").wait_for()
        for _ in range(3):
            page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.closest('.mast') !== null")
        assert page.locator(".mast").evaluate("e => getComputedStyle(e).opacity") == "1"


def test_a_swipe_moves_to_the_next_slide(site: Path, browser: Browser) -> None:
    with told(browser, site / WHOLE, touch=True) as page:
        known = ids(page)
        device = page.context.new_cdp_session(page)
        for start, end, expected in ((900, 300, 1), (300, 900, 0), (900, 300, 1)):
            for kind, x in (("touchStart", start), ("touchMove", end)):
                points = [{"x": x, "y": 300}]
                device.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
            device.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
            page.wait_for_url(f"**#{known[expected]}")
            assert place(page) == known[expected]


def test_notes_come_and_go_with_n_beside_the_clock_and_the_next_title(
    site: Path, browser: Browser
) -> None:
    with told(browser, site / WHOLE) as page:
        known = ids(page)
        page.keyboard.press("ArrowRight")
        panel = page.locator("#presenter")
        assert not panel.is_visible()
        assert not page.locator(".speech p").first.is_visible()
        page.keyboard.press("n")
        assert place(page) == known[1]
        said = page.locator(f"#{known[1]} .speech p").first.text_content()
        assert said
        assert said in page.locator("#told").inner_text()
        assert page.locator("#place").inner_text() == f"Slide 2 of {len(known)}"
        title = page.locator(f"#{known[2]} h2").text_content()
        assert page.locator("#next").inner_text() == title
        page.locator("#presenter").get_by_text(re.compile("^0:0[1-9]$")).wait_for()
        page.get_by_role("button", name="Next slide").click()
        assert place(page) == known[2]
        slide, notes = page.locator(f"#{known[2]}").bounding_box(), panel.bounding_box()
        assert slide
        assert notes
        assert abs(slide["width"] / slide["height"] - 16 / 9) < 0.01
        assert slide["x"] + slide["width"] <= notes["x"] + 3
        assert notes["x"] + notes["width"] <= 1920
        page.keyboard.press("n")
        assert not panel.is_visible()
        assert place(page) == known[2]


def test_a_second_window_keeps_in_step_both_ways_on_the_disk(site: Path, browser: Browser) -> None:
    with told(browser, site / WHOLE) as first:
        known = ids(first)
        second = second_window(first)
        first.keyboard.press("ArrowRight")
        second.wait_for_url(f"**#{known[1]}")
        assert place(second) == known[1]
        assert not second.locator("#presenter").is_visible()
        second.keyboard.press("PageDown")
        first.wait_for_url(f"**#{known[2]}")
        assert place(first) == known[2]


def test_without_scripts_notes_open_under_their_slide(site: Path, browser: Browser) -> None:
    with told(browser, site / WHOLE, script=False) as page:
        count = page.locator(".slide").count()
        assert page.locator(".speech summary").count() == count
        notes = page.locator(".slide").nth(1).locator(".speech")
        notes.locator("summary").click()
        assert notes.locator("p").first.is_visible()
        assert not page.locator("#presenter").is_visible()


@pytest.mark.parametrize("deck", [WHOLE, SWEEP])
@pytest.mark.parametrize("query", ["", "?notes"])
def test_a_deck_prints_one_slide_to_a_page_with_or_without_notes(
    deck: str, query: str, site: Path, browser: Browser
) -> None:
    with told(browser, site / deck, query) as page:
        slides = page.locator(".slide").count()
        paper = page.pdf(prefer_css_page_size=True)
        assert paper.count(b"/Type /Page\n") == slides
        page.emulate_media(media="print")
        notes = page.locator(".speech p").first
        assert notes.is_visible() is bool(query)


def test_the_documented_command_writes_a_deck_as_pdf(site: Path, tmp_path: Path) -> None:
    guide = Path("docs/report.md").read_text(encoding="utf-8")
    (line,) = re.findall(r"^chromium .*--print-to-pdf.*$", guide, re.MULTILINE)
    options = line.replace("site/slides.html", str(site / WHOLE)).split()[1:]
    # The others keep the browser from asking the network for anything.
    command = [browser_path(), *BROWSER_ARGUMENTS, f"--user-data-dir={tmp_path}", *options]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=PATIENCE_S)
    deck = parse((site / WHOLE).read_text(encoding="utf-8"))
    paper = (tmp_path / "talk.pdf").read_bytes()
    assert paper.count(b"/Type /Page\n") == len(slides_of(deck))


@pytest.mark.parametrize("presenting", [False, True])
def test_slides_fit_a_telephone(presenting: bool, site: Path, browser: Browser) -> None:
    with told(browser, site / WHOLE, width=390, height=800) as page:
        if presenting:
            page.keyboard.press("n")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert page.evaluate(SMALLEST_TEXT) >= 10
        assert page.evaluate(OVERLAPS) == []
        assert page.locator(".speech summary").first.is_visible()
