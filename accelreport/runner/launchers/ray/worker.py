"""What a Ray worker does on its node: it measures one cell after the other as a local run does.

A worker that is killed takes its cell with it (`machine.parent_death`) and leaves nothing but a
folder, which the next worker on the node removes.
"""

from __future__ import annotations

import atexit
import functools
import os
import platform
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
from filelock import FileLock, Timeout

from accelreport._version import __version__
from accelreport.backend.frameworks import absent
from accelreport.machine.inventory import inventory
from accelreport.results.plan_document import Document
from accelreport.runner.interrupt import Stop
from accelreport.runner.launchers.base import LeftFile
from accelreport.runner.launchers.node import (
    Completed,
    Message,
    NodeSettings,
    Reported,
    Started,
    Waits,
    crashed,
    environment_here,
)
from accelreport.runner.workspace import Workspace, machine_to_itself
from accelreport.spec.cells import Cell
from accelreport.spec.device import FRAMEWORK_NAMES

REPORT_EVERY_S = 0.5
"""Seconds between two reports, because this process shares the node with the measured one."""

Messages = list[Message | LeftFile]


class MessageBuffer:
    """Messages to send, in bundles, because each bundle wakes up the receiver."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._messages: Messages = []
        self._urgent = False
        self._closed = False

    def post(self, message: Message | LeftFile) -> None:
        """Put in a message."""
        with self._changed:
            self._messages.append(message)
            # A record that waits here would be lost with this process.
            if isinstance(message, Completed):
                self._urgent = True
                self._changed.notify()

    def close(self) -> None:
        """Say that no further message comes."""
        with self._changed:
            self._closed = True
            self._changed.notify()

    def bundles(self) -> Iterator[Messages]:
        """Bundles of messages, until the buffer is closed."""
        closed = False
        while not closed:
            with self._changed:
                self._changed.wait_for(lambda: self._urgent or self._closed, REPORT_EVERY_S)
                messages, self._messages = self._messages, []
                self._urgent, closed = False, self._closed
            if messages:
                yield messages


THREADS = "OMP_NUM_THREADS"
"""Ray sets it in its workers if it is not set; a local run would not have it."""


class About(Document):
    """A node's description of itself."""

    accelreport: str
    """Version of accelreport there."""
    threads: int
    """Logical processors that a process may use there."""
    lacking: dict[str, str]
    """Frameworks that cells cannot run on there, and why, in a sentence."""


def about() -> str:
    """This node's description: an `About` as JSON."""
    return About(
        accelreport=__version__,
        threads=inventory().threads,
        lacking={name: why for name in FRAMEWORK_NAMES if (why := absent(name))},
    ).model_dump_json()


def measure(cells: list[str], settings: str) -> Iterator[Messages]:
    """Measure cells; yields messages in bundles, and each record at once.

    Args:
        cells: the cells as JSON, in their order.
        settings: how cells are measured, as JSON.
    """
    buffer, stop = MessageBuffer(), Stop()
    thread = threading.Thread(target=_measure, args=(cells, settings, stop, buffer))
    thread.start()
    try:
        yield from buffer.bundles()
    finally:
        stop.request("the task was cancelled")
        thread.join()
        stop.close()


def _measure(cells: list[str], settings: str, stop: Stop, buffer: MessageBuffer) -> None:
    try:
        forget_what_ray_set()
        for cell in cells:
            worker_folder(settings).measure(Cell.model_validate_json(cell), stop, buffer.post)
    except Exception as error:  # whatever it is, the one who launched it has to know
        buffer.post(crashed(error))
    finally:
        buffer.close()


def forget_what_ray_set() -> None:
    """Take away what a local run would not find in its environment."""
    if not _set_by_somebody():
        os.environ.pop(THREADS, None)


@functools.cache
def _set_by_somebody() -> bool:
    """Whether what Ray started this worker from has the variable, too."""
    try:
        parent = psutil.Process().parent()
        return parent is not None and THREADS in parent.environ()
    except psutil.Error:
        return False


@functools.cache
def worker_folder(settings: str) -> WorkerFolder:
    """What measures cells in this process, made when it is first needed.

    Args:
        settings: how cells are measured, as JSON.
    """
    return WorkerFolder(NodeSettings.model_validate_json(settings))


class WorkerFolder:
    """What measures cells in this worker; it stays, so that cells can be forked."""

    def __init__(self, settings: NodeSettings) -> None:
        self._workspace = settings.workspace()
        _remove_abandoned(self._workspace)
        self._folder, self._held = _folder_of_its_own(self._workspace)
        self._launcher = settings.launcher(self._folder)
        self._here = environment_here()
        atexit.register(self._close)

    def measure(self, cell: Cell, stop: Stop, post: Callable[[Message | LeftFile], None]) -> None:
        """Measure a cell as soon as nothing else is measured on this node.

        Args:
            cell: the cell.
            stop: gives up when it is requested.
            post: takes the messages.
        """
        host = platform.node()

        def wait(reason: str) -> None:
            post(Waits(host=host, reason=reason))

        with machine_to_itself(
            self._workspace, folder=self._workspace.root, stop=stop, waiting=wait
        ) as held:
            if not held:
                return
            # A worker that ends before this is done has not begun with the cell.
            self._launcher.prepare(cell, stop=stop)
            post(Started(key=cell.key, environment=self._here))
            record = self._launcher.measure(
                cell,
                stop=stop,
                on_event=lambda event: post(Reported(key=cell.key, says=event)),
                on_tick=lambda: None,
                on_file=post,
            )
            post(Completed(record=record))

    def _close(self) -> None:
        self._launcher.close()
        shutil.rmtree(self._folder, ignore_errors=True)
        self._held.release()


def _folder_of_its_own(workspace: Workspace) -> tuple[Path, FileLock]:
    """A folder for this worker's cells, and the lock that marks it as in use.

    A local run may clear the folder that its own cells use, and another worker may still be
    alive with its processes to be forked.
    """
    folder = workspace.root / f"ray-{os.getpid()}-{time.time_ns()}"
    held = FileLock(folder.with_suffix(".lock"), thread_local=False)
    held.acquire(timeout=0)
    folder.mkdir(mode=0o700)
    return folder, held


def _remove_abandoned(workspace: Workspace) -> None:
    """Remove the folders of killed workers, whose locks are free."""
    for path in workspace.root.glob("ray-*.lock"):
        lock = FileLock(path, thread_local=False)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            continue
        shutil.rmtree(path.with_suffix(""), ignore_errors=True)
        path.unlink(missing_ok=True)
        lock.release()
