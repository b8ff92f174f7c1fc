"""Every figure is also a drawing, and a table."""

from __future__ import annotations

import csv
import io
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
from accelreport.report.site.export import csv_of, figure_svg
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
        assert suffixes == {"svg", "dark.svg", "csv"}
        assert all((site / link).stat().st_size > 50 for link in own)


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
    assert len(drawn) == len(keys) == len(set(drawn))


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_leaves_its_place_in_a_table(text: str) -> None:
    assert len(list(csv.reader(io.StringIO(csv_of(table(text)))))) == 2
