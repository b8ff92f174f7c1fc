"""Every figure is also a drawing, and a table in three forms."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import get_args
from xml.etree import ElementTree as ET

import pytest
from markupsafe import Markup

from accelreport.report.model import (
    Column,
    Drawing,
    Entry,
    Figure,
    Key,
    Line,
    Panel,
    Row,
    RowGroup,
    Table,
)
from accelreport.report.site.export import csv_of, figure_svg, latex_of, markdown_of
from accelreport.report.theme import KeyShape
from tests.report.scenarios import HOSTILE
from tests.report.tree import Element

BENCHMARK = "mnist_batch_sweep.full"


def table(*texts: str) -> Table:
    rows = tuple(Row(Entry((Line(text),)), (Entry((Line(text),)),)) for text in texts)
    return Table("t", "100 % of_it", (Column("n & m", number=True),), (RowGroup(rows, "g"),))


def test_every_figure_of_a_page_has_all_its_files(site: Path, pages: dict[str, Element]) -> None:
    for figure in pages[f"{BENCHMARK}.html"].all("figure"):
        links = [a.attributes["href"] for a in figure.all("a") if "download" in a.attributes]
        own = [link for link in links if figure.attributes["id"] in link]
        suffixes = {link.partition(".full/")[2].partition(".")[2] for link in own}
        assert suffixes == {"svg", "dark.svg", "csv", "md", "tex"}
        assert all((site / link).stat().st_size > 50 for link in own)


def test_the_numbers_of_a_figure_are_the_same_in_every_form(site: Path) -> None:
    stem = site / BENCHMARK / "sweep"
    rows = list(csv.reader(io.StringIO(stem.with_suffix(".csv").read_text(encoding="utf-8"))))
    piped = stem.with_suffix(".md").read_text(encoding="utf-8").splitlines()[4:]
    ruled = [line for line in stem.with_suffix(".tex").read_text().splitlines() if "&" in line]
    assert len(rows) == len(piped) + 1 == len(ruled) > 3
    assert rows[1][2] in piped[0]


def test_the_legend_of_a_file_tells_apart_what_that_of_the_page_does() -> None:
    keys = [Key("one", "s0", shape) for shape in get_args(KeyShape)]
    nothing = Drawing(dict, "d", "", "")
    figure = Figure("f", "Title", "", (Panel(nothing),), keys=tuple(keys))
    drawn_panel = Markup('<svg viewBox="0 0 900 100"></svg>')
    root = ET.fromstring(figure_svg(figure, [drawn_panel], dark=False))  # noqa: S314 -- our own
    drawn = [
        (path.get("d", "").partition("m")[2], path.get("stroke-dasharray"))
        for path in root.iter("{http://www.w3.org/2000/svg}path")
    ]
    # A bar and a square are both a square; that one is of bars the figure itself shows.
    assert len(drawn) == len(keys) == len(set(drawn)) + 1


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_leaves_its_place_in_a_table(text: str) -> None:
    made = table(text)
    assert len(list(csv.reader(io.StringIO(csv_of(made))))) == 2
    assert not re.search(r"(?<!\\)[<>`]", markdown_of(made))
    body = latex_of(made).replace(r"\\", "").replace(r"$\times$", "").replace("$-$", "")
    assert not re.search(r"(?<!\\)[%#$]", body)
    assert body.count("{") == body.count("}")


def test_letters_that_latex_would_read_are_written_out() -> None:
    made = latex_of(table("50 % & a_b × {c}"))
    assert r"g: 50 \% \& a\_b $\times$ \{c\} & 50" in made
    assert r"\caption{100 \% of\_it}" in made
    assert r"\toprule" in made
