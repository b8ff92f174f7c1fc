"""The timed training of one cell: its batches, its windows of steps, its epochs.

Decisions between epochs follow the rules of Keras' `EarlyStopping`, `ReduceLROnPlateau` and
`ModelCheckpoint(save_best_only=True)`, so that a spec can say what a notebook said.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from accelreport.backend.checks.model import order_of, probe_row
from accelreport.backend.checks.windows import WindowWatch
from accelreport.backend.engine import Engine, Evaluation
from accelreport.backend.measurement import WindowTimer
from accelreport.backend.protocol import Reporter
from accelreport.machine.energy import Meter
from accelreport.results.block import WINDOW_S
from accelreport.results.record import Block, Epoch, Selection
from accelreport.spec.device import FRAMEWORK_NAMES
from accelreport.workloads.base import TrainingParameters, rises


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
        engine: whose weights and learning rate they change.

    Attributes:
        best_metrics: metrics of the epoch whose weights were kept; empty when none were.
        unmonitored: metrics that a policy waits for and that some epoch lacked.
    """

    def __init__(self, parameters: TrainingParameters, engine: Engine) -> None:
        self._engine = engine
        self._stopping = stopping = parameters.early_stopping
        self._plateau = plateau = parameters.reduce_on_plateau
        monitor = stopping.monitor if stopping else "val_loss"
        self._stop = Patience(monitor, stopping.min_delta if stopping else 0.0)
        self._slow = Patience(
            plateau.monitor if plateau else "val_loss", plateau.min_delta if plateau else 0.0
        )
        self._keep = parameters.restore_best_weights
        self._best = Patience(monitor)
        self.best_metrics: Mapping[str, float] = {}
        self._weights: list[Any] | None = None
        self._stopped = False
        self.unmonitored: set[str] = set()

    def after(self, epoch: int, metrics: Mapping[str, float], *, whole: bool = True) -> bool:
        """Act upon the end of an epoch; whether training stops here.

        Args:
            epoch: its number, from 1.
            metrics: its row of the learning curve.
            whole: whether it had all its steps. Of one that the budget cut short the weights
                may be the best, but it is none after which a training ends by itself.
        """
        if self._keep and self._noted(self._best, epoch, metrics):
            self.best_metrics = dict(metrics)
            self._weights = self._engine.weights()
        if not whole:
            return False
        if self._plateau is not None:
            self._noted(self._slow, epoch, metrics)
            if self._slow.waited and self._slow.waited >= self._plateau.patience:
                rate, lowest = self._engine.learning_rate(), self._plateau.min_learning_rate
                # The optimizer keeps it in float32: 1e-4 comes back a little larger than it went.
                if rate > float(np.float32(lowest)):
                    self._engine.set_learning_rate(max(rate * self._plateau.factor, lowest))
                    self._slow.waited = 0
        if self._stopping is None:
            return False
        improved = self._noted(self._stop, epoch, metrics)
        self._stopped = improved is False and self._stop.waited >= self._stopping.patience
        return self._stopped

    def finish(self) -> Selection | None:
        """Put the best weights back; what was selected, or None when nothing was asked for."""
        if self._weights is not None:
            self._engine.set_weights(self._weights)
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

    def _noted(self, patience: Patience, epoch: int, metrics: Mapping[str, float]) -> bool | None:
        improved = patience.improved(epoch, metrics)
        if improved is None:
            self.unmonitored.add(patience.monitor)
        return improved


class Order:
    """An endless stream of permutations, cut into batches of one size.

    Every example is seen once before any is seen again. An epoch whose steps do not divide
    the data ends in the middle of a permutation, and the next one goes on from there: all
    batches have one shape, and nothing is left out. The same seed gives the same order on
    every device.
    """

    def __init__(self, examples: int, batch_size: int, seed: int) -> None:
        self._examples = examples
        self._batch_size = batch_size
        self._generator = np.random.default_rng([seed, 0x6F72])
        self._rest: NDArray[np.int32] = np.empty(0, dtype=np.int32)

    def epoch(self, steps: int) -> NDArray[np.int32]:
        """Indices of the next `steps` batches, shape [steps, batch_size]."""
        needed = steps * self._batch_size
        parts = [self._rest]
        have = len(self._rest)
        while have < needed:
            parts.append(self._generator.permutation(self._examples).astype(np.int32))
            have += self._examples
        stream = np.concatenate(parts)
        self._rest = stream[needed:]
        return stream[:needed].reshape(steps, self._batch_size)


