"""Clusters whose processes are forks of one that has imported TensorFlow, as each would.

    python -m tests.backend.strategies.forks CONTROL LAUNCHED

is the process that is forked: the real one, which forks cells of clusters as well. The process of
such a cell has its tasks be forks of itself, which run `plain_worker`. Importing takes longer than
what most of them do; `test_external_cluster.py` starts all of them from nothing.
"""

from __future__ import annotations

import os
import runpy
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from accelreport.backend import environment, forkserver
from accelreport.backend.distributed import supervisor
from accelreport.backend.main import leave, main
from accelreport.backend.protocol import ARTEFACTS
from accelreport.results.record import Record
from accelreport.runner import process
from accelreport.runner.interrupt import Stop
from accelreport.runner.launch import LocalLauncher
from accelreport.runner.launchers.base import ChildEvent, LeftFile
from accelreport.spec.cells import Cell
from tests.support import forks
from tests.support.children import one_environment

PLAIN_WORKER = "tests.backend.strategies.plain_worker"


class Task:
    """A task's process, as the supervisor starts it: a fork that becomes a module of Python.

    Its command line is that of the first process; it has the name of its task.

    Attributes:
        pid: its number.
    """

    def __init__(
        self, command: Sequence[str], *, stdin: int, pass_fds: Sequence[int], env: Mapping[str, str]
    ) -> None:
        assert stdin == subprocess.DEVNULL, "which is that of the first process, too"
        orders = command[-1]
        self._code: int | None = None
        self.pid = os.fork()
        if self.pid == 0:
            try:
                Path("/proc/self/comm").write_text(Path(orders).name.partition(".")[0])
                _be_alone(env, pass_fds)
                sys.argv[1:] = [orders]
                runpy.run_module(PLAIN_WORKER, run_name="__main__")
            except BaseException:
                sys.excepthook(*sys.exc_info())
            finally:
                sys.stderr.flush()
                os._exit(1)

    def poll(self) -> int | None:
        """Its exit code, or minus the signal that ended it; None while it runs."""
        if self._code is None:
            ended, status = os.waitpid(self.pid, os.WNOHANG)
            self._code = os.waitstatus_to_exitcode(status) if ended else None
        return self._code

    def kill(self) -> None:
        """End it at once."""
        os.kill(self.pid, signal.SIGKILL)

    def wait(self, timeout: float) -> None:
        """See that it is reaped within so many seconds."""
        deadline = time.monotonic() + timeout
        while self.poll() is None:
            if time.monotonic() >= deadline:
                raise subprocess.TimeoutExpired(str(self.pid), timeout)
            time.sleep(0.01)


def _be_alone(variables: Mapping[str, str], files: Sequence[int]) -> None:
    """In a fork: have an environment, and of what is open standard files and these alone."""
    os.environ.clear()
    os.environ.update(variables)
    first = 3
    for kept in [*sorted(files), os.sysconf("SC_OPEN_MAX")]:
        os.closerange(first, kept)
        first = kept + 1


class Clusters(forks.Forks):
    """Has a process ready that forks cells of clusters."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, (sys.executable, "-m", __name__))


class Launched:
    """Measures cells as runs do, and forks those of clusters, too.

    Args:
        folder: for what passes between processes.

    Attributes:
        folder: where the folders of cells are.
        left: names of the files that the last cell has left to be kept, where it has left any.
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.left = folder, list[str]()
        self._launcher = LocalLauncher(
            folder, environment.environment, (sys.executable, "-m", __name__), Clusters(folder)
        )

    def measure(
        self,
        what: Cell,
        *,
        on_event: Callable[[ChildEvent], None] = lambda _: None,
        on_tick: Callable[[], None] = lambda: None,
    ) -> Record:
        """The record of a cell; see `LocalLauncher.measure`."""

        def note(_: LeftFile) -> None:
            self.left += [path.name for path in self.folder.glob(f"*/{ARTEFACTS}/*")]

        self.left.clear()
        with one_environment(), pytest.MonkeyPatch.context() as patch:
            # Outside Linux, whose libraries are made to be forked, all are started.
            patch.setattr(process, "may_be_forked", lambda _: sys.platform == "linux")
            return self._launcher.measure(
                what, stop=Stop(), on_event=on_event, on_tick=on_tick, on_file=note
            )

    def close(self) -> None:
        """End what was forked."""
        self._launcher.close()


@contextmanager
def launched(folder: Path) -> Iterator[Launched]:
    """See `Launched`."""
    launcher = Launched(folder)
    yield launcher
    launcher.close()


def serve() -> None:
    """Be forked, as `accelreport.backend.forkserver` is."""
    vars(supervisor)["subprocess"] = SimpleNamespace(
        Popen=Task, DEVNULL=subprocess.DEVNULL, TimeoutExpired=subprocess.TimeoutExpired
    )
    forkserver.main(sys.argv[1:])


def start() -> None:
    """Carry out a job where nothing is forked."""
    command = (sys.executable, "-m", PLAIN_WORKER)
    vars(supervisor)["supervise"] = partial(supervisor.supervise, command=command)
    leave(main(sys.argv[1:]))


if __name__ == "__main__":
    serve() if len(sys.argv) > 2 else start()
