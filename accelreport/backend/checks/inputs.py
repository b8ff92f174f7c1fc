"""Whether what the device is fed is what the data set holds, and varies at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from accelreport.backend.checks import CheckLog, RefusedCellError
from accelreport.spec.families import TENSORFLOW

if TYPE_CHECKING:
    from accelreport.backend.engine import Engine
    from accelreport.backend.frameworks.tensorflow.engine import TensorFlowEngine
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


def judge_inputs(found: CheckLog, engine: Engine, source: Any, *, pipeline: bool) -> None:
    """Compare a batch on the device with the same batch of the data set.

    Args:
        found: takes the checks.
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
        there = _on_device(cast("TensorFlowEngine", engine), source, row, pipeline=pipeline)
    if there.elements < 2:
        found.inapplicable("constant-input", "a batch holds a single number")
    else:
        seen = "they vary" if there.varies else f"all {there.elements:,} are {there.mean():g}"
        expected = "the inputs of a batch hold more than one value"
        found.judge("constant-input", sound=there.varies, expected=expected, seen=seen)
    size = np.nan_to_num(np.sqrt(here.rows[:, 3] / np.maximum(here.rows[:, 0], 1))) + 1e-12
    # Data that hold no numbers in places are no older for it.
    means = [
        np.nan_to_num(each.rows[:, 2] / np.maximum(each.rows[:, 0], 1)) for each in (there, here)
    ]
    off = float(np.max(np.abs(means[0] - means[1]) / size)) if len(size) else 0.0
    found.judge(
        "stale-data",
        sound=off <= UNLIKE and bool((there.rows[:, 0] == here.rows[:, 0]).all()),
        expected="a batch on the device has the sums of the same batch of the data set",
        seen=f"they differ by {off:.2g} of their size",
    )
    if there.elements >= 2 and not there.varies:
        raise RefusedCellError(
            f"constant-input: all {there.elements:,} numbers of a batch are {there.mean():g}",
            why="arithmetic on constants takes less time and power than that on real data",
            remedy="Correct the data set, or what brings it to the device.",
        )


def _on_device(
    engine: TensorFlowEngine, source: Any, row: NDArray[np.int32], *, pipeline: bool
) -> SampleBatch:
    import tensorflow as tf

    placement, problem = engine.runtime.placement, engine.problem
    if engine.runtime.replicas > 1 or "TPU" in placement.devices[0].upper():
        return _on_replicas(engine, source, row, pipeline=pipeline)
    # Operation by operation: tracing a graph takes ten times as long.
    with tf.device(placement.devices[0]):
        batch = (
            next(source) if pipeline else problem.take(placement.opened(source), tf.constant(row))
        )
        return _array_sums(*batch)


def _on_replicas(
    engine: TensorFlowEngine, source: Any, row: NDArray[np.int32], *, pipeline: bool
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
            sums = strategy.run(resident_step, args=(placement.opened(source), indices))
        return strategy.reduce(tf.distribute.ReduceOp.SUM, sums, axis=None)

    rows = placement.once(sums)(source, tf.constant(row)).numpy()
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
        arrays = {name: _tensor(each) for name, each in engine.problem.resident.items()}
        return _array_sums(*engine.problem.take(arrays, _tensor(row)))


def _tensor(array: NDArray[Any]) -> Any:
    from keras import ops

    # PyTorch shares an array's memory, and warns where nobody may write to it.
    return ops.convert_to_tensor(array if array.flags.writeable else array.copy())


def _array_sums(inputs: Any, targets: Any) -> SampleBatch:
    from keras import ops, tree

    first, rest = tree.flatten(inputs), tree.flatten(targets)
    rows = []
    for each in [*first, *rest]:
        flat = np.asarray(ops.convert_to_numpy(each)).astype(np.float32).reshape(-1)
        others = float(np.sum(flat != flat[0]))
        sums = (float(np.sum(flat, dtype=np.float64)), float(np.sum(flat.astype(np.float64) ** 2)))
        rows.append([float(flat.size), others, *sums])
    return SampleBatch(np.asarray(rows, np.float64), len(first))
