"""Timed calls: of a kernel, of a model in inference, of a user's own step.

None of them has epochs: a cell is so many calls, or as many as its budget allows. The first call
is the cold one, and the warm ones follow.
"""

from __future__ import annotations

import hashlib
import math
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from accelreport.backend.arithmetic import count_flops
from accelreport.backend.checks.windows import WindowWatch, can_wait, everything_done
from accelreport.backend.engine import Engine, engine_for
from accelreport.backend.failures import StrategyError
from accelreport.backend.frameworks import Runtime, framework_module
from accelreport.backend.measurement import Measurement, WindowTimer
from accelreport.backend.network import network_of
from accelreport.backend.training import NanLossError, Order, Pace
from accelreport.results.record import Block, DataSource, Flops
from accelreport.spec.cells import Cell
from accelreport.spec.device import FRAMEWORK_NAMES
from accelreport.spec.families import TENSORFLOW
from accelreport.workloads.base import KernelProblem, StepProblem, TrainingProblem
from accelreport.workloads.numerics import numbers
from accelreport.workloads.own_code import OwnCodeError

LEAST_SHARE = 10
"""A call that is cut short still does at least one in so many of its operations."""


class Kernel:
    """A kernel's problem, built where it is to run.

    Args:
        problem: what is called.
        runtime: a configured framework.
        seed: of its input.

    Attributes:
        inputs: the tensors it reads, where it says so.
    """

    def __init__(self, problem: KernelProblem, runtime: Runtime, seed: int) -> None:
        self.problem = problem
        self._counts_in_tensors = runtime.framework == TENSORFLOW
        with on_device(runtime):
            call = problem.build(seed, runtime.jit_compile)
        self.inputs: tuple[Any, ...] = tuple(getattr(call, "inputs", ()))
        self._call = runtime.placement.in_one_place(_everywhere(call, runtime))

    def start(self, operations: int) -> Any:
        """Start so many operations; a scalar that depends on all of them."""
        if not self.problem.countable:
            return self._call()
        if not self._counts_in_tensors:
            return self._call(operations)
        import tensorflow as tf

        return self._call(tf.constant(operations))  # a plain number would be traced every time

    def run(self, operations: int) -> float:
        """Do so many operations; their scalar, which is waited for."""
        return float(self.start(operations))


def run_kernel(measurement: Measurement, kernel: Kernel, watch: WindowWatch) -> list[Block]:
    """Call the kernel as often as the spec says, or until the budget ends.

    The first call holds trace and compilation: it is "cold" and always whole, and the budget begins
    after it. Every call reads one scalar that depends on all of the work, so that the clock cannot
    stop before it is done.
    A call that the budget would end in its middle does fewer operations, where it can.

    Raises:
        NanLossError: the result is not finite, so the arithmetic was not the one meant.
    """
    conditions, reporter = measurement.cell.measure, measurement.reporter
    placement, calls = measurement.ready().placement, conditions.calls
    whole, done = kernel.problem.operations, 0
    blocks: list[Block] = []
    timer = WindowTimer(placement, watch, measurement.open_meter())
    deadline = math.inf
    reporter.phase("compile")
    for number in range(calls):
        if number == 1:
            reporter.phase("train")
            deadline = time.perf_counter() + conditions.budget
        left_s = deadline - time.perf_counter()
        operations = int(placement.agreed(fitting(kernel.problem, blocks, left_s)))
        if not operations:
            break
        timed = timer.time(
            partial(kernel.run, operations),
            epoch=number + 1,
            first_step=done,
            steps=operations,
            warmup=number < conditions.warmup_calls,
        )
        if timed.observed.lost_s:
            deadline += timed.observed.stopped_s
        if not math.isfinite(timed.result):
            raise NanLossError(f"call {number + 1} gave {timed.result}: the values have overflowed")
        blocks.append(timed.block)
        done += operations
        left = min((calls - number - 1) * timed.ran_s, max(0.0, deadline - time.perf_counter()))
        reporter.progress(
            epoch=number + 1, epochs=calls, step=done, steps=calls * whole, eta_s=left
        )
        if operations < whole:
            break
    timer.meter.end()
    return blocks


