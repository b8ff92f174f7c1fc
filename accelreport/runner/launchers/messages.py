"""What a machine that measures for a launcher tells the one that launched it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from accelreport.backend.protocol import AnyEvent
from accelreport.results.plan_document import Document
from accelreport.results.record import Environment, Record


class Started(Document):
    """A cell's process is launched."""

    kind: Literal["started"] = "started"
    key: str
    """The cell."""
    environment: Environment
    """The machine, for the case that no record ever comes."""


class Reported(Document):
    """A cell's process told something."""

    kind: Literal["reported"] = "reported"
    key: str
    """The cell."""
    says: AnyEvent
    """What it told."""


class Waits(Document):
    """The machine is in use."""

    kind: Literal["waits"] = "waits"
    host: str
    """Name of the machine."""
    reason: str
    """By whom."""


class Reachable(Document):
    """A process of a cell on several machines holds its machine and waits for the others."""

    kind: Literal["reachable"] = "reachable"
    port: int
    """Where it will listen."""


class Completed(Document):
    """A cell is through."""

    kind: Literal["completed"] = "completed"
    record: Record
    """Its record."""

    @property
    def interrupted(self) -> bool:
        """Whether the machine was told to stop while it measured."""
        return self.record.failure is not None and self.record.failure.kind == "interrupted"


class Crashed(Document):
    """Something went wrong that has nothing to do with a cell."""

    kind: Literal["crashed"] = "crashed"
    message: str
    """What, in a sentence."""
    traceback: str = ""
    """Where."""
    time_is_up: bool = False
    """Whether it is only that the job's time is over."""


Message = Started | Reported | Waits | Reachable | Completed | Crashed
MESSAGES: TypeAdapter[Message] = TypeAdapter(Annotated[Message, Field(discriminator="kind")])
"""Reads one message from JSON."""
