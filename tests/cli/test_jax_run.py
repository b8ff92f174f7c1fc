"""`accelreport run` on two frameworks of one machine, and the page that becomes of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from accelreport.analysis.refusals import REFUSING
from accelreport.errors import ExitCode
from accelreport.results.record import Record
from accelreport.results.store import Store
from tests.support.program import call, write_specs

pytestmark = pytest.mark.e2e

DEVICES = """
schema = 1
[cpu]
kind = "CPU"
[cpu-jax]
kind = "CPU"
framework = "jax"
[gpu-jax]
kind = "GPU"
framework = "jax"
"""

DIGITS = """
schema = 1
title = "Digits on two frameworks"
devices = ["cpu", "cpu-jax", "gpu-jax"]
baseline = "cpu"
[workload]
kind = "image_classification"
data = "synthetic"
model = "conv32_conv64_conv64"
train_examples = 2048
validation_examples = 512
batch_size = 64
epochs = 3
samples = 4
[measure]
repeats = 1
warmup_steps = 10
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("frameworks")
    write_specs(root, devices=DEVICES, digits=DIGITS)
    done = call(root, "run")
    assert done.returncode == ExitCode.OK, done.stdout + done.stderr
    return root


@pytest.fixture(scope="module")
def records(folder: Path) -> dict[str, Record]:
    return {record.cell.device: record for record in Store(folder / "results").records()}


def test_the_record_names_the_framework_and_its_version(records: dict[str, Record]) -> None:
    record = records["cpu-jax"]
    assert record.status == "ok"
    assert record.environment is not None
    version = record.environment.packages["jax"]
    assert record.environment.runtime["framework"] == f"JAX {version}"
    assert record.cell.device_spec.framework == "jax"
    assert record.environment.accelerators == ["CPU:0"]
    assert "framework" not in records["cpu"].environment.runtime  # type: ignore[union-attr]


def test_both_train_the_same_steps_on_the_same_examples(records: dict[str, Record]) -> None:
    one, other = records["cpu"], records["cpu-jax"]
    assert sum(block.steps for block in other.blocks) == other.planned_steps == one.planned_steps
    assert other.blocks[0].steps == 1, "the first step, which compiles, stands alone"
    assert sum(block.steps for block in other.blocks if block.warmup) == 10
    assert one.began_with is not None
    assert other.began_with is not None
    assert other.began_with.order == one.began_with.order
    assert other.began_with.weights
    assert one.flops is not None
    assert other.flops is not None
    assert other.flops.per_step == one.flops.per_step
    assert other.parameters == one.parameters


def test_both_reach_the_same_accuracy(records: dict[str, Record]) -> None:
    one, other = (records[name].final["val_accuracy"] for name in ("cpu", "cpu-jax"))
    assert min(one, other) > 0.5
    assert other == pytest.approx(one, abs=0.2)


def test_the_stages_are_kept_apart_and_no_step_is_stamped(records: dict[str, Record]) -> None:
    record = records["cpu-jax"]
    times = record.times
    assert times.prepared_s is None, "it was started from nothing"
    for seconds in (times.process_s, times.import_s, times.build_s, times.first_step_s):
        assert seconds is not None
        assert seconds > 0
    steady = [block for block in record.blocks if not block.warmup]
    assert times.first_step_s is not None
    assert times.first_step_s > max(block.wall_s / block.steps for block in steady)
    assert not any(block.step_s for block in record.blocks)
    assert len(record.samples) == 4


def test_the_timer_checks_itself_under_jax_too(records: dict[str, Record]) -> None:
    outcomes = {check.name: check.outcome for check in records["cpu-jax"].checks}
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
    for check in records["cpu-jax"].checks:
        assert check.seen, "what cannot be looked at is told, with the reason"
    kinds = {warned.kind for warned in records["cpu-jax"].warnings}
    assert not kinds & set(REFUSING)


def test_the_page_names_the_framework_where_it_describes_the_device(folder: Path) -> None:
    built = call(folder, "build")
    assert built.returncode == ExitCode.OK, built.stderr
    devices = (folder / "site" / "devices.html").read_text(encoding="utf-8")
    assert "Keras on JAX" in devices
    assert "JAX saw" in devices
    page = (folder / "site" / "digits.full.html").read_text(encoding="utf-8")
    assert "cpu-jax" in page
