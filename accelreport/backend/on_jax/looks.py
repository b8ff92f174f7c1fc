"""The batch that the checks look at, as it lies on the device and as the data set has it."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from accelreport.backend.checks.inputs import Looks
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
    with jax.default_device(jax.devices("cpu")[0]):
        arrays = {name: jnp.asarray(each) for name, each in engine.problem.resident.items()}
        return _looks(*engine.problem.take(arrays, jnp.asarray(row)))


def _looks(inputs: Any, targets: Any) -> Looks:
    first, rest = jax.tree.leaves(inputs), jax.tree.leaves(targets)
    rows = []
    for each in [*first, *rest]:
        flat = np.asarray(each).astype(np.float32).reshape(-1)
        others = float(np.sum(flat != flat[0]))
        sums = (float(np.sum(flat, dtype=np.float64)), float(np.sum(flat.astype(np.float64) ** 2)))
        rows.append([float(flat.size), others, *sums])
    return Looks(np.asarray(rows, np.float64), len(first))
