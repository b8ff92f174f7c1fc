"""What may happen between epochs: stopping early, keeping the best weights, slowing down."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, FiniteFloat

from accelreport.spec.models import SpecModel, Text

RISING = ("accuracy", "precision", "recall", "f1")
"""Metrics of which more is better; of every other one, less is."""


class EarlyStopping(SpecModel):
    """Stop when a metric has not improved for some epochs, as Keras' callback does."""

    monitor: Text = "val_loss"
    """The metric of the learning curve."""
    patience: Annotated[int, Field(ge=0)] = 0
    """Epochs without improvement after which training stops."""
    min_delta: Annotated[FiniteFloat, Field(ge=0)] = 0.0
    """A smaller change than this is no improvement."""


class ReduceOnPlateau(SpecModel):
    """Reduce the learning rate when a metric stops improving, as Keras' callback does."""

    monitor: Text = "val_loss"
    """The metric of the learning curve."""
    factor: Annotated[FiniteFloat, Field(gt=0, lt=1)] = 0.1
    """What the learning rate is multiplied by."""
    patience: Annotated[int, Field(ge=0)] = 10
    """Epochs without improvement after which it is reduced."""
    min_delta: Annotated[FiniteFloat, Field(ge=0)] = 1e-4
    """A smaller change than this is no improvement."""
    min_learning_rate: Annotated[FiniteFloat, Field(ge=0)] = 0.0
    """It is never reduced below this."""


def rises(metric: str) -> bool:
    """Whether more of a metric is better."""
    return any(word in metric for word in RISING)
