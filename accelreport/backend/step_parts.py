"""Parts of a step by themselves: what driving it, its input, its arithmetic and its update cost.

They are timed once all else of a cell is done, so that nothing that was timed before is disturbed,
and each as a program of its own, which is the one way that every framework has. Single operations
are launched inside a program, and what that costs is not told apart from their work.
"""

from __future__ import annotations

import time
from dataclasses import fields

import numpy as np

from accelreport.backend.engine import Engine, PartPrograms
from accelreport.backend.failures import out_of_memory
from accelreport.results.record import StepParts

WINDOWS = 3
"""Windows of each part."""

WINDOW_S, MOST_STEPS = 0.5, 256
"""A window has as many steps as one of the training had, about half a second's worth of them."""


def time_parts(engine: Engine, *, pipeline: bool, step_s: float | None) -> StepParts:
    """Time each part of a step; the model's weights are worth nothing afterwards.

    Args:
        engine: the model.
        pipeline: whether `tf.data` brought the batches.
        step_s: seconds of a steady step; None without any.
    """
    if why := _untold(engine, pipeline=pipeline, step_s=step_s):
        return StepParts(absent=why)
    assert step_s is not None
    count = max(1, min(round(WINDOW_S / step_s), MOST_STEPS))
    try:
        return _timed(engine, count)
    except Exception as error:
        if out_of_memory(error) is None:
            raise
        # What was measured before is whole: it must not be lost for want of this.
        return StepParts(absent="no memory was left for them")


def _untold(engine: Engine, *, pipeline: bool, step_s: float | None) -> str:
    """Why no part can be told; empty where each can."""
    runtime = engine.runtime
    if not step_s:
        return "no steady step was timed"
    if pipeline:
        return "tf.data brings batches while steps compute, and no step waits for all of that"
    if runtime.replicas > 1 or not runtime.counts_steps:
        return "its replicas or workers wait for one another, which no part does"
    if runtime.jit_compile and runtime.framework != "jax":  # which compiles in little time
        return "its step is compiled as a whole, and each part would be compiled for as long again"
    return ""


def _timed(engine: Engine, count: int) -> StepParts:
    problem, programs = engine.problem, engine.part_programs()
    rows = np.random.default_rng(0).integers(
        problem.examples, size=(count, problem.batch_size), dtype=np.int32
    )
    order, resident = engine.constant(rows), engine.on_devices(problem.resident)
    seconds: dict[str, list[float]] = {part.name: [] for part in fields(PartPrograms)}
    placement = engine.runtime.placement

    def once(name: str, steps: int) -> float:
        placement.synchronise()
        began = time.perf_counter()
        getattr(programs, name)(resident, order, engine.constant(0), engine.constant(steps))
        placement.synchronise()
        return (time.perf_counter() - began) / steps

    for name in seconds:
        once(name, 1)  # traced and compiled
    # One after the other, so that a slow moment of the machine meets all of them.
    for _ in range(WINDOWS):
        for name, found in seconds.items():
            found.append(once(name, count))
    return StepParts(**{f"{name}_s": found for name, found in seconds.items()})
