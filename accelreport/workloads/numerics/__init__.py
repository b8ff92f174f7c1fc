"""The few operations that problems need beside Keras' layers, in the framework Keras runs on.

`keras.ops` has most of them, but on TensorFlow it adds operations of its own to some (a gather
looks for negative indices), and these would become part of every measured step.
"""

from __future__ import annotations

import importlib
from typing import cast

from accelreport.workloads.numerics.operations import Operations

_FOUND: list[Operations] = []


def numerics() -> Operations:
    """The module with the operations: `of_tensorflow`, or one of the same names beside it."""
    if not _FOUND:
        _FOUND.append(_module())
    # What traces a step reads a list here, and has no import to make part of a graph.
    return _FOUND[0]


def _module() -> Operations:
    import keras

    return cast("Operations", importlib.import_module(f"{__name__}.of_{keras.backend.backend()}"))
