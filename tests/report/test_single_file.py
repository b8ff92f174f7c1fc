"""One file that holds the report: numbers, charts and files, without a network or a script."""

from __future__ import annotations

import base64
import gzip
import re
from collections import Counter
from pathlib import Path
from urllib.parse import unquote_to_bytes

import pytest
from playwright.sync_api import Browser

from accelreport.report.site.options import BuildOptions
from accelreport.report.site.output import OutputError
from accelreport.report.site.single_file import LONGEST, data_link
from tests.report.scenarios import Results, attacked, ordinary
from tests.report.test_hostile import OURS
from tests.report.tree import Element, parse
from tests.support.browser import opened
from tests.support.records import study
from tests.support.sites import build

ONE = BuildOptions(single_file=True)


@pytest.fixture(scope="module")
def single(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("single") / "report.html"
    built = build(ordinary(), out, options=ONE)
    assert (built.index, built.written) == (out, 1)
    return out


@pytest.fixture(scope="module")
def page(single: Path) -> Element:
    return parse(single.read_text(encoding="utf-8"))


def held(page: Element) -> dict[str, bytes]:
    """The files in the page's links, by their names; archives and compressed ones opened."""
    files: dict[str, bytes] = {}
    for link in page.all("a"):
        href = link.attributes["href"]
        if not href.startswith("data:"):
            continue
        kind, _, text = href.partition(",")
        raw = base64.b64decode(text) if kind.endswith("base64") else unquote_to_bytes(text)
        name = link.attributes["download"]
        if name.endswith(".gz"):
            files[name.removesuffix(".gz")] = gzip.decompress(raw)
        else:
            files[name] = raw
    return files


def words(element: Element) -> Counter[str]:
    return Counter(element.text.split())


def test_every_file_of_the_site_is_in_a_link(page: Element, site: Path) -> None:
    files, figures = held(page), {path.stem for path in site.rglob("*.svg")}
    for path in sorted(site.rglob("*")):
        name = path.relative_to(site).as_posix()
        own = path.is_file() and path.suffix in {".csv", ".json", ".toml"} and name[0] != "."
        if not own or name.startswith("cells/") or path.stem in figures:
            continue
        assert files[name.replace("/", ".")] == path.read_bytes(), name


def test_every_number_and_chart_of_the_site_is_on_the_page(
    page: Element, pages: dict[str, Element]
) -> None:
    here = words(page)
    charts = 0
    for name, other in pages.items():
        if not name.startswith("cells/") and not name.endswith("slides.html"):
            (main,) = other.all("main")
            numbers = {word for word in words(main) if re.search(r"\d", word)}
            missing = numbers - here.keys()
            assert not {word for word in missing if not word.startswith(("steps", "cells"))}, name
            charts += len(main.all("svg"))
    assert len(page.all("svg")) == charts


def test_its_links_stay_within_it_and_its_ids_are_unique(page: Element) -> None:
    counts = Counter(e.attributes["id"] for e in page.all() if "id" in e.attributes)
    assert [identity for identity, count in counts.items() if count > 1] == []
    for link in page.all("a"):
        href = link.attributes["href"]
        assert href.startswith(("#", "data:", "https://")), href
        if href.startswith("#"):
            assert href[1:] in counts, href
    for element in page.all():
        for attribute in ("aria-labelledby", "aria-describedby"):
            for name in element.attributes.get(attribute, "").split():
                assert name in counts


@pytest.mark.e2e
@pytest.mark.parametrize("script", [True, False])
def test_it_asks_for_nothing_and_fits_with_or_without_scripts(
    script: bool, single: Path, browser: Browser
) -> None:
    for width in (1280, 390):
        with opened(browser, single, width=width, script=script) as shown:
            assert shown.locator("article").count() == 10
            assert shown.locator("svg[role=img]").first.count() == 1
            if script:
                assert shown.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.e2e
def test_a_reader_saves_a_table_from_the_page(single: Path, browser: Browser, site: Path) -> None:
    with opened(browser, single, script=False) as shown:
        wanted = "a[download$='matmul.full.speedups.csv']"
        link = shown.locator(wanted).first
        folds = shown.locator(f"details:not([open]):has({wanted})")
        while folds.count():
            folds.first.locator("> summary").click()
        with shown.expect_download() as download:
            link.click()
        saved = Path(download.value.path()).read_bytes()
    assert saved == (site / "matmul.full" / "speedups.csv").read_bytes()


def test_ten_figures_and_their_data_weigh_no_more_than_a_photograph(tmp_path: Path) -> None:
    small = Results(tuple(study("matmul", spec=f"k{n}", first_seed=99 * n) for n in range(2)))
    out = tmp_path / "report.html"
    build(small, out, options=ONE)
    content = out.read_bytes()
    figures = len(parse(content.decode()).all("figure"))
    assert figures >= 9
    assert len(content) <= 52_000 * figures
    assert len(gzip.compress(content, mtime=0)) <= 9_500 * figures


@pytest.mark.e2e
def test_no_hostile_text_runs_in_one_file_either(tmp_path: Path, browser: Browser) -> None:
    out = tmp_path / "report.html"
    build(Results(attacked().studies[:9]), out, options=ONE)
    with opened(browser, out, width=390) as shown:
        assert shown.title() != "broken"
        assert shown.locator("iframe").count() == 0
        assert set(shown.locator("script").all_inner_texts()) <= OURS
        hrefs = shown.eval_on_selector_all("a[href]", "all => all.map(a => a.protocol)")
    assert set(hrefs) <= {"file:", "data:", "https:"}


def test_only_a_file_that_a_build_wrote_is_replaced(tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    results = Results((study("matmul", repeats=1, devices=("cpu",), axes={}),))
    out.write_text("<p>mine</p>")
    with pytest.raises(OutputError, match="in the way"):
        build(results, out, options=ONE)
    assert out.read_text() == "<p>mine</p>"
    out.unlink()
    assert build(results, out, options=ONE).written == 1
    assert build(results, out, options=ONE).written == 0
    with pytest.raises(OutputError, match="cannot be"):
        build(results, tmp_path, options=ONE)
    with pytest.raises(OutputError):
        build(results, out)


def test_a_file_too_large_for_a_link_is_named_with_the_reason() -> None:
    digits = "".join(str(n * 7919 % 99991) for n in range(900_000))
    link = data_link("records.json", digits, "every record")
    assert link.href == ""
    assert "too large for a link" in link.detail
    assert len(data_link("records.json", digits[:1000], "").href) < LONGEST
