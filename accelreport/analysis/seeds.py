"""Repeats that claim seeds of their own: did they begin with weights and orders of their own?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from accelreport.analysis.steadiness import Finding
from accelreport.results.record import Record


@dataclass(frozen=True)
class Began:
    """What a process began with.

    Attributes:
        key: the cell's content hash.
        machine: fingerprint of the machine.
        seed: the seed that it claims.
        where: device and sweep point, among whose repeats no other may begin alike.
        parts: what it began with → its checksum.
    """

    key: str
    machine: str
    seed: int
    where: tuple[str, ...]
    parts: Mapping[str, str]


def began(record: Record) -> Began:
    """What the process of a record began with."""
    cell = record.cell
    where = (cell.device, *map(repr, sorted(cell.point.items())), cell.spec)
    return Began(record.key, record.machine, cell.seed, where, _parts(record))


def _parts(record: Record) -> dict[str, str]:
    if record.began_with is not None:
        return {
            "initial weights": record.began_with.weights,
            "order of the examples": record.began_with.order,
        }
    if record.data is not None and record.data.origin == "generated":
        return {"input": record.data.fingerprint}
    return {}


def reused_seeds(records: Iterable[Record]) -> dict[tuple[str, str], tuple[Finding, ...]]:
    """`reused`, of records."""
    return reused(began(record) for record in records)


def reused(processes: Iterable[Began]) -> dict[tuple[str, str], tuple[Finding, ...]]:
    """Repeats of different seeds that began alike, by key and machine.

    `same-run` when a training had both the initial weights and the order of the examples of an
    earlier repeat, or a kernel its input: it is that run again, and no independent one.
    `reused-seed` when only one of the two was the same. The first repeat stays as it is.
    """
    found: dict[tuple[str, str], tuple[Finding, ...]] = {}
    seen: dict[tuple[Any, ...], int] = {}
    for process in sorted(processes, key=lambda each: (each.seed, each.key)):
        same = {}
        for part, text in process.parts.items():
            place = (process.machine, *process.where, part, text)
            first = seen.setdefault(place, process.seed)
            if text and first != process.seed:
                same[part] = first
        if same:
            found[process.key, process.machine] = (_reused(same, len(process.parts)),)
    return found


def _reused(same: Mapping[str, int], parts: int) -> Finding:
    what = " and ".join(same)
    seeds = " and ".join(dict.fromkeys(f"seed {seed}" for seed in same.values()))
    kind = "same-run" if len(same) == parts else "reused-seed"
    return Finding(kind, f"its {what} were those of {seeds}", float(len(same)))
