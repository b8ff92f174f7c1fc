"""The stages of `benchmarks/scale.py` that are no command of the program, and what they need.

    python benchmarks/scale_stages.py STAGE FOLDER CELLS NODES

Each runs as a process of its own, with the accelreport that PYTHONPATH names, and prints figures
as JSON. `FOLDER/specs` asks for the cells, `FOLDER/results` holds a record of each of them, and
`FOLDER/nodes` the same records in a folder for each node.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from rich.console import Console
from scale_cells import record_of, spec_of, template
from scale_nodes import follow, ray

from accelreport.backend.environment import environment
from accelreport.machine.inventory import inventory
from accelreport.results.plan_document import plan_document
from accelreport.results.reading import to_bytes
from accelreport.results.record import Record
from accelreport.results.store import Store, content_digest
from accelreport.runner.events import CellEndLine, CellStartLine, named
from accelreport.runner.interrupt import Stop
from accelreport.runner.launch import LocalLauncher
from accelreport.runner.launchers.slurm.worker import JobSpec, perform
from accelreport.runner.plan import RunPlan, make_plan
from accelreport.runner.run import Run
from accelreport.runner.workspace import Workspace
from accelreport.terminal.live import LiveProgress
from accelreport.terminal.progress import Quiet

ENDS = 20
"""So many ends of cells are drawn by the stage `show`."""

Figures = Mapping[str, float]


def fill(folder: Path, cells: int, nodes: int) -> Figures:
    """Write every record, and link each into the folder of a node, beside the whole plan."""
    results, spec, like = folder / "results", spec_of(folder), template()
    (results / "cells").mkdir(parents=True)
    plan = Store(results).write_plan(plan_document(spec, {}))
    homes = [folder / "nodes" / f"node{number}" for number in range(nodes)]
    for home in homes:
        (home / "cells").mkdir(parents=True)
        (home / "plans").mkdir()
        (home / "plans" / plan.name).hardlink_to(plan)
    total = 0
    for number, cell in enumerate(spec.cells):
        path = results / "cells" / f"{cell.key}.{inventory().machine}.json"
        content = to_bytes(record_of(cell, like))
        # Without waiting for the disk, as `Store.write` would: that is a stage of its own.
        path.write_bytes(content)
        (homes[number * nodes // cells] / "cells" / path.name).hardlink_to(path)
        total += len(content)
    return {"record bytes": total / cells, "plan bytes": plan.stat().st_size}


def write(folder: Path, cells: int, nodes: int) -> Figures:
    """Every record is written as a run writes it; the last hundred tell what one takes then."""
    del nodes
    spec, like, store = spec_of(folder), template(), Store(folder / "written")
    store.prepare()
    began = time.perf_counter()
    last = began
    for number, cell in enumerate(spec.cells):
        if number == cells - 100:
            last = time.perf_counter()
        store.write(record_of(cell, like))
    now = time.perf_counter()
    return {"ms each": 1e3 * (now - began) / cells, "ms of the last 100": 10 * (now - last)}


def read(folder: Path, cells: int, nodes: int) -> Figures:
    """Every record is read, one after the other."""
    del nodes
    count = sum(1 for _ in Store(folder / "results").records())
    if count < cells:
        raise SystemExit(f"{count} records of {cells} were read")
    return {}


def digest(folder: Path, cells: int, nodes: int) -> Figures:
    """A build asks whether anything changed."""
    del cells, nodes
    content_digest(Store(folder / "results"))
    return {}


def listed(folder: Path, cells: int, nodes: int) -> Figures:
    """The folder is listed by the system, and by the store with the machines of every cell."""
    del cells, nodes
    store = Store(folder / "results")
    names = _seconds(lambda: sum(1 for _ in os.scandir(store.cells)))
    return {
        "ms of the names": 1e3 * names,
        "ms of machines": 1e3 * _seconds(store.machines),
        "ms of prepare": 1e3 * _seconds(store.prepare),
    }


def job(folder: Path, cells: int, nodes: int) -> Figures:
    """One job of Slurm finds that its only cell was measured by another one."""
    del cells, nodes
    cell, log, path = spec_of(folder).cells[-1], folder / "messages", folder / "order.json"
    order = JobSpec(cells=[cell], results=str(folder / "results"))
    path.write_text(order.model_dump_json(), encoding="utf-8")
    seconds = _seconds(lambda: perform(str(path), str(log)))
    if '"completed"' not in log.read_text(encoding="utf-8"):
        raise SystemExit(log.read_text(encoding="utf-8")[:1000])
    return {"ms of the job": 1e3 * seconds}


def second(folder: Path, cells: int, nodes: int) -> Figures:
    """A run that waited for another one finds that all of its cells are measured by now."""
    del nodes
    store, workspace, stop = Store(folder / "results"), Workspace(folder / "workspace"), Stop()
    plan = planned(folder)
    workspace.prepare()
    sweep = Run(
        store=store,
        launcher=LocalLauncher(workspace.scratch, environment),
        machine=inventory().machine,
        environment=environment,
        workspace=workspace,
        observer=Quiet(io.StringIO()),
        stop=stop,
    )
    began = time.process_time()
    end = sweep.run(plan)
    if end.done_before != cells:
        raise SystemExit(f"{end.done_before} of {cells} were found")
    spent = time.process_time() - began
    locks = sum(1 for _ in (store.root / "locks").glob("*.lock"))
    return {"ms each (CPU)": 1e3 * spent / cells, "lock files": locks}


def show(folder: Path, cells: int, nodes: int) -> Figures:
    """The live display of a run over all cells, while the first few of them end."""
    del nodes
    like, plan = template(), planned(folder)
    console = Console(file=io.StringIO(), force_terminal=True, width=110)
    with LiveProgress(console, plan) as live:
        began = time.process_time()
        for number, each in enumerate(plan.cells[:ENDS], start=1):
            cell = each.cell
            live.on(CellStartLine(**named(cell), number=number, of=cells))
            live.on(ended(record_of(cell, like)))
        drawn = 2 * ENDS
        spent = time.process_time() - began
    return {"ms of a frame (CPU)": 1e3 * spent / drawn}


def ended(record: Record) -> CellEndLine:
    """What is told of a cell that is through."""
    return CellEndLine(
        **named(record.cell),
        status="ok",
        failure=None,
        message="",
        remedy="",
        warnings=[],
        wall_s=record.times.wall_s,
        figures={},
        record_path="",
        record=record,
    )


def planned(folder: Path) -> RunPlan:
    """A plan of all cells, none of which is measured yet."""
    cells = spec_of(folder).cells
    return make_plan(cells, earlier=lambda _: None, unavailable=lambda _: None)


def _seconds(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


STAGES: Mapping[str, Callable[[Path, int, int], Figures]] = {
    "fill": fill,
    "write": write,
    "read": read,
    "digest": digest,
    "list": listed,
    "job": job,
    "second": second,
    "show": show,
    "ray": ray,
    "follow": follow,
}


def main() -> None:
    """Runs one stage."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("stage", choices=STAGES)
    parser.add_argument("folder", type=Path)
    parser.add_argument("cells", type=int)
    parser.add_argument("nodes", type=int)
    chosen = parser.parse_args()
    print(json.dumps(STAGES[chosen.stage](chosen.folder, chosen.cells, chosen.nodes)))


if __name__ == "__main__":
    main()
