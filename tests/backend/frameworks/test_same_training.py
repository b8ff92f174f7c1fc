"""From the same weights Keras trains on every framework as it does on TensorFlow."""

from typing import Any

import pytest

from tests.backend.frameworks.problems import PARAMETERS
from tests.backend.strategies.plain_cnn import STEPS

pytestmark = pytest.mark.e2e

Said = dict[str, Any]

EVERY = ["cnn", *PARAMETERS]

MAGNIFIED = 1e-3
"""What twenty steps of Adam may make of a last bit that differs; some 1e-4 was seen."""


def test_the_cnn_without_dropout_has_one_loss_curve_over_twenty_steps(
    tensorflow: Said, other: Said
) -> None:
    assert len(other["cnn"]["losses"]) == STEPS
    assert other["cnn"]["losses"] == pytest.approx(tensorflow["cnn"]["losses"], rel=1e-4)
    assert other["cnn"]["losses"][-1] < 0.8 * other["cnn"]["losses"][0], "it has learnt"


@pytest.mark.parametrize("name", EVERY)
def test_every_family_has_one_loss_curve(name: str, tensorflow: Said, other: Said) -> None:
    assert other[name]["losses"] == pytest.approx(tensorflow[name]["losses"], rel=1e-4)


@pytest.mark.parametrize("name", EVERY)
def test_every_family_is_evaluated_alike(name: str, tensorflow: Said, other: Said) -> None:
    found, expected = other[name]["evaluated"], tensorflow[name]["evaluated"]
    assert found.keys() == expected.keys()
    assert found == pytest.approx(expected, rel=MAGNIFIED)


@pytest.mark.parametrize("name", ["cnn", "keras", "text_classification", "sequence_classification"])
def test_every_classifier_predicts_alike(name: str, tensorflow: Said, other: Said) -> None:
    expected = _flat(tensorflow[name]["predicted"])
    assert _flat(other[name]["predicted"]) == pytest.approx(expected, abs=10 * MAGNIFIED)


@pytest.mark.parametrize("name", EVERY)
def test_a_model_has_the_same_arithmetic_on_every_framework(
    name: str, tensorflow: Said, other: Said
) -> None:
    for number in ("flops", "convolutions", "least", "depth", "bytes", "called_flops"):
        assert other[name][number] == tensorflow[name][number]
    assert 0 < other[name]["called_flops"] < other[name]["flops"]
    assert other[name]["kinds"] > 10, "the framework names the operations of a step"


@pytest.mark.parametrize("name", EVERY)
def test_the_optimizer_counts_each_step_and_nothing_is_compiled_after_the_first(
    name: str, jax: Said, torch: Said
) -> None:
    for said, compiles in ((jax, True), (torch, False)):
        assert said[name]["steps_done"] == len(said[name]["losses"])
        assert (said[name]["compiled_first"] >= 1) == compiles
        assert said[name]["compiled_later"] == 0


@pytest.mark.parametrize("fault", ["stale-state", "wrong-device", "constant-input"])
def test_the_timer_s_checks_find_their_faults_on_every_framework(fault: str, other: Said) -> None:
    assert other["faults"][fault] == "failed"
    assert other["faults"]["weights-unmoved"] == "failed", "nothing was trained in between"


def test_who_does_not_wait_is_found_out_where_a_device_runs_on_its_own(
    jax: Said, torch: Said
) -> None:
    assert jax["nobody_waits"]["no-sync"] == "failed"
    assert torch["nobody_waits"]["no-sync"] == "passed", "a CPU of PyTorch is never behind"
    assert torch["nobody_waits"]["step-count"] == "passed"


def test_forecasts_and_written_texts_do_not_need_tensorflow(tensorflow: Said, other: Said) -> None:
    expected = _flat(tensorflow["series_forecast"]["forecasts"])
    assert len(expected) == 2 * 60
    assert _flat(other["series_forecast"]["forecasts"]) == pytest.approx(expected, abs=1e-3)
    assert other["text_generation"]["texts"] == [10, 10]


def test_a_window_in_one_program_trains_as_its_steps_one_by_one(jax: Said) -> None:
    by_step, whole = jax["text_classification"], jax["whole_window"]
    assert whole["steps_done"] == by_step["steps_done"]
    assert whole["losses"] == pytest.approx([sum(by_step["losses"])], rel=1e-5)
    assert jax["whole_look"]["evaluated"] == pytest.approx(by_step["evaluated"], rel=1e-5)


def test_losses_are_scaled_in_half_precision(jax: Said) -> None:
    assert jax["scales"]
    assert jax["scaled"]["losses"] == pytest.approx(jax["keras"]["losses"], rel=1e-2)


def test_half_precision_on_pytorch_reads_half_as_many_bytes(torch: Said) -> None:
    assert torch["half"]["losses"] == pytest.approx(torch["keras"]["losses"], rel=1e-2)
    assert torch["half"]["bytes"] == torch["keras"]["bytes"] / 2
    assert torch["half"]["flops"] == torch["keras"]["flops"]


def test_a_step_that_has_no_memory_left_for_its_names_leaves_the_training_as_it_was(
    torch: Said,
) -> None:
    assert torch["starved"]["kinds"] is None
    assert not torch["starved"]["moved"]


def test_a_compiled_step_trains_as_the_eager_one_or_what_it_lacks_is_said(torch: Said) -> None:
    eager, compiled = torch["eager"], torch.get("compiled")
    if compiled is None:
        assert torch["lacking"].startswith("torch.compile needs ")
        return
    assert compiled["losses"] == pytest.approx(eager["losses"], rel=1e-5)
    assert compiled["steps_done"] == eager["steps_done"]
    assert compiled["flops"] == eager["flops"] > 0
    assert eager["compiled_first"] == 0
    assert compiled["compiled_first"] >= 1
    assert compiled["compiled_later"] == 0


@pytest.mark.parametrize(
    ("framework", "name"), [("tensorflow", ""), ("jax", "JAX "), ("torch", "PyTorch ")]
)
def test_a_process_has_one_framework_and_says_which(
    framework: str, name: str, request: pytest.FixtureRequest
) -> None:
    said: Said = request.getfixturevalue(framework)
    assert said["there"] == [framework]
    assert said["facts"].get("framework", "").startswith(name)


def _flat(values: Any) -> list[float]:
    if not isinstance(values, list):
        return [values]
    return [each for value in values for each in _flat(value)]
