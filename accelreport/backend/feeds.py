"""What brings a training's batches to its steps: data on the device, or a pipeline of the host."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from accelreport.backend.checks.inputs import probe_row
from accelreport.backend.checks.state import order_of
from accelreport.backend.engine import Engine
from accelreport.backend.order import Order

Steps = Callable[[int, int], Any]
"""(number of the first step within its epoch, count of steps) → (sums, stamps)."""


class Feed(Protocol):
    """Where steps read from.

    Attributes:
        source: the resident data, or an iterator.
        order: checksum of the first epoch's order of the examples; empty before that epoch.
    """

    source: Any
    order: str

    def epoch(self) -> Steps:
        """What runs steps of the next epoch."""

    def step_graph(self) -> Any:
        """See `Engine.step_graph`, for the epoch that was run last."""


class ResidentFeed:
    """The whole data set lies on the device, and steps gather their batches there.

    Args:
        engine: the model.
        order: of the examples.
    """

    def __init__(self, engine: Engine, order: Order) -> None:
        self._engine = engine
        self._trainer = engine.resident_trainer()
        self._order = order
        self._rows: Any = None
        self.source: Any = engine.on_devices(engine.problem.resident)
        self.order = ""

    def epoch(self) -> Steps:
        """See `Feed.epoch`."""
        constant, trainer, resident = self._engine.constant, self._trainer, self.source
        problem = self._engine.problem
        rows = self._order.epoch(problem.steps_per_epoch)
        self.order = self.order or order_of(rows, problem.examples)
        self._rows = order = constant(rows)
        return lambda first, count: trainer(resident, order, constant(first), constant(count))

    def step_graph(self) -> Any:
        """See `Feed.step_graph`."""
        first, count = self._engine.constant(0), self._engine.constant(1)
        return self._engine.step_graph(self.source, self._rows, first, count)


class PipelineFeed:
    """`tf.data` brings the batches. One iterator serves the whole cell.

    Taking a drained one down can stall for seconds.

    Args:
        engine: the model.
        order: of the examples.
        steps: of all epochs.
    """

    def __init__(self, engine: Engine, order: Order, steps: int) -> None:
        self._engine = engine
        self._trainer = engine.pipeline_trainer()
        problem = engine.problem
        orders = order.epoch(steps)
        self.order = order_of(orders[: problem.steps_per_epoch], problem.examples)
        if engine.runtime.counts_steps:
            # A batch for the checks comes first, so that they see what this pipeline brings.
            probe = probe_row(problem.examples, problem.batch_size)
            orders = np.concatenate([probe[np.newaxis], orders])
        self.source: Any = engine.runtime.placement.batches(problem, orders)

    def epoch(self) -> Steps:
        """See `Feed.epoch`."""
        constant, trainer, iterator = self._engine.constant, self._trainer, self.source
        return lambda first, count: trainer(iterator, constant(first), constant(count))

    def step_graph(self) -> Any:
        """See `Feed.step_graph`."""
        first, count = self._engine.constant(0), self._engine.constant(1)
        return self._engine.step_graph(self.source, first, count)
