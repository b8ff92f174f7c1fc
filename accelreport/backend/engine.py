"""What the timed loop, the evaluation and the checks must know of a model and its framework."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from numpy.typing import NDArray

from accelreport.backend.rooms import room
from accelreport.backend.runtime import Runtime
from accelreport.spec.families import TENSORFLOW
from accelreport.workloads.base import TrainingProblem


class Engine(Protocol):
    """A model on its device, with what trains and evaluates it; one for each framework.

    Attributes:
        problem: what is trained.
        runtime: the framework, configured for the device.
        columns: names of the means over examples: the loss, then the metrics.
        width: columns, and the counts of the problem's tally.
        model: the Keras model.
        optimizer: the Keras optimizer.
        traced_batch: examples of one replica's share of a step, as traced or run last; None before
            that, and where the shape is not known.
    """

    problem: TrainingProblem
    runtime: Runtime
    columns: list[str]
    width: int
    model: Any
    optimizer: Any
    traced_batch: int | None

    @property
    def scales_losses(self) -> bool:
        """Whether the optimizer scales losses, and leaves a step out where that overflows."""

    def parameters(self) -> int:
        """Number of all weights of the model."""

    def steps_done(self) -> int:
        """Steps the optimizer has counted; waits for the last one."""

    def named(self, sums: NDArray[Any], examples: int) -> dict[str, float]:
        """Metrics by name from the sums that a trainer or an evaluator gives.

        Args:
            sums: loss, metrics and the problem's tally, added over examples.
            examples: how many were added.
        """

    def settle(self) -> None:
        """Make all replicas the same model, moving statistics included."""

    def weights(self) -> list[NDArray[Any]]:
        """A copy of all weights of the model."""

    def set_weights(self, weights: list[NDArray[Any]]) -> None:
        """Put weights back, on every replica."""

    def set_learning_rate(self, rate: float) -> None:
        """Set the learning rate of the steps that follow."""

    def learning_rate(self) -> float:
        """The learning rate in force."""

    def on_devices(self, arrays: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
        """Copy arrays to every replica's device, in the dtype in which they are stored."""

    def constant(self, value: NDArray[Any] | int) -> Any:
        """An array or a number as the functions below take it.

        A plain number would be traced or compiled anew for every value.
        """

    def read(self, value: Any) -> NDArray[Any]:
        """A result on the host; waits for it."""

    def resident_trainer(self) -> Any:
        """A function (resident, order [steps, batch], first, count) → (sums, stamps).

        It runs steps `first` … `first + count − 1` of the order. `sums` [1 + metrics] adds the
        loss and the metrics over all examples; `stamps` [count] holds the instants in seconds
        at which each step's loss was ready, and is empty on a device that runs
        asynchronously, where such a stamp would be taken before the work is done.
        """

    def pipeline_trainer(self) -> Any:
        """A function (iterator, first, count) → (sums, stamps), as `resident_trainer` gives."""

    def step_graph(self, *arguments: Any) -> Any:
        """A step as `counted` takes it, for arguments that the trainer was called with.

        What was traced of the steps, or a function that runs one and takes it back.
        """

    def evaluator(self) -> Any:
        """A function (resident, order [steps, batch], weights [steps, batch], first, count) → sums.

        Weights are 1 for examples and 0 for padding.
        """

    def predictor(self) -> Any:
        """A function (resident, indices [batch]) → outputs [batch, …], in the order asked for."""


def engine_for(problem: TrainingProblem, runtime: Runtime) -> Engine:
    """A problem's model in the framework that was configured."""
    if runtime.framework != TENSORFLOW:
        found: Engine = room(runtime.framework, "programs").Programs(problem, runtime)
        return found
    from accelreport.backend.graphs import Graphs

    return Graphs(problem, runtime)
