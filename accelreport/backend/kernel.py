"""The timed calls of a kernel: the cold one, then the warm ones."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

from accelreport.backend.clock import Stopwatch
from accelreport.backend.device_errors import StrategyError
from accelreport.backend.reporter import Reporter
from accelreport.backend.runtime import Runtime
from accelreport.backend.training import NanLossError
from accelreport.results.record import Block
from accelreport.workloads.base import KernelProblem


def run_kernel(
    problem: KernelProblem,
    runtime: Runtime,
    *,
    seed: int,
    calls: int,
    warmup_calls: int,
    budget_s: float,
    reporter: Reporter,
) -> list[Block]:
    """Call the kernel `calls` times, or until the budget ends.

    The first call holds trace and compilation: it is "cold". Every call reads one scalar that
    depends on all of the work, so that the clock cannot stop before it is done.

    Raises:
        StrategyError: the strategy only makes sense for training.
        NanLossError: the result is not finite, so the arithmetic was not the one meant.
    """
    if runtime.facts.get("strategy") == "parameter_server":
        raise StrategyError(
            "a kernel has no weights that a parameter server could keep",
            remedy="name a device with another strategy",
        )
    call = _on_replicas(problem, runtime, seed)
    operations = problem.operations
    blocks: list[Block] = []
    deadline = time.perf_counter() + budget_s
    reporter.phase("compile")
    for number in range(calls):
        if number == 1:
            reporter.phase("train")
        if number and runtime.placement.agreed(time.perf_counter() >= deadline):
            break
        runtime.placement.synchronise()
        watch = Stopwatch(runtime.placement.cpu_s)
        result = float(call())
        runtime.placement.synchronise()
        window = watch.lap()
        if not math.isfinite(result):
            raise NanLossError(f"call {number + 1} gave {result}: the values have overflowed")
        blocks.append(
            Block(
                epoch=number + 1,
                first_step=number * operations,
                steps=operations,
                wall_s=round(window.wall_s, 9),
                cpu_s=round(window.cpu_s, 6),
                other_cpu_s=round(window.other_cpu_s, 3),
                warmup=number < warmup_calls,
            )
        )
        left = min((calls - number - 1) * window.wall_s, max(0.0, deadline - time.perf_counter()))
        reporter.progress(
            epoch=number + 1,
            epochs=calls,
            step=(number + 1) * operations,
            steps=calls * operations,
            eta_s=left,
        )
    return blocks


def _on_replicas(problem: KernelProblem, runtime: Runtime, seed: int) -> Callable[[], Any]:
    import tensorflow as tf

    with tf.device(runtime.devices[0]):
        call = problem.build(seed, runtime.jit_compile)
    if runtime.replicas == 1:
        return call

    @tf.function(jit_compile=False)  # type: ignore[untyped-decorator,unused-ignore]
    def everywhere() -> Any:
        sums = runtime.strategy.run(call)
        return runtime.strategy.reduce(tf.distribute.ReduceOp.SUM, sums, axis=None)

    return lambda: everywhere()
