"""What the runner hands to a cell's process, and what that process says and leaves.

The process is started as `python -m accelreport.backend.main JOB.json`. It reads the job,
measures, and writes a `Record` as JSON to `Job.record_path`, whole or not at all. While it
runs it writes one event a line, as JSON, to the file descriptor `Job.events_fd`. Its
standard output and error hold only what TensorFlow and others print.
"""

from __future__ import annotations

import hashlib
import io
import os
import tarfile
import time
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal, TextIO

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from accelreport.results.plan_document import Document
from accelreport.results.record import Artefact
from accelreport.spec.cells import Cell


class Job(Document):
    """One cell to be measured by one process."""

    cell: Cell
    record_path: str
    """Where the process writes its record."""
    events_fd: int | None = None
    """File descriptor for events; none are sent when absent."""
    launched_at: float
    """Wall-clock instant of the launch, `time.time()`: a label, never subtracted."""
    launched_s: float
    """The same instant by the monotonic clock, which all processes of a machine share and
    nobody can set back: `time.monotonic()`."""


UNWRITTEN = os.EX_IOERR
"""Exit code of a process that could not write its record."""

ARTEFACTS = "artefacts"
"""Beside the record of a cell's process, until the runner takes them into the results."""


class Artefacts:
    """Takes the files of one cell.

    Args:
        folder: where they go; made when the first one comes.

    Attributes:
        kept: what was taken, for the record.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.kept: list[Artefact] = []

    def keep(self, name: str, what: str, content: bytes) -> None:
        """Take a file.

        Args:
            name: ending of the file's name, such as `weights.h5`.
            what: what it is, in words.
            content: its bytes.
        """
        digest = hashlib.sha256(content).hexdigest()
        artefact = Artefact(name=name, what=what, bytes=len(content), sha256=digest)
        self._folder.mkdir(exist_ok=True)
        (self._folder / artefact.file).write_bytes(content)
        self.kept.append(artefact)


def archive(folder: Path) -> bytes:
    """A folder as an uncompressed tar archive that does not say when and by whom it was made.

    The same files give the same bytes.
    """
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path in sorted(folder.rglob("*")):
            entry = tarfile.TarInfo(path.relative_to(folder).as_posix())
            if path.is_dir():
                entry.type, entry.mode = tarfile.DIRTYPE, 0o755
                tar.addfile(entry)
            elif path.is_file():
                content = path.read_bytes()
                entry.size, entry.mode = len(content), 0o644
                tar.addfile(entry, io.BytesIO(content))
    return target.getvalue()


def iso(instant: datetime) -> str:
    """An instant in the form of records."""
    return instant.isoformat(timespec="milliseconds")


class ParentTimings(Document):
    """What stood before a process that was forked from one that had imported TensorFlow."""

    process_s: float
    """Seconds from the start of that process to its first line of ours."""
    import_s: float
    """Seconds in which it imported TensorFlow and everything else that cells need."""


class Event(BaseModel):
    """Something a cell's process says while it runs; see `Document` for what is no number."""

    model_config = ConfigDict(
        frozen=True, use_attribute_docstrings=True, ser_json_inf_nan="strings"
    )


class PhaseEvent(Event):
    """A new stage began."""

    event: Literal["phase"] = "phase"
    phase: Literal["import", "data", "build", "compile", "train", "evaluate", "finish"]
    """The stage."""


class ProgressEvent(Event):
    """Steps were done."""

    event: Literal["progress"] = "progress"
    epoch: int
    """Current epoch (or call), from 1."""
    epochs: int
    """Epochs (or calls) in all."""
    step: int
    """Steps done in the whole cell."""
    steps: int
    """Steps of a complete cell."""
    eta_s: float
    """Seconds left by the pace of the steady steps, within the budget."""


class EpochEvent(Event):
    """An epoch ended and was evaluated."""

    event: Literal["epoch"] = "epoch"
    epoch: int
    """From 1."""
    metrics: dict[str, float]
    """Its metrics."""


ChildEvent = PhaseEvent | ProgressEvent | EpochEvent
"""What a cell's process says of itself."""

AnyEvent = Annotated[ChildEvent, Field(discriminator="event")]
EVENTS: TypeAdapter[ChildEvent] = TypeAdapter(AnyEvent)
"""Reads one line of the event stream."""

SHORTEST_PAUSE_S = 0.2
"""Progress is told no more often than this: telling costs time, too."""


class Reporter:
    """Writes events, one JSON line each; to nowhere when there is no descriptor."""

    def __init__(self, descriptor: int | None) -> None:
        self._stream: TextIO | None = (
            None if descriptor is None else os.fdopen(descriptor, "w", encoding="utf-8")
        )
        self._last = 0.0

    def phase(self, phase: str) -> None:
        """A new stage begins."""
        self._say(PhaseEvent.model_validate({"phase": phase}))

    def progress(self, *, epoch: int, epochs: int, step: int, steps: int, eta_s: float) -> None:
        """Steps were done; told at most five times a second."""
        now = time.monotonic()
        if now - self._last < SHORTEST_PAUSE_S and step < steps:
            return
        self._last = now
        self._say(ProgressEvent(epoch=epoch, epochs=epochs, step=step, steps=steps, eta_s=eta_s))

    def epoch(self, epoch: int, metrics: dict[str, float]) -> None:
        """An epoch was finished and evaluated."""
        self._say(EpochEvent(epoch=epoch, metrics=metrics))

    def _say(self, event: Event) -> None:
        if self._stream is None:
            return
        try:
            self._stream.write(event.model_dump_json() + "\n")
            self._stream.flush()
        except BrokenPipeError:
            # Nobody listens any more. The parent's end is watched elsewhere (`parent_death`).
            self._stream = None
