"""What can go wrong between a data set's name and its arrays."""

from __future__ import annotations

from pathlib import Path

from accelreport.errors import AccelReportError, ExitCode


class DataError(AccelReportError):
    """Data could not be had; `kind` is the failure kind of the cell that needed them."""

    exit_code = ExitCode.DATA_UNAVAILABLE
    kind = "data-unavailable"


class DataUnavailable(DataError):  # noqa: N818 - the name says what is the case
    """The files are not here, or could not be brought here."""


class DataUnreadable(DataUnavailable):
    """A file is here and this person may not read it.

    Args:
        path: the file.
        error: what the system said.
    """

    def __init__(self, path: Path, error: OSError) -> None:
        super().__init__(
            f"{path} cannot be read.",
            why=f"{error.strerror or error}.",
            remedy="Make it readable, or use `--data synthetic`.",
        )


class DataCorrupt(DataError):  # noqa: N818 - the name says what is the case
    """A file is here and is not what it should be.

    Args:
        path: the file.
        why: the cause.
        remedy: what to do next.
    """

    kind = "data-corrupt"

    def __init__(self, path: Path | str, why: str, *, remedy: str = "") -> None:
        super().__init__(f"{path} cannot be used as data.", why=why, remedy=remedy)
        self.path = str(path)


class DataOptionsError(AccelReportError):
    """The options given to a data set make no sense for it; `key` is the parameter to change."""

    exit_code = ExitCode.BAD_SPEC
    key = "dataset"


class FormatError(ValueError):
    """A file's contents are not of the format, or have not the values, that a data set needs."""
