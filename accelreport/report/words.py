"""The names a family's page uses: a kernel has calls and products, training has steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from accelreport.report.text import label
from accelreport.workloads.registry import FAMILIES


@dataclass(frozen=True)
class Words:
    """Nouns of one family.

    Attributes:
        family: what the family is called.
        kernel: whether it calls a kernel instead of training a model.
        step: what a steady time is the time of.
        first: what a cold time is the time of.
        sample: what throughput counts.
    """

    family: str
    kernel: bool
    step: str
    first: str
    sample: str


_SAMPLES = {"image_classification": "images"}


def words_of(workload: Mapping[str, Any]) -> Words:
    """The nouns of a workload; those of training where its family is not built in."""
    kind = str(workload.get("kind", ""))
    family = FAMILIES.get(kind)
    title = family.title if family else label(kind.replace("_", " ").capitalize(), 60)
    if family and family.shape == "kernel":
        return Words(title, kernel=True, step="product", first="first call", sample="products")
    sample = _SAMPLES.get(kind, "examples")
    return Words(title, kernel=False, step="step", first="first step", sample=sample)


def axis_title(axis: str) -> str:
    """A swept key in words: "optimizer.learning_rate" is "learning rate"."""
    return label(axis.rsplit(".", 1)[-1].replace("_", " "), 60)
