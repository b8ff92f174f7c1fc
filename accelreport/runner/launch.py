"""From a cell to its record, by a process of its own on this machine.

The record is the one that the process wrote, or a failure that names the cause.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

from pydantic import ValidationError

from accelreport.backend import failures
from accelreport.backend.protocol import ARTEFACTS, EVENTS, UNWRITTEN, Job
from accelreport.errors import AccelReportError
from accelreport.machine.memory import LARGE_SHARE
from accelreport.results.reading import UnreadableFile, read_record
from accelreport.results.record import Environment, Failure, Record, Warned
from accelreport.runner.interrupt import Stop
from accelreport.runner.launchers.base import (
    CellListener,
    ChildEvent,
    Finished,
    LeftFile,
    hand_over,
    iso,
    now,
    unmeasured,
)
from accelreport.runner.process import ChildProcess, Ending, ForkPool, ForkServer, Process
from accelreport.spec.cells import Cell
from accelreport.spec.device import Device
from accelreport.workloads.own_model import named_code

CHILD = (sys.executable, "-P", "-m", "accelreport.backend.main")
"""The program that measures a cell; the job's file is its last argument."""

MOST_COMPLAINTS = 3


class CannotStart(AccelReportError):  # noqa: N818 -- reads as what it says
    """The system has no room for another process or its files."""

    def __init__(self, error: OSError) -> None:
        super().__init__(
            "A cell's process cannot start.",
            why=f"{error}.",
            remedy="Every finished cell is kept. Free disk space or processes, or set TMPDIR to a "
            "folder with free space, and run the same command again.",
        )


