"""Timed calls: of a model in inference, each waited for, and of a step of somebody's own.

Neither has epochs: a cell is so many calls, or as many as its budget allows.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from accelreport.backend.checks.windows import WindowWatch, can_wait, everything_done
from accelreport.backend.distributed.tasks import SUPERVISED
from accelreport.backend.engine import Engine, engine_for
from accelreport.backend.failures import BatchError, StrategyError
from accelreport.backend.flops import count_flops
from accelreport.backend.frameworks import Runtime
from accelreport.backend.kernel import on_device
from accelreport.backend.measurement import Measurement
from accelreport.backend.timed_window import WindowTimer
from accelreport.backend.training import NanLossError, Order, Pace, batch_bytes
from accelreport.results.record import Block, DataSource
from accelreport.spec.device import FRAMEWORK_NAMES
from accelreport.workloads.base import StepProblem, TrainingProblem
from accelreport.workloads.python_step import StepError, blamed

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
        seed: of the cell.

    Attributes:
        batches: what the steps are given in turn.
    """

    def __init__(self, problem: StepProblem, runtime: Runtime, seed: int) -> None:
        self._file = problem.file
        self._stamped = runtime.synchronous
        with on_device(runtime):
            self._step, self.batches = problem.build(seed)
        self.result: Any = 0.0

    def run(self, first: int, count: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Steps `first` … `first + count − 1`.

        Returns:
            The last one's number, and the instants in seconds at which each ended, [count];
            none on a device that goes on after the step has returned.
        """
        stamps = []
        with blamed(self._file):
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
            StepError: it is none.
        """
        try:
            return float(result)
        except (TypeError, ValueError) as error:
            raise StepError(
                f"{self._file}: the step returned {type(result).__name__}, which is no number",
                why="the clock stops when its number is there, and it must depend on all it did",
                remedy="End the step with `return loss`.",
            ) from error


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
        if timed.seen.lost_s:
            pace.extend(timed.seen.stopped_s)
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
        BatchError: the replicas do not divide the batch.
        StrategyError: the strategy only makes sense for training.
        NanLossError: an output is not finite.
    """
    runtime, cell = measurement.ready(), measurement.cell
    if cell.device_spec.strategy in SUPERVISED - {"tpu"}:
        raise StrategyError(
            "a model in inference is called by one process",
            remedy="name a device with another strategy",
        )
    if problem.batch_size % runtime.replicas:
        raise BatchError(problem.batch_size, runtime.replicas)
    with measurement.stage("build_s", "build"):
        engine = engine_for(called_problem(problem), runtime)
        predictions = Predictions(engine, cell.seed)
    watch, checks = _watch(runtime), measurement.begin_checks()
    checks.before_inference(engine, watch, predictions.source)
    blocks = run_calls(measurement, predictions.run, watch)
    measurement.facts["parameters"] = engine.parameters()
    _note_calls(measurement, watch, blocks, problem.batch_size)
    tensors = [each.value for each in engine.model.trainable_variables]
    checks.after_calls(watch, blocks, [*tensors, *predictions.source.values()])
    measurement.note_memory()
    _note_arithmetic(measurement, engine, predictions)
    checks.canary_of_calls(predictions.start, engine.read, blocks)


def measure_own_step(measurement: Measurement, problem: StepProblem) -> None:
    """Time steps of somebody's own, and check the timer around them.

    Raises:
        StrategyError: the device has several replicas, which such a step knows nothing of.
        StepError: the file did not do what a step must.
        NanLossError: a step's number is not finite.
    """
    from keras import ops

    runtime, seed = measurement.ready(), measurement.cell.seed
    if runtime.replicas > 1 or measurement.cell.device_spec.strategy in SUPERVISED:
        raise StrategyError(
            "a step of your own runs on one device in one process",
            remedy="name a device without replicas",
        )
    with measurement.stage("build_s", "build"):
        steps = OwnSteps(problem, runtime, seed)
    watch, checks = _watch(runtime), measurement.begin_checks()
    checks.before_step(watch, steps.batches[0])
    blocks = run_calls(measurement, steps.run, watch)
    measurement.data = DataSource(
        dataset="", origin="generated", fingerprint=problem.fingerprint, seed=seed
    )
    _note_calls(measurement, watch, blocks, problem.batch_size)
    # A number of Python's or NumPy's lies on the host, wherever the step ran.
    results = [steps.result] if ops.is_tensor(steps.result) else []
    checks.after_calls(watch, blocks, results)
    measurement.note_memory()
    checks.canary_of_calls(steps.start, steps.read, blocks)


def _watch(runtime: Runtime) -> WindowWatch:
    return WindowWatch(
        everything_done if can_wait() else lambda: None, FRAMEWORK_NAMES[runtime.framework]
    )


def _note_calls(
    measurement: Measurement, watch: WindowWatch, blocks: list[Block], batch_size: int
) -> None:
    planned = measurement.cell.measure.calls
    stops = sum(seen.stopped_s for seen in watch.windows)
    measurement.times["train_s"] = sum(block.wall_s for block in blocks) - stops
    if not blocks[0].stopped_s:
        measurement.times["first_step_s"] = blocks[0].wall_s
    measurement.facts |= {
        "blocks": blocks,
        "planned_steps": planned,
        "samples_per_step": batch_size,
        "complete": sum(block.steps for block in blocks) == planned,
    }
    measurement.check_window(blocks)


def _note_arithmetic(measurement: Measurement, engine: Engine, predictions: Predictions) -> None:
    """Operations of a call, forward alone."""
    graph = engine.prediction_graph(predictions.source, predictions.batches[0])
    found = count_flops(graph, measurement.ready())
    if found.flops is None:
        measurement.warn("flops-unknown", f"operations of a call were not counted: {found.unknown}")
        return
    kept = {"state_bytes": engine.state_bytes(), "batch_bytes": batch_bytes(engine.problem)}
    measurement.facts["flops"] = found.flops.model_copy(update=kept)
