"""Cells as jobs of Slurm, through submitit: what a job asks for, and arrays of jobs in order.

Each job measures some cells on a node of its own and writes their records into the results
folder, which has to be on a disk that all nodes share (`worker`). This side submits and follows.

What is asked for comes from the device, the cells, and `--on-option`.
"""

from __future__ import annotations

import io
import logging
import math
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping
from contextlib import redirect_stderr, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

import psutil

from accelreport.backend.availability import needed_here, no_device
from accelreport.backend.distributed.tasks import NEEDS_CLUSTER
from accelreport.results.record import Failure
from accelreport.runner.launchers.base import (
    BadLauncher,
    CellListener,
    Finished,
    LauncherConfig,
    LauncherError,
)
from accelreport.runner.launchers.node import Completed, LostCells, NodeSettings
from accelreport.runner.launchers.slurm.jobs import (
    NoAnswer,
    NotCancelled,
    SlurmJob,
    cancel,
    job_states,
    why_all_wait,
)
from accelreport.runner.launchers.slurm.worker import JobSpec, MessageLog, perform
from accelreport.spec.base import Scalar
from accelreport.spec.cells import Cell
from accelreport.spec.device import Device

EXECUTORS = ("slurm", "local", "debug")
"""Submitit's executors: Slurm itself; processes of this machine; this very process."""

KINDS = ("cpu", "gpu", "tpu")

MARGIN_S = 300.0
"""What a job may take beside its cells: Python starts, TensorFlow is imported, disks are slow."""

AS_SAID = {"mem"}
"""Keys whose texts, such as `32G`, only sbatch itself can read."""

TIME = re.compile(r"(?:(?P<days>\d+)-)?(?P<first>\d+)(?::(?P<second>\d+))?(?::(?P<third>\d+))?")
"""Slurm's forms of a time: `90`, `90:00`, `1:30:00`, `1-12`, `1-12:00`, `1-12:00:00`."""

LINES = {"setup", "teardown", "srun_args"}
"""Keys of which submitit takes a list: lines of the job's script, and arguments."""

UNBOUND = "--cpu-bind=none"
"""Has `srun` leave each process all processors of its node."""

GPU_KEYS = {"gres", "gpus", "gpus_per_node", "gpus_per_task"}
"""Keys that say which GPUs a job gets, instead of accelreport."""


@dataclass(frozen=True)
class DeviceClass:
    """Devices whose cells ask for the same nodes; each class has arrays of its own.

    Attributes:
        kind: cpu, gpu or tpu.
        accelerators: how many of them on one node.
        nodes: how many nodes one cell needs; on each is one of its processes.
    """

    kind: str
    accelerators: int
    nodes: int = 1

    @classmethod
    def of(cls, device: Device) -> DeviceClass:
        """The class of a device."""
        kind = device.kind.lower()
        nodes = device.workers if device.spread else 1
        return cls(kind, 0 if kind == "cpu" else needed_here(device), nodes)

    @property
    def name(self) -> str:
        """A name for files: `cpu`, `gpu-2`, `gpu-2-on-4`."""
        resource = f"{self.kind}-{self.accelerators}" if self.accelerators else self.kind
        return f"{resource}-on-{self.nodes}" if self.nodes > 1 else resource


@dataclass(frozen=True)
class SlurmOptions:
    """The values of `--on-option`.

    Attributes:
        executor: one of `EXECUTORS`.
        cells_per_job: so many cells are measured by one job, one after the other.
        asked: options of sbatch for all jobs.
        asked_by_kind: options of sbatch for the jobs of one kind of device.
    """

    executor: str = "slurm"
    cells_per_job: int = 1
    asked: Mapping[str, Scalar] = field(default_factory=dict)
    asked_by_kind: Mapping[str, Mapping[str, Scalar]] = field(default_factory=dict)

    def of(self, kind: str) -> dict[str, Scalar]:
        """Options of sbatch for the jobs of a kind of device."""
        return {**self.asked, **self.asked_by_kind.get(kind, {})}


