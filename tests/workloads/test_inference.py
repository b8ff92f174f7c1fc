"""A model in inference: one batch after another, each waited for, and nothing trained."""

from __future__ import annotations

from typing import Any

import pytest

from accelreport.spec.models import Measure
from accelreport.spec.parameters import TRAINING_ONLY, TrainingParameters
from accelreport.workloads.registry import BUILT_IN
from tests.support.children import Measures, cell

FAMILIES = sorted(
    kind for kind, family in BUILT_IN.items() if issubclass(family.parameters, TrainingParameters)
)

NEEDED: dict[str, dict[str, Any]] = {
    "keras": {"architecture": "model.json", "dataset": "mnist"},
}


@pytest.mark.parametrize("kind", FAMILIES)
def test_every_built_in_model_can_be_called_and_its_cell_says_nothing_of_a_training(
    kind: str,
) -> None:
    own = NEEDED.get(kind, {})
    trained, called = cell(kind, own), cell(kind, {**own, "mode": "inference"})
    assert set(trained.workload) - set(called.workload) == TRAINING_ONLY & set(trained.workload)
    assert set(called.workload) - set(trained.workload) == {"mode"}
    assert called.key != trained.key
    again = BUILT_IN[kind].parameters.model_validate(called.workload)
    assert again.model_dump(mode="json") == called.workload


@pytest.mark.e2e
def test_each_call_is_stamped_and_waited_for_and_a_stamp_is_a_latency(measure: Measures) -> None:
    record = measure(
        cell(
            "image_classification",
            {"mode": "inference", "data": "synthetic", "batch_size": 8, "validation_examples": 100},
            measure=Measure(calls=150, warmup_calls=20, budget=60),
        )
    )
    assert record.status == "ok", record.failure
    assert (record.planned_steps, record.samples_per_step, record.epochs) == (150, 8, [])
    assert record.blocks[0].steps == 1, "tracing stands apart"
    assert sum(block.steps for block in record.blocks if block.warmup) == 20
    assert sum(block.steps for block in record.blocks) == 150
    for block in record.blocks:
        assert len(block.step_s) == block.steps - 1
        assert sum(block.step_s) <= block.wall_s
    assert record.flops is not None
    assert record.flops.per_step == 8 * 4_420_608, "a forward pass of S3's network, by hand"
    assert record.flops.state_bytes is not None
    assert record.flops.state_bytes < 1.01 * 4 * 412_778, "weights, and no optimizer's state"
    outcomes = {check.name: check.outcome for check in record.checks}
    assert {outcomes[name] for name in ("stale-data", "constant-input", "compile-inside")} == {
        "passed"
    }
