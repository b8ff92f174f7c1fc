"""Cells on their way to Slurm: what a job asks for and is told, and arrays of jobs by submitit.

What is asked for comes from the device, the cells, and `--on-option`.
"""

from __future__ import annotations

import io
import logging
import math
import re
import subprocess
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import redirect_stderr
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from accelreport.backend.availability import needed_here
from accelreport.backend.distributed.tasks import processes
from accelreport.runner.launchers.base import BadLauncher, LauncherError
from accelreport.runner.launchers.node import NodeSettings
from accelreport.runner.launchers.slurm.jobs import SlurmJob
from accelreport.runner.launchers.slurm.worker import JobSpec, MessageLog, perform
from accelreport.runner.plan import Policy
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
        nodes = processes(device) if device.spread else 1
        return cls(kind, 0 if kind == "cpu" else needed_here(device), nodes)

    @property
    def name(self) -> str:
        """A name for files: `cpu`, `gpu-2`, `gpu-2-on-4`."""
        each = f"{self.kind}-{self.accelerators}" if self.accelerators else self.kind
        return f"{each}-on-{self.nodes}" if self.nodes > 1 else each


@dataclass(frozen=True)
class SlurmOptions:
    """What `--on-option` says.

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
    """Sort what `--on-option` says; names that are not accelreport's own are sbatch's.

    Raises:
        BadLauncher: a value cannot be used.
    """
    asked: dict[str, Scalar] = {}
    by_kind: dict[str, dict[str, Scalar]] = {}
    own = {"executor", "cells_per_job"}
    for key, value in options.items():
        kind, dot, name = key.partition(".")
        if dot and kind not in KINDS:
            raise _bad(key, f"a name before the dot is one of {', '.join(KINDS)}")
        if dot:
            by_kind.setdefault(kind, {})[_name(name)] = value
        elif key not in own:
            asked[_name(key)] = value
    executor, cells_per_job = options.get("executor", "slurm"), options.get("cells_per_job", 1)
    if executor not in EXECUTORS:
        raise _bad("executor", f"it is one of {', '.join(EXECUTORS)}")
    if isinstance(cells_per_job, bool) or not isinstance(cells_per_job, int) or cells_per_job < 1:
        raise _bad("cells_per_job", "it is a whole number from 1")
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
    told not to bind it. Its time is the sum of its cells' timeouts, unless `time` is asked for.

    Args:
        device_class: what the jobs run on.
        cells: the cells of the job that takes longest.
        asked: options of sbatch, by name.
        known: names that submitit has parameters for; others are handed to sbatch as they are.

    Raises:
        BadLauncher: `time` is no time.
    """
    seconds = sum(cell.measure.timeout for cell in cells) + MARGIN_S
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
            # Submitit has to know it, too, to tell a job whose time is up from a preempted one.
            chosen["slurm_time"] = minutes(value)
        elif name in known and not (name in AS_SAID and isinstance(value, str)):
            chosen[f"slurm_{name}"] = value
        else:
            more[name.replace("_", "-")] = value
    if more:
        chosen["slurm_additional_parameters"] = more
    # sbatch's switches are there or not: they take no "false".
    return {name: value for name, value in chosen.items() if not _off(name, value)}


def minutes(value: Scalar) -> int:
    """A time as sbatch takes it, in whole minutes.

    Raises:
        BadLauncher: it is none.
    """
    found = TIME.fullmatch(str(value))
    if found is None or isinstance(value, bool):
        raise _bad("time", "it is a time such as 90 (minutes), 1:30:00 or 1-12:00:00")
    first, second, third = (int(found[name] or 0) for name in ("first", "second", "third"))
    if found["days"]:
        return max(1, (int(found["days"]) * 24 + first) * 60 + second + math.ceil(third / 60))
    if found["third"]:
        return max(1, first * 60 + second + math.ceil(third / 60))
    return max(1, first + math.ceil(second / 60))


def _off(name: str, value: Any) -> bool:
    return value is False and name != "slurm_use_srun"


def _name(key: str) -> str:
    return key.replace("-", "_")


def _bad(key: str, why: str) -> BadLauncher:
    return BadLauncher(f"--on-option {key} cannot be used with --on slurm.", why=f"{why}.")


LONGEST_ARRAY = 1000
"""Jobs in one array: Slurm takes 1001 unless its administrator allows more (`MaxArraySize`)."""


class Submission:
    """Submits cells.

    Args:
        results: the results folder.
        policy: what counts as done.
        options: what `--on-option` says.
        settings: how nodes measure a cell.
    """

    def __init__(
        self, results: Path, policy: Policy, options: SlurmOptions, settings: NodeSettings
    ) -> None:
        self._results = results
        self._policy = policy
        self._options = options
        self._settings = settings
        self._orders = 0

    def submit(self, cells: Iterable[Cell], folder: Path) -> Iterator[SlurmJob]:
        """Submit jobs for cells, an array for each device class; yields them as they are taken.

        Args:
            cells: the cells.
            folder: for orders, messages and the jobs' output.

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
                some = chunks[first : first + LONGEST_ARRAY]
                yield from self._submit_array(device_class, some, folder / device_class.name)

    def _submit_array(
        self, device_class: DeviceClass, chunks: list[list[Cell]], folder: Path
    ) -> list[SlurmJob]:
        from submitit import AutoExecutor
        from submitit.slurm.slurm import SlurmExecutor

        _quiet_submitit()
        longest = max(chunks, key=lambda chunk: sum(cell.measure.timeout for cell in chunk))
        chosen = parameters(
            device_class,
            longest,
            self._options.of(device_class.kind),
            SlurmExecutor._valid_parameters(),
        )
        try:
            folder.mkdir(parents=True, exist_ok=True)
            executor = AutoExecutor(folder=folder, cluster=self._options.executor)
            executor.update_parameters(**chosen)
            orders = [self._order(folder, chunk) for chunk in chunks]
            # What sbatch complains of is told in the error, once.
            with redirect_stderr(io.StringIO()), executor.batch():
                jobs = [executor.submit(perform, *map(str, order)) for order in orders]
        except (RuntimeError, OSError, NameError, ValueError, subprocess.SubprocessError) as error:
            raise LauncherError(
                f"Slurm does not take the jobs of {device_class.name}.",
                why=f"{error}",
                remedy="Say what the cluster needs with --on-option, such as partition=NAME, "
                "time=MINUTES or gpu.gres=gpu:a100:1, or choose devices that it has with --device.",
            ) from error
        return [
            SlurmJob(job, {cell.key: cell for cell in chunk}, MessageLog(messages))
            for job, (_, messages), chunk in zip(jobs, orders, chunks, strict=True)
        ]

    def _order(self, folder: Path, chunk: list[Cell]) -> tuple[Path, Path]:
        """The files of a job's order and of its messages."""
        self._orders += 1
        path = folder / f"order-{self._orders}.json"
        messages = folder / f"messages-{self._orders}.jsonl"
        order = JobSpec(
            cells=chunk,
            results=str(self._results),
            policy=self._policy,
            settings=self._settings,
        )
        path.write_text(order.model_dump_json(), encoding="utf-8")
        return path, messages


def _quiet_submitit() -> None:
    """Keep submitit's words out of standard output, which is for people's and programs' eyes."""
    logger = logging.getLogger("submitit")
    for handler in list(logger.handlers):
        if isinstance(handler, logging.StreamHandler) and handler.stream is sys.stdout:
            logger.removeHandler(handler)
