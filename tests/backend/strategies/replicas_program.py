"""One device and two mirrored replicas, side by side in one process of two logical CPUs.

Prints one JSON object. TensorFlow takes the number of logical CPUs once in a process, which
is why this is no test function.
"""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

from accelreport.backend.engine import Evaluation
from accelreport.backend.frameworks import Runtime, importing
from accelreport.backend.frameworks.tensorflow.engine import (
    SEED_STRIDE,
    TensorFlowEngine,
    finite_together,
)
from accelreport.backend.frameworks.tensorflow.strategies import STRATEGIES
from accelreport.backend.placement import Placement
from accelreport.backend.training import Order
from accelreport.datasets.load import load
from accelreport.spec.device import Device
from accelreport.spec.families import TENSORFLOW
from accelreport.workloads.base import TrainingProblem
from accelreport.workloads.registry import FAMILIES
from tests.backend.strategies.plain_cnn import SEED, STEPS, WORKLOAD, leave_out_dropout

with importing(TENSORFLOW):
    import keras
    import tensorflow as tf

FAMILY = FAMILIES["image_classification"]
ODD = 101
DATA = load("mnist", mode="synthetic")


def problem(**changes: Any) -> TrainingProblem:
    parameters = FAMILY.parameters(**(WORKLOAD | changes))
    found = FAMILY.problem(parameters, DATA, SEED)
    assert isinstance(found, TrainingProblem)
    return found


def graphs(placement: Any, what: TrainingProblem) -> TensorFlowEngine:
    keras.utils.set_random_seed(SEED)
    return TensorFlowEngine(what, Runtime(placement=placement, jit_compile=False, facts={}))


def losses(trained: TensorFlowEngine) -> list[float]:
    what = trained.problem
    order = tf.constant(Order(what.examples, what.batch_size, SEED).epoch(STEPS))
    trainer, resident = trained.resident_trainer(), trained.on_devices(what.resident)
    return [
        float(trainer(resident, order, tf.constant(step), tf.constant(1))[0][0]) / what.batch_size
        for step in range(STEPS)
    ]


def pipeline_losses(trained: TensorFlowEngine) -> list[float]:
    what = trained.problem
    order = Order(what.examples, what.batch_size, SEED).epoch(STEPS)
    iterator = trained.runtime.placement.batches(what, order)
    trainer = trained.pipeline_trainer()
    return [
        float(trainer(iterator, tf.constant(0), tf.constant(1))[0][0]) / what.batch_size
        for _ in range(STEPS)
    ]


def outputs(trained: TensorFlowEngine) -> Any:
    return Evaluation(trained, batch=64).predict(ODD, math.inf)


def per_replica(strategy: Any, variable: Any) -> list[Any]:
    return [value.numpy() for value in strategy.experimental_local_results(variable.value)]


def moving_statistics(strategy: Any, trained: TensorFlowEngine) -> dict[str, Any]:
    losses(trained)
    mean = next(v for v in trained.model.non_trainable_variables if "moving_mean" in v.path)
    apart = per_replica(strategy, mean)
    trained.sync_replicas()
    together = per_replica(strategy, mean)
    return {
        "apart": float(np.abs(apart[0] - apart[1]).max()),
        "together": float(np.abs(together[0] - together[1]).max()),
        "off_the_mean": float(np.abs(together[0] - (apart[0] + apart[1]) / 2).max()),
    }


def one_replica_overflows(strategy: Any) -> list[bool]:
    @tf.function  # type: ignore[untyped-decorator,unused-ignore]
    def run() -> Any:
        def step() -> Any:
            number = tf.distribute.get_replica_context().replica_id_in_sync_group
            own = tf.where(tf.equal(number, 1), math.inf, 1.0)
            first, second = finite_together([tf.fill([3], own), None])
            assert second is None
            return tf.reduce_all(tf.math.is_finite(first))

        return strategy.run(step)

    return [bool(value) for value in strategy.experimental_local_results(run())]


def main() -> None:
    mirrored = STRATEGIES["mirrored"](Device(kind="CPU", strategy="mirrored", replicas=2))
    alone = Placement(tf.distribute.OneDeviceStrategy("/CPU:0"), 1, ["/CPU:0"], synchronous=True)
    strategy = mirrored.strategy
    dropping = graphs(mirrored, problem())
    seeds = [v for v in dropping.model.variables if "seed" in v.path]
    streams = [per_replica(strategy, seed) for seed in seeds]
    leave_out_dropout()
    one, two = graphs(alone, problem()), graphs(mirrored, problem())
    said: dict[str, Any] = {
        "one": losses(one),
        "mirrored": losses(two),
        "pipeline": pipeline_losses(graphs(mirrored, problem())),
    }
    two.set_weights(one.weights())
    said |= {
        "outputs_differ_by": float(np.abs(outputs(one) - outputs(two)).max()),
        "outputs": list(outputs(two).shape),
        "values_one": one.learning_rate(),
        "values_two": two.learning_rate(),
        "statistics": moving_statistics(
            strategy, graphs(mirrored, problem(model="conv12_conv24_conv32"))
        ),
        "streams_differ_by": [int(b[0]) - int(a[0]) for a, b in streams],
        "stride": SEED_STRIDE,
        "finite": one_replica_overflows(strategy),
    }
    print(json.dumps(said))  # noqa: T201 - its answer


if __name__ == "__main__":
    main()
