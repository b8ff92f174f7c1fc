"""Every key of a device acts on every kind of workload in every framework, or `check` refuses it.

What a function of somebody's own does with them is in `tests/workloads/test_own_steps.py`.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest

from accelreport.loader.load import load
from accelreport.spec.device import FRAMEWORK_NAMES, Device
from accelreport.spec.problems import SpecErrors
from tests.support.children import python

KEYS = {
    "xla": "xla = true",
    "eager": "eager = true",
    "torch_compile": "torch_compile = true",
    "precision": 'precision = "mixed_bfloat16"',
    "threads": "threads = 1",
}
"""Keys of a device with one replica that say how it computes, and a value of each."""

COPIES = "error:__array__ implementation doesn't accept a copy keyword:DeprecationWarning"
"""What NumPy says of a tensor that it cannot copy; one day it will be an error."""

WORKLOADS = {
    "training": 'kind = "image_classification"\ndataset = "mnist"',
    "inference": 'kind = "image_classification"\ndataset = "mnist"\nmode = "inference"',
    "kernel": 'kind = "matmul"',
}


def refused(folder: Path, framework: str, workload: str, keys: str) -> bool:
    """Whether `check` refuses a device with these keys for a workload."""
    device = f'schema = 1\n[cpu]\nkind = "CPU"\nframework = "{framework}"\n{keys}\n'
    (folder / "devices.toml").write_text(device)
    (folder / "one.toml").write_text(
        f'schema = 1\ntitle = "One"\ndevices = ["cpu"]\n[workload]\n{workload}\n'
        "[measure]\ncalls = 9\nwarmup_calls = 1\n"
    )
    try:
        load([folder / "one.toml"])
    except SpecErrors:
        return True
    return False


@cache
def acting(framework: str, *, eager: bool) -> dict[str, list[str]]:
    """The keys that act on a device that sets all a framework has, by kind of workload.

    One process looks at all of them, since each leaves a trace of its own. Only an eager step
    has nothing to compile, and has a process for itself.
    """
    compiles = {"jax": {}, "tensorflow": {"xla": True}, "torch": {"torch_compile": True}}[framework]
    keys = {"eager": True} if eager else compiles | {"precision": "mixed_bfloat16", "threads": 1}
    device = Device.model_validate({"kind": "CPU", "framework": framework} | keys)
    program = "tests.backend.frameworks.keys_program"
    done = python("-W", COPIES, "-m", program, device.model_dump_json())
    assert done.returncode == 0, done.stderr
    found: dict[str, list[str]] = json.loads(done.stdout)
    return found


@pytest.mark.e2e
@pytest.mark.parametrize("workload", WORKLOADS)
@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("framework", FRAMEWORK_NAMES)
def test_a_key_acts_as_seen_from_inside_or_is_refused(
    framework: str, key: str, workload: str, tmp_path: Path
) -> None:
    if refused(tmp_path, framework, WORKLOADS[workload], KEYS[key]):
        assert not refused(tmp_path, framework, WORKLOADS[workload], ""), "the key alone is why"
    else:
        assert key in acting(framework, eager=key == "eager")[workload]


TENSOR_CORES = """
import json, sys
from accelreport.backend.frameworks import choose
from accelreport.spec.device import Device
device = Device(kind="GPU", framework="torch", tf32=sys.argv[1] == "True")
choose("torch")
import torch
torch.cuda.is_available, torch.cuda.get_device_name = (lambda: True), (lambda _: "H100")
from accelreport.backend.frameworks import configure
configure(device)
flags = torch.backends
print(json.dumps({
    "older": [flags.cuda.matmul.allow_tf32, flags.cudnn.allow_tf32],
    "products": torch.get_float32_matmul_precision(),
    "newer": [flags.cuda.matmul.fp32_precision, flags.cudnn.conv.fp32_precision,
              flags.cudnn.rnn.fp32_precision],
}))
"""


@pytest.mark.e2e
@pytest.mark.parametrize("tf32", [True, False])
def test_every_flag_of_pytorch_for_tensorfloat_32_can_be_read_and_says_the_same(tf32: bool) -> None:
    done = python("-c", TENSOR_CORES, str(tf32))
    assert done.returncode == 0, done.stderr
    flags = json.loads(done.stdout)
    assert flags["older"] == [tf32, tf32]
    assert flags["products"] == ("high" if tf32 else "highest")
    assert [flag == "tf32" for flag in flags["newer"]] == [tf32] * 3


def test_a_product_of_matrices_has_its_own_precision(tmp_path: Path) -> None:
    assert refused(tmp_path, "tensorflow", WORKLOADS["kernel"], KEYS["precision"])


def test_a_strategy_that_only_makes_sense_for_training_is_refused(tmp_path: Path) -> None:
    keys = 'strategy = "multi_worker_mirrored"\nworkers = 2'
    assert refused(tmp_path, "tensorflow", WORKLOADS["inference"], keys)
    assert not refused(tmp_path, "tensorflow", WORKLOADS["training"], keys)
