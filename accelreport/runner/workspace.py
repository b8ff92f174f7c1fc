"""This user's folder on this machine: what runners must not disturb each other in.

One measurement at a time on a machine, and never the same cell twice at once. The kernel drops
these locks when their holder ends, `kill -9` included, so none is ever stale.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from filelock import BaseFileLock, FileLock, Timeout

from accelreport.results.errors import ResultsError
from accelreport.runner.interrupt import Stop


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


LOOK_EVERY_S = 0.1


@contextmanager
def machine_to_itself(
    workspace: Workspace, *, stop: Stop, waiting: Callable[[str], None]
) -> Iterator[bool]:
    """Hold this machine, so that two runners never disturb each other's measurements.

    Args:
        workspace: where the lock lies.
        stop: gives up waiting when it is requested.
        waiting: called once, with the reason, when it has to be waited for.

    Yields:
        True; False when stopping was asked for before it could be held.

    Raises:
        ResultsError: nothing can be written there.
    """
    lock = FileLock(workspace.machine_lock)
    try:
        held = _acquire(lock, stop, lambda: waiting(_who(workspace.holder)))
        if held:
            since = datetime.now().astimezone().strftime("%H:%M:%S")
            workspace.holder.write_text(f"process {os.getpid()}, since {since}")
    except OSError as error:
        lock.release()
        raise unusable(workspace.root, error) from error
    try:
        yield held
    finally:
        if held:
            workspace.holder.unlink(missing_ok=True)
        lock.release()


@contextmanager
def cell_to_itself(path: Path, *, stop: Stop, waiting: Callable[[str], None]) -> Iterator[bool]:
    """Hold one cell of a results folder, against runners that the machine lock does not reach.

    Such are runners of other users and containers. File systems that know no locks are taken
    as used by one runner at a time.

    Args:
        path: the lock's file.
        stop: gives up waiting when it is requested.
        waiting: called once, with the reason, when it has to be waited for.

    Yields:
        True; False when stopping was asked for before it could be held.

    Raises:
        ResultsError: the lock cannot be had, such as one that another user left.
    """
    with _file_to_itself(path, "another run is measuring this cell", stop, waiting) as held:
        yield held


@contextmanager
def folder_to_itself(path: Path, *, stop: Stop, waiting: Callable[[str], None]) -> Iterator[bool]:
    """Hold a results folder against other runs that have its cells measured on other machines.

    Args:
        path: the lock's file.
        stop: gives up waiting when it is requested.
        waiting: called once, with the reason, when it has to be waited for.

    Yields:
        True; False when stopping was asked for before it could be held.

    Raises:
        ResultsError: the lock cannot be had, such as one that another user left.
    """
    reason = "another run has cells measured for this results folder; this one waits"
    with _file_to_itself(path, reason, stop, waiting) as held:
        yield held


@contextmanager
def _file_to_itself(
    path: Path, reason: str, stop: Stop, waiting: Callable[[str], None]
) -> Iterator[bool]:
    lock = FileLock(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        held = _acquire(lock, stop, lambda: waiting(reason))
    except NotImplementedError:
        held = True
    except OSError as error:
        raise ResultsError(
            f"{path} cannot be locked.",
            why=f"{error.strerror or error}.",
            remedy=f"Locks are empty files: while no run goes on, {path.parent} may be removed by "
            "whoever owns it. Several users share a results folder where their umask lets each "
            "write what the others made.",
        ) from error
    try:
        yield held
    finally:
        lock.release()


def _acquire(lock: BaseFileLock, stop: Stop, waiting: Callable[[], None]) -> bool:
    told = False
    while not stop:
        try:
            lock.acquire(timeout=0)
        except Timeout:
            if not told:
                waiting()
                told = True
            time.sleep(LOOK_EVERY_S)
        else:
            return True
    return False


def _who(holder: Path) -> str:
    try:
        who = holder.read_text()
    except OSError:
        who = ""
    named = f" ({who})" if who else ""
    return (
        f"another run is measuring on this machine{named}; "
        "this one waits, so that neither disturbs the other"
    )
