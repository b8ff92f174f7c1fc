"""How long the pages of many records take, and how much memory.

    python benchmarks/build_site.py [--records 1000] [--repeats 3] [--keep FOLDER]

Makes synthetic plans and records of both shapes, writes them as a results folder, and calls
`accelreport build` as a person does:

- cold: into an empty folder, with an empty cache;
- warm: the same again, with nothing changed;
- moved: into another empty folder, with the cache;
- one changed: after one record was written anew.

Prints medians of wall and CPU times with the largest memory of any one process, and fails
when a figure is larger than the project allows itself: on two cores with nothing else to
do, 1,000 records take at most 10 s cold and 2 s warm, 10,000 records of 200 benchmarks 60 s
and 5 s, both at most 1 GB; one changed record changes at most 5 pages (its own, its benchmark's,
the front page, that page's table of all rates and that of ceilings, which all tell its number),
and two decks of slides: its benchmark's and that of the whole site.

Some 3,300 files are made for 1,000 records, so a disk that is slow to make files counts;
TMPDIR=/dev/shm leaves it out.
"""

from __future__ import annotations

import argparse
import compileall
import os
import shutil
import statistics
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from cost import Cost, cost_of

from accelreport.results.record import Record
from accelreport.results.store import Store
from tests.support.records import Study, study, thousand

MOST_MB = 1000.0
MOST_PAGES = 5
DECKS = "slides.html"
"""How the names of decks end: other forms of two of the pages, counted apart."""
MOST_DECKS = 2


@dataclass(frozen=True)
class Bars:
    """Seconds a build may take."""

    cold: float
    warm: float


def bars(records: int) -> Bars:
    """What so many records may take: between and beyond the stated sizes by proportion."""
    if records <= 1100:
        return Bars(10.0, 2.0)
    return Bars(60.0 * max(1.0, records / 10500), 5.0 * max(1.0, records / 10500))


def studies(records: int) -> list[Study]:
    """Plans of both shapes; from 10,000 records on, some fifty records each."""
    if records < 10_000:
        return thousand(records)
    made: list[Study] = []
    while sum(len(each.records) for each in made) < records:
        number = len(made)
        shape = "matmul" if number % 2 else "training"
        spec = f"{shape}_{number}"
        made.append(
            study(shape, spec=spec, repeats=7, first_seed=number * 100, seed=number)  # type: ignore[arg-type]
        )
    return made


def results_folder(root: Path, records: int) -> int:
    """Writes plans and at least so many records; returns how many."""
    store = Store(root)
    made = studies(records)
    for each in made:
        store.write_plan(each.plan)
        for record in each.records:
            store.write(record)
    return sum(len(each.records) for each in made)


def built(root: Path, out: Path, cache: Path) -> Cost:
    """Builds once, as a process."""
    command = [sys.executable, "-m", "accelreport", "build", "--results", str(root)]
    return cost_of([*command, "--out", str(out), "--specs", str(root / "none")], cache)


def change_one(root: Path) -> None:
    """Writes one record anew, a little slower."""
    store = Store(root)
    record = next(record for record in store.records() if record.blocks)
    blocks = [block.model_copy(update={"wall_s": 1.01 * block.wall_s}) for block in record.blocks]
    changed: Record = record.model_copy(update={"blocks": blocks})
    store.write(changed)


def times_of(folder: Path) -> dict[str, int]:
    """When each page was last changed."""
    pages = (path for path in folder.rglob("*.html"))
    return {path.relative_to(folder).as_posix(): path.stat().st_mtime_ns for path in pages}


def measure(root: Path, folder: Path, repeats: int) -> tuple[dict[str, list[Cost]], list[str]]:
    """Builds by their kind, and what one record changed at most."""
    builds: dict[str, list[Cost]] = {"cold": [], "warm": [], "moved": [], "one changed": []}
    most: list[str] = []
    for number in range(repeats):
        # Folders of their own: a file system takes longer for new files where as many were just
        # removed, which no cold build of a person meets.
        out, other, cache = (folder / f"{name}{number}" for name in ("site", "other", "cache"))
        for each in (out, other, cache):
            shutil.rmtree(each, ignore_errors=True)
        for kind, where in (("cold", out), ("warm", out), ("moved", other)):
            builds[kind].append(built(root, where, cache))
        before = times_of(out)
        change_one(root)
        builds["one changed"].append(built(root, out, cache))
        now = times_of(out)
        changed = [name for name, when in now.items() if when != before.get(name)]
        most = max(most, changed, key=len)
    return builds, most


def main() -> int:
    """Measures, prints, and judges."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=int, default=1000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="leave results and site here")
    chosen = parser.parse_args()
    # As pip leaves a package that it installs; in a checkout each start may compile it anew.
    compileall.compile_dir(Path(__file__).resolve().parents[1] / "accelreport", quiet=1)
    with tempfile.TemporaryDirectory() as passing:
        folder = chosen.keep or Path(passing)
        root = folder / "results"
        written = results_folder(root, chosen.records)
        plans = len(Store(root).plans())
        builds, changed = measure(root, folder, chosen.repeats)
    allowed = bars(written)
    load = os.getloadavg()[0]
    print(f"{written} records of {plans} benchmarks, {chosen.repeats} times, load {load:.1f}")
    walls = {kind: statistics.median(one.wall for one in of) for kind, of in builds.items()}
    memory = max(one.memory for of in builds.values() for one in of)
    for kind, of in builds.items():
        cpu = statistics.median(one.cpu for one in of)
        least = min(one.wall for one in of)
        print(f"{kind:12} {walls[kind]:6.2f} s (least {least:.2f} s), CPU {cpu:.2f} s")
    print(f"memory       {memory:6.0f} MB")
    decks = sum(name.endswith(DECKS) for name in changed)
    print(f"one changed record changes {len(changed) - decks} pages and {decks} decks")
    failed = [
        kind
        for kind, most in (("cold", allowed.cold), ("warm", allowed.warm))
        if walls[kind] > most
    ]
    failed += ["memory"] if memory > MOST_MB else []
    failed += ["pages"] if len(changed) - decks > MOST_PAGES else []
    failed += ["decks"] if decks > MOST_DECKS else []
    print(f"too much: {', '.join(failed)}" if failed else "within what is allowed")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
