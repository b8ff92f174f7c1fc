"""The networks are the published ones, to the last parameter."""

from collections.abc import Callable
from typing import Any

import pytest

from accelreport.datasets.base import Dataset
from accelreport.workloads.image_classification import ImageClassificationParameters
from accelreport.workloads.image_classification import problem as digits
from accelreport.workloads.sequence_classification import SequenceClassificationParameters
from accelreport.workloads.sequence_classification import problem as sequences
from accelreport.workloads.text_classification import TextClassificationParameters
from accelreport.workloads.text_classification import problem as texts
from accelreport.workloads.text_generation import TextGenerationParameters
from accelreport.workloads.text_generation import problem as characters

pytestmark = pytest.mark.e2e


@pytest.mark.parametrize(
    ("model", "parameters"),
    [
        ("conv64_conv32", 412_778),
        ("conv32_conv64_conv64", 93_322),
        ("conv12_conv24_conv32", 354_538),
        ("conv64_conv128_conv256", 1_619_470),
    ],
)
def test_convolutional_networks_have_the_published_size(
    model: Any, parameters: int, images: Dataset
) -> None:
    built = digits(ImageClassificationParameters(model=model), images).model()
    assert built.count_params() == parameters
    assert built.output_shape == (None, 10)


@pytest.mark.parametrize("kernel", ["default", "no_cudnn", "hard_sigmoid"])
def test_the_text_classifier_has_the_published_size_with_every_kernel(
    kernel: Any, reviews: Callable[[int], Dataset]
) -> None:
    built = texts(TextClassificationParameters(kernel=kernel), reviews(250)).model()
    assert built.count_params() == 533_301
    assert built.output_shape == (None, 1)


def test_the_activity_sample_has_the_published_size(motion: Dataset) -> None:
    built = sequences(SequenceClassificationParameters(), motion).model()
    assert built.count_params() == 618_118
    assert built.output_shape == (None, 6)


@pytest.mark.parametrize("layers", [1, 2, 3])
@pytest.mark.parametrize("units", [32, 256])
def test_a_stack_of_bidirectional_lstms_has_the_size_the_formula_gives(
    layers: int, units: int, motion: Dataset
) -> None:
    parameters = SequenceClassificationParameters(
        model="stacked_bilstm", layers=layers, units=units
    )
    first = 2 * 4 * units * (9 + units + 1)
    later = 2 * 4 * units * (2 * units + units + 1)
    output = (2 * units + 1) * 6
    built = sequences(parameters, motion).model()
    assert built.count_params() == first + (layers - 1) * later + output
    assert built.output_shape == (None, 6)


def test_the_character_model_has_the_published_size(play: Dataset) -> None:
    built = characters(TextGenerationParameters(), play).model()
    assert built.count_params() == 4_460_800
    assert built.output_shape == (None, None, 256)


def test_the_older_hard_sigmoid_is_a_fifth_of_its_input_about_one_half() -> None:
    import numpy as np

    from accelreport.workloads.training import hard_sigmoid

    x = np.array([-3.0, -2.5, -1.0, 0.0, 1.0, 2.5, 3.0], np.float32)
    expected = np.array([0.0, 0.0, 0.3, 0.5, 0.7, 1.0, 1.0])
    assert np.asarray(hard_sigmoid(x)) == pytest.approx(expected)


def test_the_kernels_without_cudnn_compute_the_same_and_the_hard_sigmoid_does_not(
    reviews: Callable[[int], Dataset],
) -> None:
    import numpy as np

    data = reviews(10)
    sizes: dict[str, Any] = {"length": 10, "words": 15000, "units": 8, "embedding": 4}
    outputs = {}
    weights = None
    for kernel in ("default", "no_cudnn", "hard_sigmoid"):
        model = texts(
            TextClassificationParameters.model_validate({"kernel": kernel, **sizes}), data
        ).model()
        weights = weights or model.get_weights()
        model.set_weights(weights)
        outputs[kernel] = np.asarray(model(data.train["x"]))
    assert outputs["no_cudnn"] == pytest.approx(outputs["default"], abs=1e-6)
    assert not np.allclose(outputs["hard_sigmoid"], outputs["default"], atol=1e-5)