@dataclass(frozen=True)
class LocalLauncher:
    """Gives every cell a process of its own on this machine.

    Attributes:
        scratch: folder for the files that pass between runner and process.
        environment: describes this machine, for records the process could not write.
        command: the program; the job's file is appended.
        forks: has processes forked where that may be done; without it all are started.
    """

    scratch: Path
    environment: Callable[[], Environment]
    command: Sequence[str] = CHILD
    forks: ForkPool | None = None

    here = True
    """See `Launcher.here`."""

    def unavailable(self, devices: Mapping[str, Device]) -> dict[str, Failure | None]:
        """See `Launcher.unavailable`."""
        # Only here: a launcher's worker starts in half the time without all that reads specs.
        from accelreport.runner.prepare import absences

        return absences(devices, waiting=lambda _: None)

    def measure_all(self, cells: Iterable[Cell], listener: CellListener) -> Generator[Finished]:
        """See `Launcher.measure_all`."""
        for cell in cells:
            listener.started(cell)
            left: list[LeftFile] = []
            record = self.measure(
                cell,
                stop=listener.stop,
                on_event=partial(listener.reported, cell),
                on_tick=listener.tick,
                on_file=left.append,
            )
            yield Finished(record, left)

    def close(self) -> None:
        """See `Launcher.close`."""
        if self.forks is not None:
            self.forks.close()

    def prepare(self, cell: Cell, *, stop: Stop) -> None:
        """Have ready what a cell is forked from, if it may be; `measure` then need not.

        Args:
            cell: what is measured next.
            stop: gives up waiting when it is requested.

        Raises:
            CannotStart: there is no room for another process.
        """
        self._server(cell, stop, on_event=lambda _: None)

    def measure(
        self,
        cell: Cell,
        *,
        stop: Stop,
        on_event: Callable[[ChildEvent], None],
        on_tick: Callable[[], None],
        on_file: Callable[[LeftFile], None],
    ) -> Record:
        """The cell's record, whatever happens to its process.

        Nothing that was started for it is alive when this returns or raises.

        Args:
            cell: what to measure.
            stop: ends the measurement when it is requested.
            on_event: called with each event of the process.
            on_tick: called about twice a second.
            on_file: given each file that the record names.

        Raises:
            CannotStart: there is no room for another process or its files.
        """
        with self._folder(cell) as name:
            folder = Path(name).absolute()
            complaints: list[str] = []

            def hear(line: bytes) -> None:
                try:
                    on_event(EVENTS.validate_json(line))
                except ValidationError:
                    if len(complaints) < MOST_COMPLAINTS:
                        text = line[:200].decode(errors="replace")
                        complaints.append(f"Its process sent an invalid event: {text}")

            server = self._server(cell, stop, on_event)
            kills_before = oom_kills()
            started_at = now()
            reading, writing = os.pipe()
            try:
                child = self._start(cell, folder, writing, server)
                os.close(writing)
                writing = -1
                ending = child.follow(
                    reading,
                    limit_s=cell.measure.limit_s,
                    stop=stop,
                    on_line=hear,
                    on_tick=on_tick,
                )
            finally:
                os.close(reading)
                if writing >= 0:
                    os.close(writing)
            record = conclude(
                ProcessOutcome(
                    cell=cell,
                    ending=ending,
                    record_path=folder / "record.json",
                    log=folder / "log.txt",
                    started_at=started_at,
                    finished_at=now(),
                    oom_kills=oom_kills() - kills_before,
                    environment=self.environment(),
                    complaints=complaints,
                )
            )
            return hand_over(record, folder / ARTEFACTS, on_file)

    def _folder(self, cell: Cell) -> tempfile.TemporaryDirectory[str]:
        # What cannot be removed of it must not cost its record: `clear_scratch` tries again.
        try:
            return tempfile.TemporaryDirectory(
                dir=self.scratch, prefix=f"{cell.key}-", ignore_cleanup_errors=True
            )
        except OSError as error:
            raise CannotStart(error) from error

    def _server(
        self, cell: Cell, stop: Stop, on_event: Callable[[ChildEvent], None]
    ) -> ForkServer | None:
        if self.forks is None:
            return None
        try:
            return self.forks.ready(cell, _variables(), stop=stop, on_event=on_event)
        except OSError as error:
            raise CannotStart(error) from error

    def _start(self, cell: Cell, folder: Path, events: int, server: ForkServer | None) -> Process:
        path, log = folder / "job.json", folder / "log.txt"
        forked = None
        job = Job(
            cell=cell,
            record_path=str(folder / "record.json"),
            events_fd=events,
            launched_at=time.time(),
            launched_s=time.monotonic(),
        )
        try:
            path.write_text(job.model_dump_json(), encoding="utf-8")
            if self.forks and server:
                forked = self.forks.fork(server, cell, path, events, log)
            return forked or ChildProcess(
                [*self.command, str(path)],
                log=log,
                inherited=[events],
                environment=_variables(),
            )
        except OSError as error:
            raise CannotStart(error) from error


def _variables() -> dict[str, str]:
    # A crash inside a library then leaves its Python stack in the log.
    return {**os.environ, "PYTHONFAULTHANDLER": "1"}


ROOT = Path("/")

OUT_OF_MEMORY = (
    *("std::bad_alloc", "MemoryError", "Cannot allocate memory"),
    "OpenBLAS error: Memory allocation",
)
"""Output of programs that ended by themselves because they could not allocate memory."""

AT_A_LIMIT = (*OUT_OF_MEMORY, *failures.AT_A_LIMIT, "pthread_create")
"""The same, and further output of a process whose memory is limited."""


def oom_kills(root: Path = ROOT) -> int:
    """Processes the kernel has killed for want of memory, by every counter that can be read.

    The counters are those of this process' control groups (versions 1 and 2) and the whole
    machine's. Only the difference between two calls means anything.
    """
    return sum(_count(path) for path in _counters(root))


def _counters(root: Path) -> Iterator[Path]:
    yield root / "proc/vmstat"
    groups = root / "sys/fs/cgroup"
    membership = root / "proc/self/cgroup"
    lines = membership.read_text().splitlines() if membership.exists() else []
    for line in lines:
        _, controllers, path = line.split(":", 2)
        inside = path.strip("/")
        if not controllers:
            # In a container the path may be the host's; its own group is then at the top.
            yield from {groups / inside / "memory.events", groups / "memory.events"}
        elif "memory" in controllers.split(","):
            top = groups / "memory"
            yield from {top / inside / "memory.oom_control", top / "memory.oom_control"}


