"""What the runner hands to a cell's process, and what that process says while it runs.

The process is started as `python -m accelreport.backend.child JOB.json`. It reads the job,
measures, and writes a `Record` as JSON to `Job.record_path`, whole or not at all. While it
runs it writes one event a line, as JSON, to the file descriptor `Job.events_fd`. Its
standard output and error hold only what TensorFlow and others print.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from accelreport.results.plan_document import Document
from accelreport.spec.cells import Cell


class Job(Document):
    """One cell to be measured by one process."""

    cell: Cell
    """What to measure."""
    record_path: str
    """Where the process writes its record."""
    events_fd: int | None = None
    """File descriptor for events; none are sent when absent."""
    launched_at: float
    """Wall-clock instant of the launch, `time.time()`: a label, never subtracted."""
    launched_s: float
    """The same instant by the monotonic clock, which all processes of a machine share and
    nobody can set back: `time.monotonic()`."""


class Image(Document):
    """What stood before a process that was forked from one that had imported TensorFlow."""

    process_s: float
    """Seconds from the start of that process to its first line of ours."""
    import_s: float
    """Seconds in which it imported TensorFlow and everything else that cells need."""


class Event(BaseModel):
    """Something a cell's process says while it runs."""

    model_config = ConfigDict(frozen=True, use_attribute_docstrings=True)


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


AnyEvent = Annotated[PhaseEvent | ProgressEvent | EpochEvent, Field(discriminator="event")]
EVENTS: TypeAdapter[PhaseEvent | ProgressEvent | EpochEvent] = TypeAdapter(AnyEvent)
"""Reads one line of the event stream."""
