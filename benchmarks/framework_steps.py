"""What our loop costs beside the plain loop that each framework's own users write.

Our loop, Keras' `train_on_batch` and the plain loop train the same Keras layers with the same loss
and batches, in one process, and take turns in a shuffled order, because a machine's speed drifts. A
ratio is the median over the rounds of a ratio taken within a round, of wall time and, for a machine
with other work, of CPU time; the interval of a median has a level of 95 % (order statistics). The
plain loop has its batches ready on the device and computes no metrics. Once more, with metrics, it
does what our loop does beside the training: it takes its batches from the resident data, and adds
the loss and the metrics up over each batch. The plain loops are:

- TensorFlow: `tf.function` around `GradientTape` and `optimizer.apply`, called for each batch;
- JAX: `jax.jit` around `stateless_call`, `jax.grad` and `stateless_apply`, with donated state;
- PyTorch: `backward` and `torch.optim`, eagerly and with the model in `torch.compile`; once more
  with Keras' optimizer, which every framework of a comparison has.

    python benchmarks/framework_steps.py {tensorflow,jax,torch} [--systems S3 S4 dense]
        [--batches 16 64 256] [--rounds 15] [--threads N] [--kind CPU]

They run on the GPU where there is one, unless `--kind CPU` is given.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from scipy.stats import binom

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

from accelreport.backend.engine import Engine, engine_for
from accelreport.backend.frameworks import Runtime, choose, configure
from accelreport.backend.training import Order
from accelreport.datasets.load import load
from accelreport.machine.inventory import nvidia_gpus
from accelreport.spec.device import Device
from accelreport.workloads.base import TrainingProblem
from accelreport.workloads.registry import FAMILIES

Turn = Callable[[], None]

SYSTEMS = {
    "S3": "image_classification",
    "S4": "sequence_classification",
    "dense": "image_classification",
}
"""The family of each network: S3's convolutions, S4's LSTMs, and three dense layers."""


@dataclass(frozen=True)
class Batches:
    """What a plain loop trains with.

    Attributes:
        sources: two values of each step.
        take: makes a batch of them.
        sums: (losses, targets, outputs) → what is added up of a batch; None for its mean loss.
    """

    sources: Sequence[tuple[Any, Any]]
    take: Callable[[Any, Any], tuple[Any, Any]] = lambda inputs, targets: (inputs, targets)
    sums: Callable[[Any, Any, Any], Any] | None = None


TURN_S = 0.4
"""Seconds of a turn, about, of our loop."""


def problem(system: str, batch: int) -> TrainingProblem:
    """A network and its synthetic data."""
    import keras
    from keras import layers

    family = FAMILIES[SYSTEMS[system]]
    parameters = family.parameters.model_validate(
        {"kind": family.kind, "data": "synthetic", "batch_size": batch}
    )
    request = family.data(parameters)
    assert request is not None
    data = load(request.name, mode=request.mode, options=request.options)
    task = family.problem(parameters, data, 0)
    assert isinstance(task, TrainingProblem)
    if system != "dense":
        return task

    def dense() -> Any:
        hidden = [layers.Dense(512, "relu"), layers.Dense(512, "relu")]
        return keras.Sequential(
            [keras.Input((28, 28, 1)), layers.Flatten(), *hidden, layers.Dense(10)]
        )

    return replace(task, model=dense)


def contenders(
    task: TrainingProblem, runtime: Runtime, steps: int, *, compiled: bool
) -> dict[str, Turn]:
    """Functions that each train the network for its steps, ours first.

    Args:
        task: what is trained.
        runtime: a configured framework.
        steps: how many.
        compiled: whether PyTorch's steps are compiled, too.
    """
    import keras

    rows = Order(task.examples, task.batch_size, seed=0).epoch(steps)

    def ours(**changed: Any) -> Turn:
        engine = engine_for(task, replace(runtime, **changed))
        return _window(engine, rows, steps)

    engine = engine_for(task, runtime)
    resident = engine.on_devices(task.resident)
    places = [(resident, engine.constant(row)) for row in rows]
    batches = [task.take(*place) for place in places]
    ready, noted = Batches(batches), Batches(places, task.take, engine._sums)
    turns: dict[str, Turn]
    if runtime.framework == "jax":
        turns = {
            "ours": ours(),
            "plain": _plain_jax(task, ready),
            "plain, with metrics": _plain_jax(task, noted),
            "ours, one program": ours(loops_in_program=True),
        }
    elif runtime.framework == "torch":
        turns = {
            "ours": ours(),
            "plain": _plain_torch(task, ready),
            "plain, Keras' optimizer": _plain_torch(task, ready, keras_optimizer=True),
            "the same, with metrics": _plain_torch(task, noted, keras_optimizer=True),
        }
        if compiled:
            turns["ours, compiled"] = ours(jit_compile=True)
            turns["plain, compiled"] = _plain_torch(task, ready, compiled=True)
    else:
        turns = {
            "ours": ours(),
            "plain": _plain_tensorflow(task, ready),
            "plain, with metrics": _plain_tensorflow(task, noted),
        }

    host = [tuple(keras.ops.convert_to_numpy(part) for part in batch) for batch in batches]
    model = task.model()
    like = batches[0][1]

    def loss_of(targets: Any, outputs: Any) -> Any:
        # Keras changes type and rank of targets.
        targets = keras.ops.cast(keras.ops.reshape(targets, like.shape), like.dtype)
        return keras.ops.mean(task.loss(targets, outputs))

    model.compile(optimizer=task.optimizer(), loss=loss_of, jit_compile=runtime.framework == "jax")

    def fit_on_batches() -> None:
        for inputs, targets in host:
            loss = model.train_on_batch(inputs, targets)
        float(loss)

    return {**turns, "train_on_batch": fit_on_batches}


def _window(engine: Engine, rows: Any, steps: int) -> Turn:
    trainer, order = engine.resident_trainer(), engine.constant(rows)
    resident = engine.on_devices(engine.problem.resident)

    def run() -> None:
        engine.read(trainer(resident, order, engine.constant(0), engine.constant(steps))[0])

    return run


def _plain_tensorflow(task: TrainingProblem, batches: Batches) -> Turn:
    import tensorflow as tf

    model, optimizer = task.model(), task.optimizer()
    optimizer.build(model.trainable_variables)

    @tf.function(jit_compile=False)  # type: ignore[untyped-decorator,unused-ignore]
    def step(*source: Any) -> Any:
        inputs, targets = batches.take(*source)
        with tf.GradientTape() as tape:
            outputs = model(inputs, training=True)
            losses = task.loss(targets, outputs)
            loss = tf.reduce_mean(losses)
        gradients = tape.gradient(loss, model.trainable_weights)
        optimizer.apply(gradients, model.trainable_weights)
        return batches.sums(losses, targets, outputs) if batches.sums else loss

    def run() -> None:
        for source in batches.sources:
            result = step(*source)
        result.numpy()

    return run


def _plain_jax(task: TrainingProblem, batches: Batches) -> Turn:
    import jax

    model, optimizer = task.model(), task.optimizer()
    optimizer.build(model.trainable_variables)

    def objective(trainable: Any, others: Any, inputs: Any, targets: Any) -> Any:
        outputs, others = model.stateless_call(trainable, others, inputs, training=True)
        losses = task.loss(targets, outputs)
        result = batches.sums(losses, targets, outputs) if batches.sums else losses.mean()
        return losses.mean(), (others, result)

    def step(state: Any, *source: Any) -> Any:
        trainable, others, moments = state
        gradients, (others, result) = jax.grad(objective, has_aux=True)(
            trainable, others, *batches.take(*source)
        )
        trainable, moments = optimizer.stateless_apply(moments, gradients, trainable)
        return (trainable, others, moments), result

    program = jax.jit(step, donate_argnums=0)
    held = [
        tuple(
            [variable.value for variable in variables]
            for variables in (
                model.trainable_variables,
                model.non_trainable_variables,
                optimizer.variables,
            )
        )
    ]

    def run() -> None:
        state = held.pop()
        for source in batches.sources:
            state, result = program(state, *source)
        held.append(state)
        jax.block_until_ready(result)

    return run


def _plain_torch(
    task: TrainingProblem,
    batches: Batches,
    *,
    compiled: bool = False,
    keras_optimizer: bool = False,
) -> Turn:
    import torch

    model, kept = task.model(), task.optimizer()
    kept.build(model.trainable_variables)
    made = {"adam": torch.optim.Adam, "rmsprop": torch.optim.RMSprop}[type(kept).__name__.lower()]
    optimizer = made(model.parameters(), lr=float(kept.learning_rate))
    forward = torch.compile(model, dynamic=False) if compiled else model

    def update() -> None:
        if not keras_optimizer:
            optimizer.step()
            return
        with torch.no_grad():
            variables = model.trainable_variables
            kept.apply([each.value.grad for each in variables], variables)

    def run() -> None:
        for source in batches.sources:
            inputs, targets = batches.take(*source)
            optimizer.zero_grad()
            outputs = forward(inputs, training=True)
            losses = task.loss(targets, outputs)
            loss = losses.mean()
            loss.backward()
            update()
            if batches.sums:
                with torch.no_grad():
                    loss = batches.sums(losses, targets, outputs)
        loss.numpy(force=True)

    return run


def measure(system: str, batch: int, runtime: Runtime, rounds: int) -> None:
    """Print the medians and ratios of one network at one batch size."""
    import keras

    keras.utils.set_random_seed(0)
    task = problem(system, batch)
    probe = _window(engine_for(task, runtime), Order(task.examples, batch, seed=0).epoch(2), 2)
    probe()  # compiled
    began = time.perf_counter()
    probe()
    steps = min(max(2, round(2 * TURN_S / (time.perf_counter() - began))), 200)
    turns = contenders(task, runtime, steps, compiled=system != "S4")
    for turn in turns.values():
        turn()  # compiled and warmed up, untimed
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in turns}
    shuffle = random.Random(0)  # noqa: S311 - an order, not a secret
    for _ in range(rounds):
        for name in shuffle.sample(list(turns), len(turns)):
            began, cpu = time.perf_counter(), time.process_time()
            turns[name]()
            taken[name].append((time.perf_counter() - began, time.process_time() - cpu))
    for name, pairs in taken.items():
        ours = "ours, compiled" if name == "plain, compiled" else "ours"
        step_ms = 1e3 * statistics.median(wall for wall, _ in pairs) / steps
        walls, cpus = (
            sorted(a[clock] / b[clock] for a, b in zip(taken[ours], pairs, strict=True))
            for clock in (0, 1)
        )
        rank = int(binom.ppf(0.025, rounds, 0.5))
        low, high = walls[max(0, rank - 1)], walls[min(rounds - 1, rounds - rank)]
        print(
            f"{runtime.framework:11}{system:6}{batch:4}  {name:24}{step_ms:9.2f} ms a step;"
            f" {ours} / it {statistics.median(walls):.3f} ({low:.2f} to {high:.2f}),"
            f" by CPU time {statistics.median(cpus):.3f}",
            flush=True,
        )


def main() -> None:
    """Measure, and print medians and ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("framework", choices=["tensorflow", "jax", "torch"])
    parser.add_argument("--systems", nargs="+", default=list(SYSTEMS), choices=list(SYSTEMS))
    parser.add_argument("--batches", nargs="+", type=int, default=[16, 64, 256])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--threads", type=int)
    there = "GPU" if nvidia_gpus().shown else "CPU"
    parser.add_argument("--kind", choices=["CPU", "GPU"], default=there)
    options = parser.parse_args()
    choose(options.framework, options.kind)
    asked = {"kind": options.kind, "framework": options.framework, "threads": options.threads}
    runtime = configure(Device.model_validate(asked))
    print(f"medians of {options.rounds} rounds; load {os.getloadavg()[0]:.1f} at first")
    for system in options.systems:
        for batch in options.batches:
            measure(system, batch, runtime, options.rounds)
    print(f"load {os.getloadavg()[0]:.1f} at the end")


if __name__ == "__main__":
    main()
