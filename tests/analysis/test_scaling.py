"""What several replicas or workers are worth: the efficiencies of strong and weak scaling."""

from __future__ import annotations

from math import isnan
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accelreport.analysis.results import results_of
from accelreport.analysis.speedup import Scaling, scaling_of
from accelreport.loader.load import load
from accelreport.results.plan_document import plan_document
from accelreport.spec.cells import Cell
from tests.support.worlds import Fact, World, records_of

SPEC = Path(__file__).parents[2] / "specs" / "har_strategies.toml"


def _scaling(world: World) -> tuple[Scaling, ...]:
    (spec,) = load([SPEC]).specs
    plan = plan_document(spec, {})
    return scaling_of(plan, results_of(plan, records_of(spec.cells, world)))


def _at(found: tuple[Scaling, ...], device: str, batch: int) -> Scaling:
    (each,) = (
        each for each in found if (each.own.device, each.own.point["batch_size"]) == (device, batch)
    )
    return each


@settings(max_examples=4, deadline=None)
@given(serial=st.floats(0.0, 5.0), share=st.floats(0.01, 1.0))
def test_the_efficiencies_are_those_of_a_step_with_a_part_that_nobody_shares(
    serial: float, share: float
) -> None:
    def seconds(batch: int, units: int) -> float:
        return serial + share * batch / units

    def world(cell: Cell) -> Fact:
        units = cell.device_spec.all_replicas
        return Fact(seconds(int(cell.workload["batch_size"]), units))

    found = _scaling(world)
    for device, single, n in (
        ("gpu-mirrored", "gpu", 2),
        ("gpu-mirrored-8", "gpu", 8),
        ("cpu-workers-2", "cpu-1", 2),
    ):
        each = _at(found, device, 512)
        assert (each.single, each.units) == (single, n)
        alone, together = seconds(512, 1), seconds(512, n)
        assert each.strong.value == pytest.approx(alone / (n * together), rel=0.01)
        assert each.weak.value == pytest.approx(seconds(512 // n, 1) / together, rel=0.01)
        assert each.strong.low <= each.strong.value <= each.strong.high


def test_a_batch_of_which_nobody_did_a_share_alone_has_no_weak_efficiency() -> None:
    found = _scaling(lambda cell: Fact())
    assert isnan(_at(found, "gpu-mirrored-8", 256).weak.value)
    assert _at(found, "gpu-mirrored-8", 256).strong.value == pytest.approx(1 / 8, rel=0.01)


def test_one_device_alone_and_replicas_on_its_own_cores_are_held_against_nothing() -> None:
    assert {each.own.device for each in _scaling(lambda cell: Fact())} == {
        "cpu-workers-2",
        *("gpu-mirrored", "gpu-mirrored-4", "gpu-mirrored-8"),
    }
