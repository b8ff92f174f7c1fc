"""What published figures alone say of a claim: that they agree with it, or contradict it.

A claim that quotes a factor is held against the times and rates that it should follow from, never
against the quoted factor itself. Figures are rounded: what half a unit of their last digits could
decide either way is no contradiction.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from statistics import geometric_mean

from accelreport.analysis.published import UNLIKE, flags_of, rounding
from accelreport.analysis.results import matches, point_key
from accelreport.analysis.stats import MARGIN
from accelreport.results.plan_document import PlanDocument
from accelreport.spec.base import Point, Scalar
from accelreport.spec.claims import (
    TIME_QUANTITIES,
    Claim,
    DifferenceCheck,
    FasterCheck,
    PeakCheck,
    RatioCheck,
    TrendCheck,
    ValueCheck,
)


class PrintedVerdict(StrEnum):
    """What published figures say of a sentence."""

    AGREE = "AGREE"
    """They are as the rule asks."""
    CONTRADICT = "CONTRADICT"
    """They are not, however they were rounded."""
    SILENT = "SILENT"
    """None bears on it."""


FOLLOWS_FROM: dict[str, tuple[str, ...]] = {
    "speedup": ("sample_time", "epoch_time", "total_time", "tflops"),
    "steady_step_time": ("step_time", "sample_time"),
    "throughput": ("sample_time", "epoch_time"),
}
"""Figures that a quantity of another name follows from, the most direct one first."""


@dataclass(frozen=True)
class _Range:
    """A number that was rounded: the least and the most that it stands for."""

    low: float
    high: float

    @classmethod
    def of(cls, value: float) -> _Range:
        """A printed value with half a unit of its last digit on either side."""
        slack = rounding(value) * abs(value)
        return cls(value - slack, value + slack)

    def over(self, other: _Range) -> _Range:
        """The quotient of two positive numbers."""
        return _Range(self.low / other.high, self.high / other.low)

    def verdict(self, at_least: float | None, at_most: float | None) -> PrintedVerdict:
        """Whether any number that it stands for lies within bounds."""
        below = at_least is not None and self.high < at_least
        above = at_most is not None and self.low > at_most
        return PrintedVerdict.CONTRADICT if below or above else PrintedVerdict.AGREE


def printed_verdict(plan: PlanDocument, claim: Claim) -> PrintedVerdict:
    """What the plan's published figures say of one of its claims."""
    check = claim.check
    check = check.as_ratio if isinstance(check, FasterCheck) else check
    printed = _Printed(plan)
    if isinstance(check, RatioCheck):
        found = list(_ratios(printed, check))
    elif isinstance(check, TrendCheck):
        found = list(_trends(printed, check))
    elif isinstance(check, ValueCheck):
        found = [
            value.verdict(check.at_least, check.at_most)
            for point in printed.points(check.where)
            if (value := printed.of(check.value, check.of, point))
        ]
    elif isinstance(check, DifferenceCheck):
        found = list(_differences(printed, check))
    elif isinstance(check, PeakCheck):
        found = list(_peaks(plan))
    else:
        found = []
    if not found:
        return PrintedVerdict.SILENT
    contradicted = PrintedVerdict.CONTRADICT in found
    return PrintedVerdict.CONTRADICT if contradicted else PrintedVerdict.AGREE


