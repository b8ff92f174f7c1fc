"""One group of processes in OLD against the same group in NEW."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import isfinite, isnan, log1p
from typing import Any, Literal

from accelreport.analysis.comparison_groups import Group
from accelreport.analysis.comparison_values import Gate, Row
from accelreport.analysis.intervals import (
    LEVEL,
    Contrast,
    compare,
    geometric_mean,
    logarithms,
    one_sample,
)
from accelreport.analysis.parity import WITHIN, Parity, judge
from accelreport.analysis.verdicts import Verdict, processes_needed, processes_to_reach, verdict


def alone(group: Group, side: Literal["old", "new"], elsewhere: Sequence[str]) -> Row:
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
        f"{side}_processes": len(group.seconds),
        f"{side}_seconds": _mean(group.seconds),
    }
    return Row(
        **_named(group),
        outcome="only-old" if side == "old" else "only-new",
        reasons=[reason, *group.problems],
        **own,
    )


def compared(old: Group, new: Group, gate: float | None) -> Row:
    """The row of a group that both folders have."""
    row = _named(new) | {
        "old_machine": old.machine,
        "new_machine": new.machine,
        "old_processes": len(old.seconds),
        "new_processes": len(new.seconds),
        "old_seconds": _mean(old.seconds),
        "new_seconds": _mean(new.seconds),
    }
    sides = (("OLD", old), ("NEW", new))
    told = [f"{name}: {said}" for name, side in sides for said in side.problems]
    differing = _differing(old, new)
    if differing:
        return Row(**row, outcome="withheld", reasons=[*differing, *told])
    if not (old.seconds and new.seconds):
        failed = bool(old.seconds) and new.failed
        return Row(**row, outcome="not-measured", reasons=told, failed_in_new=failed)
    before, after = _measured_apart(old, new)
    above, below = logarithms(after), logarithms(before)
    longer = compare((1.0, above), (-1.0, below))
    faster = verdict(compare((1.0, below), (-1.0, above)).ratio())
    notes = [*_no_interval(longer, before, after), *told, *_quality(old, new), *_warned(old, new)]
    row |= _said(longer, faster, gate)
    if copied := _copied(old, new):
        row["nothing_new"] = len(before) == len(old.seconds)
        notes.insert(0, NOTHING_NEW if row["nothing_new"] else f"{len(copied)} left out: {BOTH}")
        if row["nothing_new"] and gate is not None:
            row["gate"] = Gate.OPEN
    if longer.paired:
        pairs = before.keys() & after.keys()
        row["old_seconds"] = _mean({seed: before[seed] for seed in pairs})
        row["new_seconds"] = _mean({seed: after[seed] for seed in pairs})
        notes += [*_unpaired("OLD", before, len(pairs)), *_unpaired("NEW", after, len(pairs))]
    return Row(**row, outcome="compared", reasons=notes)


BOTH = "both folders hold the very same measurements"
NOTHING_NEW = f"nothing was measured anew: {BOTH}"


def _copied(old: Group, new: Group) -> set[int]:
    """Seeds of which both folders hold the same measurement."""
    return {
        seed
        for seed in old.seconds.keys() & new.seconds.keys()
        if old.processes[seed].measurement == new.processes[seed].measurement
    }


def _measured_apart(old: Group, new: Group) -> tuple[dict[int, float], dict[int, float]]:
    """Times by seed, without the measurements that both folders hold.

    Such a measurement beside itself would draw the ratio to 1. Where a side has no other,
    nothing is left out, so that a folder can be compared with itself.
    """
    copied = _copied(old, new)
    before, after = (
        {seed: seconds for seed, seconds in side.seconds.items() if seed not in copied}
        for side in (old, new)
    )
    return (before, after) if before and after else (old.seconds, new.seconds)


def _named(group: Group) -> dict[str, Any]:
    return {
        "spec": group.spec,
        "profile": group.profile,
        "device": group.device,
        "point": group.point,
    }


def _mean(seconds: Mapping[int, float]) -> float | None:
    return _finite(geometric_mean(list(seconds.values())).value)


def _unpaired(name: str, seconds: Mapping[int, float], pairs: int) -> list[str]:
    left = len(seconds) - pairs
    return [f"{name}: {left} without a partner of the same seed left out"] if left else []


def _differing(old: Group, new: Group) -> list[str]:
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
    shared = [
        (old.processes[seed], new.processes[seed])
        for seed in old.seconds.keys() & new.seconds.keys()
    ]
    if any(before.fingerprint != after.fingerprint for before, after in shared):
        found.append("the data are not the same: their fingerprints differ")
    if not found and any(before.key != after.key for before, after in shared):
        found.append("the two versions of accelreport take these for different cells")
    return found


def _said(longer: Contrast, said: Verdict, gate: float | None) -> dict[str, Any]:
    """Ratio, interval, verdict and gate; `longer` is the logarithm of NEW's time over OLD's."""
    interval = longer.ratio()
    row: dict[str, Any] = {
        "pairs": longer.n if longer.paired else 0,
        "ratio": _finite(interval.value),
        "low": _finite(interval.low),
        "high": _finite(interval.high),
        "verdict": said.value,
    }
    if said is Verdict.UNDECIDED:
        enough = processes_needed(longer.value, longer.spread) if longer.n > 1 else None
        row["needed"] = _more(enough, longer)
    return row if gate is None else row | _gated(longer, gate)


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


def _no_interval(longer: Contrast, old: Mapping[int, float], new: Mapping[int, float]) -> list[str]:
    if not isnan(longer.error):
        return []
    lone = [name for name, side in (("OLD", old), ("NEW", new)) if len(side) == 1]
    return [f"one process in {' and in '.join(lone)} gives no interval"]


def _quality(old: Group, new: Group) -> list[str]:
    """Whether NEW trains to another quality: a faster step that learns less is no gain."""
    for metric in ("val_accuracy", "accuracy"):
        pairs = [
            new.processes[seed].final[metric] - old.processes[seed].final[metric]
            for seed in sorted(old.processes.keys() & new.processes.keys())
            if metric in old.processes[seed].final and metric in new.processes[seed].final
        ]
        if pairs:
            difference = one_sample(pairs)
            if judge(difference, WITHIN) is Parity.DIFFERENT:
                return [f"{metric} is not the same: {difference.value:+.4f} in NEW"]
            return []
    return []


def _warned(old: Group, new: Group) -> list[str]:
    """Warnings beside the times, which weaken what they say."""
    kinds = [
        Counter(kind for one in side.processes.values() for kind in one.warnings)
        for side in (old, new)
    ]
    if kinds[0] == kinds[1]:
        return [f"both were warned of: {_counted(kinds[0])}"] if kinds[0] else []
    pairs = zip(("OLD", "NEW"), kinds, strict=True)
    return [f"{name} was warned of: {_counted(found)}" for name, found in pairs if found]


def _counted(kinds: Mapping[str, int]) -> str:
    return ", ".join(f"{kind} ×{count}" for kind, count in sorted(kinds.items()))
