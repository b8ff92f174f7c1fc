"""What is seen of a trained model beside its speed stands on its page."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.report.scenarios import Results, observed
from tests.report.tree import Element, parse
from tests.support.records import study
from tests.support.sites import build


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Element:
    out = tmp_path_factory.mktemp("observed")
    build(observed(), out)
    return parse((out / "example_training.full.html").read_text(encoding="utf-8"))


def text_of(page: Element, identity: str) -> str:
    (section,) = [e for e in page.all("section") if e.attributes.get("id") == identity]
    return section.text.replace("\xa0", " ")


def test_forecasts_stand_beside_what_came_true(page: Element) -> None:
    text = text_of(page, "model")
    assert "error: 0.500; “same hour yesterday”: 0.00" in text
    assert "always the mean 6.00" in text
    assert "days since 15 May 2014" in text


def test_generated_text_is_shown_as_it_is(page: Element) -> None:
    assert "To be or not <b>to</b> be" in text_of(page, "model")


def test_confusion_is_in_shares_of_the_true_class(page: Element) -> None:
    text = text_of(page, "model")
    assert "80 %" in text


def test_confusion_wears_no_colour_of_faster_or_slower(page: Element) -> None:
    (table,) = [e for e in page.all("div") if e.attributes.get("id") == "confusion-table"]
    classes = " ".join(cell.attributes.get("class", "") for cell in table.all("td")).split()
    assert {name for name in classes if name[1:].isdigit()} == {"c1", "c4"}


@pytest.mark.parametrize(
    ("identity", "shown"),
    [
        ("model", ["−4.00 points", "worse", "50.5 ms", "362 examples/s", "below 0.00001"]),
        ("hardware", ["% of ", "2 cores × 2 × 256-bit FMA"]),
        ("files", ["@misc{accelreport_example_training,", "@misc{source_example_training,"]),
    ],
)
def test_what_a_section_shows(page: Element, identity: str, shown: list[str]) -> None:
    text = text_of(page, identity)
    for words in shown:
        assert words in text


def test_an_undecided_speedup_has_no_colour(tmp_path: Path) -> None:
    made = study("matmul", repeats=1, devices=("cpu", "gpu"))
    build(Results((made,)), tmp_path)
    for name in ("index.html", "example_matmul.full.html"):
        page = parse((tmp_path / name).read_text(encoding="utf-8"))
        classes = {name for td in page.all("td") for name in td.attributes.get("class", "").split()}
        assert not classes & {f"h{i}" for i in range(9)}
