"""Whatever a spec, a record or a log says, the pages only show it."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pandas as pd
from markupsafe import Markup

from accelreport.report.comparison import compare_folders
from accelreport.report.pages.compare import comparison_html
from accelreport.report.site.export import csv_text
from accelreport.report.site.render import Renderer
from accelreport.report.text import clean
from tests.report.scenarios import HOSTILE, attacked
from tests.report.tree import parse

INERT = {
    "html", "head", "meta", "title", "link", "style", "body", "a", "header", "div", "nav", "ol",
    "li", "fieldset", "legend", "input", "label", "main", "p", "h1", "h2", "h3", "dl", "dt", "dd",
    "strong", "section", "span", "table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td",
    "figure", "figcaption", "ul", "details", "summary", "pre", "code", "footer", "img", "script",
    "aside", "button", "kbd",
    "svg", "desc", "g", "path", "line", "rect", "text", "tspan", "defs", "clippath",
}  # fmt: skip
"""Every element a page of ours may hold."""

OURS = {
    str(text)
    for template in ("tables.html", "slides.html")
    for text in Renderer(lambda drawing: Markup()).scripts(template).values()
}
"""Every script that a page of ours may run."""


def test_a_hostile_text_becomes_neither_element_nor_link(attacked_site: Path) -> None:
    for path in attacked_site.rglob("*.html"):
        source = path.read_text(encoding="utf-8")
        page = parse(source)
        found = {element.tag for element in page.all()}
        assert found <= INERT, f"{path.name}: {found - INERT}"
        ours = {" ".join(text.split()) for text in OURS}
        assert {script.text for script in page.all("script")} <= ours
        for element in page.all():
            assert not any(name.startswith("on") for name in element.attributes)
            href = element.attributes.get("href", "")
            assert "javascript:" not in href.lower()
            assert not href.startswith(("http://", "//", "/", "file:", "data:text"))
        assert clean(source) == source, "a control character reached the page"


def test_a_hostile_text_stays_a_text_where_two_runs_are_compared() -> None:
    source = comparison_html(compare_folders(attacked(), attacked(), 0.05))
    page = parse(source)
    assert {element.tag for element in page.all()} <= INERT
    assert {script.text for script in page.all("script")} <= {" ".join(t.split()) for t in OURS}
    assert {link.attributes["href"][0] for link in page.all("a")} == {"#"}
    assert clean(source) == source, "a control character reached the page"


def test_a_hostile_name_leads_to_no_file_outside_the_site(attacked_site: Path) -> None:
    assert sorted(path.name for path in attacked_site.parent.iterdir()) == ["site"]
    pages = [path.stem for path in attacked_site.glob("*.html")]
    # A page and a deck for each benchmark; the front page, its five places, ceilings, and methods.
    assert len(pages) == 2 * len(HOSTILE) + 8
    assert all(set(name) <= set("abcdefghijklmnopqrstuvwxyz0123456789_-.") for name in pages)


def test_a_hostile_text_is_still_shown(attacked_site: Path) -> None:
    index = parse((attacked_site / "index.html").read_text(encoding="utf-8"))
    assert HOSTILE[0] in index.text
    assert "⟨U+202E⟩" in index.text


def test_no_spreadsheet_runs_a_text_of_a_record(attacked_site: Path) -> None:
    for path in attacked_site.rglob("*.csv"):
        for row in csv.reader(io.StringIO(path.read_text(encoding="utf-8"))):
            assert not any(cell.startswith(("=", "@", "+")) for cell in row), path.name


def test_numbers_of_a_csv_keep_their_sign() -> None:
    text = csv_text(pd.DataFrame({"difference": [-0.5], "said": ["-x"], "both": [("a", 1)]}))
    assert text == 'difference,said,both\n-0.5,\'-x,"[""a"", 1]"\n'


def test_json_files_are_json_whatever_they_hold(attacked_site: Path) -> None:
    paths = list(attacked_site.rglob("*.json"))
    assert len(paths) > 5 * len(HOSTILE)
    for path in paths:
        json.loads(path.read_text(encoding="utf-8"))
