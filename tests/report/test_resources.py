"""What a page says of arithmetic, memory, energy, cost, and of when a device is first."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from accelreport.analysis.cost import TimeLine, overtakes
from accelreport.report.model import Figure, Section, Table
from accelreport.report.pages.sections.cold_start import cold_start_section, start_at
from accelreport.report.pages.sections.cost import cost_section
from accelreport.report.pages.sections.hardware import hardware_section, joules
from accelreport.report.pages.sections.speedup import speedup_section
from accelreport.report.site.assembly import gather
from accelreport.report.view import BenchmarkView
from accelreport.results.record import Energy, Host, Record
from accelreport.results.store import Store
from accelreport.spec.device import Device
from accelreport.spec.models import ListPrice, Published
from tests.report.scenarios import Results
from tests.support.records import Noise, Study, study
from tests.support.sites import build

EXACT = Noise(process=0.001, step=0.0, outlier_share=0.0)

READ = Energy(
    sensor="NVML", scope="GPU board", parts=["T4"], joules=600.0, window_s=12.0, steps=240,
    windows=3, unit_j=1e-3, update_s=0.1,
)  # fmt: skip
UNREAD = Energy(
    sensor="RAPL", scope="CPU package", absent="only root may read energy_uj of intel-rapl:0"
)


def bench_of(
    made: Study,
    change: Callable[[Record], dict[str, Any]] | None = None,
    devices: Mapping[str, Device] | None = None,
) -> BenchmarkView:
    records = [
        record.model_copy(update=change(record) if change else {}) for record in made.records
    ]
    plan = made.plan.model_copy(update={"devices": devices or made.plan.devices})
    (bench,) = gather(Results((Study(plan=plan, records=tuple(records), cells=made.cells),)))
    return bench


def table(section: Section | None, identity: str) -> Table:
    assert section is not None
    for block in section.blocks:
        if isinstance(block, Table) and block.id == identity:
            return block
        if isinstance(block, Figure) and block.table and block.table.id == identity:
            return block.table
    raise AssertionError(f"no table {identity}")


def words(found: Table) -> str:
    lines = [
        line.text
        for group in found.groups
        for row in group.rows
        for entry in (row.header, *row.entries)
        for line in entry.lines
    ]
    return " | ".join([*lines, *found.notes, found.caption]).replace("\xa0", " ")


# Arithmetic ------------------------------------------------------------------------------------


def test_a_product_has_its_share_of_the_peak_and_its_operations_for_each_byte() -> None:
    section = hardware_section(bench_of(study("matmul", devices=("cpu", "gpu"))))
    text = words(table(section, "use-table"))
    # 2·N³ operations over 3·N² elements of 4 bytes: N / 6.
    assert "| 171 |" in text
    assert "% of " in text
    assert "Peaks. " in text


def test_a_processor_in_no_table_has_no_share() -> None:
    section = hardware_section(bench_of(study("matmul", devices=("cpu-1",))))
    named = words(table(section, "use-table"))
    assert "%" not in named


# Memory and energy -----------------------------------------------------------------------------


def test_peak_memory_is_of_every_process_and_of_the_device() -> None:
    hosts = [
        Host(task="worker:0", host="a", chief=True, peak_bytes=2**30),
        Host(task="worker:1", host="b", peak_bytes=3 * 2**29),
        Host(task="ps:0", host="b"),
    ]
    bench = bench_of(study(devices=("cpu",), axes={}), lambda _: {"hosts": hosts})
    text = words(table(hardware_section(bench), "use-table"))
    assert "worker:0: 1.00 GiB; worker:1: 1.50 GiB" in text
    assert "ps:0" not in text


def test_energy_is_marked_sensor_grade_and_says_what_could_not_be_read() -> None:
    bench = bench_of(
        study(devices=("cpu", "gpu"), axes={}),
        lambda record: {"energy": [UNREAD, *([READ] if record.cell.device == "gpu" else [])]},
    )
    found = table(hardware_section(bench), "use-table")
    assert [badge.text for badge in found.badges] == ["sensor-grade"]
    text = words(found)
    assert "2.50 J, 50.0 W ± 5.0 %" in text
    assert "only root may read energy_uj" in text


def test_where_no_sensor_can_be_read_that_is_said_and_nothing_is_estimated() -> None:
    bench = bench_of(study(devices=("cpu",), axes={}), lambda _: {"energy": [UNREAD]})
    section = hardware_section(bench)
    assert section is not None
    text = words(table(section, "use-table"))
    assert "Energy. RAPL: only root may read" in text
    assert " J" not in text


def test_joules_have_the_unit_that_suits_them() -> None:
    said = [joules(value).replace("\xa0", " ") for value in (2500.0, 2.5, 0.0025, 2.5e-6)]
    assert said == ["2.50 kJ", "2.50 J", "2.50 mJ", "2.50 µJ"]


def test_a_baseline_without_a_time_has_its_name_of_the_page_where_a_speedup_would_be() -> None:
    made = study(devices=("cpu", "gpu"), fate=lambda c: "timeout" if c.device == "cpu" else "ok")
    text = words(table(speedup_section(bench_of(made)), "speedup-table"))
    assert "no speedup | Example has no steady time here" in text


# Cost and break-even ---------------------------------------------------------------------------


def test_a_million_examples_cost_their_time_at_the_price_of_the_day_it_names() -> None:
    bench = bench_of(study(devices=("cpu", "gpu"), axes={}, noise=EXACT))
    text = words(table(cost_section(bench), "cost-table"))
    found = re.search(r"Example T4 \| ([\d.]+)\ss .*? \| ([\d.]+)\sUSD", text)
    assert found
    seconds, cost = map(float, found.groups())
    (rate, *_) = [row.timings.throughput for row in bench.results if row.device == "gpu"]
    assert seconds == pytest.approx(1e6 / rate, rel=0.005)
    assert cost == pytest.approx(0.35 * seconds / 3600, rel=0.005)
    assert "0.35 USD/h, 31 May 2026, A provider’s list" in text
    assert "0.1 USD/h, undated" in text


def test_without_a_price_no_cost_is_given() -> None:
    assert cost_section(bench_of(study(devices=("cpu-1",), axes={}))) is None
    mixed = words(table(cost_section(bench_of(study(devices=("cpu", "cpu-1"), axes={}))),
                        "cost-table"))  # fmt: skip
    assert "no price" in mixed


def test_published_figures_of_every_kind_are_compared_by_a_million_examples() -> None:
    def theirs(
        device: str, label: str, batch: int, seconds: float, per_hour: float, step: float | None
    ) -> Published:
        price = ListPrice(per_hour=per_hour, of="A cloud", date="2018-10-08", source="an article")
        return Published(
            device=device,
            label=label,
            where={"batch_size": batch},
            epoch_time=seconds,
            step_time=step,
            price=price,
        )

    rows = (
        theirs("gpu", "A GPU", 256, 11.0, 1.0, None),
        theirs("tpu", "A TPU", 1024, 13.0, 2.0, 0.215),
        Published(device="cpu", label="A CPU", epoch_time=11164.0),
    )
    section = cost_section(bench_of(study(devices=("cpu-1",), published=rows)))
    cost = table(section, "cost-table")
    assert [column.detail for column in cost.columns] == ["per million images"] * 2 + [""]
    text = words(cost)
    assert "A GPU at batch size 256 | 12 min |  | 0.2 USD" in text
    assert "1 USD/h, 8 Oct 2018, A cloud; an article" in text
    by_step = "the step of 215 ms tells more than an epoch in whole seconds, which gives 3.53 min"
    assert "A TPU at batch size 1,024 | 3.5 min |" in text, by_step
    assert "A CPU" not in text, "nobody printed what it cost"
    assert "Whether published times include validation is not stated." in text
    assert section is not None
    assert section.detail.startswith("published machines: 0.117")
    assert section.detail.endswith("million images")


def test_different_currencies_are_never_compared() -> None:
    made = study(devices=("cpu", "gpu"), axes={})
    devices = dict(made.plan.devices)
    devices["gpu"] = devices["gpu"].model_copy(update={"currency": "EUR"})
    section = cost_section(bench_of(made, devices=devices))
    assert section is not None
    assert section.detail == "several currencies"
    assert [block.id for block in section.blocks if isinstance(block, Table)] == ["cost-table"]


def test_a_slower_start_and_faster_steps_change_places_after_so_many_steps() -> None:
    made = study(devices=("cpu", "gpu"), axes={}, noise=EXACT, epochs=1, steps_per_epoch=30)

    def slow_start(record: Record) -> dict[str, Any]:
        later = 100.0 if record.cell.device == "gpu" else 0.0
        return {"times": record.times.model_copy(update={"build_s": 1.0 + later})}

    def forked(record: Record) -> dict[str, Any]:
        return {"times": record.times.model_copy(update={"prepared_s": 2.0})}

    shared, bench = bench_of(made, forked), bench_of(made, slow_start)
    assert "share one import" in repr(cold_start_section(shared))
    assert "share one import" not in repr(cold_start_section(bench))
    text = words(table(cold_start_section(bench), "cold-table")).replace("\u202f", "")
    lines = [start_at(bench, series, ()) for series in bench.shown_series]
    first, later = (TimeLine(each.total, each.steady_s) for each in lines if each)
    assert f"| {overtakes(later, first)} steps |" in text.replace(",", "")


def test_a_run_that_was_stopped_after_one_point_of_many_still_has_its_pages(
    tmp_path: Path,
) -> None:
    sizes = tuple(range(100, 1100, 100))
    made = study(
        devices=("cpu",),
        axes={"batch_size": sizes},
        repeats=1,
        fate=lambda cell: "ok" if cell.point["batch_size"] == 200 else "missing",
    )
    built = build(Results((made,)), tmp_path)
    assert "batch size 200" in (built.index.parent / "example_training.full.html").read_text()
    section = cold_start_section(bench_of(made))
    assert section is not None
    (figure,) = [block for block in section.blocks if isinstance(block, Figure)]
    assert "batch size 200" in figure.panels[0].wide.description


@pytest.mark.parametrize("repeats", [1, 3])
def test_nothing_pays_off_where_no_interval_says_which_is_faster(repeats: int) -> None:
    bench = bench_of(study(devices=("cpu", "gpu"), axes={}, noise=EXACT, repeats=repeats))
    rows = table(cold_start_section(bench), "cold-table").groups[0].rows
    text = rows[1].entries[4].lines[0].text
    assert (text == "undecided") == (repeats == 1), "a single run has no interval"


def test_records_of_a_real_gpu_have_its_name_its_peak_its_energy_and_its_libraries(
    tmp_path: Path,
) -> None:
    """PyTorch on an H200, each cell once; no page had seen a record of an accelerator before."""
    with zipfile.ZipFile(Path(__file__).with_name("h200.zip")) as archive:
        archive.extractall(tmp_path / "results")
    build(Store(tmp_path / "results"), tmp_path / "site")
    shares = [
        float(share)
        for page in (tmp_path / "site").glob("day_*.full.html")
        for share in re.findall(r"([\d.]+)\s% of its peak", page.read_text("utf-8"))
    ]
    assert shares
    assert max(shares) <= 100
    devices = (tmp_path / "site" / "devices.html").read_text("utf-8")
    libraries = "CUDA 13.0, cuDNN 91900, CUDA package 13.0.96, cuDNN package 9.19.0.56"
    for shown in ("H200, PyTorch eager, TF32", "driver 580.159.04", libraries):
        assert shown in devices
    assert "JAX CUDA" not in devices
    products = (tmp_path / "site" / "day_matmul.full.html").read_text("utf-8")
    assert re.search(r"GPU board.*1\.69\sJ, 606\sW", products, re.DOTALL)
    batches = (tmp_path / "site" / "day_batch.full.html").read_text("utf-8")
    assert "not planned" not in batches, "axes that advance together are no grid"
