"""What a job of submitit does on its node: it measures some cells as a local run does.

Records go into the results folder, which all nodes share, at once and by the job itself, so that
nothing that was measured depends on who submitted the job, or on whether it still runs. The
submitting side follows by a log: a file to which the job appends a message a line.
"""

from __future__ import annotations

import os
import platform
import sys
from contextlib import closing
from pathlib import Path

from pydantic import ValidationError

from accelreport.machine.inventory import inventory
from accelreport.results.plan_document import Document
from accelreport.results.store import Store
from accelreport.runner.events import (
    CellEndLine,
    CellEventLine,
    CellStartLine,
    RunLine,
    WaitingLine,
)
from accelreport.runner.interrupt import stopped_by_signals
from accelreport.runner.launchers.node import (
    MESSAGES,
    Completed,
    Crashed,
    Message,
    NodeSettings,
    Reported,
    Started,
    Waits,
    crashed,
    environment_here,
)
from accelreport.runner.plan import Policy, RecordIndex, RunPlan, decide
from accelreport.runner.run import Run
from accelreport.runner.workspace import machine_to_itself
from accelreport.spec.cells import Cell
from accelreport.spec.problems import printable


class JobSpec(Document):
    """Some cells to be measured by one job."""

    cells: list[Cell]
    results: str
    policy: Policy = Policy()
    settings: NodeSettings = NodeSettings()


class MessageLog:
    """A file of messages, written by a job and read by who submitted it.

    Args:
        path: the file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read = 0

    def post(self, message: Message) -> None:
        """Append a message; it is on the disk when this returns."""
        with self._path.open("ab", buffering=0) as file:
            file.write(message.model_dump_json().encode() + b"\n")
            os.fsync(file.fileno())

    def unread(self) -> list[Message]:
        """The messages that came since the last call."""
        try:
            with self._path.open("rb") as file:
                file.seek(self._read)
                content = file.read()
        except FileNotFoundError:
            return []
        except OSError as error:  # a shared disk may be away for a while
            return [Crashed(message=f"{self._path} cannot be read: {error.strerror}.")]
        whole = content[: content.rfind(b"\n") + 1]
        self._read += len(whole)
        return [self._message(line) for line in whole.splitlines()]

    def _message(self, line: bytes) -> Message:
        """A line's message; an unreadable one must not end the other jobs.

        A record that it may have announced is in the results folder, where the cell's next attempt
        reads it.
        """
        try:
            return MESSAGES.validate_json(line)
        except ValidationError as error:
            text = line[:200].decode(errors="replace")
            why = error.errors(include_url=False, include_input=False)[0]["msg"]
            return Crashed(message=f"A line of {self._path} cannot be read ({why}): {text}")


class LoggingObserver:
    """An observer that writes messages.

    Args:
        log: where they go.

    Attributes:
        through: keys of the cells whose end was reported.
    """

    def __init__(self, log: MessageLog) -> None:
        self.through: set[str] = set()
        self._log = log

    def on(self, line: RunLine) -> None:
        """See `Observer.on`."""
        match line:
            case CellStartLine():
                self._log.post(Started(key=line.key, environment=environment_here()))
            case CellEventLine():
                self._log.post(Reported(key=line.key, says=line.says))
            case CellEndLine():
                self.through.add(line.key)
                self._log.post(Completed(record=line.record))
            case WaitingLine():
                self._log.post(Waits(host=platform.node(), reason=line.reason))

    def tick(self) -> None:
        """Nothing moves here."""


def perform(path: str, messages: str) -> None:
    """Measure the cells of an order; must be called in the main thread.

    Nothing is raised: errors are written to the log.

    Args:
        path: the order's file.
        messages: the log's file.
    """
    from submitit.core.utils import UncompletedJobError

    log = MessageLog(Path(messages))
    try:
        order = JobSpec.model_validate_json(Path(path).read_bytes())
        several = int(os.environ.get("SLURM_STEP_NUM_TASKS", "1")) > 1
        if several and os.environ.get("SLURM_PROCID", "0") != "0":
            _take_part(order)
        else:
            _measure(order, log)
    except UncompletedJobError as error:
        # Submitit raises it at any place of the job, some time before Slurm would end it.
        log.post(Crashed(message=f"{error}", time_is_up=True))
    except Exception as error:  # whatever it is, the one who submitted has to know
        log.post(crashed(error))


def _take_part(order: JobSpec) -> None:
    """Measure this node's part of cells whose records the first node writes.

    As on the first node, cells that are done are skipped, such as when Slurm starts a job again:
    a process without its peers would wait until its cell's timeout.
    """
    workspace = order.settings.workspace()
    known = RecordIndex(Store(Path(order.results)), {cell.key for cell in order.cells})
    chosen = [
        cell
        for cell in order.cells
        if decide(cell, known(cell.key), None, order.policy).action == "run"
    ]
    with (
        stopped_by_signals() as stop,
        closing(order.settings.launcher(workspace.scratch)) as launcher,
        machine_to_itself(
            workspace, folder=Path(order.results), stop=stop, waiting=lambda _: None
        ) as held,
    ):
        workspace.clear_scratch()
        for cell in chosen if held else ():
            record = launcher.measure(
                cell,
                stop=stop,
                on_event=lambda _: None,
                on_tick=lambda: None,
                on_file=lambda _: None,
            )
            if record.failure is not None:
                # The log of this process is the only place for it: the record is the chief's.
                message = printable(f"{cell.name}: {record.failure.message}")
                print(message, file=sys.stderr)  # noqa: T201


def _measure(order: JobSpec, log: MessageLog) -> None:
    store, workspace = Store(Path(order.results)), order.settings.workspace()
    store.prepare(sweeping=False)  # the run has swept it before it submitted the job
    keys = {cell.key for cell in order.cells}
    known, observer = RecordIndex(store, keys), LoggingObserver(log)
    plan = RunPlan(tuple(decide(cell, known(cell.key), None, order.policy) for cell in order.cells))
    with (
        stopped_by_signals() as stop,
        closing(order.settings.launcher(workspace.scratch)) as launcher,
    ):
        Run(
            store=store,
            launcher=launcher,
            machine=inventory().machine,
            environment=environment_here,
            workspace=workspace,
            observer=observer,
            stop=stop,
            policy=order.policy,
            anywhere=known,
        ).run(plan)
    # Cells that another job has measured were not measured again, and are reported now.
    known.refresh()
    for cell in (cell for cell in order.cells if cell.key not in observer.through):
        record = known(cell.key)
        if record and decide(cell, record, None, order.policy).action != "run":
            log.post(Completed(record=record))
