"""A cell's process with its group: started, followed, killed and reaped."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from accelreport.machine import parent_death
from accelreport.machine.memory import Limited, nearest_limit
from accelreport.runner.interrupt import Stop

EndedBy = Literal["itself", "timeout", "stop"]
"""What ended a process."""

TICK_S = 0.5
"""How often a display may be brought up to date while the process says nothing. The runner
shares the machine with what is measured, so it wakes up rarely."""

POLL_EVERY_S = 0.05
"""How often the memory of a process is looked at that has a limit of it: what crashes for want of
memory crashes within a moment, and nothing can be read of it afterwards."""

LONGEST_LINE = 2**20
"""Bytes of one line of events; a longer one is cut."""

REAP_WITHIN_S = 1.5
"""A killed process is gone within milliseconds; one that hangs in the kernel is left."""


@dataclass(frozen=True)
class Ending:
    """How a process ended.

    Attributes:
        code: its exit code; minus the signal's number when a signal ended it; None when it
            could not be reaped.
        by: what ended it.
        wall_s: seconds from its start to its end.
        peak_bytes: its peak resident set.
        limited: how near it was seen to a limit of its memory; None where it had none.
    """

    code: int | None
    by: EndedBy
    wall_s: float
    peak_bytes: int
    limited: Limited | None = None


class Process(ABC):
    """A process that leads a group, which never outlives this process.

    Attributes:
        pid: its number, and that of its group.
        began: when it was started, by the monotonic clock.
    """

    pid: int
    began: float
    _limited: Limited | None = None

    @abstractmethod
    def fileno(self) -> int:
        """A descriptor that can be read from once the process has ended."""

    @abstractmethod
    def reap(self) -> tuple[int | None, int]:
        """Exit code (see `Ending.code`) and peak resident set of the process, now killed."""

    def follow(
        self,
        events: int,
        *,
        limit_s: float,
        stop: Stop,
        on_line: Callable[[bytes], None],
        on_tick: Callable[[], None],
    ) -> Ending:
        """Listen until it has ended, or end it when its time is up or stopping is asked for.

        Its whole group is dead when this returns, or raises.
        """
        told = time.monotonic()
        try:
            lines, ended = _Lines(events, on_line), self.fileno()
            with selectors.DefaultSelector() as selector:
                for descriptor in (events, ended, stop.fileno()):
                    selector.register(descriptor, selectors.EVENT_READ)
                by: EndedBy | None = None
                while by is None:
                    left = self.began + limit_s - time.monotonic()
                    pause = POLL_EVERY_S if self._limited else TICK_S
                    ready = {key.fd for key, _ in selector.select(max(0.0, min(left, pause)))}
                    self._look()
                    if events in ready and not lines.read():
                        selector.unregister(events)
                    if ended in ready:
                        lines.read()
                        by = "itself"
                    elif stop:
                        by = "stop"
                    elif left <= 0:
                        by = "timeout"
                    elif ready or time.monotonic() - told >= TICK_S:
                        told = time.monotonic()
                        on_tick()
        finally:
            self.kill_group()
            code, peak_bytes = self.reap()
        return Ending(code, by, time.monotonic() - self.began, peak_bytes, self._limited)

    def _look(self) -> None:
        """See how near it is to a limit of its memory, while it is there to be seen."""
        now = nearest_limit(self.pid)
        if now and (self._limited is None or now.share >= self._limited.share):
            self._limited = now

    def kill_group(self) -> None:
        """Kill it and everything it started."""
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            return


class ChildProcess(Process):
    """A command in a session of its own."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        log: Path,
        inherited: Sequence[int],
        environment: Mapping[str, str],
    ) -> None:
        """Start it.

        Args:
            command: program and arguments.
            log: file that takes its standard output and error.
            inherited: descriptors it inherits, under the same numbers.
            environment: its environment.
        """
        held, self._parent_pipe = os.pipe()
        self.began = time.monotonic()
        try:
            with log.open("ab") as output:
                self._popen = subprocess.Popen(
                    [sys.executable, "-I", "-S", parent_death.__file__, str(held), *command],
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    pass_fds=(held, *inherited),
                    start_new_session=True,
                    env=dict(environment),
                )
        except BaseException:
            os.close(self._parent_pipe)
            raise
        finally:
            os.close(held)
        self.pid = self._popen.pid
        self._exited, self._tell_exited = os.pipe()
        self._end: tuple[int, int] | None = None
        self._limited_at_end: Limited | None = None
        self._waiter = threading.Thread(target=self._wait, name="wait-for-cell", daemon=True)
        self._waiter.start()

    def fileno(self) -> int:
        """See `Process.fileno`."""
        return self._exited

    def _wait(self) -> None:
        # The watcher on the pipe is still in the group after this, so the group's number
        # cannot be given to another one before the group has been killed.
        if sys.platform == "linux":  # until it is reaped, what limited it can be read
            os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)
            self._limited_at_end = nearest_limit(self.pid)
        _, status, usage = os.wait4(self.pid, 0)
        unit = 1 if sys.platform == "darwin" else 1024
        self._end = os.waitstatus_to_exitcode(status), usage.ru_maxrss * unit
        os.write(self._tell_exited, b"!")

    def reap(self) -> tuple[int | None, int]:
        """See `Process.reap`."""
        os.close(self._parent_pipe)
        self._waiter.join(REAP_WITHIN_S)
        if self._end is None:
            return None, 0
        os.close(self._exited)
        os.close(self._tell_exited)
        self._popen.returncode = self._end[0]
        self._limited = self._limited or self._limited_at_end
        return self._end


class _Lines:
    """Splits what comes through a descriptor into lines."""

    def __init__(self, descriptor: int, on_line: Callable[[bytes], None]) -> None:
        os.set_blocking(descriptor, False)
        self._descriptor = descriptor
        self._on_line = on_line
        self._rest = b""

    def read(self) -> bool:
        """Read what there is; False once nobody can write any more."""
        while True:
            try:
                more = os.read(self._descriptor, 65536)
            except BlockingIOError:
                return True
            if not more:
                return False
            *whole, self._rest = (self._rest + more).split(b"\n")
            self._rest = self._rest[:LONGEST_LINE]
            for line in whole:
                self._on_line(line)
