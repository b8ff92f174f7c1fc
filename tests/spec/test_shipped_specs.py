"""The specs that come with accelreport say what their sources say."""

from __future__ import annotations

from pathlib import Path

import pytest

from accelreport.analysis.hardware import RUNTIMES
from accelreport.loader.load import load
from accelreport.spec.cells import Spec

SPECS = Path(__file__).parents[2] / "specs"


@pytest.fixture
def _families() -> None:
    """Here the families that are installed are meant, and not those of the corpus."""


def _spec(name: str, profile: str | None = None) -> Spec:
    (spec,) = load([SPECS / f"{name}.toml"], profile=profile).specs
    return spec


def test_every_shipped_spec_is_sound_under_each_profile() -> None:
    assert {spec.name for spec in load([SPECS]).specs} >= {"matmul", "mnist_batch_sweep"}
    assert "quick" in {spec.profile for spec in load([SPECS], profile="quick").specs}


def test_the_shipped_devices_are_those_everybody_may_have() -> None:
    devices = load([SPECS / "devices.toml"]).devices
    assert list(devices)[:4] == ["cpu", "cpu-1", "gpu", "tpu"]
    assert devices["cpu"].threads is None
    assert devices["cpu-1"].threads == 1
    assert (devices["tpu"].kind, devices["tpu"].strategy) == ("TPU", "tpu")


def test_every_price_that_comes_along_has_a_day_and_somebody_who_printed_it() -> None:
    devices = load([SPECS / "devices.toml"]).devices
    priced = {name: device for name, device in devices.items() if device.price_per_hour}
    assert {"colab-t4", "colab-a100", "colab-tpu-v2", "gcloud-k80", "gcloud-tpu-v2"} <= set(priced)
    assert {device.kind for device in priced.values()} == {"CPU", "GPU", "TPU"}
    assert {name.partition("-")[0] for name in priced} == {"colab", "gcloud", "aws"}
    assert all(device.price_date and device.price_source for device in priced.values())


def test_published_runs_cite_the_prices_of_the_devices_that_come_along() -> None:
    """One price of one day, wherever it is told: beside a run, of a machine, and of a device."""
    known = {
        (device.kind, device.price_per_hour, device.price_date)
        for device in load([SPECS / "devices.toml"]).devices.values()
    }
    rows = [
        (row.device.upper(), row.price) for spec in load([SPECS]).specs for row in spec.published
    ]
    told = [(kind, price) for kind, price in rows if price]
    told += [(each.kind, each.price) for each in RUNTIMES if each.price]
    assert {kind for kind, _ in told} == {"GPU", "TPU"}
    assert {(kind, price.per_hour, price.date) for kind, price in told} <= known


def test_the_hardware_that_sources_print_is_of_sources_that_specs_name() -> None:
    specs = load([SPECS]).specs
    titles = {spec.source.title for spec in specs if spec.source}
    assert {each.source for each in RUNTIMES} <= titles


PRINTED = {
    # batch: (seconds an epoch, µs a sample, ms a step) of the GPU, then of the TPU
    256: ((6, 94, 24.1), (6, 97, 24.8)),
    512: ((5, 82, 42.0), (3, 58, 29.7)),
    1024: ((4, 79, 80.9), (2, 37, 37.9)),
}


@pytest.mark.parametrize("batch", PRINTED)
@pytest.mark.parametrize("number", [0, 1])
def test_the_batch_sweep_shows_the_source_s_table_and_its_conversion(
    batch: int, number: int
) -> None:
    epoch, sample, step = PRINTED[batch][number]
    device = ("gpu", "tpu")[number]
    rows = [
        row
        for row in _spec("mnist_batch_sweep").published
        if row.device == device and row.where == {"batch_size": batch} and row.source is None
    ]
    printed, converted = rows
    assert (printed.mark, converted.mark) == ("S", "D")
    assert printed.figures() == {"epoch_time": epoch, "step_time": pytest.approx(sample / 1e6)}
    assert converted.figures() == {
        "sample_time": pytest.approx(sample / 1e6),
        "step_time": pytest.approx(step / 1e3),
    }
    assert converted.step_time == pytest.approx(batch * sample / 1e6, rel=0.003)
    assert all("µs per sample a step" in row.note for row in rows)


def test_the_quick_profile_asks_questions_of_three_or_five_processes_without_a_download() -> None:
    listed = [spec for spec in load([SPECS], profile="quick").specs if spec.order]
    assert sorted(spec.order for spec in listed) == list(range(1, 11))
    for spec in listed:
        assert spec.measure.repeats in {3, 5}
        assert spec.workload.get("data", "sample") == "sample"
        assert {"gpu", "cpu"} & set(spec.devices)
    keys = [cell.key for spec in listed for cell in spec.cells]
    assert len(keys) == len(set(keys)), "a cell of two specs goes where only the first is kept"
    others = [spec for spec in load([SPECS], profile="quick").specs if not spec.order]
    assert all(spec.only_named for spec in others)


def test_a_training_of_the_quick_profile_has_more_steady_steps_than_warm_up() -> None:
    for spec in load([SPECS], profile="quick").specs:
        steps, epochs = spec.workload.get("steps_per_epoch"), spec.workload.get("epochs")
        if spec.order and steps:
            assert steps * epochs >= 2 * spec.measure.warmup_steps, spec.name
