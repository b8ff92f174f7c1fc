"""A cell's process with its group, or a fork of a process that has imported TensorFlow.

A few such processes are ready, and they sleep while a cell runs. None is forked for two repeats of
one condition: forks share the addresses of libraries and the order of hashes, but repeats must be
independent.
"""

from __future__ import annotations

import errno
import os
import select
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import psutil
from pydantic import ValidationError

from accelreport.backend.forkserver import LONGEST_MESSAGE, Message, may_be_forked
from accelreport.backend.protocol import PhaseEvent
from accelreport.machine import parent_death
from accelreport.machine.memory import Limited, nearest_limit
from accelreport.runner.interrupt import Stop
from accelreport.runner.timings import likeness
from accelreport.spec.cells import Cell

EndedBy = Literal["itself", "timeout", "stop"]
"""What ended a process."""

TICK_S = 0.5
"""Seconds between two updates of a display while the process reports nothing. The runner shares the
machine with the measured process, so it wakes up rarely."""

POLL_EVERY_S = 0.05
"""Seconds between two readings of a process' memory if it is limited: a process crashes soon after
it meets its limit, and its memory cannot be read afterwards."""

MARK = "ACCELREPORT_PROCESS"
"""Environment variable of a process that is unlike that of any other, and that is inherited by all
that it starts, also in sessions of their own."""

LONGEST_LINE = 2**20
"""Bytes of one line of events; a longer one is cut."""

REAP_WITHIN_S = 1.5
"""Seconds to wait for a killed process, which ends within milliseconds unless it hangs in the
kernel."""


