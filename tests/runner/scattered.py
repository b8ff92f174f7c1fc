"""Sweeps of scripted cells that a launcher has measured by other processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from accelreport.results.record import Record
from accelreport.runner.events import EndLine
from accelreport.runner.launchers.base import Launcher
from accelreport.runner.launchers.node import NodeSettings
from accelreport.runner.plan import RecordIndex, make_plan
from accelreport.runner.run import Run
from accelreport.spec.cells import Cell
from tests.runner.scripted import COMMAND, MACHINE, SERVER, Bench, environment

REPOSITORY = Path(__file__).parents[2]

NO_SPARE_WORKERS = {"RAY_prestart_worker_first_driver": "0"}
"""Ray starts a worker when a cell needs one, and not one for each processor beforehand."""


def start(module: str, folder: Path, *arguments: object) -> subprocess.Popen[str]:
    """A program of these tests over a folder; `stderr.txt` there takes what goes wrong."""
    path = os.pathsep.join([str(REPOSITORY), os.environ.get("PYTHONPATH", "")])
    with (folder / "stderr.txt").open("w") as errors:
        return subprocess.Popen(
            [sys.executable, "-m", module, str(folder), *map(str, arguments)],
            cwd=REPOSITORY,
            env={**os.environ, "PYTHONPATH": path, "RAY_ADDRESS": "", **NO_SPARE_WORKERS},
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            process_group=0,
        )


def told_to_two_workers(record: Record) -> dict[str, Any]:
    """What `TF_CONFIG` told the first of two workers: where those are that the record names."""
    assert [(host.task, host.chief) for host in record.hosts] == [
        ("worker:0", True),
        ("worker:1", False),
    ]
    assert record.environment is not None
    told: dict[str, Any] = json.loads(record.environment.variables["TF_CONFIG"])
    assert told["cluster"]["worker"] == [host.address for host in record.hosts]
    return told


def settings(folder: Path, *, fork: bool = True) -> NodeSettings:
    """Has scripted cells measured, with locks of its own."""
    work = folder / "node"
    return NodeSettings(command=[*COMMAND], server=[*SERVER], folder=str(work), fork=fork)


def run_on(launcher: Launcher, bench: Bench, chosen: Iterable[Cell]) -> EndLine:
    """Plan and run cells as `accelreport run --on` does, and close the launcher."""
    store, chosen = bench.store, list(chosen)
    store.prepare()
    bench.workspace.prepare()
    anywhere = RecordIndex(store)
    try:
        absent = launcher.unavailable({cell.device: cell.device_spec for cell in chosen})
        plan = make_plan(
            chosen,
            earlier=anywhere,
            unavailable=lambda one: absent[one.device],
            policy=bench.policy,
        )
        return Run(
            store=store,
            launcher=launcher,
            machine=MACHINE,
            environment=environment,
            workspace=bench.workspace,
            observer=bench.observer,
            stop=bench.stop,
            policy=bench.policy,
            anywhere=anywhere,
        ).run(plan)
    finally:
        launcher.close()