@dataclass(frozen=True)
class _Printed:
    """The figures of a plan that do not contradict themselves."""

    plan: PlanDocument

    def points(self, where: Mapping[str, Scalar]) -> list[Point]:
        """The points that rows speak of and that match; the empty one where there are none."""
        found: dict[object, Point] = {}
        for point in ({**row.where, **where} for row in self.plan.published):
            if matches(point, where):
                found.setdefault(point_key(dict(sorted(point.items()))), point)
        return list(found.values())

    def of(
        self, name: str, device: str, point: Mapping[str, Scalar], along: str = ""
    ) -> _Range | None:
        """What sources print of a device at a point; None where they print nothing, or disagree.

        Args:
            name: the figure.
            device: on which device.
            point: at which sweep point.
            along: an axis that the row must name itself.
        """
        values = sorted(
            row.figures()[name]
            for row in self.plan.published
            if row.device == device
            and name in row.figures()
            and matches(point, row.where)
            and (not along or along in row.where)
            and not flags_of(self.plan, row, name)
        )
        if not values or (values[0] > 0 and values[-1] > (1 + UNLIKE) * values[0]):
            return None
        return _Range(_Range.of(values[0]).low, _Range.of(values[-1]).high)

    def faster(
        self,
        name: str,
        own: tuple[str, Mapping[str, Scalar]],
        base: tuple[str, Mapping[str, Scalar]],
        along: str = "",
    ) -> _Range | None:
        """How many times larger a quantity is, or how many times as fast for a time."""
        for figure in FOLLOWS_FROM.get(name, (name,)):
            one, other = self.of(figure, *own, along), self.of(figure, *base, along)
            if one and other and one.low > 0 and other.low > 0:
                return other.over(one) if figure in TIME_QUANTITIES else one.over(other)
        return None


def _ratios(printed: _Printed, check: RatioCheck) -> Iterator[PrintedVerdict]:
    base = check.over or printed.plan.baseline
    found = []
    for point in printed.points(check.where):
        there = {**point, **check.over_where}
        ratio = _stages(printed, check, point) or (
            None
            if check.to not in {None, check.ratio}
            else printed.faster(check.ratio, (check.of, point), (base, there))
        )
        if ratio is not None:
            found.append(ratio)
    if found and check.mean_over:
        lows, highs = [each.low for each in found], [each.high for each in found]
        found = [_Range(geometric_mean(lows), geometric_mean(highs))]
    for each in found:
        yield each.verdict(*check.bounds)


def _stages(printed: _Printed, check: RatioCheck, point: Point) -> _Range | None:
    """One quantity of a device over another of the same one."""
    if not check.within_process:
        return None
    one = printed.of(check.ratio, check.of, point)
    other = printed.of(str(check.to), check.of, point)
    return one.over(other) if one and other and one.low > 0 and other.low > 0 else None


def _trends(printed: _Printed, check: TrendCheck) -> Iterator[PrintedVerdict]:
    """A trend holds between neighbours: nowhere back by more than rounding and the margin."""
    name = check.rises or str(check.falls)
    base = check.over or printed.plan.baseline
    points = [
        point
        for point in printed.points(check.where)
        if isinstance(value := point.get(check.along), int | float)
        and (check.starting_at is None or value >= check.starting_at)
    ]
    lines: dict[object, list[Point]] = {}
    for point in sorted(points, key=lambda each: float(str(each[check.along]))):
        rest = {axis: value for axis, value in point.items() if axis != check.along}
        lines.setdefault(point_key(dict(sorted(rest.items()))), []).append(point)
    for line in lines.values():
        if name == "speedup":
            known = [
                printed.faster(name, (check.of, point), (base, point), check.along)
                for point in line
            ]
        else:
            known = [printed.of(name, check.of, point, check.along) for point in line]
        steps = [each for each in known if each is not None]
        if len(steps) > 1:
            up = steps if check.rises else steps[::-1]
            back = any(later.high * (1 + MARGIN) < before.low for before, later in pairwise(up))
            ends = up[-1].high > up[0].low * (1 + MARGIN)
            yield PrintedVerdict.AGREE if ends and not back else PrintedVerdict.CONTRADICT


def _differences(printed: _Printed, check: DifferenceCheck) -> Iterator[PrintedVerdict]:
    for point in printed.points(check.where):
        there = {**point, **check.than_where}
        one = printed.of(check.quality, check.of, point)
        other = printed.of(check.to or check.quality, check.than or check.of, there)
        if one and other:
            low, high = one.low - other.high, one.high - other.low
            if check.lower:
                low, high = -high, -low
            yield _Range(low, high).verdict(check.by_at_least, None)


def _peaks(plan: PlanDocument) -> Iterator[PrintedVerdict]:
    for row in plan.published:
        for name in sorted({"tflops", "tflops_cold"} & row.figures().keys()):
            beyond = any(each.kind == "above-peak" for each in flags_of(plan, row, name))
            yield PrintedVerdict.CONTRADICT if beyond else PrintedVerdict.AGREE