def _count(path: Path) -> int:
    try:
        lines = path.read_text().splitlines()
    except OSError:
        return 0  # this system does not have it
    return sum(int(line.split()[1]) for line in lines if line.startswith("oom_kill "))


CLOCK_SET_S = 1.0
"""Seconds by which two clocks differ over a cell if one of them was set."""

TAIL_BYTES = 16 * 1024
TAIL_LINES = 40


@dataclass(frozen=True)
class ProcessOutcome:
    """A cell's process after its end.

    Attributes:
        cell: the cell.
        ending: how it ended.
        record_path: the file for its record.
        log: the file with its output.
        started_at: when it was launched, UTC in ISO 8601.
        finished_at: when it ended by the wall clock, which may have been set meanwhile.
        oom_kills: processes that the kernel killed for want of memory while it ran.
        environment: this machine, for a record the runner has to write itself.
        complaints: messages about its invalid events.
    """

    cell: Cell
    ending: Ending
    record_path: Path
    log: Path
    started_at: str
    finished_at: str
    oom_kills: int
    environment: Environment
    complaints: Sequence[str] = field(default=())


def conclude(outcome: ProcessOutcome) -> Record:
    """The cell's record: the process' own where it left one, else a failure with its kind."""
    tail = tail_of(outcome.log)
    try:
        record = read_record(outcome.record_path)
    except FileNotFoundError:
        record = unmeasured(outcome.cell, explain(outcome, tail), outcome.environment)
    except UnreadableFile as error:
        message = f"Its process left an invalid record: {error.problem.message}"
        record = _broken(outcome, message)
    if record.key != outcome.cell.key:
        message = f"Its process measured another cell ({record.key})."
        record = _broken(outcome, message)
    environment = record.environment or outcome.environment
    # A process that limits its own processors must not look like another machine.
    place = {"machine": outcome.environment.machine, "host": outcome.environment.host}
    warnings = list(record.warnings)
    warnings += (Warned(kind="bad-event", message=complaint) for complaint in outcome.complaints)
    code = outcome.ending.code
    if record.status != "failed" and outcome.ending.by == "itself" and code != 0:
        end = f"exit code {code}" if code is not None and code > 0 else _signal(outcome.ending)
        message = f"Its process ended with {end} after it had written this record."
        warnings.append(Warned(kind="bad-exit", message=message))
    began, ended = map(datetime.fromisoformat, (outcome.started_at, outcome.finished_at))
    wall_s = timedelta(seconds=outcome.ending.wall_s)
    away_s = (ended - began - wall_s).total_seconds()
    if abs(away_s) > CLOCK_SET_S and not any(w.kind == "clock-set" for w in warnings):
        message = f"the wall clock was set by {away_s:+.3g} s meanwhile, or the machine slept"
        warnings.append(Warned(kind="clock-set", message=message))
    return record.model_copy(
        update={
            "cell": outcome.cell.as_recorded(),
            "started_at": outcome.started_at,
            # A clock that was set back would have it end before it began.
            "finished_at": iso(began + wall_s) if away_s < 0 else outcome.finished_at,
            "times": record.times.model_copy(update={"wall_s": outcome.ending.wall_s}),
            "environment": environment.model_copy(update=place),
            # A log may hold anything, and explains nothing where nothing went wrong.
            "log_tail": tail if warnings or record.failure else "",
            "warnings": warnings,
        }
    )


def _broken(outcome: ProcessOutcome, message: str) -> Record:
    failure = Failure(kind="harness-error", message=message)
    return unmeasured(outcome.cell, failure, outcome.environment)


INTERRUPTED = Failure(
    kind="interrupted",
    message="The run was stopped while the cell was measured.",
    remedy="The next run measures it.",
)
"""The failure of a cell that was being measured when the run was stopped."""


