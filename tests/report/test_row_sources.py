"""A published figure stands with who published it, when that is not the spec's own source."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import pytest

from accelreport.report.model import Table
from accelreport.report.pages.sections.published import published_section
from accelreport.report.site.assembly import gather
from accelreport.spec.models import Published, Source
from tests.report.scenarios import Results
from tests.report.tree import Element, parse
from tests.support.records import Study, study
from tests.support.sites import build

PAPER = Source(
    title="A paper", authors="A. Author", year=2021, url="https://example.org/paper",
    licence="CC BY 4.0", accessed="2026-05-31",
)  # fmt: skip
HOSTILE = Source(title="<b>x</b>", url="javascript:alert(1)")

LONG = " ".join(["It is of a machine that nobody has any more."] * 4)

ROWS = (
    Published(device="gpu", label="Two", tflops=4.0, speedup=3.0, note=LONG),
    Published(device="gpu", label="Brief", tflops=5.0, speedup=4.0, note="Short."),
    Published(device="gpu", label="Plain", tflops=1.0),
    Published(device="gpu", label="Imported", tflops=2.0, source=PAPER, imported="theirs.csv"),
    Published(device="gpu", label="By hand", tflops=3.0, source=HOSTILE),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site with a row of the spec's source, an imported one and one of another source."""
    made = study("matmul", spec="products", devices=("cpu", "gpu"), repeats=1, published=ROWS)
    plan = made.plan.model_copy(update={"source": Source(title="A talk", year=2018)})
    out = tmp_path_factory.mktemp("cited")
    build(Results((Study(plan, made.records),)), out)
    return out


@pytest.fixture(scope="module")
def page(folder: Path) -> Element:
    """The page of the benchmark."""
    return parse((folder / "products.full.html").read_text(encoding="utf-8"))


def test_each_row_says_whom_it_is_from_where_that_is_not_the_specs_source(page: Element) -> None:
    (table,) = [each for each in page.all("div") if each.attributes.get("id") == "published-table"]
    rows = [row for row in table.all("tr") if row.all("td")]
    told = {row.all("th")[0].text: row.all("td")[-1].text for row in rows}
    plain, imported, by_hand = (
        next(text for name, text in told.items() if label in name)
        for label in ("Plain", "Imported", "By hand")
    )
    assert "A talk" not in plain
    cited = "imported from theirs.csv: A paper (A. Author, 2021); CC BY 4.0; read 2026-05-31"
    assert cited in imported
    assert "from <b>x</b>" in by_hand


def test_a_note_of_a_row_is_told_once_and_at_none_of_its_figures(page: Element) -> None:
    figures, notes = (
        next(e for e in page.all("div") if e.attributes.get("id") == f"published-{name}").text
        for name in ("table", "notes")
    )
    for note in (LONG, "Short."):
        assert (figures.count(note), notes.count(note)) == (0, 1)


def test_only_an_address_of_the_web_is_linked(page: Element) -> None:
    links = [link.attributes["href"] for link in page.all("a")]
    assert "https://example.org/paper" in links
    assert not [link for link in links if "javascript" in link]


def test_every_piece_is_named_and_can_be_cited(page: Element) -> None:
    assert "“A talk”, “A paper” and “<b>x</b>”" in page.text
    assert "@misc{source_products," in page.text
    assert "@misc{source_products_2, title = {A paper}, author = {A. Author}" in page.text
    assert "Accessed 2026-05-31. CC BY 4.0" in page.text


def test_the_files_say_it_too(folder: Path) -> None:
    text = (folder / "products.full" / "published.csv").read_text(encoding="utf-8")
    rows = {row["label"]: row for row in csv.DictReader(io.StringIO(text))}
    assert rows["Plain"]["source"] == "A talk (2018)"
    assert rows["Imported"]["imported"] == "theirs.csv"
    assert rows["Imported"]["source_url"] == "https://example.org/paper"
    assert "theirs.csv" in (folder / "products.full" / "plan.json").read_text(encoding="utf-8")


def test_a_time_that_a_source_prints_in_three_units_is_one_figure_of_a_page() -> None:
    row = Published(
        device="gpu", label="Colab GPU, 2018", where={"batch_size": 512},
        epoch_time=6.0, step_time=0.0512, sample_time=1e-4,
    )  # fmt: skip
    made = study(devices=("cpu", "gpu"), repeats=1, published=(row,), steps_per_epoch=117)
    (bench,) = gather(Results((made,)))
    section = published_section(bench)
    assert section
    assert section.detail == "1\xa0figure"
    (table,) = section.blocks
    assert isinstance(table, Table)
    (told,) = [row for group in table.groups for row in group.rows]
    printed = [line.text.replace("\xa0", " ") for line in told.entries[0].lines]
    assert len(printed) == 3
    assert printed[0].startswith("6 s")


def test_what_was_measured_at_other_points_is_not_called_unmeasurable() -> None:
    rows = (Published(device="gpu", label="a", where={"batch_size": 4096}, epoch_time=6.0),)
    made = study(devices=("cpu", "gpu"), repeats=1, published=rows)
    (bench,) = gather(Results((made,)))
    section = published_section(bench)
    assert section
    assert section.detail == "1\xa0figure"


def test_what_was_measured_otherwise_is_told_in_the_words_of_the_page() -> None:
    text = '[workload]\nbatch_size = 4096\n[profiles.quick]\n"workload.batch_size" = 1024\n'
    row = Published(device="cpu", label="a", step_time=6.0)
    made = study(axes={}, devices=("cpu",), repeats=1, published=(row,))
    changed = {"batch_size": 1024}
    update = {"profile": "quick", "text": text, "workload": {**made.plan.workload, **changed}}
    (bench,) = gather(Results((replace(made, plan=made.plan.model_copy(update=update)),)))
    section = published_section(bench)
    assert section
    assert "batch size 1,024 instead of 4,096" in str(section.blocks)
