"""What driving the steps costs under JAX or PyTorch, in two ways of ours and by Keras' `fit`.

Under JAX the steps are called one by one, or are a loop in one program; under PyTorch they are
eager, or compiled by `torch.compile`. `fit` reads NumPy arrays. All share one process and take
turns in a shuffled order, because a machine's speed drifts; the ratios are medians over the
rounds of a ratio taken within a round.

    python benchmarks/framework_steps.py [jax|torch] [--batch 64] [--steps 8] [--rounds 7]
        [--threads N]
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from accelreport.backend.engine import Engine, engine_for
from accelreport.backend.frameworks import choose, configure
from accelreport.backend.training import Order
from accelreport.datasets.load import load
from accelreport.spec.device import Device
from accelreport.workloads.base import TrainingProblem
from accelreport.workloads.registry import FAMILIES

Turn = Callable[[], None]


def contenders(framework: str, batch: int, steps: int, threads: int | None) -> dict[str, Turn]:
    """Three functions, each of which trains S3's network for its steps."""
    choose(framework)
    import keras
    import numpy as np

    asked = {"kind": "CPU", "framework": framework, "threads": threads}
    runtime = configure(Device.model_validate(asked))
    keras.utils.set_random_seed(0)
    family = FAMILIES["image_classification"]
    parameters = family.parameters.model_validate(
        {"kind": family.kind, "data": "synthetic", "batch_size": batch}
    )
    task = family.problem(parameters, load("mnist", mode="synthetic"), 0)
    assert isinstance(task, TrainingProblem)
    rows = Order(task.examples, batch, seed=0).epoch(steps)

    def ours(**changed: bool) -> Turn:
        return _window(engine_for(task, replace(runtime, **changed)), rows, steps)  # type: ignore[arg-type]

    own = {
        "jax": lambda: {
            "one by one": ours(loops_in_program=False),
            "one program": ours(loops_in_program=True),
        },
        "torch": lambda: {
            "eager": ours(jit_compile=False),
            "torch.compile": ours(jit_compile=True),
        },
    }

    model = task.model()
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(optimizer=task.optimizer(), loss=loss, metrics=["accuracy"])
    inputs = (task.resident["x"][rows.reshape(-1)] / np.float32(255))[..., None]
    targets = task.resident["y"][rows.reshape(-1)].astype(np.int32)

    def fit() -> None:
        model.fit(inputs, targets, batch_size=batch, epochs=1, verbose=0)

    return {**own[framework](), "fit": fit}


def _window(engine: Engine, rows: Any, steps: int) -> Turn:
    trainer, order = engine.resident_trainer(), engine.constant(rows)
    resident = engine.on_devices(engine.problem.resident)

    def run() -> None:
        engine.read(trainer(resident, order, engine.constant(0), engine.constant(steps))[0])

    return run


def main() -> None:
    """Measure, and print medians and ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("framework", nargs="?", default="jax", choices=["jax", "torch"])
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--steps", type=int, default=8)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--threads", type=int)
    options = parser.parse_args()
    runs = contenders(options.framework, options.batch, options.steps, options.threads)
    for run in runs.values():
        run()  # compiled and warmed up, untimed
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    shuffle = random.Random(0)  # noqa: S311 - an order, not a secret
    for _ in range(options.rounds):
        for name in shuffle.sample(list(runs), len(runs)):
            began = time.perf_counter()
            runs[name]()
            seconds[name].append((time.perf_counter() - began) / options.steps)
    print(f"S3, batch {options.batch}; medians of {options.rounds} rounds of {options.steps} steps")
    for name, values in seconds.items():
        spread = f"{min(values) * 1e3:.2f} to {max(values) * 1e3:.2f}"
        print(f"  {name:14}{statistics.median(values) * 1e3:9.2f} ms a step ({spread})")
    first, *others = seconds
    for name in others:
        pairs = zip(seconds[name], seconds[first], strict=True)
        print(f"  {name} / {first}: {statistics.median(a / b for a, b in pairs):.3f}")


if __name__ == "__main__":
    main()
