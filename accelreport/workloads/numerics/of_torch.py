"""The same operations in PyTorch, called one by one or traced by `torch.compile`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import keras
import numpy as np
import torch
import torch.nn.functional as functions
from numpy.typing import NDArray

equal: Callable[..., Any] = torch.eq
"""Whether values are equal, one by one."""

square: Callable[..., Any] = torch.square
"""The squares of values."""

softmax: Callable[..., Any] = functools.partial(torch.softmax, dim=-1)
"""Probabilities from logits, over the last axis."""

stack: Callable[..., Any] = torch.stack
"""Parts of one shape, along a new first axis."""

transpose: Callable[..., Any] = torch.t
"""Rows for columns: [a, b] → [b, a]."""


def cast(values: Any, dtype: str) -> Any:
    """Values of another type."""
    if isinstance(values, torch.Tensor):
        return values.to(getattr(torch, dtype))
    if isinstance(values, np.ndarray):
        return keras.ops.convert_to_tensor(values, dtype)
    # A number stays on the host, from where it need not be waited for.
    return torch.tensor(values, dtype=getattr(torch, dtype))


def reshape(values: Any, shape: Sequence[int]) -> Any:
    """The same values in another shape."""
    return torch.reshape(values, tuple(shape))


def arange(count: int) -> Any:
    """0 … count − 1, as int32."""
    return keras.ops.arange(count, dtype="int32")


def gather(values: Any, indices: Any) -> Any:
    """Rows of `values`, whatever the shape of `indices`."""
    return values[indices]


def gather_each(values: Any, indices: Any) -> Any:
    """Of each row of `values` [n, width] the one value at `indices` [n]."""
    return torch.gather(values, 1, indices.long()[:, None])[:, 0]


def argmax(values: Any) -> Any:
    """Where the largest value of the last axis stands, as int32."""
    return torch.argmax(values, dim=-1).to(torch.int32)


def one_hot(numbers: Any, width: int) -> Any:
    """(numbers [n], width) → [n, width], 1 at each number and 0 elsewhere."""
    return torch.eq(numbers[..., None], arange(width)).to(torch.float32)


def mean(values: Any, axis: int | list[int]) -> Any:
    """Means over some axes."""
    return torch.mean(values, dim=axis)


def total(values: Any, axis: int) -> Any:
    """Sums over an axis."""
    return torch.sum(values, dim=axis)


def concatenate(parts: list[Any], axis: int) -> Any:
    """Parts, one after the other along an axis."""
    return torch.cat(parts, dim=axis)


def reshape_like(values: Any, model: Any) -> Any:
    """Values in the shape of another tensor."""
    return torch.reshape(values, model.shape)


def in_top(targets: Any, outputs: Any, count: int) -> Any:
    """Whether the true class [n] is among the `count` largest outputs [n, classes]."""
    logits = outputs.to(torch.float32)
    above = logits > gather_each(logits, targets)[:, None]
    return torch.sum(above, dim=-1) < count


def class_cross_entropy(targets: Any, outputs: Any) -> Any:
    """Cross-entropy of labels […] and logits […, classes] → […], in float32."""
    logits = outputs.to(torch.float32).reshape(-1, outputs.shape[-1])
    losses = functions.cross_entropy(logits, targets.long().reshape(-1), reduction="none")
    return losses.reshape(targets.shape)


def binary_cross_entropy(targets: Any, logits: Any) -> Any:
    """Cross-entropy of labels of 0 and 1 and logits, of one shape."""
    return functions.binary_cross_entropy_with_logits(logits, targets, reduction="none")


def forward(model: Any, inputs: NDArray[Any]) -> NDArray[Any]:
    """Outputs of a trained model."""
    with torch.no_grad():
        outputs = model(keras.ops.convert_to_tensor(np.array(inputs)), training=False)
    return np.array(keras.ops.convert_to_numpy(outputs))


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
    written = []
    with torch.no_grad():
        values = keras.ops.convert_to_tensor(np.array(read))
        for place in range(values.shape[1] - 1):
            _, states = step(values[:, place], states)
        last = values[:, -1]
        generator = torch.Generator(device=last.device).manual_seed(seed)
        for _ in range(count):
            logits, states = step(last, states)
            drawn = torch.multinomial(softmax(logits), 1, generator=generator)
            last = drawn[:, 0].to(torch.int32)
            written.append(last)
        return np.array(keras.ops.convert_to_numpy(torch.stack(written, dim=1)))


def chained_products(*, jit_compile: bool) -> Callable[[Any, Any, int], Any]:
    """A function (x, y, count): `count` times x ← x·y, then the sum of all elements.

    Args:
        jit_compile: whether a product is compiled by `torch.compile`, which leaves it to the
            same library.
    """
    product = torch.compile(torch.mm) if jit_compile else torch.mm

    def chain(x: Any, y: Any, count: int) -> Any:
        for _ in range(count):
            x = product(x, y)
        return torch.sum(x.to(torch.float32))

    return chain
