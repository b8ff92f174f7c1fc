"""The same device name on several machines: how many times as fast each of them is.

Processes of different machines share no repeat, so the interval is Welch's (1947) on
logarithms of the steady times. Input that differs, by its fingerprint, is not compared.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from math import nan
from typing import Any

import pandas as pd

from accelreport.analysis.intervals import geometric_mean, ratio
from accelreport.analysis.verdicts import verdict

MEASURED = frozenset({"ok", "partial"})
COLUMNS = (
    "device", "machine", "n", "seconds", "seconds_low", "seconds_high",
    "reference", "faster", "low", "high", "verdict",
)  # fmt: skip

Group = tuple[Hashable, ...]


def machines_frame(cells: pd.DataFrame, axes: Sequence[str], reference: str) -> pd.DataFrame:
    """Steady times of every machine, and their ratio to those of one of them.

    Args:
        cells: `frames.cells_frame`.
        axes: names of the swept keys.
        reference: the machine that the others are compared with, where it has the device.

    Returns:
        A row for each sweep point, device and machine of which at least two have times:
        the axes and `COLUMNS`. `faster` is the reference's time over the machine's, with
        its 95 % interval; NaN for the reference itself and where the input differs.
    """
    seconds: dict[Group, dict[str, dict[int, float]]] = {}
    prints: dict[tuple[Group, str], set[str]] = {}
    names = [*axes, "device", "machine", "repeat", "status", "fingerprint", "steady_step_s"]
    for values in zip(*(cells[name].tolist() for name in names), strict=True):
        group: Group = tuple(values[: len(axes) + 1])
        machine, repeat, status, fingerprint, time = values[len(axes) + 1 :]
        if machine and status in MEASURED and time > 0:
            seconds.setdefault(group, {}).setdefault(machine, {})[repeat] = time
            prints.setdefault((group, machine), set()).add(str(fingerprint))
    rows = []
    for group, machines in seconds.items():
        if len(machines) < 2:
            continue
        first = reference if reference in machines else min(machines)
        for machine, own in sorted(machines.items(), key=lambda each: (each[0] != first, each[0])):
            same = prints[group, machine] == prints[group, first]
            compared = _compared(machines[first], own) if machine != first and same else _NONE
            rows.append([*group, machine, *_times(own), first, *compared])
    return pd.DataFrame(rows, columns=[*axes, *COLUMNS])


_NONE: tuple[Any, ...] = (nan, nan, nan, "")


def _times(seconds: Mapping[int, float]) -> tuple[Any, ...]:
    found = geometric_mean(list(seconds.values()))
    return len(seconds), found.value, found.low, found.high


def _compared(reference: Mapping[int, float], own: Mapping[int, float]) -> tuple[Any, ...]:
    # Seeds are the same on both, but the processes were not in one repeat: keys that differ.
    above = {("reference", repeat): time for repeat, time in reference.items()}
    below = {("own", repeat): time for repeat, time in own.items()}
    found = ratio(above, below)
    return found.value, found.low, found.high, verdict(found).value
