"""How often the product calls a difference between a device and itself, measured on this machine.

Each pair is a small benchmark of its own: the same matrix products on the same CPU, measured as if
it were two devices, `first` and `second`, with the same seeds. The runner launches, shuffles and
records them as it does any spec, and the analysis compares them as it compares any two devices.
Every verdict FASTER or SLOWER is wrong. Verdicts are made at 95 %, so no more than 5 % of the
pairs may be called different, in the long run.

    python benchmarks/aa_pairs.py [--pairs 30] [--processes 3] [--results DIR] [--out FILE]

The machine must do nothing else. With --results, an interrupted run goes on where it was.
Ends with 1 when so many pairs were called different that 5 % is no longer credible (one-sided
binomial test at 5 %), and with 2 when it was interrupted.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from math import isfinite
from pathlib import Path
from typing import Any

from scipy.stats import beta, binom

from accelreport.analysis.results import results_of
from accelreport.analysis.speedup import speedups_of
from accelreport.machine.inventory import inventory
from accelreport.report.frames import rows_of, speedups_frame
from accelreport.results.plan_document import plan_document
from accelreport.results.record import Record
from accelreport.results.store import Store
from accelreport.runner.plan import make_plan
from accelreport.runner.prepare import Prepared, Request
from accelreport.runner.run import carry_out
from accelreport.runner.workspace import Workspace
from accelreport.spec.base import Baseline
from accelreport.spec.cells import Cell, Spec
from accelreport.spec.device import Device
from accelreport.spec.models import Measure
from accelreport.terminal.progress import PlainLines
from accelreport.workloads.matmul import MatmulParameters

ALLOWED = 0.05
"""Share of pairs that may be called different: what verdicts at 95 % promise."""

SIDES = ("first", "second")
"""The one device under its two names."""

WARMUP_STEPS = {"first": 20, "second": 21}
"""Training steps that would be left out. A kernel has none, so that this changes nothing that is
measured, but it gives the two cells of their own: one process would otherwise stand for both."""


def pair(number: int, processes: int, size: int, count: int) -> Spec:
    """One benchmark of a device against itself."""
    device, measure = Device(kind="CPU"), Measure(repeats=processes, budget=60, timeout=120)
    measures = {
        side: measure.model_copy(update={"warmup_steps": steps})
        for side, steps in WARMUP_STEPS.items()
    }
    parameters = MatmulParameters(size=size, count=count)
    workload = parameters.model_dump(mode="json")
    name = f"aa_{number:03}"
    return Spec(
        name=name,
        path=Path(f"{name}.toml"),
        text="",
        profile="full",
        title=f"A/A pair {number}",
        description="The same device twice.",
        source=None,
        devices=dict.fromkeys(SIDES, device),
        baseline=Baseline(device=SIDES[0]),
        parameters=parameters,
        axes={},
        measure=measure,
        published=(),
        claims=(),
        cells=tuple(
            Cell(
                spec=name,
                profile="full",
                device=side,
                point={},
                repeat=repeat,
                seed=1000 * number + repeat,
                workload=workload,
                device_spec=device,
                measure=measures[side],
            )
            for repeat in range(processes)
            for side in SIDES
        ),
    )


def measure(specs: Sequence[Spec], store: Store, *, fork: bool) -> str:
    """Measure what is not yet measured; returns the signal that stopped it, if one did."""
    machine = inventory().machine
    plan = make_plan(
        (cell for spec in specs for cell in spec.cells),
        earlier=lambda key: store.get(key, machine),
        unavailable=lambda _: None,
    )
    documents = tuple(plan_document(spec, {}) for spec in specs)
    prepared = Prepared(Request((), store.root), plan, documents, store, machine, ())
    return carry_out(prepared, PlainLines(sys.stdout), Workspace(), fork=fork).stopped_by


def compared(specs: Sequence[Spec], store: Store) -> Iterator[dict[str, Any]]:
    """Each pair as the product compares it."""
    machine = inventory().machine
    for spec in specs:
        found = (store.get(cell.key, machine) for cell in spec.cells)
        records = [record for record in found if record is not None]
        plan = plan_document(spec, {})
        frame = speedups_frame(plan, speedups_of(plan, results_of(plan, records)))
        row = next(row for row in rows_of(frame) if row["device"] == SIDES[1])
        kept = ("n", "n_baseline", "paired", "speedup", "low", "high", "verdict", "reason")
        yield (
            {"pair": spec.name}
            | {name: _plain(row[name]) for name in kept}
            | {
                "warnings": sorted(
                    {warned.kind for record in records for warned in record.warnings}
                ),
                "started_at": min((record.started_at for record in records), default=""),
            }
        )


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not isfinite(value) else value


def judged(different: int, pairs: int) -> dict[str, float]:
    """What so many wrong verdicts of so many say of the true share of wrong verdicts.

    Returns:
        `share` observed; `low` and `high` of its 95 % interval (Clopper & Pearson 1934);
        `p`, the probability of at least so many were the true share 5 %; `most`, the
        largest number of wrong verdicts that would still be credible.
    """
    low = beta.ppf(0.025, different, pairs - different + 1) if different else 0.0
    high = beta.ppf(0.975, different + 1, pairs - different) if different < pairs else 1.0
    most = max(k for k in range(pairs + 1) if binom.sf(k - 1, pairs, ALLOWED) >= 0.05)
    return {
        "share": different / pairs,
        "low": float(low),
        "high": float(high),
        "p": float(binom.sf(different - 1, pairs, ALLOWED)),
        "most": most,
    }


def told(rows: Sequence[dict[str, Any]]) -> tuple[list[str], dict[str, Any]]:
    """What came out, in lines and as values."""
    verdicts = Counter(row["verdict"] for row in rows)
    with_interval = [row for row in rows if row["low"] is not None and row["high"] is not None]
    pairs, different = len(with_interval), verdicts["FASTER"] + verdicts["SLOWER"]
    values: dict[str, Any] = {"pairs": pairs, "different": different, "verdicts": dict(verdicts)}
    if not pairs:
        return ["No pair has an interval: nothing can be said."], values
    outside = sum(not row["low"] <= 1 <= row["high"] for row in with_interval)
    found = judged(different, pairs)
    lines = [
        ", ".join(f"{count} {name}" for name, count in sorted(verdicts.items())),
        (
            f"{different} of {pairs} pairs were called different: {found['share']:.1%} "
            f"(at most {ALLOWED:.0%} is promised)"
        ),
        (
            f"true share, by this many pairs: {found['low']:.1%} to {found['high']:.1%} "
            "(95 % interval, Clopper–Pearson)"
        ),
        (
            f"were it {ALLOWED:.0%}, {different} or more would be seen with probability "
            f"{found['p']:.2f}; up to {found['most']} of {pairs} are credible"
        ),
        f"{outside} of {pairs} intervals leave out 1 (small differences count as SAME)",
    ]
    return lines, values | found | {"intervals_without_1": outside}


def report(
    options: argparse.Namespace, rows: Sequence[dict[str, Any]], records: Sequence[Record]
) -> int:
    """Print and save what came out; returns the exit code."""
    for row in rows:
        ratio = "no ratio" if row["speedup"] is None else f"{row['speedup']:.4f}"
        ends = "" if row["low"] is None else f" ({row['low']:.4f} to {row['high']:.4f})"
        print(f"{row['pair']}  {ratio}{ends}  {row['verdict']}  {row['reason']}".rstrip())
    lines, values = told(rows)
    print(*lines, sep="\n")
    environment = records[0].environment if records else None
    document = {
        "processes": options.processes,
        "size": options.size,
        "count": options.count,
        "forked": options.fork,
        "environment": environment.model_dump(mode="json") if environment else None,
        "summary": values,
        "pairs": list(rows),
    }
    options.out.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    print(f"saved in {options.out}")
    return int(values.get("p", 1.0) < 0.05)


def main() -> int:
    """Measure, print, save, judge."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pairs", type=int, default=30)
    parser.add_argument("--processes", type=int, default=3, help="of each side; at least 2")
    parser.add_argument("--size", type=int, default=1024, help="rows of the matrices")
    parser.add_argument("--count", type=int, default=25, help="products in each of six calls")
    parser.add_argument("--results", type=Path, help="keep records here, and go on from them")
    parser.add_argument("--out", type=Path, default=Path("aa_pairs.json"))
    parser.add_argument("--no-fork", dest="fork", action="store_false", help="start every process")
    options = parser.parse_args()
    if options.pairs < 1 or options.processes < 2:
        parser.error("at least one pair, and two processes of each side")
    specs = [
        pair(each, options.processes, options.size, options.count) for each in range(options.pairs)
    ]
    with tempfile.TemporaryDirectory() as folder:
        store = Store(options.results or Path(folder) / "results")
        stopped = measure(specs, store, fork=options.fork)
        rows = [row for row in compared(specs, store) if row["n"] and row["n_baseline"]]
        code = report(options, rows, list(store.records())[:1])
    return 2 if stopped else code


if __name__ == "__main__":
    sys.exit(main())
