"""Mirrored over two logical CPUs is the same training as on one device."""

from typing import Any

import pytest

pytestmark = pytest.mark.e2e

Said = dict[str, Any]


@pytest.mark.parametrize("mirrored", ["mirrored", "pipeline"])
def test_two_replicas_have_the_loss_curve_of_one_device(said: Said, mirrored: str) -> None:
    assert len(said["one"]) == 20
    assert said[mirrored] == pytest.approx(said["one"], rel=1e-4)


def test_a_number_of_predictions_that_replicas_do_not_divide_gets_the_same_answers(
    said: Said,
) -> None:
    assert said["outputs"] == [101, 10]
    assert said["outputs_differ_by"] < 1e-5


def test_moving_statistics_are_the_mean_of_what_all_replicas_saw(said: Said) -> None:
    statistics = said["statistics"]
    assert statistics["apart"] > 0  # each has seen other examples
    assert statistics["together"] == 0
    assert statistics["off_the_mean"] < 1e-6


def test_every_replica_drops_units_of_its_own(said: Said) -> None:
    assert said["streams_differ_by"] == [said["stride"]] * 3


def test_a_gradient_that_overflows_on_one_replica_makes_all_skip_the_step(said: Said) -> None:
    assert said["finite"] == [False, False]


def test_the_learning_rate_of_a_mirrored_model_can_be_read(said: Said) -> None:
    assert said["values_two"] == said["values_one"] == pytest.approx(1e-3)
