"""How a machine measures the cells that a launcher sends there: as a local run does.

It reports by messages to the launcher. Cells that are lost with their process or node are measured
again a few times, then they fail.
"""

from __future__ import annotations

import platform
import traceback
from collections import Counter
from collections.abc import Collection
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from accelreport.backend.environment import environment
from accelreport.backend.protocol import AnyEvent
from accelreport.errors import AccelReportError
from accelreport.results.plan_document import Document
from accelreport.results.record import Environment, Failure, FailureKind, Record
from accelreport.runner.launch import CHILD, INTERRUPTED, LocalLauncher
from accelreport.runner.launchers.base import (
    ATTEMPTS,
    CellListener,
    Finished,
    LeftFile,
    unmeasured,
)
from accelreport.runner.process import SERVER, ForkPool
from accelreport.runner.workspace import Workspace
from accelreport.spec.cells import Cell


class Started(Document):
    """A cell's process is launched."""

    kind: Literal["started"] = "started"
    key: str
    environment: Environment
    """The machine, for the case that no record ever comes."""


class Reported(Document):
    """A cell's process reported an event."""

    kind: Literal["reported"] = "reported"
    key: str
    says: AnyEvent


class Waits(Document):
    """The machine is in use."""

    kind: Literal["waits"] = "waits"
    host: str
    reason: str
    """By whom."""


class Completed(Document):
    """A cell has ended."""

    kind: Literal["completed"] = "completed"
    record: Record

    @property
    def interrupted(self) -> bool:
        """Whether a stop was requested while it was measured."""
        return self.record.failure is not None and self.record.failure.kind == "interrupted"


class Crashed(Document):
    """Something went wrong that has nothing to do with a cell."""

    kind: Literal["crashed"] = "crashed"
    message: str
    """What, in a sentence."""
    traceback: str = ""
    """Where."""
    time_is_up: bool = False
    """Whether it is only that the job's time is over."""


Message = Started | Reported | Waits | Completed | Crashed
MESSAGES: TypeAdapter[Message] = TypeAdapter(Annotated[Message, Field(discriminator="kind")])
"""Reads one message from JSON."""


class NodeSettings(Document):
    """How cells are measured; the defaults are those of a local run there."""

    command: list[str] = []
    """The program of a cell."""
    server: list[str] = []
    """The program that cells are forked from."""
    folder: str = ""
    """Folder for locks and files in passing."""
    fork: bool = True
    """Whether cells may be forked."""

    def workspace(self) -> Workspace:
        """This machine's folder for locks and files in passing, made.

        Raises:
            ResultsError: it cannot be made, or belongs to another user.
        """
        workspace = Workspace(Path(self.folder) if self.folder else None)
        workspace.prepare()
        return workspace

    def launcher(self, scratch: Path) -> LocalLauncher:
        """What measures a cell here; to be closed.

        Args:
            scratch: folder for the files of cells, which need not exist yet.
        """
        forks = ForkPool(scratch, self.server or SERVER) if self.fork else None
        return LocalLauncher(scratch, environment_here, self.command or CHILD, forks=forks)


def environment_here() -> Environment:
    """This machine and its software, with the machine's name."""
    return environment().model_copy(update={"host": platform.node()})


def crashed(error: Exception) -> Crashed:
    """The message about an error outside of any cell."""
    text = str(error).replace("\n", " ") if isinstance(error, AccelReportError) else ""
    return Crashed(
        message=text or f"{type(error).__name__}: {error}",
        traceback="".join(traceback.format_exception(error)),
    )


@dataclass(frozen=True)
class LostCell:
    """Why a cell has no record.

    Attributes:
        kind: the kind of its failure, if it fails.
        message: the cause, in a sentence.
        final: whether another attempt would fail, too, so that there is none.
        remedy: the remedy.
        traceback: the traceback, if Python raised an exception.
        machine_too: whether the machine itself seems to be lost.
        explained: whether the node itself reported the cause.
    """

    kind: FailureKind
    message: str
    final: bool = False
    remedy: str = ""
    traceback: str = ""
    machine_too: bool = False
    explained: bool = False


@dataclass
class LostCells:
    """The losses of one run."""

    _times: Counter[str] = field(default_factory=Counter)

    def of(self, cell: Cell, loss: LostCell, environment: Environment | None) -> Finished | None:
        """The cell's failure; None when it is to be measured again.

        Args:
            cell: the lost cell.
            loss: why it was lost.
            environment: the machine that had begun to measure it, if one had.
        """
        self._times[cell.key] += 1
        times = self._times[cell.key]
        if times < ATTEMPTS and not loss.final:
            return None
        often = f" This happened {times} times." if times > 1 else ""
        return Finished(
            unmeasured(
                cell,
                Failure(
                    kind=loss.kind,
                    message=loss.message + often,
                    remedy=loss.remedy,
                    traceback=loss.traceback,
                ),
                environment or environment_here(),
            )
        )


STOPPED = LostCell(INTERRUPTED.kind, INTERRUPTED.message, final=True, remedy=INTERRUPTED.remedy)
"""Why no record came of a cell that was being measured when the run was stopped."""


@dataclass
class NodeJob:
    """Some cells that a node measures one after the other, and how far it is with them.

    Every launcher drives it: `take` for each message, and at its end `lost` or `stopped`.

    Attributes:
        cells: those that have not ended, by key, in their order.
        began: the cell that is being measured.
        environment: its machine, once it has begun with a cell.
        took: seconds of the process of the last cell that ended.
        crash: an error outside of its cells.
    """

    cells: dict[str, Cell]
    _: KW_ONLY
    began: Cell | None = None
    environment: Environment | None = None
    took: float | None = None
    crash: Crashed | None = None
    _left: list[LeftFile] = field(default_factory=list)

    def take(self, message: Message | LeftFile, listener: CellListener) -> Finished | None:
        """Take one message of the node; returns the cell that it ends, if any."""
        match message:
            case LeftFile():
                self._left.append(message)
            case Started() if message.key in self.cells:
                self.began, self.environment = self.cells[message.key], message.environment
                listener.started(self.began, message.environment.host)
            case Reported() if message.key in self.cells:
                listener.reported(self.cells[message.key], message.says)
            case Waits():
                listener.waiting(f"on {message.host}: {message.reason}")
            case Completed() if self.cells.pop(message.record.key, None) is not None:
                left, self._left, self.began = self._left, [], None
                self.took = message.record.times.wall_s
                return Finished(message.record, left)
            case Crashed():
                self.crash = message
        return None

    def lost(
        self, loss: LostCell, tried: Collection[Cell], losses: LostCells
    ) -> tuple[list[Finished], list[Cell]]:
        """The cells that failed with it, and those that are to be measured again.

        Args:
            loss: why it ends.
            tried: the cells that the loss concerns; the others were not measured yet.
            losses: counts how often a cell was lost.
        """
        keys = {cell.key for cell in tried}
        failed = {
            key: finished
            for key, cell in self.cells.items()
            if key in keys and (finished := losses.of(cell, loss, self.environment))
        }
        again = [cell for key, cell in self.cells.items() if key not in failed]
        return list(failed.values()), again

    def stopped(self, losses: LostCells) -> Finished | None:
        """The cell that was being measured when the run was stopped, as a failure."""
        return losses.of(self.began, STOPPED, self.environment) if self.began else None
