"""What happens between epochs, held against Keras' own callbacks."""

import math
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelreport.backend.engine import Engine
from accelreport.backend.training import Policies
from accelreport.workloads.base import TrainingParameters


class Recorder:
    """A training whose weights are the number of the epoch."""

    def __init__(self, rate: float = 1e-3) -> None:
        self.rate = rate
        self.now: list[Any] = []

    def learning_rate(self) -> float:
        return self.rate

    def set_learning_rate(self, rate: float) -> None:
        self.rate = float(np.float32(rate))

    def weights(self) -> list[Any]:
        return list(self.now)

    def set_weights(self, weights: list[Any]) -> None:
        self.now = weights


def policies_of(parameters: TrainingParameters, training: Recorder) -> Policies:
    return Policies(parameters, cast("Engine", training))


def run(policies: Policies, training: Recorder, curve: list[float], name: str = "val_loss") -> int:
    """Epochs done before a policy stops the training."""
    for epoch, value in enumerate(curve, start=1):
        training.now = [epoch]
        if policies.after(epoch, {name: value}):
            return epoch
    return len(curve)


def keras_epochs(curve: list[float], patience: int) -> tuple[int, int]:
    """Epochs that Keras' EarlyStopping allows, and the epoch whose weights it restores.

    The rule of keras/src/callbacks/early_stopping.py, written out.
    """
    best, wait, best_epoch = math.inf, 0, 0
    for epoch, value in enumerate(curve):
        wait += 1
        if value < best:
            best, wait, best_epoch = value, 0, epoch
            continue
        if wait >= patience and epoch > 0:
            return epoch + 1, best_epoch + 1
    return len(curve), best_epoch + 1


@given(
    curve=st.lists(st.floats(0.1, 10).map(lambda x: round(x, 1)), min_size=1, max_size=30),
    patience=st.integers(0, 6),
)
def test_early_stopping_stops_and_restores_where_keras_does(
    curve: list[float], patience: int
) -> None:
    parameters = TrainingParameters.model_validate(
        {
            "kind": "t",
            "early_stopping": {"patience": patience},
            "restore_best_weights": True,
        }
    )
    training = Recorder()
    policies = policies_of(parameters, training)
    epochs, best = keras_epochs(curve, patience)
    assert run(policies, training, curve) == epochs
    selection = policies.finish()
    assert selection is not None
    assert selection.best_epoch == best
    assert training.now == [best]
    assert policies.best_metrics == {"val_loss": curve[best - 1]}


def test_more_accuracy_is_better_and_more_loss_is_not() -> None:
    parameters = TrainingParameters.model_validate(
        {"kind": "t", "early_stopping": {"monitor": "val_accuracy", "patience": 1}}
    )
    assert (
        run(policies_of(parameters, Recorder()), Recorder(), [0.5, 0.6, 0.7], "val_accuracy") == 3
    )
    assert (
        run(policies_of(parameters, Recorder()), Recorder(), [0.7, 0.6, 0.5], "val_accuracy") == 2
    )


def test_a_plateau_reduces_the_learning_rate_down_to_its_floor() -> None:
    parameters = TrainingParameters.model_validate(
        {
            "kind": "t",
            "reduce_on_plateau": {"factor": 0.1, "patience": 0, "min_learning_rate": 1e-4},
        }
    )
    training = Recorder()
    policies = policies_of(parameters, training)
    rates = []
    for epoch, value in enumerate([3.0, 2.0, 2.0, 1.0, 1.5, 1.5], start=1):
        policies.after(epoch, {"val_loss": value})
        rates.append(training.rate)
    assert rates == pytest.approx([1e-3, 1e-3, 1e-4, 1e-4, 1e-4, 1e-4])
    assert policies.finish() is None, "nothing was selected"


def test_a_schedule_and_a_plateau_cannot_both_rule_the_learning_rate() -> None:
    with pytest.raises(ValueError, match="both rule"):
        TrainingParameters.model_validate(
            {
                "kind": "t",
                "reduce_on_plateau": {},
                "optimizer": {"schedule": {"name": "exponential", "factor": 0.5}},
            }
        )


def test_an_epoch_that_the_budget_cut_short_is_none_after_which_a_training_stops() -> None:
    parameters = TrainingParameters.model_validate(
        {"kind": "t", "early_stopping": {"patience": 1}, "restore_best_weights": True}
    )
    policies = policies_of(parameters, Recorder())
    assert not policies.after(1, {"val_loss": 1.0})
    assert not policies.after(2, {"val_loss": 2.0}, whole=False)
    selection = policies.finish()
    assert selection is not None
    assert not selection.stopped_early
    assert selection.best_epoch == 1
