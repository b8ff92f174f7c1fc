"""The errors a person sees: what happened, why, and what to do next."""

from __future__ import annotations

import errno
from dataclasses import dataclass
from enum import IntEnum
from typing import Self


class ExitCode(IntEnum):
    """How an `accelreport` command ends, as `accelreport --help` lists it.

    Attributes:
        meaning: what happened.
    """

    meaning: str

    OK = 0, "success"
    INTERNAL = 1, "an internal error of accelreport"
    USAGE = 2, "the command line is wrong"  # Typer's own code
    BAD_SPEC = 3, "a spec or the devices file has an error; nothing was run"
    SOME_FAILED = 4, "some cells failed; the others are kept"
    NOTHING_RAN = 5, "no cell can run here, or there is nothing to build from"
    SLOWER = 6, "a result is slower than the gate allows, or less accurate"
    BAD_RESULTS = 7, "a results folder cannot be read or written"
    DATA_UNAVAILABLE = 8, "a data set or a file to import cannot be fetched or read"
    NOTHING_COMPARED = (
        9,
        "nothing could be compared, or no claim was tested",
    )
    NOT_DRAWN = 10, "a figure could not be drawn; its place says so, and the rest is built"
    # 11 stays unused: it once meant that the page of a benchmark could not be made.
    GATE_CLOSED = (
        12,
        "a claim or comparison is not decided as an option requires",
    )
    INTERRUPTED = 130, "stopped by Ctrl-C; finished cells are kept"

    def __new__(cls, value: int, meaning: str) -> Self:  # noqa: D102 -- makes the members
        code = int.__new__(cls, value)
        code._value_ = value
        code.meaning = meaning
        return code


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


PROCESSES_REMEDY = "End other programs, or raise the limit of processes (ulimit -u)."
"""What helps where the system refuses another process or thread."""


def is_refused_process(error: BaseException) -> bool:
    """Whether the system refused another process or thread."""
    return getattr(error, "errno", None) == errno.EAGAIN or "start new thread" in str(error)


@dataclass(frozen=True)
class Unshown:
    """A figure that could not be drawn; its place says so, and everything else is built.

    Attributes:
        what: the page and the figure.
        why: the reason.
    """

    what: str
    why: str

    def __str__(self) -> str:
        return f"{self.what}: {self.why}"