class Pace:
    """Chooses the steps of the next call from how long the last ones took.

    The budget begins after the first step, which is traced and compiled.

    Args:
        budget_s: seconds after that step, evaluations among them, after which the cell stops.
        total: steps of a complete cell.
        warmup: steps left out of the steady time; a window never crosses this edge.
        agreed: one worker's number → the chief's, on every worker (see `Placement.agreed`).

    Attributes:
        deadline: instant of `time.perf_counter()` at which the budget ends; infinite until the
            first step has ended.
    """

    def __init__(
        self,
        *,
        budget_s: float,
        total: int,
        warmup: int,
        agreed: Callable[[float], float] = float,
    ) -> None:
        self.deadline = math.inf
        self._budget_s = budget_s
        self._total = total
        self._warmup = warmup
        self._agreed = agreed
        self._step_s: float | None = None

    def steps(self, done: int, left_in_epoch: int) -> int:
        """Steps of the next call: one at first, then about half a second's worth.

        Args:
            done: steps done so far in the cell.
            left_in_epoch: steps until the epoch's end.
        """
        if done == 0:
            return 1  # traced and compiled: timed alone
        count = 2 if self._step_s is None else max(1, round(WINDOW_S / self._step_s))
        if done < self._warmup:
            count = min(count, self._warmup - done)
        return round(self._agreed(max(1, min(count, left_in_epoch))))

    def saw(self, steps: int, wall_s: float, *, first: bool) -> None:
        """Learn from a window; with the end of the first one, the budget begins."""
        if first:
            self.deadline = time.perf_counter() + self._budget_s
        else:
            self._step_s = max(wall_s / steps, 1e-9)

    def extend(self, seconds: float) -> None:
        """Give back what the process could not use: it was stopped, or it compiled."""
        self.deadline += seconds

    @property
    def deadline_with_grace(self) -> float:
        """Instant by which the work after the last step must have ended, see `grace_s`."""
        return self.deadline + grace_s(self._budget_s)

    def exhausted(self) -> bool:
        """Whether the budget is spent."""
        return bool(self._agreed(time.perf_counter() >= self.deadline))

    def eta_s(self, done: int) -> float:
        """Seconds until the cell ends: by its steps or by its budget, whichever is sooner."""
        left = max(0.0, self.deadline - time.perf_counter())
        return left if self._step_s is None else min(left, (self._total - done) * self._step_s)


def grace_s(budget_s: float) -> float:
    """Seconds by which the work after the last step may overrun a budget.

    A cell that the budget ends is worth little without its accuracy, and evaluating costs a
    fraction of training; what does not fit is left out and said so.
    """
    return max(5.0, 0.25 * budget_s)


Steps = Callable[[int, int], Any]
"""(number of the first step within its epoch, count of steps) → (sums, stamps)."""


