"""How far a reader has to go: sweeps with a GPU and a TPU, of the most that they may show."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from accelreport.loader.load import load
from accelreport.report.site.builder import build as build_site
from accelreport.results.store import Store
from accelreport.spec.models import Target
from tests.house.tree import ROOT
from tests.report.scenarios import Results, digits
from tests.support.browser import opened
from tests.support.records import study
from tests.support.sites import build

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def tall(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four batches on four devices, and a grid of 24 points on three."""
    batches, grid = load(
        [ROOT / "specs" / f"{n}.toml" for n in ("mnist_batch_sweep", "har_sweep")]
    ).specs
    swept = study(
        spec="mnist_batch_sweep", devices=("cpu", "cpu-1", "gpu", "tpu"), origin="sample",
        axes={"batch_size": (128, 256, 512, 1024)}, samples=24, steps_per_epoch=30,
        target=Target(metric="val_accuracy", at_least=0.85),
        published=batches.published, claims=batches.claims,
    )  # fmt: skip
    records = tuple(digits(record) for record in swept.records)
    points = study(
        spec="har_sweep", devices=("cpu", "gpu", "tpu"), origin="sample", repeats=1, epochs=2,
        steps_per_epoch=30, published=grid.published, claims=grid.claims,
        axes={"layers": (1, 2, 3), "units": (32, 64, 128, 256), "batch_size": (64, 128)},
    )  # fmt: skip
    out = tmp_path_factory.mktemp("tall")
    build(Results((replace(swept, records=records), points)), out)
    return out


@pytest.mark.parametrize(("name", "most"), [("mnist_batch_sweep", 4000), ("har_sweep", 3500)])
def test_a_page_of_a_sweep_with_gpu_and_tpu_is_not_longer_than_readers_bear(
    name: str, most: int, tall: Path, browser: Browser
) -> None:
    with opened(browser, tall / f"{name}.full.html") as page:
        assert page.evaluate("document.documentElement.scrollHeight") <= most
        # Folded is not gone: all of it can be opened.
        page.evaluate("for (const each of document.querySelectorAll('details')) each.open = true")
        for said in ("BibTeX",):
            assert said in page.inner_text("main")


@pytest.fixture(scope="module")
def example_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of the example, with 69 claims of 17 benchmarks."""
    out = tmp_path_factory.mktemp("example")
    build_site(Store(ROOT / "examples" / "two_core_cpu"), out)
    return out


@pytest.mark.parametrize(
    ("name", "width", "most"),
    [
        ("index.html", 1280, 2600),
        ("mnist_batch_sweep.full.html", 1280, 2000),
        ("har_sweep.full.html", 1280, 2000),
        ("claims.html", 390, 5000),
        ("ceilings.html", 390, 2300),
    ],
)
def test_pages_of_the_example_are_not_longer_than_readers_bear(
    name: str, width: int, most: int, example_site: Path, browser: Browser
) -> None:
    with opened(browser, example_site / name, width=width) as page:
        assert page.evaluate("document.documentElement.scrollHeight") <= most


def test_a_page_of_the_example_has_at_most_eight_sections_and_its_record_last(
    example_site: Path, browser: Browser
) -> None:
    for path in example_site.glob("*.full.html"):
        with opened(browser, path) as page:
            headings = page.locator("main h2").all_inner_texts()
            assert headings[-1] == "Record"
            assert len(headings) <= 8


def test_a_link_to_a_line_of_the_record_opens_it_and_paper_leaves_it_out(
    example_site: Path, browser: Browser
) -> None:
    for place in ("hardware", "cells-0-0"):
        with opened(browser, example_site / "mnist_cnn.full.html") as page:
            assert not page.locator(f"#{place}").is_visible()
            page.evaluate(f"location.hash = '#{place}'")
            page.locator(f"#{place}").wait_for(state="visible")
            assert page.locator(".record > details[open]").count() == 1
    with opened(browser, example_site / "mnist_cnn.full.html") as page:
        page.emulate_media(media="print")
        assert page.locator(".record :visible").count() == 0


def test_claims_are_short_also_when_every_benchmark_is_open(
    example_site: Path, browser: Browser
) -> None:
    with opened(browser, example_site / "claims.html") as page:
        page.evaluate("for (const each of document.querySelectorAll('.folded')) each.open = true")
        assert page.evaluate("document.documentElement.scrollHeight") <= 5200
        assert page.locator("tr[id]:visible").count() > 69


@pytest.mark.parametrize("width", [1280, 390])
def test_claims_are_folded_by_benchmark_and_those_that_are_decided_are_open(
    width: int, example_site: Path, browser: Browser
) -> None:
    with opened(browser, example_site / "claims.html", width=width) as page:
        for verdict in ("refuted", "claims"):
            assert page.locator(f"#{verdict}-table tr[id]").first.is_visible()
        # What was measured of each seed is beside its claim.
        measures = page.locator("#refuted-table .measure, #claims-table .measure", has_text="seed")
        assert measures.count() == 3
        folded = page.locator("details.folded")
        assert folded.count() == 4
        # A square leads to its row, which opens.
        row = page.locator("details.folded tr[id]").first
        assert not row.is_visible()
        page.locator(f'.unit[href$="#{row.get_attribute("id")}"]').click()
        assert row.is_visible()
        page.emulate_media(media="print")
        assert folded.last.locator("tr[id] > th").last.is_visible()
        assert not folded.last.locator("tr[id] > td").last.is_visible()


@pytest.mark.parametrize("width", [700, 820, 1100])
def test_what_tells_a_number_from_others_breaks_inside_no_word(
    width: int, example_site: Path, browser: Browser
) -> None:
    with opened(browser, example_site / "frameworks.full.html", width=width) as page:
        heights = page.locator("#claims .at").evaluate_all("all => all.map(e => e.offsetHeight)")
        assert heights
        assert max(heights) <= 20
