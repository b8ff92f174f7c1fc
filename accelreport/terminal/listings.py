"""The output of `accelreport devices`, `data` and `results`, and the records of given names."""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from accelreport.analysis.results import MISSING, Result, results_of
from accelreport.datasets.cache import DatasetStatus, status, where
from accelreport.datasets.catalogue import CATALOGUE
from accelreport.datasets.download import FileProgress, fetch
from accelreport.errors import AccelReportError
from accelreport.report.warning_text import warning_text
from accelreport.results.plan_document import PlanDocument
from accelreport.results.privacy import ABSOLUTE, as_published, texts_of, written_secrets
from accelreport.results.record import Record
from accelreport.results.secrets import WITHHELD
from accelreport.results.store import Store
from accelreport.runner.prepare import Survey
from accelreport.runner.run import headline
from accelreport.spec.families import TENSORFLOW
from accelreport.spec.problems import counted, did_you_mean
from accelreport.terminal.run_text import duration, figures_text, point_text
from accelreport.terminal.say import columns

GIB = 2**30


def machine_text(survey: Survey) -> Iterator[str]:
    """The machine, what the frameworks see, and each device of the devices file."""
    machine = survey.machine
    cores = counted(machine.cores, "core") if machine.cores else "cores unknown"
    yield f"machine   {machine.machine}  {machine.os}"
    yield f"CPU       {machine.cpu}, {cores}, {counted(machine.threads, 'thread')}"
    if machine.cpu_limit is not None:
        yield f"          limit {machine.cpu_limit:g} (control group)"
    yield f"memory    {machine.memory_bytes / GIB:.1f} GiB"
    for gpu in machine.gpus:
        memory = f", {gpu.memory_bytes / GIB:.1f} GiB" if gpu.memory_bytes else ""
        yield f"GPU       {gpu.name}{memory}, driver {gpu.driver or 'unknown'}"
    if not machine.gpus:
        yield "GPU       none (NVIDIA’s driver lists none)"
    yield from _software(survey)
    if survey.devices:
        yield ""
    width = max((len(device.name) for device in survey.devices), default=0)
    for one in survey.devices:
        other = one.device.framework != TENSORFLOW
        way = f" on {one.device.framework_name}" if other else ""
        verdict = f"can run{way}" if one.reason is None else f"cannot run: {one.reason}"
        label = f" ({one.device.label})" if one.device.label not in {"", one.name} else ""
        yield f"{one.name:<{width}}  {one.device.kind}  {verdict}{label}"


def _software(survey: Survey) -> Iterator[str]:
    """What the frameworks that were asked can use."""
    if survey.tensorflow is None:
        yield "TPU       unknown, because no framework was asked (--no-probe)"
        return
    asked = {TENSORFLOW: survey.tensorflow, **survey.others}
    tpus = max(probe.count("TPU") for probe in asked.values())
    yield f"TPU       {counted(tpus, 'core') if tpus else 'none'}"
    for name, probe in asked.items():
        if probe.error and name == TENSORFLOW and survey.others:
            continue  # another framework is installed instead
        versions = ", ".join(f"{name} {version}" for name, version in probe.versions.items())
        visible = ", ".join(
            f"{device.name} {device.description}".rstrip() for device in probe.devices
        )
        answer = f"{versions}; visible devices: {visible or 'none'}"
        yield f"software  {probe.error or answer}"


MEBIBYTE = 2**20


def catalogue_text() -> Iterator[str]:
    """The data folder, then each data set: its state, contents, sample and licence."""
    place = where()
    chosen = "ACCELREPORT_DATA" if place.chosen_by == "ACCELREPORT_DATA" else "the default"
    exists = "exists" if place.exists else "missing"
    writable = "writable" if place.writable else "not writable"
    free = f"{place.free_bytes / GIB:,.1f} GiB free"
    yield f"{place.root} ({chosen}; {exists}; {writable}; {free})"
    for name, entry in CATALOGUE.items():
        state = status(entry)
        yield f"{name}: {_state(state)}"
        yield f"  {entry.title}: {entry.shape}"
        if state.sample:
            yield f"  --data sample: {state.sample}"
        yield f"  {'; '.join(part for part in (entry.licence, entry.homepage) if part)}"


