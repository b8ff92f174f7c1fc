"""Generated nets are as large as they are asked to be, and nobody tells what they learn."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from accelreport.loader.load import load
from accelreport.spec.models import Measure
from accelreport.spec.problems import SpecErrors
from accelreport.workloads.paradnn import (
    LEAST_STEPS,
    MOST_STEPS,
    NEEDS_QUALITY,
    ParaDnnParameters,
    examples,
    net,
)
from tests.support.children import Measures, cell

SPEC = Path(__file__).parents[2] / "specs" / "paradnn.toml"

NETS = st.builds(
    ParaDnnParameters,
    net=st.sampled_from(["dense", "conv", "recurrent"]),
    width=st.integers(1, 512).map(lambda eighths: 8 * eighths),
    depth=st.integers(1, 64),
    batch_size=st.integers(1, 4096),
)


@given(NETS)
def test_more_layers_units_or_examples_are_more_operations_and_never_more_steps(
    net: ParaDnnParameters,
) -> None:
    for key, value in (("depth", net.depth + 1), ("width", 2 * net.width), ("batch_size", 5000)):
        larger = net.model_copy(update={key: value})
        assert larger.operations > net.operations
        assert LEAST_STEPS <= larger.steps <= net.steps <= MOST_STEPS


@given(NETS, st.integers(1, 10**6))
def test_steps_are_those_of_the_spec_where_it_names_them(
    net: ParaDnnParameters, steps: int
) -> None:
    assert net.model_copy(update={"steps_per_epoch": steps}).steps == steps


@pytest.mark.parametrize("kind", ["dense", "conv", "recurrent"])
def test_one_seed_makes_the_same_examples_and_another_one_others(kind: Any) -> None:
    parameters = ParaDnnParameters(net=kind, width=16, batch_size=5)
    (x, y), (again, same), (other, _) = (examples(parameters, seed) for seed in (3, 3, 4))
    assert x.shape == (5, *parameters.input_shape)
    assert set(y) <= set(range(10))
    assert np.array_equal(x, again)
    assert np.array_equal(y, same)
    assert not np.array_equal(x, other)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("validation_examples", 100),
        ("samples", 3),
        ("afterwards", ["serve"]),
        ("early_stopping", {"patience": 1}),
        ("data", "real"),
        ("width", 12),
    ],
)
def test_what_only_real_data_or_whole_layers_have_is_refused(key: str, value: Any) -> None:
    with pytest.raises(ValidationError, match=r"teach nothing|synthetic|multiple of 8"):
        ParaDnnParameters.model_validate({key: value})
    assert key in {*NEEDS_QUALITY, "data", "width"}


def test_a_spec_that_asks_for_quality_is_told_the_line(tmp_path: Path) -> None:
    (tmp_path / "devices.toml").write_text('schema = 1\n[cpu]\nkind = "CPU"\n')
    spec = tmp_path / "nets.toml"
    head = 'schema = 1\ntitle = "x"\ndevices = ["cpu"]\n[workload]\nkind = "paradnn"\n'
    spec.write_text(f"{head}samples = 4\n")
    with pytest.raises(SpecErrors) as told:
        load([spec])
    (problem,) = told.value.problems
    assert problem.place.line == 6
    assert "made-up inputs teach nothing" in problem.message


def test_the_shipped_field_has_every_kind_of_net_and_a_quick_profile_that_stays_small() -> None:
    (full,), (quick,) = (load([SPEC], profile=name).specs for name in (None, "quick"))
    for spec in (full, quick):
        assert spec.axes["net"] == ["dense", "conv", "recurrent"]
        assert spec.only_named
        assert all(len(spec.axes[axis]) > 1 for axis in ("width", "batch_size"))
    points = {tuple(each.point.items()) for each in quick.cells}
    assert len(points) == 18
    assert list(quick.devices)[:2] == ["cpu", "cpu-1"]


@pytest.mark.e2e
@pytest.mark.parametrize("kind", ["dense", "conv", "recurrent"])
def test_a_net_has_as_many_weights_as_its_layers_say(kind: Any) -> None:
    parameters = ParaDnnParameters(net=kind, width=64, depth=3)
    units = {"dense": 64, "conv": 8, "recurrent": 16}[kind]
    inputs = {"dense": units + 1, "conv": 9 * units + 1, "recurrent": 4 * (2 * units + 1)}[kind]
    built = net(parameters)
    assert built.count_params() == 3 * units * inputs + (units + 1) * 10
    assert built.output_shape == (None, 10)


@pytest.mark.e2e
@pytest.mark.parametrize("kind", ["dense", "conv", "recurrent"])
def test_a_net_trains_and_its_operations_are_those_of_the_formula(
    kind: str, measure: Measures
) -> None:
    workload = {"net": kind, "width": 16, "depth": 2, "batch_size": 4, "epochs": 2}
    what = cell(
        "paradnn",
        {**workload, "steps_per_epoch": 8, "optimizer": {"name": "adam", "learning_rate": 0.02}},
        measure=Measure(warmup_steps=2),
    )
    record = measure(what)
    assert record.failure is None
    assert record.status == "ok"
    assert record.data is None
    assert set(record.final) == {"loss"}
    assert record.epochs[1].metrics["loss"] < record.epochs[0].metrics["loss"]
    assert record.flops is not None
    formula = ParaDnnParameters.model_validate(workload).operations
    assert record.flops.per_step == formula
