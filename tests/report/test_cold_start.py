"""What passes before the first step is done, by stage."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelreport.analysis.speed_findings import rate_of
from accelreport.analysis.stats import geometric_mean
from accelreport.report.model import Figure, RawTable, Table
from accelreport.report.pages.run import blocks_section
from accelreport.report.pages.sections.cold_start import cold_start_section, start_at
from accelreport.report.pages.sections.cost import cost_section, money
from accelreport.report.quantity import duration, duration_of, number, ratio_of
from accelreport.report.site.assembly import gather
from tests.report.scenarios import Results
from tests.support.records import study

STAGES = ((1.0, 9.0, 1.0, 5.0), (12.0, 1.0, 1.0, 1.0), (5.0, 1.0, 9.0, 2.0))
"""Seconds of imports, data, model and the first step of three processes: each is slow at something
else."""


def test_each_stage_is_the_median_of_the_processes_and_so_is_the_whole() -> None:
    made = study(devices=("cpu",), axes={}, repeats=3)
    records = []
    for record, (imports, data, build, first) in zip(made.records, STAGES, strict=True):
        times = {"process_s": 0.0, "import_s": imports, "data_s": data, "build_s": build}
        changed = record.times.model_copy(update=times | {"first_step_s": first})
        records.append(record.model_copy(update={"times": changed}))
    (bench,) = gather(Results((replace(made, records=tuple(records)),)))
    start = start_at(bench, bench.series[0], ())
    assert start is not None
    assert start.stages == (5.0, 1.0, 1.0, 2.0)
    assert start.total == 16.0
    section = cold_start_section(bench)
    assert section
    tables = {each.id: each for each in section.blocks if isinstance(each, Table)}
    (row,) = tables["cold-table"].groups[0].rows
    assert row.entries[0].lines[0].text == duration(2.0)
    own = [one / record.steady.step_s for one, record in zip((5.0, 1.0, 2.0), records, strict=True)]
    assert row.entries[2].lines[0].text == ratio_of(geometric_mean(own))


@pytest.mark.parametrize("devices", [("cpu",), ("cpu", "gpu")])
def test_a_lone_start_up_is_drawn_by_its_stages_and_several_as_wholes(
    devices: tuple[str, ...],
) -> None:
    (bench,) = gather(Results((study(devices=devices, axes={}, repeats=2),)))
    section = cold_start_section(bench)
    assert section
    (figure,) = (block for block in section.blocks if isinstance(block, Figure))
    names = re.findall(r"(?:^|; )([^:;]+?) ?:", figure.drawings[0].description)
    wholes = [series.title for series in bench.series]
    assert names == wholes if len(devices) > 1 else len(names) == 4
    assert figure.table
    assert len(figure.table.columns) == 5, "the stages and their sum"


def test_a_steady_step_is_one_number_on_the_whole_page() -> None:
    (bench,) = gather(Results((study(devices=("cpu", "gpu"), axes={}, repeats=4),)))
    section = cold_start_section(bench)
    assert section
    tables = {each.id: each for each in section.blocks if isinstance(each, Table)}
    for series, row in zip(bench.series, tables["cold-table"].groups[0].rows, strict=True):
        compared = bench.speedup(series, ())
        assert compared
        assert row.entries[1].lines[0].text == duration_of(compared.seconds)
        start = start_at(bench, series, ())
        assert start
        assert start.steady_s == compared.seconds.value


def test_the_rate_of_a_later_call_is_that_of_the_rest_of_the_page() -> None:
    (bench,) = gather(Results((study("matmul", devices=("cpu",), axes={}, repeats=3),)))
    rate = rate_of(bench.compared[0].own)
    section = cold_start_section(bench)
    assert section
    assert rate
    assert section.detail.startswith("first call after ")
    (table,) = (block for block in section.blocks if getattr(block, "id", "") == "cold-table")
    assert isinstance(table, Table)
    assert table.groups[0].rows[0].entries[-1].lines[0].text == number(rate.number)


@pytest.mark.parametrize(
    ("workload", "titles"),
    [
        ({"mode": "inference"}, ["first call", "steady call"]),
        ({"kind": "python"}, ["first step", "steady step"]),
    ],
)
def test_calls_and_steps_of_ones_own_have_no_columns_of_epochs(
    workload: dict[str, str], titles: list[str]
) -> None:
    made = study(devices=("cpu", "gpu"), axes={}, repeats=2)
    plan = made.plan.model_copy(update={"workload": {**made.plan.workload, **workload}})
    (bench,) = gather(Results((replace(made, plan=plan),)))
    sections = (
        cold_start_section(bench),
        cost_section(bench),
        blocks_section(bench, bench.shown_records[0]),
    )
    blocks = [block for section in sections if section for block in section.blocks]
    tables = {each.id: each for each in blocks if isinstance(each, Table)}
    (raw,) = (each for each in blocks if isinstance(each, RawTable))
    said = [column.title for each in tables.values() for column in each.columns]
    assert not [title for title in (*said, *raw.columns) if "epoch" in title]
    cold = tables["cold-table"]
    assert [column.title for column in cold.columns][:2] == titles
    assert {len(row.entries) for row in cold.groups[0].rows} == {len(cold.columns)}
    assert {len(row) for row in raw.rows} == {len(raw.columns)}


@given(st.floats(1e-7, 1e3))
def test_an_amount_of_money_is_written_without_powers_of_ten(amount: float) -> None:
    text = money(amount, "USD")
    digits = text.partition("\xa0")[0].replace(",", "")
    assert re.fullmatch(r"[\d.]+", digits)
    assert float(digits) == pytest.approx(amount, rel=0.06)
