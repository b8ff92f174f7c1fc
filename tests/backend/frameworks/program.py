"""The same problems from the same weights, in the framework that is named.

    python -m tests.backend.frameworks.program FRAMEWORK FOLDER

Prints one JSON object. TensorFlow's process leaves the weights that the other one begins with.
A process runs Keras on one framework for good, which is why this is no test function.
"""

from __future__ import annotations

import contextlib
import json
import math
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from accelreport.backend.arithmetic import count_flops
from accelreport.backend.checks import CheckLog, RefusedCellError, model
from accelreport.backend.checks.model import judge_inputs
from accelreport.backend.checks.windows import WindowWatch, compiled
from accelreport.backend.engine import Engine, Evaluation, engine_for
from accelreport.backend.frameworks import (
    EXTRAS,
    Runtime,
    choose,
    configure,
    framework_module,
    no_compiler,
)
from accelreport.backend.training import Order
from accelreport.datasets.load import load
from accelreport.machine.clocks import Stopwatch
from accelreport.spec.device import Device
from accelreport.workloads.base import Observation, TrainingProblem
from accelreport.workloads.registry import FAMILIES
from tests.backend.frameworks.problems import PARAMETERS, plain, problem
from tests.backend.strategies.plain_cnn import SEED, STEPS, WORKLOAD, leave_out_dropout

FEW = 4


def cnn() -> TrainingProblem:
    family = FAMILIES["image_classification"]
    found = family.problem(family.parameters(**WORKLOAD), load("mnist", mode="synthetic"), SEED)
    assert isinstance(found, TrainingProblem)
    return found


def begin(what: TrainingProblem, runtime: Runtime, weights: Path) -> Engine:
    """The model with the weights of the file, or else its own, which become the file."""
    import keras

    keras.utils.set_random_seed(SEED)
    engine = engine_for(what, runtime)
    if weights.exists():
        with np.load(weights) as saved:
            engine.set_weights([saved[name] for name in saved.files])
    else:
        np.savez(weights, *engine.weights())
    return engine


def train(engine: Engine, trainer: Any, steps: int, *, at_once: bool = False) -> dict[str, Any]:
    """Train step by step, or all steps in one window; what each of the windows has left."""
    what = engine.problem
    order = engine.constant(Order(what.examples, what.batch_size, SEED).epoch(steps))
    resident = engine.on_devices(what.resident)
    losses, made = [], [len(compiled())]
    for first in range(0, steps, steps if at_once else 1):
        count = steps if at_once else 1
        sums, _ = trainer(resident, order, engine.constant(first), engine.constant(count))
        losses.append(float(engine.read(sums)[0]) / what.batch_size)
        made.append(len(compiled()))
    step = engine.step_graph(resident, order, engine.constant(0), engine.constant(1))
    kinds = framework_module(engine.runtime.framework).operation_kinds(step)
    flops = count_flops(engine, trained=True, kinds=kinds).flops
    return {
        "losses": losses,
        "compiled_first": made[1] - made[0],
        "compiled_later": made[-1] - made[1],
        "steps_done": engine.steps_done(),
        "flops": flops and flops.per_step,
        "convolutions": flops and flops.convolutions_per_step,
        "least": flops and flops.least_per_step,
        "depth": flops and flops.depth,
        "bytes": flops and flops.bytes_per_step,
        "kinds": len(kinds),
    }


def look(engine: Engine) -> dict[str, Any]:
    """What evaluation, prediction and the family see of a trained model."""
    what, evaluation = engine.problem, Evaluation(engine, batch=8)
    seen: dict[str, Any] = {"evaluated": evaluation.run(math.inf)}
    if set(what.resident) == {"x", "y"}:
        seen["predicted"] = evaluation.predict(3, math.inf).tolist()
    batch = engine.constant(np.arange(3, dtype=np.int32))
    called = engine.prediction_graph(engine.on_devices(what.resident), batch)
    kinds = framework_module(engine.runtime.framework).operation_kinds(called)
    counted = count_flops(engine, trained=False, kinds=kinds).flops
    seen["called_flops"] = counted and counted.per_step
    if what.observe is not None:
        deadline = time.perf_counter() + 60
        nothing = np.zeros(0, np.float32)
        found = what.observe(Observation(engine.model, SEED, deadline, lambda _: nothing))
        seen["forecasts"] = [each.predicted for each in found.get("forecasts", [])]
        seen["texts"] = [len(each.text) for each in found.get("texts", [])]
    return seen


