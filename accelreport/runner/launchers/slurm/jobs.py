"""Jobs that were submitted to Slurm: what is known of each, and why one left no record.

What its controller is asked while jobs are followed: how they stand, and to cancel some. All of
them are asked for at once: `squeue` answers from the controller's memory, where every job stays
some minutes after its end (`MinJobAge`), with accounting or without. Only a job that is not there
any more is looked up in the accounting, `sacct`. That would not do alone: it is not there on every
cluster, and it calls a job over that Slurm has lost with its node and is about to start again.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from accelreport.errors import ExitCode
from accelreport.results.record import FailureKind
from accelreport.runner.launchers.base import LauncherError
from accelreport.runner.launchers.node import LostCell, NodeJob
from accelreport.runner.launchers.slurm.worker import MessageLog

GONE = "GONE"
"""Our own word for a job that Slurm knows nothing of any more."""

ENDED = {
    "BOOT_FAIL",
    "CANCELLED",
    "COMPLETED",
    "DEADLINE",
    "FAILED",
    GONE,
    "NODE_FAIL",
    "OUT_OF_MEMORY",
    "PREEMPTED",
    "REVOKED",
    "TIMEOUT",
}
"""Final states of a job; a job that Slurm starts again is PENDING."""

WAITING = {"PENDING", "CONFIGURING", "REQUEUED", "REQUEUE_HOLD", "SPECIAL_EXIT"}

ORDINARY = {"None", "Priority", "Resources", "BeginTime", "JobArrayTaskLimit"}
"""Reasons for waiting that end when others' jobs do."""

NEVER = re.compile(
    r"PartitionTimeLimit|PartitionNodeLimit|BadConstraints|DependencyNeverSatisfied"
    r"|AccountNotAllowed|QOSNotAllowed|InvalidAccount|InvalidQOS|(Assoc|QOS)\w*PerJob\w*"
)
"""Reasons for which Slurm does not start a job until the job or the cluster is changed."""

ANSWER_WITHIN_S = 30.0


class NoAnswer(Exception):  # noqa: N818 -- reads as what it says
    """Slurm cannot be asked at the moment."""


@dataclass(frozen=True)
class JobState:
    """How a job stands.

    Attributes:
        name: in Slurm's words, such as `PENDING`.
        reason: why it waits, in Slurm's words.
    """

    name: str
    reason: str = ""

    @property
    def ended(self) -> bool:
        """Whether it is over."""
        return self.name in ENDED

    @property
    def waits(self) -> bool:
        """Whether it has no node yet, or none any more."""
        return self.name in WAITING

    @property
    def never(self) -> bool:
        """Whether it waits for what does not happen by itself."""
        return self.waits and NEVER.match(self.reason) is not None


def job_states(numbers: Collection[str]) -> dict[str, JobState]:
    """How jobs stand.

    Args:
        numbers: the jobs, as submitit has them: `71`, or `71_3` for one of an array.

    Raises:
        NoAnswer: the controller cannot be asked.
    """
    jobs = ",".join(sorted({number.partition("_")[0] for number in numbers}))
    columns = "--format=%i|%T|%r"
    try:
        answer = asked(["squeue", "-h", "--array", "--states=all", columns, f"--jobs={jobs}"])
    except NoAnswer as error:
        if "Invalid job id" not in str(error):
            raise
        answer = ""  # squeue knows none of them
    states = {number: JobState(_word(state), reason) for number, state, reason in _rows(answer)}
    gone = [number for number in numbers if number not in states]
    return {**states, **(_remembered(gone) if gone else {})}


def why_all_wait(states: Iterable[JobState]) -> str:
    """Why nothing runs, for a person; empty where something does, or nothing is left."""
    left = [state for state in states if not state.ended]
    if not left or not all(state.waits for state in left):
        return ""
    uncommon = sorted({state.reason for state in left} - ORDINARY)
    reason = f"; the reason: {'; '.join(uncommon)}" if uncommon else ""
    return f"no job is running: all wait for nodes of Slurm{reason}"


def _remembered(numbers: Collection[str]) -> Mapping[str, JobState]:
    """How jobs ended that the controller has forgotten; `GONE` if that is unknown."""
    jobs = ",".join(sorted({number.partition("_")[0] for number in numbers}))
    try:
        answer = asked(["sacct", "-n", "-X", "-P", "-o", "JobID,State", "-j", jobs])
    except NoAnswer:  # most often: the cluster keeps no accounts
        answer = ""
    states = {row[0]: JobState(_word(row[1])) for row in _rows(answer) if len(row) > 1}
    # What the accounting takes for running, and the controller does not know, is over, too.
    return {
        number: known if (known := states.get(number)) and known.ended else JobState(GONE)
        for number in numbers
    }


def asked(command: list[str]) -> str:
    """The output of a program of Slurm.

    Raises:
        NoAnswer: it fails, or takes too long.
    """
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=ANSWER_WITHIN_S
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoAnswer(f"{error}") from error
    if done.returncode:
        raise NoAnswer(done.stderr.strip() or f"{command[0]} ended with {done.returncode}")
    return done.stdout


