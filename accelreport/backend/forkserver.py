"""Imports TensorFlow once, runs nothing with it, and is forked for cell after cell.

    python -m accelreport.backend.forkserver CONTROL LAUNCHED FOLDER

Importing TensorFlow takes two seconds of every cell. This process has done it before the
first cell; each cell is then a fork of it, which is a process of its own that begins where the
imports ended. While a cell runs, this process waits in the kernel and uses no processor time.

A fork keeps only the thread that forks, so it is right only as long as no library has started
threads of its own: TensorFlow starts them with its first operation, and none is run here.
OpenBLAS starts some when NumPy and SciPy are imported, and makes them anew in a fork. Should
an import start any other thread, this process refuses to be forked, and says why.

It speaks over CONTROL, a socket that keeps messages apart (`Message`). Orders come with three
descriptors: events, log, and the pipe that ends with the runner.

A fork does not inherit which pages of files are mapped: it finds them again one by one, when it
needs them. Its resident set is then smaller than that of a process that imported the same
libraries itself, by hundreds of megabytes, and it meets the missing ones while it is timed.
"""

from __future__ import annotations

import ctypes
import importlib
import mmap
import os
import socket
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from accelreport.backend.distributed.tasks import SUPERVISED
from accelreport.backend.frameworks import KERAS_BACKEND, importing
from accelreport.backend.protocol import Job, ParentTimings
from accelreport.machine import parent_death
from accelreport.spec.device import Device
from accelreport.spec.families import TENSORFLOW

MADV_POPULATE_READ = 22
"""Maps pages as if each had been read; Linux has it since 5.14."""

PRESENT = 1 << 63
"""The bit of a page map's entry that says that the page is in memory."""

Range = tuple[int, int]
"""Address and length in bytes of neighbouring pages."""