@dataclass(frozen=True)
class Ending:
    """How a process ended.

    Attributes:
        code: its exit code; minus the signal's number when a signal ended it; None when it
            could not be reaped.
        by: what ended it.
        wall_s: seconds from its start to its end.
        peak_bytes: its peak resident set.
        limited: its largest observed share of a memory limit; None without a limit.
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
        mark: the value of `MARK` that it and its descendants have.
    """

    pid: int
    began: float
    mark: str
    _spared: int = 0
    """A group of processes with the same mark that lives on."""
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
        """Listen until it has ended, or end it after its time or when a stop is requested.

        It and all its descendants are dead when this returns or raises.
        """
        heard_at = time.monotonic()
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
                    # Only while the process runs; afterwards its memory is unknown.
                    limit = nearest_limit(self.pid)
                    if limit and (self._limited is None or limit.share >= self._limited.share):
                        self._limited = limit
                    if events in ready and not lines.read():
                        selector.unregister(events)
                    if ended in ready:
                        lines.read()
                        by = "itself"
                    elif stop:
                        by = "stop"
                    elif left <= 0:
                        by = "timeout"
                    elif ready or time.monotonic() - heard_at >= TICK_S:
                        heard_at = time.monotonic()
                        on_tick()
        finally:
            self.kill_group()
            code, peak_bytes = self.reap()
            self.end_what_is_left()
        return Ending(code, by, time.monotonic() - self.began, peak_bytes, self._limited)

    def kill_group(self) -> None:
        """Kill it and everything it started that has not left its group."""
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)

    def end_what_is_left(self) -> None:
        """Kill what it started in sessions of their own, also what runs no program of its own."""
        until, alive = time.monotonic() + REAP_WITHIN_S, True
        while alive and time.monotonic() < until:  # what is killed may have started another one
            alive = False
            for process in psutil.process_iter():
                with suppress(psutil.Error, OSError):
                    own = process.environ().get(MARK) == self.mark
                    if own and os.getpgid(process.pid) != self._spared:
                        process.kill()
                        alive = True


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
        self.began, self.mark = time.monotonic(), str(log)
        try:
            with log.open("ab") as output:
                self._popen = subprocess.Popen(
                    [sys.executable, "-I", "-S", parent_death.__file__, str(held), *command],
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    pass_fds=(held, *inherited),
                    start_new_session=True,
                    env={**environment, MARK: self.mark},
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
        try:
            self._waiter.start()
        except RuntimeError as error:
            self.kill_group()
            raise OSError(errno.EAGAIN, str(error)) from error

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
        """Read all available lines; False once the writing end is closed."""
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


SERVER = (sys.executable, "-P", "-m", "accelreport.backend.forkserver")
"""The program that is forked; its socket, its launch and its folder are its last arguments."""

READY_WITHIN_S = 180.0
"""TensorFlow is imported within this, on the slowest disk, or never."""

MOST_READY = 3
"""So many stand ready, as many as most specs have repeats; each holds some memory of its own."""

FORKED_WITHIN_S = 20.0
"""A fork takes milliseconds."""


class ForkServer:
    """The process that is forked, and what it has served.

    Args:
        command: its program.
        environment: its environment, which its forks share.
        log: file for what it prints.

    Attributes:
        served: conditions it has been forked for.
        lost: whether it has ended, or no longer answers; it is of no use then.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], log: Path) -> None:
        self.environment = dict(environment)
        self.served: set[str] = set()
        self.lost = False
        self._log = log
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self.process = ChildProcess(
                [*command, str(theirs.fileno()), repr(time.monotonic()), str(log.parent)],
                log=self._log,
                inherited=[theirs.fileno()],
                environment=environment,
            )

    def hear(self, within_s: float, stop: Stop | None = None) -> Message | None:
        """The next message; None if it ended, sent no message in time, or a stop was requested.

        The server is then lost, also after an invalid message.
        """
        listened = [self.control.fileno(), *([stop.fileno()] if stop is not None else [])]
        ready, _, _ = select.select(listened, [], [], within_s)
        message: Message | None = None
        with suppress(ConnectionResetError, ValidationError):  # at its end nothing is read
            if listened[0] in ready:
                message = Message.model_validate_json(self.control.recv(LONGEST_MESSAGE))
        self.lost = message is None
        return message

    def fork(self, job: Path, events: int, log: Path) -> Fork | None:
        """A fork that carries out the job of a file; None when there can be no more.

        Args:
            job: the job's file.
            events: descriptor it writes events to.
            log: file that takes its standard output and error.
        """
        held, parent_pipe = os.pipe()
        forked, began = None, time.monotonic()
        try:
            with log.open("ab") as output:
                output.write(self._log.read_bytes())  # TensorFlow's output while it was imported
                output.flush()
                orders = Message(job=str(job)).model_dump_json(exclude_defaults=True).encode()
                socket.send_fds(self.control, [orders], [events, output.fileno(), held])
            answer = self.hear(FORKED_WITHIN_S)
            if answer is not None and answer.pid:
                forked = Fork(self, answer.pid, parent_pipe, began)
        except (BrokenPipeError, ConnectionResetError):
            self.lost = True
        finally:
            os.close(held)
            if forked is None:
                os.close(parent_pipe)
        return forked

    def close(self) -> None:
        """End it."""
        self.control.close()
        self.process.kill_group()
        self.process.reap()
        self._log.unlink(missing_ok=True)


class Fork(Process):
    """A cell's process that was forked from a server."""

    def __init__(self, server: ForkServer, pid: int, parent_pipe: int, began: float) -> None:
        self.pid, self.began, self.mark = pid, began, server.process.mark
        self._server, self._spared = server, server.process.pid
        self._parent_pipe = parent_pipe

    def fileno(self) -> int:
        """See `Process.fileno`."""
        return self._server.control.fileno()

    def reap(self) -> tuple[int | None, int]:
        """See `Process.reap`."""
        os.close(self._parent_pipe)
        message = self._server.hear(REAP_WITHIN_S)
        if message is None or message.ended is None:
            # Only the server knows the exit code; the group was killed just before.
            gone = bool(select.select([self._server.process], [], [], 0)[0])
            return (-signal.SIGKILL if gone else None), 0
        status, peak_bytes = message.ended
        return os.waitstatus_to_exitcode(status), peak_bytes


class ForkPool:
    """Has a server ready for each cell that may be a fork.

    Args:
        folder: for the servers' logs.
        command: the server's program.

    Attributes:
        started: number of servers that were ready.
        forked: number of cells forked from them.
        refused: why cells are no longer forked; empty otherwise.
    """

    def __init__(self, folder: Path, command: Sequence[str] = SERVER) -> None:
        self._folder = folder
        self._command = command
        self._servers: list[ForkServer] = []
        self.started = self.forked = 0
        self.refused = ""

    def ready(
        self,
        cell: Cell,
        environment: Mapping[str, str],
        *,
        stop: Stop,
        on_event: Callable[[PhaseEvent], None],
    ) -> ForkServer | None:
        """A server this cell may be forked from; None when it must be started from nothing.

        The same server is given again until a process of this condition was forked from it.

        Args:
            cell: the cell.
            environment: the environment variables of its process.
            stop: gives up waiting when it is requested.
            on_event: called before TensorFlow is imported, if it has to be.

        Raises:
            OSError: no process can be started.
        """
        if self.refused or not may_be_forked(cell.device_spec):
            return None
        condition = likeness(cell)
        for lost in [server for server in self._servers if server.lost]:
            self._end(lost)
        for server in self._servers:
            if server.environment == dict(environment) and condition not in server.served:
                return server
        on_event(PhaseEvent(phase="import"))
        return self._start(environment, stop)

    def fork(
        self, server: ForkServer, cell: Cell, job: Path, events: int, log: Path
    ) -> Fork | None:
        """See `ForkServer.fork`; the server forks no further cell of the same condition."""
        server.served.add(likeness(cell))
        forked = server.fork(job, events, log)
        if forked is not None:
            self.forked += 1
        return forked

    def close(self) -> None:
        """End all servers."""
        while self._servers:
            self._end(self._servers[0])

    def _end(self, server: ForkServer) -> None:
        self._servers.remove(server)
        server.close()

    def _start(self, environment: Mapping[str, str], stop: Stop) -> ForkServer | None:
        while len(self._servers) >= MOST_READY:
            self._end(self._servers[0])
        # The run before may still be ending its own in this folder.
        descriptor, log = tempfile.mkstemp(".txt", "forkserver-", self._folder)
        os.close(descriptor)
        server = ForkServer(self._command, environment, Path(log))
        self._servers.append(server)
        answer = server.hear(READY_WITHIN_S, stop)
        if answer is not None and answer.ready is not None:
            self.started += 1
            return server
        self._end(server)
        if not stop:
            self.refused = answer.refused if answer else "the fork server ended at its start"
        return None