def _rows(answer: str) -> list[list[str]]:
    return [[part.strip() for part in line.split("|", 2)] for line in answer.splitlines() if line]


def _word(state: str) -> str:
    # sacct prints, for example, "CANCELLED by 1000".
    return state.partition(" ")[0].rstrip("+")


MORE_TIME = "Raise it with --on-option time=MINUTES, or lower measure.budget."

STATES: dict[str, tuple[FailureKind, str]] = {
    "TIMEOUT": ("timeout", MORE_TIME),
    "DEADLINE": ("timeout", MORE_TIME),
    "OUT_OF_MEMORY": (
        "oom-host",
        "Request more memory with --on-option mem=…, or use a smaller batch.",
    ),
    "CANCELLED": ("interrupted", "The next run measures it."),
}
"""States of a job that would be the same again → kind of the failure, and what to do."""

OVER_MEMORY = re.compile(r"exceeded (job )?memory limit|oom[-_ ]kill", re.IGNORECASE)
"""What Slurm writes into the output of a job that took more memory than it had asked for."""

LAST_BYTES = 500
"""So much of a job's output is looked at for its last line."""

LOOKS_AT_NEVER = 2
"""Observations in a row after which a reason for never starting a job is believed."""


@dataclass
class SlurmJob(NodeJob):
    """A submitted job.

    Attributes:
        job: submitit's.
        log: the file of its messages.
        state: how it stood in Slurm's queue when that was last asked for.
        never: so often in a row it waited for what does not happen by itself.
        over_at: when its end was observed, by the monotonic clock.
        through_at: when the end of its last cell was observed.
    """

    job: Any
    log: MessageLog
    state: JobState | None = None
    never: int = 0
    over_at: float | None = None
    through_at: float | None = None

    @property
    def number(self) -> str:
        """Its number in Slurm: `71`, or `71_3` for one of an array."""
        return f"{self.job.job_id}"

    @property
    def hopeless(self) -> bool:
        """Whether Slurm does not start it until the job or the cluster is changed."""
        return self.never >= LOOKS_AT_NEVER

    @property
    def ended(self) -> bool:
        """Whether it has ended in Slurm, by the last observation.

        A job that left no record of a cell may have ended in order and still be started again; then
        only the queue shows its state.
        """
        if self.cells:
            return self.hopeless or (self.state is not None and self.state.ended)
        tasks = [self.job.task(number) for number in range(self.job.num_tasks)]
        return all(task.paths.result_pickle.exists() for task in tasks)

    def update(self, state: JobState) -> None:
        """Take note of how it stands in the queue, unless that has ceased to matter."""
        if self.hopeless:
            return
        self.state = state
        self.never = self.never + 1 if state.never else 0
        if state.waits:  # where it had begun, Slurm has taken it back and starts it again
            self.began, self.crash = None, None

    def loss(self, folder: Path) -> LostCell:
        """Why it left no record of the cell that it measured.

        Args:
            folder: where its output is.
        """
        if self.state and self.hopeless:
            return LostCell(
                "no-device",
                f"Slurm does not start its job: {self.state.reason}.",
                final=True,
                remedy="Request what a node can provide, with --on-option such as time=MINUTES or "
                "partition=NAME, and run the same command again.",
            )
        state = (self.state.name if self.state else self.job.state) or "UNKNOWN"
        if self.crash and self.crash.time_is_up:
            state = "TIMEOUT"
        words = "" if state in STATES else self._last_words()
        if OVER_MEMORY.search(words):
            state = "OUT_OF_MEMORY"  # without cgroups Slurm calls it FAILED
        if state in STATES:
            kind, remedy = STATES[state]
            return LostCell(kind, f"Slurm ended its job: {state}.", final=True, remedy=remedy)
        where = f"The output of its job is in {folder}."
        if self.crash:
            message = f"Its job failed: {self.crash.message}"
            return LostCell("harness-error", message, remedy=where, traceback=self.crash.traceback)
        last = f" Its last output: {words}" if words else ""
        message = f"Its job ended without a record (state {state}).{last}"
        return LostCell("worker-lost", message, remedy=where)

    def _last_words(self) -> str:
        """The last line of its standard error, or of Slurm's for it; empty without any."""
        try:
            with self.job.task(0).paths.stderr.open("rb") as file:
                file.seek(max(0, file.seek(0, 2) - LAST_BYTES))
                lines = file.read().decode(errors="replace").split("\n")
        except OSError:
            return ""
        return next((line.strip() for line in reversed(lines) if line.strip()), "")


class NotCancelled(LauncherError):  # noqa: N818 -- reads as what it says
    """Slurm has not cancelled what it was to cancel."""

    exit_code = ExitCode.INTERRUPTED


def cancel(numbers: Iterable[str]) -> None:
    """Cancel jobs, or whole arrays by the number they begin with.

    Raises:
        NotCancelled: Slurm does not do it.
    """
    command = ["scancel", *sorted(numbers)]
    try:
        asked(command)
    except NoAnswer as error:
        raise NotCancelled(
            "Jobs of this run cannot be cancelled and continue to run.",
            why=f"{error}",
            remedy=f"Every finished cell is kept. Cancel the jobs with: {' '.join(command)}",
        ) from error
