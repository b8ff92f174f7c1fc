"""Export a trained model, serve it, and compare its answers with the predictions here."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from accelreport.backend.artefacts import Artefacts
from accelreport.backend.serving.client import latencies, predictions, throughput
from accelreport.backend.serving.launch import served
from accelreport.results.record import Served

NAME = "model"
REQUESTS = 500
"""Requests of the latency measurement, unless its time ends first."""
SECONDS = 2.0
"""Seconds of the latency measurement, and of the throughput measurement."""
BATCH = 32
CLIENTS = 2


def serve(
    model: Any, examples: NDArray[Any], predicted: NDArray[np.float32], artefacts: Artefacts
) -> Served:
    """Export a model as a SavedModel and ask it over HTTP.

    Args:
        model: a Keras model on the host.
        examples: its inputs [n, …].
        predicted: what the training process predicted of them [n, …].
        artefacts: takes the export.

    Raises:
        ServingError: the server did not start, or did not answer.
    """
    with tempfile.TemporaryDirectory(prefix="accelreport-export-") as folder:
        path = Path(folder) / "1"
        began = time.perf_counter()
        model.export(path, format="tf_saved_model", verbose=False)
        export_s = time.perf_counter() - began
        artefacts.keep_folder("saved_model.tar", "exported model (SavedModel), archived", path)
        size = sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
        with served(path, NAME) as address:
            answers = predictions(address, examples)
            times = latencies(address, examples, requests=REQUESTS, seconds=SECONDS)
            batch = min(BATCH, len(examples))
            rate = throughput(address, examples, batch=batch, clients=CLIENTS, seconds=SECONDS)
        return Served(
            format="SavedModel",
            bytes=size,
            export_s=export_s,
            start_s=address.start_s,
            server="Python's http.server on the CPU, JSON over loopback, connections kept open",
            examples=len(examples),
            max_difference=float(np.max(np.abs(answers - predicted))),
            same_class=same_class(answers, predicted),
            latency_s=times,
            throughput_batch=batch,
            throughput_clients=CLIENTS,
            throughput=rate,
        )


def same_class(one: NDArray[np.float32], other: NDArray[np.float32]) -> float | None:
    """Share of examples [n, classes] with the same largest output; None without classes."""
    if one.ndim != 2:
        return None
    if one.shape[1] == 1:
        return float(np.mean((one > 0) == (other > 0)))
    return float(np.mean(one.argmax(axis=1) == other.argmax(axis=1)))
