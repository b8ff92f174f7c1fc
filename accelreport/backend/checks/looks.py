"""The batch that the checks look at, where Keras runs on another framework than TensorFlow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from accelreport.backend.checks.inputs import Looks

if TYPE_CHECKING:
    from accelreport.backend.engine import Engine


def on_device(engine: Engine, source: Any, row: NDArray[np.int32]) -> Looks:
    """A batch of what lies on the device.

    Args:
        engine: the problem on its device.
        source: the resident data.
        row: indices of the batch's examples.
    """
    return _looks(*engine.problem.take(source, engine.constant(row)))


def on_host(engine: Engine, row: NDArray[np.int32]) -> Looks:
    """The same batch from the arrays of the data set, by the host's processor."""
    import keras

    with keras.device("cpu:0"):
        arrays = {name: _tensor(each) for name, each in engine.problem.resident.items()}
        return _looks(*engine.problem.take(arrays, _tensor(row)))


def _tensor(array: NDArray[Any]) -> Any:
    from keras import ops

    # PyTorch shares an array's memory, and warns where nobody may write to it.
    return ops.convert_to_tensor(array if array.flags.writeable else array.copy())


def _looks(inputs: Any, targets: Any) -> Looks:
    from keras import ops, tree

    first, rest = tree.flatten(inputs), tree.flatten(targets)
    rows = []
    for each in [*first, *rest]:
        flat = np.asarray(ops.convert_to_numpy(each)).astype(np.float32).reshape(-1)
        others = float(np.sum(flat != flat[0]))
        sums = (float(np.sum(flat, dtype=np.float64)), float(np.sum(flat.astype(np.float64) ** 2)))
        rows.append([float(flat.size), others, *sums])
    return Looks(np.asarray(rows, np.float64), len(first))