def explain(outcome: ProcessOutcome, tail: str) -> Failure:
    """Why a process wrote no record."""
    ending, limited = outcome.ending, outcome.ending.limited
    if ending.by == "timeout":
        measure = outcome.cell.measure
        return Failure(
            kind="timeout",
            message=f"It was still running {measure.timeout:g} s (measure.timeout) beyond its "
            f"budget of {measure.budget:g} s and was killed.",
            remedy="If it was starting up or compiling, raise measure.timeout.",
        )
    if ending.by == "stop":
        return INTERRUPTED
    gave_up = ending.code not in {0, -signal.SIGKILL, None}
    at_a_limit = any(text in tail for text in AT_A_LIMIT)
    if limited and gave_up and (limited.share >= LARGE_SHARE or at_a_limit):
        held = limited.held
        return Failure(
            kind="oom-host",
            message=f"It reached its memory limit of {limited.limit / 2**20:.0f} MiB of address "
            f"space: its process was ended by {_signal(ending)}"
            + (f"; it held {held / 2**20:.0f} MiB before." if held else "."),
            remedy=f"Use {failures.LIMIT_REMEDY}.",
        )
    if _out_of_memory(outcome, tail):
        return Failure(
            kind="oom-host",
            message=f"The machine ran out of memory: its process was ended by {_signal(ending)} "
            f"while it held {ending.peak_bytes / 2**20:.0f} MiB.",
            remedy=failures.OUT_OF_MEMORY_REMEDY,
        )
    if ending.code is None or ending.code < 0:
        return Failure(
            kind="signal",
            message=f"Its process was ended by {_signal(ending)}.",
            remedy="The end of its log is in the record; --retry-failed tries again.",
        )
    if ending.code == UNWRITTEN:
        return Failure(
            kind="harness-error",
            message="Its process could not write its record.",
            remedy="Free space on the disk of TMPDIR, or raise the limit of files (ulimit -f).",
        )
    # Whatever else ends a process of ours leaves a record, a traceback, or a signal.
    keys = (str(outcome.cell.value(key) or "") for key in ("file", "model", "data"))
    own = " or ".join(dict.fromkeys(code[0] for key in keys if (code := named_code(key))))
    if own and "Traceback (most recent call last)" not in tail:
        return Failure(
            kind="bad-spec",
            message=f"{own} ended its process with exit code {ending.code}, as os._exit does.",
            remedy="Have the code return or raise; the end of its log is in the record.",
        )
    last = next((line.strip()[:300] for line in reversed(tail.split("\n")) if line.strip()), "")
    return Failure(
        kind="harness-error",
        message=f"Its process ended with exit code {ending.code} and left no record"
        + (f": {last}" if last else "."),
        remedy="The end of its log is in the record.",
    )


def tail_of(log: Path) -> str:
    """The last lines of a log, as text that any program can show."""
    try:
        with log.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - TAIL_BYTES))
            content = file.read()
    except FileNotFoundError:
        return ""
    text = content.decode(errors="replace").replace("\r\n", "\n").replace("\r", "\n").rstrip()
    lines = text.split("\n")[1 if size > TAIL_BYTES else 0 :]
    shown = ("".join(c for c in line if c.isprintable() or c == "\t") for line in lines)
    return "\n".join(list(shown)[-TAIL_LINES:])


def _out_of_memory(outcome: ProcessOutcome, tail: str) -> bool:
    code = outcome.ending.code
    if code == -signal.SIGKILL:
        large = LARGE_SHARE * outcome.environment.memory_bytes
        return outcome.oom_kills > 0 or outcome.ending.peak_bytes >= large
    gave_up = code == -signal.SIGABRT or (code is not None and code > 0)
    return gave_up and any(text in tail for text in OUT_OF_MEMORY)


def _signal(ending: Ending) -> str:
    if ending.code is None:
        return "SIGKILL, and has not left the kernel since"
    if ending.code >= 0:
        return f"exit code {ending.code}"
    return failures.signal_name(-ending.code)
