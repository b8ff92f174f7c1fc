"""How training, inference and a kernel run on a device, seen from inside.

    python -m tests.backend.frameworks.keys_program DEVICE

DEVICE is the device as JSON. Prints, for each kind of workload, the keys that act.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from accelreport.backend.calls import Kernel, Predictions, called_problem
from accelreport.backend.engine import engine_for
from accelreport.backend.frameworks import choose, configure
from accelreport.backend.training import Order
from accelreport.spec.device import Device
from accelreport.workloads.base import KernelProblem, TrainingProblem
from accelreport.workloads.registry import FAMILIES
from tests.backend.frameworks.problems import plain

MATMUL = {"size": 8, "count": 2}


def watched(device: Device, acting: set[str]) -> Callable[[], None]:
    """Have compilers note what they are asked for; gives what looks at the code that is run."""
    if device.framework == "tensorflow":
        import tensorflow as tf

        function = tf.function

        def noting(*arguments: Any, **options: Any) -> Any:
            if options.get("jit_compile"):
                acting.add("xla")
            return function(*arguments, **options)

        tf.function = noting
        return lambda: None if tf.inside_function() else acting.add("eager")
    if device.framework == "torch":
        import torch

        compiles = torch.compile

        def compiling(*arguments: Any, **options: Any) -> Any:
            acting.add("torch_compile")
            # What is asked for counts, and not how fast it runs: code in C++ takes a minute.
            return compiles(*arguments, backend="eager", **options)

        torch.compile = compiling
    return lambda: None


def threads(framework: str) -> int:
    """Threads that the framework computes with."""
    if framework == "tensorflow":
        import tensorflow as tf

        return int(tf.config.threading.get_intra_op_parallelism_threads())
    if framework == "torch":
        import torch

        return int(torch.get_num_threads())
    import os

    return int(os.environ.get("NPROC", "0"))


def looked_at(what: TrainingProblem, look: Callable[[], None]) -> TrainingProblem:
    """The problem, with a look at what calls it."""

    def take(resident: Any, indices: Any) -> Any:
        look()
        return what.take(resident, indices)

    return replace(what, take=take)


def main(device: Device) -> dict[str, list[str]]:
    """The keys that act, by kind of workload."""
    choose(device.framework)
    runtime = configure(device)
    acting: set[str] = set()
    look = watched(device, acting)
    found: dict[str, list[str]] = {}

    def ended(kind: str, computed_in: str) -> None:
        if threads(device.framework) == 1:
            acting.add("threads")
        if computed_in == "bfloat16":
            acting.add("precision")
        found[kind] = sorted(acting)
        acting.clear()

    what = looked_at(plain(), look)
    engine = engine_for(what, runtime)
    order = engine.constant(Order(what.examples, what.batch_size, 0).epoch(1))
    one = (engine.constant(0), engine.constant(1))
    sums, _ = engine.resident_trainer()(engine.on_devices(what.resident), order, *one)
    engine.read(sums)
    ended("training", engine.model.layers[-1].compute_dtype)
    engine = engine_for(called_problem(what), runtime)
    Predictions(engine, 0).run(0, 1)
    ended("inference", engine.model.layers[-1].compute_dtype)
    family = FAMILIES["matmul"]
    kernel = family.problem(family.parameters.model_validate(MATMUL), None, 0)
    assert isinstance(kernel, KernelProblem)
    if device.framework == "tensorflow":
        import tensorflow as tf

        product = tf.matmul

        def looking(*factors: Any) -> Any:
            look()
            return product(*factors)

        tf.matmul = looking
    built = Kernel(kernel, runtime, 0)
    built.run(2)
    ended("kernel", str(built.inputs[0].dtype).rpartition(".")[2].strip("'<> "))
    return found


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(Device.model_validate_json(sys.argv[1]))))
