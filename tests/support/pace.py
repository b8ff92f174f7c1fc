"""How fast the devices of a study are, and how much their times vary."""

from __future__ import annotations

from dataclasses import dataclass

from accelreport.spec.device import Device

DEVICES: dict[str, Device] = {
    "cpu": Device(
        kind="CPU",
        peak_tflops={"float32": 0.234},
        peak_source="2 cores × 2 × 256-bit FMA",
        price_per_hour=0.10,
    ),
    "cpu-1": Device(kind="CPU", threads=1),
    "gpu": Device(
        kind="GPU",
        strategy="one_device",
        peak_tflops={"float32": 8.1},
        peak_source="NVIDIA T4 datasheet",
        memory_gbps=320.0,
        memory_source="NVIDIA T4 datasheet, 2019",
        price_per_hour=0.35,
        price_date="2026-05-31",
        price_source="A provider’s list",
    ),
    "tpu": Device(
        kind="TPU",
        label="TPU v2-8",
        strategy="tpu",
        replicas=8,
        peak_tflops={"bfloat16": 180.0},
        peak_source="Google Cloud TPU documentation",
        price_per_hour=4.50,
    ),
}
"""Devices a study may name."""

STEP_MODEL: dict[str, tuple[float, float]] = {
    "cpu": (2e-3, 4.0e-4),
    "cpu-1": (2e-3, 7.5e-4),
    "gpu": (3e-3, 7.0e-5),
    "tpu": (5e-3, 2.0e-5),
}
"""Seconds of a training step: fixed, and for each sample."""

RATES: dict[str, float] = {"cpu": 0.21e12, "cpu-1": 0.11e12, "gpu": 6.5e12, "tpu": 110e12}
"""FLOP/s in a matrix product."""


@dataclass(frozen=True)
class Noise:
    """How times vary, as standard deviations of logarithms unless said otherwise.

    Attributes:
        process: between processes.
        step: between the steps of a process.
        drift: how much slower the last cell of the study is than the first.
        outlier_share: share of steps that are outliers.
        outlier_factor: how much longer an outlier takes.
    """

    process: float = 0.02
    step: float = 0.05
    drift: float = 0.0
    outlier_share: float = 0.005
    outlier_factor: float = 4.0


USUAL_NOISE = Noise()
"""What a quiet machine shows."""
