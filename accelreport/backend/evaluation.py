"""The model over the validation data, in chunks, so that a deadline can end it."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from accelreport.backend.engine import Engine

CHUNK_S = 1.0
"""Seconds of a chunk: short enough for a deadline, long enough not to cost anything."""

PREDICTION_BATCH = 512


class Evaluation:
    """Evaluates outside the timed region.

    Args:
        engine: the model.
        batch: examples in a step; no more than there are, and rounded up so that the
            replicas divide it. Padding has no weight.
    """

    def __init__(self, engine: Engine, batch: int) -> None:
        self._engine = engine
        self._problem = engine.problem
        self._replicas = engine.runtime.replicas
        self._agreed = engine.runtime.placement.agreed
        self._batch = self._divisible(min(batch, max(1, self._problem.validation_examples)))
        self._resident: dict[str, Any] | None = None
        self._evaluator: Any = None
        self.sums: NDArray[np.float64] | None = None

    def run(self, deadline: float) -> dict[str, float] | None:
        """Mean loss and metrics over the validation data, names prefixed with `val_`.

        Args:
            deadline: instant of `time.perf_counter()` after which it gives up.

        Returns:
            The metrics, or None when the deadline came first.
        """
        examples = self._problem.validation_examples
        indices, weights = padded_order(examples, self._batch)
        if self._evaluator is None:
            self._evaluator = self._engine.evaluator()
        self._engine.sync_replicas()
        constant, read = self._engine.constant, self._engine.read
        order, shares = constant(indices), constant(weights)
        sums = np.zeros(self._engine.width)
        done, count = 0, 1
        while done < len(indices):
            began = time.perf_counter()
            if self._agreed(began >= deadline):
                return None
            count = round(self._agreed(min(count, len(indices) - done)))
            sums += read(
                self._evaluator(self._on_devices(), order, shares, constant(done), constant(count))
            )
            done += count
            step_s = max((time.perf_counter() - began) / count, 1e-6)
            # Twice as many at most: the first step holds the trace and tells little.
            count = max(1, min(2 * count, round(CHUNK_S / step_s)))
        self.sums = sums
        named = self._engine.named(sums, examples)
        return {f"val_{name}": value for name, value in named.items()}

    def predict(self, count: int, deadline: float) -> NDArray[np.float32]:
        """Outputs for the first `count` validation examples, or as many as the deadline allows.

        A count that the replicas do not divide is padded, and the padding cut off again.
        """
        predictor = self._engine.predictor()
        self._engine.sync_replicas()
        batch = self._divisible(min(PREDICTION_BATCH, count))
        indices, _ = padded_order(count, batch)
        parts: list[Any] = []
        for row in indices:
            if parts and self._agreed(time.perf_counter() >= deadline):
                break
            outputs = predictor(self._on_devices(), self._engine.constant(row))
            parts.append(self._engine.read(outputs))
        return np.asarray(np.concatenate(parts)[:count], dtype=np.float32)

    def _divisible(self, batch: int) -> int:
        return -(-batch // self._replicas) * self._replicas

    def _on_devices(self) -> dict[str, Any]:
        if self._resident is None:
            assert self._problem.validation is not None
            self._resident = self._engine.on_devices(self._problem.validation)
        return self._resident


def padded_order(examples: int, batch: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Every example once, in order, in full batches; the last one is padded with example 0.

    Returns:
        Indices and weights (1, or 0 for padding), both of shape [steps, batch].
    """
    steps = -(-examples // batch)
    indices = np.zeros(steps * batch, dtype=np.int32)
    indices[:examples] = np.arange(examples, dtype=np.int32)
    weights = np.zeros(steps * batch, dtype=np.float32)
    weights[:examples] = 1
    return indices.reshape(steps, batch), weights.reshape(steps, batch)
