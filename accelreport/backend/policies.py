"""Decisions between epochs: stop early, keep the best weights, reduce the learning rate.

The rules are those of Keras' `EarlyStopping`, `ModelCheckpoint(save_best_only=True)` and
`ReduceLROnPlateau`, so that a spec can say what a notebook said.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np

from accelreport.results.record import Selection
from accelreport.workloads.base import TrainingParameters, rises


class Controls(Protocol):
    """What a policy may do to a training in progress (every `Engine` does it)."""

    def learning_rate(self) -> float:
        """The learning rate in force."""

    def set_learning_rate(self, rate: float) -> None:
        """Set the learning rate of the steps that follow."""

    def weights(self) -> list[Any]:
        """A copy of all weights."""

    def set_weights(self, weights: list[Any]) -> None:
        """Put weights back."""


class Patience:
    """Counts epochs since a metric last improved.

    Args:
        monitor: the metric.
        min_delta: a smaller change than this is no improvement.
    """

    def __init__(self, monitor: str, min_delta: float = 0.0) -> None:
        self.monitor = monitor
        self.waited = 0
        self.best: float | None = None
        self.best_epoch: int | None = None
        self._delta = min_delta
        self._sign = -1.0 if rises(monitor) else 1.0

    def improved(self, epoch: int, metrics: Mapping[str, float]) -> bool | None:
        """Whether an epoch was the best so far; None when it lacks the metric."""
        value = metrics.get(self.monitor)
        if value is None:
            return None
        if self.best is None or self._sign * (value - self.best) + self._delta < 0:
            self.best, self.best_epoch = value, epoch
            self.waited = 0
            return True
        self.waited += 1
        return False


class Policies:
    """What a spec asks to happen after each epoch.

    Args:
        parameters: the spec's `early_stopping`, `restore_best_weights` and
            `reduce_on_plateau`.
        controls: the training they act upon.
    """

    def __init__(self, parameters: TrainingParameters, controls: Controls) -> None:
        self._controls = controls
        self._stopping = parameters.early_stopping
        self._plateau = parameters.reduce_on_plateau
        stopping, plateau = self._stopping, self._plateau
        monitor = stopping.monitor if stopping else "val_loss"
        self._stop = Patience(monitor, stopping.min_delta if stopping else 0.0)
        self._slow = Patience(
            plateau.monitor if plateau else "val_loss", plateau.min_delta if plateau else 0.0
        )
        self._keep = parameters.restore_best_weights
        self._best = Patience(monitor)
        self._best_metrics: Mapping[str, float] = {}
        self._weights: list[Any] | None = None
        self._stopped = False
        self.unmonitored: set[str] = set()

    def after(self, epoch: int, metrics: Mapping[str, float]) -> bool:
        """Act upon the end of an epoch; whether training stops here.

        Args:
            epoch: its number, from 1.
            metrics: its row of the learning curve.
        """
        if self._keep and self._noted(self._best, epoch, metrics):
            self._best_metrics = dict(metrics)
            self._weights = self._controls.weights()
        if self._plateau is not None:
            self._noted(self._slow, epoch, metrics)
            if self._slow.waited and self._slow.waited >= self._plateau.patience:
                self._reduce(self._plateau.factor, self._plateau.min_learning_rate)
        if self._stopping is None:
            return False
        improved = self._noted(self._stop, epoch, metrics)
        self._stopped = improved is False and self._stop.waited >= self._stopping.patience
        return self._stopped

    def finish(self) -> Selection | None:
        """Put the best weights back; what was selected, or None when nothing was asked for."""
        if self._weights is not None:
            self._controls.set_weights(self._weights)
        if self._stopping is None and not self._keep:
            return None
        chosen = self._best if self._keep else self._stop
        return Selection(
            monitor=chosen.monitor,
            best=chosen.best,
            best_epoch=chosen.best_epoch,
            restored=self._weights is not None,
            stopped_early=self._stopped,
        )

    @property
    def best_metrics(self) -> Mapping[str, float]:
        """Metrics of the epoch whose weights were kept; empty when none were."""
        return self._best_metrics

    def _noted(self, patience: Patience, epoch: int, metrics: Mapping[str, float]) -> bool | None:
        improved = patience.improved(epoch, metrics)
        if improved is None:
            self.unmonitored.add(patience.monitor)
        return improved

    def _reduce(self, factor: float, lowest: float) -> None:
        rate = self._controls.learning_rate()
        # The optimizer keeps it in float32: 1e-4 comes back a little larger than it went.
        if rate > float(np.float32(lowest)):
            self._controls.set_learning_rate(max(rate * factor, lowest))
            self._slow.waited = 0
