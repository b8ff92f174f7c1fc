"""What runners must not disturb each other in: a machine, a results folder, files in passing.

One measurement at a time on a machine, and never the same cell twice at once. The kernel drops
these locks when their holder ends, `kill -9` included, so none is ever stale.
"""

from __future__ import annotations

import fcntl
import getpass
import hashlib
import json
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from filelock import BaseFileLock, FileLock, Timeout

from accelreport import strict_json
from accelreport.atomic import refuse_links
from accelreport.results.reading import ResultsError
from accelreport.runner.interrupt import Stop


class Workspace:
    """A private folder for locks and for files that pass between runner and cells.

    It lies in the system's folder for temporary files (`TMPDIR`), never in the results,
    which several machines may share.

    Args:
        root: another place for it.
        lock: held by the one runner that measures on this machine; in the folder when absent.

    Attributes:
        rescued: for records that could not be written to a results folder.
        errors: for tracebacks of unexpected errors.
    """

    def __init__(self, root: Path | None = None, lock: Path | None = None) -> None:
        self.root = root or Path(tempfile.gettempdir()) / f"accelreport-{os.getuid()}"
        self.rescued, self.errors = self.root / "rescued", self.root / "errors"
        self.machine_lock = lock or self.root / "measuring.lock"

    @property
    def scratch(self) -> Path:
        """For the files of the cell that is being measured.

        Of this lock's holder alone: runs that wait for another lock use the same folder for
        temporary files, and would clear what this one needs.
        """
        lock = hashlib.sha256(os.fsencode(self.machine_lock.absolute())).hexdigest()
        return self.root / f"cells-{lock[:8]}"

    def prepare(self) -> None:
        """Make the folder, for this user alone.

        Raises:
            ResultsError: it cannot be made, or belongs to another user.
        """
        try:
            self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
            status = self.root.lstat()
        except OSError as error:
            raise unusable(self.root, error, "made") from error
        # All users may write into a folder of temporary files, so another one may own this path.
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
            raise ResultsError(
                f"{self.root} belongs to another user.",
                remedy="Remove it, or set TMPDIR to a folder of your own.",
            )

    def clear_scratch(self) -> None:
        """Remove what a killed runner left. Only for the holder of the machine lock.

        Raises:
            ResultsError: nothing can be written there.
        """
        shutil.rmtree(self.scratch, ignore_errors=True)
        try:
            refuse_links(self.scratch, self.root)
            self.scratch.mkdir(mode=0o700, exist_ok=True)
        except OSError as error:
            raise unusable(self.scratch, error) from error


def unusable(
    path: Path, error: OSError, done: str = "written", variable: str = "TMPDIR"
) -> ResultsError:
    """The one error for a folder of files in passing that takes none."""
    return ResultsError(
        f"{path} cannot be {done}.",
        why=f"{error.strerror or error}.",
        remedy=f"Every finished cell is kept. Free space there, or let {variable} name another "
        "place that you may write, and run the same command again.",
    )


POLL_EVERY_S = 0.1


@contextmanager
def machine_to_itself(
    workspace: Workspace, *, folder: Path, stop: Stop, waiting: Callable[[str], None]
) -> Iterator[bool]:
    """Hold this machine, so that two runners never disturb each other's measurements.

    Args:
        workspace: where the lock lies.
        folder: where results go, for the message of those that wait.
        stop: gives up waiting when it is requested.
        waiting: called once, with the reason, when it has to be waited for.

    Yields:
        True; False when stopping was asked for before it could be held.

    Raises:
        ResultsError: nothing can be written there.
    """
    lock = MachineLock(workspace.machine_lock)
    try:
        held = _acquire(lock.acquire, stop, lambda: waiting(lock.who()))
        if held:
            lock.sign(folder)
    except OSError as error:
        lock.release()
        within = workspace.machine_lock.is_relative_to(workspace.root)
        variable = "TMPDIR" if within else LOCK_VARIABLE
        raise unusable(workspace.machine_lock, error, variable=variable) from error
    try:
        yield held
    finally:
        lock.release()


LOCK_VARIABLE = "ACCELREPORT_LOCK"
"""Names another file than `MACHINE_LOCK`."""