class Feed:
    """Where steps read from.

    The whole data set lies on the device, and steps gather their batches there; or `tf.data` brings
    the batches. One iterator then serves the whole cell: taking a drained one down can stall for
    seconds.

    Args:
        engine: the model.
        order: of the examples.
        steps: of all epochs.
        pipeline: whether `tf.data` brings the batches.

    Attributes:
        source: the resident data, or an iterator.
        order: checksum of the first epoch's order of the examples; empty before that epoch.
    """

    source: Any
    order = ""

    def __init__(self, engine: Engine, order: Order, steps: int, *, pipeline: bool) -> None:
        self._engine, self._order, self._pipeline = engine, order, pipeline
        self._tables: tuple[Any, ...] = ()
        problem = engine.problem
        if not pipeline:
            self._trainer = engine.resident_trainer()
            self.source = engine.on_devices(problem.resident)
            return
        self._trainer = engine.pipeline_trainer()
        orders = order.epoch(steps)
        self.order = order_of(orders[: problem.steps_per_epoch], problem.examples)
        # A batch for the checks comes first, so that they see what this pipeline brings.
        orders = np.concatenate([probe_row(problem)[np.newaxis], orders])
        self.source = engine.runtime.placement.batches(problem, orders)

    def epoch(self) -> Steps:
        """What runs steps of the next epoch."""
        constant, trainer = self._engine.constant, self._trainer
        if not self._pipeline:
            problem = self._engine.problem
            rows = self._order.epoch(problem.steps_per_epoch)
            self.order = self.order or order_of(rows, problem.examples)
            self._tables = (constant(rows),)
        reads = (self.source, *self._tables)
        return lambda first, count: trainer(*reads, constant(first), constant(count))

    def step_graph(self) -> Any:
        """See `Engine.step_graph`, for the epoch that was run last."""
        first, count = self._engine.constant(0), self._engine.constant(1)
        return self._engine.step_graph(self.source, *self._tables, first, count)


class NanLossError(RuntimeError):
    """The loss is no longer a number."""

    kind = "nan-loss"


@dataclass
class Trained:
    """What training one cell gave."""

    blocks: list[Block] = field(default_factory=list)
    epochs: list[Epoch] = field(default_factory=list)
    complete: bool = True
    first_step_s: float | None = None
    train_s: float = 0.0
    evaluate_s: float = 0.0
    unevaluated: list[int] = field(default_factory=list)
    """Epochs whose evaluation did not fit into the budget."""
    sums: dict[int, NDArray[np.float64]] = field(default_factory=dict)
    """By epoch what its evaluation added up over the examples."""


