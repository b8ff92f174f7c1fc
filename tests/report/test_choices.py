"""What a person may choose of a site, and that no choice makes a page unsafe."""

from __future__ import annotations

from pathlib import Path

import pytest

from accelreport.errors import AccelReportError, ExitCode
from accelreport.report.site.options import BuildOptions
from accelreport.report.site.render import TemplateError
from tests.report.scenarios import Results
from tests.report.tree import Element, parse
from tests.support.records import study
from tests.support.sites import build


@pytest.fixture
def results() -> Results:
    return Results((study("matmul", repeats=1, devices=("cpu",), axes={}),))


def front(results: Results, out: Path, options: BuildOptions) -> Element:
    build(results, out, options=options)
    return parse((out / "index.html").read_text(encoding="utf-8"))


def test_an_address_is_said_by_every_page_as_its_own(tmp_path: Path, results: Results) -> None:
    options = BuildOptions(base_url="https://example.org/report")
    page = front(results, tmp_path, options)
    (canonical,) = [e for e in page.all("link") if e.attributes.get("rel") == "canonical"]
    assert canonical.attributes["href"] == "https://example.org/report/"
    text = (tmp_path / "methods.html").read_text(encoding="utf-8")
    assert 'rel="canonical" href="https://example.org/report/methods.html"' in text


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)", "ftp://example.org", "https://", "example.org", "https://a b",
        "https://u:p@example.org/", "https://example.org/?a=1", 'https://example.org/"><script>',
        "https://[",
    ],
)  # fmt: skip
def test_what_is_no_address_of_a_site_is_refused(
    address: str, tmp_path: Path, results: Results
) -> None:
    with pytest.raises(AccelReportError, match="cannot be the address"):
        build(results, tmp_path, options=BuildOptions(base_url=address))


@pytest.mark.parametrize("theme", ["auto", "light", "dark"])
def test_the_colours_of_a_site_are_chosen(theme: str, tmp_path: Path, results: Results) -> None:
    page = front(results, tmp_path, BuildOptions(theme=theme))  # type: ignore[arg-type]
    checked = [e.attributes["id"] for e in page.all("input") if "checked" in e.attributes]
    assert checked == [f"theme-{theme}"]


def test_one_block_of_a_template_is_replaced_and_the_rest_is_ours(
    tmp_path: Path, results: Results
) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "page.html").write_text(
        '{% extends "accelreport/page.html" %}{% block foot %}<footer>Ours</footer>{% endblock %}'
    )
    page = front(results, tmp_path / "out", BuildOptions(templates=mine))
    assert [e.text for e in page.all("footer")] == ["Ours"]
    assert page.all("h1")
    cell = next((tmp_path / "out" / "cells").glob("*.html"))
    assert "<footer>Ours</footer>" in cell.read_text()


def test_a_template_with_an_error_is_named_with_its_line(tmp_path: Path, results: Results) -> None:
    (tmp_path / "index.html").write_text("<p>\n{% if %}")
    with pytest.raises(TemplateError, match=r"index.html, line 2") as caught:
        build(results, tmp_path / "out", options=BuildOptions(templates=tmp_path))
    assert caught.value.exit_code == ExitCode.USAGE
