"""A site that knows its address: link previews, a feed."""

from __future__ import annotations

import struct
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from accelreport.report.site.assembly import gather
from accelreport.report.site.export import feed
from accelreport.report.site.options import BuildOptions, SiteFacts
from tests.report.scenarios import Results, attacked
from tests.report.tree import parse
from tests.support.records import study
from tests.support.sites import build

ADDRESS = "https://example.org/report/"
ATOM = "{http://www.w3.org/2005/Atom}"
RESULTS = Results((study("matmul", repeats=2, devices=("cpu", "gpu"), axes={}),))


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("published")
    build(RESULTS, out, options=BuildOptions(base_url=ADDRESS, pictures=True))
    return out


def test_every_page_names_a_picture_that_is_there(published: Path) -> None:
    for path in published.rglob("*.html"):
        page = parse(path.read_text(encoding="utf-8"))
        (image,) = [
            e.attributes["content"]
            for e in page.all("meta")
            if e.attributes.get("property") == "og:image"
        ]
        content = (published / image.removeprefix(ADDRESS)).read_bytes()
        assert content.startswith(b"\x89PNG")
        assert struct.unpack(">II", content[16:24]) == (1200, 630)


def test_every_figure_is_a_picture_in_both_themes(published: Path) -> None:
    folder = published / "example_matmul.full"
    light, dark = (folder / f"rates{kind}.png" for kind in ("", ".dark"))
    assert light.read_bytes().startswith(b"\x89PNG")
    assert dark.read_bytes() != light.read_bytes()


def test_the_feed_tells_each_run_with_the_time_of_its_last_record(published: Path) -> None:
    root = ET.parse(published / "feed.xml").getroot()  # noqa: S314 -- ours
    (entry,) = root.findall(f"{ATOM}entry")
    last = max(record.finished_at for record in RESULTS.studies[0].records)
    updated = entry.findtext(f"{ATOM}updated") or ""
    assert updated[:19] == last[:19]
    link = entry.find(f"{ATOM}link")
    assert link is not None
    assert link.get("href", "").startswith(ADDRESS)
    index = (published / "index.html").read_text(encoding="utf-8")
    assert 'type="application/atom+xml"' in index


def test_hostile_texts_are_only_texts_in_the_feed() -> None:
    text = feed(gather(attacked()), SiteFacts("T </title>", address=ADDRESS))
    root = ET.fromstring(text)  # noqa: S314 -- ours
    assert root.findtext(f"{ATOM}title") == "T </title>"
    assert {element.tag.removeprefix(ATOM) for element in root.iter()} <= {
        "feed", "title", "id", "updated", "link", "author", "name", "entry", "summary",
    }  # fmt: skip
    for link in root.iter(f"{ATOM}link"):
        assert link.get("href", "").startswith(ADDRESS)


def test_pages_with_an_address_may_ask_their_own_server_and_nobody_else(
    published: Path, site: Path
) -> None:
    told = (published / "index.html").read_text(encoding="utf-8").partition("</head>")[0]
    assert "connect-src &#39;self&#39;;" in told
    untold = (site / "index.html").read_text(encoding="utf-8").partition("</head>")[0]
    assert "connect-src" not in untold


def test_a_site_without_an_address_has_none_of_this(site: Path) -> None:
    assert not (site / "feed.xml").exists()
    assert "og:image" not in (site / "index.html").read_text(encoding="utf-8")
