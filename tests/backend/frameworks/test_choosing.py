"""A cell runs on the framework its device names, or not at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from accelreport.backend.availability import Probe, unavailable
from accelreport.backend.forkserver import may_be_forked
from accelreport.backend.frameworks import NEVER_USED, require_support
from accelreport.errors import AccelReportError
from accelreport.loader.load import load
from accelreport.machine.inventory import inventory
from accelreport.origin import install_command
from accelreport.results.reading import read_record
from accelreport.results.record import Gpu
from accelreport.spec.device import FRAMEWORK_NAMES, Device
from accelreport.spec.families import unsupported
from accelreport.spec.parameters import WorkloadParameters
from accelreport.workloads.base import Family
from accelreport.workloads.registry import FAMILIES
from tests.support.children import cell, job, measured, python

JAX = Device(kind="CPU", framework="jax")
TORCH = Device(kind="CPU", framework="torch")

PREPARED = """
import gc, sys
from accelreport.backend.forkserver import prepare
prepare()
print(*[name for name in ("tensorflow", "jax", "torch") if name in sys.modules])
print(gc.isenabled(), gc.get_freeze_count() > len(gc.get_objects()))
"""

WITH_STATISTICS = """
import contextlib, sys
from accelreport.backend.frameworks import EXTRAS, NEVER_USED, importing
with importing(sys.argv[1]):
    import scipy.stats  # which asks for modules of other frameworks
    for name in EXTRAS.keys() | NEVER_USED:
        with contextlib.suppress(ModuleNotFoundError):
            __import__(name)
print(*[name for name in EXTRAS.keys() | NEVER_USED if name in sys.modules])
import sklearn
"""

WITHOUT_JAX = """
import sys
sys.modules["jax"] = None  # as where it is not installed
from accelreport.backend.main import main
sys.exit(main(sys.argv[1:]))
"""


POOL = """
from pathlib import Path
from accelreport.backend.frameworks import choose, configure
from accelreport.spec.device import Device
choose("jax")
print(configure(Device(kind="CPU", framework="jax", threads=1)).facts["intra_op_threads"])
import keras
print(keras.config.floatx(), keras.config.image_data_format())
import jax.numpy as jnp
(jnp.ones((64, 64)) @ jnp.ones((64, 64))).block_until_ready()
while not (pool := [task for task in Path("/proc/self/task").iterdir()
                    if (task / "comm").read_text() == "tf_XLAEigen\\n"]):
    pass  # a thread takes its name a moment after it has begun
print(len(pool))
"""


def test_identities_from_before_there_were_frameworks_are_still_the_same() -> None:
    # Made by the version before `framework` was a key.
    assert cell("matmul", {"size": 64}, device=Device(kind="CPU")).key == "af7a0f4e9ad39ac4"
    assert cell("matmul", {"size": 64}, device=JAX).key != "af7a0f4e9ad39ac4"


def test_a_cell_of_jax_is_never_forked_from_a_process_of_tensorflow() -> None:
    assert not may_be_forked(JAX)


def test_what_tensorflow_sees_says_nothing_of_jax() -> None:
    here = inventory().model_copy(update={"gpus": [Gpu(name="NVIDIA T4", driver="550.54")]})
    gpu = Device(kind="GPU", framework="jax")
    assert unavailable(gpu, here, {"tensorflow": Probe(error="it hung")}) is None


@pytest.mark.e2e
def test_a_cell_whose_framework_is_missing_fails_and_is_not_measured_on_another(
    tmp_path: Path,
) -> None:
    what = cell("image_classification", {"data": "synthetic"}, device=JAX)
    orders = tmp_path / "job.json"
    orders.write_text(job(what, tmp_path).model_dump_json())
    done = python("-c", WITHOUT_JAX, str(orders))
    assert done.returncode == 0, done.stderr
    record = read_record(tmp_path / "record.json")
    assert record.status == "failed"
    assert record.failure is not None
    assert record.failure.kind == "no-framework"
    assert record.failure.message == "JAX is not installed"
    assert install_command("jax") in record.failure.remedy
    assert not record.blocks


@pytest.mark.e2e
def test_an_accelerator_that_jax_does_not_see_is_no_device_and_not_a_cpu(tmp_path: Path) -> None:
    gpu = Device(kind="GPU", framework="jax")
    what = cell("image_classification", {"data": "synthetic"}, device=gpu)
    failure = measured(what, tmp_path).failure
    assert failure is not None
    assert failure.kind == "no-device"
    assert failure.message.startswith("JAX sees no GPU")


@pytest.mark.e2e
def test_a_process_has_the_threads_of_its_device_and_no_settings_of_its_user(
    tmp_path: Path,
) -> None:
    settings = {"floatx": "float16", "image_data_format": "channels_first", "backend": "torch"}
    (tmp_path / "keras.json").write_text(json.dumps(settings))
    done = python("-c", POOL, environment={"KERAS_HOME": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["1", "float32", "channels_last", "1"]


def defaults(family: Family, **values: Any) -> WorkloadParameters:
    """A family's parameters as they are without a spec, which a spec of some would not allow."""
    return family.parameters.model_construct(**values)


