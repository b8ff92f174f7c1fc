"""The functions of a training problem: many steps in a window, evaluation, prediction."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray

from accelreport.backend.engine import SMALL_GRADIENT, Engine, PartPrograms
from accelreport.backend.frameworks import Runtime
from accelreport.backend.frameworks.torch.device import OnTorch
from accelreport.workloads.base import TrainingProblem

Function = Callable[..., Any]


class TorchEngine(Engine):
    """See `Engine`; a model on one device, trained by the step of Keras' own trainer.

    The host calls every operation of every step, or the compiled pieces of a step: PyTorch has no
    loop over steps inside a program. What lies between the steps is the same few lines for both.

    Args:
        problem: what is trained.
        runtime: a configured PyTorch.
    """

    def __init__(self, problem: TrainingProblem, runtime: Runtime) -> None:
        super().__init__(problem, runtime)
        self._weights = [variable.value for variable in self.model.trainable_variables]

    # What `Engine` asks of any framework ----------------------------------------------------

    def constant(self, value: NDArray[Any] | int) -> Any:
        """See `Engine.constant`; no step sees a plain number."""
        return value if isinstance(value, int) else torch.tensor(value, device=self._device)

    def read(self, value: Any) -> NDArray[Any]:
        """See `Engine.read`."""
        return np.array(value.detach().cpu() if isinstance(value, torch.Tensor) else value)

    # Functions ------------------------------------------------------------------------------

    def resident_trainer(self) -> Any:
        """See `Engine.resident_trainer`."""
        step, stamped = self._compiled(self._step), self.runtime.synchronous

        def train(resident: Any, order: Any, first: int, count: int) -> tuple[Any, Any]:
            totals, stamps = self._zeros(), []
            for number in range(first, first + count):
                totals += step(resident, order[number])
                if stamped:
                    stamps.append(time.perf_counter())
            return totals, np.array(stamps, np.float64)

        return train

    def part_programs(self) -> PartPrograms:
        """See `Engine.part_programs`."""
        given = [torch.full_like(each, SMALL_GRADIENT) for each in self._weights]

        def nothing(resident: Any, indices: Any) -> None:
            """What driving a step costs is paid by the loop."""

        def gradients(resident: Any, indices: Any) -> None:
            self._backward(*self.problem.take(resident, indices))

        def updated(resident: Any, indices: Any) -> None:  # noqa: ARG001
            with torch.no_grad():
                self.optimizer.apply(given, self.model.trainable_variables)

        return PartPrograms(*map(self._repeated, (nothing, self.problem.take, gradients, updated)))

    def _repeated(self, part: Function) -> Function:
        """A part of a step, driven as steps are."""
        step = self._compiled(part)

        def run(resident: Any, order: Any, first: int, count: int) -> None:
            for number in range(first, first + count):
                step(resident, order[number])

        return run

    def step_graph(self, *arguments: Any) -> Any:
        """See `Engine.step_graph`: a function that runs one step and takes it back."""
        resident, order, first, _ = arguments
        devices = [self._device] if self._device.type == "cuda" else []

        def rehearse() -> None:
            changing = [each.value for each in (*self.model.variables, *self.optimizer.variables)]
            before = [each.detach().clone() for each in changing]
            try:
                with torch.random.fork_rng(devices):
                    self._step(resident, order[first])
            finally:
                with torch.no_grad():
                    for each, value in zip(changing, before, strict=True):
                        each.copy_(value)

        return rehearse

    def evaluator(self) -> Any:
        """See `Engine.evaluator`."""

        def step(resident: Any, indices: Any, weights: Any) -> Any:
            inputs, targets = self.problem.take(resident, indices)
            outputs = self.model(inputs, training=False)
            return self._sums(self.problem.loss(targets, outputs), targets, outputs, weights)

        run = self._compiled(step)

        def evaluate(resident: Any, order: Any, weights: Any, first: int, count: int) -> Any:
            totals = self._zeros()
            with torch.no_grad():
                for number in range(first, first + count):
                    totals += run(resident, order[number], weights[number])
            return totals

        return evaluate

    def predictor(self) -> Any:
        """See `Engine.predictor`."""
        run = self._compiled(self._forward)

        def without_gradients(resident: Any, indices: Any) -> Any:
            with torch.no_grad():
                return run(resident, indices)

        return without_gradients

    def prediction_graph(self, resident: Any, indices: Any) -> Any:
        """See `Engine.prediction_graph`: a function that calls the model once."""

        def rehearse() -> None:
            with torch.no_grad():
                self._forward(resident, indices)

        return rehearse

    # One step -------------------------------------------------------------------------------

    def _step(self, resident: Any, indices: Any) -> Any:
        """What `keras.Model.train_step` does on PyTorch; returns sums over the examples."""
        inputs, targets = self.problem.take(resident, indices)
        losses, outputs = self._backward(inputs, targets)
        with torch.no_grad():
            gradients = [weight.grad for weight in self._weights]
            self.optimizer.apply(gradients, self.model.trainable_variables)
            return self._sums(losses, targets, outputs)

    def _backward(self, inputs: Any, targets: Any) -> tuple[Any, Any]:
        """Leave its gradient with every weight; losses of the examples, and the outputs."""
        outputs = self.model(inputs, training=True)
        losses = self.problem.loss(targets, outputs)
        self.traced_batch = losses.shape[0]
        objective = torch.sum(losses) / self.problem.batch_size
        for penalty in self.model.losses:
            objective = objective + penalty.to(losses.dtype)
        objective = self.optimizer.scale_loss(objective)
        for weight in self._weights:
            weight.grad = None
        objective.backward()
        return losses, outputs

    def _forward(self, resident: Any, indices: Any) -> Any:
        inputs, _ = self.problem.take(resident, indices)
        return self.model(inputs, training=False).to(torch.float32)

    def _compiled(self, function: Function) -> Function:
        """A function as the device asks for it; every shape is that of its first call."""
        if not self.runtime.jit_compile:
            return function
        made: Function = torch.compile(function, dynamic=False)
        return made

    # Where it lies --------------------------------------------------------------------------

    @property
    def _placement(self) -> OnTorch:
        return cast("OnTorch", self.runtime.placement)

    @property
    def _device(self) -> Any:
        return self._placement.device

    def _zeros(self) -> Any:
        return torch.zeros(self.width, dtype=torch.float32, device=self._device)


ENGINE = TorchEngine
"""What `engine_for` makes."""
