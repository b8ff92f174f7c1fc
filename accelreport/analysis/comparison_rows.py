"""One group of processes in OLD against the same group in NEW."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite, isnan, log1p
from typing import Any, Literal

from accelreport.analysis.comparison_groups import Place
from accelreport.analysis.comparison_values import Gate, Row
from accelreport.analysis.intervals import LEVEL, Contrast
from accelreport.analysis.parity import WITHIN, Parity, Quality
from accelreport.analysis.speedup import Group, Rules, Speedup, inputs_differ, seed_of, speedup
from accelreport.analysis.verdicts import processes_to_reach


def alone(group: Place, side: Literal["old", "new"], elsewhere: Sequence[str]) -> Row:
    """The row of a group that only one folder has.

    Args:
        group: the group.
        side: the folder.
        elsewhere: machines on which the other folder has the same, where it has it.
    """
    other = "NEW" if side == "old" else "OLD"
    reason = f"{other} has nothing like it"
    if group.machine and elsewhere:
        reason = (
            f"measured on {group.machine}, which {other} has not; it has {', '.join(elsewhere)}"
        )
    own: dict[str, Any] = {
        f"{side}_machine": group.machine,
        f"{side}_processes": len(group.timed),
        f"{side}_seconds": _mean(group.group()),
    }
    return Row(
        **_named(group),
        outcome="only-old" if side == "old" else "only-new",
        reasons=[reason, *group.problems],
        **own,
    )


def compared(old: Place, new: Place, gate: float | None) -> Row:
    """The row of a group that both folders have."""
    row = _named(new) | {
        "old_machine": old.machine,
        "new_machine": new.machine,
        "old_processes": len(old.timed),
        "new_processes": len(new.timed),
        "old_seconds": _mean(old.group()),
        "new_seconds": _mean(new.group()),
    }
    sides = (("OLD", old), ("NEW", new))
    told = [f"{name}: {said}" for name, side in sides for said in side.problems]
    differing = _differing(old, new)
    if differing:
        return Row(**row, outcome="withheld", reasons=[*differing, *told])
    if not (old.timed and new.timed):
        failed = bool(old.timed) and new.failed
        return Row(**row, outcome="not-measured", reasons=told, failed_in_new=failed)
    before, after = _measured_apart(old, new)
    rules = Rules(quality=_quality(before, after), pair=seed_of)
    faster, longer = speedup(after, before, rules), speedup(before, after, rules)
    notes = [*_no_interval(longer), *told, *_learns(faster), *_warned(old, new)]
    row |= _said(longer, faster, gate)
    if copied := _copied(old, new):
        row["nothing_new"] = len(before.timed) == len(old.timed)
        notes.insert(0, NOTHING_NEW if row["nothing_new"] else f"{len(copied)} left out: {BOTH}")
        if row["nothing_new"] and gate is not None:
            row["gate"] = Gate.OPEN
    if row["pairs"]:
        shared = _seeds(before) & _seeds(after)
        row["old_seconds"] = _mean(old.group(old.processes.keys() - shared))
        row["new_seconds"] = _mean(new.group(new.processes.keys() - shared))
        notes += [*_unpaired("OLD", before, shared), *_unpaired("NEW", after, shared)]
    return Row(**row, outcome="compared", reasons=notes)


BOTH = "both folders hold the very same measurements"
NOTHING_NEW = f"nothing was measured anew: {BOTH}"


def _copied(old: Place, new: Place) -> set[int]:
    """Seeds of which both folders hold the same measurement."""
    return {
        seed
        for seed in old.timed.keys() & new.timed.keys()
        if old.timed[seed].measurement == new.timed[seed].measurement
    }


def _measured_apart(old: Place, new: Place) -> tuple[Group, Group]:
    """The processes of both, without the measurements that both folders hold.

    Such a measurement beside itself would draw the ratio to 1. Where a side has no other,
    nothing is left out, so that a folder can be compared with itself.
    """
    copied = _copied(old, new)
    before, after = old.group(copied), new.group(copied)
    return (before, after) if before.timed and after.timed else (old.group(), new.group())


def _seeds(group: Group) -> set[int]:
    return {each.seed for each in group.timed}


def _named(place: Place) -> dict[str, Any]:
    return {
        "spec": place.spec,
        "profile": place.profile,
        "device": place.device,
        "point": place.point,
    }


def _mean(group: Group) -> float | None:
    return _finite(group.seconds().value)


def _unpaired(name: str, group: Group, shared: set[int]) -> list[str]:
    left = len(group.timed) - len(shared)
    return [f"{name}: {left} without a partner of the same seed left out"] if left else []


def _differing(old: Place, new: Place) -> list[str]:
    """The conditions under which comparing would be comparing two different things."""
    if not (old.processes and new.processes):
        return []
    one, other = (next(iter(side.processes.values())) for side in (old, new))
    found = [
        f"{key} is {one.conditions.get(key, 'absent')} in OLD and "
        f"{other.conditions.get(key, 'absent')} in NEW"
        for key in dict.fromkeys([*one.conditions, *other.conditions])
        if one.conditions.get(key) != other.conditions.get(key)
    ]
    if inputs_differ(old.group(), new.group()):
        found.append("the data are not the same: their fingerprints differ")
    shared = old.timed.keys() & new.timed.keys()
    if not found and any(
        old.timed[seed].result.key != new.timed[seed].result.key for seed in shared
    ):
        found.append("the two versions of accelreport take these for different cells")
    return found


def _said(longer: Speedup, faster: Speedup, gate: float | None) -> dict[str, Any]:
    """Ratio, interval, verdict and gate; `longer` is OLD's rate of work over NEW's.

    A difference in quality stands beside the ratio and does not take it away: whoever changed
    the code asks for it.
    """
    found, other = (each.estimate or each.qualified for each in (longer, faster))
    if found is None or other is None:
        return {}
    row: dict[str, Any] = {
        "pairs": found.interval.n if found.paired else 0,
        "ratio": _finite(found.interval.value),
        "low": _finite(found.interval.low),
        "high": _finite(found.interval.high),
        "verdict": other.verdict.value,
        "needed": other.needed,
    }
    return row if gate is None else row | _gated(found.contrast, gate)


def _gated(longer: Contrast, gate: float) -> dict[str, Any]:
    """FAILS when the whole interval lies above 1 + gate, PASSES when none of it does.

    Logarithms are compared, so that a wider gate never fails what a narrower one passes.
    """
    limit, half = log1p(gate), longer.half_width()
    if isnan(half):
        return {"gate": Gate.OPEN}
    if longer.value - half > limit:
        return {"gate": Gate.FAILS}
    if longer.value + half <= limit:
        return {"gate": Gate.PASSES}
    enough = processes_to_reach(abs(longer.value - limit), longer.spread, LEVEL)
    return {"gate": Gate.OPEN, "gate_needed": _more(enough, longer)}


def _more(enough: int | None, longer: Contrast) -> int | None:
    return None if enough is None else max(enough - longer.n, 1)


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None


def _no_interval(longer: Speedup) -> list[str]:
    found = longer.estimate or longer.qualified
    if found is None or found.interval.known or longer.base is None:
        return []
    sides = (("OLD", longer.own), ("NEW", longer.base))
    lone = [name for name, side in sides if len(side.timed) == 1]
    return [f"one process in {' and in '.join(lone)} gives no interval"]


def _quality(old: Group, new: Group) -> Quality | None:
    """The accuracy of which both have complete runs."""
    for metric in ("val_accuracy", "accuracy"):
        have = (
            {each.seed for each in side.results if each.complete and metric in each.final}
            for side in (old, new)
        )
        if set.intersection(*have):
            return Quality(metric, WITHIN)
    return None


def _learns(faster: Speedup) -> list[str]:
    """Whether NEW trains to another quality: a faster step that learns less is no gain."""
    agreed = faster.agreement
    if agreed is None or agreed.verdict is not Parity.DIFFERENT:
        return []
    return [f"{agreed.quality.metric} is not the same: {agreed.difference.value:+.4f} in NEW"]


def _warned(old: Place, new: Place) -> list[str]:
    """Warnings beside the times, which weaken what they say."""
    kinds = [side.warnings for side in (old, new)]
    if kinds[0] == kinds[1]:
        return [f"both were warned of: {_counted(kinds[0])}"] if kinds[0] else []
    pairs = zip(("OLD", "NEW"), kinds, strict=True)
    return [f"{name} was warned of: {_counted(found)}" for name, found in pairs if found]


def _counted(kinds: Mapping[str, int]) -> str:
    return ", ".join(f"{kind} ×{count}" for kind, count in sorted(kinds.items()))
