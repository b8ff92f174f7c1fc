"""Batches through `tf.data`, as a training script would read them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from accelreport.workloads.base import TrainingProblem


def batches(problem: TrainingProblem, order: NDArray[np.int32]) -> Any:
    """A `tf.data.Dataset` of (inputs, targets), one element a batch.

    Args:
        problem: gives the arrays, which stay in the host's memory, and `take`.
        order: indices of every batch, shape [steps, batch].
    """
    import tensorflow as tf

    with tf.device("/CPU:0"):
        arrays = {name: tf.constant(array) for name, array in problem.resident.items()}
    return (
        tf.data.Dataset.from_tensor_slices(order)
        .map(lambda indices: problem.take(arrays, indices), num_parallel_calls=tf.data.AUTOTUNE)
        .repeat()  # endless: nothing has to look for its end before every step
        .prefetch(tf.data.AUTOTUNE)
    )
