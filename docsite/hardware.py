"""A page of the reference: the rates of known hardware, and the evidence for each."""

from __future__ import annotations

from accelreport.analysis.hardware import HARDWARE, Hardware

HEAD = (
    "| hardware | of | float32 | TF32 | float16 | bfloat16 | int8 | GB/s | evidence | source |",
    "| :-- | :-- | --: | --: | --: | --: | --: | --: | :-- | :-- |",
)
DTYPES = ("float32", "tensorfloat32", "float16", "bfloat16", "int8")
AGAINST = {
    "maker": "maker’s text",
    "copy": "a copy",
    "derived": "a formula",
    "unchecked": "**nothing yet**",
}


ABOUT = """\
# Known hardware

Rates in 10¹² operations per second at boost clock. They are **dense**: the rates "with sparsity"
that NVIDIA prints beside them are twice as high and are never used. Half precision uses float32
accumulation. A Tesla K80 and an M60 are two GPUs each. TPU v2 and v3 are rented as boards of four
chips; a TPU's name counts TensorCores up to v5p (`v4-8` is four chips), and chips from v5e on. The
first TPU has rates only for int8.

The column *evidence* names the weakest evidence for any figure of a row: the maker's own text
(documentation, or NVIDIA's code that contains the figures), a copy of a data sheet or whitepaper,
a formula, or nothing yet. `accelreport/analysis/hardware.toml` quotes the text for each row.
"""


def hardware_page() -> str:
    """A row for each piece of hardware, rates in 10¹² operations per second."""
    return "\n".join([ABOUT, *HEAD, *(_row(each) for each in HARDWARE), ""])


def _row(each: Hardware) -> str:
    rates = [f"{each.tflops[name]:g}" if name in each.tflops else "" for name in DTYPES]
    width = f"{each.gbps:g}" if each.gbps is not None else ""
    source = f"[{each.source}]({each.address})" if each.address else each.source
    cells = [each.name, each.unit, *rates, width, AGAINST[each.reading], source]
    return f"| {' | '.join(cells)} |"
