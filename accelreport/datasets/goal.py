"""What a download shall bring, and how long it may try."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from accelreport.datasets.errors import DataUnavailable


@dataclass(frozen=True)
class Patience:
    """How long to wait for a server, and how often to ask again."""

    connect_s: float = 10.0
    """Seconds to wait for a connection."""
    read_s: float = 30.0
    """Seconds to wait for the next bytes."""
    tries: int = 5
    """Attempts in a row that bring nothing new."""
    pause_s: float = 1.0
    """Seconds before the second attempt; doubled before each further one."""


@dataclass(frozen=True)
class Goal:
    """What is to be downloaded.

    Attributes:
        url: from where.
        part: the file in which it grows.
        size: bytes it must have; None when not known.
        limit: bytes it may have at most.
        checked: whether its checksum is known, so that a part may be resumed although the
            server names no version.
        remedy: what a person can do when it fails.
    """

    url: str
    part: Path
    size: int | None
    limit: int
    checked: bool
    remedy: str

    @property
    def notes(self) -> Path:
        """The file that remembers which version the part belongs to."""
        return self.part.with_name(f"{self.part.name}.json")

    def failed(self, why: str) -> DataUnavailable:
        """The error that says why it could not be downloaded."""
        return DataUnavailable(f"{self.url} could not be downloaded.", why=why, remedy=self.remedy)


def discard(goal: Goal) -> None:
    """Forget what has arrived."""
    goal.part.unlink(missing_ok=True)
    goal.notes.unlink(missing_ok=True)
