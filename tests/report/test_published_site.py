"""A site that knows its address: link previews."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from accelreport.report.site.options import BuildOptions
from tests.report.scenarios import Results
from tests.report.tree import parse
from tests.support.records import study
from tests.support.sites import build

ADDRESS = "https://example.org/report/"
RESULTS = Results((study("matmul", repeats=2, devices=("cpu", "gpu"), axes={}),))


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("published")
    build(RESULTS, out, options=BuildOptions(base_url=ADDRESS))
    return out


def test_every_page_of_numbers_names_a_picture_that_is_there(published: Path) -> None:
    for path in published.rglob("*.html"):
        page = parse(path.read_text(encoding="utf-8"))
        images = [
            e.attributes["content"]
            for e in page.all("meta")
            if e.attributes.get("property") == "og:image"
        ]
        assert len(images) == (path.name != "devices.html")
        for image in images:
            content = (published / image.removeprefix(ADDRESS)).read_bytes()
            assert content.startswith(b"\x89PNG")
            assert struct.unpack(">II", content[16:24]) == (1200, 630)


def test_pages_with_an_address_may_ask_their_own_server_and_nobody_else(
    published: Path, site: Path
) -> None:
    told = (published / "index.html").read_text(encoding="utf-8").partition("</head>")[0]
    assert "connect-src &#39;self&#39;;" in told
    untold = (site / "index.html").read_text(encoding="utf-8").partition("</head>")[0]
    assert "connect-src" not in untold


def test_a_site_without_an_address_has_none_of_this(site: Path) -> None:
    assert "og:image" not in (site / "index.html").read_text(encoding="utf-8")
