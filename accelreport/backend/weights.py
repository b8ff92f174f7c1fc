"""Weights written to a file, and read back into a model built anew."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from accelreport.backend.artefacts import Artefacts
from accelreport.results.record import SavedWeights


def save_weights(
    model: Any,
    build: Callable[[], Any],
    examples: NDArray[Any],
    predicted: NDArray[np.float32],
    artefacts: Artefacts,
) -> SavedWeights:
    """Save a model's weights, load them into another model, and compare what both predict.

    Args:
        model: a Keras model on the host.
        build: makes the same model with other weights.
        examples: inputs [n, …].
        predicted: what the training process predicted of them [n, …].
        artefacts: takes the file.
    """
    with tempfile.TemporaryDirectory(prefix="accelreport-weights-") as folder:
        path = Path(folder) / "model.weights.h5"
        model.save_weights(path)
        content = path.read_bytes()
        again = build()
        again.load_weights(path)
    artefacts.keep("weights.h5", "trained weights, for Keras' load_weights", content)
    outputs = again(examples, training=False).numpy().astype(np.float32)
    return SavedWeights(
        format="HDF5 (.weights.h5)",
        bytes=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        examples=len(examples),
        max_difference=float(np.max(np.abs(outputs - predicted))),
    )
