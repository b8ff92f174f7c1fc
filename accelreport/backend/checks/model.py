"""A training's data and model: what it is fed, begins and ends with, and its kernels."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from accelreport.backend.checks import CheckLog, RefusedCellError
from accelreport.spec.families import TENSORFLOW
from accelreport.workloads.numerics import numbers

if TYPE_CHECKING:
    from accelreport.backend.engine import Engine
    from accelreport.workloads.base import TrainingProblem


UNLIKE = 1e-3
"""Sums of the same values on two devices differ by rounding alone, a hundredth of this share
of their size; those of other examples differ by a hundred times as much."""

COLUMNS = 4
"""Of each tensor: its elements, how many differ from its first, the sum, the sum of squares."""


def probe_row(problem: TrainingProblem) -> NDArray[np.int32]:
    """Indices of one batch, spread over all examples; shape [batch]."""
    return np.linspace(0, problem.examples - 1, problem.batch_size).astype(np.int32)


@dataclass(frozen=True)
class SampleBatch:
    """Sums of one batch: a row of `COLUMNS` for each input, then for each target."""

    rows: NDArray[np.float64]
    inputs: int

    @property
    def elements(self) -> int:
        """Elements of all inputs."""
        return int(self.rows[: self.inputs, 0].sum())

    @property
    def varies(self) -> bool:
        """Whether any input holds two values."""
        return bool((self.rows[: self.inputs, 1] > 0).any())

    def mean(self) -> float:
        """Mean of all inputs."""
        return float(self.rows[: self.inputs, 2].sum() / max(self.elements, 1))


def judge_inputs(log: CheckLog, engine: Engine, source: Any, *, pipeline: bool) -> None:
    """Compare a batch on the device with the same batch of the data set.

    Args:
        log: takes the checks.
        engine: the problem under its strategy.
        source: the resident data on the device, or an iterator whose next batch is that of
            `probe_row`.
        pipeline: which of the two it is.

    Raises:
        RefusedCellError: the inputs hold one value only: arithmetic on zeros or ones draws less
            power and takes less time than that of real data.
    """
    problem = engine.problem
    row = probe_row(problem)
    here = on_host(engine, row)
    if engine.runtime.framework != TENSORFLOW:
        there = on_device(engine, source, row)
    else:
        there = _on_device(engine, source, row, pipeline=pipeline)
    if there.elements < 2:
        log.inapplicable("constant-input", "a batch holds a single number")
    else:
        observed = "they vary" if there.varies else f"all {there.elements:,} are {there.mean():g}"
        expected = "the inputs of a batch hold more than one value"
        log.judge("constant-input", sound=there.varies, expected=expected, observed=observed)
    size = np.nan_to_num(np.sqrt(here.rows[:, 3] / np.maximum(here.rows[:, 0], 1))) + 1e-12
    # Data that hold no numbers in places are no older for it.
    means = [
        np.nan_to_num(moments.rows[:, 2] / np.maximum(moments.rows[:, 0], 1))
        for moments in (there, here)
    ]
    off = float(np.max(np.abs(means[0] - means[1]) / size)) if len(size) else 0.0
    log.judge(
        "stale-data",
        sound=off <= UNLIKE and bool((there.rows[:, 0] == here.rows[:, 0]).all()),
        expected="a batch on the device has the sums of the same batch of the data set",
        observed=f"the sums differ by {100 * off:.2g} % of their size",
    )
    if there.elements >= 2 and not there.varies:
        raise RefusedCellError(
            f"constant-input: all {there.elements:,} numbers of a batch are {there.mean():g}",
            why="arithmetic on constants takes less time and power than that on real data",
            remedy="Correct the data set or the input pipeline.",
        )


def _on_device(engine: Any, source: Any, row: NDArray[np.int32], *, pipeline: bool) -> SampleBatch:
    import tensorflow as tf

    placement, problem = engine.runtime.placement, engine.problem
    if engine.runtime.replicas > 1 or "TPU" in placement.devices[0].upper():
        return _on_replicas(engine, source, row, pipeline=pipeline)
    # Operation by operation: tracing a graph takes ten times as long.
    with tf.device(placement.devices[0]):
        batch = next(source) if pipeline else problem.take(source, tf.constant(row))
        return _array_sums(*batch)


def _on_replicas(
    engine: Any, source: Any, row: NDArray[np.int32], *, pipeline: bool
) -> SampleBatch:
    import tensorflow as tf

    placement, strategy, problem = engine.runtime.placement, engine.runtime.strategy, engine.problem
    inputs = 0

    def step(*batch: Any) -> Any:
        nonlocal inputs
        rows, inputs = _sums(*batch)
        return rows

    def resident_step(arrays: Any, indices: Any) -> Any:
        return step(*problem.take(arrays, engine.share(indices)))

    @tf.function(jit_compile=False)  # type: ignore[untyped-decorator,unused-ignore]
    def sums(source: Any, indices: Any) -> Any:
        if pipeline:
            sums = strategy.run(step, args=next(source))
        else:
            sums = strategy.run(resident_step, args=(source, indices))
        return strategy.reduce(tf.distribute.ReduceOp.SUM, sums, axis=None)

    rows = placement.in_one_place(sums)(source, tf.constant(row)).numpy()
    return SampleBatch(np.asarray(rows, np.float64), inputs)


def _sums(inputs: Any, targets: Any) -> tuple[Any, int]:
    """Rows [tensors, `COLUMNS`] and the number of inputs among the tensors."""
    import tensorflow as tf

    first, rest = tf.nest.flatten(inputs), tf.nest.flatten(targets)
    rows = []
    for tensor in [*first, *rest]:
        flat = tf.reshape(tf.cast(tensor, tf.float32), [-1])
        others = tf.reduce_sum(tf.cast(flat != flat[0], tf.float32))
        count = tf.cast(tf.size(flat), tf.float32)
        rows.append(tf.stack([count, others, tf.reduce_sum(flat), tf.reduce_sum(flat * flat)]))
    return tf.stack(rows), len(first)


def on_device(engine: Engine, source: Any, row: NDArray[np.int32]) -> SampleBatch:
    """A batch of what lies on the device.

    Args:
        engine: the problem on its device.
        source: the resident data.
        row: indices of the batch's examples.
    """
    return _array_sums(*engine.problem.take(source, engine.constant(row)))


def on_host(engine: Engine, row: NDArray[np.int32]) -> SampleBatch:
    """The same batch from the arrays of the data set, by the host's processor."""
    import keras

    with keras.device("cpu:0"):
        arrays = {name: _tensor(array) for name, array in engine.problem.resident.items()}
        return _array_sums(*engine.problem.take(arrays, _tensor(row)))


