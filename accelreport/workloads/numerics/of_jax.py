"""The same operations in JAX, for programs that XLA compiles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

equal: Callable[..., Any] = jnp.equal
"""Whether values are equal, one by one."""

square: Callable[..., Any] = jnp.square
"""The squares of values."""

softmax: Callable[..., Any] = jax.nn.softmax
"""Probabilities from logits, over the last axis."""

stack: Callable[..., Any] = jnp.stack
"""Parts of one shape, along a new first axis."""

transpose: Callable[..., Any] = jnp.transpose
"""Rows for columns: [a, b] → [b, a]."""

one_hot: Callable[..., Any] = jax.nn.one_hot
"""(numbers [n], width) → [n, width], 1 at each number and 0 elsewhere."""


def cast(values: Any, dtype: str) -> Any:
    """Values of another type."""
    return jnp.asarray(values).astype(dtype)


def reshape(values: Any, shape: Sequence[int]) -> Any:
    """The same values in another shape."""
    return jnp.reshape(values, tuple(shape))


def arange(count: int) -> Any:
    """0 … count − 1, as int32."""
    return jnp.arange(count, dtype=jnp.int32)


def gather(values: Any, indices: Any) -> Any:
    """Rows of `values`, whatever the shape of `indices`."""
    # Without a mode JAX fills rows that do not exist with NaN, by operations of its own.
    return jnp.take(values, indices, axis=0, mode="clip")


def gather_each(values: Any, indices: Any) -> Any:
    """Of each row of `values` [n, width] the one value at `indices` [n]."""
    return jnp.take_along_axis(values, indices[:, None], axis=1, mode="clip")[:, 0]


def argmax(values: Any) -> Any:
    """Where the largest value of the last axis stands, as int32."""
    return jnp.argmax(values, axis=-1).astype(jnp.int32)


def mean(values: Any, axis: int | list[int]) -> Any:
    """Means over some axes."""
    return jnp.mean(values, axis=tuple(axis) if isinstance(axis, list) else axis)


def total(values: Any, axis: int) -> Any:
    """Sums over an axis."""
    return jnp.sum(values, axis=axis)


def concatenate(parts: list[Any], axis: int) -> Any:
    """Parts, one after the other along an axis."""
    return jnp.concatenate(parts, axis=axis)


def reshape_like(values: Any, model: Any) -> Any:
    """Values in the shape of another array."""
    return jnp.reshape(values, model.shape)


def in_top(targets: Any, outputs: Any, count: int) -> Any:
    """Whether the true class [n] is among the `count` largest outputs [n, classes]."""
    logits = cast(outputs, "float32")
    own = gather_each(logits, targets)
    return jnp.sum(logits > own[:, None], axis=-1) < count


def class_cross_entropy(targets: Any, outputs: Any) -> Any:
    """Cross-entropy of labels […] and logits […, classes] → […], in float32."""
    logarithms = jax.nn.log_softmax(cast(outputs, "float32"))
    labels = jnp.asarray(targets)[..., None]
    return -jnp.take_along_axis(logarithms, labels, axis=-1, mode="clip")[..., 0]


def binary_cross_entropy(targets: Any, logits: Any) -> Any:
    """Cross-entropy of labels of 0 and 1 and logits, of one shape.

    max(x, 0) − x·z + log(1 + e^−|x|), which neither overflows nor rounds to nothing.
    """
    logits = jnp.asarray(logits)
    return jnp.maximum(logits, 0) - logits * targets + jnp.log1p(jnp.exp(-jnp.abs(logits)))


def forward(model: Any, inputs: NDArray[Any]) -> NDArray[Any]:
    """Outputs of a trained model, computed by one program."""
    state = [
        [variable.value for variable in variables]
        for variables in (model.trainable_variables, model.non_trainable_variables)
    ]
    run = jax.jit(lambda state, x: model.stateless_call(*state, x, training=False)[0])
    return np.array(run(state, inputs))


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

    def reading(states: Any, values: Any) -> tuple[Any, None]:
        return step(values, states)[1], None

    def drawing(carry: Any, place: Any) -> tuple[Any, Any]:
        last, states, key = carry
        logits, states = step(last, states)
        drawn = jax.random.categorical(jax.random.fold_in(key, place), logits)
        last = drawn.astype(jnp.int32)
        return (last, states, key), last

    def generate(read: Any, states: Any, key: Any) -> Any:
        states, _ = jax.lax.scan(reading, states, read[:, :-1].T)
        carry = (read[:, -1], states, key)
        return jax.lax.scan(drawing, carry, arange(count))[1].T

    return np.array(jax.jit(generate)(jnp.asarray(read), states, jax.random.key(seed)))


def chained_products(*, jit_compile: bool) -> Callable[[Any, Any, int], Any]:
    """A function (x, y, count): `count` times x ← x·y, then the sum of all elements.

    Args:
        jit_compile: XLA compiles the chain, whatever is said.
    """
    del jit_compile

    def chain(x: Any, y: Any, count: Any) -> Any:
        last = jax.lax.fori_loop(0, count, lambda _, x: jnp.matmul(x, y), x)
        return jnp.sum(last.astype(jnp.float32))

    made: Callable[[Any, Any, int], Any] = jax.jit(chain)
    return made
