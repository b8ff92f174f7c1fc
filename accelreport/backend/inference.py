"""The timed calls of a model in inference: one batch after another, each waited for."""

from __future__ import annotations

import time
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
from accelreport.backend.measurement import Measurement
from accelreport.backend.timed_window import WindowTimer
from accelreport.backend.training import NanLossError, Order, Pace, batch_bytes
from accelreport.results.record import Block
from accelreport.spec.device import FRAMEWORK_NAMES
from accelreport.workloads.base import TrainingProblem

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


def run_predictions(
    measurement: Measurement, predictions: Predictions, watch: WindowWatch
) -> list[Block]:
    """Call the model as often as the spec says, or until the budget ends.

    The first call holds trace and compilation, and stands alone in its window.

    Raises:
        NanLossError: an output is not finite, so the arithmetic was not the one meant.
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
            partial(predictions.run, done, count),
            epoch=1,
            first_step=done,
            steps=count,
            warmup=done < conditions.warmup_calls,
            stamps=itemgetter(1),
        )
        if not np.isfinite(timed.result[0]).all():
            raise NanLossError(f"call {done + count} gave outputs that are not finite")
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
    watch = WindowWatch(
        everything_done if can_wait() else lambda: None, FRAMEWORK_NAMES[runtime.framework]
    )
    checks = measurement.begin_checks()
    checks.before_inference(engine, watch, predictions.source)
    blocks = run_predictions(measurement, predictions, watch)
    stops = sum(seen.stopped_s for seen in watch.windows)
    measurement.times["train_s"] = sum(block.wall_s for block in blocks) - stops
    if not blocks[0].stopped_s:
        measurement.times["first_step_s"] = blocks[0].wall_s
    measurement.facts |= {
        "blocks": blocks,
        "planned_steps": cell.measure.calls,
        "samples_per_step": problem.batch_size,
        "parameters": engine.parameters(),
        "complete": sum(block.steps for block in blocks) == cell.measure.calls,
    }
    measurement.check_window(blocks)
    checks.after_inference(engine, watch, predictions.source, blocks)
    measurement.note_memory()
    _note_arithmetic(measurement, engine, predictions)
    checks.canary_of_inference(engine, predictions, blocks)


def _note_arithmetic(measurement: Measurement, engine: Engine, predictions: Predictions) -> None:
    """Operations of a call, forward alone."""
    graph = engine.prediction_graph(predictions.source, predictions.batches[0])
    found = count_flops(graph, measurement.ready())
    if found.flops is None:
        measurement.warn("flops-unknown", f"operations of a call were not counted: {found.unknown}")
        return
    kept = {"state_bytes": engine.state_bytes(), "batch_bytes": batch_bytes(engine.problem)}
    measurement.facts["flops"] = found.flops.model_copy(update=kept)
