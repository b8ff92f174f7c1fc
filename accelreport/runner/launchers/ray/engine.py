"""A Ray cluster: what its nodes have, what is asked of one, and the calls to Ray itself."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import ValidationError

from accelreport._version import __version__
from accelreport.backend.availability import needed_here
from accelreport.backend.failures import OUT_OF_MEMORY_REMEDY
from accelreport.results.privacy import NODES
from accelreport.runner.launchers.base import BadLauncher, LauncherError
from accelreport.runner.launchers.node import LostCell
from accelreport.runner.launchers.ray import worker
from accelreport.runner.launchers.ray.worker import About, Messages
from accelreport.spec.base import Scalar
from accelreport.spec.device import Device


@dataclass(frozen=True)
class RayNode:
    """A node of a Ray cluster.

    Attributes:
        id: Ray's number of it.
        host: its name.
        resources: what it has in all, by Ray's names.
        refused: why it measures nothing; empty when it does.
        threads: logical processors that a process may use there.
        address: where other nodes reach it.
        lacking: frameworks that are not there, and why, in a sentence.
    """

    id: str
    host: str
    resources: Mapping[str, float]
    refused: str = ""
    threads: int = 0
    address: str = ""
    lacking: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Demand:
    """What a cell asks Ray for: the whole of a node's CPUs, so that it is alone there.

    Attributes:
        cpus: all of the node's.
        gpus: the GPUs of the device.
        more: further resources.
    """

    cpus: float
    gpus: float = 0
    more: Mapping[str, float] = field(default_factory=dict)


def checked(node: RayNode, about: About | str) -> RayNode:
    """The node, refused where it cannot measure.

    Args:
        node: the node, as Ray lists it.
        about: its description of itself, or why there is none.
    """
    if isinstance(about, str):
        return replace(node, refused=about)
    reason = "" if node.resources.get("CPU", 0) >= 1 else "it offers no CPU"
    if about.accelreport != __version__:
        reason = f"it has accelreport {about.accelreport}, but this machine has {__version__}"
    return replace(node, refused=reason, threads=about.threads, lacking=about.lacking)


def lack(node: RayNode, device: Device, asked: Mapping[str, float]) -> str:
    """Why a device cannot run on a node; empty when it can.

    Args:
        node: the node.
        device: the device.
        asked: resources that `--on-option resource.NAME=AMOUNT` asks for besides.
    """
    if node.refused:
        return node.refused
    if missing := node.lacking.get(device.framework):
        return f"{missing} there"
    for name, amount in asked.items():
        if node.resources.get(name, 0) < amount:
            return f"it has {node.resources.get(name, 0):g} {name}, but {amount:g} is required"
    if device.threads is not None and device.threads > node.threads:
        return f"{device.threads} threads are needed, but it has {node.threads}"
    if device.kind == "CPU" or device.address:
        return ""
    # Ray's resource has the name of the kind.
    needed, has = needed_here(device), node.resources.get(device.kind, 0)
    return "" if has >= needed else f"{needed} {device.kind} needed, but it has {has:g}"


def demand(node: RayNode, device: Device, asked: Mapping[str, float]) -> Demand:
    """What a cell of a device asks for on a node that lacks nothing."""
    more = dict(asked)
    if device.kind == "TPU" and not device.address:
        more["TPU"] = node.resources["TPU"]
    gpus = needed_here(device) if device.kind == "GPU" else 0
    return Demand(node.resources["CPU"], gpus, more)


def asked_resources(options: Mapping[str, Scalar]) -> dict[str, float]:
    """Ray's resources that `--on-option resource.NAME=AMOUNT` asks for.

    Raises:
        BadLauncher: an option is not of that form.
    """
    resources: dict[str, float] = {}
    for key, value in options.items():
        if key == "address":  # of the cluster, which `RayEngine` reads
            continue
        prefix, _, name = key.partition(".")
        if prefix != "resource" or not name:
            raise BadLauncher(
                f"--on-option {key}: --on ray has no such option.",
                remedy="address=HOST:PORT names the cluster's head node, and "
                "resource.NAME=AMOUNT selects nodes with that resource.",
            )
        if name in {"CPU", "GPU", "memory"}:
            raise BadLauncher(
                f"--on-option {key} cannot be used.",
                why="A cell always gets all CPUs of its node and the accelerators of its device.",
            )
        if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
            raise BadLauncher(f"--on-option {key}={value}: the amount must be a number above 0.")
        resources[name] = float(value)
    return resources


SILENT = "it has not answered yet"
"""Why a node that has just joined, or hangs, measures nothing."""

Task = Any
"""A generator of references to what a task yields, `ray.ObjectRefGenerator`."""

OWN_SETTINGS = {"RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0", "RAY_USAGE_STATS_ENABLED": "0"}
"""Variables of a Ray that is started here. Cells without a GPU find the same environment as in a
local run, and no usage statistics are sent."""


class RayEngine:
    """A connection to a Ray cluster, or to a Ray that was started here for it.

    Args:
        address: of the head node; empty for `RAY_ADDRESS`, and without that a Ray of its own.

    Raises:
        LauncherError: it cannot be reached.
    """

    def __init__(self, address: str) -> None:
        import ray

        self._ray: Any = ray
        self._measure: Any = ray.remote(worker.measure)
        self._about: Any = ray.remote(worker.about)
        self._known: dict[str, RayNode] = {}
        self._asked: dict[str, Any] = {}
        address = address or os.environ.get("RAY_ADDRESS", "")
        if "://" in address:
            raise LauncherError(
                f"Ray's client cannot be used ({address}).",
                why="A Ray client does not receive what a task reports while it runs.",
                remedy="Run this on a machine of the cluster, with --on-option address=auto.",
            )
        self._own = not ray.is_initialized()
        if not self._own:
            return
        for name, value in OWN_SETTINGS.items():
            os.environ.setdefault(name, value)
        own: dict[str, Any] = {} if address else {"include_dashboard": False}
        try:
            self._ray.init(
                address=address or "local",
                log_to_driver=False,
                logging_level=logging.ERROR,
                **own,
            )
        except (ConnectionError, RuntimeError, ValueError, OSError) as error:
            raise LauncherError(
                f"The Ray cluster at {address} cannot be reached."
                if address
                else "Ray cannot be started.",
                why=f"{error}",
                remedy="Check it with: ray status",
            ) from error

    def nodes(self, within_s: float = 0.0) -> list[RayNode]:
        """The nodes that are alive, with their descriptions; new nodes are asked for one.

        Args:
            within_s: how long answers are waited for. A node that has not answered is refused
                until it has.
        """
        alive = {
            str(row["NodeID"]): RayNode(
                str(row["NodeID"]),
                str(row["NodeManagerHostname"]),
                dict(row["Resources"]),
                address=str(row["NodeManagerAddress"]),
            )
            for row in self._ray.nodes()
            if row["Alive"]
        }
        for id_, node in alive.items():
            NODES.update({node.host, node.address})
            if id_ not in self._known and id_ not in self._asked:
                self._asked[id_] = self._about.options(
                    num_cpus=0, max_retries=0, scheduling_strategy=self._on(node)
                ).remote()
        self._asked = {id_: task for id_, task in self._asked.items() if id_ in alive}
        tasks = list(self._asked.values())
        if tasks:
            self._ray.wait(tasks, num_returns=len(tasks), timeout=within_s)
        for id_, task in list(self._asked.items()):
            if answer := self._answer(task):
                self._known[id_] = checked(alive[id_], answer)
                del self._asked[id_]
        return [self._known.get(id_) or checked(node, SILENT) for id_, node in alive.items()]

    def _answer(self, task: Any) -> About | str | None:
        try:
            return About.model_validate_json(self._ray.get(task, timeout=0))
        except self._ray.exceptions.GetTimeoutError:
            return None
        except (self._ray.exceptions.RayError, ValidationError) as error:
            return f"accelreport does not work there: {_last_line(error)}"

    def _on(self, node: RayNode) -> Any:
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        return NodeAffinitySchedulingStrategy(node.id, soft=False)

    def start(self, cells: list[str], settings: str, node: RayNode, demand: Demand) -> Task:
        """Start a task; see `worker.measure`."""
        return self._measure.options(
            num_cpus=demand.cpus,
            num_gpus=demand.gpus,
            resources=dict(demand.more) or None,
            scheduling_strategy=self._on(node),
            max_retries=0,
        ).remote(cells, settings)

    def ready(self, tasks: Sequence[Task], within_s: float) -> list[Task]:
        """Tasks with messages, as soon as there is one; none after `within_s` seconds."""
        first, rest = self._ray.wait(list(tasks), num_returns=1, timeout=within_s)
        if not first or not rest:
            return list(first)
        more, _ = self._ray.wait(rest, num_returns=len(rest), timeout=0)
        return [*first, *more]

    def hear(self, task: Task) -> Messages | LostCell:
        """The messages of a ready task, or why it sends no more."""
        failures = self._ray.exceptions
        try:
            messages: Messages = self._ray.get(next(task))
        except StopIteration:
            return LostCell("worker-lost", "Its Ray task ended without a result.", explained=True)
        except failures.OutOfMemoryError as error:
            return LostCell(
                "oom-host",
                "Ray ended its worker because the node ran out of memory.",
                final=True,
                remedy=OUT_OF_MEMORY_REMEDY,
                traceback=str(error),
            )
        except failures.RayTaskError as error:
            return LostCell(
                "harness-error",
                f"Its Ray task failed: {_last_line(error)}",
                traceback=str(error),
                explained=True,
            )
        except failures.RayError as error:
            return LostCell(
                "worker-lost",
                f"Its Ray worker or node was lost ({type(error).__name__}).",
                remedy="--retry-failed tries again.",
                traceback=str(error),
                machine_too=not isinstance(
                    error, failures.WorkerCrashedError | failures.ActorDiedError
                ),
            )
        return messages

    def end(self, tasks: Sequence[Task]) -> None:
        """Kill the workers of tasks, and with them what they measure."""
        for task in tasks:
            self._ray.cancel(task, force=True)

    def close(self) -> None:
        """Disconnect, and end a Ray that was started here."""
        if self._own:
            self._ray.shutdown()


def _last_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1][:300] if lines else type(error).__name__
