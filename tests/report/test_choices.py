"""What a person may choose of a site, and that no choice makes a page unsafe."""

from __future__ import annotations

import base64
import os
from pathlib import Path

import pytest

from accelreport.errors import AccelReportError, ExitCode
from accelreport.report.site.options import LARGEST, BuildOptions, LogoError, logo_address
from accelreport.report.site.render import TemplateError
from tests.report.scenarios import Results
from tests.report.tree import Element, parse
from tests.support.records import study
from tests.support.sites import build

SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8">{}</svg>'


def kept(path: Path) -> bytes:
    return base64.b64decode(logo_address(path).partition(",")[2])


@pytest.fixture
def results() -> Results:
    return Results((study("matmul", repeats=1, devices=("cpu",), axes={}),))


def front(results: Results, out: Path, options: BuildOptions) -> Element:
    build(results, out, options=options)
    return parse((out / "index.html").read_text(encoding="utf-8"))


def test_a_logo_stands_before_the_title_of_every_page(tmp_path: Path, results: Results) -> None:
    logo = tmp_path / "logo.svg"
    logo.write_text(SVG.format('<rect width="8" height="8" fill="#123456"/>'))
    build(results, tmp_path / "out", options=BuildOptions(logo=logo))
    for path in (tmp_path / "out").rglob("*.html"):
        page = parse(path.read_text(encoding="utf-8"))
        (image,) = [e for e in page.all("img") if e.attributes.get("class") == "logo"]
        assert image.attributes["src"] == logo_address(logo)


@pytest.mark.parametrize(
    "inside",
    [
        "<script>alert(1)</script>",
        '"><script>alert(1)</script>',
        '<image href="http://evil.example/x.png"/>',
        "<g>" * 4500 + "</g>" * 4500,
        "<style>rect { fill: red }</style><filter id='a'/>",
    ],
)
def test_a_logo_goes_into_pages_without_comments_and_only_as_an_image(
    inside: str, tmp_path: Path, results: Results
) -> None:
    logo = tmp_path / "logo.svg"
    logo.write_text(f'<?xml version="1.0"?>\n<!-- <made> -->{SVG.format(inside)}')
    # What a browser shows as an image runs no script and fetches nothing.
    assert kept(logo) == logo.read_bytes().replace(b"<!-- <made> -->", b"")
    build(results, tmp_path / "out", options=BuildOptions(logo=logo))
    for path in (tmp_path / "out").rglob("*.html"):
        page = parse(path.read_text(encoding="utf-8"))
        places = {
            element.tag
            for element in page.all()
            for value in element.attributes.values()
            if value == logo_address(logo)
        }
        assert places <= {"img", "link"}
        text = path.read_text(encoding="utf-8")
        assert "alert(1)" not in text
        assert "evil.example" not in text


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"GIF89a", "neither a PNG nor an SVG"),
        (b"<html></html>", "neither a PNG nor an SVG"),
        (b"", "neither a PNG nor an SVG"),
        (b"x" * (LARGEST + 1), "KiB"),
    ],
)
def test_a_logo_that_cannot_be_used_is_refused_with_the_reason(
    content: bytes, why: str, tmp_path: Path
) -> None:
    logo = tmp_path / "logo"
    logo.write_bytes(content)
    with pytest.raises(LogoError) as caught:
        logo_address(logo)
    assert any(part in caught.value.why for part in why.split("|"))
    with pytest.raises(LogoError):
        logo_address(tmp_path / "absent.png")


def test_a_logo_that_is_no_file_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.png")
    (tmp_path / "zero.png").symlink_to("/dev/zero")
    for name in ("pipe.png", "zero.png"):
        with pytest.raises(LogoError) as caught:
            logo_address(tmp_path / name)
        assert "not a regular file" in caught.value.why


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
