"""What records say of cuDNN's recurrent kernels in a framework, and what Keras does on a GPU.

    python -m tests.backend.frameworks.cudnn_program FRAMEWORK

Prints a JSON object: layer, type and mask → what the record says is possible. For JAX also whether
the traced call holds the kernel where Keras believes that there is a GPU.
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from typing import Any

import numpy as np

from accelreport.backend.checks.model import kernel_path
from accelreport.backend.engine import engine_for
from accelreport.backend.frameworks import Runtime, choose, configure, framework_module
from accelreport.spec.device import Device
from tests.backend.frameworks.problems import plain


def pretend_gpu() -> None:
    """Have Keras and JAX trace what they would on a GPU; nothing of it can be run."""
    from jaxlib import gpu_rnn

    sys.modules["keras.src.backend.jax.rnn"]._is_gpu_available = lambda: True  # type: ignore[attr-defined]
    gpu_rnn.compute_rnn_workspace_reserve_space_sizes = lambda *_: (16, 16)


def built(kind: str, *, masked: bool) -> Any:
    """A small model whose recurrent layer may be given a mask."""
    import keras
    from keras import layers

    first = [layers.Masking()] if masked else []
    recurrent = {
        "lstm": layers.LSTM(2),
        "bidirectional": layers.Bidirectional(layers.LSTM(2)),
        "gru": layers.GRU(2),
    }[kind]
    model = keras.Sequential([keras.Input((28, 28)), *first, recurrent, layers.Dense(10)])
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("sgd", loss, metrics=["accuracy"])
    return model


def main(framework: str) -> dict[str, dict[str, Any]]:
    """What is said of each layer."""
    choose(framework)
    import keras

    runtime = configure(Device.model_validate({"kind": "CPU", "framework": framework}))
    if framework == "jax":
        pretend_gpu()
    found: dict[str, dict[str, Any]] = {}
    for kind in ("lstm", "bidirectional", "gru"):
        for dtype in ("float32", "mixed_bfloat16", "mixed_float16"):
            for masked in (False, True):
                keras.mixed_precision.set_global_policy(dtype)
                name = f"{kind} {dtype}{' masked' * masked}"
                found[name] = said_of(kind, runtime, masked=masked)
    return found


def said_of(kind: str, runtime: Runtime, *, masked: bool) -> dict[str, Any]:
    """What the record says of one layer, with several versions of cuDNN, and what is traced."""
    what = replace(plain(), model=lambda: built(kind, masked=masked))
    engine = engine_for(what, runtime)
    facts = {**runtime.facts, "device": "GPU"}
    said: dict[str, Any] = {
        f"cuDNN {version}": kernel_path(engine.model, frozenset(), {**facts, "cudnn": version})[
            "cudnn_possible"
        ]
        for version in ("91200", "91300")
    }
    compiled = {**facts, "torch_compile": "on"}
    said["compiled"] = kernel_path(engine.model, frozenset(), compiled)["cudnn_possible"]
    if runtime.framework == "jax":
        resident = engine.on_devices(what.resident)
        called = engine.prediction_graph(resident, engine.constant(np.zeros(4, np.int32)))
        kinds = framework_module("jax").operation_kinds(called)
        said["traced"] = kernel_path(engine.model, kinds, facts)["recurrent_kernel"]
    return said


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(sys.argv[1])))
