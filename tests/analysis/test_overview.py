"""All benchmarks at once."""

from __future__ import annotations

from typing import Any

import pytest

from accelreport.analysis.overview import Choice, choices
from accelreport.analysis.results import results_of
from accelreport.analysis.speedup import speedups_of
from accelreport.results.plan_document import Looks
from accelreport.results.record import Record
from tests.support.records import Study, study


def _choices(made: Study) -> tuple[Choice, ...]:
    results = results_of(made.plan, made.records)
    return choices(made.plan, results, speedups_of(made.plan, results))


def _other_data(record: Record) -> Record:
    assert record.data is not None
    data = record.data.model_copy(update={"fingerprint": "another"})
    return record.model_copy(update={"data": data})


def _with(made: Study, device: str, change: Any) -> Study:
    records = [change(each) if each.cell.device == device else each for each in made.records]
    return Study(made.plan, tuple(records), made.cells)


def _precise(made: Study, device: str, precision: str) -> Study:
    mixed = made.plan.devices[device].model_copy(update={"precision": precision})
    plan = made.plan.model_copy(update={"devices": made.plan.devices | {device: mixed}})
    return Study(plan, made.records, made.cells)


def test_the_fastest_device_is_named_at_every_point() -> None:
    found = _choices(study(devices=("cpu", "gpu")))
    assert [each.point for each in found] == [
        {"batch_size": 256},
        {"batch_size": 512},
        {"batch_size": 1024},
    ]
    assert {each.best.group.device for each in found} == {"gpu"}
    assert all(each.decided for each in found)
    assert {each.against[0].baseline for each in found} == {"cpu"}
    assert all(each.against[0].interval.low > 1 for each in found)


def test_devices_that_cannot_be_told_apart_are_ties() -> None:
    (found,) = _choices(study(devices=("cpu", "cpu-1"), axes={}, factors={"cpu-1": 0.535}))
    assert not found.decided
    assert len(found.ties) == 1


@pytest.mark.parametrize("why", ["input", "precision"])
def test_a_device_that_does_not_do_the_same_is_not_ranked(why: str) -> None:
    made = study(axes={})
    other = (
        _with(made, "tpu", _other_data)
        if why == "input"
        else _precise(made, "tpu", "mixed_bfloat16")
    )
    assert _choices(made)[0].best.group.device == "tpu"
    (found,) = _choices(other)
    assert found.best.group.device == "gpu"
    assert [each.baseline for each in found.against] == ["cpu"]
    assert [(each.device, each.withheld[0].why.value) for each in found.withheld] == [("tpu", why)]


def test_a_choice_is_as_cautious_as_the_looks_at_it() -> None:
    made = study(devices=("cpu", "gpu"), axes={}, repeats=5)
    looks = Looks(at=[3, 5, 10, 20], level=0.9875)
    looked = Study(made.plan.model_copy(update={"until_decided": looks}), made.records)
    plain, strict = (_choices(each)[0].against[0] for each in (made, looked))
    assert strict.interval.value == plain.interval.value
    assert strict.interval.low < plain.interval.low


def test_the_cheapest_device_need_not_be_the_fastest() -> None:
    (found,) = _choices(study(axes={"batch_size": (1024,)}))
    assert found.best.group.device == "tpu"
    assert found.cheapest is not None
    assert found.cheapest.group.device == "gpu"
    assert found.cheapest.currency == "USD"
    assert found.cheapest.cost == pytest.approx(0.0747 * 0.35 / 3600 * 1e6, rel=0.1)


def test_one_device_alone_is_not_better_than_another() -> None:
    (found,) = _choices(study(devices=("cpu",), axes={}))
    assert not found.decided
    assert found.against == ()
    assert found.cheapest is None


def test_points_that_nothing_measured_are_left_out() -> None:
    assert _choices(study(fate=lambda _: "missing")) == ()
