"""Cells of two workers on the two nodes of a Ray, as a process of its own.

    python -m tests.runner.spread_ray FOLDER real|SECONDS [DEVICE]

`real` trains a small model with TensorFlow; SECONDS is what a step of a scripted cell takes. Both
nodes are on this machine; each has a folder for temporary files of its own, and so its own lock.
Writes `start KEY` and `end KEY STATUS` as cells start and end.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from accelreport.runner.interrupt import stopped_by_signals
from accelreport.runner.launchers.base import LauncherConfig
from accelreport.runner.launchers.node import NodeSettings
from accelreport.runner.launchers.ray.launcher import RayLauncher
from accelreport.spec.cells import Cell
from accelreport.spec.device import Device
from tests.runner.scattered import run_on
from tests.runner.scripted import COMMAND, DEVICES, Bench, cell
from tests.runner.scripted_ray import Forgetful
from tests.support import children
from tests.support.nets import dense

SPREAD = Device(kind="CPU", strategy="multi_worker_mirrored", workers=2, threads=1, spread=True)
TOO_MANY = SPREAD.model_copy(update={"workers": 3})

SMALL = dense(64, 1, batch_size=64, steps_per_epoch=4)


def main() -> None:
    folder, what = Path(sys.argv[1]), sys.argv[2]
    for name in ("one", "two"):
        (folder / name).mkdir()
    with two_nodes(folder) as address, stopped_by_signals() as stop:
        launcher = RayLauncher(
            LauncherConfig(results=folder / "results", options={"address": address}),
            {},
            NodeSettings(command=[] if what == "real" else [*COMMAND], fork=False),
        )
        end = run_on(launcher, Bench(folder, Forgetful(), stop=stop), cells(what))
    sys.stdout.write(f"stopped {end.stopped_by or 'no'} left {end.left}\n")


def cells(what: str) -> list[Cell]:
    """A cell of two workers; with scripted ones, also a cell of three and a plain one."""
    if what == "real":
        return [children.cell("keras", SMALL, device=SPREAD)]
    DEVICES["spread"], DEVICES["too-many"] = SPREAD, TOO_MANY
    return [
        cell(device="spread", step_s=float(what)),
        cell(device="too-many"),
        cell(device="cpu"),
    ]


@contextmanager
def two_nodes(folder: Path) -> Iterator[str]:
    """The address of a Ray with two nodes, both on this machine."""
    from ray.cluster_utils import Cluster

    cluster = Cluster()
    try:
        for name in ("one", "two"):
            cluster.add_node(
                num_cpus=1, include_dashboard=False, env_vars={"TMPDIR": str(folder / name)}
            )
        yield cluster.address
    finally:
        cluster.shutdown()


if __name__ == "__main__":
    main()
