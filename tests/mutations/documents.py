"""Every kind of document that is read, a sound one of each, and how a changed one is judged."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from accelreport.results.plan_document import PlanDocument
from accelreport.results.reading import ResultProblem, read_named_record, read_plan
from accelreport.results.record import Record
from accelreport.spec.device import Device
from accelreport.spec.files_beside import ReportOptions
from accelreport.spec.models import SpecDocument
from tests.mutations import specs
from tests.mutations.results import (
    Folder,
    as_document,
    kernel,
    names_of,
    read_all,
    read_file,
    training,
)
from tests.mutations.values import Mutation, as_json, mutations


@dataclass(frozen=True)
class Kind:
    """A kind of document.

    Attributes:
        name: what it is called.
        sound: documents of it that have, together, every field.
        judged: takes one of them, changed; says whether it was taken, and raises whatever is
            raised that should not be.
        names: key → names that a value under it may be.
    """

    name: str
    sound: Mapping[str, Any]
    judged: Callable[[str, Mutation], bool]
    names: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)

    def mutations(self) -> Iterator[tuple[str, Mutation]]:
        """Every mutation of every sound document."""
        for which, document in self.sound.items():
            yield from ((which, each) for each in mutations(document, self.names))

    def judge(self, which: str, mutation: Mutation) -> None:
        """Judge a changed document, which is refused if a key stands in it twice."""
        taken = self.judged(which, mutation)
        assert not (taken and mutation.how == "twice"), mutation


FOLDER = Path(tempfile.mkdtemp(prefix="mutations-"))
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)


def _record(which: str, mutation: Mutation) -> bool:
    """A device all of whose records, and one of the baseline's, have the same mutation."""
    changed: list[Record] = []
    for record in (training() if which == "training" else kernel()).records:
        if record.cell.device != "gpu" and record.cell.repeat == 0:
            changed.append(record)
            continue
        assert record.environment
        document = as_document(record)
        if not mutation.fits(document):  # a list that is empty on this device
            changed.append(record)
            continue
        content = as_json(mutation.of(document))
        path = FOLDER / f"{record.key}.{record.environment.machine}.json"
        read = read_file(path, content, read_named_record)
        if isinstance(read, ResultProblem):
            return False
        changed.append(read)
    _read(which, records=changed)
    return True


def _plan(which: str, mutation: Mutation) -> bool:
    study = training() if which == "training" else kernel()
    left_out: list[ResultProblem] = []
    reader = partial(read_plan, left_out=left_out)
    read = read_file(FOLDER / "plan.json", as_json(mutation.of(as_document(study.plan))), reader)
    if isinstance(read, ResultProblem):
        return False
    _read(which, plan=read)
    return not left_out


def _read(
    which: str, plan: PlanDocument | None = None, records: list[Record] | None = None
) -> None:
    own = training() if which == "training" else kernel()
    before = Folder([own.plan], own.records)
    read_all(Folder([plan or own.plan], records or own.records), before)


RECORD = Kind(
    "record",
    {
        "training": as_document(training().records[-1]),
        "kernel": as_document(kernel().records[0]),
    },
    _record,
    names_of(Record),
)
PLAN = Kind(
    "plan",
    {"training": as_document(training().plan), "kernel": as_document(kernel().plan)},
    _plan,
    names_of(PlanDocument),
)

SPEC = Kind("spec", specs.specs(), specs.judge_spec, names_of(SpecDocument))
DEVICES = Kind("devices", {"devices": specs.DEVICES}, specs.judge_devices, names_of(Device))
SETTINGS = Kind(
    "settings", {"settings": specs.SETTINGS}, specs.judge_settings, names_of(ReportOptions)
)
ARCHITECTURE = Kind("architecture", {"architecture": specs.ARCHITECTURE}, specs.judge_architecture)

KINDS = (RECORD, PLAN, SPEC, DEVICES, SETTINGS, ARCHITECTURE)
"""Every kind."""