def _tensor(array: NDArray[Any]) -> Any:
    from keras import ops

    # PyTorch shares an array's memory, and warns where nobody may write to it.
    return ops.convert_to_tensor(array if array.flags.writeable else array.copy())


def _array_sums(inputs: Any, targets: Any) -> SampleBatch:
    from keras import ops, tree

    first, rest = tree.flatten(inputs), tree.flatten(targets)
    rows = []
    for part in [*first, *rest]:
        flat = np.asarray(ops.convert_to_numpy(part)).astype(np.float32).reshape(-1)
        others = float(np.sum(flat != flat[0]))
        sums = (float(np.sum(flat, dtype=np.float64)), float(np.sum(flat.astype(np.float64) ** 2)))
        rows.append([float(flat.size), others, *sums])
    return SampleBatch(np.asarray(rows, np.float64), len(first))


ELEMENTS = 2**16
"""Elements read of each weight: enough to tell two seeds apart, for any size of network."""

FEWEST_EXAMPLES = 20
"""20! orders: two seeds do not draw the same one."""


def beginnings(engine: Engine) -> list[NDArray[Any]]:
    """The first rows of every trainable weight, up to `ELEMENTS` numbers of each."""
    return [_beginning(variable.value) for variable in engine.model.trainable_variables]


def random_weights(weights: list[NDArray[Any]]) -> str:
    """SHA-256 over the weights that a seed can have drawn: matrices that are not constant."""
    drawn = [
        weight for weight in weights if weight.ndim >= 2 and weight.size > 1 and np.ptp(weight) > 0
    ]
    digest = hashlib.sha256()
    for weight in drawn:
        digest.update(np.ascontiguousarray(weight).tobytes())
    return digest.hexdigest() if drawn else ""


