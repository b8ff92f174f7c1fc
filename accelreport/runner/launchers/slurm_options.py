"""What a job asks Slurm for: from the device, the cells, and `--on-option`."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from accelreport.backend.availability import needed_here
from accelreport.backend.cluster.tasks import processes
from accelreport.runner.launchers.base import BadLauncher
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
