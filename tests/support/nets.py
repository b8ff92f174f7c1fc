"""Small networks of dense layers that accelreport trains as documents of Keras."""

from __future__ import annotations

import json
from typing import Any


def dense(width: int, depth: int, **parameters: Any) -> dict[str, Any]:
    """A training of so many layers of one width on synthetic digits, which need no download.

    Args:
        width: units of a layer.
        depth: layers before the one that tells classes.
        parameters: of the workload, in place of those given here.
    """
    widths = [{"units": width, "activation": "relu"}] * depth + [{"units": 10}]
    layers = [
        _layer("InputLayer", batch_shape=[None, 28, 28], dtype="float32"),
        _layer("Flatten"),
        *(_layer("Dense", **own) for own in widths),
    ]
    model = {
        "module": "keras",
        "class_name": "Sequential",
        "config": {"name": "dense", "layers": layers},
    }
    return {
        "kind": "keras",
        "architecture": "dense.json",
        "document": json.dumps(model),
        "dataset": "mnist",
        "data": "synthetic",
        "divide_by": 255,
        "from_logits": True,
        "train_examples": 4096,
        "validation_examples": 16,
        "evaluation_batch_size": 16,
        **parameters,
    }


def _layer(kind: str, **config: Any) -> dict[str, Any]:
    return {"module": "keras.layers", "class_name": kind, "config": config}
