"""This user's folder on this machine: what runners must not disturb each other in."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from pathlib import Path

from accelreport.results.errors import ResultsError


class Workspace:
    """A private folder for locks and for files that pass between runner and cells.

    It lies in the system's folder for temporary files (`TMPDIR`), never in the results,
    which several machines may share.
    """

    def __init__(self, root: Path | None = None) -> None:
        self.root = root or Path(tempfile.gettempdir()) / f"accelreport-{os.getuid()}"

    @property
    def machine_lock(self) -> Path:
        """Held by the one runner that measures on this machine."""
        return self.root / "measuring.lock"

    @property
    def holder(self) -> Path:
        """Says who holds the machine lock, for the message of those that wait."""
        return self.root / "measuring.txt"

    @property
    def scratch(self) -> Path:
        """For the files of the cell that is being measured."""
        return self.root / "cells"

    @property
    def rescued(self) -> Path:
        """For records that could not be written to a results folder."""
        return self.root / "rescued"

    @property
    def errors(self) -> Path:
        """For tracebacks of unexpected errors."""
        return self.root / "errors"

    def prepare(self) -> None:
        """Make the folder, for this user alone.

        Raises:
            ResultsError: it cannot be made, or is somebody else's.
        """
        try:
            self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
            status = self.root.lstat()
        except OSError as error:
            raise unusable(self.root, error, "made") from error
        # A folder of temporary files is everybody's: somebody may have made it first.
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
            raise ResultsError(
                f"{self.root} belongs to somebody else.",
                remedy="Remove it, or set TMPDIR to a folder of your own.",
            )

    def clear_scratch(self) -> None:
        """Remove what a killed runner left. Only for the holder of the machine lock.

        Raises:
            ResultsError: nothing can be written there.
        """
        shutil.rmtree(self.scratch, ignore_errors=True)
        try:
            self.scratch.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise unusable(self.scratch, error) from error


def unusable(path: Path, error: OSError, done: str = "written") -> ResultsError:
    """The one error for a folder of files in passing that takes none."""
    return ResultsError(
        f"{path} cannot be {done}.",
        why=f"{error.strerror or error}.",
        remedy="Every finished cell is kept. Free space there, or set TMPDIR to a folder that you "
        "may write, and run the same command again.",
    )
