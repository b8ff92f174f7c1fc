"""Peak arithmetic of known hardware, as its makers' data sheets are remembered to give it.

The figures were entered from memory and have not been held against the sheets they name.
Until somebody does that, whatever cites one says so (`UNCHECKED`); a peak that the devices
file gives with its own source comes before any of these.

Dense rates, without sparsity, at boost clock, in 10¹² operations per second (one
multiply-add counts as two). `tensorfloat32` is what NVIDIA calls TF32. A Tesla K80 is two
GPUs, and a TPU board is four chips of two cores: both stand here in the unit that is rented.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

UNCHECKED = "not yet checked against the sheet"
"""Printed after the source of every peak that comes from this table."""


@dataclass(frozen=True)
class Hardware:
    """A piece of hardware and its peaks.

    Attributes:
        name: what the maker calls it.
        pattern: regular expression that finds it in a label or a driver's name.
        tflops: peak for each element type.
        source: where the peaks are written.
    """

    name: str
    pattern: str
    tflops: Mapping[str, float]
    source: str


def _gpu(
    name: str,
    pattern: str,
    float32: float,
    float16: float | None = None,
    bfloat16: float | None = None,
    tensorfloat32: float | None = None,
    source: str = "",
) -> Hardware:
    given = {
        "float32": float32,
        "float16": float16,
        "bfloat16": bfloat16,
        "tensorfloat32": tensorfloat32,
    }
    known = {dtype: value for dtype, value in given.items() if value is not None}
    return Hardware(name, pattern, known, source or f"{name} data sheet, NVIDIA")


def _tpu(name: str, pattern: str, bfloat16: float, source: str) -> Hardware:
    return Hardware(name, pattern, {"bfloat16": bfloat16}, source)


_CLOUD_TPU = "Cloud TPU system architecture, Google"

HARDWARE: tuple[Hardware, ...] = (
    _gpu("NVIDIA H200", r"\bH200\b", 67.0, 989.4, 989.4, 494.7),
    _gpu("NVIDIA H100 PCIe", r"\bH100 PCIe\b", 51.2, 756.5, 756.5, 378.0),
    _gpu("NVIDIA H100 SXM", r"\bH100\b", 66.9, 989.4, 989.4, 494.7),
    _gpu("NVIDIA A100", r"\bA100\b", 19.5, 312.0, 312.0, 156.0),
    _gpu("NVIDIA A40", r"\bA40\b", 37.4, 149.7, 149.7, 74.8),
    _gpu("NVIDIA A30", r"\bA30\b", 10.3, 165.0, 165.0, 82.0),
    _gpu("NVIDIA A10", r"\bA10G?\b", 31.2, 125.0, 125.0, 62.5),
    _gpu("NVIDIA L40S", r"\bL40S\b", 91.6, 362.0, 362.0, 183.0),
    _gpu("NVIDIA L4", r"\bL4\b", 30.3, 121.0, 121.0, 60.0),
    _gpu("Tesla V100 SXM2", r"\bV100.SXM2\b", 15.7, 125.0),
    _gpu("Tesla V100 PCIe", r"\bV100\b", 14.0, 112.0),
    _gpu("Tesla P100 SXM2", r"\bP100.SXM2\b", 10.6, 21.2),
    _gpu("Tesla P100 PCIe", r"\bP100\b", 9.3, 18.7),
    _gpu("Tesla T4", r"\bT4\b", 8.1, 65.0),
    _gpu("Tesla P40", r"\bP40\b", 12.0),
    _gpu("Tesla P4", r"\bP4\b", 5.5),
    _gpu("Tesla M60", r"\bM60\b", 4.8, source="Tesla M60 data sheet, NVIDIA (one of two GPUs)"),
    _gpu("Tesla M40", r"\bM40\b", 7.0),
    _gpu("Tesla K80", r"\bK80\b", 4.37, source="Tesla K80 data sheet, NVIDIA (one of two GPUs)"),
    _gpu("Tesla K40", r"\bK40\b", 5.04),
    _gpu("GeForce RTX 4090", r"\bRTX 4090\b", 82.6, 165.2, 165.2, 82.6),
    _gpu("GeForce RTX 4080", r"\bRTX 4080\b", 48.7, 97.5, 97.5, 48.7),
    _gpu("GeForce RTX 3090", r"\bRTX 3090\b", 35.6, 71.0, 71.0, 35.6),
    _gpu("GeForce RTX 3080", r"\bRTX 3080\b", 29.8, 59.5, 59.5, 29.8),
    _gpu("GeForce RTX 2080 Ti", r"\bRTX 2080 Ti\b", 13.4, 53.8),
    _gpu("GeForce GTX 1080 Ti", r"\bGTX 1080 Ti\b", 11.3),
    _gpu("GeForce GTX 1080", r"\bGTX 1080\b", 8.9),
    _gpu("GeForce GTX 1070", r"\bGTX 1070\b", 6.5),
    _tpu("Cloud TPU v6e chip", r"\bTPU v6e\b|\bTrillium\b", 918.0, _CLOUD_TPU),
    _tpu("Cloud TPU v5p chip", r"\bTPU v5p\b", 459.0, _CLOUD_TPU),
    _tpu("Cloud TPU v5e chip", r"\bTPU v5e\b|\bTPU v5 ?lite\b", 197.0, _CLOUD_TPU),
    _tpu("Cloud TPU v4 chip", r"\bTPU v4\b", 275.0, _CLOUD_TPU),
    _tpu("Cloud TPU v3 board", r"\bTPU v3\b", 420.0, "Cloud TPU announcement, Google, 2018"),
    _tpu("Cloud TPU v2 board", r"\bTPU v2\b", 180.0, "Cloud TPU announcement, Google, 2017"),
    Hardware(
        "two virtual cores of a Xeon",
        r"\b(?:two|2)[ -](?:virtual )?(?:v?CPUs?|cores?)\b.{0,20}\bXeon\b",
        {"float32": 0.26},
        "one physical core: 2 × 512-bit multiply-adds a cycle at 4 GHz, more than any sold in 2018",
    ),
)
"""The table; where patterns overlap the first one that fits is meant."""


def named_in(text: str) -> Hardware | None:
    """The hardware that a label, note or driver names; None without any."""
    for each in HARDWARE:
        if re.search(each.pattern, text, re.IGNORECASE):
            return each
    return None
