"""Throughputs that nobody here measured, from `public_rates.toml`: no ceiling may be below them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import ClassVar, Literal

import tomli
from pydantic import ConfigDict, TypeAdapter

from accelreport.analysis.ceilings import StepWork, ceiling, limits_named


@dataclass(frozen=True)
class PublicRate:
    """A throughput that somebody published of one piece of known hardware.

    Attributes:
        hardware: name of its row in `hardware.toml`.
        model: of a network.
        task: what was done with it.
        batch_size: examples of a step.
        dtype: element type of the products.
        examples_per_s: as printed.
        multiply_adds: 10⁹ of an example, forward.
        saved: the largest factor that fast convolutions may save of them: by the layers of the
            architecture, or else the places of its largest kernel.
        counted: where that number is from.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    hardware: str
    model: str
    task: Literal["training", "inference"]
    batch_size: int
    dtype: str
    examples_per_s: float
    multiply_adds: float
    saved: float
    counted: str

    @property
    def work(self) -> StepWork:
        """Of a step: a training computes two gradients beside each product."""
        passes = 3 if self.task == "training" else 1
        operations = 2e9 * self.multiply_adds * passes * self.batch_size
        return StepWork(operations / self.saved, dtype=self.dtype)

    @property
    def share(self) -> float:
        """What was reached of the ceiling."""
        limits = limits_named(self.hardware, self.dtype)
        assert limits is not None, self.hardware
        return ceiling(self.work, limits).share(self.batch_size / self.examples_per_s)


@dataclass(frozen=True)
class PublicSource:
    """Rates from one text: its title, its address, and its rows."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    title: str
    address: str
    rows: list[PublicRate]


@cache
def public_rates() -> tuple[PublicSource, ...]:
    """Throughputs that nobody here measured, from `public_rates.toml`."""
    path = Path(__file__).with_name("public_rates.toml")
    read = tomli.loads(path.read_text(encoding="utf-8"))["source"]
    return tuple(TypeAdapter(list[PublicSource]).validate_python(read))
