"""AutoGraph rewrites functions of other packages, and nothing that comes with accelreport."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from accelreport.spec.device import Device
from tests.backend.frameworks.problems import plain

pytestmark = pytest.mark.e2e


def decided_by_a_tensor(targets: Any, outputs: Any) -> Any:
    import tensorflow as tf

    sums = tf.reduce_sum(outputs, axis=-1)
    if tf.reduce_mean(sums) > 0:
        sums = -sums
    return sums


def test_a_package_s_loss_may_decide_by_a_tensor() -> None:
    import tensorflow as tf

    from accelreport.backend.frameworks import Runtime
    from accelreport.backend.frameworks.tensorflow.engine import TensorFlowEngine
    from accelreport.backend.frameworks.tensorflow.strategies import place

    runtime = Runtime(placement=place(Device(kind="CPU")), jit_compile=False, facts={})
    assert not TensorFlowEngine(plain(), runtime).rewrites
    problem = replace(plain(), loss=decided_by_a_tensor)
    engine = TensorFlowEngine(problem, runtime)
    assert engine.rewrites
    engine.resident_trainer()
    order = tf.zeros([2, problem.batch_size], tf.int32)
    resident = engine.on_devices(problem.resident)
    assert engine.step_graph(resident, order, tf.constant(0), tf.constant(1)).node
