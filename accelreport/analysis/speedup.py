"""How many times faster than the baseline, with an interval, at every point of a sweep."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from math import nan
from typing import Any

import pandas as pd

from accelreport.analysis.frames import MEASURED
from accelreport.analysis.intervals import (
    LEVEL,
    Contrast,
    Interval,
    compare,
    geometric_mean,
    logarithms,
)
from accelreport.analysis.verdicts import MARGIN, Verdict, processes_needed, verdict

COLUMNS = (
    "device",
    "machine",
    "n",
    "n_baseline",
    "baseline_machine",
    "seconds",
    "seconds_low",
    "seconds_high",
    "speedup",
    "low",
    "high",
    "level",
    "verdict",
    "needed",
    "paired",
    "reason",
)
"""Columns of `speedups`, after the axes."""


@dataclass
class _Group:
    """The processes of one device on one machine at one sweep point."""

    point: tuple[Hashable, ...]
    device: str
    machine: str
    seconds: dict[Hashable, float] = field(default_factory=dict)
    fingerprints: dict[Hashable, str] = field(default_factory=dict)
    problems: dict[str, int] = field(default_factory=dict)


def speedups(
    cells: pd.DataFrame,
    *,
    baseline: str,
    axes: Sequence[str],
    level: float = LEVEL,
    look_level: float | None = None,
    margin: float = MARGIN,
) -> pd.DataFrame:
    """One row for each sweep point, device and machine: its time and its speedup.

    The speedup is the baseline's steady step time over the device's, as a geometric mean
    over repeats, with the interval of `intervals.compare`. The baseline of the same machine
    is used where there is one, otherwise that of the machine with most processes of it
    (`baseline_machine` says which).

    Args:
        cells: from `cells_frame`.
        baseline: name of the device that speedups are relative to.
        axes: names of the sweep's axes; the first columns of the result.
        level: confidence level.
        look_level: where repeats were added until it was decided, the level of the intervals
            of one look that keeps `level` over all looks (`sequential.level_of`).
        margin: speedups within 1/(1 + margin) … 1 + margin are the SAME.

    Returns:
        The axes, then `COLUMNS`: times in seconds; `needed` is how many more processes of
        each device would decide an UNDECIDED row with probability 0.8 (NaN where that is
        unknown or nothing is left to decide); `paired`, whether the comparison was made
        within repeats; `reason`, why there is no speedup, or no interval, or why there are
        fewer processes than planned.
    """
    each = level if look_level is None else look_level
    groups = _groups(cells, axes)
    bases: dict[tuple[Hashable, ...], list[_Group]] = {}
    for group in groups:
        if group.device == baseline:
            bases.setdefault(group.point, []).append(group)
    rows = [
        dict(zip(axes, group.point, strict=True))
        | _compare(group, bases.get(group.point, []), baseline, each, margin)
        | {"level": level}
        for group in groups
    ]
    return pd.DataFrame(rows, columns=[*axes, *COLUMNS])


def _groups(cells: pd.DataFrame, axes: Sequence[str]) -> list[_Group]:
    found: dict[tuple[Hashable, ...], _Group] = {}
    columns = ["device", "machine", "repeat", "status", "failure_kind", "failure_message"]
    names = [*axes, *columns, "fingerprint", "steady_step_s"]
    for values in zip(*(cells[name].tolist() for name in names), strict=True):
        point = tuple(values[: len(axes)])
        device, machine, repeat, status, kind, message, fingerprint, seconds = values[len(axes) :]
        group = found.setdefault((*point, device, machine), _Group(point, device, machine))
        if status in MEASURED and seconds > 0:
            group.seconds[machine, repeat] = seconds
            group.fingerprints[repeat] = fingerprint
        else:
            problem = _problem(status, kind, message)
            group.problems[problem] = group.problems.get(problem, 0) + 1
    present = {(group.point, group.device) for group in found.values() if group.machine}
    return [
        group
        for group in found.values()
        if group.machine or (group.point, group.device) not in present
    ]


def _problem(status: str, kind: str, message: str) -> str:
    if status == "missing":
        return "not run yet"
    if status in MEASURED:
        return "ended before its first steady step"
    return f"{status} ({kind}): {message}" if kind else status


def _compare(
    group: _Group, bases: list[_Group], name: str, level: float, margin: float
) -> dict[str, Any]:
    seconds = geometric_mean(list(group.seconds.values()), level)
    row: dict[str, Any] = {
        "device": group.device,
        "machine": group.machine,
        "n": len(group.seconds),
        "n_baseline": 0,
        "baseline_machine": "",
        "seconds": seconds.value,
        "seconds_low": seconds.low,
        "seconds_high": seconds.high,
        "speedup": nan,
        "low": nan,
        "high": nan,
        "verdict": Verdict.NOT_MEASURED.value,
        "needed": nan,
        "paired": False,
        "reason": _what_failed(group),
    }
    if not group.seconds:
        return row
    if group.device == name:
        own = {"n_baseline": len(group.seconds), "baseline_machine": group.machine}
        ones = {"speedup": 1.0, "low": 1.0, "high": 1.0}
        return row | own | ones | {"verdict": Verdict.BASELINE.value}
    base = _baseline_of(group, bases)
    if base is None:
        return row | {"reason": f"the baseline {name} was not measured here"}
    return row | _ratio(group, base, level, margin)


def _baseline_of(group: _Group, bases: list[_Group]) -> _Group | None:
    measured = [base for base in bases if base.seconds]
    here = [base for base in measured if base.machine == group.machine]
    if here:
        return here[0]
    return max(measured, key=lambda base: (len(base.seconds), base.machine), default=None)


def _ratio(group: _Group, base: _Group, level: float, margin: float) -> dict[str, Any]:
    counts = {"n_baseline": len(base.seconds), "baseline_machine": base.machine}
    shared = group.fingerprints.keys() & base.fingerprints.keys()
    if any(group.fingerprints[repeat] != base.fingerprints[repeat] for repeat in shared):
        return counts | {"reason": f"withheld: its input differs from that of {base.device}"}
    above, below = logarithms(base.seconds), logarithms(group.seconds)
    difference = compare((1.0, above), (-1.0, below))
    interval = difference.ratio(level)
    reasons = (_no_interval(interval, group, base), _what_failed(group))
    said = verdict(interval, margin)
    return counts | {
        "speedup": interval.value,
        "low": interval.low,
        "high": interval.high,
        "verdict": said.value,
        "needed": _needed(said, difference, level, margin),
        "paired": difference.paired,
        "reason": "; ".join(reason for reason in reasons if reason),
    }


def _what_failed(group: _Group) -> str:
    """Why there is no time; where there is one, which of its processes are missing."""
    if not group.seconds:
        return "; ".join(group.problems)
    planned = len(group.seconds) + sum(group.problems.values())
    return "; ".join(
        f"{count} of {planned} processes: {problem}" for problem, count in group.problems.items()
    )


def _no_interval(interval: Interval, group: _Group, base: _Group) -> str:
    if interval.known:
        return ""
    lone = [each.device for each in (group, base) if len(each.seconds) == 1]
    return f"one process of {' and of '.join(lone)} gives no interval"


def _needed(said: Verdict, difference: Contrast, level: float, margin: float) -> float:
    if said is not Verdict.UNDECIDED or difference.n < 2:
        return nan
    enough = processes_needed(difference.value, difference.spread, margin, level)
    return nan if enough is None else float(max(enough - difference.n, 1))
