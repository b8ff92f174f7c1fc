"""A process beside the other repeats of its cell: is it much slower than they are, and why?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from accelreport.analysis.steadiness import FEWER_CORES, Finding
from accelreport.results.checks import OTHER_LOAD

SLOW_PROCESS = 1.2
"""A process this many times slower than the fastest repeat of its cell is a slow one."""


@dataclass(frozen=True)
class _Process:
    """One process among the repeats of its cell: seconds a step, cores busy, cores of others."""

    seconds: float
    cores: float
    other: float
    name: tuple[str, str]


def slow_processes(cells: pd.DataFrame, axes: list[str]) -> dict[tuple[str, str], Finding]:
    """Processes much slower than the other repeats of their cell, by (key, machine).

    Where such a process kept fewer cores busy, on a machine that did nothing else, the kind
    is `bimodal` (its threads shared a core or waited), otherwise `slow-process`.
    """
    groups: dict[tuple[Any, ...], list[_Process]] = {}
    timings = ["steady_step_s", "cpu_per_wall", "other_cpu_per_wall", "key", "machine"]
    columns = [cells[name].tolist() for name in (*axes, "device", *timings)]
    for *where, seconds, cores, other, key, machine in zip(*columns, strict=True):
        if seconds > 0:
            process = _Process(seconds, cores, other, (key, machine))
            groups.setdefault((*where, machine), []).append(process)
    return {
        process.name: _slow(process, siblings)
        for siblings in groups.values()
        for process in siblings
        if process.seconds > SLOW_PROCESS * min(each.seconds for each in siblings)
    }


def _slow(process: _Process, siblings: list[_Process]) -> Finding:
    factor = process.seconds / min(each.seconds for each in siblings)
    message = f"this process took {factor:.2g} times as long as the fastest repeat"
    if process.other > OTHER_LOAD:
        message += f", while others kept {process.other:.2g} cores busy"
        return Finding("slow-process", message, factor)
    most = max(each.cores for each in siblings)
    if process.cores < FEWER_CORES * most:
        message += f", with {process.cores:.2g} cores busy instead of {most:.2g}"
        return Finding("bimodal", message, factor)
    return Finding("slow-process", message, factor)