def faults(engine: Engine) -> dict[str, str]:
    """Which outcome each check has where its fault is there.

    Args:
        engine: has been trained.
    """
    found = CheckLog()
    model.judge_beginning(found, engine)
    weights = [each.value for each in engine.model.trainable_variables]
    model.judge_device(found, weights, ["GPU:0"], "GPU")
    model.judge_end(found, engine, model.beginnings(engine))
    zeros = {name: np.zeros_like(each) for name, each in engine.problem.resident.items()}
    whole, engine.problem = engine.problem, replace(engine.problem, resident=zeros)
    with contextlib.suppress(RefusedCellError):
        judge_inputs(found, engine, engine.on_devices(zeros), pipeline=False)
    engine.problem = whole
    return {check.name: check.outcome for check in found.checks}


def nobody_waits(engine: Engine, trainer: Any) -> dict[str, str]:
    """Which outcome the checks of windows have where a loop does not wait for its device."""
    found, what, watch = CheckLog(), engine.problem, WindowWatch(engine.steps_done)
    order = engine.constant(Order(what.examples, what.batch_size, SEED).epoch(STEPS))
    resident = engine.on_devices(what.resident)
    watch.before()
    stopwatch = Stopwatch()
    trainer(resident, order, engine.constant(0), engine.constant(FEW))
    watch.after(FEW, stopwatch.lap(), warmup=False)
    watch.judge(found)
    return {check.name: check.outcome for check in found.checks}


def only_in_jax(runtime: Runtime, folder: Path) -> dict[str, Any]:
    """One program for a whole window, as on accelerators; and scaled losses."""
    import keras

    whole = replace(runtime, loops_in_program=True)
    what = problem("text_classification")
    engine = begin(what, whole, folder / "text_classification.npz")
    window = train(engine, engine.resident_trainer(), FEW, at_once=True)
    said = {"whole_window": window, "whole_look": look(engine)}
    keras.mixed_precision.set_global_policy("mixed_float16")
    scaling = begin(problem("keras"), runtime, folder / "keras.npz")
    scaled = train(scaling, scaling.resident_trainer(), FEW)
    return {**said, "scaled": scaled, "scales": scaling.scales_losses}


def only_in_torch(runtime: Runtime, folder: Path) -> dict[str, Any]:
    """A step that `torch.compile` makes, and half precision."""
    import keras

    asked = Device(kind="CPU", framework="torch", torch_compile=True, threads=1)
    said: dict[str, Any] = {"lacking": no_compiler(asked)}
    chosen = {"eager": runtime} | ({} if said["lacking"] else {"compiled": configure(asked)})
    for name, each in chosen.items():
        engine = begin(plain(), each, folder / "plain.npz")
        said[name] = train(engine, engine.resident_trainer(), FEW)
    said["starved"] = starved(begin(plain(), runtime, folder / "plain.npz"))
    keras.mixed_precision.set_global_policy("mixed_bfloat16")
    engine = begin(problem("keras"), runtime, folder / "keras.npz")
    return {**said, "half": train(engine, engine.resident_trainer(), FEW)}


def starved(engine: Engine) -> dict[str, Any]:
    """What is said of a step that has no memory left once it has moved the weights."""
    import torch

    what = engine.problem
    order = engine.constant(Order(what.examples, what.batch_size, SEED).epoch(1))
    resident = engine.on_devices(what.resident)
    step = engine.step_graph(resident, order, engine.constant(0), engine.constant(1))
    engine._judged = lambda *_: torch.empty(2**50)  # type: ignore[method-assign]
    before = engine.weights()
    kinds = framework_module("torch").operation_kinds(step)
    same = all(map(np.array_equal, before, engine.weights()))
    return {"kinds": kinds, "moved": not same}


def main(framework: str, folder: Path) -> None:
    choose(framework)
    # PyTorch's threads wait for one another by computing, where other programs do as well.
    threads = 1 if framework == "torch" else None
    device = Device(kind="CPU", framework=framework, threads=threads)  # type: ignore[arg-type]
    runtime = configure(device)
    leave_out_dropout()
    said: dict[str, Any] = {"facts": runtime.facts}
    engine = begin(cnn(), runtime, folder / "cnn.npz")
    trainer = engine.resident_trainer()
    said["cnn"] = train(engine, trainer, STEPS) | look(engine)
    said["faults"] = faults(engine)
    said["nobody_waits"] = nobody_waits(engine, trainer)
    for kind in PARAMETERS:
        engine = begin(problem(kind), runtime, folder / f"{kind}.npz")
        said[kind] = train(engine, engine.resident_trainer(), FEW) | look(engine)
    if framework == "jax":
        said |= only_in_jax(runtime, folder)
    if framework == "torch":
        said |= only_in_torch(runtime, folder)
    said["there"] = [name for name in EXTRAS if sys.modules.get(name) is not None]
    print(json.dumps(said))  # noqa: T201 - its answer


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
