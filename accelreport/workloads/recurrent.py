"""What the recurrent families share: which kernel an LSTM or GRU may use."""

from __future__ import annotations

from typing import Any, Literal

Kernel = Literal["default", "no_cudnn", "hard_sigmoid"]
"""How a recurrent layer is computed. `default`: Keras chooses, which is cuDNN's fused kernel
on an NVIDIA GPU. `no_cudnn`: the same arithmetic as a loop over steps. `hard_sigmoid`: the
recurrent activation of Keras before 2.0 reached TensorFlow 2, clip(0.2·x + 0.5, 0, 1), which
no fused kernel knows."""


def recurrent_options(kernel: Kernel) -> dict[str, Any]:
    """Arguments for `keras.layers.LSTM` or `GRU` that select a kernel."""
    if kernel == "no_cudnn":
        return {"use_cudnn": False}
    if kernel == "hard_sigmoid":
        return {"recurrent_activation": hard_sigmoid}
    return {}


def hard_sigmoid(x: Any) -> Any:
    """clip(0.2·x + 0.5, 0, 1): Keras' own until version 3, whose slope is 1/6 instead."""
    from keras import ops

    return ops.clip(0.2 * x + 0.5, 0.0, 1.0)