def order_of(rows: NDArray[np.int32], examples: int) -> str:
    """SHA-256 over the order of an epoch's examples; empty where there are too few."""
    return hashlib.sha256(rows.tobytes()).hexdigest() if examples >= FEWEST_EXAMPLES else ""


def judge_beginning(log: CheckLog, engine: Engine) -> None:
    """Whether model and optimizer are new: no step was done, nothing was accumulated."""
    done = engine.steps_done()
    slots = [
        _beginning(variable.value)
        for variable in engine.optimizer.variables
        if len(variable.shape) > 0
    ]
    warm = sum(bool(np.any(slot != slot.flat[0])) for slot in slots)  # some begin at 0.1
    log.judge(
        "stale-state",
        sound=not done and not warm,
        expected="model and optimizer are new when the first window begins",
        observed=f"the optimizer had done {done} steps and {warm} of its {len(slots)} tensors "
        "held more than one value",
    )


def judge_end(log: CheckLog, engine: Engine, before: list[NDArray[Any]]) -> None:
    """Whether training has moved the weights: a gradient that nobody uses is never computed."""
    if not before:
        log.inapplicable("weights-unmoved", "the model has no trainable weights")
        return
    after = beginnings(engine)
    moved = sum(not np.array_equal(a, b) for a, b in zip(before, after, strict=True))
    log.judge(
        "weights-unmoved",
        sound=moved > 0,
        expected="training has changed the weights",
        observed=f"{moved} of {len(after)} weights changed",
    )


def judge_batch(log: CheckLog, engine: Engine) -> None:
    """Whether a step sees as many examples as it claims, by the shape that was traced."""
    share, replicas = engine.traced_batch, engine.runtime.replicas
    if share is None:
        log.inapplicable("sample-count", "the size of a batch is not known before it is run")
        return
    claimed = engine.problem.batch_size
    log.judge(
        "sample-count",
        sound=share * replicas == claimed,
        expected=f"a step trains on {claimed} examples",
        observed=f"{replicas} × {share} examples were traced",
    )