def catalogue_json() -> str:
    """The data sets as JSON, with files and citations."""
    rows = [asdict(status(entry)) for entry in CATALOGUE.values()]
    return json.dumps(rows, indent=2, default=str, ensure_ascii=False)


def fetchable() -> list[str]:
    """Data sets that have published files."""
    return [name for name, entry in CATALOGUE.items() if entry.files]


def fetch_all(names: Sequence[str], *, replace: bool) -> None:
    """Fetch data sets one after the other and show the progress of each file.

    Raises:
        DataUnavailable: a file cannot be fetched; earlier files are kept.
    """
    for name in names:
        with _progress() as progress:
            paths = fetch(name, progress=progress, replace=replace)
        for path in paths:
            sys.stdout.write(f"{path}\n")


def _state(status: DatasetStatus) -> str:
    """Whether a data set is here, and its size, or the size of what is missing."""
    if status.state in {"missing", "incomplete"}:
        size = status.download_bytes
        to_get = f", {size / MEBIBYTE:.1f} MiB to download" if size is not None else ""
        return f"{status.state}{to_get}"
    return f"{status.state}, {status.bytes / MEBIBYTE:.1f} MiB" if status.bytes else status.state


@contextmanager
def _progress() -> Iterator[FileProgress]:
    """A bar for each file on a terminal, a line for each file elsewhere."""
    if not sys.stderr.isatty():
        known: set[str] = set()

        def note(path: str, done: int, total: int | None) -> None:  # noqa: ARG001
            if path not in known:
                known.add(path)
                sys.stderr.write(f"fetching {path}\n")

        yield note
        return
    from rich.console import Console
    from rich.progress import DownloadColumn, Progress, TaskID, TransferSpeedColumn

    columns = (*Progress.get_default_columns(), DownloadColumn(), TransferSpeedColumn())
    tasks: dict[str, TaskID] = {}
    with Progress(*columns, console=Console(stderr=True)) as bars:

        def draw(path: str, done: int, total: int | None) -> None:
            if path not in tasks:
                tasks[path] = bars.add_task(path, total=total)
            bars.update(tasks[path], completed=done, total=total)

        yield draw


Row = dict[str, object]
"""A row of a table, also used for JSON."""

UNPLANNED = "(no plan)"
"""The name for records that no plan names any more."""


def benchmarks(store: Store) -> list[Row]:
    """A row for each plan: the number of its cells by status, and their machines."""
    plans = store.plans()
    rows = []
    for plan in plans:
        results = results_of(plan, records_of(store, _keys(plan)))
        statuses = {(result.key, result.machine): _status(result) for result in results}
        rows.append(_benchmark(f"{plan.spec}:{plan.profile}", statuses))
    unplanned = set(store.machines()).difference(*map(_keys, plans))
    if unplanned:
        records = records_of(store, unplanned)
        left = {(record.key, record.machine): record.status for record in records}
        rows.append(_benchmark(UNPLANNED, left))
    return rows


def _keys(plan: PlanDocument) -> set[str]:
    return {cell.key for cell in plan.cells}


def records_of(store: Store, keys: Collection[str]) -> Iterator[Record]:
    """The records of some cells, on every machine."""
    for key, machines in store.machines(keys).items():
        for machine in machines:
            if record := store.get(key, machine):
                yield record


def plan_records(store: Store, plan: PlanDocument) -> dict[tuple[str, str], Record]:
    """The records of a plan's cells, by key and machine."""
    return {(record.key, record.machine): record for record in records_of(store, _keys(plan))}


