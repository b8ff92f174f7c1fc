"""The few operations that problems need beside Keras' layers, in the framework Keras runs on.

`keras.ops` has most of them, but on TensorFlow it adds operations of its own to some (a gather
looks for negative indices), and these would become part of every measured step.
"""

from __future__ import annotations

import functools
import importlib
from typing import Any


@functools.cache  # which also keeps TensorFlow from making an import part of a graph
def numerics() -> Any:
    """The module with the operations: `of_tensorflow`, or one of the same names beside it."""
    import keras

    return importlib.import_module(f"{__name__}.of_{keras.backend.backend()}")