MACHINE_LOCK = Path("/tmp/accelreport-measuring.lock")  # noqa: S108 -- of all users, and no secret
"""The lock of all runs on a machine, of every user and whatever their TMPDIR is."""


def machine_lock() -> Path:
    """The file that every run on this machine locks."""
    return Path(os.environ.get(LOCK_VARIABLE) or MACHINE_LOCK)


class MachineLock:
    """A lock that runs of all users share, with the name of its holder.

    Args:
        path: its file, which is made once and stays.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file = -1

    def acquire(self) -> bool:
        """Take it; False while another run has it.

        Raises:
            OSError: the file cannot be opened.
        """
        if self._file < 0:
            self._file = self._open()
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _open(self) -> int:
        # In a folder of all users, systems refuse to "create" a file that another user created.
        flags = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC
        with suppress(FileNotFoundError):
            return os.open(self._path, flags)
        try:
            file = os.open(self._path, flags | os.O_CREAT | os.O_EXCL)
        except FileExistsError:
            return os.open(self._path, flags)
        os.fchmod(file, 0o666)
        return file

    def sign(self, folder: Path) -> None:
        """Write the user, the process, the results folder and the start of this run into it."""
        content = {
            "user": _user(),
            "process": os.getpid(),
            "folder": str(folder.absolute()),
            # All processes of a machine share this clock, and it cannot be set.
            "since": time.monotonic(),
        }
        os.ftruncate(self._file, 0)
        os.pwrite(self._file, json.dumps(content).encode(), 0)

    def who(self) -> str:
        """Why this run waits, in a sentence that names the holder."""
        try:
            content = strict_json.loads(os.pread(self._file, 1 << 16, 0))
            minutes, seconds = divmod(max(0, round(time.monotonic() - content["since"])), 60)
            named = (
                f" ({content['user']}, process {content['process']}, into {content['folder']}, "
                f"for {f'{minutes} min' if minutes else f'{seconds} s'})"
            )
        except (OSError, ValueError, KeyError, TypeError, OverflowError):
            named = ""  # not signed yet, or another program wrote into it
        return (
            f"another run is measuring on this machine{named}; "
            "this one waits, so that neither disturbs the other"
        )

    def release(self) -> None:
        """Release it."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def _user() -> str:
    """Name of the account; its number in a container that has no name for it."""
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        return f"user {os.getuid()}"


CELL_IN_USE = "another run is measuring this cell"
FOLDER_IN_USE = "another run is measuring into this results folder; this one waits"


@contextmanager
def file_to_itself(
    path: Path, reason: str, *, stop: Stop, waiting: Callable[[str], None]
) -> Iterator[bool]:
    """Hold the lock of a cell or of a results folder.

    A cell is held against runners that the machine lock does not reach, such as those of other
    users and containers, and a folder against other runs that have its cells measured on other
    machines. File systems that know no locks are taken as used by one runner at a time.

    Args:
        path: the lock's file, in a folder of the results folder.
        reason: why others wait: `CELL_IN_USE` or `FOLDER_IN_USE`.
        stop: gives up waiting when it is requested.
        waiting: called once, with the reason, when it has to be waited for.

    Yields:
        True; False when stopping was asked for before it could be held.

    Raises:
        ResultsError: the lock cannot be had, such as one that another user left.
    """
    lock = FileLock(path)
    try:
        refuse_links(path, path.parents[1])
        path.parent.mkdir(parents=True, exist_ok=True)
        held = _acquire(partial(_had, lock), stop, lambda: waiting(reason))
    except NotImplementedError:
        held = True
    except OSError as error:
        raise ResultsError(
            f"{path} cannot be locked.",
            why=f"{error.strerror or error}.",
            remedy="Locks are empty files: while no run is in progress, the owner of "
            f"{path.parent} may remove it. Several users can share a results folder if their "
            "umask lets each write what the others made.",
        ) from error
    try:
        yield held
    finally:
        lock.release()


def _had(lock: BaseFileLock) -> bool:
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return False
    return True


def _acquire(had: Callable[[], bool], stop: Stop, waiting: Callable[[], None]) -> bool:
    reported = False
    while not stop:
        if had():
            return True
        if not reported:
            waiting()
            reported = True
        time.sleep(POLL_EVERY_S)
    return False
