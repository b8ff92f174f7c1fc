"""From a cell to its record, by a process of its own on this machine."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from pydantic import ValidationError

from accelreport.backend.artefacts import FOLDER
from accelreport.backend.protocol import EVENTS, Job
from accelreport.errors import AccelReportError
from accelreport.results.record import Environment, Record
from accelreport.runner.fork_pool import ForkPool, ForkServer
from accelreport.runner.interrupt import Stop
from accelreport.runner.launchers.base import ChildEvent, Finished, LeftFile, Watch, hand_over
from accelreport.runner.outcome import Observed, conclude, oom_kills
from accelreport.runner.process import ChildProcess, Process
from accelreport.spec.cells import Cell
from accelreport.spec.device import Device

CHILD = (sys.executable, "-m", "accelreport.backend.main")
"""The program that measures a cell; the job's file is its last argument."""

MOST_COMPLAINTS = 3


class CannotStart(AccelReportError):  # noqa: N818 -- reads as what it says
    """The system has no room for another process or its files."""

    def __init__(self, error: OSError) -> None:
        super().__init__(
            "A cell's process cannot be started.",
            why=f"{error}.",
            remedy="Every finished cell is kept. Free disk space or processes, or set TMPDIR to a "
            "folder with room, and run the same command again.",
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

    @property
    def here(self) -> bool:
        """See `Launcher.here`."""
        return True

    def unavailable(self, devices: Mapping[str, Device]) -> dict[str, str | None]:
        """See `Launcher.unavailable`."""
        # Only here: a launcher's worker starts in half the time without all that reads specs.
        from accelreport.runner.survey import absences

        return absences(devices, waiting=lambda _: None)

    def measure_all(self, cells: Iterable[Cell], watch: Watch) -> Generator[Finished]:
        """See `Launcher.measure_all`."""
        for cell in cells:
            watch.started(cell)
            left: list[LeftFile] = []
            record = self.measure(
                cell,
                stop=watch.stop,
                on_event=partial(watch.said, cell),
                on_tick=watch.tick,
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
        if self.forks is not None:
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
            on_event: told what the process says.
            on_tick: called about twice a second.
            on_file: given each file that the record names.

        Raises:
            CannotStart: there is no room for another process or its files.
        """
        with self._folder(cell) as name:
            folder = Path(name)
            complaints: list[str] = []
            server = self._server(cell, stop, on_event)
            kills_before = oom_kills()
            started_at = _now()
            reading, writing = os.pipe()
            try:
                child = self._start(cell, folder, writing, server)
                os.close(writing)
                writing = -1
                ending = child.follow(
                    reading,
                    limit_s=cell.measure.timeout,
                    stop=stop,
                    on_line=_hearing(on_event, complaints),
                    on_tick=on_tick,
                )
            finally:
                os.close(reading)
                if writing >= 0:
                    os.close(writing)
            record = conclude(
                Observed(
                    cell=cell,
                    ending=ending,
                    record_path=folder / "record.json",
                    log=folder / "log.txt",
                    started_at=started_at,
                    finished_at=_now(),
                    oom_kills=oom_kills() - kills_before,
                    environment=self.environment(),
                    complaints=complaints,
                )
            )
            return hand_over(record, folder / FOLDER, on_file)

    def _folder(self, cell: Cell) -> tempfile.TemporaryDirectory[str]:
        try:
            return tempfile.TemporaryDirectory(dir=self.scratch, prefix=f"{cell.key}-")
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


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def _hearing(
    on_event: Callable[[ChildEvent], None], complaints: list[str]
) -> Callable[[bytes], None]:
    """What takes a process's lines: events are told, the first few that are none complained of."""

    def hear(line: bytes) -> None:
        try:
            on_event(EVENTS.validate_json(line))
        except ValidationError:
            if len(complaints) < MOST_COMPLAINTS:
                text = line[:200].decode(errors="replace")
                complaints.append(f"Its process sent something that is no event: {text}")

    return hear
