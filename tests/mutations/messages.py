"""What processes tell one another, and what this program remembers, and who reads it."""

from __future__ import annotations

import io
from functools import cache
from pathlib import Path
from typing import Any

from rich.console import Console

from accelreport.backend.protocol import EVENTS
from accelreport.datasets.cache import read_pins
from accelreport.errors import AccelReportError
from accelreport.machine.roofs import _read as read_roofs
from accelreport.report.site.cache import BuildManifest
from accelreport.report.site.output import Output
from accelreport.runner.events import CellEventLine, CellStartLine, RunLine, named
from accelreport.runner.launch import _hearing
from accelreport.runner.launchers.node import (
    Completed,
    Crashed,
    Reachable,
    Reported,
    Started,
    Waits,
)
from accelreport.runner.launchers.slurm.worker import MessageLog
from accelreport.runner.plan import RunPlan, decide
from accelreport.runner.workspace import MachineLock
from accelreport.terminal.live import LiveProgress
from accelreport.terminal.progress import JsonLines, PlainLines
from tests.mutations.results import as_document, training
from tests.mutations.values import Mutation, as_json

EVENT_LINES: dict[str, Any] = {
    "phase": {"event": "phase", "phase": "train"},
    "progress": {
        "event": "progress", "epoch": 1, "epochs": 3, "step": 20, "steps": 120, "eta_s": 3.5,
    },
    "epoch": {"event": "epoch", "epoch": 1, "metrics": {"loss": 0.5, "val_accuracy": 0.9}},
}  # fmt: skip
"""What a cell's process says while it runs."""


def judge_event(which: str, mutation: Mutation) -> bool:
    """Whether a line of a cell's process is an event; one that is, is shown by every display."""
    heard: list[Any] = []
    complaints: list[str] = []
    _hearing(heard.append, complaints)(as_json(mutation.of(EVENT_LINES[which])))
    if not heard:
        assert len(complaints) == 1
        return False
    record = training().records[0]
    start = CellStartLine(**named(record.cell), number=1, of=2)
    told: list[RunLine] = [CellEventLine(key=record.key, says=says) for says in _before(heard[0])]
    plan = RunPlan((decide(record.cell, None, None),))
    with LiveProgress(Console(file=io.StringIO(), force_terminal=True), plan) as live:
        for observer in (live, PlainLines(io.StringIO()), JsonLines(io.StringIO())):
            for line in (start, *told):
                observer.on(line)
        live._draw()
    return "twice" not in mutation.how


def _before(says: Any) -> list[Any]:
    """An event among those between which a process says it."""
    phase = EVENTS.validate_python(EVENT_LINES["phase"])
    return [phase, EVENTS.validate_python(EVENT_LINES["progress"]), says, says]


@cache
def node_messages() -> dict[str, Any]:
    """What a job on a node tells of its cells."""
    record = training().records[-1]
    assert record.environment
    messages = (
        Started(key=record.key, environment=record.environment),
        Reported(key=record.key, says=EVENTS.validate_python(EVENT_LINES["progress"])),
        Waits(host="node-1", reason="another run"),
        Reachable(port=2222),
        Completed(record=record.model_copy(update={"blocks": [], "epochs": []})),
        Crashed(message="it ended", traceback="File …", time_is_up=True),
    )
    return {each.kind: as_document(each) for each in messages}


def judge_node_message(folder: Path, which: str, mutation: Mutation) -> bool:
    """Whether a line of a job's log is a message; what is none is told as such."""
    path = folder / "messages.jsonl"
    path.write_bytes(as_json(mutation.of(node_messages()[which])).replace(b"\n", b" ") + b"\n")
    (found,) = MessageLog(path).unread()
    unread = isinstance(found, Crashed) and "cannot be read" in found.message
    return not unread and "twice" not in mutation.how


LOCK = {"user": "a", "process": 1234, "folder": "/results", "since": 1.5}
"""Who holds a machine."""


def judge_lock(folder: Path, which: str, mutation: Mutation) -> bool:
    """Whether the one who holds a machine is named."""
    del which
    path = folder / "measuring.lock"
    path.write_bytes(as_json(mutation.of(LOCK)))
    lock = MachineLock(path)
    assert lock.acquire()
    told = lock.who()
    lock.release()
    return "process" in told


def judge_roofs(folder: Path, which: str, mutation: Mutation) -> bool:
    """Whether what is remembered of a machine's roofs is used."""
    del which
    path = folder / "roofs.json"
    path.write_bytes(as_json(mutation.of(roofs())))
    return read_roofs(path) is not None and mutation.how != "twice"


@cache
def roofs() -> Any:
    """The best that a processor reached."""
    environment = training().records[0].environment
    assert environment
    assert environment.roofs
    return as_document(environment.roofs)


MANIFEST = {"note": "files", "files": ["index.html", "cells/a.html"]}
"""The list of a site's own files."""


def judge_manifest(folder: Path, which: str, mutation: Mutation) -> bool:
    """Whether a site's own list is used; else the folder is not written."""
    del which
    site = folder / "site"
    site.mkdir(exist_ok=True)
    (site / ".accelreport-site.json").write_bytes(as_json(mutation.of(MANIFEST)))
    try:
        with Output(site) as output:
            output.add("index.html", "x")
            output.finish()
    except AccelReportError:
        return False
    return True


MEMORY = {
    "sources": "a" * 64,
    "units": {"front": {"key": "b" * 64, "pages": 7, "files": {"index.html": [10, 20]}}},
}
"""What a build remembers of the one before."""


def judge_memory(folder: Path, which: str, mutation: Mutation) -> bool:
    """Whether what a build remembers is used."""
    del which
    empty = BuildManifest.of(folder, folder / "out")
    empty.path.parent.mkdir(exist_ok=True)
    empty.path.write_bytes(as_json(mutation.of(MEMORY)))
    memory = BuildManifest.of(folder, folder / "out")
    memory.whole("a" * 64)
    memory.kept("front", "b" * 64)
    _ = sum(unit.pages for unit in memory.units.values())
    memory.save("", memory.units)
    return bool(memory.units) and mutation.how != "twice"


PINS = {
    "a.gz": {"sha256": "0" * 64, "size": 10, "url": "https://example.org/a", "date": "2026-05-31"}
}
"""Checksums of files whose publisher gives none."""


def judge_pins(folder: Path, which: str, mutation: Mutation) -> bool:
    """Whether pins are read."""
    del which
    (folder / "pins.json").write_bytes(as_json(mutation.of(PINS)))
    try:
        read_pins(folder)
    except AccelReportError:
        return False
    return mutation.how != "twice"
