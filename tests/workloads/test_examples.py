"""What an example is: the right rows, windows and targets for the indices asked for."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from accelreport.datasets.base import Dataset
from accelreport.datasets.errors import DataOptionsError
from accelreport.workloads.image_classification import ImageClassificationParameters
from accelreport.workloads.image_classification import digits as digit_samples
from accelreport.workloads.image_classification import problem as digits
from accelreport.workloads.sequence_classification import SequenceClassificationParameters
from accelreport.workloads.sequence_classification import problem as sequences
from accelreport.workloads.text_generation import TextGenerationParameters
from accelreport.workloads.text_generation import problem as characters

pytestmark = pytest.mark.e2e

INDICES = np.array([5, 0, 11], np.int32)


@pytest.mark.parametrize("scale", [True, False])
def test_pixels_are_scaled_only_where_the_source_scales_them(scale: bool, images: Dataset) -> None:
    problem = digits(ImageClassificationParameters(scale_pixels=scale), images)
    x, y = problem.take(problem.resident, INDICES)
    expected = images.train["x"][INDICES].astype(np.float32) / (255 if scale else 1)
    assert np.asarray(x)[..., 0] == pytest.approx(expected)
    assert np.asarray(x).shape == (3, 28, 28, 1)
    assert np.asarray(y).tolist() == images.train["y"][INDICES].tolist()


def test_wrong_digits_come_first_the_surest_before_all_and_only_those_predicted_are_shown(
    images: Dataset,
) -> None:
    true = images.validation["y"]
    guesses = np.where(np.arange(len(true)) % 3 == 0, (true + 1) % 10, true)
    sure = 1 + np.arange(len(true), dtype=np.float32)[:, None] % 9
    outputs = np.eye(10, dtype=np.float32)[guesses] * sure
    shown = digit_samples(outputs, images.validation, images.classes, 12)
    assert [sample["index"] for sample in shown[:7]] == [6, 15, 3, 12, 0, 9, 18]
    assert [sample["true"] == sample["predicted"] for sample in shown] == [False] * 7 + [True] * 5
    few = digit_samples(outputs[:4], images.validation, images.classes, 12)
    assert sorted(sample["index"] for sample in few) == [0, 1, 2, 3]


def test_a_character_is_to_be_predicted_from_those_before_it(play: Dataset) -> None:
    problem = characters(TextGenerationParameters(length=20), play)
    assert problem.examples == 900 - 20
    x, y = problem.take(problem.resident, np.array([0, 879], np.int32))
    assert np.asarray(x)[0].tolist() == list(range(20))
    assert np.asarray(y)[0].tolist() == list(range(1, 21))
    assert np.asarray(y)[1, -1] == 899 % 256, "the last place ends with the text"
    assert problem.validation is not None
    x, y = problem.take(problem.validation, np.array([1], np.int32))
    assert np.asarray(x)[0].tolist() == list(range(20, 40))
    assert np.asarray(y)[0].tolist() == list(range(21, 41))


@pytest.mark.parametrize("part", ["train", "validation"])
def test_data_without_an_example_are_told_before_anything_waits_for_one(
    motion: Dataset, part: str
) -> None:
    none: dict[str, Any] = {
        part: {name: array[:0] for name, array in getattr(motion, part).items()}
    }
    with pytest.raises(DataOptionsError, match=f"no {part}"):
        sequences(SequenceClassificationParameters(), replace(motion, **none))


def test_a_limit_uses_the_first_examples_only(motion: Dataset, play: Dataset) -> None:
    limits: dict[str, Any] = {"train_examples": 4, "validation_examples": 3}
    few = sequences(SequenceClassificationParameters(**limits), motion)
    assert (few.examples, few.validation_examples) == (4, 3)
    assert few.steps_per_epoch == 1
    written = characters(TextGenerationParameters(length=20, **limits), play)
    assert (written.examples, written.validation_examples) == (4, 3)
