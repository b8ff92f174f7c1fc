"""What a comparison of two results folders holds, and how it is come by.

OLD and NEW are compared group by group: the processes of one spec and profile, at one sweep
point, on one device of one machine. Nothing that is in either folder is dropped; what cannot
be compared is a row with its reasons.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol

from accelreport.analysis.comparison_environment import differences
from accelreport.analysis.comparison_groups import Place, Places, places_of
from accelreport.analysis.comparison_rows import alone, compared
from accelreport.analysis.comparison_values import (
    Comparison,
    Gate,
    Result,
    Row,
    SideSummary,
)
from accelreport.analysis.intervals import LEVEL
from accelreport.analysis.verdicts import MARGIN
from accelreport.results.plan_document import PlanDocument
from accelreport.results.record import Record

__all__ = ["Folder", "compare_folders"]


class Folder(Protocol):
    """A results folder; `accelreport.results.store.Store` is one."""

    @property
    def root(self) -> Path:
        """Where it is."""

    @property
    def problems(self) -> Sequence[object]:
        """Files that could not be read so far, each with a sentence as its text."""

    def plans(self) -> Sequence[PlanDocument]:
        """Every plan that can be read."""

    def records(self) -> Iterable[Record]:
        """Every record that can be read."""


def compare_folders(old: Folder, new: Folder, gate: float | None = None) -> Comparison:
    """Compare everything that two results folders hold.

    Args:
        old: what was before.
        new: what is now.
        gate: how much longer a step may take, as a fraction; None when nothing is gated.
    """
    before, after = (places_of(each.plans(), each.records()) for each in (old, new))
    rows: list[Row] = []
    together: list[tuple[Place, Place]] = []
    for name in dict.fromkeys([*after.groups, *before.groups]):
        old_groups, new_groups = before.groups.get(name, []), after.groups.get(name, [])
        pairs, only_old, only_new = _partners(old_groups, new_groups)
        rows += [compared(one, other, gate) for one, other in pairs]
        rows += [alone(group, "old", _machines(new_groups)) for group in only_old]
        rows += [alone(group, "new", _machines(old_groups)) for group in only_new]
        together += pairs
    sides = _summary(old, before), _summary(new, after)
    return Comparison(
        result=_result(rows, sides, gate),
        old=sides[0],
        new=sides[1],
        level=LEVEL,
        margin=MARGIN,
        gate=gate,
        apart=_apart(together),
        differences=differences(together),
        rows=rows,
    )


def _summary(folder: Folder, groups: Places) -> SideSummary:
    return SideSummary(
        name=str(folder.root),
        records=groups.records,
        unplanned=groups.unplanned,
        unreadable=[str(problem) for problem in folder.problems],
    )


def _result(rows: Sequence[Row], sides: Sequence[SideSummary], gate: float | None) -> Result:
    """What it comes to; of several things the gravest."""
    if any(row.gate is Gate.FAILS for row in rows):
        return Result.SLOWER
    if any(side.unreadable for side in sides):
        return Result.UNREADABLE
    if gate is not None and any(row.failed_in_new for row in rows):
        return Result.FAILED
    compared = [row for row in rows if row.outcome == "compared"]
    # A gate that looks at old results only must not look as if it had been passed.
    told = [row for row in compared if not row.nothing_new] if gate is not None else compared
    return Result.DONE if told else Result.NOTHING


def _apart(pairs: Sequence[tuple[Place, Place]]) -> str:
    """When each folder was measured, where that was not at the same time; empty otherwise."""
    times = [
        sorted(one.started_at for pair in pairs for one in pair[side].timed.values())
        for side in (0, 1)
    ]
    if not all(times) or not (times[0][-1] < times[1][0] or times[1][-1] < times[0][0]):
        return ""
    old, new = (f"{each[0][:19]} to {each[-1][:19]}" for each in times)
    return f"OLD from {old}, NEW from {new} (UTC)"


def _machines(groups: Sequence[Place]) -> list[str]:
    return [group.machine for group in groups if group.machine]


def _partners(
    old: Sequence[Place], new: Sequence[Place]
) -> tuple[list[tuple[Place, Place]], list[Place], list[Place]]:
    """Places of one name by machine: those to be compared, and what is in one folder only.

    A machine is compared with itself. Where one machine is left on each side, these two are
    compared; where more are left, it would be arbitrary which.
    """
    known = {group.machine: group for group in old}
    pairs = [(known[group.machine], group) for group in new if group.machine in known]
    shared = {group.machine for _, group in pairs}
    left_old = [group for group in old if group.machine not in shared]
    left_new = [group for group in new if group.machine not in shared]
    if len(left_old) == len(left_new) == 1:
        return [*pairs, (left_old[0], left_new[0])], [], []
    return pairs, left_old, left_new
