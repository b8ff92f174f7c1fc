"""State that each replica keeps for itself, and what must be done so that it stays right.

Keras 3 creates variables without an aggregation: under a strategy, what a layer assigns
while it is called stays on its replica. Two kinds of variables are concerned.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

SEED_STRIDE = 1_000_003
"""Between the seeds of neighbouring replicas; a prime, far above the draws of any cell."""


def part_random_streams(model: Any, strategy: Any) -> None:
    """Give every replica random numbers of its own (dropout masks, augmentation).

    All replicas begin with the same state and would drop the same units of the i-th example
    of each share. The first replica keeps the stream it would have alone.
    """
    import tensorflow as tf

    weights = {id(weight) for weight in model.weights}
    states = [variable for variable in model.variables if id(variable) not in weights]
    states = [state for state in states if tuple(state.shape) == (2,)]
    if not states:
        return

    def part() -> None:
        number = tf.distribute.get_replica_context().replica_id_in_sync_group
        for state in states:
            value = state.value
            step = tf.cast(number, value.dtype) * tf.constant(SEED_STRIDE, value.dtype)
            value.assign(value + tf.stack([step, tf.zeros_like(step)]))

    @tf.function(jit_compile=False)  # type: ignore[untyped-decorator,unused-ignore]
    def everywhere() -> None:
        strategy.run(part)

    everywhere()


def statistics_averager(model: Any, strategy: Any) -> Callable[[], None]:
    """A function that sets the moving statistics of every replica to their mean.

    Batch normalisation keeps moving averages of what its own replica saw, and evaluates with
    them. They are linear in the batches' statistics and training never reads them, so that
    the mean taken once before an evaluation is what a mean at every step would have given.
    """
    import tensorflow as tf

    moving = [v for v in model.non_trainable_variables if tf.as_dtype(v.dtype).is_floating]
    if not moving:
        return lambda: None

    def average() -> None:
        context = tf.distribute.get_replica_context()
        own = [tf.identity(variable.value) for variable in moving]
        means = context.all_reduce(tf.distribute.ReduceOp.MEAN, own)
        for variable, mean in zip(moving, means, strict=True):
            variable.value.assign(mean)

    @tf.function(jit_compile=False)  # type: ignore[untyped-decorator,unused-ignore]
    def everywhere() -> None:
        strategy.run(average)

    return lambda: everywhere()


def finite_together(gradients: list[Any]) -> list[Any]:
    """Gradients that are not finite on any replica as soon as they are not on one.

    A loss-scaling optimizer asks one replica alone whether to skip a step; without this, the
    sum over replicas could carry another one's infinity into the weights.
    """
    import tensorflow as tf

    flat = [g.values if isinstance(g, tf.IndexedSlices) else g for g in gradients]
    finite = tf.reduce_all([tf.reduce_all(tf.math.is_finite(g)) for g in flat if g is not None])
    wrong = tf.distribute.get_replica_context().all_reduce(
        tf.distribute.ReduceOp.SUM, tf.cast(~finite, tf.float32)
    )
    poison = tf.where(wrong > 0, tf.constant(float("nan")), tf.constant(0.0))

    def poisoned(gradient: Any) -> Any:
        if gradient is None:
            return None
        if isinstance(gradient, tf.IndexedSlices):
            values = gradient.values + tf.cast(poison, gradient.values.dtype)
            return tf.IndexedSlices(values, gradient.indices, gradient.dense_shape)
        return gradient + tf.cast(poison, gradient.dtype)

    return [poisoned(gradient) for gradient in gradients]
