"""Precision, recall and F1 from counts, held against Keras' metrics and plain definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelreport.workloads.sequence_classification import confusion_tally, ratios

pytestmark = pytest.mark.e2e

CLASSES = tuple("ABCDEF")


def test_micro_figures_are_those_of_keras_and_macro_ones_those_of_the_definition() -> None:
    import keras

    generator = np.random.default_rng(0)
    logits = (generator.standard_normal((200, 6)) * 2).astype(np.float32)
    labels = generator.integers(0, 5, 200).astype(np.int32)  # class F never occurs
    tally = confusion_tally(CLASSES)
    counts = np.asarray(tally.count(labels, logits), dtype=np.float64)
    assert counts.shape == (200, tally.size)
    found = tally.metrics(counts.sum(axis=0))

    probabilities = np.asarray(keras.ops.softmax(logits))
    one_hot = np.eye(6, dtype=np.float32)[labels]
    precision, recall = keras.metrics.Precision(), keras.metrics.Recall()
    precision.update_state(one_hot, probabilities)
    recall.update_state(one_hot, probabilities)
    assert found["micro_precision"] == pytest.approx(float(precision.result()), rel=1e-5)
    assert found["micro_recall"] == pytest.approx(float(recall.result()), rel=1e-5)

    guesses = logits.argmax(axis=1)
    per_class = []
    for each in range(6):
        hits = np.sum((guesses == each) & (labels == each))
        p = hits / max(1, np.sum(guesses == each))
        r = hits / max(1, np.sum(labels == each))
        per_class.append((p, r, 2 * p * r / (p + r) if p + r else 0.0))
    macro = np.mean(per_class, axis=0)
    assert [found["precision"], found["recall"], found["f1"]] == pytest.approx(list(macro))

    assert tally.confusion is not None
    matrix = np.array(tally.confusion(counts.sum(axis=0)))
    assert matrix.sum() == 200
    assert np.trace(matrix) == np.sum(guesses == labels)
    assert matrix.sum(axis=1).tolist() == np.bincount(labels, minlength=6).tolist()


@given(st.lists(st.lists(st.integers(0, 50), min_size=3, max_size=3), min_size=3, max_size=3))
def test_every_ratio_lies_between_0_and_1_and_none_divides_by_zero(rows: list[list[int]]) -> None:
    matrix = np.array(rows, dtype=np.float64)
    total = matrix.sum()
    for value in ratios(matrix, total / 2, total).values():
        assert 0 <= value <= 1


def test_perfect_predictions_give_one_everywhere() -> None:
    assert set(ratios(np.eye(3) * 4, 12, 12).values()) == {1.0}
