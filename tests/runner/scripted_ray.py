"""A run of scripted cells through Ray as a process of its own, to be killed and interrupted.

    python -m tests.runner.scripted_ray FOLDER CELLS STEP_SECONDS [DO] [--two-nodes]

With `--two-nodes` the cells are those of a CPU, of a GPU and of a TPU, and Ray has two nodes, of
which one has a GPU, or so it says. Writes `start KEY` and `end KEY STATUS` as cells start and end.
With `--starved` Ray takes the node for one without memory and ends the worker of a cell that hangs;
what the engine makes of that is written as JSON.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from accelreport.runner.events import RunLine
from accelreport.runner.interrupt import stopped_by_signals
from accelreport.runner.launchers.base import LauncherConfig
from accelreport.runner.launchers.node import LostCell
from accelreport.runner.launchers.ray.engine import Demand, RayEngine
from accelreport.runner.launchers.ray.launcher import RayLauncher
from accelreport.spec.cells import Cell
from tests.runner.scattered import run_on, settings
from tests.runner.scripted import ENDINGS, Bench, Collector, cell, different
from tests.runner.scripted_runner import tell


class Forgetful(Collector):
    """Tells of every line and keeps none, so that the run's own memory can be seen."""

    def on(self, line: RunLine) -> None:
        tell(line)


def main() -> None:
    folder, count, step_s = Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
    do = next((word for word in sys.argv[4:] if not word.startswith("--")), "ok")
    work: dict[str, Any] = {"step_s": step_s, "trace": str(folder / "trace")}
    if "--starved" in sys.argv:
        sys.stdout.write(json.dumps(asdict(starved(folder, cell(do, **work)))))
        return
    several = "--two-nodes" in sys.argv
    chosen = of_three_devices(count, **work) if several else different(count, do, **work)
    with two_nodes() if several else of_its_own() as address:
        launcher = RayLauncher(
            LauncherConfig(results=folder / "results", options={"address": address}),
            {},
            settings(folder),
        )
        with stopped_by_signals() as stop:
            bench = Bench(folder, observer=Forgetful(), stop=stop)
            end = run_on(launcher, bench, chosen)
    sys.stdout.write(f"stopped {end.stopped_by or 'no'} left {end.left}\n")


def starved(folder: Path, one: Cell) -> LostCell:
    """Why a cell is lost on a node where no memory is left, as Ray's own monitor sees it."""
    os.environ |= {"RAY_memory_usage_threshold": "0", "RAY_memory_monitor_refresh_ms": "100"}
    engine = RayEngine("")
    try:
        (node,) = engine.nodes()
        order = settings(folder).model_dump_json()
        task = engine.start([one.model_dump_json()], order, node, Demand(1))
        while True:
            for each in engine.ready([task], within_s=1.0):
                if isinstance(heard := engine.hear(each), LostCell):
                    return heard
    finally:
        engine.close()


def of_three_devices(count: int, **work: Any) -> list[Cell]:
    """`count` cells of each device, and some that fail."""
    failing = [cell(repeat=1, **script, **work) for script, _, _ in ENDINGS]  # type: ignore[arg-type]
    return failing + [
        cell(device=device, point={"number": number}, **work)
        for number in range(count)
        for device in ("cpu", "gpu", "tpu")
    ]


@contextmanager
def of_its_own() -> Iterator[str]:
    """The address that stands for a Ray that the launcher starts."""
    yield ""


@contextmanager
def two_nodes() -> Iterator[str]:
    """The address of a Ray with two nodes, both on this machine."""
    from ray.cluster_utils import Cluster

    cluster = Cluster(
        initialize_head=True, head_node_args={"num_cpus": 2, "include_dashboard": False}
    )
    try:
        cluster.add_node(num_cpus=1, num_gpus=1)
        yield cluster.address
    finally:
        cluster.shutdown()


if __name__ == "__main__":
    main()
