"""The interface of a launcher, which measures cells on this machine or on others.

Planning, resuming, failures, records and progress belong to the run (`runner.run`) and are the same
for all launchers. A launcher takes cells, reports their events to a `CellListener`, and returns the
result of each. Another package may add one.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

from accelreport.backend.protocol import ChildEvent as ChildEvent
from accelreport.backend.protocol import iso as iso
from accelreport.errors import AccelReportError, ExitCode
from accelreport.results.reading import UnreadableFile, parts_of
from accelreport.results.record import Artefact, Environment, Failure, Record, Warned
from accelreport.runner.interrupt import Stop
from accelreport.runner.plan import Policy
from accelreport.spec.base import Scalar
from accelreport.spec.cells import Cell
from accelreport.spec.device import Device


class LeftFile(NamedTuple):
    """A file that a cell wrote: its entry in the record, and its content."""

    artefact: Artefact
    content: bytes


def hand_over(record: Record, folder: Path, on_file: Callable[[LeftFile], None]) -> Record:
    """Pass on each file that a record names; returns the record without missing files.

    A killed process or a full disk may leave half a file. A file with another checksum than its
    record's is not kept, and the record has a warning.

    Args:
        record: the process' record.
        folder: the folder of its files.
        on_file: takes a file.
    """
    whole: list[Artefact] = []
    lost: list[Warned] = []
    for artefact in record.artefacts:
        try:
            content = b"".join(parts_of(folder / artefact.file, {artefact.bytes}))
        except FileNotFoundError:
            why = "the file does not exist"
        except UnreadableFile as error:
            why = error.problem.message
        else:
            on_file(LeftFile(artefact, content))
            whole.append(artefact)
            continue
        message = f"its file {artefact.name} could not be kept: {why}"
        lost.append(Warned(kind="artefact-lost", message=message))
    return record.model_copy(update={"artefacts": whole, "warnings": [*record.warnings, *lost]})


def now() -> str:
    """This instant in the form of records: UTC in ISO 8601."""
    return iso(datetime.now(UTC))


def unmeasured(
    cell: Cell,
    failure: Failure,
    environment: Environment | None,
    status: Literal["failed", "skipped"] = "failed",
) -> Record:
    """A record that holds nothing but why there is no result; it began and ended just now."""
    instant = now()
    return Record(
        cell=cell,
        key=cell.key,
        status=status,
        failure=failure,
        started_at=instant,
        finished_at=instant,
        environment=environment,
    )


ATTEMPTS = 3
"""Attempts at a cell whose process or node is lost."""


class LauncherError(AccelReportError):
    """A launcher cannot be used."""

    exit_code = ExitCode.NOTHING_RAN


class BadLauncher(LauncherError):  # noqa: N818 -- reads as what it says
    """The command line asks for a launcher, or an option of one, that there is not."""

    exit_code = ExitCode.USAGE


class CellListener(Protocol):
    """Takes the events of a launcher's cells."""

    @property
    def stop(self) -> Stop:
        """Ends the run; a launcher looks at it at least twice a second."""

    def started(self, cell: Cell, host: str = "") -> None:
        """A cell's process is launched; called again if the cell is measured again.

        Args:
            cell: the cell.
            host: its machine, if that is not this one.
        """

    def reported(self, cell: Cell, event: ChildEvent) -> None:
        """A cell's process reported an event."""

    def waiting(self, reason: str) -> None:
        """Nothing can be measured at the moment, for this reason."""

    def tick(self) -> None:
        """About half a second has passed."""


@dataclass(frozen=True)
class Finished:
    """A cell that has ended.

    Attributes:
        record: its record, also if it failed.
        left: the files that the record names.
        stored: whether record and files are in the results folder already.
    """

    record: Record
    left: Sequence[LeftFile] = ()
    stored: bool = False


class Launcher(Protocol):
    """Measures cells, on this machine or on others."""

    @property
    def here(self) -> bool:
        """Whether it measures on this machine, one cell after the other.

        The run then holds the machine and each cell, and only records of this machine count
        as done. Otherwise it holds the results folder against other launchers, and the record
        of any machine counts; on its own machine the launcher keeps cells apart.
        """

    def unavailable(self, devices: Mapping[str, Device]) -> Mapping[str, Failure | None]:
        """Why a device, by its name, can run nowhere; None if it can, or if that is unknown.

        Raises:
            LauncherError: the machines cannot be reached.
        """

    def measure_all(self, cells: Iterable[Cell], listener: CellListener) -> Generator[Finished]:
        """The result of each cell, in the order in which they end.

        Every cell that was taken from `cells` is returned once, unless a stop was requested. No
        process that was started for them is left when this ends, is closed or raises.

        Args:
            cells: the cells. A launcher measures each one that it takes.
            listener: takes their events.

        Raises:
            AccelReportError: no further cell can be measured.
        """

    def close(self) -> None:
        """Give back what it holds. Called once, also when nothing was measured."""


@dataclass(frozen=True)
class LauncherConfig:
    """The settings of a launcher.

    Attributes:
        results: the results folder.
        options: the values of `--on-option`, by name.
        fork: whether cells may be forked.
        policy: what counts as done.
    """

    results: Path
    options: Mapping[str, Scalar] = field(default_factory=dict)
    fork: bool = True
    policy: Policy = field(default_factory=Policy)


@dataclass(frozen=True)
class LauncherPlugin:
    """A launcher by name.

    Attributes:
        name: the value of `--on`.
        open: makes the launcher. It may raise `LauncherError`.
    """

    name: str
    open: Callable[[LauncherConfig], Launcher]
