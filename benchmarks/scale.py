"""Where many cells break first: the plan, the store, the merge, the display, or the pages.

    python benchmarks/scale.py [--cells 1000 3000 10000] [--nodes 100] [--stages plan read ...]
                               [--repeats 3] [--against CHECKOUT] [--folder DIR]

Each stage runs as a process of its own, for each number of cells:

- check: `accelreport check` of a spec with so many cells;
- plan: `accelreport run --dry-run` of it, into an empty folder;
- write: every record is written into one results folder, as a run does;
- list: the folder of all records is listed;
- read: every record of it is read;
- digest: a build asks whether any of them changed;
- resume: `accelreport run --dry-run` where every cell has its record;
- second: a run that waited for another one finds every cell measured;
- job: a job of Slurm finds its only cell measured, in the folder of all records;
- show: the live display of a run over all cells, forty frames of it;
- ray: a launcher gives them to a thousand nodes of a Ray that answers at once (a stand-in);
- follow: a launcher looks at as many jobs that wait in Slurm (stand-ins), three times;
- merge: `accelreport merge` of a folder for each node, each with the whole plan;
- one more: `accelreport merge` of one node into the folder of all records;
- build: `accelreport build` of as many records of many benchmarks, cold.

Prints medians of seconds by the wall, CPU seconds and the largest memory of any one process,
what a stage tells of itself, and the files it left; of three or more numbers of cells also by
what power of them the CPU seconds grow between the two largest, beyond those of the smallest: 1
means in proportion. With another checkout (`--against`), each stage runs with its accelreport and
with this one in turns.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shutil
import statistics
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from cost import Cost, cost_of

HERE = Path(__file__).resolve().parent
PROGRAM = [sys.executable, "-m", "accelreport"]

INNER = ("write", "list", "read", "digest", "second", "job", "show", "ray", "follow")
"""Stages of `scale_stages.py`."""
STAGES = ("check", "plan", *INNER, "resume", "merge", "one more", "build")

REPEATS = 20
"""Of each point of the planned spec: as many as a spec may ask for."""

LEAST_GROWN_S = 0.05
"""CPU seconds below which a stage has not grown by anything that can be told from noise."""

LEFT = {"write": "written", "merge": "merged", "second": "results/locks", "build": "site"}
"""What a stage leaves in its folder."""

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


@dataclass(frozen=True)
class Scene:
    """A number of cells and what is made for them.

    Attributes:
        folder: takes everything.
        cells: how many.
        nodes: over how many folders they are spread.
    """

    folder: Path
    cells: int
    nodes: int

    def inner(self, stage: str) -> list[str]:
        """The command of a stage of `scale_stages.py`."""
        program = [sys.executable, str(HERE / "scale_stages.py")]
        return [*program, stage, str(self.folder), str(self.cells), str(self.nodes)]

    def command(self, stage: str) -> list[str]:
        """The command of a stage."""
        specs, results = str(self.folder / "specs"), str(self.folder / "results")
        nodes = sorted(map(str, (self.folder / "nodes").glob("node*")))
        dry = [*PROGRAM, "run", specs, "--dry-run", "--results"]
        out = str(self.folder / "site")
        commands = {
            "check": [*PROGRAM, "check", specs],
            "plan": [*dry, str(self.folder / "empty")],
            "resume": [*dry, results],
            "merge": [*PROGRAM, "merge", *nodes, "--out", str(self.folder / "merged")],
            "one more": [*PROGRAM, "merge", *nodes[:1], "--out", results],
            "build": [
                *PROGRAM, "build", "--results", str(self.folder / "studies"), "--out", out,
                "--specs", str(self.folder / "empty"),
            ],
        }  # fmt: skip
        return commands.get(stage) or self.inner(stage)

    def prepare(self, stages: Sequence[str]) -> None:
        """Write the spec, and the records where a stage needs them."""
        specs = self.folder / "specs"
        specs.mkdir(parents=True)
        (specs / "devices.toml").write_text(DEVICES, encoding="utf-8")
        sizes = ", ".join(str(32 + number) for number in range(self.cells // REPEATS))
        text = SPEC.format(sizes=sizes, repeats=REPEATS)
        (specs / "scale.toml").write_text(text, encoding="utf-8")
        if {*stages} - {"check", "plan", "write", "show", "ray", "follow", "build"}:
            told = self.run(self.inner("fill"), HERE.parent).output
            print(f"{self.cells:>8,} cells  {told.strip()}", flush=True)
        if "build" in stages:
            made = "from build_site import *; results_folder(Path(sys.argv[1]), int(sys.argv[2]))"
            place = [str(self.folder / "studies"), str(self.cells)]
            self.run([sys.executable, "-c", made, *place], HERE.parent)

    def run(self, command: list[str], checkout: Path) -> Cost:
        """Run a command with the accelreport of a checkout."""
        path = os.pathsep.join([str(checkout), str(HERE)])
        return cost_of(
            command,
            self.folder / "cache",
            environment={"PYTHONPATH": path},
            folder=checkout,
            told=self.folder / "told",
        )

    def clear(self, stage: str) -> None:
        """Remove what a stage left, for its next turn."""
        for name in (LEFT.get(stage), "cache", "messages"):
            place = self.folder / name if name else None
            if place and place.is_dir():
                shutil.rmtree(place)
            elif place:
                place.unlink(missing_ok=True)


@contextmanager
def scene(within: Path | None, cells: int, nodes: int) -> Iterator[Scene]:
    """A folder for so many cells, removed in the end."""
    with tempfile.TemporaryDirectory(dir=within, prefix="scale-") as name:
        yield Scene(Path(name), cells, nodes)


def held(folder: Path) -> str:
    """How many files a folder holds, how large they are, and the most in one folder."""
    counts, size = [0], 0
    for place, _, names in os.walk(folder):
        counts.append(len(names))
        size += sum((Path(place) / name).lstat().st_size for name in names)
    return f"{sum(counts):,} files, {size / 1e6:,.1f} MB, {max(counts):,} in one folder"


def measured(at: Scene, stage: str, checkouts: Sequence[Path], repeats: int) -> list[Cost]:
    """What a stage takes with each checkout, in turns; prints it."""
    costs: list[list[Cost]] = [[] for _ in checkouts]
    left = ""
    for _ in range(repeats):
        for turn, checkout in enumerate(checkouts):
            at.clear(stage)
            costs[turn].append(at.run(at.command(stage), checkout))
            left = held(at.folder / LEFT[stage]) if stage in LEFT else ""
    at.clear(stage)
    medians = [median(each) for each in costs]
    for checkout, cost in zip(checkouts, medians, strict=True):
        of = "" if checkout == HERE.parent else f" ({checkout.name})"
        print(f"{at.cells:>8,} cells  {stage + of:18} {told(cost)}", flush=True)
    if left:
        print(f"{'':>16}{left}", flush=True)
    return medians


def median(costs: Sequence[Cost]) -> Cost:
    """The median of each figure, also of those that a stage told."""
    told = [json.loads(cost.output) if cost.output.startswith("{") else {} for cost in costs]
    figures = {key: statistics.median(each[key] for each in told) for key in told[0]}
    return Cost(
        statistics.median(cost.wall for cost in costs),
        statistics.median(cost.cpu for cost in costs),
        statistics.median(cost.memory for cost in costs),
        ", ".join(f"{value:,.4g} {key}" for key, value in figures.items()),
    )


def told(cost: Cost) -> str:
    """A stage's cost in a line."""
    line = f"{cost.wall:8.2f} s  CPU {cost.cpu:8.2f} s  {cost.memory:7.0f} MB  {cost.output}"
    return line.rstrip()


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cells", type=int, nargs="+", default=[1000, 3000, 10_000])
    parser.add_argument("--nodes", type=int, default=100)
    parser.add_argument("--stages", nargs="+", choices=STAGES, default=list(STAGES))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--against", type=Path, help="another checkout, measured in turns")
    parser.add_argument("--folder", type=Path, help="where files in passing go")
    chosen = parser.parse_args()
    checkouts = [*([chosen.against.resolve()] if chosen.against else []), HERE.parent]
    found: dict[int, dict[str, list[Cost]]] = {}
    for cells in sorted(chosen.cells):
        with scene(chosen.folder, cells, chosen.nodes) as at:
            at.prepare(chosen.stages)
            found[cells] = {
                stage: measured(at, stage, checkouts, chosen.repeats) for stage in chosen.stages
            }
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores, medians of {chosen.repeats}")
    for stage in chosen.stages if len(found) > 2 else ():
        spent = [
            {cells: at[stage][turn].cpu for cells, at in found.items()}
            for turn in range(len(checkouts))
        ]
        print(f"{stage:8} CPU grows with the power {', '.join(map(power, spent))} of the cells")


def power(spent: Mapping[int, float]) -> str:
    """By what power of the number of cells CPU seconds grow between the two largest numbers.

    What the smallest number takes is taken away first: most of it is the start of the program.
    """
    least, *_, few, many = sorted(spent)
    grown = [spent[number] - spent[least] for number in (few, many)]
    if min(grown) < LEAST_GROWN_S:
        return "-"
    return f"{math.log(grown[1] / grown[0]) / math.log((many - least) / (few - least)):.2f}"


if __name__ == "__main__":
    main()
