"""The few operations that problems need beside Keras' layers, in the framework Keras runs on.

`keras.ops` has most of them, but on TensorFlow it adds operations of its own to some (a gather
looks for negative indices), and these would become part of every measured step.

The modules `jax`, `tensorflow` and `torch` have each of the `Operations` by the same names.
Values are tensors of that framework; sizes stand in brackets.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, cast

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Operations(Protocol):
    """The operations that problems need beside Keras' layers."""

    def cast(self, values: Any, dtype: str, /) -> Any:
        """Values of another type, such as `float32`."""

    def equal(self, one: Any, other: Any, /) -> Any:
        """Whether values are equal, one by one."""

    def square(self, values: Any, /) -> Any:
        """The squares of values."""

    def softmax(self, logits: Any, /) -> Any:
        """Probabilities from logits, over the last axis."""

    def stack(self, parts: Sequence[Any], /) -> Any:
        """Parts of one shape, along a new first axis."""

    def transpose(self, values: Any, /) -> Any:
        """Rows for columns: [a, b] → [b, a]."""

    def one_hot(self, numbers: Any, width: int, /) -> Any:
        """Numbers [n] → [n, width], 1 at each number and 0 elsewhere."""

    def reshape(self, values: Any, shape: Any, /) -> Any:
        """The same values in another shape."""

    def arange(self, count: int, /) -> Any:
        """0 … count − 1, as int32."""

    def gather(self, values: Any, indices: Any, /) -> Any:
        """Rows of `values`, whatever the shape of `indices`."""

    def gather_each(self, values: Any, indices: Any) -> Any:
        """Of each row of `values` [n, width] the one value at `indices` [n]."""

    def argmax(self, values: Any) -> Any:
        """Where the largest value of the last axis stands, as int32."""

    def mean(self, values: Any, /, *, axis: int | tuple[int, ...]) -> Any:
        """Means over some axes."""

    def total(self, values: Any, /, *, axis: int) -> Any:
        """Sums over an axis."""

    def concatenate(self, parts: Sequence[Any], /, *, axis: int) -> Any:
        """Parts, one after the other along an axis."""

    def reshape_like(self, values: Any, model: Any) -> Any:
        """Values in the shape of another tensor."""

    def in_top(self, targets: Any, outputs: Any, count: int) -> Any:
        """Whether the true class [n] is among the `count` largest outputs [n, classes]."""

    def class_cross_entropy(self, targets: Any, outputs: Any) -> Any:
        """Cross-entropy of labels […] and logits […, classes] → […], in float32."""

    def binary_cross_entropy(self, targets: Any, logits: Any) -> Any:
        """Cross-entropy of labels z of 0 and 1 and logits x, of one shape.

        max(x, 0) − x·z + log(1 + e^−|x|), which neither overflows nor rounds to nothing.
        """

    def forward(self, model: Any, inputs: NDArray[Any]) -> NDArray[Any]:
        """Outputs of a trained model, without what only a training needs."""

    def write(
        self, step: Any, states: Any, read: NDArray[np.int32], count: int, seed: int
    ) -> NDArray[Any]:
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

    def chained_products(self, *, jit_compile: bool) -> Callable[[Any, Any, Any], Any]:
        """A function (x, y, count): `count` times x ← x·y, then the sum of all elements.

        Args:
            jit_compile: whether the chain is compiled, where the framework leaves a choice.
        """


_CHOSEN: list[Operations] = []


def numerics() -> Operations:
    """The module with the operations: `tensorflow`, or one of the same names beside it."""
    if not _CHOSEN:
        import keras

        module = importlib.import_module(f"{__name__}.{keras.backend.backend()}")
        _CHOSEN.append(cast("Operations", module))
    # What traces a step reads a list here, and has no import to make part of a graph.
    return _CHOSEN[0]


def numbers(tensor: Any) -> NDArray[Any]:
    """A copy of a tensor of any framework.

    JAX and PyTorch give out their own memory, which the next step would overwrite or leave.
    """
    import numpy as np
    from keras import ops

    if hasattr(tensor, "detach"):  # of PyTorch, which has no NumPy type for bfloat16
        tensor = tensor.detach().cpu()
        tensor = tensor.float() if str(tensor.dtype) == "torch.bfloat16" else tensor
    return np.array(tensor.numpy() if hasattr(tensor, "numpy") else ops.convert_to_numpy(tensor))
