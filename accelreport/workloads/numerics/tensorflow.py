"""Operations of TensorFlow's own; each is one operation of the graph where that is possible."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf
from numpy.typing import NDArray

cast: Callable[..., Any] = tf.cast
equal: Callable[..., Any] = tf.equal
square: Callable[..., Any] = tf.square
softmax: Callable[..., Any] = tf.nn.softmax
stack: Callable[..., Any] = tf.stack
transpose: Callable[..., Any] = tf.transpose
one_hot: Callable[..., Any] = tf.one_hot
reshape: Callable[..., Any] = tf.reshape
arange: Callable[..., Any] = tf.range
mean: Callable[..., Any] = tf.reduce_mean
total: Callable[..., Any] = tf.reduce_sum
concatenate: Callable[..., Any] = tf.concat
gather: Callable[..., Any] = tf.gather


def gather_each(values: Any, indices: Any) -> Any:
    """See `Operations.gather_each`."""
    return tf.gather(values, indices, axis=1, batch_dims=1)


def argmax(values: Any) -> Any:
    """See `Operations.argmax`."""
    return tf.argmax(values, axis=-1, output_type=tf.int32)


def reshape_like(values: Any, model: Any) -> Any:
    """See `Operations.reshape_like`."""
    return tf.reshape(values, tf.shape(model))


def in_top(targets: Any, outputs: Any, count: int) -> Any:
    """See `Operations.in_top`."""
    return tf.math.in_top_k(targets, tf.cast(outputs, tf.float32), k=count)


def class_cross_entropy(targets: Any, outputs: Any) -> Any:
    """See `Operations.class_cross_entropy`."""
    logits = tf.cast(outputs, tf.float32)
    return tf.nn.sparse_softmax_cross_entropy_with_logits(targets, logits)


def binary_cross_entropy(targets: Any, logits: Any) -> Any:
    """See `Operations.binary_cross_entropy`."""
    return tf.nn.sigmoid_cross_entropy_with_logits(labels=targets, logits=logits)


def forward(model: Any, inputs: NDArray[Any]) -> NDArray[Any]:
    """See `Operations.forward`."""
    run = tf.function(lambda x: model(x, training=False), jit_compile=False)
    outputs: NDArray[Any] = run(tf.constant(inputs)).numpy()
    return outputs


def write(step: Any, states: Any, read: NDArray[np.int32], count: int, seed: int) -> NDArray[Any]:
    """See `Operations.write`."""

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
    """See `Operations.chained_products`."""

    @tf.function(jit_compile=jit_compile)  # type: ignore[untyped-decorator,unused-ignore]
    def chain(x: Any, y: Any, count: Any) -> Any:
        for _ in tf.range(count):
            x = tf.matmul(x, y)
        return tf.reduce_sum(tf.cast(x, tf.float32))

    function: Callable[[Any, Any, Any], Any] = chain
    return function