def fitting(problem: KernelProblem, blocks: list[Block], left_s: float) -> int:
    """Operations of the next call, by the pace of the last one; none where time is up.

    A kernel that was only called cold has no time yet, and is called once more in any case; one
    without any pace is called whole.
    """
    whole = problem.operations
    # A call in which the process was stopped has no pace.
    last = next((block for block in reversed(blocks) if not block.stopped_s), None)
    if last is None:
        return whole
    fit = int(max(0.0, left_s) * last.steps / last.wall_s)
    if not problem.countable:
        return whole if left_s > 0 else 0
    # A window much shorter than the others would tell more of its ends than of the work.
    least = math.ceil(whole / LEAST_SHARE)
    if not any(block.steady for block in blocks):
        fit = max(fit, least)
    return min(fit, whole) if fit >= least else 0


def on_device(runtime: Runtime) -> AbstractContextManager[Any]:
    """Where tensors are made that a kernel reads."""
    if runtime.framework != TENSORFLOW:
        return nullcontext()  # it has one device, and everything lies there
    import tensorflow as tf

    context: AbstractContextManager[Any] = tf.device(runtime.devices[0])
    return context


def _everywhere(call: Callable[..., Any], runtime: Runtime) -> Callable[..., Any]:
    """The call on every replica."""
    if runtime.replicas == 1:
        return call
    import tensorflow as tf

    @tf.function(jit_compile=False)  # type: ignore[untyped-decorator,unused-ignore]
    def everywhere(*count: Any) -> Any:
        sums = runtime.strategy.run(call, args=count)
        return runtime.strategy.reduce(tf.distribute.ReduceOp.SUM, sums, axis=None)

    return lambda *count: everywhere(*count)


def measure_kernel(measurement: Measurement, problem: KernelProblem) -> None:
    """Time the calls of a kernel, and check the timer around them."""
    runtime, cell = measurement.ready(), measurement.cell
    kernel = Kernel(problem, runtime, cell.seed)
    watch, checks = _watch(runtime), measurement.begin_checks()
    checks.before_kernel(watch, kernel.inputs)
    blocks = run_kernel(measurement, kernel, watch)
    measurement.data = DataSource(  # the input came from the seed
        dataset="",
        origin="generated",
        fingerprint=problem.fingerprint(cell.seed),
        seed=cell.seed,
    )
    replicas, operations, moved = runtime.replicas, problem.operations, problem.moved
    measurement.result.flops = Flops(
        per_step=problem.flops * replicas / operations,
        method=problem.flops_method,
        bytes_per_step=None if moved is None else moved * replicas / operations,
        bytes_method=problem.moved_method,
        least_per_step=problem.flops * replicas / operations,
    )
    _note_calls(measurement, watch, blocks, cell.measure.calls * problem.operations)
    checks.after_calls(watch, blocks, list(kernel.inputs))
    if problem.countable:
        checks.canary_of_calls(kernel.start, float, blocks)
    else:
        for name in ("canary", "time-not-scaling"):
            checks.log.inapplicable(name, "the kernel cannot be asked for fewer operations")


MOST_BATCHES = 64
"""Different batches that are called in turn, so that no cache holds the only one."""


class Predictions:
    """A model that is called with one batch after another.

    The examples lie on the device; each call ends when its outputs lie on the host, so that the
    time of one is what somebody waits who asks for one batch at a time.

    Args:
        engine: holds the model, and the examples as its problem's `resident`.
        seed: of the order of the examples.

    Attributes:
        source: the examples on the device.
    """

    def __init__(self, engine: Engine, seed: int) -> None:
        problem = engine.problem
        self.source = engine.on_devices(problem.resident)
        rows = Order(problem.examples, problem.batch_size, seed).epoch(MOST_BATCHES)
        self.batches = [engine.constant(row) for row in rows]
        self._engine = engine
        self._predict = engine.predictor()
        self._pending: Any = None

    def run(self, first: int, count: int) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
        """Calls `first` … `first + count − 1`.

        Returns:
            The outputs of the last one, and the instants in seconds at which each had its
            outputs on the host, [count].
        """
        outputs, stamps = np.empty(0, np.float32), []
        for number in range(first, first + count):
            outputs = self._engine.read(self._call(number))
            stamps.append(time.perf_counter())
        return outputs, np.array(stamps, np.float64)

    def start(self, count: int) -> Any:
        """So many calls, of which only the last is not waited for; its outputs, to be read."""
        for number in range(count):
            self._engine.read(self._pending)
            self._pending = self._call(number)
        return self._pending

    def _call(self, number: int) -> Any:
        self._pending = self._predict(self.source, self.batches[number % MOST_BATCHES])
        return self._pending