def mapped_pages() -> list[Range]:
    """The pages of files that are mapped into this process now."""
    ranges: list[Range] = []
    with Path("/proc/self/pagemap").open("rb") as entries:
        for line in Path("/proc/self/maps").read_text().splitlines():
            addresses, rights, _, _, inode, *_ = line.split(maxsplit=5)
            if inode == "0" or rights[0] != "r":
                continue
            first, end = (int(address, 16) for address in addresses.split("-"))
            entries.seek(first // mmap.PAGESIZE * 8)
            content = entries.read((end - first) // mmap.PAGESIZE * 8)
            ranges += _runs(first, memoryview(content).cast("Q"))
    return ranges


def map_pages(ranges: Iterable[Range]) -> bool:
    """Map pages again that `mapped_pages` found before this process was forked.

    Returns:
        Whether that was done; an older kernel cannot.
    """
    madvise = ctypes.CDLL(None).madvise
    madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    return all(madvise(start, length, MADV_POPULATE_READ) == 0 for start, length in ranges)


def _runs(first: int, entries: memoryview[int]) -> list[Range]:
    runs: list[Range] = []
    start = None
    for number, entry in enumerate(entries):
        if entry & PRESENT:
            start = number if start is None else start
        elif start is not None:
            runs.append((first + start * mmap.PAGESIZE, (number - start) * mmap.PAGESIZE))
            start = None
    if start is not None:
        runs.append((first + start * mmap.PAGESIZE, (len(entries) - start) * mmap.PAGESIZE))
    return runs


LONGEST_MESSAGE = 2**16

WITH_THREADS = ("numpy", "scipy.linalg")
"""What starts OpenBLAS' threads when it is imported."""

WITHOUT_THREADS = (
    "tensorflow",
    "keras",
    "pandas",
    "accelreport.backend.engine",
    "accelreport.backend.frameworks.tensorflow.engine",
    "accelreport.datasets.load",
)
"""What else cells import."""


class Message(BaseModel):
    """What passes over the socket, one of its fields at a time."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    ready: ParentTimings | None = None
    """From here: it can be forked."""
    refused: str = ""
    """From here: why it cannot be forked."""
    job: str = ""
    """To here: the file of a job to carry out in a fork."""
    pid: int = 0
    """From here: the fork's process, which leads a group that ends with the runner."""
    ended: tuple[int, int] | None = None
    """From here: wait status and peak resident set in bytes of the fork, which has ended."""


def may_be_forked(device: Device) -> bool:
    """Whether cells of a device may be forks.

    Not where a driver is part of the process (GPU, TPU), nor where the cell only watches
    other processes, nor where it needs another framework than the one that was imported, nor
    outside Linux, whose libraries are made to be forked.
    """
    plain = device.kind == "CPU" and device.strategy not in SUPERVISED
    return plain and device.framework == TENSORFLOW and sys.platform == "linux"


def prepare() -> str:
    """Import what cells need; why a fork of this would not be right, or nothing."""
    from accelreport.backend import environment
    from accelreport.machine.inventory import inventory

    inventory()  # by a thread for NVIDIA's driver, which is long gone when threads are counted
    environment.checkout()  # of the code that is imported now
    os.environ[KERAS_BACKEND] = TENSORFLOW
    for name in WITH_THREADS:
        importlib.import_module(name)
    before = _threads()
    with importing(TENSORFLOW):
        for name in WITHOUT_THREADS:
            importlib.import_module(name)
    from tensorflow.python.eager import context

    if context.context()._initialized:
        return "importing TensorFlow has run something already"
    if (more := _threads() - before) or threading.active_count() > 1:
        return f"importing TensorFlow has started {more} threads"
    return ""


def serve(
    control: socket.socket,
    launched_s: float,
    prepare: Callable[[], str],
    carry_out: Callable[..., int],
) -> None:
    """Be forked for every job that comes, one after the other, until nobody asks any more.

    Args:
        control: the socket.
        launched_s: when this process was launched, by the monotonic clock.
        prepare: what is done once; says why this must not be forked, or nothing.
        carry_out: what a fork does with its job; its result is the fork's exit code.
    """
    process_s = time.monotonic() - launched_s
    began = time.perf_counter()
    pages: list[Range] = []
    if refused := prepare() or _remember(pages):
        _say(control, refused=refused)
        return
    parent = ParentTimings(process_s=process_s, import_s=time.perf_counter() - began)
    _say(control, ready=parent)
    while True:
        content, descriptors, _, _ = socket.recv_fds(control, LONGEST_MESSAGE, 3)
        if not content:
            return
        for descriptor in descriptors:
            # Else the shell that watches over the fork would hold its pipes open.
            os.set_inheritable(descriptor, False)  # noqa: FBT003 -- takes no names
        job = Path(Message.model_validate_json(content).job)
        act = partial(_act, job, descriptors[0], pages, partial(carry_out, parent=parent))
        pid = _fork(control, act, descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        _say(control, pid=pid)
        _, status, usage = os.wait4(pid, 0)
        _say(control, ended=(status, usage.ru_maxrss * 1024))


def _remember(pages: list[Range]) -> str:
    """Note what is mapped; why that cannot be mapped again, or nothing."""
    try:
        pages += mapped_pages()
    except OSError as error:
        return f"this system does not tell which pages are mapped ({error.strerror})"
    return "" if map_pages(pages) else "this kernel cannot map pages ahead (Linux 5.14 can)"


def _act(path: Path, events: int, pages: list[Range], carry_out: Callable[[Job], int]) -> int:
    """What a fork does."""
    map_pages(pages)
    job = Job.model_validate_json(path.read_text(encoding="utf-8"))
    return carry_out(job.model_copy(update={"events_fd": events}))


def _fork(control: socket.socket, act: Callable[[], int], descriptors: list[int]) -> int:
    """Fork; returns once the fork leads a group of its own that ends with the runner."""
    reading, telling = os.pipe()
    with warnings.catch_warnings():
        # Python warns of every thread; those that are here are known to bear it.
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid == 0:
        code = 1
        try:
            os.close(reading)
            control.close()
            _, log, held = descriptors
            os.setsid()
            for standard in (1, 2):
                os.dup2(log, standard)
            os.close(log)
            parent_death.spawn_watcher(held)
            os.close(held)
            os.write(telling, b"!")
            os.close(telling)
            code = act()
        except BaseException:
            sys.excepthook(*sys.exc_info())
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    os.close(telling)
    os.read(reading, 1)  # ends without a byte, should the fork have died already
    os.close(reading)
    return pid


def _say(control: socket.socket, **message: Any) -> None:
    text = Message.model_validate(message).model_dump_json(exclude_defaults=True)
    control.send(text.encode())


def _threads() -> int:
    return len(list(Path("/proc/self/task").iterdir()))


def main(arguments: list[str]) -> None:
    """Serve over the socket whose descriptor is the first argument."""
    from accelreport.backend.main import carry_out, quiet_tensorflow

    quiet_tensorflow()
    with socket.socket(fileno=int(arguments[0])) as control:
        serve(control, float(arguments[1]), prepare, carry_out)


if __name__ == "__main__":
    main(sys.argv[1:])
