"""What the published figures alone say of a claim: evidence, labelled as not ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from accelreport.analysis.selection import matches
from accelreport.analysis.words import at, figure
from accelreport.results.plan_document import PlanDocument
from accelreport.spec.models import (
    Check,
    DifferenceCheck,
    FasterCheck,
    RatioCheck,
    TrendCheck,
    ValueCheck,
)

FIGURES_OF: dict[str, tuple[str, ...]] = {
    "steady_step_time": ("step_time", "sample_time"),
    "speedup": ("speedup", "epoch_time", "sample_time", "total_time", "tflops"),
    "throughput": ("sample_time",),
}
"""Published figures that bear on a quantity of another name."""


def published_evidence(plan: PlanDocument, check: Check) -> str:
    """The published figures that bear on a claim, as a sentence; empty without any."""
    check = check.as_ratio if isinstance(check, FasterCheck) else check
    if isinstance(check, TrendCheck):
        name = check.rises or check.falls or ""
        return _sentence(plan, name, [check.of, check.over or plan.baseline], check.where)
    if isinstance(check, RatioCheck):
        devices = [check.of] if check.within_process else [check.of, check.over or plan.baseline]
        names = {check.ratio, check.to or check.ratio}
        said = [_sentence(plan, name, devices, check.where) for name in sorted(names)]
        return " ".join(part for part in dict.fromkeys(said) if part)
    if isinstance(check, DifferenceCheck):
        qualities = {check.quality, str(check.to or check.quality)}
        devices = [check.of, check.than or check.of]
        said = [_sentence(plan, each, devices, check.where) for each in sorted(qualities)]
        return " ".join(part for part in dict.fromkeys(said) if part)
    if isinstance(check, ValueCheck):
        return _sentence(plan, check.value, [check.of], check.where)
    return ""


def _sentence(
    plan: PlanDocument, name: str, devices: Sequence[str], where: Mapping[str, Any]
) -> str:
    """What was published of a quantity on any of the devices; a speedup, between them."""
    said = []
    for row in plan.published:
        if row.device not in devices or not _touches(row.where, where):
            continue
        label = f"{row.label} ({at(row.where)})" if row.where else row.label
        label += f" in “{row.source.title}”" if row.source else ""
        said += [
            f"{label}: {figure(key, value)} [{key}, {row.mark}]"
            for key, value in row.figures().items()
            if key in FIGURES_OF.get(name, (name,))
            and (key != "speedup" or (row.over or plan.baseline) in devices)
        ]
    return f"Published, not measured here: {'; '.join(said)}." if said else ""


def _touches(stated: Mapping[str, Any], asked: Mapping[str, Any]) -> bool:
    """Whether a published row's point is not another one than the claim's."""
    return matches(stated, {key: value for key, value in asked.items() if key in stated})
