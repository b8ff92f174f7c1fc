"""The page of one record: everything behind a number, raw."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from accelreport.analysis.stability import steady
from accelreport.report import formatting
from accelreport.report.bench import Bench, cell_slug
from accelreport.report.model import (
    Code,
    Download,
    Downloads,
    Fact,
    Notice,
    Page,
    Prose,
    Section,
    Token,
)
from accelreport.report.pages.about import commands
from accelreport.report.pages.cell_result import in_columns, result_section
from accelreport.report.pages.cell_times import blocks_section, curve_section, stages_section
from accelreport.report.pages.environment import PATH, machine_facts, machine_id
from accelreport.report.pages.marks import KINDS
from accelreport.report.pages.self_checks import checks_section
from accelreport.report.text import label, sentence, tail
from accelreport.report.words import Words
from accelreport.results.record import Record
from accelreport.spec.cells import UNTIL_SAID


def cell_page(bench: Bench, record: Record, machine: str, benches: Sequence[Bench]) -> Page:
    """The page of a record.

    Args:
        bench: the first plan that asks for the cell.
        record: what was observed.
        machine: the record's machine.
        benches: every plan that asks for the cell.
    """
    point = tuple(record.cell.point.get(axis) for axis in bench.axes)
    device = bench.title_of(record.cell.device)
    where = f", {bench.point_title(point)}" if bench.axes else ""
    sections = (
        result_section(bench, record),
        stages_section(record),
        blocks_section(bench, record),
        checks_section(record),
        curve_section(record),
        _asked(bench, record, point),
        _input(record),
        Section("environment", "Environment", machine_facts([record], page=f"../{PATH}")),
        _log(record),
        _files(record, machine),
    )
    return Page(
        path=f"cells/{cell_slug(record.key, machine)}.html",
        title=f"{device}{where}, seed {record.cell.seed}",
        kicker=f"One cell of “{label(bench.plan.title)}”",
        finding=_finding(bench.words, record, bench.refusal(record, machine)),
        description=f"{device}{where}, seed {record.cell.seed}: {_state(record)}.",
        sections=tuple(section for section in sections if section),
        template="cell.html",
        byline=_byline(record, machine),
        notices=_notices(record),
        crumbs=tuple(Download(f"{each.slug}.html", _crumb(each)) for each in benches),
    )


def _crumb(bench: Bench) -> str:
    return f"{label(bench.plan.title)} ({label(bench.plan.profile, 40)})"


def _state(record: Record) -> str:
    return {"ok": "complete", "partial": "ended by its time budget"}.get(
        record.status, record.status
    )


def _finding(words: Words, record: Record, refusal: str) -> str:
    if refusal:
        return f"Refused: {label(refusal, 600)}."
    if record.failure is not None and record.status in {"failed", "skipped"}:
        return f"{sentence(record.status)}: {KINDS.get(record.failure.kind, record.failure.kind)}."
    window = steady(record)
    if not window.steps:
        return "It ended before its first steady step."
    return (
        f"{formatting.duration(window.step_s)} a {words.step}, over "
        f"{formatting.plural(window.steps, words.step)} in {formatting.duration(window.window_s)} "
        "after the warm-up."
    )


def _byline(record: Record, machine: str) -> tuple[Fact, ...]:
    place = f"../{PATH}#{machine_id(machine)}" if record.environment else ""
    facts = [
        Fact("State", _state(record)),
        Fact("Started", formatting.moment(label(record.started_at, 60))),
        Fact("Ended", formatting.moment(label(record.finished_at, 60))),
        Fact("Machine", label(machine, 20), href=place),
        Fact("Cell", label(record.key, 20)),
    ]
    return tuple(facts)


def _notices(record: Record) -> tuple[Notice, ...]:
    notices = []
    if record.data and record.data.origin == "synthetic":
        text = label(record.data.note, 300) or "A generated stand-in of the same shapes was used."
        notices.append(Notice("Synthetic data.", text))
    if record.status == "partial":
        done = sum(block.steps for block in record.blocks)
        notices.append(
            Notice(
                "Partial run.",
                f"The time budget ended it after {formatting.count(done)} of "
                f"{formatting.plural(record.planned_steps, 'step')}; its total is extrapolated "
                "wherever it is shown.",
            )
        )
    return tuple(notices)


def _asked(bench: Bench, record: Record, point: tuple[object, ...]) -> Section:
    cell = record.cell
    device = cell.device_spec
    unsaid = {
        key for key in UNTIL_SAID if getattr(device, key) == type(device).model_fields[key].default
    }
    asked = {
        "workload": cell.workload,
        "device": device.model_dump(mode="json", exclude=unsaid),
        "measure": cell.measure.model_dump(mode="json"),
        "seed": cell.seed,
    }
    blocks = (
        Code("In full, after profile and sweep", (Token(_json(asked)),)),
        Code("Again", commands(bench, cell.device, point, record)),
        Prose("This measures every repeat of this device and sweep point that is not yet done."),
    )
    return Section("asked", "What was asked for", blocks)


def _json(value: Mapping[str, object]) -> str:
    """JSON in which a reader sees each key; text in it is escaped, never raw."""
    return json.dumps(value, indent=1, ensure_ascii=True, default=str)


def _input(record: Record) -> Section | None:
    data = record.data
    if data is None:
        return None
    facts = [
        Fact("Data set", label(data.dataset, 80)),
        Fact("Origin", data.origin),
        Fact("Fingerprint", label(data.fingerprint, 80)),
        Fact("Training examples", formatting.count(data.train_examples)),
        Fact("Validation examples", formatting.count(data.validation_examples)),
    ]
    facts += [Fact("Seed", str(data.seed))] if data.seed is not None else []
    facts += [Fact("Note", label(data.note, 300))] if data.note else []
    facts += [Fact(label(name, 80), label(sha, 80)) for name, sha in sorted(data.files.items())]
    return Section("input", "Input", tuple(in_columns(facts)))


def _log(record: Record) -> Section | None:
    if not record.log_tail.strip():
        return None
    return Section("log", "End of the log", (Code("", (Token(tail(record.log_tail)),)),))


def _files(record: Record, machine: str) -> Section:
    name = f"{cell_slug(record.key, machine)}.json"
    item = Download(name, name, "the record in full")
    return Section("files", "Files", (Downloads((item,)),))
