"""Where the backend's part for a framework other than TensorFlow lies.

`on_jax` and `on_torch` hold modules of the same names: `configure`, `programs` (the engine),
`placement`, `arithmetic` and `process`. None of them is imported before its framework was chosen
for the process.
"""

from __future__ import annotations

import importlib
from typing import Any


def room(framework: str, module: str) -> Any:
    """A module of the folder of a framework, by the name that a device gives the framework."""
    return importlib.import_module(f"accelreport.backend.on_{framework}.{module}")
