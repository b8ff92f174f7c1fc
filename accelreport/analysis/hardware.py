"""What known hardware can do at most, where that is written, and how far it was checked.

The rows are data: `hardware.toml`.

Dense rates at boost clock in 10¹² operations per second (one multiply-add counts as two):
never the rates "with sparsity", which are twice as high. Half-precision products are those
with float32 accumulation. `tensorfloat32` is what NVIDIA calls TF32. A row speaks of one
`unit`, as a Tesla K80 is two GPUs and a rented TPU v2 is four chips of two cores.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import ClassVar, Literal

from pydantic import ConfigDict, TypeAdapter

from accelreport.results.record import Environment
from accelreport.spec.models import ListPrice

Reading = Literal["maker", "copy", "derived", "unchecked"]
"""What a row was compared with: the maker's own text, a copy of it, a formula from the maker's
counts and clocks, or nothing yet."""

UNCHECKED = "not yet checked against the sheet"

REMARKS: dict[Reading, str] = {
    "maker": "read in the maker's own text",
    "copy": "not read in the maker's own text",
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
        reading: what the figures were compared with; where they differ, the weakest.
        read_in: the text that was read, where it is not the document itself.
        wording: the words of that text, shortened.
        unit: what the figures are of.
        cores: of a TPU, the TensorCores of the unit, by which slices are counted; 0 elsewhere.
        kernel_us: cited time that a kernel which waits for the one before adds to its own work, in
            µs; 0 where no text was found.
        kernel_source: title, address and wording of the text that gives it.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

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
    kernel_us: float = 0.0
    kernel_source: str = ""

    @property
    def cited(self) -> str:
        """Name, source and what it was compared with, for a note."""
        return f"{self.name}; {self.source}, {REMARKS[self.reading]}"

    def units(self, text: str) -> float:
        """How many of the unit a label speaks of: a TPU "v4-8" is eight cores, four chips.

        The number after the version counts TensorCores, and chips from v5e on, which have
        one core each. 1 where a label gives no number.
        """
        slices = re.search(rf"(?:{self.pattern})-(\d+)", text, re.IGNORECASE)
        return int(slices.group(1)) / self.cores if slices and self.cores else 1.0


@dataclass(frozen=True)
class HostedMachine:
    """A hosted machine as a source that measured on it describes it.

    Attributes:
        name: what the source calls it.
        kind: CPU, GPU or TPU.
        hardware: what did the arithmetic, in the source's words.
        source: title of the source.
        by: its authors and its year.
        words: what the source prints of it, in a few words.
        memory_gb: its memory in 10⁹ bytes; None where the source prints none.
        tflops: its rate in 10¹² floating-point operations per second; None where none is printed.
        tops: the same of 8-bit integers.
        price: the published rent of such hardware for an hour.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    name: str
    kind: Literal["CPU", "GPU", "TPU"]
    hardware: str
    source: str
    by: str
    words: str
    memory_gb: float | None = None
    tflops: float | None = None
    tops: float | None = None
    price: ListPrice | None = None


TABLE = Path(__file__).with_suffix(".toml")
"""The rows as data."""

_ROWS = tomllib.loads(TABLE.read_text(encoding="utf-8"))

HARDWARE = tuple(TypeAdapter(list[Hardware]).validate_python(_ROWS["hardware"]))
"""Every row; where patterns overlap, the first one that fits is meant."""

RUNTIMES = tuple(TypeAdapter(list[HostedMachine]).validate_python(_ROWS["runtime"]))
"""The hosted machines of published figures."""


@lru_cache(maxsize=1024)  # a site names the same few hundred rows and boards
def named_in(text: str) -> Hardware | None:
    """The hardware that a label, note or driver names; None without any."""
    return next((row for row in HARDWARE if re.search(row.pattern, text, re.IGNORECASE)), None)


PER_CYCLE: Mapping[str, tuple[tuple[str, int], ...]] = {
    "float32": (("avx512f", 64), ("fma", 32), ("avx", 16)),
    "bfloat16": (("amx_bf16", 1024), ("avx512_bf16", 128)),
}
"""Element type → extension and operations a core can do in a cycle with it, widest first.

avx512f: 2 units · 16 lanes · 2; fma: 2 · 8 · 2; avx: an 8-lane addition and multiplication;
amx_bf16: 16 · 16 · 32 multiply-adds in 16 cycles, 2 each; avx512_bf16: pairs, so twice float32.
"""


@dataclass(frozen=True)
class CoreBound:
    """What so many cores can do in their widest vector units at a clock.

    Attributes:
        cores: how many compute.
        operations: what each does in a cycle.
        extension: with which vector extension.
        ghz: the clock.
    """

    cores: int
    operations: int
    extension: str
    ghz: float

    @property
    def tflops(self) -> float:
        """10¹² operations a second."""
        return self.cores * self.operations * self.ghz / 1000


def derived_cpu_peak(
    environment: Environment, dtype: str, threads: int | None = None
) -> CoreBound | None:
    """A bound on a CPU's arithmetic; None where the record lacks cores, extensions or clock.

    operations a second = cores · units · lanes · 2 · clock

    A fused multiply-add is two operations; no x86 core sold so far starts more than two vector
    multiply-adds a cycle. (The same formula, with the same two units, is worked through for a
    Cascade Lake Xeon in Cornell's course "Understanding GPU Architecture".) The bound is no data
    sheet's figure: it is never too low, and may be twice too high where a core has one unit of the
    widest kind.

    Args:
        environment: of the record.
        dtype: element type of the products.
        threads: threads of an operation; each keeps at most one core busy.
    """
    rates = PER_CYCLE.get(dtype, ()) + (PER_CYCLE["float32"] if dtype == "bfloat16" else ())
    per_cycle = next(((n, k) for n, k in rates if n in environment.vector), None)
    if not environment.cores or not environment.clock_max_mhz or per_cycle is None:
        return None
    cores = min(environment.cores, environment.threads, threads or environment.cores)
    extension, operations = per_cycle
    return CoreBound(cores, operations, extension, environment.clock_max_mhz / 1000)
