"""Whether anything that was measured is faster than the ceiling of the processor it ran on.

    python benchmarks/own_ceilings.py RESULTS [RESULTS ...]

For each process of each benchmark: the share that its steady step reached of what its own machine
reached in a product of matrices and in a stream, both in the record. The best of several readings
is kept there. Where others used the machine during all of them, which pages then say nothing of,
the reading may be too low and the share too high; it is looked at all the same.

Prints the largest and the middle share of each benchmark, and fails where one is above 1.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Iterator
from math import isnan
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from accelreport.analysis.ceilings import ceiling, own_limits
from accelreport.report.pages.sections.shares import every_place
from accelreport.report.theme import device_colours
from accelreport.report.view import BenchmarkView
from accelreport.results.record import OTHER_LOAD
from accelreport.results.store import existing


def shares(bench: BenchmarkView) -> Iterator[tuple[float, str, bool]]:
    """What each process reached of its ceiling, where it ran, and whether it had the machine."""
    for place in every_place(bench):
        for row in bench.measured(place.series, place.point):
            record = bench.record(row)
            roofs = record.environment.roofs if record and record.environment else None
            if record is None or record.environment is None or roofs is None:
                continue
            believed = roofs.model_copy(update={"other_cores": 0.0})
            environment = record.environment.model_copy(update={"roofs": believed})
            limits = own_limits(environment, place.work.dtype)
            if limits is not None and bench.plan.devices[row.device].kind == "CPU":
                share = ceiling(place.work, limits).share(row.seconds)
                if isnan(share):  # of a process without a steady time
                    continue
                where = f"{row.device} {bench.point_title(place.point)}"
                yield share, where, roofs.other_cores <= OTHER_LOAD


def main() -> int:
    """Looks at every benchmark of the folders."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path, nargs="+")
    every: list[float] = []
    alone = 0
    for folder in parser.parse_args().results:
        store = existing(folder)
        records = list(store.records())
        for plan in store.plans():
            keys = {cell.key for cell in plan.cells}
            own = {(each.key, each.machine): each for each in records if each.key in keys}
            found = sorted(shares(BenchmarkView(plan, own, device_colours(plan.devices))))
            if found:
                own_shares = [share for share, _, _ in found]
                every += own_shares
                alone += sum(idle for _, _, idle in found)
                print(
                    f"{folder} {plan.spec} ({plan.profile}): {len(found)} processes, half up to "
                    f"{statistics.median(own_shares):.1%}, at most {own_shares[-1]:.1%} "
                    f"({found[-1][1].strip()})"
                )
    above = sum(share > 1 for share in every)
    print(
        f"{len(every)} processes, {above} above their ceiling; "
        f"{alone} on a machine that was left alone while its ceiling was measured"
    )
    return 1 if above or not every else 0


if __name__ == "__main__":
    raise SystemExit(main())
