"""Examples trained each second (10¹² operations, of a kernel): what sources print, on one scale.

Sources print steps, epochs, samples and totals. Each row of theirs comes to one rate here, so
that it can stand on the axis of what was measured.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from accelreport.analysis.published import (
    LENGTH,
    Conditions,
    Contradiction,
    changed_keys,
    conditions,
    flags_of,
    rounding,
    stated_workload,
)
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
        comparable: whether what was measured here does the same work a step as the source did.
    """

    row: Published
    where: Mapping[str, Any]
    rate: float
    figure: str
    flags: tuple[Contradiction, ...] = ()
    comparable: bool = True


def published_rates(plan: PlanDocument) -> tuple[PublishedRate, ...]:
    """One rate for each published row that a rate follows from, in the order of the spec."""
    found = []
    for row in plan.published:
        known = conditions(plan, row)
        rates = list(_rates(plan, row, known))
        if rates:
            figure, value, flags, _ = min(rates, key=lambda each: each[3])
            where = {axis: row.where[axis] for axis in plan.axes if axis in row.where}
            alike = row.comparable and not _other_steps(plan, row)
            found.append(PublishedRate(row, where, value, figure, flags, alike))
    return tuple(found)


def _other_steps(plan: PlanDocument, row: Published) -> bool:
    """Whether a step of the source does other work than one here, at the same sweep point."""
    stated = stated_workload(plan.text)
    changed = set(changed_keys(plan)) - LENGTH - set(plan.axes)
    fixed = set(row.where) - set(plan.axes)
    return any(
        row.where.get(key, stated.get(key)) != plan.workload.get(key) for key in changed | fixed
    )


Found = tuple[str, float, tuple[Contradiction, ...], float]
"""A figure, the rate that follows from it, its flags, and how coarsely it was rounded."""


def _rates(plan: PlanDocument, row: Published, known: Conditions) -> Iterator[Found]:
    """Every rate that follows; the one of the most digits is the best."""
    figures = row.figures()
    batch, samples = known.batch_size, known.samples
    for figure, value in figures.items():
        flags = flags_of(plan, row, figure)
        coarse = rounding(value)
        if figure == "tflops":
            yield figure, value, flags, 0.0
        elif figure == "epoch_time" and samples:
            yield figure, samples / value, flags, coarse
        elif figure == "sample_time":
            yield figure, 1 / value, flags, coarse
        elif figure == "step_time" and any(each.kind == "step-is-a-sample" for each in flags):
            yield figure, 1 / value, (), coarse
        elif figure == "step_time" and batch and not (flags and "epoch_time" in figures):
            yield figure, batch / value, flags, coarse
        elif figure == "total_time" and samples and known.epochs:
            # Evaluation and compilation are in it, so that any other figure is better.
            yield figure, samples * known.epochs / value, flags, 1.0 + coarse
