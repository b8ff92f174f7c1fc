"""Cells of tables, which are escaped in one go."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from markupsafe import escape

from accelreport.report.model import Column, Entry, Line, Row, RowGroup, Table
from accelreport.report.pages.badges import MOST_ACROSS, devices_down
from accelreport.report.site.render import cell_attributes, raw

ROWS = st.lists(st.lists(st.text(alphabet="a<>&'\"\x1f\x1e ", max_size=6), min_size=1, max_size=4))


@given(rows=ROWS)
def test_a_raw_table_holds_every_value_escaped_in_its_own_cell(rows: list[list[str]]) -> None:
    expected = "".join(
        f'<tr><th scope="row">{escape(first)}</th>'
        + "".join(f"<td>{escape(value)}</td>" for value in rest)
        + "</tr>\n"
        for first, *rest in rows
    )
    assert raw(rows) == expected


@given(st.integers(1, 14), st.integers(1, 3))
def test_many_devices_of_a_single_row_stand_below_one_another_and_none_is_lost(
    devices: int, points: int
) -> None:
    columns = tuple(Column(f"device {n}", number=True, device=n) for n in range(devices))
    rows = tuple(
        Row(Entry((Line(f"batch {p}"),)), tuple(Entry((Line(f"{n}×{p}"),)) for n in range(devices)))
        for p in range(points)
    )
    table = Table(id="t", title="", corner="batch size", columns=columns, groups=(RowGroup(rows),))
    shown = devices_down(table)
    assert len(shown.columns) <= MOST_ACROSS or points > 1
    if shown is not table:
        (group,) = shown.groups
        assert [row.header.lines[0].text for row in group.rows] == [c.title for c in columns]
        assert [row.device for row in group.rows] == list(range(devices))
        assert [entry for row in group.rows for entry in row.entries] == list(rows[0].entries)


def test_a_cell_says_its_colour_its_mark_and_that_it_is_a_number() -> None:
    entry = Entry((Line("5×"),), heat=7, mark="baseline")
    assert cell_attributes(entry, Column("GPU", number=True)) == ' class="h7 baseline n"'
    assert cell_attributes(Entry((Line("–"),)), Column("GPU")) == ' class="nil"'
    assert cell_attributes(Entry((Line("5×"),)), Column("GPU")) == ""
    assert cell_attributes(Entry((), mark='"><b'), Column("GPU")) == ' class="&#34;&gt;&lt;b"'
