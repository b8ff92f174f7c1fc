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
square: Callable[..., Any] = torch.square
softmax: Callable[..., Any] = functools.partial(torch.softmax, dim=-1)
stack: Callable[..., Any] = torch.stack
transpose: Callable[..., Any] = torch.t
mean: Callable[..., Any] = torch.mean
total: Callable[..., Any] = torch.sum
concatenate: Callable[..., Any] = torch.concatenate


def cast(values: Any, dtype: str) -> Any:
    """See `Operations.cast`."""
    if isinstance(values, torch.Tensor):
        return values.to(getattr(torch, dtype))
    if isinstance(values, np.ndarray):
        return keras.ops.convert_to_tensor(values, dtype)
    # A number stays on the host, from where it need not be waited for.
    return torch.tensor(values, dtype=getattr(torch, dtype))


def reshape(values: Any, shape: Sequence[int]) -> Any:
    """See `Operations.reshape`."""
    return torch.reshape(values, tuple(shape))


def arange(count: int) -> Any:
    """See `Operations.arange`."""
    return keras.ops.arange(count, dtype="int32")


def gather(values: Any, indices: Any) -> Any:
    """See `Operations.gather`."""
    return values[indices]


def gather_each(values: Any, indices: Any) -> Any:
    """See `Operations.gather_each`."""
    return torch.gather(values, 1, indices.long()[:, None])[:, 0]


def argmax(values: Any) -> Any:
    """See `Operations.argmax`."""
    return torch.argmax(values, dim=-1).to(torch.int32)


def one_hot(numbers: Any, width: int) -> Any:
    """See `Operations.one_hot`."""
    return torch.eq(numbers[..., None], arange(width)).to(torch.float32)


def reshape_like(values: Any, model: Any) -> Any:
    """See `Operations.reshape_like`."""
    return torch.reshape(values, model.shape)


def in_top(targets: Any, outputs: Any, count: int) -> Any:
    """See `Operations.in_top`."""
    logits = outputs.to(torch.float32)
    above = logits > gather_each(logits, targets)[:, None]
    return torch.sum(above, dim=-1) < count


def class_cross_entropy(targets: Any, outputs: Any) -> Any:
    """See `Operations.class_cross_entropy`."""
    logits = outputs.to(torch.float32).reshape(-1, outputs.shape[-1])
    losses = functions.cross_entropy(logits, targets.long().reshape(-1), reduction="none")
    return losses.reshape(targets.shape)


def binary_cross_entropy(targets: Any, logits: Any) -> Any:
    """See `Operations.binary_cross_entropy`."""
    return functions.binary_cross_entropy_with_logits(logits, targets, reduction="none")


def forward(model: Any, inputs: NDArray[Any]) -> NDArray[Any]:
    """See `Operations.forward`."""
    with torch.no_grad():
        outputs = model(keras.ops.convert_to_tensor(np.array(inputs)), training=False)
    return np.array(keras.ops.convert_to_numpy(outputs))


def write(step: Any, states: Any, read: NDArray[np.int32], count: int, seed: int) -> NDArray[Any]:
    """See `Operations.write`."""
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
    """See `Operations.chained_products`."""
    # What is compiled calls the same library for a product.
    product = torch.compile(torch.mm) if jit_compile else torch.mm

    def chain(x: Any, y: Any, count: int) -> Any:
        for _ in range(count):
            x = product(x, y)
        return torch.sum(x.to(torch.float32))

    return chain