def _status(result: Result) -> str:
    """The outcome of a cell in the report: one without a number is neither "ok" nor "partial"."""
    return "not run" if result.status == MISSING else result.outcome


def _benchmark(name: str, statuses: Mapping[tuple[str, str], str]) -> Row:
    """A row for a plan.

    Args:
        name: of the plan.
        statuses: key and machine → status of each of its cells.
    """
    counts = Counter(sorted(statuses.values(), key="not run".__eq__))
    summary = ", ".join(f"{count} {status}" for status, count in counts.items())
    machines = ", ".join(sorted({machine for _, machine in statuses} - {""}))
    cells = len({key for key, _ in statuses})
    return {"name": name, "cells": cells, "records": summary, "machines": machines}


def cells(store: Store, name: str) -> list[Row]:
    """A row for each cell of a spec, or of SPEC:PROFILE, on each machine."""
    rows: list[Row] = []
    for plan in plans_named(store, name):
        records = plan_records(store, plan)
        for result in results_of(plan, records.values()):
            record = records.get((result.key, result.machine))
            figures = figures_text(headline(record), record.cell.workload) if record else ""
            rows.append(
                {
                    "key": result.key,
                    "profile": plan.profile,
                    "device": result.device,
                    "point": point_text(result.point),
                    "repeat": result.repeat,
                    "machine": result.machine,
                    "status": _status(result),
                    "figures": warning_text(result.refusal) if result.refusal else figures,
                }
            )
    return rows


