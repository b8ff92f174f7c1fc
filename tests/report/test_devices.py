"""The inventory: what each device and machine is, who measured it, and what is not there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from accelreport.analysis.hardware import HARDWARE, REMARKS, RUNTIMES, Reading
from accelreport.report.model import Table
from accelreport.report.pages.devices import devices_page
from accelreport.report.pages.machines import machine_facts
from accelreport.report.pages.sections.hardware import hardware_section
from accelreport.report.site.assembly import gather
from accelreport.report.site.options import BuildOptions
from accelreport.report.view import views
from accelreport.results.record import Environment, Gpu, Record, Roofs
from accelreport.results.store import Store
from accelreport.spec.models import Source
from tests.report.scenarios import Results, ordinary
from tests.report.test_same_bytes import digests
from tests.report.tree import Element
from tests.support.records import Study, store_of, study
from tests.support.sites import build

PAGE = "devices.html"
Change = Callable[[Record], Record]


def test_machines_that_a_source_prints_are_shown_in_its_words_where_a_benchmark_quotes_it() -> None:
    (colab,) = (machine for machine in RUNTIMES if machine.memory_gb == 13)
    unquoted = study("matmul", repeats=1, axes={})
    without = devices_page(gather(Results((unquoted,)))).sections
    assert "published-machines" not in {section.id for section in without}
    quoting = unquoted.plan.model_copy(update={"source": Source(title=colab.source)})
    page = devices_page(gather(Results((replace(unquoted, plan=quoting),))))
    (section,) = (section for section in page.sections if section.id == "published-machines")
    assert colab.hardware in repr(section)
    assert colab.words in repr(section)
    (shown,) = section.blocks
    assert isinstance(shown, Table)
    assert [group.title for group in shown.groups] == ["CPU", "GPU", "TPU"]


def line(page: Element, name: str) -> str:
    """What is said of a device."""
    (item,) = [e for e in page.all("tr") if e.attributes.get("id") == f"device-{name}"]
    return item.text.replace("\xa0", " ")


def test_beside_another_framework_a_name_tells_its_own() -> None:
    made = study(devices=("cpu", "cpu-1"), repeats=1)
    (bench,) = views([made.plan], made.records)
    alone = bench.title_of("cpu")
    assert "TensorFlow" not in alone
    other = made.plan.devices["cpu-1"].model_copy(update={"framework": "jax", "label": ""})
    plan = made.plan.model_copy(update={"devices": {**made.plan.devices, "cpu-1": other}})
    (bench,) = views([plan], made.records)
    assert bench.title_of("cpu") == "TensorFlow graph"
    assert bench.title_of("cpu-1").startswith("JAX")


def test_what_was_measured_has_the_name_of_its_hardware_and_what_was_not_that_of_its_kind() -> None:
    made = study(devices=("cpu", "cpu-1", "gpu", "tpu"), repeats=1, fate=lambda cell:
                 "skipped" if cell.device == "tpu" else "ok")  # fmt: skip
    (bench,) = gather(Results((made,)))
    titles = [bench.title_of(device) for device in bench.plan.devices]
    assert titles == ["Example, 2 threads", "Example, 1 thread", "Example T4", "TPU v2-8"]
    assert [each.title for each in bench.shown_series] == titles[:3]
    assert bench.label_of("gpu") == "GPU", "what a source measured was another one"
    for cpu in ("x86_64", ""):
        (bench,) = gather(Results((_on_cpu(made, cpu),)))
        assert bench.title_of("cpu-1") == "CPU, 1 thread"


def _on_cpu(made: Study, cpu: str) -> Study:
    records = tuple(
        each.model_copy(update={"environment": each.environment.model_copy(update={"cpu": cpu})})
        for each in made.records
        if each.environment
    )
    return replace(made, records=records)


def test_a_machine_stands_there_with_what_was_run_on_it_and_what_is_known_of_it(
    pages: dict[str, Element],
) -> None:
    page = pages[PAGE]
    (machine,) = [e for e in page.all("section") if e.attributes.get("id") == "machine-0a1b2c3d"]
    text = " ".join(machine.text.replace("\xa0", " ").split())
    for fact in (
        "Example CPU @ 2.00GHz", "Example T4", "2 physical cores, 2 usable threads", "24.0 GiB",
        "driver 550.54", "16.0 GiB", "TensorFlow 2.21.0", "Keras 3.15.0", "2.00 GHz",
    ):  # fmt: skip
        assert fact in text, fact
    # What devices share is told once, above them.
    assert len([e for e in machine.all("tr") if e.attributes.get("class") == "group"]) == 2
    assert "1 thread" in line(page, "cpu-1")
    gpu = line(page, "gpu")
    priced = ("0.35 USD/h", "31 May 2026", "A provider’s list")
    assert all(fact in gpu for fact in ("one device strategy", "float32", *priced))


def test_one_machine_in_several_configurations_is_one_machine() -> None:
    made = study(devices=("cpu", "cpu-1", "gpu"), repeats=1, fate=lambda cell:
                 "skipped" if cell.device == "gpu" else "ok")  # fmt: skip
    page = devices_page(gather(Results((made,))))
    assert page.headline.replace("\xa0", " ") == "1 benchmark on one machine"
    assert page.finding.replace("\xa0", " ") == "Devices without numbers: GPU (needs a GPU)."


def test_a_machine_of_two_processors_has_a_row_for_each_and_counts_under_one_name() -> None:
    made = study(devices=("cpu", "cpu-1"), axes={}, repeats=2)
    units = (("avx2",), ("avx512f",))
    records = tuple(on(each, vector=units[each.cell.device == "cpu"]) for each in made.records)
    page = devices_page(gather(Results((replace(made, records=records),))))
    assert page.headline.replace("\xa0", " ") == "1 benchmark on two processors"
    processors, listed = (b for s in page.sections for b in s.blocks if isinstance(b, Table))
    assert [row.header.lines[0].text for row in processors.groups[0].rows] == ["AVX-512", "AVX2"]
    (rows,) = (group.rows for group in listed.groups)
    assert [row.entries[0].lines[0].text for row in rows] == ["1", "1"]
    assert not any("AVX" in row.header.lines[0].text for row in rows)


def test_a_device_has_the_name_that_pages_of_benchmarks_give_it(pages: dict[str, Element]) -> None:
    benches = gather(ordinary())
    for name in ("cpu", "cpu-1", "gpu"):
        titles = {bench.title_of(name) for bench in benches}
        assert any(title in line(pages[PAGE], name) for title in titles)


@pytest.mark.parametrize("reading", ["maker", "copy"])
def test_a_limit_stands_beside_its_source_and_what_it_was_held_against(reading: Reading) -> None:
    known = next(each for each in HARDWARE if each.unit == "GPU" and each.reading == reading)
    made = study("matmul", repeats=1, devices=("cpu", "gpu"), axes={})
    bare = {
        name: each.model_copy(update={"peak_tflops": {}, "memory_gbps": None})
        for name, each in made.plan.devices.items()
    }
    plan = made.plan.model_copy(update={"devices": bare})
    seen = [on(record, gpus=[Gpu(name=known.name)]) for record in made.records]
    (bench,) = gather(Results((replace(made, plan=plan, records=tuple(seen)),)))
    section = hardware_section(bench)
    assert section is not None
    tables = {block.id: block for block in section.blocks if isinstance(block, Table)}
    shown = tables["use-table"]
    note, *_ = shown.notes
    assert known.source in note
    assert REMARKS[reading].replace("'", "’") in note


@pytest.mark.parametrize("name", ["mnist_batch_sweep.full.html", "matmul.full.html"])
def test_other_pages_lead_to_each_device_and_machine(name: str, pages: dict[str, Element]) -> None:
    links = {a.attributes["href"] for a in pages[name].all("a")}
    assert {PAGE, f"{PAGE}#device-cpu", f"{PAGE}#machine-0a1b2c3d"} <= links


def test_two_definitions_of_one_name_are_two_rows_that_say_whose_they_are() -> None:
    one, two = (study("matmul", spec=spec, repeats=1, axes={}) for spec in ("one", "two"))
    xla = two.plan.devices["cpu"].model_copy(update={"xla": True})
    plan = two.plan.model_copy(update={"devices": {**two.plan.devices, "cpu": xla}})
    page = devices_page(gather(Results((one, replace(two, plan=plan)))))
    text = repr(page.sections[0])
    assert all(f"id='device-cpu{end}'" in text for end in ("", "-2"))


def test_what_differs_between_the_cells_of_a_machine_is_said_once_for_each_name() -> None:
    made = study("matmul", repeats=6, devices=("cpu",), axes={})
    cpu = {"device": "CPU", "cudnn_possible": "yes"}
    ports = {"TF_CONFIG": "127.0.0.1:2000"}
    records = [
        on(
            record,
            runtime={**cpu, "threads": str(number)},
            clock_mhz=2000.0 + 100 * number,
            variables=ports,
        )
        for number, record in enumerate(made.records)
    ]
    (block,) = machine_facts(records)
    facts = {fact.term: fact.value for fact in block.rows}
    assert facts["Runtime"] == "device = CPU; threads = 0 or 1 or 2 or 3 other values"
    assert facts["CPU clock"] == "2.00 to 2.50 GHz"
    assert "Variables" not in facts


@pytest.mark.parametrize(
    ("rates", "core"),
    [([0.1, 0.1], "100 GFLOPS"), ([0.1, 0.2], "100 GFLOPS to 200 GFLOPS")],
    ids=["one", "two probes of one kind"],
)
def test_a_machine_has_the_roof_of_a_core_and_the_bandwidth_of_its_memory(
    rates: list[float], core: str
) -> None:
    records = study("matmul", repeats=2, devices=("cpu",), axes={}).records
    roofs = [
        Roofs(tflops=0.7, core_tflops=rate, gbps=31.0, method="", other_cores=0.0, measured_at="")
        for rate in rates
    ]
    hosts = zip(records, roofs, strict=True)
    units = {"vector": ["avx2"], "runtime": {"onednn": "off"}}
    measured = [on(record, roofs=own, **units) for record, own in hosts]
    (block,) = machine_facts(measured)
    facts = {fact.term: fact.value.replace("\xa0", " ") for fact in block.rows}
    assert facts["Vector units"] == "AVX2"
    assert (facts["Roof per core"], facts["Memory bandwidth"]) == (core, "31.0 GB/s")


def on(record: Record, **values: object) -> Record:
    """The record in other surroundings."""
    environment = record.environment
    assert isinstance(environment, Environment)
    return record.model_copy(update={"environment": environment.model_copy(update=values)})


def faster(record: Record) -> Record:
    blocks = [
        block.model_copy(update={"wall_s": block.wall_s * 0.97, "cpu_s": block.cpu_s * 0.97})
        for block in record.blocks
    ]
    return record.model_copy(update={"blocks": blocks})


def another_driver(record: Record) -> Record:
    return on(record, gpus=[Gpu(name="Example T4", driver="560.1")])


@pytest.mark.parametrize(("change", "again"), [(faster, False), (another_driver, True)])
def test_it_is_made_again_for_other_surroundings_and_not_for_other_times(
    change: Change, again: bool, tmp_path: Path
) -> None:
    out, made = tmp_path / "out", study("matmul", repeats=2, devices=("cpu", "gpu"), axes={})
    store, options = store_of(tmp_path / "results", made), BuildOptions(cache=tmp_path / "cache")
    build(store, out, options=options)
    before, first = digests(out), (out / PAGE).stat().st_mtime_ns
    record = next(each for each in made.records if each.cell.device == "gpu")
    store.write(change(record))
    build(Store(tmp_path / "results"), out, options=options)
    now = digests(out)
    assert (now[PAGE] != before[PAGE]) is again
    assert ((out / PAGE).stat().st_mtime_ns != first) is again
    assert now["index.html"] != before["index.html"] or again
