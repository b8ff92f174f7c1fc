"""What a person may choose of a site, and that no choice makes a page unsafe."""

from __future__ import annotations

import base64
import struct
import zlib
from pathlib import Path

import pytest

from accelreport.errors import AccelReportError, ExitCode
from accelreport.report.logo import LARGEST, LogoError, logo_address
from accelreport.report.rendering import TemplateError
from accelreport.report.site import BuildOptions, build
from tests.report.scenarios import Results
from tests.report.tree import Element, parse
from tests.support.records import study

SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8">{}</svg>'


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def picture(*extra: bytes, width: int = 1) -> bytes:
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, 1, 8, 0, 0, 0, 0))
    data = chunk(b"IDAT", zlib.compress(b"\0" + b"\x80" * width))
    return b"\x89PNG\r\n\x1a\n" + head + b"".join(extra) + data + chunk(b"IEND", b"")


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
        '<rect onclick="alert(1)" width="1" height="1"/>',
        '<image href="http://evil.example/x.png"/>',
        '<use href="http://evil.example/x.svg#a"/>',
        "<style>@import url(http://evil.example/x.css)</style>",
        '<rect style="fill: url(http://evil.example/x)"/>',
        '<rect fill="url(http://evil.example/x)"/>',
        '<foreignObject><iframe src="http://evil.example"/></foreignObject>',
        '<a href="javascript:alert(1)"><rect width="1" height="1"/></a>',
        '<animate attributeName="href" to="javascript:alert(1)"/>',
    ],
)
def test_a_logo_keeps_nothing_that_runs_or_fetches(inside: str, tmp_path: Path) -> None:
    logo = tmp_path / "logo.svg"
    logo.write_text(SVG.format(f'{inside}<path d="M0 0h8v8z" fill="url(#a)"/>'))
    made = kept(logo).decode()
    assert 'd="M0 0h8v8z"' in made
    assert 'fill="url(#a)"' in made
    for word in ("evil", "alert", "script", "style", "href", "onclick", "iframe"):
        assert word not in made


def test_a_picture_keeps_what_draws_and_loses_what_tells(tmp_path: Path) -> None:
    logo = tmp_path / "logo.png"
    logo.write_bytes(picture(chunk(b"tEXt", b"Author\0me"), chunk(b"eXIf", b"place")) + b"<script>")
    assert kept(logo) == picture()


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"GIF89a", "token|well-formed|syntax"),
        (b"<html></html>", "neither a PNG nor an SVG"),
        (b'<!DOCTYPE svg [<!ENTITY a "b">]><svg/>', "document type"),
        (picture()[:-6], "."),
        (picture().replace(b"IDAT", b"IDAX"), "damaged"),
        (picture(width=5000), "wider or higher"),
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
    assert page.all("table")
    cell = next((tmp_path / "out" / "cells").glob("*.html"))
    assert "<footer>Ours</footer>" in cell.read_text()


def test_a_template_with_an_error_is_named_with_its_line(tmp_path: Path, results: Results) -> None:
    (tmp_path / "index.html").write_text("<p>\n{% if %}")
    with pytest.raises(TemplateError, match=r"index.html, line 2") as caught:
        build(results, tmp_path / "out", options=BuildOptions(templates=tmp_path))
    assert caught.value.exit_code == ExitCode.USAGE
