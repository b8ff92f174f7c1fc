"""How long the pages of a thousand records take.

    python benchmarks/build_site.py [--records 1000] [--repeats 3] [--out FOLDER]

Makes synthetic plans and records of both shapes, writes them as a results folder, and
builds the site from it: once into an empty folder, then again over it. Prints the seconds
of each, and fails when the first takes longer than the project allows itself.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from accelreport.report.site import build
from accelreport.results.store import Store
from tests.support.records import thousand

MOST_S = 15.0
"""Seconds a thousand records may take on two cores."""


def results_folder(root: Path, records: int) -> int:
    """Writes plans and at least so many records; returns how many."""
    store = Store(root)
    studies = thousand(records)
    for each in studies:
        store.write_plan(each.plan)
        for record in each.records:
            store.write(record)
    return sum(len(each.records) for each in studies)


def seconds_of(root: Path, out: Path) -> tuple[float, int]:
    """Seconds of one build, reading the records included, and the number of pages."""
    started = time.perf_counter()
    built = build(Store(root), out)
    return time.perf_counter() - started, built.pages


def main() -> int:
    """Measures, prints, and judges."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=1000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--out", type=Path)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "results"
        written = results_folder(root, chosen.records)
        empty = []
        for number in range(chosen.repeats):
            out = chosen.out or Path(folder) / f"site-{number}"
            seconds, pages = seconds_of(root, out)
            again, _ = seconds_of(root, out)
            empty.append(seconds)
            print(f"{written} records, {pages} pages: {seconds:.1f} s, again {again:.1f} s")
    best = min(empty)
    allowed = MOST_S * max(1.0, written / 1000)
    print(f"best of {chosen.repeats}: {best:.1f} s, allowed {allowed:.1f} s")
    return int(best > allowed)


if __name__ == "__main__":
    sys.exit(main())
