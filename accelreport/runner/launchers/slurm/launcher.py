"""Cells as jobs of Slurm, through submitit: arrays of jobs, one after the other device class.

Each job measures some cells on a node of its own and writes their records into the results
folder, which has to be on a disk that all nodes share (`worker`). This side submits and follows.
"""

from __future__ import annotations

import os
import select
import shutil
import signal
import time
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from itertools import count

import psutil

from accelreport.backend.distributed.tasks import NEEDS_CLUSTER
from accelreport.runner.launchers.base import CellListener, Finished, LauncherConfig, LauncherError
from accelreport.runner.launchers.node import (
    STOPPED,
    Completed,
    Crashed,
    LostCells,
    Message,
    NodeSettings,
    Reported,
    Started,
    Waits,
)
from accelreport.runner.launchers.slurm.jobs import Control, NotCancelled, SlurmJob, cancel
from accelreport.runner.launchers.slurm.submission import SlurmOptions, Submission, slurm_options
from accelreport.spec.cells import Cell
from accelreport.spec.device import Device

POLL_EVERY_S = 0.5
"""How often messages are looked for; less often with many jobs, to spare the shared disk."""

LATE_S = 10.0
"""Messages may be seen so much later on another machine than they were written on a node."""

CANCELLED_WITHIN_S = 2.0
"""What is heard of cancelled jobs within this is still told."""


def opened(config: LauncherConfig) -> SlurmLauncher:
    """The launcher `--on slurm`.

    Raises:
        BadLauncher: an option cannot be used.
        LauncherError: there is no Slurm here.
    """
    options = slurm_options(config.options)
    if options.executor == "slurm" and shutil.which("sbatch") is None:
        raise LauncherError(
            "There is no Slurm on this machine: sbatch is not found.",
            remedy="Run this on a login node of the cluster, or try it out on this machine with "
            "--on-option executor=local.",
        )
    return SlurmLauncher(config, options)


