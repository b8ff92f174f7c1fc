"""From the same weights Keras on JAX trains as Keras on TensorFlow does."""

from typing import Any

import pytest

from tests.backend.frameworks.problems import PARAMETERS
from tests.backend.strategies.plain_cnn import STEPS

pytestmark = pytest.mark.e2e

Said = dict[str, Any]

EVERY = ["cnn", *PARAMETERS]


def test_the_cnn_without_dropout_has_one_loss_curve_over_twenty_steps(
    tensorflow: Said, jax: Said
) -> None:
    assert len(jax["cnn"]["losses"]) == STEPS
    assert jax["cnn"]["losses"] == pytest.approx(tensorflow["cnn"]["losses"], rel=1e-5)
    assert jax["cnn"]["losses"][-1] < 0.8 * jax["cnn"]["losses"][0], "it has learnt"


@pytest.mark.parametrize("name", EVERY)
def test_every_family_has_one_loss_curve(name: str, tensorflow: Said, jax: Said) -> None:
    assert jax[name]["losses"] == pytest.approx(tensorflow[name]["losses"], rel=1e-4)


@pytest.mark.parametrize("name", EVERY)
def test_every_family_is_evaluated_alike(name: str, tensorflow: Said, jax: Said) -> None:
    found, expected = jax[name]["evaluated"], tensorflow[name]["evaluated"]
    assert found.keys() == expected.keys()
    assert found == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("name", ["cnn", "keras", "text_classification", "sequence_classification"])
def test_every_classifier_predicts_alike(name: str, tensorflow: Said, jax: Said) -> None:
    expected = _flat(tensorflow[name]["predicted"])
    assert _flat(jax[name]["predicted"]) == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize("name", EVERY)
def test_both_count_the_same_operations_in_a_step(name: str, tensorflow: Said, jax: Said) -> None:
    assert jax[name]["flops"] == tensorflow[name]["flops"] > 0
    assert jax[name]["bytes"] == pytest.approx(tensorflow[name]["bytes"], rel=0.1)


@pytest.mark.parametrize("name", EVERY)
def test_the_optimizer_counts_each_step_and_nothing_is_compiled_after_the_first(
    name: str, jax: Said
) -> None:
    assert jax[name]["steps_done"] == len(jax[name]["losses"])
    assert jax[name]["compiled_first"] >= 1
    assert jax[name]["compiled_later"] == 0


@pytest.mark.parametrize("fault", ["no-sync", "stale-state", "wrong-device", "constant-input"])
def test_the_timer_s_checks_find_their_faults_under_jax(fault: str, jax: Said) -> None:
    assert jax["faults"][fault] == "failed"


def test_forecasts_and_written_texts_do_not_need_tensorflow(tensorflow: Said, jax: Said) -> None:
    expected = _flat(tensorflow["series_forecast"]["forecasts"])
    assert len(expected) == 2 * 60
    assert _flat(jax["series_forecast"]["forecasts"]) == pytest.approx(expected, abs=1e-3)
    assert jax["text_generation"]["texts"] == [10, 10]


def test_a_window_in_one_program_trains_as_its_steps_one_by_one(jax: Said) -> None:
    by_step, whole = jax["text_classification"], jax["whole_window"]
    assert whole["steps_done"] == by_step["steps_done"]
    assert whole["losses"] == pytest.approx([sum(by_step["losses"])], rel=1e-5)
    assert jax["whole_look"]["evaluated"] == pytest.approx(by_step["evaluated"], rel=1e-5)


def test_losses_are_scaled_in_half_precision(jax: Said) -> None:
    assert jax["scales"]
    assert jax["scaled"]["losses"] == pytest.approx(jax["keras"]["losses"], rel=1e-2)


def test_a_process_of_jax_has_no_tensorflow(tensorflow: Said, jax: Said) -> None:
    assert tensorflow["tensorflow_is_there"]
    assert not jax["tensorflow_is_there"]
    assert jax["facts"]["framework"].startswith("JAX ")


def _flat(values: Any) -> list[float]:
    if not isinstance(values, list):
        return [values]
    return [each for value in values for each in _flat(value)]
