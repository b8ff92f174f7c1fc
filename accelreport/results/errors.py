"""What can be wrong with a file of a results folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from accelreport.errors import AccelReportError, ExitCode

ProblemKind = Literal[
    "unreadable", "not-a-file", "too-large", "cut-off", "not-json", "newer", "invalid", "misnamed"
]
"""Why a file is left out."""


class ResultsError(AccelReportError):
    """A results folder cannot be read or written."""

    exit_code = ExitCode.BAD_RESULTS


@dataclass(frozen=True)
class ResultProblem:
    """A file that was left out while all others were read.

    Attributes:
        path: the file.
        kind: why, from a closed list.
        message: why, in a sentence.
    """

    path: Path
    kind: ProblemKind
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"


class UnreadableFile(Exception):  # noqa: N818 -- a carrier for a problem, not an error of its own
    """Raised while one file is read; callers turn it into an entry of their problems."""

    def __init__(self, path: Path, kind: ProblemKind, message: str) -> None:
        self.problem = ResultProblem(path, kind, message)
        super().__init__(str(self.problem))