class SlurmLauncher:
    """Submits jobs and follows them.

    Args:
        config: what it is made for.
        options: what `--on-option` says.
        settings: how nodes measure a cell.
    """

    def __init__(
        self,
        config: LauncherConfig,
        options: SlurmOptions,
        settings: NodeSettings | None = None,
    ) -> None:
        self._results = config.results.resolve()
        self._options = options
        settings = settings or NodeSettings(fork=config.fork)
        self._submission = Submission(self._results, config.policy, options, settings)
        self._folder = self._results / "jobs"
        self._on_slurm = options.executor == "slurm"
        self._numbers = count()
        self._jobs: dict[int, SlurmJob] = {}  # many thousands come and go, in any order
        self._losses = LostCells()
        self._control = Control()

    @property
    def here(self) -> bool:
        """See `Launcher.here`."""
        return False

    def unavailable(self, devices: Mapping[str, Device]) -> dict[str, str | None]:
        """See `Launcher.unavailable`: only a node can find out what it has."""
        return {
            name: NEEDS_CLUSTER if device.spread and not self._on_slurm else None
            for name, device in devices.items()
        }

    def close(self) -> None:
        """See `Launcher.close`."""

    def measure_all(self, cells: Iterable[Cell], listener: CellListener) -> Generator[Finished]:
        """See `Launcher.measure_all`."""
        stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
        self._folder = self._results / "jobs" / stamp
        lost = False
        try:
            self._submit(cells)
            while self._jobs and not listener.stop:
                if self._on_slurm:
                    self._control.look(self._jobs.values(), listener)
                for number, job in list(self._jobs.items()):
                    over = self._over(job)
                    yield from self._heard(job, listener)
                    if over:
                        del self._jobs[number]
                        lost = lost or bool(job.cells)
                        if self._on_slurm and not job.ended:
                            # It lost a node, and Slurm would start it again for nothing.
                            with suppress(NotCancelled):
                                cancel([job.number])
                        yield from self._lost(job)
                if self._jobs:
                    self._pause(listener)
            if self._jobs:
                lost = True
                yield from self._stopped(listener)
        finally:
            with suppress(NotCancelled):  # what ended the run is the error to be told
                self._kill(self._cancel())
        if not lost:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _submit(self, cells: Iterable[Cell]) -> None:
        for job in self._submission.submit(cells, self._folder):
            self._jobs[next(self._numbers)] = job

    # Following ----------------------------------------------------------------------------

    def _over(self, job: SlurmJob) -> bool:
        """Whether a job has ended and every message of it is here.

        One whose cells are all through needs but a moment to end.
        """
        now, ended = time.monotonic(), job.ended if self._on_slurm else bool(job.job.done())
        if not job.cells:
            job.through_at = job.through_at or now
            return ended or now - job.through_at >= LATE_S
        job.over_at = (job.over_at or now) if ended else None
        late_s = LATE_S if self._on_slurm else 0.0
        return job.over_at is not None and now - job.over_at >= late_s

    def _heard(self, job: SlurmJob, listener: CellListener) -> Iterator[Finished]:
        for message in job.log.unread():
            yield from self._take(job, message, listener)

    def _take(self, job: SlurmJob, message: Message, listener: CellListener) -> Iterator[Finished]:
        match message:
            case Started() if message.key in job.cells:
                job.began, job.environment = message.key, message.environment
                listener.started(job.cells[message.key], message.environment.host)
            case Reported() if message.key in job.cells:
                listener.said(job.cells[message.key], message.says)
            case Waits():
                listener.waiting(f"on {message.host}: {message.reason}")
            case Crashed():
                job.crash = message
            case Completed(interrupted=True) if not listener.stop:
                pass  # by Slurm or a person, and Slurm knows why: see `_lost`
            case Completed() if job.cells.pop(message.record.key, None) is not None:
                job.began = ""
                yield Finished(message.record, stored=True)

    def _pause(self, listener: CellListener) -> None:
        """Wait a little, the longer the more jobs there are, or until stopping is asked for."""
        until = time.monotonic() + min(5.0, POLL_EVERY_S + len(self._jobs) / 500)
        while not listener.stop and (left := until - time.monotonic()) > 0:
            listener.tick()
            select.select([listener.stop.fileno()], [], [], min(left, POLL_EVERY_S))

    # When something ends ------------------------------------------------------------------

    def _lost(self, job: SlurmJob) -> Iterator[Finished]:
        """The failures of cells whose job ended without their records; the others go again."""
        if not job.cells:
            return
        loss = job.loss(self._folder)
        again: list[Cell] = []
        for key, cell in job.cells.items():
            if job.began not in {"", key} and loss.kind != "interrupted":
                again.append(cell)  # it was not its turn
            elif finished := self._losses.of(cell, loss, job.environment):
                yield finished
            else:
                again.append(cell)
        if again:
            self._submit(again)

    def _stopped(self, listener: CellListener) -> Iterator[Finished]:
        """What is still heard of jobs that are cancelled because the run is stopped.

        Raises:
            NotCancelled: they are not, and go on.
        """
        jobs = self._cancel()
        until = time.monotonic() + CANCELLED_WITHIN_S
        while any(map(self._ending, jobs)) and time.monotonic() < until:
            time.sleep(0.05)
            for job in jobs:
                yield from self._heard(job, listener)
        for job in jobs:
            cell = job.cells.get(job.began)
            if cell and (finished := self._losses.of(cell, STOPPED, job.environment)):
                yield finished
        self._kill(jobs)

    def _ending(self, job: SlurmJob) -> bool:
        """Whether a job that was cancelled may still tell something."""
        if self._options.executor == "local":
            return not job.job.done()
        return bool(job.began)

    def _cancel(self) -> list[SlurmJob]:
        """Cancel every job that is not over; returns them."""
        jobs, self._jobs = list(self._jobs.values()), {}
        if jobs and self._on_slurm:
            cancel({job.number.partition("_")[0] for job in jobs})
            return jobs
        for job in self._here(jobs):
            # Not submitit's SIGINT, which is ignored wherever a shell started us in the background.
            os.kill(int(job.job.job_id), signal.SIGTERM)
        return jobs

    def _here(self, jobs: Iterable[SlurmJob]) -> list[SlurmJob]:
        """Jobs that are processes of this machine and have not ended, or nobody knows of it."""
        local = self._options.executor == "local"
        return [job for job in jobs if local and not job.job.done()]

    def _kill(self, jobs: Iterable[SlurmJob]) -> None:
        """End what is left on this machine of jobs that did not heed their cancelling."""
        for job in self._here(jobs):
            with suppress(psutil.NoSuchProcess):
                leader = psutil.Process(int(job.job.job_id))
                left = [leader, *leader.children(recursive=True)]
                for process in left:
                    with suppress(psutil.NoSuchProcess):
                        process.kill()
                psutil.wait_procs(left, timeout=CANCELLED_WITHIN_S)
            job.job.done()  # takes note of the end
