"""Repeats that claim seeds of their own: did they begin with weights and orders of their own?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from accelreport.analysis.cell_rows import machine_of
from accelreport.analysis.steadiness import Finding
from accelreport.results.record import Record


def reused_seeds(records: Iterable[Record]) -> dict[tuple[str, str], tuple[Finding, ...]]:
    """Repeats of different seeds that began alike, by key and machine.

    `same-run` when a training had both the initial weights and the order of the examples of an
    earlier repeat, or a kernel its input: it is that run again, and no independent one.
    `reused-seed` when only one of the two was the same. The first repeat stays as it is.
    """
    found: dict[tuple[str, str], tuple[Finding, ...]] = {}
    seen: dict[tuple[Any, ...], int] = {}
    for record in sorted(records, key=lambda each: (each.cell.seed, each.key)):
        machine = machine_of(record)
        where = (machine, record.cell.device, *map(repr, sorted(record.cell.point.items())))
        same = {}
        for part, text in _began_with(record).items():
            first = seen.setdefault((*where, record.cell.spec, part, text), record.cell.seed)
            if text and first != record.cell.seed:
                same[part] = first
        if same:
            found[record.key, machine] = (_reused(same, len(_began_with(record))),)
    return found


def _began_with(record: Record) -> Mapping[str, str]:
    if record.began_with is not None:
        return {
            "initial weights": record.began_with.weights,
            "order of the examples": record.began_with.order,
        }
    if record.data is not None and record.data.origin == "generated":
        return {"input": record.data.fingerprint}
    return {}


def _reused(same: Mapping[str, int], parts: int) -> Finding:
    what = " and ".join(same)
    seeds = " and ".join(dict.fromkeys(f"seed {seed}" for seed in same.values()))
    kind = "same-run" if len(same) == parts else "reused-seed"
    return Finding(kind, f"its {what} were those of {seeds}", float(len(same)))
