"""Two runs side by side: one page that says what became faster, and what else differs."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from accelreport.report.comparison import compare_folders, verdicts
from accelreport.report.pages.compare import comparison_html
from tests.report.scenarios import Results, two_runs
from tests.report.tree import Element, parse
from tests.support.browser import opened
from tests.support.records import study

SIZES = (1024, 4096)
TITLE = "Matrix product, cold and warm"


@pytest.fixture(scope="module")
def page() -> Element:
    return parse(comparison_html(two_runs(gate=0.05)))


def section(page: Element, name: str) -> Element:
    (found,) = [s for s in page.all("section") if s.attributes["id"] == name]
    return found


def rows_of(page: Element) -> dict[str, list[str]]:
    rows = [row for row in section(page, "times").all("tr") if row.all("th") and row.all("td")]
    return {row.all("th")[0].text: [cell.text for cell in row.all("td")] for row in rows}


def test_a_device_that_takes_half_of_the_time_is_twice_as_fast(page: Element) -> None:
    rows = rows_of(page)
    assert set(rows) == {
        f"{TITLE} {device} · size {size:,}" for device in ("cpu", "gpu") for size in SIZES
    }
    factors = {name: float(row[3].partition("×")[0]) for name, row in rows.items()}
    assert factors[f"{TITLE} cpu · size 1,024"] == pytest.approx(1 / 1.5, rel=0.1)
    assert factors[f"{TITLE} gpu · size 1,024"] == pytest.approx(2, rel=0.1)
    assert rows[f"{TITLE} cpu · size 1,024"][4] == "fails"
    assert rows[f"{TITLE} gpu · size 1,024"][4] == "passes"


def test_the_strongest_change_of_a_verdict_is_first_and_the_gate_has_the_last_word(
    page: Element,
) -> None:
    factors = [float(row[3].partition("×")[0]) for row in rows_of(page).values()]
    assert factors == [*sorted(factors[:2]), *sorted(factors[2:], reverse=True)]
    assert factors[1] < 1 < factors[2]
    assert "Machine of both" in page.text
    gate = section(page, "gate").text
    assert gate.startswith("The gate The gate is closed: something is slower than it allows.")
    assert "FAILED: k on cpu at size=1024" in gate


@pytest.mark.parametrize(
    ("gate", "words"),
    [
        (0.05, "Gate failed: 2 slower, 2 faster"),
        (None, "2 slower, 2 faster"),
    ],
)
def test_the_title_is_the_result(gate: float | None, words: str) -> None:
    page = parse(comparison_html(two_runs(gate=gate)))
    (title,) = page.all("h1")
    assert title.text == words
    assert "longer" not in page.text


def test_only_what_changed_is_open(page: Element) -> None:
    folded = {
        section.attributes["id"]
        for section in page.all("section")
        for details in section.all("details")
        if details.attributes.get("class", "").startswith("folded")
    }
    assert folded == {"left"}
    assert page.all("section")[0].attributes["id"] == "times"
    assert [row[4] for row in rows_of(page).values()].count("fails") == 2


def test_a_page_without_a_change_opens_with_what_is_the_same() -> None:
    runs = study("matmul", spec="k", repeats=4)
    same = compare_folders(Results((runs,), root=Path("before")), Results((runs,)), None)
    page = parse(comparison_html(same))
    (title,) = page.all("h1")
    assert title.text == "6 the same"
    assert "unchanged" in {section.attributes["id"] for section in page.all("section")}
    assert not [
        d
        for d in section(page, "unchanged").all("details")
        if "folded" in d.attributes.get("class", "")
    ]


def test_what_only_one_run_holds_is_named_once_for_each_reason(page: Element) -> None:
    left = section(page, "left").text
    assert (left.count("Only in OLD."), left.count("Only in NEW.")) == (1, 1)
    assert "left · cpu · batch size 256" in left


def test_a_comparison_without_a_gate_has_no_word_of_one() -> None:
    page = parse(comparison_html(two_runs()))
    assert "gate" not in {s.attributes["id"] for s in page.all("section")}
    assert "gate" not in section(page, "times").text


def test_the_page_is_the_same_for_the_same_runs_and_leads_nowhere(page: Element) -> None:
    assert comparison_html(two_runs()) == comparison_html(two_runs())
    assert {link.attributes["href"][0] for link in page.all("a")} == {"#"}


@pytest.mark.e2e
def test_nothing_is_asked_of_a_network(tmp_path: Path, browser: Browser) -> None:
    two = tmp_path / "two.html"
    two.write_text(comparison_html(two_runs()), encoding="utf-8")
    with opened(browser, two) as page:
        assert page.get_by_role("heading", name="Changed").is_visible()


def test_of_many_comparisons_it_is_said_that_each_has_an_interval_of_its_own(page: Element) -> None:
    words = "ach by its own interval"
    assert words not in page.text
    runs = study("matmul", spec="k", repeats=4)
    many = compare_folders(Results((runs,), root=Path("before")), Results((runs,)), None)
    assert f"E{words}." in parse(comparison_html(many)).text
    assert verdicts(many) == f"6 comparisons, e{words}: 6 SAME"
