"""Losses and metrics that several families share; one value for each example.

Models give logits: a probability that was rounded to 0 or 1 has no logarithm. Everything is
reckoned in float32, whatever the model's precision.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from accelreport.workloads.numerics import numerics


def class_loss(targets: Any, outputs: Any) -> Any:
    """Cross-entropy of classes: labels [batch], logits [batch, classes] → [batch]."""
    return numerics().class_cross_entropy(targets, outputs)


def class_accuracy(targets: Any, outputs: Any) -> Any:
    """Whether the largest logit is the true one: [batch], [batch, classes] → [batch]."""
    n = numerics()
    return n.cast(n.equal(n.argmax(outputs), targets), "float32")


def binary_loss(targets: Any, outputs: Any) -> Any:
    """Cross-entropy of 0 and 1: labels [batch], logits [batch, 1] → [batch]."""
    n = numerics()
    return n.binary_cross_entropy(targets, n.cast(outputs[:, 0], "float32"))


def binary_accuracy(targets: Any, outputs: Any) -> Any:
    """Whether the logit's sign tells 0 from 1: [batch], [batch, 1] → [batch]."""
    n = numerics()
    return n.cast(n.equal(outputs[:, 0] > 0, targets > 0), "float32")


def step_loss(targets: Any, outputs: Any) -> Any:
    """Mean cross-entropy of a sequence: [batch, steps], [batch, steps, classes] → [batch]."""
    return numerics().mean(class_loss(targets, outputs), axis=1)


def step_accuracy(targets: Any, outputs: Any) -> Any:
    """Share of right steps: [batch, steps], [batch, steps, classes] → [batch]."""
    return numerics().mean(class_accuracy(targets, outputs), axis=1)


def squared_error_after(warmup: int, targets: Any, outputs: Any) -> Any:
    """Mean squared error without the first `warmup` steps.

    A recurrent model has seen nothing at a sequence's beginning, and is not asked about it.

    Args:
        warmup: steps left out.
        targets: [batch, steps, series].
        outputs: the same shape.

    Returns:
        [batch]: the mean over the other steps and all series.
    """
    n = numerics()
    error = n.cast(targets, "float32") - n.cast(outputs, "float32")
    return n.mean(n.square(error[:, warmup:]), axis=(1, 2))


def accuracy_of(loss: str, *, from_logits: bool) -> Callable[[Any, Any], Any]:
    """(targets, outputs) → whether they are right, of a model that learns by a loss."""
    n = numerics()

    def accuracy(targets: Any, outputs: Any) -> Any:
        if loss == "sparse_categorical_crossentropy":
            right = n.equal(n.argmax(outputs), targets)
        elif loss == "categorical_crossentropy":
            right = n.equal(n.argmax(outputs), n.argmax(targets))
        else:
            right = n.equal(
                outputs > (0.0 if from_logits else 0.5), n.reshape_like(targets, outputs) > 0.5
            )
        values = n.cast(right, "float32")
        rank = len(values.shape)
        return values if rank == 1 else n.mean(values, axis=tuple(range(1, rank)))

    return accuracy
