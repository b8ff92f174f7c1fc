"""The model of a training: what it begins and ends with, where it lies, what kernels it runs on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from accelreport.backend.checks import CheckLog

if TYPE_CHECKING:
    from accelreport.backend.engine import Engine

ELEMENTS = 2**16
"""Elements read of each weight: enough to tell two seeds apart, for any size of network."""

FEWEST_EXAMPLES = 20
"""20! orders: two seeds do not draw the same one."""


def beginnings(engine: Engine) -> list[NDArray[Any]]:
    """The first rows of every trainable weight, up to `ELEMENTS` numbers of each."""
    return [_beginning(each.value) for each in engine.model.trainable_variables]


def random_weights(weights: list[NDArray[Any]]) -> str:
    """SHA-256 over the weights that a seed can have drawn: matrices that are not constant."""
    drawn = [each for each in weights if each.ndim >= 2 and each.size > 1 and np.ptp(each) > 0]
    digest = hashlib.sha256()
    for each in drawn:
        digest.update(np.ascontiguousarray(each).tobytes())
    return digest.hexdigest() if drawn else ""


def order_of(rows: NDArray[np.int32], examples: int) -> str:
    """SHA-256 over the order of an epoch's examples; empty where there are too few."""
    return hashlib.sha256(rows.tobytes()).hexdigest() if examples >= FEWEST_EXAMPLES else ""


def judge_beginning(found: CheckLog, engine: Engine) -> None:
    """Whether model and optimizer are new: no step was done, nothing was accumulated."""
    done = engine.steps_done()
    slots = [_beginning(each.value) for each in engine.optimizer.variables if len(each.shape) > 0]
    warm = sum(bool(np.any(slot)) for slot in slots)
    found.judge(
        "stale-state",
        sound=not done and not warm,
        expected="model and optimizer are new when the first window begins",
        seen=f"the optimizer had done {done} steps and {warm} of its {len(slots)} tensors were "
        "not zero",
    )


def judge_end(found: CheckLog, engine: Engine, before: list[NDArray[Any]]) -> None:
    """Whether training has moved the weights: a gradient that nobody uses is never computed."""
    if not before:
        found.inapplicable("weights-unmoved", "the model has no trainable weights")
        return
    after = beginnings(engine)
    moved = sum(not np.array_equal(a, b) for a, b in zip(before, after, strict=True))
    found.judge(
        "weights-unmoved",
        sound=moved > 0,
        expected="training has changed the weights",
        seen=f"{moved} of {len(after)} weights changed",
    )


def judge_batch(found: CheckLog, engine: Engine) -> None:
    """Whether a step sees as many examples as it claims, by the shape that was traced."""
    share, replicas = engine.traced_batch, engine.runtime.replicas
    if share is None:
        found.inapplicable("sample-count", "the size of a batch is not known before it is run")
        return
    claimed = engine.problem.batch_size
    found.judge(
        "sample-count",
        sound=share * replicas == claimed,
        expected=f"a step trains on {claimed} examples",
        seen=f"{replicas} × {share} examples were traced",
    )


def judge_device(found: CheckLog, tensors: list[Any], devices: list[str], kind: str) -> None:
    """Whether tensors lie where the device's row says.

    Args:
        found: takes the check.
        tensors: weights, inputs or results, from every replica of this process.
        devices: the framework's names of the devices that are to compute.
        kind: kind of the device's row, such as `GPU`.
    """
    named = {_short(device) for device in devices}
    where = {place for each in tensors for part in _parts(each) for place in _places(part)}
    if not where or any("/job:worker" in device and "/task:" in device for device in devices):
        found.inapplicable("wrong-device", "what lies on other processes is not seen from here")
        return
    found.judge(
        "wrong-device",
        sound=where <= named and all(each.startswith(f"{kind}:") for each in where),
        expected=f"weights, inputs and results lie on {', '.join(sorted(named))}",
        seen=f"they lie on {', '.join(sorted(where))}",
    )


def _parts(tensor: Any) -> tuple[Any, ...]:
    """The copies of a mirrored variable or a value of several replicas."""
    values = getattr(tensor, "values", None)
    return tuple(values) if isinstance(values, tuple | list) else (tensor,)


def _places(part: Any) -> set[str]:
    """Where a tensor of any framework lies; nothing where nobody knows."""
    if callable(devices := getattr(part, "devices", None)):  # an array of JAX
        return {f"{device.platform.upper()}:{device.id}" for device in devices()}
    if hasattr(part.device, "type"):  # a tensor of PyTorch
        kind = {"cuda": "GPU"}.get(part.device.type, part.device.type.upper())
        return {f"{kind}:{part.device.index or 0}"}
    return {_short(part.device)} if part.device else set()


def _short(device: str) -> str:
    """`/job:localhost/replica:0/task:0/device:GPU:0` or `/GPU:0` → `GPU:0`."""
    return device.rpartition("/")[2].removeprefix("device:").upper()


def _beginning(variable: Any) -> NDArray[Any]:
    shape = tuple(variable.shape)
    if not shape:
        return numbers(variable)
    row = int(np.prod(shape[1:]))
    rows = max(1, ELEMENTS // max(row, 1))
    return numbers(variable if shape[0] <= rows else variable[:rows])


def numbers(tensor: Any) -> NDArray[Any]:
    """A copy of a tensor of any framework.

    JAX and PyTorch give out their own memory, which the next step would overwrite or leave.
    """
    from keras import ops

    return np.array(tensor.numpy() if _of_tensorflow(tensor) else ops.convert_to_numpy(tensor))


def _of_tensorflow(tensor: Any) -> bool:
    return hasattr(tensor, "numpy") and not hasattr(tensor, "detach")


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


def judge_kernels(found: CheckLog, facts: dict[str, str]) -> None:
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
