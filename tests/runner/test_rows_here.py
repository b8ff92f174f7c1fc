"""What a run, a merge and a build make of a row that runs on the framework that is installed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from accelreport.backend.availability import Probe, ProbedDevice
from accelreport.errors import AccelReportError, UsageError
from accelreport.machine.inventory import inventory
from accelreport.report.site.assembly import gather
from accelreport.results.merge import merge
from accelreport.results.plan_document import PlanDocument
from accelreport.results.record import Gpu
from accelreport.results.store import Store
from accelreport.runner.plan_documents import refresh
from accelreport.runner.prepare import Prepared, Request, devices_here, prepare, survey
from accelreport.spec.device import Device
from tests.support.records import study

DEVICES = """
schema = 1
[cpu-1]
kind = "CPU"
threads = 1
[cpu]
kind = "CPU"
[cpu-jax]
kind = "CPU"
framework = "jax"
[cpu-torch]
kind = "CPU"
framework = "torch"
"""

SPEC = """
schema = 1
title = "Digits"
devices = ["cpu-1", "cpu"]
[workload]
kind = "image_classification"
data = "synthetic"
[measure]
repeats = 2
[[claims]]
text = "All threads are faster"
check = { faster = "cpu", than = "cpu-1", by_at_least = 1.1 }
"""


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    folder = tmp_path / "specs"
    folder.mkdir()
    (folder / "devices.toml").write_text(DEVICES)
    (folder / "digits.toml").write_text(SPEC)
    return folder


@pytest.fixture
def run(specs: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    return Run(specs, monkeypatch)


class Run:
    """What is planned where some frameworks are installed, as though every cell were measured."""

    def __init__(self, specs: Path, patch: pytest.MonkeyPatch) -> None:
        self._specs, self._patch = specs, patch
        self.results = specs.parent / "results"

    def prepared(self, *frameworks: str, devices: Sequence[str] = ()) -> Prepared:
        self._patch.setattr("accelreport.runner.prepare.installed", lambda: frameworks)
        request = Request(paths=[self._specs], results=self.results, devices=devices)
        return prepare(request, waiting=lambda _: None)

    def __call__(self, *frameworks: str, devices: Sequence[str] = ()) -> Store:
        prepared, store = self.prepared(*frameworks, devices=devices), Store(self.results)
        store.prepare()
        for document in prepared.documents:
            store.write_plan(document)
        measured = study(axes={}, devices=["cpu"], repeats=1).records[0]
        for planned in prepared.plan.cells:
            cell = planned.cell.as_recorded()
            store.write(measured.model_copy(update={"cell": cell, "key": cell.key}))
        return store

    def plan(self, results: Path | None = None) -> PlanDocument:
        (plan,) = Store(results or self.results).plans()
        return plan


def test_a_device_is_asked_for_by_its_row_or_by_its_name(run: Run) -> None:
    for name in ("cpu", "cpu-jax"):
        cells = run.prepared("jax", devices=[name]).plan.cells
        assert {planned.cell.device for planned in cells} == {"cpu-jax"}
        assert {planned.cell.device_spec.framework for planned in cells} == {"jax"}
    cells = run.prepared("tensorflow", "jax", devices=["cpu"]).plan.cells
    assert {planned.cell.device for planned in cells} == {"cpu"}


def test_a_device_that_the_devices_file_does_not_have_is_one_clear_error(run: Run) -> None:
    with pytest.raises(UsageError) as caught:
        run.prepared("tensorflow", devices=["cpu-troch"])
    text = str(caught.value)
    assert 'no cell runs on a device "cpu-troch"' in text
    assert "Did you mean `cpu-torch`?" in text


def test_a_results_folder_of_two_frameworks_has_a_device_of_each(run: Run, specs: Path) -> None:
    run("tensorflow", "jax")
    assert list(run.plan().devices) == ["cpu-1", "cpu"]
    store = run("jax")
    plan = run.plan()
    assert list(plan.devices) == ["cpu-1-jax", "cpu-jax", "cpu-1", "cpu"]
    assert [device.framework for device in plan.devices.values()] == ["jax"] * 2 + [
        "tensorflow"
    ] * 2
    assert len(plan.cells) == 8
    (bench,) = gather(store)
    names = [bench.title_of(name) for name in plan.devices]
    assert len(set(names)) == 4
    assert [name.split()[0].strip(",") for name in names] == [*["JAX"] * 2, *["TensorFlow"] * 2]
    # A build reads the spec as the last run did, on whatever machine.
    refresh(store, specs)
    (shown,) = store.plans()
    assert (shown.devices, shown.cells, shown.baseline) == (plan.devices, plan.cells, plan.baseline)
    assert shown.claims[0].check.faster == "cpu-jax"  # type: ignore[union-attr]
    # And the next run with TensorFlow puts its devices in front again.
    run("tensorflow")
    assert list(run.plan().devices) == ["cpu-1", "cpu", "cpu-1-jax", "cpu-jax"]


def test_a_row_that_was_taken_out_of_the_spec_leaves_with_every_framework(
    run: Run, specs: Path
) -> None:
    run("tensorflow")
    store = run("jax")
    text = SPEC.replace('["cpu-1", "cpu"]', '["cpu"]').partition("[[claims]]")[0]
    (specs / "digits.toml").write_text(text)
    refresh(store, specs)
    (shown,) = store.plans()
    assert list(shown.devices) == ["cpu-jax", "cpu"]


def test_what_was_never_measured_on_another_framework_is_not_shown(run: Run) -> None:
    """Such as what a run skipped before any framework was installed."""
    store, prepared = Store(run.results), run.prepared()
    store.prepare()
    store.write_plan(prepared.documents[0])
    run("jax")
    assert list(run.plan().devices) == ["cpu-1-jax", "cpu-jax"]


@pytest.mark.parametrize("turned", [False, True])
def test_folders_of_two_frameworks_are_merged_into_one_benchmark(
    run: Run, tmp_path: Path, turned: bool
) -> None:
    folders = []
    for framework in ("tensorflow", "jax", "torch"):
        run.results = tmp_path / framework
        run(framework)
        folders.append(run.results)
    merged = merge(folders[::-1] if turned else folders, tmp_path / "merged")
    assert not merged.conflicts
    plan = run.plan(tmp_path / "merged")
    assert {(name, device.framework) for name, device in plan.devices.items()} == {
        ("cpu", "tensorflow"),
        ("cpu-1", "tensorflow"),
        ("cpu-jax", "jax"),
        ("cpu-1-jax", "jax"),
        ("cpu-torch", "torch"),
        ("cpu-1-torch", "torch"),
    }
    assert len({cell.key for cell in plan.cells}) == 12


def test_a_device_that_was_added_stays_on_the_page(run: Run, specs: Path) -> None:
    run("tensorflow")
    run("tensorflow", devices=["cpu-torch"])
    assert list(run.plan().devices) == ["cpu-1", "cpu", "cpu-torch"]
    store = run("tensorflow")
    assert list(run.plan().devices) == ["cpu-1", "cpu", "cpu-torch"]
    refresh(store, specs)
    (shown,) = store.plans()
    assert (list(shown.devices), len(shown.cells)) == (["cpu-1", "cpu", "cpu-torch"], 6)


def test_an_empty_choice_of_devices_is_one_clear_error() -> None:
    tpu = Device(kind="TPU", strategy="tpu")
    with pytest.raises(AccelReportError) as caught:
        devices_here({"tpu": tpu}, waiting=lambda _: None)
    assert "No row of the devices file" in caught.value.what
    assert "no TPU on this machine" in caught.value.why
    assert "--device" in caught.value.remedy


GPUS = """
[gpu]
kind = "GPU"
[gpu-jax]
kind = "GPU"
framework = "jax"
[gpu-torch]
kind = "GPU"
framework = "torch"
"""


def test_a_gpu_can_run_where_its_framework_sees_it_and_not_because_the_driver_lists_it(
    specs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (specs / "devices.toml").write_text(DEVICES + GPUS)
    here = inventory().model_copy(update={"gpus": [Gpu(name="NVIDIA H100", driver="580.65")]})
    monkeypatch.setattr("accelreport.runner.prepare.inventory", lambda: here)
    gone = "tensorflow"
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == gone else 1)
    asked = []

    def probe(framework: str = "tensorflow") -> Probe:
        asked.append(framework)
        gpu = ProbedDevice(kind="GPU", name="cuda:0", description="NVIDIA H100")
        return Probe(devices=[gpu] * (framework == "torch"), versions={framework: "1.0"})

    monkeypatch.setattr("accelreport.runner.prepare.probe", probe)
    listed = {one.name: one for one in survey(specs / "devices.toml", ask=True).devices}
    assert set(asked) == {"tensorflow", "jax", "torch"}
    assert listed["gpu-torch"].reason is None
    for name in ("gpu", "gpu-jax"):  # without TensorFlow the first one is JAX's, too
        assert listed[name].device.framework == "jax"
        assert listed[name].kind == "no-device"
        assert (listed[name].reason or "").startswith("the driver lists NVIDIA H100, but JAX sees")
    asked.clear()
    quickly = survey(specs / "devices.toml", ask=False)
    assert not asked
    assert [one.reason for one in quickly.devices] == [None] * 7
    assert quickly.tensorflow is None
