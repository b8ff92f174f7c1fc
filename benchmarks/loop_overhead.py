"""What driving the steps costs: our loop against the floor, and against Keras' `fit`.

The floor repeats the very same training step on one batch that lies on the device: no batch
is chosen, nothing is moved. Ours gathers every batch from the resident data; `fit` is given
the same data as NumPy arrays, as the published pieces did. All three share one process and
take turns in a shuffled order, because a machine's speed drifts; the ratios are medians over
the rounds of a ratio taken within a round.

    python benchmarks/loop_overhead.py [--systems S3 OWN S1 S4 GRU] [--rounds 9]
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from benchmarks.keras_agreement import layers_of

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")


@dataclass(frozen=True)
class System:
    """A training workload of the catalogue, on its synthetic stand-in.

    Attributes:
        title: what it is.
        kind: its family.
        steps: steps in one turn.
        parameters: what differs from the family's defaults.
    """

    title: str
    kind: str
    steps: int
    parameters: dict[str, Any] = field(default_factory=dict)


SYSTEMS = {
    "S3": System("MNIST CNN, batch 256", "image_classification", 30, {"batch_size": 256}),
    # Its loss and metrics are those of Keras' own `compile`.
    "OWN": System("the network of S3 as a model of one's own", "keras", 30, {"batch_size": 256}),
    "S1": System("IMDB LSTM, batch 64", "text_classification", 12, {"batch_size": 64}),
    "S4": System(
        "UCI HAR, the sample model, batch 64", "sequence_classification", 6, {"batch_size": 64}
    ),
    # The source's 256 windows of 1,344 hours take minutes a step on two cores. What is
    # compared here is how steps are driven, so smaller ones serve as well.
    "GRU": System(
        "weather GRU, batch 8 × 168 hours",
        "series_forecast",
        6,
        {"batch_size": 8, "window": 168},
    ),
}
"""The systems, by the names of the catalogue."""


def contenders(system: System) -> dict[str, Callable[[], None]]:
    """Three functions, each of which trains the system's network for its steps."""
    import keras
    import tensorflow as tf

    from accelreport.backend.frameworks import configure
    from accelreport.backend.frameworks.tensorflow.engine import TensorFlowEngine
    from accelreport.backend.training import Order
    from accelreport.datasets.load import load
    from accelreport.spec.device import Device
    from accelreport.workloads.base import TrainingProblem
    from accelreport.workloads.registry import FAMILIES

    runtime = configure(Device(kind="CPU"))
    keras.utils.set_random_seed(0)
    family = FAMILIES[system.kind]
    said: dict[str, Any] = {"kind": system.kind, "data": "synthetic", **system.parameters}
    if system.kind == "keras":
        document = keras.Sequential(layers_of("S3")).to_json()
        said |= {"architecture": "net.json", "document": document, "dataset": "mnist"}
    parameters = family.parameters.model_validate(said)
    request = family.data(parameters)
    assert request is not None
    data = load(request.name, mode=request.mode, options=request.options)
    task = family.problem(parameters, data, 0)
    assert isinstance(task, TrainingProblem)
    graphs = TensorFlowEngine(task, runtime)
    resident = graphs.on_devices(task.resident)
    trainer = graphs.resident_trainer()
    batch, steps = task.batch_size, system.steps
    order = Order(task.examples, batch, seed=0)
    one_batch = task.take(resident, tf.constant(order.epoch(1)[0]))

    @tf.function(jit_compile=False)  # type: ignore[untyped-decorator,unused-ignore]
    def repeat(inputs: Any, targets: Any, count: Any) -> Any:
        total = tf.zeros([graphs.width])
        for _ in tf.range(count):
            total += graphs.learn(inputs, targets)
        return total

    def floor() -> None:
        repeat(*one_batch, tf.constant(steps)).numpy()

    def ours() -> None:
        indices = tf.constant(order.epoch(steps))
        trainer(resident, indices, tf.constant(0), tf.constant(steps))[0].numpy()

    model = task.model()
    model.jit_compile = False
    if not task.compiled:
        model.compile(
            optimizer=task.optimizer(),
            loss=_as_ours("loss", task.loss, one_batch[1]),
            metrics=[_as_ours(*metric, one_batch[1]) for metric in task.metrics.items()],
            jit_compile=False,
        )
    # What `fit` gets are NumPy arrays that are ready to be used.
    taken = [task.take(resident, tf.constant(row)) for row in order.epoch(steps)]
    inputs = tf.concat([one[0] for one in taken], axis=0).numpy()
    targets = tf.concat([one[1] for one in taken], axis=0).numpy()

    def fit() -> None:
        model.fit(inputs, targets, batch_size=batch, epochs=1, verbose=0)

    return {"floor": floor, "ours": ours, "fit": fit}


def _as_ours(
    name: str, function: Callable[[Any, Any], Any], targets_like: Any
) -> Callable[[Any, Any], Any]:
    """The function under a name, its targets as ours are: Keras changes their type and rank."""
    import tensorflow as tf

    def ours(targets: Any, outputs: Any) -> Any:
        if targets.shape.rank > targets_like.shape.rank:
            targets = tf.squeeze(targets, axis=-1)
        return function(tf.cast(targets, targets_like.dtype), outputs)

    ours.__name__ = name
    return ours


def measure(name: str, rounds: int) -> None:
    """Print the medians and ratios of one system."""
    system = SYSTEMS[name]
    runs = contenders(system)
    for run in runs.values():
        run()  # traced and warmed up, untimed
    seconds: dict[str, list[float]] = {contender: [] for contender in runs}
    shuffle = random.Random(0)  # noqa: S311 - an order, not a secret
    for _ in range(rounds):
        turns = list(runs)
        shuffle.shuffle(turns)
        for contender in turns:
            watch = time.perf_counter()
            runs[contender]()
            seconds[contender].append((time.perf_counter() - watch) / system.steps)
    print(f"{name}: {system.title}; medians of {rounds} rounds of {system.steps} steps")
    for contender, values in seconds.items():
        spread = f"{min(values) * 1e3:.2f} to {max(values) * 1e3:.2f}"
        print(f"  {contender:6}{statistics.median(values) * 1e3:8.2f} ms a step ({spread})")
    for over, of in (("floor", "ours"), ("ours", "fit")):
        pairs = zip(seconds[of], seconds[over], strict=True)
        print(f"  {of} / {over}: {statistics.median(a / b for a, b in pairs):.3f}", flush=True)


def main() -> None:
    """Measure the systems asked for, one after the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--systems", nargs="+", choices=list(SYSTEMS), default=list(SYSTEMS))
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    for name in options.systems:
        measure(name, options.rounds)


if __name__ == "__main__":
    main()
