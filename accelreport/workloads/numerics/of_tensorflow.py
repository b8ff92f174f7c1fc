"""Operations of TensorFlow's own; each is one operation of the graph where that is possible."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf
from numpy.typing import NDArray

cast: Callable[..., Any] = tf.cast
"""(values, dtype) → values of that type."""

equal: Callable[..., Any] = tf.equal
"""Whether values are equal, one by one."""

square: Callable[..., Any] = tf.square
"""The squares of values."""

softmax: Callable[..., Any] = tf.nn.softmax
"""Probabilities from logits, over the last axis."""

stack: Callable[..., Any] = tf.stack
"""Parts of one shape, along a new first axis."""

transpose: Callable[..., Any] = tf.transpose
"""Rows for columns: [a, b] → [b, a]."""

one_hot: Callable[..., Any] = tf.one_hot
"""(numbers [n], width) → [n, width], 1 at each number and 0 elsewhere."""

reshape: Callable[..., Any] = tf.reshape
"""(values, shape) → the same values in another shape."""

arange: Callable[..., Any] = tf.range
"""0 … n − 1, as int32."""


def gather(values: Any, indices: Any) -> Any:
    """Rows of `values`, whatever the shape of `indices`."""
    return tf.gather(values, indices)


def gather_each(values: Any, indices: Any) -> Any:
    """Of each row of `values` [n, width] the one value at `indices` [n]."""
    return tf.gather(values, indices, axis=1, batch_dims=1)


def argmax(values: Any) -> Any:
    """Where the largest value of the last axis stands, as int32."""
    return tf.argmax(values, axis=-1, output_type=tf.int32)


def mean(values: Any, axis: int | list[int]) -> Any:
    """Means over some axes."""
    return tf.reduce_mean(values, axis=axis)


def total(values: Any, axis: int) -> Any:
    """Sums over an axis."""
    return tf.reduce_sum(values, axis=axis)


def concatenate(parts: list[Any], axis: int) -> Any:
    """Parts, one after the other along an axis."""
    return tf.concat(parts, axis=axis)


def reshape_like(values: Any, model: Any) -> Any:
    """Values in the shape of another tensor."""
    return tf.reshape(values, tf.shape(model))


def in_top(targets: Any, outputs: Any, count: int) -> Any:
    """Whether the true class [n] is among the `count` largest outputs [n, classes]."""
    return tf.math.in_top_k(targets, tf.cast(outputs, tf.float32), k=count)


def class_cross_entropy(targets: Any, outputs: Any) -> Any:
    """Cross-entropy of labels […] and logits […, classes] → […], in float32."""
    logits = tf.cast(outputs, tf.float32)
    return tf.nn.sparse_softmax_cross_entropy_with_logits(targets, logits)


def binary_cross_entropy(targets: Any, logits: Any) -> Any:
    """Cross-entropy of labels of 0 and 1 and logits, of one shape."""
    return tf.nn.sigmoid_cross_entropy_with_logits(labels=targets, logits=logits)


def forward(model: Any, inputs: NDArray[Any]) -> NDArray[Any]:
    """Outputs of a trained model, computed in one graph."""
    run = tf.function(lambda x: model(x, training=False), jit_compile=False)
    outputs: NDArray[Any] = run(tf.constant(inputs)).numpy()
    return outputs


def write(step: Any, states: Any, read: NDArray[np.int32], count: int, seed: int) -> NDArray[Any]:
    """Have a model read, then draw one value after another and read it again.

    Args:
        step: (values [texts], states) → (logits [texts, values], states).
        states: before the first step.
        read: what it reads first, [texts, length].
        count: values to be drawn.
        seed: of the drawing.

    Returns:
        [texts, count].
    """

    @tf.function(jit_compile=False)  # type: ignore[untyped-decorator,unused-ignore]
    def generate(read: Any, seed: Any, states: Any) -> Any:
        for place in tf.range(tf.shape(read)[1] - 1):
            _, states = step(read[:, place], states)
        last = read[:, -1]
        written = tf.TensorArray(tf.int32, size=count)
        for place in tf.range(count):
            logits, states = step(last, states)
            drawn = tf.random.stateless_categorical(logits, 1, seed=tf.stack([seed, place]))
            last = tf.cast(drawn[:, 0], tf.int32)
            written = written.write(place, last)
        return tf.transpose(written.stack())

    texts: NDArray[Any] = generate(tf.constant(read), tf.constant(seed), states).numpy()
    return texts


def chained_products(*, jit_compile: bool) -> Callable[[Any, Any, Any], Any]:
    """A function (x, y, count): `count` times x ← x·y, then the sum of all elements.

    Args:
        jit_compile: whether XLA compiles the chain.
    """

    @tf.function(jit_compile=jit_compile)  # type: ignore[untyped-decorator,unused-ignore]
    def chain(x: Any, y: Any, count: Any) -> Any:
        for _ in tf.range(count):
            x = tf.matmul(x, y)
        return tf.reduce_sum(tf.cast(x, tf.float32))

    made: Callable[[Any, Any, Any], Any] = chain
    return made
