"""How a machine measures the cells that a launcher sends there: as a local run does."""

from __future__ import annotations

import platform
import traceback
from pathlib import Path

from accelreport.backend.environment import environment
from accelreport.errors import AccelReportError
from accelreport.results.plan_document import Document
from accelreport.results.record import Environment
from accelreport.runner.forks import SERVER, Forks
from accelreport.runner.launch import CHILD, LocalLauncher
from accelreport.runner.launchers.letters import Broke
from accelreport.runner.workspace import Workspace


class Workplace(Document):
    """How cells are measured; everything that is not said is as in a local run there."""

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
            ResultsError: it cannot be made, or is somebody else's.
        """
        workspace = Workspace(Path(self.folder) if self.folder else None)
        workspace.prepare()
        return workspace

    def launcher(self, scratch: Path) -> LocalLauncher:
        """What measures a cell here; to be closed.

        Args:
            scratch: folder for the files of cells, which need not exist yet.
        """
        forks = Forks(scratch, self.server or SERVER) if self.fork else None
        return LocalLauncher(scratch, environment_here, self.command or CHILD, forks=forks)


def environment_here() -> Environment:
    """This machine and its software, with the machine's name."""
    return environment().model_copy(update={"host": platform.node()})


def broke(error: Exception) -> Broke:
    """The letter that tells of an error outside of any cell."""
    told = str(error).replace("\n", " ") if isinstance(error, AccelReportError) else ""
    return Broke(
        message=told or f"{type(error).__name__}: {error}",
        traceback="".join(traceback.format_exception(error)),
    )
