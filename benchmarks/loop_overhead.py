"""What driving the steps costs: our loop against the floor, and against Keras' `fit`.

The floor repeats the very same training step on one batch that lies on the device: no batch
is chosen, nothing is moved. Ours gathers every batch from the resident data; `fit` is given
the same data as NumPy arrays, as the published pieces did. All three share one process and
take turns in a shuffled order, because a machine's speed drifts; the ratios are medians over
the rounds of a ratio taken within a round.

    python benchmarks/loop_overhead.py [--rounds 9] [--steps 40] [--batch-size 256]
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import time
from collections.abc import Callable
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")


def contenders(batch_size: int, steps: int) -> dict[str, Callable[[], None]]:
    """Three functions, each of which trains S3's network for `steps` steps."""
    import keras
    import tensorflow as tf

    from accelreport.backend.graphs import Graphs
    from accelreport.backend.order import Order
    from accelreport.backend.runtime import configure
    from accelreport.datasets.load import load
    from accelreport.spec.models import Device
    from accelreport.workloads.image_classification import ImageClassificationParameters
    from accelreport.workloads.image_models import problem

    runtime = configure(Device(kind="CPU"))
    keras.utils.set_random_seed(0)
    examples = batch_size * steps
    parameters = ImageClassificationParameters(batch_size=batch_size, train_examples=examples)
    data = load("mnist", mode="synthetic")
    task = problem(parameters, data)
    graphs = Graphs(task, runtime)
    resident = graphs.on_devices(task.resident)
    trainer = graphs.resident_trainer()
    order = Order(task.examples, batch_size, seed=0)
    one_batch = task.take(resident, tf.range(batch_size))

    @tf.function(jit_compile=False)  # type: ignore[untyped-decorator,unused-ignore]
    def repeat(inputs: Any, targets: Any, count: Any) -> Any:
        total = tf.zeros([len(graphs.columns)])
        for _ in tf.range(count):
            total += graphs.learn(inputs, targets)
        return total

    def floor() -> None:
        repeat(*one_batch, tf.constant(steps)).numpy()

    def ours() -> None:
        indices = tf.constant(order.epoch(steps))
        trainer(resident, indices, tf.constant(0), tf.constant(steps))[0].numpy()

    model = task.model()
    model.compile(
        optimizer=task.optimizer(),
        loss=keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        metrics=["accuracy"],
        jit_compile=False,
    )
    pixels = (data.train["x"][:examples, ..., None] / 255).astype("float32")
    labels = data.train["y"][:examples].astype("int32")

    def fit() -> None:
        model.fit(pixels, labels, batch_size=batch_size, epochs=1, verbose=0)

    return {"floor": floor, "ours": ours, "fit": fit}


def main() -> None:
    """Print the medians and ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--batch-size", type=int, default=256)
    options = parser.parse_args()
    runs = contenders(options.batch_size, options.steps)
    for run in runs.values():
        run()  # traced and warmed up, untimed
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    shuffle = random.Random(0)  # noqa: S311 - an order, not a secret
    for _ in range(options.rounds):
        names = list(runs)
        shuffle.shuffle(names)
        for name in names:
            watch = time.perf_counter()
            runs[name]()
            seconds[name].append((time.perf_counter() - watch) / options.steps)
    print(f"S3's network, batch {options.batch_size}, medians of {options.rounds} rounds")
    for name, values in seconds.items():
        spread = f"{min(values) * 1e3:.2f} to {max(values) * 1e3:.2f}"
        print(f"  {name:6}{statistics.median(values) * 1e3:8.2f} ms a step ({spread})")
    for over, of in (("floor", "ours"), ("ours", "fit")):
        pairs = zip(seconds[of], seconds[over], strict=True)
        ratio = statistics.median(a / b for a, b in pairs)
        print(f"  {of} / {over}: {ratio:.3f}")


if __name__ == "__main__":
    main()