def slurm_options(options: Mapping[str, Scalar]) -> SlurmOptions:
    """Sort the values of `--on-option`; names that are not accelreport's own are sbatch's.

    Raises:
        BadLauncher: a value cannot be used.
    """
    asked: dict[str, Scalar] = {}
    by_kind: dict[str, dict[str, Scalar]] = {}
    own = {"executor", "cells_per_job"}
    for key, value in options.items():
        kind, dot, name = key.replace("-", "_").partition(".")
        if dot and kind not in KINDS:
            raise _bad(key, f"the name before the dot must be one of {', '.join(KINDS)}")
        if dot:
            by_kind.setdefault(kind, {})[name] = value
        elif key not in own:
            asked[kind] = value
    executor, cells_per_job = options.get("executor", "slurm"), options.get("cells_per_job", 1)
    if executor not in EXECUTORS:
        raise _bad("executor", f"it must be one of {', '.join(EXECUTORS)}")
    if isinstance(cells_per_job, bool) or not isinstance(cells_per_job, int) or cells_per_job < 1:
        raise _bad("cells_per_job", "it must be a whole number of at least 1")
    return SlurmOptions(str(executor), cells_per_job, asked, by_kind)


def parameters(
    device_class: DeviceClass,
    cells: Iterable[Cell],
    asked: Mapping[str, Scalar],
    known: Collection[str],
) -> dict[str, Any]:
    """What submitit's `update_parameters` takes for the jobs of a class.

    A job has its node to itself and is one process without `srun`, which would bind it to a
    part of the node. Where a cell needs several nodes, `srun` starts a process on each, and is
    told not to bind it. Its time is the sum of its cells' limits, unless `time` is given.

    Args:
        device_class: what the jobs run on.
        cells: the cells of the job that takes longest.
        asked: options of sbatch, by name.
        known: names that submitit has parameters for; others are handed to sbatch as they are.

    Raises:
        BadLauncher: `time` is no time.
    """
    seconds = sum(cell.measure.limit_s for cell in cells) + MARGIN_S
    chosen: dict[str, Any] = {
        "name": "accelreport",
        "nodes": device_class.nodes,
        "tasks_per_node": 1,
        "timeout_min": math.ceil(seconds / 60),
        "slurm_exclusive": True,
        "slurm_use_srun": device_class.nodes > 1,
    }
    if device_class.nodes > 1:
        chosen["slurm_srun_args"] = [UNBOUND]
    if device_class.kind == "gpu" and not GPU_KEYS & set(asked):
        chosen["slurm_gpus_per_node"] = device_class.accelerators
    more: dict[str, Scalar] = {}
    for name, value in asked.items():
        if name in LINES:
            chosen[f"slurm_{name}"] = [*chosen.get(f"slurm_{name}", []), str(value)]
        elif name == "time":
            # Submitit needs it, too, to distinguish a job whose time is up from a preempted one.
            chosen["slurm_time"] = minutes(value)
        elif name in known and not (name in AS_SAID and isinstance(value, str)):
            chosen[f"slurm_{name}"] = value
        else:
            more[name.replace("_", "-")] = value
    if more:
        chosen["slurm_additional_parameters"] = more
    # sbatch's switches are there or not: they take no "false".
    return {k: value for k, value in chosen.items() if value is not False or k == "slurm_use_srun"}


def minutes(value: Scalar) -> int:
    """A time as sbatch takes it, in whole minutes.

    Raises:
        BadLauncher: it is none.
    """
    match = TIME.fullmatch(str(value))
    if match is None or isinstance(value, bool):
        raise _bad("time", "it must be a time such as 90 (minutes), 1:30:00 or 1-12:00:00")
    first, second, third = (int(match[name] or 0) for name in ("first", "second", "third"))
    if match["days"]:
        return max(1, (int(match["days"]) * 24 + first) * 60 + second + math.ceil(third / 60))
    if match["third"]:
        return max(1, first * 60 + second + math.ceil(third / 60))
    return max(1, first + math.ceil(second / 60))


def _bad(key: str, why: str) -> BadLauncher:
    return BadLauncher(f"--on-option {key} cannot be used with --on slurm.", why=f"{why}.")


LONGEST_ARRAY = 1000
"""Jobs in one array: Slurm takes 1001 unless its administrator allows more (`MaxArraySize`)."""

ASK_EVERY_S = 10.0
"""How often Slurm is asked how the jobs stand, all of them at once."""

MORE_FOR_A_JOB_S = 0.01
"""The more jobs there are, the longer an answer is, and the less often it is asked for."""

