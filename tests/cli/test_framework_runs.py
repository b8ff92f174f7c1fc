"""`accelreport run` on every framework of one machine, and the page that becomes of it.

Trainings on every framework: `backend/frameworks/test_same_training.py`.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from accelreport.analysis.warnings import REFUSING
from accelreport.errors import ExitCode
from accelreport.results.store import Store
from tests.support.children import QUICKLY
from tests.support.program import call, write_specs

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


@pytest.mark.e2e
def test_products_are_the_same_kernel_on_every_framework_that_record_and_page_name(
    tmp_path: Path,
) -> None:
    write_specs(tmp_path, devices=DEVICES, products=PRODUCTS)
    done = call(tmp_path, "run", **QUICKLY)
    assert done.returncode == ExitCode.OK, done.stdout + done.stderr
    records = {record.cell.device: record for record in Store(tmp_path / "results").records()}
    one = records["cpu"]
    for device, name in NAMES.items():
        other = records[device]
        assert other.status == "ok", other.failure
        assert [block.steps for block in other.blocks] == [50] * 4
        assert one.data
        assert other.data
        assert other.data.fingerprint == one.data.fingerprint
        assert other.flops == one.flops
        passed = {check.name for check in other.checks if check.outcome == "passed"}
        assert passed >= {"no-sync", "compile-inside", "constant-input", "wrong-device"}
        assert not {warned.kind for warned in other.warnings} & set(REFUSING)
        assert other.environment
        version = other.environment.packages[other.cell.device_spec.framework]
        assert other.environment.runtime["framework"] == f"{name} {version}"
        assert other.times.prepared_s is None, "it was started from nothing"
    built = call(tmp_path, "build")
    assert built.returncode == ExitCode.OK, built.stderr
    devices = (tmp_path / "site" / "devices.html").read_text(encoding="utf-8")
    for name in NAMES.values():
        assert re.search(rf"{name} \d", devices), "the version that ran, above its devices"
        assert f"Devices of {name}" in devices
