"""Sweeps of scripted cells that a launcher has measured by other processes."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from accelreport.runner.events import EndLine
from accelreport.runner.known import KnownAnywhere
from accelreport.runner.launchers.base import Launcher
from accelreport.runner.launchers.workplace import Workplace
from accelreport.runner.plan import make_plan
from accelreport.runner.sweep import Sweep
from accelreport.spec.cells import Cell
from tests.runner.scripted import COMMAND, MACHINE, SERVER, Bench, environment


def workplace(folder: Path, *, fork: bool = True) -> Workplace:
    """Has scripted cells measured, with locks of its own."""
    work = folder / "node"
    return Workplace(command=[*COMMAND], server=[*SERVER], folder=str(work), fork=fork)


def run_on(launcher: Launcher, bench: Bench, chosen: Iterable[Cell]) -> EndLine:
    """Plan and run cells as `accelreport run --on` does, and close the launcher."""
    store, chosen = bench.store, list(chosen)
    store.prepare()
    bench.workspace.prepare()
    anywhere = KnownAnywhere(store)
    try:
        absent = launcher.unavailable({cell.device: cell.device_spec for cell in chosen})
        plan = make_plan(
            chosen,
            earlier=anywhere,
            unavailable=lambda one: absent[one.device],
            policy=bench.policy,
        )
        return Sweep(
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
