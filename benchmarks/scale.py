"""Where many cells break first: the plan, the store, the merge, or the pages.

    python benchmarks/scale.py [--cells 1000 3000 10000] [--nodes 100] [--stages plan write ...]

Each stage runs as a process of its own, for each number of cells:

- plan: `accelreport run --dry-run` of a spec with so many cells, into an empty folder;
- write: every record is written into one results folder, as a run does;
- read: every record of that folder is read, as a resumed run and every build do;
- merge: `accelreport merge` of the same records from as many folders as there are nodes;
- build: `accelreport build` of them, cold.

Prints seconds by the wall, CPU seconds and the largest memory of any one process, and by what
power of the number of cells each grows between the two largest numbers: 1 means in proportion.
"""

from __future__ import annotations

import argparse
import math
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from build_site import Build, cost_of, studies

from accelreport.results.store import Store

STAGES = ("plan", "write", "read", "merge", "build")

REPEATS = 20
"""Of each point of the planned spec: as many as a spec may ask for."""

DEVICES = 'schema = 1\n[cpu]\nlabel = "CPU"\nkind = "CPU"\n'
SPEC = """\
schema = 1
title = "Scale"
devices = ["cpu"]
baseline = "cpu"
[workload]
kind = "matmul"
[sweep]
size = [{sizes}]
[measure]
repeats = {repeats}
"""


def spread(root: Path, cells: int, nodes: int) -> list[Path]:
    """Writes the records into a folder for each node, in turn; every folder has the plans."""
    folders = [root / f"node{number}" for number in range(nodes)]
    stores = [Store(folder) for folder in folders]
    turn = 0
    for each in studies(cells):
        for number in range(min(nodes, len(each.records))):
            stores[(turn + number) % nodes].write_plan(each.plan)
        for record in each.records:
            stores[turn % nodes].write(record)
            turn += 1
    return [folder for folder in folders if folder.is_dir()]


def costs(cells: int, nodes: int, stages: list[str], folder: Path) -> dict[str, Build]:
    """What each stage takes for so many cells."""
    program = [sys.executable, "-m", "accelreport"]
    this = [sys.executable, __file__, "--inner"]
    results, empty = folder / "results", folder / "empty"
    specs = folder / "specs"
    specs.mkdir(parents=True)
    (specs / "devices.toml").write_text(DEVICES, encoding="utf-8")
    sizes = ", ".join(str(32 + number) for number in range(cells // REPEATS))
    (specs / "scale.toml").write_text(SPEC.format(sizes=sizes, repeats=REPEATS), encoding="utf-8")
    commands = {
        "plan": [*program, "run", str(specs), "--dry-run", "--results", str(empty)],
        "write": [*this, "write", str(results), str(cells)],
        "read": [*this, "read", str(results), str(cells)],
        "build": [
            *program, "build", "--results", str(results), "--out", str(folder / "site"),
            "--specs", str(empty),
        ],
    }  # fmt: skip
    found = {}
    for stage in (stage for stage in STAGES if stage in stages):
        if stage == "merge":
            sources = spread(folder / "nodes", cells, nodes)
            target = str(folder / "merged")
            command = [*program, "merge", *map(str, sources), "--out", target]
        else:
            command = commands[stage]
        found[stage] = cost_of(command, folder / "cache")
        print(f"{cells:>8,} cells  {stage:6} {told(found[stage])}", flush=True)
    return found


def told(cost: Build) -> str:
    """A stage's cost in a line."""
    return f"{cost.wall:8.2f} s  CPU {cost.cpu:8.2f} s  {cost.memory:7.0f} MB"


def inner(stage: str, root: Path, cells: int) -> None:
    """The stages that are no command of their own."""
    store = Store(root)
    if stage == "write":
        for each in studies(cells):
            store.write_plan(each.plan)
            for record in each.records:
                store.write(record)
    else:
        count = sum(1 for _ in store.records())
        if count < cells:
            raise SystemExit(f"{count} records of {cells} were read")


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cells", type=int, nargs="+", default=[1000, 3000, 10_000])
    parser.add_argument("--nodes", type=int, default=100)
    parser.add_argument("--stages", nargs="+", choices=STAGES, default=list(STAGES))
    parser.add_argument("--inner", nargs=3, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.inner:
        stage, root, cells = chosen.inner
        inner(stage, Path(root), int(cells))
        return
    found: dict[int, dict[str, Build]] = {}
    for cells in sorted(chosen.cells):
        with tempfile.TemporaryDirectory() as passing:
            found[cells] = costs(cells, chosen.nodes, chosen.stages, Path(passing) / "scale")
            shutil.rmtree(Path(passing) / "scale", ignore_errors=True)
    if len(found) > 1:
        few, many = sorted(found)[-2:]
        for stage in found[many]:
            power = math.log(found[many][stage].cpu / found[few][stage].cpu) / math.log(many / few)
            print(f"{stage:6} CPU grows with the power {power:.2f} of the cells")


if __name__ == "__main__":
    main()
