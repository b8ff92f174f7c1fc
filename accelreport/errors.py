"""The errors a person sees: what happened, why, and what to do next."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class ExitCode(IntEnum):
    """How an `accelreport` command ends; each value is documented in the README."""

    OK = 0
    """Success."""
    USAGE = 2
    """The command line is wrong (Typer's own code)."""
    BAD_SPEC = 3
    """A spec or the devices file has an error; nothing was run."""
    SOME_FAILED = 4
    """Some cells failed; the others are kept."""
    NOTHING_RAN = 5
    """No cell can run here, or there is nothing to build from."""
    SLOWER = 6
    """A result is slower than the gate of a comparison allows, or less accurate."""
    BAD_RESULTS = 7
    """A results folder cannot be read or written."""
    DATA_UNAVAILABLE = 8
    """A data set or a file to import cannot be fetched or read."""
    NOTHING_COMPARED = 9
    """Two results folders have nothing in common that could be compared, or no claim was tested."""
    NOT_DRAWN = 10
    """A figure cannot be drawn; its place says so, and everything else is built. If no figure at
        all can be drawn, an existing site stays unchanged."""
    NOT_SHOWN = 11
    """The page of a benchmark could not be made; it says so, and everything else was built."""
    GATE_CLOSED = 12
    """A claim is refuted, or a claim or a comparison undecided, and an option has that fail."""
    INTERRUPTED = 130
    """Stopped by Ctrl-C; finished cells are kept."""


FIRST_STEPS = (
    "three commands lead to a first report: `accelreport new --from mnist_batch_sweep`, "
    "`accelreport run --profile quick`, `accelreport build`"
)
"""The advice in an empty folder."""


class AccelReportError(Exception):
    """An error with an exit code, in up to three sentences.

    Args:
        what: what happened, naming the file or object.
        why: the cause, if it is known.
        remedy: what the person can do next.
    """

    exit_code = ExitCode.NOTHING_RAN

    def __init__(self, what: str, *, why: str = "", remedy: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.why = why
        self.remedy = remedy

    def __str__(self) -> str:
        return "\n".join(part for part in (self.what, self.why, self.remedy) if part)


class UsageError(AccelReportError):
    """What the command line asks for cannot be done."""

    exit_code = ExitCode.USAGE


@dataclass(frozen=True)
class Unshown:
    """What a page cannot show; the page says so, and everything else is built.

    Attributes:
        what: the page and its missing part.
        why: the reason.
        exit_code: exit code of the build.
                error: the exception, if it was unexpected.
    """

    what: str
    why: str
    exit_code: ExitCode
    error: Exception | None = None

    def __str__(self) -> str:
        return f"{self.what}: {self.why}"
