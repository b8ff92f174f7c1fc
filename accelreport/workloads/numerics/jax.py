"""The same operations in JAX, for programs that XLA compiles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

equal: Callable[..., Any] = jnp.equal
square: Callable[..., Any] = jnp.square
softmax: Callable[..., Any] = jax.nn.softmax
stack: Callable[..., Any] = jnp.stack
transpose: Callable[..., Any] = jnp.transpose
one_hot: Callable[..., Any] = jax.nn.one_hot
mean: Callable[..., Any] = jnp.mean
total: Callable[..., Any] = jnp.sum
concatenate: Callable[..., Any] = jnp.concatenate


def cast(values: Any, dtype: str) -> Any:
    """See `Operations.cast`."""
    return jnp.asarray(values).astype(dtype)


def reshape(values: Any, shape: Sequence[int]) -> Any:
    """See `Operations.reshape`."""
    return jnp.reshape(values, tuple(shape))


def arange(count: int) -> Any:
    """See `Operations.arange`."""
    return jnp.arange(count, dtype=jnp.int32)


def gather(values: Any, indices: Any) -> Any:
    """See `Operations.gather`."""
    # Without a mode JAX fills rows that do not exist with NaN, by operations of its own.
    return jnp.take(values, indices, axis=0, mode="clip")


def gather_each(values: Any, indices: Any) -> Any:
    """See `Operations.gather_each`."""
    return jnp.take_along_axis(values, indices[:, None], axis=1, mode="clip")[:, 0]


def argmax(values: Any) -> Any:
    """See `Operations.argmax`."""
    return jnp.argmax(values, axis=-1).astype(jnp.int32)


def reshape_like(values: Any, model: Any) -> Any:
    """See `Operations.reshape_like`."""
    return jnp.reshape(values, model.shape)


def in_top(targets: Any, outputs: Any, count: int) -> Any:
    """See `Operations.in_top`."""
    logits = cast(outputs, "float32")
    own = gather_each(logits, targets)
    return jnp.sum(logits > own[:, None], axis=-1) < count


def class_cross_entropy(targets: Any, outputs: Any) -> Any:
    """See `Operations.class_cross_entropy`."""
    logarithms = jax.nn.log_softmax(cast(outputs, "float32"))
    labels = jnp.asarray(targets)[..., None]
    return -jnp.take_along_axis(logarithms, labels, axis=-1, mode="clip")[..., 0]


def binary_cross_entropy(targets: Any, logits: Any) -> Any:
    """See `Operations.binary_cross_entropy`."""
    logits = jnp.asarray(logits)
    return jnp.maximum(logits, 0) - logits * targets + jnp.log1p(jnp.exp(-jnp.abs(logits)))


def forward(model: Any, inputs: NDArray[Any]) -> NDArray[Any]:
    """See `Operations.forward`."""
    state = [
        [variable.value for variable in variables]
        for variables in (model.trainable_variables, model.non_trainable_variables)
    ]
    run = jax.jit(lambda state, x: model.stateless_call(*state, x, training=False)[0])
    return np.array(run(state, inputs))


def write(step: Any, states: Any, read: NDArray[np.int32], count: int, seed: int) -> NDArray[Any]:
    """See `Operations.write`."""

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


UNROLLED = 16
"""Products in each trip of the loop, for a trip costs time of its own: on an H200 a loop of single
products of 4096 × 4096 took 1.24 times as long as single calls in bfloat16, 1.19 times in
TensorFloat-32 and 1.04 times in float32."""


def chained_products(*, jit_compile: bool) -> Callable[[Any, Any, int], Any]:
    """See `Operations.chained_products`."""
    del jit_compile  # XLA compiles whatever JAX runs as a program

    def chain(x: Any, y: Any, count: Any) -> Any:
        def some(_: Any, x: Any) -> Any:
            for _ in range(UNROLLED):
                x = jnp.matmul(x, y)
            return x

        x = jax.lax.fori_loop(0, count // UNROLLED, some, x)
        x = jax.lax.fori_loop(0, count % UNROLLED, lambda _, x: jnp.matmul(x, y), x)
        return jnp.sum(x.astype(jnp.float32))

    compiled: Callable[[Any, Any, int], Any] = jax.jit(chain)
    return compiled