def called_problem(problem: TrainingProblem) -> TrainingProblem:
    """A training problem as inference takes it: with its validation data.

    Nothing is trained, and so the optimizer is one without a state.
    """
    from keras import optimizers

    if problem.validation is not None:
        problem = replace(
            problem, resident=problem.validation, examples=problem.validation_examples
        )
    return replace(problem, optimizer=lambda: optimizers.SGD(), validation=None)


class OwnSteps:
    """Steps of somebody's own, batch after batch.

    Args:
        problem: gives the step and its batches.
        runtime: a configured framework.
        cell: its seed, its device, and the folder of its spec.

    Attributes:
        batches: what the steps are given in turn.
    """

    def __init__(self, problem: StepProblem, runtime: Runtime, cell: Cell) -> None:
        self._code = replace(problem.code, folder=cell.folder)
        self._stamped = runtime.synchronous
        with on_device(runtime):
            self._step, self.batches = problem.build(self._code, cell.seed, cell.device_spec)
        self.result: Any = 0.0

    def run(self, first: int, count: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Steps `first` … `first + count − 1`.

        Returns:
            The last one's number, and the instants in seconds at which each ended, [count];
            none on a device that goes on after the step has returned.
        """
        stamps = []
        with self._code.blamed():
            for number in range(first, first + count):
                self.result = self._step(self.batches[number % len(self.batches)])
                if self._stamped:
                    stamps.append(time.perf_counter())
        return np.array([self.read(self.result)]), np.array(stamps, np.float64)

    def start(self, count: int) -> Any:
        """So many steps that nobody waits for; what the last one returned."""
        for number in range(count):
            self.result = self._step(self.batches[number % len(self.batches)])
        return self.result

    def read(self, result: Any) -> float:
        """A step's number; waits for it.

        Raises:
            OwnCodeError: it is none, as a text is, even one of digits.
        """
        try:
            number: Any = () if isinstance(result, str | bytes | bytearray) else result
            return float(number)
        except (TypeError, ValueError) as error:
            raise OwnCodeError(
                f"{self._code.file}: the step returned {type(result).__name__}, "
                "which is not a number",
                why="the clock stops when the number is there, so the number must depend on all "
                "that the step did",
                remedy="End the step with `return loss`.",
            ) from error


def fingerprint(batches: Sequence[Any]) -> str:
    """SHA-256 over the batches of a step: structure, types, shapes and numbers.

    Of what is neither an array nor a number or text only the type is known.
    """
    from keras import tree

    digest = hashlib.sha256()
    for batch in batches:
        for path, leaf in tree.flatten_with_path(batch):
            array = numbers(leaf) if hasattr(leaf, "shape") and hasattr(leaf, "dtype") else None
            if array is None:
                plain = isinstance(leaf, bool | int | float | complex | str | bytes)
                text = repr(leaf) if plain else type(leaf).__qualname__
                digest.update(f"{path} {text}\n".encode())
                continue
            digest.update(f"{path} {array.dtype} {array.shape}\n".encode())
            objects = array.dtype.hasobject
            digest.update(repr(array.tolist()).encode() if objects else array.tobytes())
        digest.update(b"\n")
    return digest.hexdigest()


Run = Callable[[int, int], tuple[NDArray[Any], NDArray[np.float64]]]
"""(number of the first call, count of calls) → (numbers that depend on them, stamps)."""


def run_calls(measurement: Measurement, run: Run, watch: WindowWatch) -> list[Block]:
    """Call as often as the spec says, or until the budget ends.

    The first call holds trace and compilation, and stands alone in its window.

    Raises:
        NanLossError: a number is not finite, so the arithmetic was not the one meant.
    """
    conditions, reporter = measurement.cell.measure, measurement.reporter
    placement = measurement.ready().placement
    timer = WindowTimer(placement, watch, measurement.open_meter())
    pace = Pace(
        budget_s=conditions.budget,
        total=conditions.calls,
        warmup=conditions.warmup_calls,
        agreed=placement.agreed,
    )
    blocks: list[Block] = []
    done = 0
    reporter.phase("compile")
    while done < conditions.calls and not (done and pace.exhausted()):
        count = pace.steps(done, conditions.calls - done)
        timed = timer.time(
            partial(run, done, count),
            epoch=1,
            first_step=done,
            steps=count,
            warmup=done < conditions.warmup_calls,
            stamps=itemgetter(1),
        )
        if not np.isfinite(timed.result[0]).all():
            raise NanLossError(f"call {done + count} gave a number that is not finite")
        if timed.observed.lost_s:
            pace.extend(timed.observed.stopped_s)
        pace.saw(count, timed.ran_s, first=done == 0)
        if done == 0:
            reporter.phase("train")
        blocks.append(timed.block)
        done += count
        reporter.progress(
            epoch=1, epochs=1, step=done, steps=conditions.calls, eta_s=pace.eta_s(done)
        )
    timer.meter.end()
    return blocks


def measure_inference(measurement: Measurement, problem: TrainingProblem) -> None:
    """Time the calls of a model, and check the timer around them.

    Raises:
        NanLossError: an output is not finite.
    """
    runtime, cell = measurement.ready(), measurement.cell
    with measurement.stage("build_s", "build"):
        engine = engine_for(called_problem(problem), runtime)
        predictions = Predictions(engine, cell.seed)
    watch, checks = _watch(runtime), measurement.begin_checks()
    checks.before_inference(engine, watch, predictions.source)
    blocks = run_calls(measurement, predictions.run, watch)
    measurement.result.parameters = engine.parameters()
    measurement.result.network = network_of(engine, trained=False)
    measurement.result.samples_per_step = problem.batch_size
    _note_calls(measurement, watch, blocks, cell.measure.calls)
    tensors = [variable.value for variable in engine.model.trainable_variables]
    checks.after_calls(watch, blocks, [*tensors, *predictions.source.values()])
    graph = engine.prediction_graph(predictions.source, predictions.batches[0])
    kinds = framework_module(runtime.framework).operation_kinds(graph) or ()
    measurement.note_flops(count_flops(engine, trained=False, kinds=kinds), "a call")
    checks.canary_of_calls(predictions.start, engine.read, blocks)


def measure_own_step(measurement: Measurement, problem: StepProblem) -> None:
    """Time steps of somebody's own, and check the timer around them.

    Raises:
        StrategyError: the device has several replicas, which such a step knows nothing of.
        OwnCodeError: the file did not do what a step must.
        NanLossError: a step's number is not finite.
    """
    from keras import ops

    runtime = measurement.ready()
    if runtime.replicas > 1:  # by a package's placement; others are refused before
        raise StrategyError(
            "a step of your own needs one device in one process",
            remedy="choose a device without replicas",
        )
    with measurement.stage("build_s", "build"):
        steps = OwnSteps(problem, runtime, measurement.cell)
    watch, checks = _watch(runtime), measurement.begin_checks()
    checks.before_step(watch, steps.batches[0])
    # The step may change its batches, or give their memory away.
    read = fingerprint(steps.batches)
    # Whether they come from the seed or from a file, which all seeds share, nobody knows.
    measurement.data = DataSource(dataset="", origin="generated", fingerprint=read)
    blocks = run_calls(measurement, steps.run, watch)
    measurement.result.samples_per_step = problem.batch_size
    _note_calls(measurement, watch, blocks, measurement.cell.measure.calls)
    # A number of Python's or NumPy's lies on the host, wherever the step ran.
    results = [steps.result] if ops.is_tensor(steps.result) else []
    checks.after_calls(watch, blocks, results)
    checks.canary_of_calls(steps.start, steps.read, blocks)


def _watch(runtime: Runtime) -> WindowWatch:
    return WindowWatch(
        everything_done if can_wait() else lambda: None, FRAMEWORK_NAMES[runtime.framework]
    )


def _note_calls(
    measurement: Measurement, watch: WindowWatch, blocks: list[Block], planned: int
) -> None:
    stops = sum(window.stopped_s for window in watch.windows)
    measurement.times["train_s"] = sum(block.wall_s for block in blocks) - stops
    if not blocks[0].stopped_s:
        measurement.times["first_step_s"] = blocks[0].wall_s
    measurement.result.blocks = blocks
    measurement.result.planned_steps = planned
    measurement.result.complete = sum(block.steps for block in blocks) == planned
    measurement.note_memory()
    measurement.check_window(blocks)
