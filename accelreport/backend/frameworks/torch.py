"""Keras 3 on PyTorch: its device, and a training eagerly or by `torch.compile`."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import keras
import numpy as np
import torch
from numpy.typing import NDArray
from torch._dynamo.utils import counters
from torch.utils._python_dispatch import TorchDispatchMode

from accelreport.backend.engine import Engine
from accelreport.backend.failures import NoDeviceError, out_of_memory
from accelreport.backend.frameworks import TORCH_DEVICES, Runtime, no_compiler
from accelreport.backend.placement import Placement
from accelreport.spec.device import Device
from accelreport.workloads.base import TrainingProblem


def configure(device: Device) -> Runtime:
    """Set threads and precision, and find the device.

    Raises:
        NoDeviceError: PyTorch does not see the device, or cannot compile for it.
    """
    gpu = device.kind == "GPU"
    if gpu and not torch.cuda.is_available():
        build = f"built for CUDA {torch.version.cuda}" if torch.version.cuda else "a CPU build"
        raise NoDeviceError(f"PyTorch sees no GPU: {torch.__version__} is {build}")
    if device.torch_compile and (missing := no_compiler(device)):
        raise NoDeviceError(missing)
    if device.threads is not None:
        torch.set_num_threads(device.threads)
    chosen = torch.device(TORCH_DEVICES[device.kind])
    precision = ""
    if gpu:
        precision = "tf32" if device.tf32 else "ieee"
        # These older flags set the newer ones, too. Where the newer ones were set, PyTorch refuses
        # to read the older ones, and Keras then leaves cuDNN's kernels without a word.
        torch.backends.cuda.matmul.allow_tf32 = device.tf32
        torch.backends.cudnn.allow_tf32 = device.tf32
    keras.mixed_precision.set_global_policy(device.precision)
    eager = "operations, called one by one"
    cudnn = str(torch.backends.cudnn.version() or "") if gpu else ""
    libraries = {"oneDNN": torch.backends.mkldnn, "MKL": torch.backends.mkl}
    there = [name for name, library in libraries.items() if library.is_available()]
    facts = {
        "framework": f"PyTorch {torch.__version__}",
        "intra_op_threads": "" if gpu else str(torch.get_num_threads()),
        "steps": "compiled by torch.compile, called one by one" if device.torch_compile else eager,
        "torch_compile": "on" if device.torch_compile else "off",
        "kernels": f"cuDNN {cudnn}".strip() if gpu else " and ".join(there),
        "cuda": str(torch.version.cuda or "") if gpu else "",
        "cudnn": cudnn,
        "matmul_precision": precision,
        "device": device.kind,
        "device_kind": str(torch.cuda.get_device_name(0)) if gpu else "",
        "precision": device.precision,
        "strategy": device.strategy,
    }
    return Runtime(
        placement=OnTorch(
            strategy=None,
            replicas=1,
            devices=[f"{device.kind}:{chosen.index or 0}"],
            synchronous=device.kind == "CPU",
            device=chosen,
        ),
        jit_compile=device.torch_compile,
        facts={name: value for name, value in facts.items() if value},
        framework="torch",
        loops_in_program=False,
    )


@dataclass
class OnTorch(Placement):
    """See `Placement`. A CPU has done an operation when its call returns; a GPU has not.

    Attributes:
        device: PyTorch's own object for the device.
    """

    device: Any = None

    def resident(self, arrays: Mapping[str, NDArray[Any]]) -> Any:
        """See `Placement.resident`."""
        return {name: torch.tensor(array, device=self.device) for name, array in arrays.items()}

    def synchronise(self) -> None:
        """See `Placement.synchronise`."""
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)

    def device_peak_bytes(self) -> int | None:
        """See `Placement.device_peak_bytes`; on a CPU nobody counts."""
        if self.device.type != "cuda":
            return None
        return int(torch.cuda.max_memory_allocated(self.device))


def compiled() -> frozenset[Hashable]:
    """See `accelreport.backend.checks.windows.compiled`: graphs that Dynamo has traced."""
    return frozenset(range(counters["stats"]["unique_graphs"]))


def everything_done() -> None:
    """Wait for every stream of every GPU that this process has used; a CPU is never behind."""
    if torch.cuda.is_initialized():
        for number in range(torch.cuda.device_count()):
            torch.cuda.synchronize(number)


def can_wait() -> bool:
    """Whether `everything_done` can wait: this process computes alone."""
    return True


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
        return np.array(value.numpy(force=True) if isinstance(value, torch.Tensor) else value)

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

    def step_graph(self, *arguments: Any) -> Any:
        """See `Engine.step_graph`: a function that runs one step and takes it back."""
        resident, order, first, _ = arguments
        devices = [self._device] if self._device.type == "cuda" else []

        def rehearse() -> None:
            changing = [
                variable.value for variable in (*self.model.variables, *self.optimizer.variables)
            ]
            before = [tensor.detach().clone() for tensor in changing]
            try:
                with torch.random.fork_rng(devices):
                    self._step(resident, order[first])
            finally:
                with torch.no_grad():
                    for tensor, value in zip(changing, before, strict=True):
                        tensor.copy_(value)

        return rehearse

    def evaluator(self) -> Any:
        """See `Engine.evaluator`."""

        def step(resident: Any, indices: Any, weights: Any) -> Any:
            inputs, targets = self.problem.take(resident, indices)
            outputs = self.model(inputs, training=False)
            return self._evaluated(inputs, targets, outputs, weights)

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
        batch = self.batch(inputs, targets)
        outputs = self.model(inputs, training=True)
        objective, losses = self._objective(batch, outputs)
        for weight in self._weights:
            weight.grad = None
        objective.backward()
        with torch.no_grad():
            gradients = [weight.grad for weight in self._weights]
            self.optimizer.apply(gradients, self.model.trainable_variables)
            return self._judged(batch, outputs, losses)

    def _forward(self, resident: Any, indices: Any) -> Any:
        inputs, _ = self.problem.take(resident, indices)
        return self.model(inputs, training=False).to(torch.float32)

    def _compiled(self, function: Function) -> Function:
        """A function as the device asks for it; every shape is that of its first call."""
        if not self.runtime.jit_compile:
            return function
        compiled: Function = torch.compile(function, dynamic=False)
        return compiled

    # Where it lies --------------------------------------------------------------------------

    @property
    def _device(self) -> Any:
        return cast("OnTorch", self.runtime.placement).device

    def _zeros(self) -> Any:
        return torch.zeros(self.width, dtype=torch.float32, device=self._device)


ENGINE = TorchEngine
"""What `engine_for` makes."""


def operation_kinds(rehearse: Callable[[], None]) -> frozenset[str] | None:
    """Names of all operations of a step or call; None where no memory is left for one more.

    Eager PyTorch traces nothing. Every operation passes a dispatcher, which names each one.

    Args:
        rehearse: runs it and takes it back.
    """
    kinds = _Kinds()
    try:
        with kinds:
            rehearse()
    except Exception as error:
        if out_of_memory(error) is None:
            raise
        # What was measured before is whole: it must not be lost for want of these names.
        return None
    return frozenset(kinds.names)


class _Kinds(TorchDispatchMode):  # type: ignore[misc,unused-ignore]
    """Notes what is dispatched, and lets it pass."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Any = None
    ) -> Any:
        self.names.add(func.overloadpacket.__name__)
        return func(*args, **(kwargs or {}))