@pytest.mark.parametrize("kind", sorted(FAMILIES))
def test_every_family_says_which_frameworks_it_runs_on(kind: str) -> None:
    family: Family = FAMILIES[kind]
    for device in (JAX, TORCH):
        refused = unsupported(family, defaults(family), device)
        assert (refused is None) == (device.framework in family.frameworks)
    serving = defaults(family).model_copy(update={"afterwards": ["serve"]})
    assert unsupported(family, serving, Device(kind="CPU")) is None


@pytest.mark.parametrize(
    ("workload", "refused"),
    [
        ({"kind": "image_classification"}, False),
        ({"kind": "matmul"}, False),
        ({"kind": "text_classification"}, True),
        ({"kind": "series_forecast"}, True),
        ({"kind": "keras", "document": '{"class_name": "Dense"}'}, False),
        ({"kind": "keras", "document": '{"class_name": "LSTM"}'}, True),
        ({"kind": "keras", "document": '{"class_name":"ConvLSTM2D"}'}, True),
        ({"kind": "keras", "document": '{"class_name" : "GRU"}'}, True),
    ],
)
def test_recurrent_layers_are_not_given_to_torch_compile(
    workload: dict[str, Any], refused: bool
) -> None:
    compiled = Device(kind="CPU", framework="torch", torch_compile=True)
    family = FAMILIES[str(workload["kind"])]
    parameters = defaults(family, **workload)
    assert unsupported(family, parameters, TORCH) is None
    assert (unsupported(family, parameters, compiled) is not None) == refused


def test_a_machine_without_a_compiler_says_so_before_anything_is_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CXX", "no-such-compiler")
    compiled = Device(kind="CPU", framework="torch", torch_compile=True)
    failure = unavailable(compiled, inventory())
    assert failure is not None
    assert "no-such-compiler is missing" in failure.message
    assert unavailable(TORCH, inventory()) is None


@pytest.mark.e2e
def test_a_process_to_be_forked_imports_no_other_framework_and_no_fork_collects_the_import() -> (
    None
):
    done = python("-c", PREPARED)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["tensorflow", "True", "True"]


@pytest.mark.e2e
@pytest.mark.parametrize("framework", sorted(FRAMEWORK_NAMES))
def test_where_scikit_learn_is_installed_each_framework_is_imported_without_the_others(
    framework: str, tmp_path: Path
) -> None:
    for name in NEVER_USED:
        (tmp_path / f"{name}.py").touch()
    done = python("-c", WITH_STATISTICS, framework, paths=[tmp_path])
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [framework]


@pytest.mark.parametrize(
    ("workload", "said"),
    [
        ({"input": "pipeline"}, "`tf.data`"),
        ({"afterwards": ["save_weights", "serve"]}, "(save_weights, serve)"),
    ],
)
def test_what_only_tensorflow_can_do_is_refused_before_anything_is_imported(
    workload: dict[str, Any], said: str
) -> None:
    family = FAMILIES["image_classification"]
    with pytest.raises(AccelReportError) as caught:
        require_support(family, defaults(family, **workload), JAX)
    assert said in str(caught.value)
    assert caught.value.remedy


def test_a_label_names_the_framework_where_it_is_not_tensorflow(tmp_path: Path) -> None:
    (tmp_path / "devices.toml").write_text(
        'schema = 1\n[cpu]\nkind = "CPU"\nlabel = "CPU, all threads"\n'
        '[one]\nkind = "CPU"\nframework = "jax"\nlabel = "CPU, all threads"\n'
        '[two]\nkind = "CPU"\nframework = "jax"\nlabel = "JAX on the CPU"\n'
    )
    devices = load([tmp_path / "devices.toml"]).devices
    assert [device.label for device in devices.values()] == [
        "CPU, all threads",
        "CPU, all threads, JAX",
        "JAX on the CPU",
    ]
    assert json.loads(devices["one"].model_dump_json())["framework"] == "jax"
