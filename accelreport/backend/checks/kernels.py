"""Which kernels a model's steps run on, as its layers and its traced graph say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from accelreport.backend.checks.findings import Findings

FUSED = ("CudnnRNN", "rnn", "_cudnn_rnn")
"""How operations of TensorFlow, JAX and PyTorch begin that are cuDNN's fused recurrent kernel."""


def kernel_path(model: Any, kinds: frozenset[str], facts: dict[str, str]) -> dict[str, str]:
    """Facts for the record: the library of convolutions and products, and of recurrent layers.

    Args:
        model: the Keras model.
        kinds: types of the operations in the graph of its training step.
        facts: what the runtime found out before (`device`, `onednn`, `xla`, or `kernels`).
    """
    found = {"kernels": _library(facts)}
    recurrent = list(_recurrent_layers(model))
    if recurrent:
        fused = any(kind.startswith(FUSED) for kind in kinds)
        found["recurrent_kernel"] = "cuDNN" if fused else "loop over steps"
        reasons = {reason for layer in recurrent for reason in no_cudnn(layer)}
        found["cudnn_possible"] = "no: " + "; ".join(sorted(reasons)) if reasons else "yes"
    return found


def judge_kernels(found: Findings, facts: dict[str, str]) -> None:
    """Whether recurrent layers on a GPU run cuDNN's fused kernel.

    Args:
        found: takes the check.
        facts: the runtime's, those of `kernel_path` among them.
    """
    own = facts.get("recurrent_kernel")
    if own is None or facts.get("device") != "GPU":
        why = "it has no recurrent layer" if own is None else "cuDNN belongs to GPUs"
        found.inapplicable("cudnn-fallback", why)
        return
    possible = facts.get("cudnn_possible", "")
    found.judge(
        "cudnn-fallback",
        sound=own == "cuDNN",
        expected="recurrent layers run on cuDNN's fused kernel",
        seen=f"they run as {own} (cuDNN possible: {possible})",
    )


def _library(facts: dict[str, str]) -> str:
    if "kernels" in facts:
        return facts["kernels"]
    if facts.get("xla") == "on" or facts.get("device") == "TPU":
        return "XLA"
    if facts.get("device") == "GPU":
        return f"cuDNN {facts.get('cudnn', '')}".strip()
    return "oneDNN" if facts.get("onednn") == "on" else "Eigen"


def _recurrent_layers(model: Any) -> Iterator[Any]:
    from keras import layers

    for layer in model._flatten_layers():
        if isinstance(layer, layers.LSTM | layers.GRU):
            yield layer


def no_cudnn(layer: Any) -> list[str]:
    """Why cuDNN's fused kernel does not fit a recurrent layer, wherever it runs.

    The conditions are those Keras 3 tests before it tries the kernel; a layer that misses
    one falls back to a loop over steps without saying so.
    """
    configuration = layer.get_config()
    missed = {
        "use_cudnn is false": layer.use_cudnn is False,
        "activation is not tanh": configuration["activation"] != "tanh",
        "recurrent_activation is not sigmoid": configuration["recurrent_activation"] != "sigmoid",
        "recurrent_dropout": configuration["recurrent_dropout"] > 0,
        "unroll": configuration["unroll"],
        "no bias": not configuration["use_bias"],
        "reset_after is false": configuration.get("reset_after", True) is False,
    }
    return [reason for reason, applies in missed.items() if applies]
