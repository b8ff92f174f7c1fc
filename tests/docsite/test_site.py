"""Every page of the documentation is whole, leads somewhere, and asks the network for nothing."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser

from tests.docsite.conftest import sphinx
from tests.house.tree import ROOT
from tests.report.tree import Element
from tests.support.browser import opened

pytestmark = pytest.mark.e2e


def test_every_document_is_a_page_that_the_menu_leads_to(documents: dict[str, Element]) -> None:
    written = {
        path.relative_to(ROOT / "docs").with_suffix(".html").as_posix()
        for path in (ROOT / "docs").rglob("*.md")
    }
    assert written <= set(documents)
    menu = {
        link.attributes["href"]
        for link in documents["index.html"].all("a")
        if "reference" in link.attributes.get("class", "")
    }
    assert written - menu == {"index.html"}


def test_each_link_that_would_be_broken_on_the_site_fails_the_build(tmp_path: Path) -> None:
    broken = ("[x](absent.md)", "[x](running.md#no-such-heading)", "![x](absent.png)")
    docs, kept = tmp_path / "project" / "docs", {"index.md", "running.md", "scale.md"}

    def others(_: str, names: list[str]) -> set[str]:
        return {name for name in names if name.endswith(".md")} - kept

    shutil.copytree(ROOT / "docs", docs, ignore=others)
    (docs / "scale.md").write_text("\n\n".join(["# Scale", *broken, ""]), encoding="utf-8")
    done = sphinx(docs, tmp_path / "site", builder="dummy")  # which resolves and writes nothing
    assert done.returncode != 0
    for says in ("absent.md", "no-such-heading", "absent.png"):
        (line,) = [line for line in done.stderr.splitlines() if says in line]
        assert "WARNING" in line  # each is one, and any of them fails a build


def test_no_page_fetches_anything_from_elsewhere(documents: dict[str, Element]) -> None:
    for name, page in documents.items():
        for element in page.all("img", "link", "script", "iframe", "source"):
            address = element.attributes.get("src") or element.attributes.get("href", "")
            assert not re.match(r"(https?:)?//", address), name


def test_commands_in_running_text_lead_to_their_reference(documents: dict[str, Element]) -> None:
    linked = {link.attributes["href"]: link.text for link in documents["running.html"].all("a")}
    assert linked["reference/commands.html#accelreport-run"].startswith("accelreport run")


def test_what_is_searched_for_is_found_without_a_network(built: Path, browser: Browser) -> None:
    # A browser lets no page of the disk read others, whose lines would stand under what is found.
    with opened(browser, built / "search.html", files=True, quiet=False) as page:
        page.goto(f"{page.url}?q=until-decided")
        page.wait_for_selector("#search-results li")
        found = page.locator("#search-results").inner_text()
    assert "How a run works" in found


@pytest.mark.parametrize("name", ["index.html", "tutorial.html", "reference/spec.html"])
@pytest.mark.parametrize(("width", "scheme"), [(1440, "light"), (1440, "dark"), (390, "light")])
def test_a_page_fits_and_follows_the_reader_s_colours(
    name: str, width: int, scheme: Literal["light", "dark"], built: Path, browser: Browser
) -> None:
    with opened(browser, built / name, width=width, scheme=scheme, files=True) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        light = sum(int(part) for part in re.findall(r"\d+", ground)[:3]) > 3 * 128
        assert light == (scheme == "light")


def test_make_builds_it_in_a_folder_that_git_does_not_keep() -> None:
    told = subprocess.run(
        ["make", "-n", "docs"],
        cwd=ROOT,
        env={**os.environ, "MAKEFLAGS": "", "MAKELEVEL": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    command = next(line for line in told.stdout.splitlines() if "-m sphinx" in line)
    assert "--fail-on-warning --nitpicky" in command
    assert command.endswith("docs build/docs")
    assert "/build/" in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
