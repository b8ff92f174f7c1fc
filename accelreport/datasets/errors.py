"""Errors between the name of a data set and its arrays."""

from __future__ import annotations

from pathlib import Path

from accelreport.errors import AccelReportError, ExitCode


class DataError(AccelReportError):
    """Data could not be loaded; `kind` is the failure kind of the cell that needs them."""

    exit_code = ExitCode.DATA_UNAVAILABLE
    kind = "data-unavailable"


class DataUnavailable(DataError):  # noqa: N818 - the name says what is the case
    """The files are missing, or could not be downloaded."""


class DataUnreadable(DataUnavailable):
    """A file exists and must not be read by this user.

    Args:
        path: the file.
        error: the system's error.
    """

    def __init__(self, path: Path, error: OSError) -> None:
        super().__init__(
            f"{path} cannot be read.",
            why=f"{error.strerror or error}.",
            remedy="Make it readable, or use `--data synthetic`.",
        )


class DataCorrupt(DataError):  # noqa: N818 - the name says what is the case
    """A file exists and its content is wrong.

    Args:
        path: the file.
        why: the cause.
        remedy: the next step.
    """

    kind = "data-corrupt"

    def __init__(self, path: Path | str, why: str, *, remedy: str = "") -> None:
        super().__init__(f"{path} cannot be used as data.", why=why, remedy=remedy)
        self.path = str(path)


class DataOptionsError(AccelReportError):
    """The options do not fit the data set; `key` is the parameter to change."""

    exit_code = ExitCode.BAD_SPEC
    key = "dataset"


class FormatError(ValueError):
    """A file has another format, or other values, than its data set."""
