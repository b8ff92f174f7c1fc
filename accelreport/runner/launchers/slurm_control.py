"""What Slurm's controller is asked while jobs are followed: how they stand, and to cancel some."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable
from contextlib import suppress

from accelreport.errors import ExitCode
from accelreport.runner.launchers.base import LauncherError, Watch
from accelreport.runner.launchers.slurm_jobs import Job
from accelreport.runner.launchers.slurm_queue import NoAnswer, asked, standings, why_all_wait

ASK_EVERY_S = 10.0
"""How often Slurm is asked how the jobs stand, all of them at once."""

MORE_FOR_A_JOB_S = 0.01
"""The more jobs there are, the longer an answer is, and the less often it is asked for."""

AT_LEAST_EVERY_S = 120.0
"""A job that has ended is in the queue for `MinJobAge`, five minutes unless a cluster says else."""


class NotCancelled(LauncherError):  # noqa: N818 -- reads as what it says
    """Slurm has not cancelled what it was to cancel."""

    exit_code = ExitCode.INTERRUPTED


class Control:
    """Keeps `Job.standing` up to date."""

    def __init__(self) -> None:
        self._asked_at = time.monotonic()

    def look(self, jobs: Collection[Job], watch: Watch) -> None:
        """Ask how jobs stand, if it is time to, and cancel those that would never start.

        Args:
            jobs: all that are followed.
            watch: is told why no job runs.
        """
        left, now = [job for job in jobs if job.cells], time.monotonic()
        every_s = min(AT_LEAST_EVERY_S, ASK_EVERY_S + MORE_FOR_A_JOB_S * len(left))
        if not left or now - self._asked_at < every_s:
            return
        try:
            found = standings([job.number for job in left])
        except NoAnswer as error:
            if not any(job.began for job in jobs):
                watch.waiting(f"Slurm does not answer: {error}")
            return
        finally:
            self._asked_at = time.monotonic()
        for job in left:
            job.stands(found[job.number])
        if reason := why_all_wait(found.values()):
            watch.waiting(reason)
        if hopeless := [job.number for job in left if job.hopeless]:
            with suppress(NotCancelled):  # it does not start anyway
                cancel(hopeless)


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
            "Jobs of this run could not be cancelled: they go on.",
            why=f"{error}",
            remedy=f"Everything finished is kept. End them with: {' '.join(command)}",
        ) from error