AT_LEAST_EVERY_S = 120.0
"""A job that has ended stays in the queue for `MinJobAge`, by default five minutes."""

POLL_EVERY_S = 0.5
"""How often messages are looked for; less often with many jobs, to spare the shared disk."""

LATE_S = 10.0
"""Delay until a message that was written on a node is visible on another machine."""

CANCELLED_WITHIN_S = 2.0
"""Time within which messages of cancelled jobs are still passed on."""


def opened(config: LauncherConfig) -> SlurmLauncher:
    """The launcher `--on slurm`.

    Raises:
        BadLauncher: an option cannot be used.
        LauncherError: there is no Slurm here.
    """
    options = slurm_options(config.options)
    if options.executor == "slurm" and shutil.which("sbatch") is None:
        raise LauncherError(
            "This machine has no Slurm: sbatch is not found.",
            remedy="Run this on a login node of the cluster, or try it on this machine with "
            "--on-option executor=local.",
        )
    return SlurmLauncher(config, options)


class SlurmLauncher:
    """Submits jobs and follows them.

    Args:
        config: what it is made for.
        options: the values of `--on-option`.
        settings: how nodes measure a cell.
    """

    here = False
    """See `Launcher.here`."""

    def __init__(
        self,
        config: LauncherConfig,
        options: SlurmOptions,
        settings: NodeSettings | None = None,
    ) -> None:
        self._results = config.results.resolve()
        self._policy = config.policy
        self._options = options
        self._settings = settings or NodeSettings(fork=config.fork)
        self._folder = self._results / "jobs"
        self._on_slurm = options.executor == "slurm"
        self._numbers, self._orders = count(), count(1)
        self._jobs: dict[int, SlurmJob] = {}  # many thousands come and go, in any order
        self._losses = LostCells()
        self._asked_at = time.monotonic()

    def unavailable(self, devices: Mapping[str, Device]) -> dict[str, Failure | None]:
        """See `Launcher.unavailable`: only a node can find out what it has."""
        return {
            name: no_device(NEEDS_CLUSTER) if device.spread and not self._on_slurm else None
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
                    self._look(listener)
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
                # A little pause, the longer the more jobs there are.
                until = time.monotonic() + min(5.0, POLL_EVERY_S + len(self._jobs) / 500)
                while self._jobs and not listener.stop and (left := until - time.monotonic()) > 0:
                    listener.tick()
                    select.select([listener.stop.fileno()], [], [], min(left, POLL_EVERY_S))
            if self._jobs:
                lost = True
                yield from self._stopped(listener)
        finally:
            with suppress(NotCancelled):  # the error that ended the run is reported instead
                self._kill(self._cancel())
        if not lost:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _submit(self, cells: Iterable[Cell]) -> None:
        """Submit jobs for cells, arrays of them for each device class.

        Raises:
            LauncherError: Slurm does not take them.
        """
        classes: dict[DeviceClass, list[Cell]] = {}
        for cell in cells:
            classes.setdefault(DeviceClass.of(cell.device_spec), []).append(cell)
        for device_class, those in classes.items():
            # The processes of two spread cells, one after the other, would meet on their ports.
            size = 1 if device_class.nodes > 1 else self._options.cells_per_job
            chunks = [those[first : first + size] for first in range(0, len(those), size)]
            for first in range(0, len(chunks), LONGEST_ARRAY):
                for job in self._submit_array(device_class, chunks[first : first + LONGEST_ARRAY]):
                    self._jobs[next(self._numbers)] = job

    def _submit_array(self, device_class: DeviceClass, chunks: list[list[Cell]]) -> list[SlurmJob]:
        from submitit import AutoExecutor
        from submitit.slurm.slurm import SlurmExecutor

        logger = logging.getLogger("submitit")
        for handler in list(logger.handlers):
            # Standard output is for people's and programs' eyes.
            if isinstance(handler, logging.StreamHandler) and handler.stream is sys.stdout:
                logger.removeHandler(handler)
        longest = max(chunks, key=lambda chunk: sum(cell.measure.limit_s for cell in chunk))
        asked = self._options.of(device_class.kind)
        chosen = parameters(device_class, longest, asked, SlurmExecutor._valid_parameters())
        folder = self._folder / device_class.name
        try:
            folder.mkdir(parents=True, exist_ok=True)
            executor = AutoExecutor(folder=folder, cluster=self._options.executor)
            executor.update_parameters(**chosen)
            orders = [self._order(folder, chunk) for chunk in chunks]
            # The error has sbatch's own message, once.
            with redirect_stderr(io.StringIO()), executor.batch():
                jobs = [executor.submit(perform, *map(str, order)) for order in orders]
        except (RuntimeError, OSError, NameError, ValueError, subprocess.SubprocessError) as error:
            raise LauncherError(
                f"Slurm rejects the jobs of {device_class.name}.",
                why=f"{error}",
                remedy="Add what the cluster requires with --on-option, such as partition=NAME, "
                "time=MINUTES or gpu.gres=gpu:a100:1, or choose other devices with --device.",
            ) from error
        return [
            SlurmJob({cell.key: cell for cell in chunk}, job, MessageLog(messages))
            for job, (_, messages), chunk in zip(jobs, orders, chunks, strict=True)
        ]

    def _order(self, folder: Path, cells: list[Cell]) -> tuple[Path, Path]:
        """The files of a job's order and of its messages."""
        number = next(self._orders)
        path, messages = folder / f"order-{number}.json", folder / f"messages-{number}.jsonl"
        order = JobSpec(
            cells=cells, results=str(self._results), policy=self._policy, settings=self._settings
        )
        path.write_text(order.model_dump_json(), encoding="utf-8")
        return path, messages

    # Following ----------------------------------------------------------------------------

    def _look(self, listener: CellListener) -> None:
        """Ask how jobs stand, if it is time to, and cancel those that would never start."""
        left, now = [job for job in self._jobs.values() if job.cells], time.monotonic()
        every_s = min(AT_LEAST_EVERY_S, ASK_EVERY_S + MORE_FOR_A_JOB_S * len(left))
        if not left or now - self._asked_at < every_s:
            return
        try:
            states = job_states([job.number for job in left])
        except NoAnswer as error:
            if not any(job.began for job in self._jobs.values()):
                listener.waiting(f"Slurm does not answer: {error}")
            return
        finally:
            self._asked_at = time.monotonic()
        for job in left:
            job.update(states[job.number])
        if reason := why_all_wait(states.values()):
            listener.waiting(reason)
        if hopeless := [job.number for job in left if job.hopeless]:
            with suppress(NotCancelled):  # it does not start anyway
                cancel(hopeless)

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
            if isinstance(message, Completed) and message.interrupted and not listener.stop:
                continue  # by Slurm or a person, and Slurm knows why: see `_lost`
            if finished := job.take(message, listener):
                yield replace(finished, stored=True)

    # When something ends ------------------------------------------------------------------

    def _lost(self, job: SlurmJob) -> Iterator[Finished]:
        """The failures of cells whose job ended without their records; the others go again."""
        if not job.cells:
            return
        loss = job.loss(self._folder)
        turn = job.began if loss.kind != "interrupted" else None
        failed, again = job.lost(loss, [turn] if turn else job.cells.values(), self._losses)
        yield from failed
        if again:
            self._submit(again)

    def _stopped(self, listener: CellListener) -> Iterator[Finished]:
        """What is still heard of jobs that are cancelled because the run is stopped.

        Raises:
            NotCancelled: they are not, and go on.
        """
        jobs = self._cancel()
        until = time.monotonic() + CANCELLED_WITHIN_S
        local = self._options.executor == "local"
        while time.monotonic() < until and any(
            not job.job.done() if local else job.began is not None for job in jobs
        ):
            time.sleep(0.05)
            for job in jobs:
                yield from self._heard(job, listener)
        for job in jobs:
            if finished := job.stopped(self._losses):
                yield finished
        self._kill(jobs)

    def _cancel(self) -> list[SlurmJob]:
        """Cancel every job that is not over; returns them."""
        jobs, self._jobs = list(self._jobs.values()), {}
        if jobs and self._on_slurm:
            cancel({job.number.partition("_")[0] for job in jobs})
            return jobs
        for job in self._here(jobs):
            # Not submitit's SIGINT, which processes in the background of a shell ignore.
            os.kill(int(job.job.job_id), signal.SIGTERM)
        return jobs

    def _here(self, jobs: Iterable[SlurmJob]) -> list[SlurmJob]:
        """Jobs that are processes of this machine and whose end is not known."""
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
