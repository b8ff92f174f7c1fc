"""What `accelreport results` shows, and which records its names mean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from accelreport.errors import AccelReportError
from accelreport.results.plan_document import PlanDocument
from accelreport.results.record import Record
from accelreport.results.store import Store
from accelreport.runner.run import headline
from accelreport.spec.base import Scalar
from accelreport.spec.problems import counted, did_you_mean
from accelreport.terminal.run_text import duration, figures_text
from accelreport.terminal.say import columns

Row = dict[str, object]
"""A row of a table, for programs, too."""

UNPLANNED = "(no plan)"
"""What records are told under that no plan names any more."""


def benchmarks(store: Store) -> list[Row]:
    """A row for each plan: how many of its cells have which status, and where."""
    plans = store.plans()
    rows = [_benchmark(store, f"{plan.spec}:{plan.profile}", _keys(plan)) for plan in plans]
    unplanned = set(store.machines()).difference(*map(_keys, plans))
    return [*rows, *([_benchmark(store, UNPLANNED, unplanned)] if unplanned else [])]


def _keys(plan: PlanDocument) -> set[str]:
    return {cell.key for cell in plan.cells}


def _benchmark(store: Store, name: str, keys: Collection[str]) -> Row:
    places = store.machines(keys)
    found = [store.get(key, machine) for key, machines in places.items() for machine in machines]
    statuses: Counter[str] = Counter(record.status for record in found if record)
    if absent := len(keys) - len(places):
        statuses["not run"] = absent
    told = ", ".join(f"{count} {status}" for status, count in statuses.items())
    machines = sorted({machine for names in places.values() for machine in names})
    return {"name": name, "cells": len(keys), "records": told, "machines": ", ".join(machines)}


def cells(store: Store, name: str) -> list[Row]:
    """A row for each cell and machine of the plans of a name."""
    rows = []
    for plan in plans_named(store, name):
        places = store.machines(_keys(plan))
        for cell in plan.cells:
            point = _point(cell.point)
            told = {"key": cell.key, "profile": plan.profile, "device": cell.device}
            for machine in places.get(cell.key, [""]):
                record = store.get(cell.key, machine) if machine else None
                status = record.status if record else "not run"
                figures = figures_text(headline(record), record.cell.workload) if record else ""
                place = {"point": point, "repeat": cell.repeat, "machine": machine}
                rows.append({**told, **place, "status": status, "figures": figures})
    return rows


def _point(point: Mapping[str, Scalar]) -> str:
    return " ".join(f"{key.removeprefix('workload.')}={value}" for key, value in point.items())


def lines(rows: Sequence[Row]) -> Iterator[str]:
    """The rows below their heading, in columns of equal width."""
    if not rows:
        yield "Nothing was run."
        return
    yield from columns([list(rows[0]), *([str(v) for v in row.values()] for row in rows)])


def record_text(record: Record, path: Path) -> Iterator[str]:
    """A record in some ten lines: what it is of, what came of it, what to know of it."""
    cell = record.cell
    parts = [cell.device, _point(cell.point), f"#{cell.repeat}"]
    yield f"{record.key}  {cell.spec}  {' '.join(filter(None, parts))}"
    yield f"  status    {record.status}"
    if record.failure:
        yield f"  failure   {record.failure.kind}: {record.failure.message.splitlines()[0]}"
    environment = record.environment
    on = f", {environment.cpu}" if environment else ""
    yield f"  machine   {record.machine}{on}, at {record.started_at}"
    if figures := figures_text(headline(record), cell.workload):
        yield f"  measured  {figures}"
    times = record.times.model_dump(exclude_none=True)
    if times:
        told = ", ".join(f"{key.removesuffix('_s')} {duration(s)}" for key, s in times.items())
        yield f"  times     {told}"
    for warned in record.warnings:
        yield f"  ⚠ {warned.kind}: {warned.message}"
    for left in record.artefacts:
        yield f"  left      {left.what}: {path.parents[1] / 'artefacts' / left.file}"
    yield f"  file      {path}"


def plans_named(store: Store, name: str) -> list[PlanDocument]:
    """The plans of a spec, or the one of `SPEC:PROFILE`.

    Raises:
        AccelReportError: there is none.
    """
    plans = store.plans()
    found = [plan for plan in plans if name in {plan.spec, f"{plan.spec}:{plan.profile}"}]
    if not found:
        raise _nothing(name, [plan.spec for plan in plans])
    return found


def cells_named(store: Store, start: str) -> Mapping[str, Sequence[str]]:
    """The cell whose key begins so, with the machines that have a record of it.

    Raises:
        AccelReportError: there is none, or more than one.
    """
    places = store.machines()
    found = {key: machines for key, machines in places.items() if key.startswith(start)}
    if len(found) == 1:
        return found
    if not found:
        raise _nothing(start, places)
    raise AccelReportError(
        f"{counted(len(found), 'cell')} begin with {start}: {', '.join(sorted(found)[:5])}.",
        remedy="Give more of the key.",
    )


def _nothing(name: str, known: Collection[str]) -> AccelReportError:
    return AccelReportError(
        f"There is neither a benchmark nor a cell {name!r}.",
        why=did_you_mean(name, known),
        remedy="`accelreport results list` shows what was run, and of a SPEC its cells.",
    )


def meant(
    store: Store, names: Sequence[str]
) -> tuple[dict[str, Sequence[str]], list[PlanDocument]]:
    """The records and plans that names mean; without any, the records that no plan names.

    Raises:
        AccelReportError: a name means nothing, or more than one cell.
    """
    every = store.plans()
    planned = {plan.spec for plan in every} | {f"{plan.spec}:{plan.profile}" for plan in every}
    plans = [plan for name in names if name in planned for plan in plans_named(store, name)]
    staying = {key for plan in every if plan not in plans for key in _keys(plan)}
    gone: dict[str, Sequence[str]] = {}
    if names:
        wanted = {key for plan in plans for key in _keys(plan)} - staying
        gone |= store.machines(wanted)
    else:
        gone |= {key: on for key, on in store.machines().items() if key not in staying}
    for name in names:
        if name not in planned:
            gone |= cells_named(store, name)
    return gone, plans
