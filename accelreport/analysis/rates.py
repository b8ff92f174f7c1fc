"""Examples trained each second (10¹² operations, of a kernel): what sources print, on one scale.

Sources print steps, epochs, samples and totals. Each row of theirs comes to one rate here, so
that it can stand on the axis of what was measured.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from accelreport.analysis.published import Conditions, Contradiction, conditions, flags_of
from accelreport.results.plan_document import PlanDocument
from accelreport.spec.models import Published


@dataclass(frozen=True)
class PublishedRate:
    """The rate of one published row.

    Attributes:
        row: what the source printed.
        where: axis → value, for the axes of the plan that the row speaks of.
        rate: examples in a second; of a kernel TFLOPS.
        figure: the printed figure that it follows from.
        flags: what cannot be right about that figure.
    """

    row: Published
    where: Mapping[str, Any]
    rate: float
    figure: str
    flags: tuple[Contradiction, ...] = ()


def published_rates(plan: PlanDocument) -> tuple[PublishedRate, ...]:
    """One rate for each published row that a rate follows from, in the order of the spec."""
    found = []
    for row in plan.published:
        known = conditions(plan, row)
        rate = _rate(plan, row, known)
        if rate is not None:
            figure, value = rate
            where = {axis: row.where[axis] for axis in plan.axes if axis in row.where}
            flags = flags_of(plan, row, figure)
            found.append(PublishedRate(row, where, value, figure, flags))
    return tuple(found)


def _rate(plan: PlanDocument, row: Published, known: Conditions) -> tuple[str, float] | None:
    """The figure that says most directly how long a steady step takes, and the rate."""
    figures = row.figures()
    if "tflops" in figures:
        return "tflops", figures["tflops"]
    batch, samples = known.batch_size, known.samples
    if "epoch_time" in figures and samples:
        return "epoch_time", samples / figures["epoch_time"]
    if "sample_time" in figures:
        return "sample_time", 1 / figures["sample_time"]
    if "step_time" in figures and batch:
        step = figures["step_time"]
        flags = flags_of(plan, row, "step_time")
        of_sample = any(each.kind == "step-is-a-sample" for each in flags)
        return "step_time", (1 if of_sample else batch) / step
    if "total_time" in figures and samples and known.epochs:
        return "total_time", samples * known.epochs / figures["total_time"]
    return None
