"""Losses and metrics, held against NumPy."""

from typing import Any

import numpy as np
import pytest

from accelreport.workloads import objectives

pytestmark = pytest.mark.e2e


def softmax(logits: Any) -> Any:
    shifted = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return shifted / shifted.sum(axis=-1, keepdims=True)


def test_class_loss_is_the_negative_logarithm_of_the_true_class() -> None:
    generator = np.random.default_rng(0)
    logits = generator.standard_normal((8, 5)).astype(np.float32) * 3
    labels = generator.integers(0, 5, 8).astype(np.int32)
    expected = -np.log(softmax(logits)[np.arange(8), labels])
    assert np.asarray(objectives.class_loss(labels, logits)) == pytest.approx(expected, rel=1e-5)
    right = (logits.argmax(axis=1) == labels).astype(float)
    assert np.asarray(objectives.class_accuracy(labels, logits)) == pytest.approx(right)


def test_binary_loss_stays_exact_where_a_probability_would_be_rounded_to_one() -> None:
    logits = np.array([[0.3], [-2.0], [40.0], [-40.0]], np.float32)
    labels = np.array([1.0, 1.0, 0.0, 0.0], np.float32)
    z = logits[:, 0].astype(np.float64)
    expected = np.logaddexp(0, z) - labels * z
    assert np.asarray(objectives.binary_loss(labels, logits)) == pytest.approx(expected, rel=1e-5)
    assert np.asarray(objectives.binary_accuracy(labels, logits)).tolist() == [1, 0, 0, 1]


def test_losses_of_sequences_are_means_over_their_steps() -> None:
    generator = np.random.default_rng(1)
    logits = generator.standard_normal((3, 7, 4)).astype(np.float32)
    labels = generator.integers(0, 4, (3, 7)).astype(np.int32)
    chosen = np.take_along_axis(softmax(logits), labels[..., None], axis=-1)[..., 0]
    assert np.asarray(objectives.step_loss(labels, logits)) == pytest.approx(
        -np.log(chosen).mean(axis=1), rel=1e-5
    )
    right = (logits.argmax(axis=-1) == labels).mean(axis=1)
    assert np.asarray(objectives.step_accuracy(labels, logits)) == pytest.approx(right)


def test_the_squared_error_knows_nothing_of_the_warm_up_steps() -> None:
    generator = np.random.default_rng(2)
    true = generator.random((4, 60, 3)).astype(np.float32)
    found = generator.random((4, 60, 3)).astype(np.float32)
    expected = ((true - found)[:, 50:] ** 2).mean(axis=(1, 2))
    got = np.asarray(objectives.squared_error_after(50, true, found))
    assert got == pytest.approx(expected, rel=1e-5)
    found[:, :50] = 1e6
    assert np.asarray(objectives.squared_error_after(50, true, found)) == pytest.approx(got)
