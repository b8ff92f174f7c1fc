"""A row of the devices file that names no framework runs on the one that is installed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from accelreport.loader.load import load
from accelreport.results.plan_document import plan_document
from accelreport.spec.cells import Spec
from tests.house.tree import ROOT
from tests.spec.conftest import KERNEL, TRAINING, Write

SPECS = ROOT / "specs"

CHIPS = tuple(sorted(SPECS.glob("chip_*.toml")))

JAX, TORCH, ALL = ("jax",), ("torch",), ("tensorflow", "jax", "torch")


@pytest.fixture
def _families() -> None:
    """The installed families, and not those of the corpus."""


def shipped(name: str, frameworks: Sequence[str] = ()) -> Spec:
    (spec,) = load([SPECS / f"{name}.toml"], frameworks=frameworks).specs
    return spec


def test_where_tensorflow_is_installed_every_cell_of_the_shipped_specs_is_the_same() -> None:
    assert load([SPECS], frameworks=ALL).cells == load([SPECS]).cells


@pytest.mark.parametrize("framework", ["jax", "torch"])
def test_a_row_on_another_framework_is_the_row_that_names_it(framework: str) -> None:
    """Its records count for both: they are the same configuration under the same name."""
    spec = shipped("mnist_batch_sweep", (framework,))
    assert list(spec.devices)[:2] == [f"cpu-{framework}", f"gpu-{framework}"]
    named, meant = load([SPECS / "devices.toml"]).devices, spec.devices
    assert all(meant[name] == named[name] for name in list(meant)[:2])
    as_written = {cell.key for cell in shipped("mnist_batch_sweep").cells}
    own = [cell for cell in spec.cells if cell.device_spec.framework == framework]
    assert own
    assert not as_written & {cell.key for cell in own}
    asked = load([SPECS / "mnist_batch_sweep.toml"], devices=[f"cpu-{framework}"]).cells
    cpu = [cell.key for cell in own if cell.device_spec.kind == "CPU"]
    assert cpu == [cell.key for cell in asked if cell.device == f"cpu-{framework}"]


def test_baseline_claims_and_published_figures_speak_of_the_rows_as_they_run() -> None:
    spec, written = shipped("har_sweep", JAX), shipped("har_sweep")
    assert spec.baseline.device == f"{written.baseline.device}-jax"
    for own, other in zip(spec.published, written.published, strict=True):
        assert own.device == f"{other.device}-jax"
        assert own.over == (f"{other.over}-jax" if other.over else "")
    for keys in ("of", "than", "faster", "over"):
        named = [getattr(claim.check, keys, "") for claim in written.claims]
        running = [getattr(claim.check, keys, "") for claim in spec.claims]
        assert running == [f"{name}-jax" if name else name for name in named]
    assert plan_document(spec, {}).rows == {f"{row}-jax": row for row in ("cpu", "gpu", "tpu")}


@pytest.mark.parametrize("framework", ["jax", "torch"])
def test_every_shipped_spec_can_be_run_with_any_one_framework(framework: str) -> None:
    """Only what it cannot do is left to TensorFlow, and skipped where that is not installed."""
    left = {
        spec.name: {
            device.kind for device in spec.devices.values() if device.framework != framework
        }
        for spec in load([SPECS], frameworks=(framework,)).specs
    }
    tpu = {"TPU"} if framework == "torch" else set()
    assert all(left[path.stem] == tpu for path in CHIPS)
    # `afterwards` needs TensorFlow; several replicas do; and one spec compares the frameworks.
    others = {name for name, kinds in left.items() if kinds - tpu}
    strategies = {"strategies", "har_strategies"}
    assert others == {"mnist_deploy", "imdb_lstm", "frameworks"} | strategies
    assert "cpu-jax" in shipped("strategies", JAX).devices


def test_a_spec_that_names_a_framework_compares_frameworks() -> None:
    """There a row without one is TensorFlow, whatever is installed."""
    assert shipped("frameworks", JAX).devices == shipped("frameworks").devices


OWN = """
schema = 1
[lab]
label = "My card"
kind = "GPU"
price_per_hour = 2.0
[cpu]
kind = "CPU"
[cpu-jax]
kind = "CPU"
framework = "jax"
threads = 1
"""


def test_a_label_and_a_price_stay_and_another_row_of_the_name_is_another_device(
    folder: Path, write: Write
) -> None:
    (folder / "devices.toml").write_text(OWN)
    path = write(TRAINING.replace('"gpu"', '"lab"'))
    (spec,) = load([path], frameworks=JAX).specs
    cpu, lab = spec.devices
    assert (lab, spec.devices[lab].label) == ("lab-jax", "My card, JAX")
    assert spec.devices[lab].price_per_hour == 2.0
    assert cpu not in {"cpu", "cpu-jax"}
    assert spec.devices[cpu].threads is None


def test_a_device_that_no_spec_names_is_added_to_those_that_can_run_on_it(write: Write) -> None:
    paths = [write(TRAINING), write(KERNEL.replace("Batches", "Products"), "products")]
    piped = write(f'{TRAINING.replace("Batches", "Pipeline")}input = "pipeline"\n', "pipeline")
    (folder := piped.parent / "devices.toml").write_text(
        f'{folder.read_text()}\n[cpu-torch]\nkind = "CPU"\nframework = "torch"\n'
    )
    specs = load([*paths, piped], devices=["cpu-torch"]).specs
    assert [(spec.name, spec.added) for spec in specs] == [
        ("batches", ("cpu-torch",)),
        ("products", ("cpu-torch",)),
        ("pipeline", ()),
    ]
    first = specs[0]
    assert list(first.devices) == ["cpu", "gpu", "cpu-torch"]
    assert first.baseline.device == "cpu"
    assert plan_document(first, {}).added == ["cpu-torch"]
    # One that a spec names chooses among the cells, as ever.
    assert load(paths, devices=["gpu", "cpu"]).specs == load(paths).specs
