"""Files of somebody's published figures in each format that is read, and the import of them."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from accelreport.importing.published import append, axes_of
from accelreport.importing.reader import Asked, ImportRefused
from tests.importing.files import DEVICES, SPEC, rows
from tests.mutations.values import TWICE, Mutation, as_json

ROW: dict[str, Any] = {
    "label": "Theirs, 2018", "batch_size": 256, "mark": "O", "note": "as printed",
    "comparable": False, "first_epoch_time": "9 s", "epoch_time": 6.0, "step_time": 0.03,
    "sample_time": "94 µs", "total_time": "1 m", "throughput": 9000, "accuracy": "99 %",
    "val_accuracy": 0.98, "val_precision": 0.97, "val_recall": 0.96, "val_f1": 0.95, "loss": 0.1,
    "val_loss": 0.2, "float32_bytes": "1 MB", "int8_bytes": 300000, "speedup": 12.0, "over": "cpu",
    "over_where.batch_size": 512, "quantity": "epoch_time", "source.title": "A piece",
    "source.url": "https://example.org/a", "source.year": 2018, "source.authors": "A. Person",
    "source.licence": "CC BY 4.0", "source.accessed": "2026-05-31", "source.note": "in part",
}  # fmt: skip

FIGURES: dict[str, Any] = {
    "figures.csv": [ROW, ROW | {"label": "Another", "batch_size": 512}],
    "figures.json": [
        {"label": "Theirs", "where": {"batch_size": 256}, "epoch_time": 6.0, "speedup": 4,
         "over": "cpu", "over_where": {"batch_size": 512},
         "source": {"title": "A piece", "doi": "10.1145/123", "year": 2018}},
    ],
    "history.json": {"loss": [0.5, 0.25], "accuracy": [0.8, 0.9], "val_loss": [0.6, 0.3],
                     "val_accuracy": [0.7, 0.85], "epoch_time": [9.0, 6.0]},
    "log.csv": [{"epoch": 0, "loss": 0.5, "accuracy": 0.8, "elapsed": 9.0},
                {"epoch": 1, "loss": 0.25, "accuracy": 0.9, "elapsed": 15.0}],
    "report.json": {
        "config": {"backend": {"name": "pytorch", "device": "cuda", "model": "bert"},
                   "environment": {"cpu": "CPU", "gpu": ["GPU"], "optimum_benchmark_version": "1"},
                   "scenario": {"input_shapes": {"batch_size": 2},
                                "training_arguments": {"per_device_train_batch_size": 2}}},
        "report": {"train": {"latency": {"unit": "s", "mean": 0.5},
                             "throughput": {"unit": "samples/s", "value": 4.0}},
                   "forward": {"latency": {"unit": "s", "mean": 0.1},
                               "throughput": {"unit": "samples/s", "value": 20.0}}},
    },
}  # fmt: skip
"""A file of each format."""


def judge(folder: Path, which: str, mutation: Mutation) -> bool:
    """Whether a file's figures are imported into a spec, which is sound afterwards."""
    document = mutation.of(FIGURES[which])
    path = folder / which
    path.write_bytes(as_csv(document) if which.endswith("csv") else as_json(document))
    (folder / "devices.toml").write_text(DEVICES)
    spec = folder / "batches.toml"
    spec.write_text(SPEC)
    try:
        append(spec, rows(path, Asked(axes_of(spec, None))))
    except ImportRefused:
        assert spec.read_text() == SPEC
        return False
    axes_of(spec, None)
    return True


def as_csv(document: Any) -> bytes:
    """Rows as CSV; anything else as the text that it is."""
    if not (isinstance(document, list) and all(isinstance(row, Mapping) for row in document)):
        return str(document).encode(errors="surrogatepass")
    columns = list(dict.fromkeys(column for row in document for column in row))
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow([column.replace(TWICE, "") for column in columns])
    for row in document:
        writer.writerow([_cell(row.get(column)) for column in columns])
    return out.getvalue().encode(errors="surrogatepass")


def _cell(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else str(value)
    return value
