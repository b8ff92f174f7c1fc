"""The rows of known hardware; where patterns overlap, the first one that fits is meant."""

from __future__ import annotations

from accelreport.analysis.hardware import Hardware
from accelreport.analysis.hardware_nvidia import NVIDIA
from accelreport.analysis.hardware_tpu import TPU

HOST = (
    Hardware(
        "two virtual cores of a Xeon",
        r"\b(?:two|2)[ -](?:virtual )?(?:v?CPUs?|cores?)\b.{0,20}\bXeon\b",
        {"float32": 0.256},
        source="2 units × 16 lanes × 2 operations × 4 GHz, more than any core sold in 2018",
        address="https://cvw.cac.cornell.edu/gpu-architecture/gpu-example-tesla-v100/tesla",
        reading="derived",
        wording="formula of the page: vector units × lanes × 2 flop each cycle × clock",
        unit="physical core",
    ),
)
"""Host processors that published figures name. The formula is the one Cornell's course uses
for a Cascade Lake Xeon; two virtual cores are two threads of one physical core."""

HARDWARE: tuple[Hardware, ...] = (*NVIDIA, *TPU, *HOST)
"""Every row."""
