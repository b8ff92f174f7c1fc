"""Every page of the documentation is whole, leads somewhere, and asks the network for nothing."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote

import pytest

from docsite.contents import WRITTEN, entries
from docsite.markdown import DocsError, convert
from docsite.site import GROUPS, build
from tests.house.tree import ROOT
from tests.report.tree import Element

LOADING = {
    "audio",
    "embed",
    "frame",
    "iframe",
    "img",
    "link",
    "object",
    "script",
    "source",
    "video",
}
"""Elements that may fetch something."""


def ids(page: Element) -> list[str]:
    return [element.attributes["id"] for element in page.all() if "id" in element.attributes]


def levels(page: Element) -> list[int]:
    """The levels of the headings of what a page says, in their order."""
    (main,) = page.all("main")
    return [int(each.tag[1]) for each in main.all() if re.fullmatch(r"h[1-6]", each.tag)]


def test_every_document_is_a_page_of_one_group(documents: dict[str, Element]) -> None:
    written = {path.stem for path in (ROOT / "docs").glob("*.md")}
    found = entries()
    assert written <= {entry.name for entry in found}
    assert {f"{entry.name}.html" for entry in found} | {"index.html"} == set(documents)
    assert len({entry.name for entry in found}) == len(found)
    assert {entry.group for entry in found} == set(WRITTEN) == set(GROUPS)


def test_every_link_and_every_anchor_within_the_site_leads_somewhere(
    documents: dict[str, Element],
) -> None:
    known = {name: set(ids(page)) for name, page in documents.items()}
    broken = []
    for name, page in documents.items():
        for link in page.all("a"):
            href = link.attributes["href"]
            if re.match(r"https?:", href):
                continue
            target, sign, anchor = href.partition("#")
            there = known.get(target or name)
            if there is None or (sign and unquote(anchor) not in there):
                broken.append(f"{name}: {href}")
    assert broken == []
    assert sum(len(page.all("a")) for page in documents.values()) > 500


def test_every_page_can_be_reached_from_every_other_one(documents: dict[str, Element]) -> None:
    for name, page in documents.items():
        (menu,) = [each for each in page.all("nav") if each.attributes.get("id") == "pages"]
        linked = [link.attributes["href"] for link in menu.all("a")]
        assert {*linked, "index.html"} == set(documents)
        here = [link for link in menu.all("a") if "aria-current" in link.attributes]
        assert [link.attributes["href"] for link in here] == ([name] if name in linked else [])


def test_no_page_fetches_anything(documents: dict[str, Element], built: Path) -> None:
    for name, page in documents.items():
        for element in page.all(*LOADING):
            assert element.tag != "link" or element.attributes["href"] == "data:,"
            assert "src" not in element.attributes, name
            assert element.tag in {"link", "script"}
        text = (built / name).read_text(encoding="utf-8")
        assert not re.search(r"url\(|@import", text.partition("</style>")[0])
        (policy,) = [each for each in page.all("meta") if "http-equiv" in each.attributes]
        assert policy.attributes["content"].startswith("default-src 'none'; style-src 'sha256-")


def test_a_page_says_nothing_that_its_own_policy_forbids(documents: dict[str, Element]) -> None:
    for page in documents.values():
        assert not [each.tag for each in page.all() if "style" in each.attributes]
        named = {name for each in page.all() for name in each.attributes}
        assert not [name for name in named if name.startswith("on")]


def test_a_page_has_a_language_a_title_of_its_own_and_one_first_heading(
    documents: dict[str, Element],
) -> None:
    titles = []
    for page in documents.values():
        (root,) = page.all("html")
        assert root.attributes["lang"] == "en"
        (title,) = page.all("title")
        titles.append(title.text)
        found = levels(page)
        assert found[0] == 1
        assert found.count(1) == 1
        assert all(after - before <= 1 for before, after in pairwise(found))
        described = {each.attributes.get("name"): each for each in page.all("meta")}
        assert described["description"].attributes["content"]
    assert len(set(titles)) == len(titles)


def test_what_axe_looks_for_first_holds(documents: dict[str, Element]) -> None:
    for name, page in documents.items():
        found = ids(page)
        assert len(found) == len(set(found)), name
        assert all(link.text for link in page.all("a")), name
        assert all("scope" in cell.attributes for cell in page.all("th"))
        # What scrolls can be reached by keyboard, and a list holds nothing but its points.
        assert all("tabindex" in each.attributes for each in page.all("pre"))
        for each in page.all("ul", "ol"):
            assert {child.tag for child in each.children} <= {"li"}
        assert len(page.all("main")) == len(page.all("header")) == len(page.all("footer")) == 1


def test_text_of_a_person_is_not_lost_nor_taken_for_markup(documents: dict[str, Element]) -> None:
    statistics = documents["statistics.html"]
    text = (ROOT / "docs" / "statistics.md").read_text(encoding="utf-8")
    assert len(statistics.all("table")) == text.count("\n| :-- |")
    assert "table: fallback" in text
    assert "table: fallback" not in statistics.text
    assert len(documents["specs.html"].all("pre")) == text_fences("specs")


def text_fences(name: str) -> int:
    text = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    return len(re.findall(r"^```", text, re.MULTILINE)) // 2


def test_commands_in_running_text_lead_to_their_reference(documents: dict[str, Element]) -> None:
    linked = {link.attributes["href"]: link.text for link in documents["running.html"].all("a")}
    assert linked["reference-commands.html#accelreport-run"].startswith("accelreport run")


def test_the_same_sources_give_the_same_bytes(built: Path, tmp_path: Path) -> None:
    again = build(tmp_path).parent
    for path in built.glob("*.html"):
        assert path.read_bytes() == (again / path.name).read_bytes()


def test_the_command_builds_where_it_is_told_and_says_where(tmp_path: Path) -> None:
    out = tmp_path / "some" / "folder"
    done = subprocess.run(
        [sys.executable, "-m", "docsite", str(out)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{out / 'index.html'}\n"
    assert (out / "tutorial.html").is_file()


def test_make_builds_it_in_a_folder_that_git_does_not_keep() -> None:
    told = subprocess.run(
        ["make", "-n", "docs"],
        cwd=ROOT,
        env={**os.environ, "MAKEFLAGS": "", "MAKELEVEL": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.splitlines()[-2:] == [
        "rm -rf build/docs",
        ".venv/bin/python -m docsite build/docs",
    ]
    assert "/build/" in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("# T\n\n[x](absent.md)\n", "absent.md leads to no page"),
        ("# T\n\n[x](../README.md#more)\n", "leads to no page"),
        ("# T\n\n![x](x.png)\n", "x.png"),
        ("no title\n", "title"),
    ],
)
def test_what_would_be_broken_on_the_site_is_an_error(text: str, says: str) -> None:
    from docsite.site import _link

    with pytest.raises(DocsError, match=says):
        convert(text, lambda href: _link({"there"}, href), lambda _: None)
