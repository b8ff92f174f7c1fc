"""The timed calls of a kernel: the cold one, then the warm ones."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any

from accelreport.backend.checks.windows import WindowWatch, can_wait, everything_done
from accelreport.backend.failures import StrategyError
from accelreport.backend.frameworks import Runtime
from accelreport.backend.measurement import Measurement
from accelreport.backend.protocol import Reporter
from accelreport.backend.timed_window import WindowTimer
from accelreport.backend.training import NanLossError
from accelreport.machine.energy import Meter
from accelreport.results.record import Block, DataSource, Flops
from accelreport.spec.device import FRAMEWORK_NAMES
from accelreport.spec.families import TENSORFLOW
from accelreport.workloads.base import KernelProblem

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

    Raises:
        StrategyError: the strategy only makes sense for training.
    """

    def __init__(self, problem: KernelProblem, runtime: Runtime, seed: int) -> None:
        if runtime.facts.get("strategy") == "parameter_server":
            raise StrategyError(
                "a kernel has no weights that a parameter server could keep",
                remedy="name a device with another strategy",
            )
        self.problem = problem
        self._counts_in_tensors = runtime.framework == TENSORFLOW
        with on_device(runtime):
            call = problem.build(seed, runtime.jit_compile)
        self.inputs: tuple[Any, ...] = tuple(getattr(call, "inputs", ()))
        self._call = runtime.placement.once(_everywhere(call, runtime))

    def start(self, operations: int) -> Any:
        """Start so many operations; a scalar that depends on all of them."""
        if not self.problem.countable:
            return self._call()
        return self._call(_tensor(operations) if self._counts_in_tensors else operations)

    def run(self, operations: int) -> float:
        """Do so many operations; their scalar, which is waited for."""
        return float(self.start(operations))


def run_kernel(
    kernel: Kernel,
    runtime: Runtime,
    *,
    watch: WindowWatch,
    meter: Meter,
    calls: int,
    warmup_calls: int,
    budget_s: float,
    reporter: Reporter,
) -> list[Block]:
    """Call the kernel `calls` times, or until the budget ends.

    The first call holds trace and compilation: it is "cold", and always whole. Every call reads
    one scalar that depends on all of the work, so that the clock cannot stop before it is done.
    A call that the budget would end in its middle does fewer operations, where it can.

    Raises:
        NanLossError: the result is not finite, so the arithmetic was not the one meant.
    """
    whole, done = kernel.problem.operations, 0
    blocks: list[Block] = []
    deadline = time.perf_counter() + budget_s
    timer = WindowTimer(runtime.placement, watch, meter)
    reporter.phase("compile")
    for number in range(calls):
        if number == 1:
            reporter.phase("train")
        left_s = deadline - time.perf_counter()
        operations = int(runtime.placement.agreed(fitting(kernel.problem, blocks, left_s)))
        if not operations:
            break
        timed = timer.time(
            partial(kernel.run, operations),
            epoch=number + 1,
            first_step=done,
            steps=operations,
            warmup=number < warmup_calls,
        )
        if timed.seen.lost_s:
            deadline += timed.seen.stopped_s
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
    meter.end()
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

    found: AbstractContextManager[Any] = tf.device(runtime.devices[0])
    return found


def _tensor(number: int) -> Any:
    """A number for a graph of TensorFlow, which is traced anew for every plain one."""
    import tensorflow as tf

    return tf.constant(number)


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
    runtime, seed = measurement.ready(), measurement.cell.seed
    conditions = measurement.cell.measure
    kernel = Kernel(problem, runtime, seed)
    name = FRAMEWORK_NAMES[runtime.framework]
    watch = WindowWatch(everything_done if can_wait() else lambda: None, name)
    checks = measurement.begin_checks()
    checks.before_kernel(kernel, watch)
    blocks = run_kernel(
        kernel,
        runtime,
        watch=watch,
        meter=measurement.open_meter(),
        calls=conditions.calls,
        warmup_calls=conditions.warmup_calls,
        budget_s=conditions.budget,
        reporter=measurement.reporter,
    )
    stops = sum(seen.stopped_s for seen in watch.windows)
    measurement.times["train_s"] = sum(block.wall_s for block in blocks) - stops
    if not blocks[0].stopped_s:
        measurement.times["first_step_s"] = blocks[0].wall_s
    measurement.data = DataSource(
        dataset="", origin="generated", fingerprint=problem.fingerprint(seed), seed=seed
    )
    measurement.facts |= {
        "blocks": blocks,
        "planned_steps": conditions.calls * problem.operations,
        "flops": _arithmetic(problem, runtime.replicas),
        "complete": sum(block.steps for block in blocks) == conditions.calls * problem.operations,
    }
    measurement.note_memory()
    measurement.check_window(blocks)
    checks.after_calls(watch, blocks, list(kernel.inputs))
    checks.canary_of_kernel(kernel, blocks)


def _arithmetic(problem: KernelProblem, replicas: int) -> Flops:
    """Operations and bytes of a step, over all replicas."""
    moved = problem.moved
    return Flops(
        per_step=problem.flops * replicas / problem.operations,
        method=problem.flops_method,
        bytes_per_step=None if moved is None else moved * replicas / problem.operations,
        bytes_method=problem.moved_method,
        least_per_step=problem.flops * replicas / problem.operations,
    )
