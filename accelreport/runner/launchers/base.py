"""What a launcher is: it has cells measured, on this machine or on others.

Planning, resuming, failures, records and progress are the run's (`runner.run`) and the same
for all launchers. A launcher takes cells, tells a `CellListener` what happens to them, and gives
back what became of each. Another package may add one.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

from accelreport.backend.protocol import ChildEvent as ChildEvent
from accelreport.errors import AccelReportError, ExitCode
from accelreport.results.reading import UnreadableFile, parts_of
from accelreport.results.record import Artefact, Environment, Failure, Record, Warned
from accelreport.runner.interrupt import Stop
from accelreport.runner.plan import Policy
from accelreport.spec.base import Scalar
from accelreport.spec.cells import Cell
from accelreport.spec.device import Device


class LeftFile(NamedTuple):
    """A file that a cell left: what its record says of it, and its content."""

    artefact: Artefact
    content: bytes


def hand_over(record: Record, folder: Path, on_file: Callable[[LeftFile], None]) -> Record:
    """Give away each file that a record names; the record, without files that are not there.

    A process that was killed, or a full disk, may leave half a file: what does not have its
    checksum is not kept, and the record says so.

    Args:
        record: what the process left.
        folder: where it left its files.
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
    """This instant, as records tell it: UTC in ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


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
"""So often a cell is measured anew that was lost with the process or node that measured it."""


class LauncherError(AccelReportError):
    """A launcher cannot be used."""

    exit_code = ExitCode.NOTHING_RAN


class BadLauncher(LauncherError):  # noqa: N818 -- reads as what it says
    """The command line asks for a launcher, or an option of one, that there is not."""

    exit_code = ExitCode.USAGE


class CellListener(Protocol):
    """Is told by a launcher what happens to the cells it was given."""

    @property
    def stop(self) -> Stop:
        """Ends the run; a launcher looks at it at least twice a second."""

    def started(self, cell: Cell, host: str = "") -> None:
        """A cell's process is launched; told again when the cell has to be measured anew.

        Args:
            cell: the cell.
            host: where, when that is not this machine.
        """

    def reported(self, cell: Cell, event: ChildEvent) -> None:
        """A cell's process told something."""

    def waiting(self, reason: str) -> None:
        """Nothing can be measured at the moment, and why."""

    def tick(self) -> None:
        """About half a second has passed."""


@dataclass(frozen=True)
class Finished:
    """A cell is through.

    Attributes:
        record: its record, whatever became of it.
        left: the files that the record names.
        stored: whether record and files lie in the results folder already.
    """

    record: Record
    left: Sequence[LeftFile] = ()
    stored: bool = False


class Launcher(Protocol):
    """Has cells measured, wherever that is."""

    @property
    def here(self) -> bool:
        """Whether it measures on this machine, one cell after the other.

        The run then holds the machine and each cell, and only records of this machine count
        as done. Otherwise it holds the results folder against other launchers, and the record
        of any machine counts; on its own machine the launcher keeps cells apart.
        """

    def unavailable(self, devices: Mapping[str, Device]) -> Mapping[str, Failure | None]:
        """Why a device, by its name, can run nowhere; None when it can, or nobody knows.

        Raises:
            LauncherError: the machines cannot be reached.
        """

    def measure_all(self, cells: Iterable[Cell], listener: CellListener) -> Generator[Finished]:
        """What became of each cell, in the order in which they end.

        Every cell that was taken from `cells` comes back once, unless stopping was asked for.
        Nothing that was started for them is left behind when this ends, is closed or raises.

        Args:
            cells: what to measure. To take one is to promise that it is measured.
            listener: is told what happens meanwhile.

        Raises:
            AccelReportError: no further cell can be measured.
        """

    def close(self) -> None:
        """Give back what it holds. Called once, also when nothing was measured."""


@dataclass(frozen=True)
class LauncherConfig:
    """What a launcher is made for.

    Attributes:
        results: the results folder.
        options: what `--on-option` says, by name.
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
        name: what `--on` says.
        open: makes the launcher. It may raise `LauncherError`.
    """

    name: str
    open: Callable[[LauncherConfig], Launcher]