class Training:
    """Trains a model step by step, every window timed, evaluation outside.

    Args:
        engine: the model.
        pipeline: `tf.data` brings the batches, instead of data resident on the device.
        epochs: passes.
        evaluation_batch: examples in a step of the evaluation.
        warmup: steps left out of the steady time.
        seed: of the data order.
        reporter: is told about progress.
        policies: what happens between epochs.

    Attributes:
        evaluation: the validation data under the model.
        watch: has looked at every window.
        meter: counts the energy of steady windows; without sensors until it is replaced.
        feed: brings the batches, once prepared.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        pipeline: bool,
        epochs: int,
        evaluation_batch: int,
        warmup: int,
        seed: int,
        reporter: Reporter,
        policies: Policies,
    ) -> None:
        self._engine = engine
        self._problem = engine.problem
        self._epochs = epochs
        self._seed = seed
        self._warmup = warmup
        self._reporter = reporter
        self._steps = self._problem.steps_per_epoch
        self._order = Order(self._problem.examples, self._problem.batch_size, seed)
        self._policies = policies
        self._pipeline = pipeline
        self._latest: Steps
        self.feed: Feed
        self.evaluation = Evaluation(engine, evaluation_batch)
        self.watch = WindowWatch(
            engine.steps_done,
            FRAMEWORK_NAMES[engine.runtime.framework],
        )
        if engine.runtime.synchronous and engine.runtime.loops_in_program:
            self.watch.wall_stamps = 0  # a graph can read no other clock
        self.meter = Meter()

    @property
    def planned_steps(self) -> int:
        """Steps of a complete cell."""
        return self._epochs * self._steps

    def prepare(self) -> None:
        """Bring the data to where the steps read them; done once before `run`, untimed."""
        self.feed = Feed(self._engine, self._order, self.planned_steps, pipeline=self._pipeline)

    def again(self, count: int) -> Any:
        """Steps of the epoch that was run last, from its first one; returns their sums."""
        return self._latest(0, count)[0]

    def run(self, budget_s: float) -> Trained:
        """Train until the epochs or the budget end.

        Raises:
            NanLossError: the loss of a window is not finite.
        """
        result = Trained()
        pace = Pace(
            budget_s=budget_s,
            total=self.planned_steps,
            warmup=self._warmup,
            agreed=self._engine.runtime.placement.agreed,
        )
        self._reporter.phase("compile")
        for number in range(1, self._epochs + 1):
            if self._problem.learning_rate is not None:
                self._engine.set_learning_rate(self._problem.learning_rate(number - 1))
            self._latest = self.feed.epoch()
            done = self._epoch(number, self._latest, pace, result)
            whole = done == self._steps
            if done:
                metrics = result.epochs[-1].metrics
                if self._policies.after(number, metrics, whole=whole):
                    break
            if not whole or (pace.exhausted() and number < self._epochs):
                result.complete = False
                break
        return result

    # One epoch ----------------------------------------------------------------------------

    def _epoch(self, number: int, run_steps: Steps, pace: Pace, result: Trained) -> int:
        before = sum(block.steps for block in result.blocks)
        totals = np.zeros(self._engine.width)
        done, spent = 0, 0.0
        while done < self._steps and not (pace.exhausted() and before + done > 0):
            block, sums, block_s = self._window(number, before, done, run_steps, pace)
            if block.first_step == 0:
                result.first_step_s = None if block.stopped_s else block.wall_s
                self._reporter.phase("train")
            result.blocks.append(block)
            totals += sums
            done += block.steps
            spent += block_s
            self._reporter.progress(
                epoch=number,
                epochs=self._epochs,
                step=before + done,
                steps=self.planned_steps,
                eta_s=pace.eta_s(before + done),
            )
        self.meter.end()
        if done == 0:
            return 0
        result.train_s += spent
        metrics = self._engine.named(totals, done * self._problem.batch_size)
        watch = time.perf_counter()
        metrics |= self._evaluate(number, result, pace)
        glance = self._look(pace.deadline_with_grace)
        evaluate_s = time.perf_counter() - watch
        result.evaluate_s += evaluate_s
        self._reporter.epoch(number, metrics)
        result.epochs.append(
            Epoch(
                epoch=number,
                steps=done,
                train_s=spent,
                evaluate_s=evaluate_s,
                elapsed_s=result.train_s,
                learning_rate=self._engine.learning_rate(),
                metrics=metrics,
                **glance,
            )
        )
        return done

    def _look(self, deadline: float) -> Mapping[str, Any]:
        """What the family wants to know of the model after an epoch, if there is time."""
        if self._problem.after_epoch is None:
            return {}
        if self._engine.runtime.placement.agreed(time.perf_counter() >= deadline):
            return {}
        self._engine.sync_replicas()
        return self._problem.after_epoch(self._engine.model, self._seed)

    def _window(
        self, epoch: int, before: int, done: int, run_steps: Steps, pace: Pace
    ) -> tuple[Block, NDArray[np.float64], float]:
        """A timed block, its sums, and the seconds in which it ran."""
        count = pace.steps(before + done, self._steps - done)

        def work() -> tuple[NDArray[np.float64], Any]:
            totals, stamps = run_steps(done, count)
            # It depends on every step of the window.
            return self._engine.read(totals).astype(np.float64), stamps

        timer = WindowTimer(self._engine.runtime.placement, self.watch, self.meter)
        timed = timer.time(
            work,
            epoch=epoch,
            first_step=before + done,
            steps=count,
            warmup=before + done < self._warmup,
            stamps=lambda result: self._engine.read(result[1]),
        )
        sums = timed.result[0]
        if not math.isfinite(sums[0]):
            raise NanLossError(
                f"the loss was {sums[0]} within steps {before + done} to {before + done + count}"
            )
        if timed.observed.lost_s:
            pace.extend(timed.observed.stopped_s)
        pace.saw(count, timed.ran_s, first=before + done == 0)
        return timed.block, sums, timed.ran_s

    # Evaluation ---------------------------------------------------------------------------

    def _evaluate(self, epoch: int, result: Trained, pace: Pace) -> dict[str, float]:
        if self._problem.validation is None:
            return {}
        self._reporter.phase("evaluate")
        compiled_s = self.evaluation.first_step_s
        metrics = self.evaluation.run(pace.deadline_with_grace)
        pace.extend(self.evaluation.first_step_s - compiled_s)
        self._reporter.phase("train")
        if metrics is None or self.evaluation.sums is None:
            result.unevaluated.append(epoch)
            return {}
        result.sums[epoch] = self.evaluation.sums
        return metrics