def judge_device(log: CheckLog, tensors: list[Any], devices: list[str], kind: str) -> None:
    """Whether tensors lie where the device's row says.

    Args:
        log: takes the check.
        tensors: weights, inputs or results, from every replica of this process.
        devices: the framework's names of the devices that are to compute.
        kind: kind of the device's row, such as `GPU`.
    """
    named = {_short(device) for device in devices}
    where = {place for tensor in tensors for part in _parts(tensor) for place in _places(part)}
    if not where or any("/job:worker" in device and "/task:" in device for device in devices):
        log.inapplicable("wrong-device", "what lies on other processes is not seen from here")
        return
    log.judge(
        "wrong-device",
        sound=where <= named and all(place.startswith(f"{kind}:") for place in where),
        expected=f"weights, inputs and results lie on {', '.join(sorted(named))}",
        observed=f"they lie on {', '.join(sorted(where))}",
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


FUSED = ("CudnnRNN", "rnn", "_cudnn_rnn")
"""How operations of TensorFlow, JAX and PyTorch begin that are cuDNN's fused recurrent kernel."""


def kernel_path(model: Any, kinds: frozenset[str], facts: dict[str, str]) -> dict[str, str]:
    """Facts for the record: the library of convolutions and products, and of recurrent layers.

    Args:
        model: the Keras model.
        kinds: types of the operations in the graph of its training step.
        facts: what the runtime found out before (`device`, `onednn`, `xla`, or `kernels`).
    """
    kernels = {"kernels": _library(facts)}
    recurrent = list(recurrent_layers(model))
    if recurrent:
        fused = any(kind.startswith(FUSED) for kind in kinds)
        kernels["recurrent_kernel"] = "cuDNN" if fused else "loop over steps"
    if recurrent and facts.get("device") != "CPU":  # which cuDNN does not run on
        masked = _masked_layers(model)
        reasons = {
            reason
            for layer in recurrent
            for reason in no_cudnn(layer, facts, masked=id(layer) in masked)
        }
        kernels["cudnn_possible"] = "no: " + "; ".join(sorted(reasons)) if reasons else "yes"
    return kernels


def judge_kernels(log: CheckLog, facts: dict[str, str]) -> None:
    """Whether recurrent layers on a GPU run cuDNN's fused kernel.

    Args:
        log: takes the check.
        facts: the runtime's, those of `kernel_path` among them.
    """
    own = facts.get("recurrent_kernel")
    if own is None or facts.get("device") != "GPU":
        why = "it has no recurrent layer" if own is None else "cuDNN belongs to GPUs"
        log.inapplicable("cudnn-fallback", why)
        return
    possible = facts.get("cudnn_possible", "")
    log.judge(
        "cudnn-fallback",
        sound=own == "cuDNN",
        expected="recurrent layers run on cuDNN's fused kernel",
        observed=f"they run as {own} (cuDNN possible: {possible})",
    )


def _library(facts: dict[str, str]) -> str:
    if "kernels" in facts:
        return facts["kernels"]
    if facts.get("xla") == "on" or facts.get("device") == "TPU":
        return "XLA"
    if facts.get("device") == "GPU":
        return f"cuDNN {facts.get('cudnn', '')}".strip()
    return "oneDNN" if facts.get("onednn") == "on" else "Eigen"


def recurrent_layers(model: Any) -> Iterator[Any]:
    """The layers of a Keras model for which cuDNN has a fused kernel, wrapped ones among them."""
    from keras import layers

    for layer in model._flatten_layers():
        if isinstance(layer, layers.LSTM | layers.GRU):
            yield layer


def _masked_layers(model: Any) -> set[int]:
    """The ids of the layers that are given a mask, and of those that they wrap."""
    return {
        id(layer)
        for owner in model._flatten_layers()
        if any(
            getattr(tensor, "_keras_mask", None) is not None
            for node in owner._inbound_nodes
            for tensor in node.input_tensors
        )
        for layer in owner._flatten_layers()
    }


JAX_DTYPES = ("float32", "float64")
"""In another type `jax.experimental.rnn.lstm` cannot be compiled for a GPU."""

BFLOAT16_FROM = 91_300
"""The version of cuDNN from which PyTorch computes a recurrent layer with it in bfloat16."""


def no_cudnn(layer: Any, facts: Mapping[str, str] = {}, *, masked: bool = False) -> list[str]:
    """Why cuDNN's fused kernel does not fit a recurrent layer, wherever it runs.

    The conditions are those that Keras 3 and its framework test before they use the kernel; a
    layer that misses one falls back to a loop over steps without saying so.

    Args:
        layer: an LSTM or a GRU of Keras.
        facts: the runtime's, `cudnn` and `torch_compile` among them.
        masked: whether it is given a mask.
    """
    import keras

    framework, dtype = keras.backend.backend(), layer.compute_dtype
    if framework == "jax" and isinstance(layer, keras.layers.GRU):
        return ["JAX has no cuDNN kernel for a GRU"]
    if framework == "jax" and dtype not in JAX_DTYPES:
        return [f"JAX has no cuDNN kernel for {dtype}"]
    old = framework == "torch" and 0 < int(facts.get("cudnn") or 0) < BFLOAT16_FROM
    configuration = layer.get_config()
    missed = {
        "use_cudnn is false": layer.use_cudnn is False,
        "activation is not tanh": configuration["activation"] != "tanh",
        "recurrent_activation is not sigmoid": configuration["recurrent_activation"] != "sigmoid",
        "recurrent_dropout": configuration["recurrent_dropout"] > 0,
        "unroll": configuration["unroll"],
        "no bias": not configuration["use_bias"],
        "reset_after is false": configuration.get("reset_after", True) is False,
        "a mask": masked and framework != "tensorflow",
        "torch.compile": facts.get("torch_compile") == "on",
        "a cuDNN before 9.13 for bfloat16": old and dtype == "bfloat16",
    }
    return [reason for reason, applies in missed.items() if applies]
