"""One measurement at a time on a machine, and never the same cell twice at once.

The kernel drops these locks when their holder ends, `kill -9` included, so none is ever stale.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from filelock import BaseFileLock, FileLock, Timeout

from accelreport.results.errors import ResultsError
from accelreport.runner.interrupt import Stop
from accelreport.runner.workspace import Workspace, unusable

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
