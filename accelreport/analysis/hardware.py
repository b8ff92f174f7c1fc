"""What known hardware can do at most, where that is written, and how far it was checked.

Dense rates at boost clock in 10¹² operations per second (one multiply-add counts as two):
never the rates "with sparsity", which are twice as high. Half-precision products are those
with float32 accumulation. `tensorfloat32` is what NVIDIA calls TF32. A row speaks of one
`unit`, as a Tesla K80 is two GPUs and a rented TPU v2 is four chips of two cores.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Reading = Literal["maker", "copy", "derived", "unchecked"]
"""What a row was held against: a text of the maker's own, somebody else's copy of one, a
formula from the maker's counts and clocks, or nothing yet."""

UNCHECKED = "not yet checked against the sheet"

REMARKS: dict[Reading, str] = {
    "maker": "read in the maker's own text",
    "copy": "read in a copy of the sheet",
    "derived": "derived by a formula",
    "unchecked": UNCHECKED,
}
"""What is printed after the source of a figure."""


@dataclass(frozen=True)
class Hardware:
    """A piece of hardware and its limits.

    Attributes:
        name: what the maker calls it.
        pattern: regular expression that finds it in a label or a driver's name.
        tflops: dense peak for each element type, in 10¹² operations per second.
        gbps: memory bandwidth in 10⁹ bytes per second; None where no text was found.
        source: title of the document that gives the figures.
        address: where that document is.
        reading: what the figures were held against; where they differ, the weakest.
        read_in: the text that was read, where it is not the document itself.
        wording: what stands there, shortened.
        unit: what the figures are of.
        cores: of a TPU, the TensorCores of the unit, by which slices are counted; 0 elsewhere.
        dense: whether the rates are without sparsity, which every one must be.
    """

    name: str
    pattern: str
    tflops: Mapping[str, float]
    gbps: float | None = None
    source: str = ""
    address: str = ""
    reading: Reading = "unchecked"
    read_in: str = ""
    wording: str = ""
    unit: str = "GPU"
    cores: int = 0
    dense: bool = field(default=True)

    @property
    def cited(self) -> str:
        """Name, source and what it was held against, for a note."""
        return f"{self.name}; {self.source}, {REMARKS[self.reading]}"

    def units(self, text: str) -> float:
        """How many of the unit a label speaks of: a TPU "v4-8" is eight cores, four chips.

        The number after the version counts TensorCores, and chips from v5e on, which have
        one core each. 1 where a label gives no number.
        """
        slices = re.search(rf"(?:{self.pattern})-(\d+)", text, re.IGNORECASE)
        return int(slices.group(1)) / self.cores if slices and self.cores else 1.0


def named_in(text: str) -> Hardware | None:
    """The hardware that a label, note or driver names; None without any."""
    # The table is data of many lines; it imports the class from here.
    from accelreport.analysis.hardware_table import HARDWARE

    for each in HARDWARE:
        if re.search(each.pattern, text, re.IGNORECASE):
            return each
    return None
