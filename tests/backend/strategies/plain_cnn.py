"""S3's network without dropout, whose loss depends on nothing but data, seed and arithmetic."""

from __future__ import annotations

from typing import Any

from accelreport.workloads import image_classification

SEED = 5
STEPS = 20
BATCH = 32

WORKLOAD: dict[str, Any] = {
    "data": "synthetic",
    "train_examples": 2048,
    "validation_examples": 101,
    "batch_size": BATCH,
    "epochs": STEPS,
    "steps_per_epoch": 1,  # a row of the learning curve for every step
    "evaluation_batch_size": 101,
}


def leave_out_dropout() -> None:
    """Make `conv64_conv32` the same network without dropout, in this process."""
    whole = image_classification.conv64_conv32

    def without() -> list[Any]:
        return [layer for layer in whole() if type(layer).__name__ != "Dropout"]

    image_classification.LAYERS["conv64_conv32"] = without
