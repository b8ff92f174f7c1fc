"""A kernel, such as a matrix product, called again and again."""

from __future__ import annotations

from accelreport.backend.checks.process import can_wait, everything_done
from accelreport.backend.checks.watch import Watch
from accelreport.backend.kernel import Kernel, run_kernel
from accelreport.backend.measurement import Measurement
from accelreport.results.record import DataSource, Flops
from accelreport.spec.device import FRAMEWORK_NAMES
from accelreport.workloads.base import KernelProblem


def measure_kernel(measurement: Measurement, problem: KernelProblem) -> None:
    """Time the calls of a kernel, and check the timer around them."""
    runtime, seed = measurement.ready(), measurement.cell.seed
    conditions = measurement.cell.measure
    kernel = Kernel(problem, runtime, seed)
    name = FRAMEWORK_NAMES[runtime.framework]
    watch = Watch(everything_done if can_wait() else lambda: None, name)
    examination = measurement.begin_examination()
    examination.before_kernel(kernel, watch)
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
    examination.after_kernel(kernel, watch, blocks)
    examination.canary_of_kernel(kernel, blocks)


def _arithmetic(problem: KernelProblem, replicas: int) -> Flops:
    """Operations and bytes of a step, over all replicas."""
    moved = problem.moved
    return Flops(
        per_step=problem.flops * replicas / problem.operations,
        method=problem.flops_method,
        bytes_per_step=None if moved is None else moved * replicas / problem.operations,
        bytes_method=problem.moved_method,
    )
