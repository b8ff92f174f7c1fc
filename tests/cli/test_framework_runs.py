"""`accelreport run` on every framework of one machine, and the page that becomes of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from accelreport.analysis.warnings import REFUSING
from accelreport.errors import ExitCode
from accelreport.results.record import Record
from accelreport.results.store import Store
from tests.support.children import QUICKLY
from tests.support.program import call, write_specs

pytestmark = pytest.mark.e2e

DEVICES = """
schema = 1
[cpu]
kind = "CPU"
[cpu-jax]
kind = "CPU"
framework = "jax"
[cpu-torch]
kind = "CPU"
framework = "torch"
threads = 1
[gpu-torch]
kind = "GPU"
framework = "torch"
"""

DIGITS = """
schema = 1
title = "Digits on every framework"
devices = ["cpu", "cpu-jax", "cpu-torch", "gpu-torch"]
baseline = "cpu"
[workload]
kind = "image_classification"
data = "synthetic"
model = "conv32_conv64_conv64"
train_examples = 512
validation_examples = 256
batch_size = 16
epochs = 3
samples = 4
[measure]
repeats = 1
warmup_steps = 10
"""


PRODUCTS = """
schema = 1
title = "Products on every framework"
devices = ["cpu", "cpu-jax", "cpu-torch"]
baseline = "cpu"
[workload]
kind = "matmul"
size = 256
count = 50
[measure]
repeats = 1
calls = 4
warmup_calls = 1
"""

NAMES = {"cpu-jax": "JAX", "cpu-torch": "PyTorch"}

others = pytest.mark.parametrize("device", NAMES)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("frameworks")
    write_specs(root, devices=DEVICES, digits=DIGITS, products=PRODUCTS)
    done = call(root, "run", **QUICKLY)
    assert done.returncode == ExitCode.OK, done.stdout + done.stderr
    return root


@pytest.fixture(scope="module")
def records(folder: Path) -> dict[str, Record]:
    return _records(folder, "image_classification")


@pytest.fixture(scope="module")
def products(folder: Path) -> dict[str, Record]:
    return _records(folder, "matmul")


def _records(folder: Path, kind: str) -> dict[str, Record]:
    found = Store(folder / "results").records()
    return {each.cell.device: each for each in found if each.cell.workload["kind"] == kind}


@others
def test_the_record_names_the_framework_and_its_version(
    device: str, records: dict[str, Record]
) -> None:
    record = records[device]
    assert record.status == "ok", record.failure
    assert record.environment is not None
    framework = record.cell.device_spec.framework
    version = record.environment.packages[framework]
    assert record.environment.runtime["framework"] == f"{NAMES[device]} {version}"
    assert record.environment.accelerators == ["CPU:0"]
    assert "framework" not in records["cpu"].environment.runtime  # type: ignore[union-attr]


@others
def test_both_train_the_same_steps_on_the_same_examples(
    device: str, records: dict[str, Record]
) -> None:
    one, other = records["cpu"], records[device]
    assert sum(block.steps for block in other.blocks) == other.planned_steps == one.planned_steps
    assert other.blocks[0].steps == 1, "the first step stands alone"
    assert sum(block.steps for block in other.blocks if block.warmup) == 10
    assert one.began_with is not None
    assert other.began_with is not None
    assert other.began_with.order == one.began_with.order
    assert other.began_with.weights
    assert one.flops is not None
    assert other.flops is not None
    assert other.flops.per_step == one.flops.per_step
    assert other.parameters == one.parameters
    assert len(other.samples) == 4


@others
def test_both_reach_the_same_accuracy(device: str, records: dict[str, Record]) -> None:
    one, other = (records[name].final["val_accuracy"] for name in ("cpu", device))
    assert min(one, other) > 0.5
    assert other == pytest.approx(one, abs=0.2)


@others
def test_the_stages_are_kept_apart(device: str, records: dict[str, Record]) -> None:
    times = records[device].times
    assert times.prepared_s is None, "it was started from nothing"
    for seconds in (times.process_s, times.import_s, times.build_s, times.first_step_s):
        assert seconds is not None
        assert seconds > 0


def test_steps_are_stamped_where_a_step_has_ended_when_its_call_returns(
    records: dict[str, Record],
) -> None:
    stamped = {
        name: any(block.step_s for block in each.blocks)
        for name, each in records.items()
        if each.status == "ok"
    }
    assert stamped == {"cpu": True, "cpu-jax": False, "cpu-torch": True}


@others
def test_the_timer_checks_itself_on_every_framework(
    device: str, records: dict[str, Record]
) -> None:
    outcomes = {check.name: check.outcome for check in records[device].checks}
    passed = {name for name, outcome in outcomes.items() if outcome == "passed"}
    assert passed >= {
        "no-sync",
        "step-count",
        "compile-inside",
        "constant-input",
        "stale-data",
        "stale-state",
        "sample-count",
        "wrong-device",
        "weights-unmoved",
    }
    for check in records[device].checks:
        assert check.seen, "what cannot be looked at is told, with the reason"
    kinds = {warned.kind for warned in records[device].warnings}
    assert not kinds & set(REFUSING)


@others
def test_products_are_the_same_kernel_on_every_framework(
    device: str, products: dict[str, Record]
) -> None:
    one, other = products["cpu"], products[device]
    assert other.status == "ok", other.failure
    assert [block.steps for block in other.blocks] == [50] * 4
    assert one.data is not None
    assert other.data is not None
    assert other.data.fingerprint == one.data.fingerprint
    assert other.flops == one.flops
    passed = {check.name for check in other.checks if check.outcome == "passed"}
    assert passed >= {"no-sync", "compile-inside", "constant-input", "wrong-device"}
    assert not {check.name for check in other.checks if check.outcome == "failed"} & set(REFUSING)


def test_the_page_names_the_framework_where_it_describes_the_device(folder: Path) -> None:
    built = call(folder, "build")
    assert built.returncode == ExitCode.OK, built.stderr
    devices = (folder / "site" / "devices.html").read_text(encoding="utf-8")
    for name in NAMES.values():
        assert re.search(rf"{name} \d", devices), "the version that ran, above its devices"
        assert f"{name} saw" in devices
    page = (folder / "site" / "digits.full.html").read_text(encoding="utf-8")
    assert "cpu-torch" in page