def privacy(store: Store) -> tuple[list[Record], list[Row]]:
    """The records as a report publishes them, and a row for each private value in them.

    The rows of replaced values come first, then those of paths and environment variables that are
    published unchanged.
    """
    records = sorted(store.records(), key=lambda record: (record.key, record.machine))
    _, published, changes = as_published(store.plans(), records)
    paths: defaultdict[str, set[str]] = defaultdict(set)
    variables: defaultdict[str, defaultdict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    withheld: defaultdict[str, set[str]] = defaultdict(set)
    for record in published:
        for field in record.withheld:
            withheld[field].add(record.key)
        for text, _, free in texts_of(record):
            for path in ABSOLUTE.findall(text) if free else ():
                paths[path].add(record.key)
        for name, value in record.environment.variables.items() if record.environment else ():
            variables[name][value].add(record.key)
    rows = sorted(
        (kind, recorded, instead or "(left out)", {place.key for place in places if place.key})
        for (kind, recorded, instead), places in changes.items()
        if kind != "secret"
    )
    rows += [("secret", field, WITHHELD, keys) for field, keys in sorted(withheld.items())]
    rows += [
        ("looks secret", f"{plan.spec}: {place}", "(as it is)", {cell.key for cell in plan.cells})
        for plan in store.plans()
        for place in written_secrets(plan)
    ]
    rows += [("path", path, "(as it is)", keys) for path, keys in sorted(paths.items())]
    for name, values in sorted(variables.items()):
        others = f" and {counted(len(values) - 1, 'other value')}" if len(values) > 1 else ""
        held = f"{name}={min(values)}{others}"
        rows.append(("variable", held, "(as it is)", set().union(*values.values())))
    names = ("what", "in the records", "published as", "cells")
    table = [dict(zip(names, (*row[:3], len(row[3])), strict=True)) for row in rows]
    return published, table


def lines(rows: Sequence[Row]) -> Iterator[str]:
    """The rows below their heading, in columns of equal width."""
    if not rows:
        yield "Nothing was run."
        return
    yield from columns([list(rows[0]), *([str(v) for v in row.values()] for row in rows)])


def refusals(store: Store, key: str) -> dict[str, str]:
    """Machine → why the report refuses the number of a cell among the others of its plans."""
    return {
        result.machine: warning_text(result.refusal)
        for plan in store.plans()
        if key in _keys(plan)
        for result in results_of(plan, records_of(store, _keys(plan)))
        if result.key == key and result.refusal
    }


def record_text(record: Record, path: Path, refusal: str = "") -> Iterator[str]:
    """A record in about ten lines: its cell, its outcome, its notes.

    Args:
        record: the record.
        path: its file.
        refusal: why the report refuses its number; empty otherwise.
    """
    cell = record.cell
    parts = [cell.device, point_text(cell.point), f"#{cell.repeat}"]
    yield f"{record.key}  {cell.spec}  {' '.join(filter(None, parts))}"
    yield f"  status    {f'refused: {refusal}' if refusal else record.status}"
    if record.failure:
        first = next(iter(record.failure.message.splitlines()), "")
        yield f"  failure   {record.failure.kind}: {first}"
    environment = record.environment
    on = f", {environment.cpu}" if environment else ""
    yield f"  machine   {record.machine}{on}, at {record.started_at}"
    if not refusal and (figures := figures_text(headline(record), cell.workload)):
        yield f"  measured  {figures}"
    times = record.times.model_dump(exclude_none=True)
    if times:
        text = ", ".join(f"{key.removesuffix('_s')} {duration(s)}" for key, s in times.items())
        yield f"  times     {text}"
    for warned in record.warnings:
        yield f"  ⚠ {warned.kind}: {warned.message}"
    for left in record.artefacts:
        yield f"  file      {left.what}: {path.parents[1] / 'artefacts' / left.file}"
    yield f"  file      {path}"


def planned_names(store: Store) -> set[str]:
    """Every SPEC and SPEC:PROFILE that was run."""
    plans = store.plans()
    return {plan.spec for plan in plans} | {f"{plan.spec}:{plan.profile}" for plan in plans}


def plans_named(store: Store, name: str) -> list[PlanDocument]:
    """The plans of a spec, or the one of `SPEC:PROFILE`.

    Raises:
        AccelReportError: there is none.
    """
    plans = store.plans()
    chosen = [plan for plan in plans if name in {plan.spec, f"{plan.spec}:{plan.profile}"}]
    if not chosen:
        raise _nothing(name, [plan.spec for plan in plans])
    return chosen


def cells_named(store: Store, start: str) -> Mapping[str, Sequence[str]]:
    """The cell whose key has this prefix, with the machines that have a record of it.

    Raises:
        AccelReportError: there is none, or more than one.
    """
    places = store.machines()
    matching = {key: machines for key, machines in places.items() if key.startswith(start)}
    if len(matching) == 1:
        return matching
    if not matching:
        raise _nothing(start, [*(plan.spec for plan in store.plans()), *places])
    raise AccelReportError(
        f"{counted(len(matching), 'cell')} start with {start}: {', '.join(sorted(matching)[:5])}.",
        remedy="Give more characters of the key.",
    )


def _nothing(name: str, known: Collection[str]) -> AccelReportError:
    """The error for a name that no benchmark and no cell has."""
    return AccelReportError(
        f"There is no benchmark and no cell {name!r}.",
        why=did_you_mean(name, known),
        remedy="`accelreport results list` shows all benchmarks, and with a SPEC its cells.",
    )


def meant(
    store: Store, names: Sequence[str]
) -> tuple[dict[str, Sequence[str]], list[PlanDocument]]:
    """The records and plans that names refer to; without names, the records that no plan names.

    Raises:
        AccelReportError: a name is unknown, or fits more than one cell.
    """
    every = store.plans()
    planned = planned_names(store)
    plans = [plan for name in names if name in planned for plan in plans_named(store, name)]
    staying = {key for plan in every if plan not in plans for key in _keys(plan)}
    going = {key for plan in plans for key in _keys(plan)} if names else set(store.machines())
    gone: dict[str, Sequence[str]] = {**store.machines(going - staying)}
    for name in names:
        if name not in planned:
            gone |= cells_named(store, name)
    return gone, plans
