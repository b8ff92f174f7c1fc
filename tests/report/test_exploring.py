"""A figure that a reader explores needs no network and no permission a still one has not."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from accelreport.report.charts.dot_plot import Dot, dot_plot
from accelreport.report.charts.drawing import Named
from accelreport.report.charts.paired import Bar, Bars, paired_bars
from accelreport.report.charts.scales import plain
from accelreport.report.site.options import BuildOptions
from accelreport.report.site.render import lively
from tests.report.scenarios import Results
from tests.report.tree import parse
from tests.support.browser import opened
from tests.support.records import study
from tests.support.sites import build

UNFOLDED = "for (const each of document.querySelectorAll('details')) each.open = true"

ON_THE_LINE = """path => {
  const middle = path.getPointAtLength(path.getTotalLength() / 2);
  const place = middle.matrixTransform(path.getScreenCTM());
  return [place.x, place.y];
}"""
CHOSEN = BuildOptions(single_file=True, interactive=True)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("explored") / "report.html"
    results = Results(tuple(study("matmul", spec=f"k{n}", first_seed=99 * n) for n in range(2)))
    build(results, out, options=CHOSEN)
    return out


def test_one_file_of_figures_to_explore_stays_small(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    figures = len(parse(text).all("figure"))
    assert figures >= 9
    assert len(text.encode()) <= 110_000 * figures


def test_the_policy_names_hashes_and_nothing_else(page: Path) -> None:
    head = page.read_text(encoding="utf-8").partition("</head>")[0]
    assert "unsafe" not in head
    assert "blob:" not in head
    allowed = head.partition("script-src")[2].partition("img-src")[0]
    assert allowed.count("sha256-") == 4
    assert "http" not in allowed


def test_names_of_rows_stay_where_an_axis_moves() -> None:
    """Vega-Lite cuts off the marks of all layers at the edge of the plot."""
    dot = Dot("A CPU", "measured", Named("A CPU", 0), 5.0, "5", 5.0, 5.0)
    chart = dot_plot([dot], axis_title="images/s", tick=plain, width=650, height=120)
    layers = lively(chart.to_dict())["layer"]
    assert "params" in layers[0]
    names = [each for each in layers if "value" in each["encoding"]["x"]]
    assert names
    assert all(each["mark"]["clip"] is False for each in names)


def test_a_drawing_in_pixels_does_not_move() -> None:
    bars = [Bars("size", (Bar("float32", 2.0, "2 MB", "var(--p2)"),))]
    layers = lively(paired_bars(bars, 650, 120).to_dict())["layer"]
    assert not any("params" in each for each in layers)


@pytest.mark.e2e
def test_a_button_wakes_a_figure_that_tells_its_values_and_zooms(
    page: Path, browser: Browser
) -> None:
    with opened(browser, page) as shown:
        shown.evaluate(UNFOLDED)
        buttons = shown.locator("button.explore")
        assert buttons.count() == shown.locator("figure").count()
        assert shown.evaluate("'accelreportVega' in self") is False
        figure = shown.locator("figure[id$=step-ecdf]").first
        figure.locator("button.explore").click()
        moving = figure.locator(".moving svg").first
        moving.wait_for()
        line = moving.locator(".mark-line path").first
        before = line.get_attribute("d")
        assert before
        moving.scroll_into_view_if_needed()
        x, y = line.evaluate(ON_THE_LINE)
        shown.mouse.move(x, y)
        shown.locator("#vg-tooltip-element.visible").wait_for()
        assert "median" in shown.locator("#vg-tooltip-element").inner_text()
        shown.mouse.wheel(0, -600)
        expect(line).not_to_have_attribute("d", before)
        leaked = shown.evaluate("Object.keys(self).filter(n => n.length < 4).length")
        assert leaked < 20


@pytest.mark.e2e
def test_every_figure_can_be_woken_at_every_width(page: Path, browser: Browser) -> None:
    for width in (1280, 390):
        with opened(browser, page, width=width) as shown:
            shown.evaluate(UNFOLDED)
            for button in shown.locator("button.explore").all():
                button.click()
            charts = shown.locator(".chart").count()
            # Not by a function that a page waits for: it would be refused as a script.
            expect(shown.locator(".moving svg")).to_have_count(charts)
            assert shown.evaluate("document.documentElement.scrollWidth") <= width
