"""The text a character model writes."""

import math

import numpy as np
import pytest

from accelreport.datasets.base import Dataset
from accelreport.results.record import GeneratedText
from accelreport.workloads.text_generation import (
    ShortTextError,
    TextGenerationParameters,
    _stepper,
    character_model,
    problem,
    write,
)

pytestmark = pytest.mark.e2e

PARAMETERS = TextGenerationParameters(
    embedding=8, units=16, texts=3, characters=40, prompt="To be, or not to be"
)


def written(seed: int) -> list[GeneratedText]:
    import keras

    keras.utils.set_random_seed(0)
    model = character_model(PARAMETERS)
    return write(PARAMETERS, model, seed, PARAMETERS.texts)


def test_one_step_after_the_other_computes_what_the_whole_sequence_does() -> None:
    model = character_model(PARAMETERS)
    characters = np.random.default_rng(0).integers(0, 256, (2, 9)).astype(np.int32)
    step, states = _stepper(model, 2)
    for place in range(9):
        logits, states = step(characters[:, place], states)
    whole = np.asarray(model(characters))[:, -1]
    assert np.asarray(logits) == pytest.approx(whole, abs=1e-5)


def test_the_same_seed_writes_the_same_texts_and_another_seed_others() -> None:
    first = written(seed=1)
    assert [text.prompt for text in first] == [PARAMETERS.prompt] * 3
    assert [len(text.text) for text in first] == [40] * 3
    assert len({text.text for text in first}) == 3, "each is drawn anew"
    assert written(seed=1) == first
    assert written(seed=2) != first


def test_an_untrained_model_uses_many_characters() -> None:
    letters = "".join(text.text for text in written(seed=3))
    shares = [letters.count(each) / len(letters) for each in set(letters)]
    assert -sum(share * math.log2(share) for share in shares) > 5


def test_a_text_that_is_shorter_than_a_sequence_is_told_with_the_key_to_change() -> None:
    letters = np.zeros(90, np.uint8)
    data = Dataset(
        name="shakespeare",
        train={"text": np.tile(letters, 10)},
        validation={"text": letters},
        classes=(),
        origin="user-supplied",
        files={},
        fingerprint="",
    )
    with pytest.raises(ShortTextError, match="90 validation characters") as told:
        problem(TextGenerationParameters(length=100), data)
    assert told.value.key == "length"
