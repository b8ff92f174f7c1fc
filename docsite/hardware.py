"""The table of known hardware in docs/arithmetic.md: `python -m docsite.hardware` prints it."""

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


def hardware_markdown() -> str:
    """A row for each piece of hardware, rates in 10¹² operations per second."""
    return "\n".join([*HEAD, *(_row(each) for each in HARDWARE)])


def _row(each: Hardware) -> str:
    rates = [f"{each.tflops[name]:g}" if name in each.tflops else "" for name in DTYPES]
    width = f"{each.gbps:g}" if each.gbps is not None else ""
    source = f"[{each.source}]({each.address})" if each.address else each.source
    cells = [each.name, each.unit, *rates, width, AGAINST[each.reading], source]
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    print(hardware_markdown())  # noqa: T201 - what it is for
