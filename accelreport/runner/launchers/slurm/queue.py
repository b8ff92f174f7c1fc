"""How jobs stand in Slurm's queue, asked for all of them at once.

`squeue` answers from the controller's memory, where every job stays some minutes after its end
(`MinJobAge`), with accounting or without. Only a job that is not there any more is looked up in
the accounting, `sacct`. That would not do alone: it is not there on every cluster, and it calls
a job over that Slurm has lost with its node and is about to start again.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

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
"""States from which a job does not come back; where Slurm starts it again, it says PENDING."""

WAITING = {"PENDING", "CONFIGURING", "REQUEUED", "REQUEUE_HOLD", "SPECIAL_EXIT"}

ORDINARY = {"None", "Priority", "Resources", "BeginTime", "JobArrayTaskLimit"}
"""Reasons for waiting that end when others' jobs do."""

NEVER = re.compile(
    r"PartitionTimeLimit|PartitionNodeLimit|BadConstraints|DependencyNeverSatisfied"
    r"|AccountNotAllowed|QOSNotAllowed|InvalidAccount|InvalidQOS|(Assoc|QOS)\w*PerJob\w*"
)
"""Reasons for which Slurm starts no job, as long as nobody changes the job or the cluster."""

ANSWER_WITHIN_S = 30.0


class NoAnswer(Exception):  # noqa: N818 -- reads as what it says
    """Slurm cannot be asked at the moment."""


@dataclass(frozen=True)
class JobState:
    """How a job stands.

    Attributes:
        state: in Slurm's words, such as `PENDING`.
        reason: why it waits, in Slurm's words.
    """

    state: str
    reason: str = ""

    @property
    def ended(self) -> bool:
        """Whether it is over."""
        return self.state in ENDED

    @property
    def waits(self) -> bool:
        """Whether it has no node yet, or none any more."""
        return self.state in WAITING

    @property
    def never(self) -> bool:
        """Whether it waits for what does not happen by itself."""
        return self.waits and NEVER.match(self.reason) is not None


def standings(numbers: Collection[str]) -> dict[str, JobState]:
    """How jobs stand.

    Args:
        numbers: the jobs, as submitit has them: `71`, or `71_3` for one of an array.

    Raises:
        NoAnswer: the controller cannot be asked.
    """
    jobs = ",".join(sorted({number.partition("_")[0] for number in numbers}))
    columns = "--format=%i|%T|%r"
    try:
        told = asked(["squeue", "-h", "--array", "--states=all", columns, f"--jobs={jobs}"])
    except NoAnswer as error:
        if "Invalid job id" not in str(error):
            raise
        told = ""  # squeue knows none of them
    found = {number: JobState(_word(state), reason) for number, state, reason in _rows(told)}
    gone = [number for number in numbers if number not in found]
    return {**found, **(_remembered(gone) if gone else {})}


def why_all_wait(all_standing: Iterable[JobState]) -> str:
    """Why nothing runs, for a person; empty where something does, or nothing is left."""
    left = [standing for standing in all_standing if not standing.ended]
    if not left or not all(standing.waits for standing in left):
        return ""
    uncommon = sorted({standing.reason for standing in left} - ORDINARY)
    said = f", which says: {'; '.join(uncommon)}" if uncommon else ""
    return f"no job runs: all wait for nodes of Slurm{said}"


def _remembered(numbers: Collection[str]) -> Mapping[str, JobState]:
    """How jobs ended that the controller has forgotten; `GONE` where nobody knows."""
    jobs = ",".join(sorted({number.partition("_")[0] for number in numbers}))
    try:
        told = asked(["sacct", "-n", "-X", "-P", "-o", "JobID,State", "-j", jobs])
    except NoAnswer:  # most often: the cluster keeps no accounts
        told = ""
    found = {row[0]: JobState(_word(row[1])) for row in _rows(told) if len(row) > 1}
    # What the accounting takes for running, and the controller does not know, is over, too.
    return {
        number: known if (known := found.get(number)) and known.ended else JobState(GONE)
        for number in numbers
    }


def asked(command: list[str]) -> str:
    """What a program of Slurm's says.

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


def _rows(told: str) -> list[list[str]]:
    return [[part.strip() for part in line.split("|", 2)] for line in told.splitlines() if line]


def _word(state: str) -> str:
    # sacct says, for instance, "CANCELLED by 1000".
    return state.partition(" ")[0].rstrip("+")
