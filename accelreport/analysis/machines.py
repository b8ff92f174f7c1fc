"""The same device name on several machines: how many times as fast each of them is.

Processes of different machines share no repeat, so the interval is Welch's (1947) on
logarithms of the steady times.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from accelreport.analysis.results import PointKey
from accelreport.analysis.speedup import Group, Rules, Speedup, speedup


@dataclass(frozen=True)
class OnMachine:
    """A device at a sweep point on one of several machines.

    Attributes:
        group: its processes.
        over: how many times as fast it is as on the machine that the others are compared with;
            None for that machine itself.
    """

    group: Group
    over: Speedup | None


def on_machines(groups: Sequence[Group], reference: str, rules: Rules) -> tuple[OnMachine, ...]:
    """Every device at every sweep point that has times on two machines or more.

    Args:
        groups: the processes of a plan, from `groups_of`.
        reference: the machine that the others are compared with, where it has the device;
            otherwise the first one that has.
        rules: what is asked of a comparison.
    """
    places: dict[tuple[PointKey, str], list[Group]] = {}
    for group in groups:
        if group.timed and group.machine:
            places.setdefault((group.results[0].where, group.device), []).append(group)
    found: list[OnMachine] = []
    for there in places.values():
        first, *others = sorted(there, key=lambda each: (each.machine != reference, each.machine))
        if others:
            found.append(OnMachine(first, None))
            found += [OnMachine(each, speedup(each, first, rules)) for each in others]
    return tuple(found)
