"""The timed training of one cell."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from accelreport.backend.checks.watch import Watch
from accelreport.backend.clock import Stopwatch, stamped_seconds
from accelreport.backend.energy import Meter
from accelreport.backend.engine import Engine
from accelreport.backend.evaluation import Evaluation
from accelreport.backend.feeds import Feed, PipelineFeed, ResidentFeed, Steps
from accelreport.backend.order import Order
from accelreport.backend.pace import Pace, grace_s
from accelreport.backend.policies import Policies
from accelreport.backend.reporter import Reporter
from accelreport.results.record import Block, Epoch
from accelreport.spec.device import FRAMEWORK_NAMES


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


class Training:
    """Trains a model step by step, every window timed, evaluation outside.

    Args:
        graphs: the model and its graphs.
        pipeline: `tf.data` brings the batches, instead of data resident on the device.
        epochs: passes.
        evaluation_batch: examples in a step of the evaluation.
        warmup: steps left out of the steady time.
        seed: of the data order.
        reporter: is told about progress.
        policies: what happens between epochs; nothing when None.

    Attributes:
        evaluation: the validation data under the model.
        watch: has looked at every window.
        meter: counts the energy of steady windows; without sensors until it is replaced.
        feed: brings the batches, once prepared.
    """

    def __init__(
        self,
        graphs: Engine,
        *,
        pipeline: bool,
        epochs: int,
        evaluation_batch: int,
        warmup: int,
        seed: int,
        reporter: Reporter,
        policies: Policies | None = None,
    ) -> None:
        self._graphs = graphs
        self._problem = graphs.problem
        self._epochs = epochs
        self._warmup = warmup
        self._reporter = reporter
        self._steps = self._problem.steps_per_epoch
        self._order = Order(self._problem.examples, self._problem.batch_size, seed)
        self._policies = policies
        self._pipeline = pipeline
        self._prepared = False
        self._deadline = math.inf
        self._latest: Steps
        self.feed: Feed
        self.evaluation = Evaluation(graphs, evaluation_batch)
        self.watch = Watch(
            graphs.steps_done if graphs.runtime.counts_steps else lambda: None,
            FRAMEWORK_NAMES[graphs.runtime.framework],
        )
        if graphs.runtime.synchronous and graphs.runtime.loops_in_program:
            self.watch.wall_stamps = 0  # a graph can read no other clock
        self.meter = Meter()

    @property
    def planned_steps(self) -> int:
        """Steps of a complete cell."""
        return self._epochs * self._steps

    def step_graph(self) -> Any:
        """The graph of the steps that were run (see `Engine.step_graph`)."""
        return self.feed.step_graph()

    def prepare(self) -> None:
        """Bring the data to where the steps read them; done once, untimed."""
        if self._prepared:
            return
        self._prepared = True
        if self._pipeline:
            self.feed = PipelineFeed(self._graphs, self._order, self.planned_steps)
        else:
            self.feed = ResidentFeed(self._graphs, self._order)

    def again(self, count: int) -> Any:
        """Steps of the epoch that was run last, from its first one; returns their sums."""
        return self._latest(0, count)[0]

    def run(self, budget_s: float) -> Trained:
        """Train until the epochs or the budget end.

        Raises:
            NanLossError: the loss of a window is not finite.
        """
        result = Trained()
        self._deadline = time.perf_counter() + budget_s + grace_s(budget_s)
        pace = Pace(
            budget_s=budget_s,
            total=self.planned_steps,
            warmup=self._warmup,
            agreed=self._graphs.runtime.placement.agreed,
        )
        self.prepare()
        self._reporter.phase("compile")
        for number in range(1, self._epochs + 1):
            if self._problem.learning_rate is not None:
                self._graphs.set_learning_rate(self._problem.learning_rate(number - 1))
            self._latest = self.feed.epoch()
            done = self._epoch(number, self._latest, pace, result)
            if done and self._policies and self._policies.after(number, result.epochs[-1].metrics):
                break
            if done < self._steps or (pace.exhausted() and number < self._epochs):
                result.complete = False
                break
        return result

    # One epoch ----------------------------------------------------------------------------

    def _epoch(self, number: int, run_steps: Steps, pace: Pace, result: Trained) -> int:
        before = sum(block.steps for block in result.blocks)
        totals = np.zeros(self._graphs.width)
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
        metrics = self._graphs.named(totals, done * self._problem.batch_size)
        watch = time.perf_counter()
        metrics |= self._evaluate(number, result)
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
                learning_rate=self._graphs.learning_rate(),
                metrics=metrics,
            )
        )
        return done

    def _window(
        self, epoch: int, before: int, done: int, run_steps: Steps, pace: Pace
    ) -> tuple[Block, NDArray[np.float64], float]:
        """A timed block, its sums, and the seconds in which it ran."""
        count = pace.steps(before + done, self._steps - done)
        warmup = before + done < self._warmup
        self.watch.before()
        if not warmup:
            self.meter.begin()
        self._graphs.runtime.placement.synchronise()
        watch = Stopwatch(self._graphs.runtime.placement.cpu_s)
        totals, stamps = run_steps(done, count)
        # It depends on every step of the window.
        sums = self._graphs.read(totals).astype(np.float64)
        self._graphs.runtime.placement.synchronise()
        window = watch.lap()
        self.meter.passed(count)
        seen = self.watch.after(count, window, warmup=warmup)
        if not math.isfinite(sums[0]):
            raise NanLossError(
                f"the loss was {sums[0]} within steps {before + done} to {before + done + count}"
            )
        ran_s = window.wall_s - seen.stopped_s
        if seen.lost_s:
            self.meter.discard()
            pace.extend(seen.stopped_s)
        pace.saw(count, ran_s, first=before + done == 0)
        stamps = self._graphs.read(stamps)
        step_s = stamped_seconds(stamps, window, by_wall=self.watch.wall_stamps is not None)
        if len(stamps) > 1 and not step_s and self.watch.wall_stamps is not None:
            self.watch.wall_stamps += 1
        block = Block(
            epoch=epoch,
            first_step=before + done,
            steps=count,
            wall_s=round(window.wall_s, 9),
            cpu_s=round(window.cpu_s, 6),
            other_cpu_s=round(window.other_cpu_s, 3),
            warmup=warmup,
            stopped_s=seen.lost_s,
            step_s=step_s,
        )
        return block, sums, ran_s

    # Evaluation ---------------------------------------------------------------------------

    def _evaluate(self, epoch: int, result: Trained) -> dict[str, float]:
        if self._problem.validation is None:
            return {}
        self._reporter.phase("evaluate")
        metrics = self.evaluation.run(self._deadline)
        self._reporter.phase("train")
        if metrics is None:
            result.unevaluated.append(epoch)
        return metrics or {}
