"""What a Ray worker does on its node: it measures one cell after the other as a local run does.

A worker that is killed takes its cell with it (`backend.lifeline`) and leaves nothing but a
folder, which the next worker on the node removes.
"""

from __future__ import annotations

import atexit
import functools
import importlib.util
import os
import platform
import queue
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
from filelock import FileLock, Timeout

import accelreport
from accelreport.backend.inventory import inventory
from accelreport.runner.artefacts import LeftFile
from accelreport.runner.interrupt import Stop
from accelreport.runner.launchers.letters import Began, Letter, Said, Through, Waits
from accelreport.runner.launchers.ray_nodes import About
from accelreport.runner.launchers.workplace import Workplace, broke, environment_here
from accelreport.runner.locks import machine_to_itself
from accelreport.runner.workspace import Workspace
from accelreport.spec.cells import Cell

REPORT_EVERY_S = 0.5
"""What a cell says is passed on so often: this process shares the node with what is measured."""

THREADS = "OMP_NUM_THREADS"
"""Ray sets it in its workers where nobody else did; a local run would not have it."""

Letters = list[Letter | LeftFile]


def about() -> str:
    """What this node says of itself: an `About` as JSON."""
    return About(
        host=platform.node(),
        accelreport=accelreport.__version__,
        threads=inventory().threads,
        tensorflow=importlib.util.find_spec("tensorflow") is not None,
    ).model_dump_json()


def measure(cell: str, workplace: str) -> Iterator[Letters]:
    """Measure a cell; what there is to tell comes in bundles, the record in the last one.

    Args:
        cell: the cell as JSON.
        workplace: how cells are measured, as JSON.
    """
    letters: queue.SimpleQueue[Letter | LeftFile | None] = queue.SimpleQueue()
    stop = Stop()
    thread = threading.Thread(
        target=_measure, args=(Cell.model_validate_json(cell), workplace, stop, letters.put)
    )
    thread.start()
    try:
        more = True
        while more:
            bundle, more = _bundle(letters)
            if bundle:
                yield bundle
    finally:
        stop.request("the task was cancelled")
        thread.join()
        stop.close()


def _bundle(letters: queue.SimpleQueue[Letter | LeftFile | None]) -> tuple[Letters, bool]:
    """The letters of half a second, and whether more may come."""
    bundle: Letters = []
    until = time.monotonic() + REPORT_EVERY_S
    while (left := until - time.monotonic()) > 0:
        try:
            letter = letters.get(timeout=left)
        except queue.Empty:
            break
        if letter is None:
            return bundle, False
        bundle.append(letter)
    return bundle, True


def _measure(
    cell: Cell, workplace: str, stop: Stop, post: Callable[[Letter | LeftFile | None], None]
) -> None:
    try:
        if not _set_by_somebody():
            os.environ.pop(THREADS, None)
        _bench(workplace).measure(cell, stop, post)
    except Exception as error:  # whatever it is, the one who launched it has to know
        post(broke(error))
    finally:
        post(None)


@functools.cache
def _set_by_somebody() -> bool:
    """Whether what Ray started this worker from has the variable, too."""
    try:
        parent = psutil.Process().parent()
        return parent is not None and THREADS in parent.environ()
    except psutil.Error:
        return False


@functools.cache
def _bench(workplace: str) -> _Bench:
    return _Bench(Workplace.model_validate_json(workplace))


class _Bench:
    """What measures cells in this worker; it stays, so that cells can be forked."""

    def __init__(self, workplace: Workplace) -> None:
        self._workspace = workplace.workspace()
        _remove_abandoned(self._workspace)
        self._folder, self._held = _folder_of_its_own(self._workspace)
        self._launcher = workplace.launcher(self._folder)
        self._here = environment_here()
        atexit.register(self._close)

    def measure(
        self, cell: Cell, stop: Stop, post: Callable[[Letter | LeftFile | None], None]
    ) -> None:
        """Measure a cell as soon as nothing else is measured on this node."""
        host = platform.node()

        def wait(reason: str) -> None:
            post(Waits(host=host, reason=reason))

        with machine_to_itself(self._workspace, stop=stop, waiting=wait) as held:
            if not held:
                return
            post(Began(key=cell.key, environment=self._here))
            record = self._launcher.measure(
                cell,
                stop=stop,
                on_event=lambda event: post(Said(key=cell.key, says=event)),
                on_tick=lambda: None,
                on_file=post,
            )
            post(Through(record=record))

    def _close(self) -> None:
        self._launcher.close()
        shutil.rmtree(self._folder, ignore_errors=True)
        self._held.release()


def _folder_of_its_own(workspace: Workspace) -> tuple[Path, FileLock]:
    """A folder for this worker's cells, and the lock that says that it is in use.

    A local run may clear the folder that its own cells use, and another worker may still be
    alive with its processes to be forked.
    """
    folder = workspace.root / f"ray-{os.getpid()}-{time.time_ns()}"
    held = FileLock(folder.with_suffix(".lock"), thread_local=False)
    held.acquire(timeout=0)
    folder.mkdir(mode=0o700)
    return folder, held


def _remove_abandoned(workspace: Workspace) -> None:
    """Remove the folders of workers that were killed: nobody holds their locks any more."""
    for path in workspace.root.glob("ray-*.lock"):
        lock = FileLock(path, thread_local=False)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            continue
        shutil.rmtree(path.with_suffix(""), ignore_errors=True)
        path.unlink(missing_ok=True)
        lock.release()
