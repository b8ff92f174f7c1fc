"""What the gate says of slowdowns that are put into a program, and of none, on a busy machine.

OLD and NEW are one function of Python whose text differs in how much work it does. They run in
turns, as a careful person measures them, while other processes keep the machine busy. Then the
product compares the two as it compares any two results folders:

* `--repetitions` times with a slowdown of 30 %, and as often with none: the gate must say FAILS of
  the first, and never of the second. Where it is OPEN, as many repeats follow as it asks for;
* `--injected` times with slowdowns around the size that `accelreport noise` predicts, by pairs of
  processes of OLD measured before: the power that is predicted against the share that is shown.

    python benchmarks/slowdowns.py [--repeats 5] [--repetitions 20] [--injected 50]

With --results, an interrupted run goes on where it was. Ends with 1 where the gate said FAILS of no
change or never said it of 30 %, and with 2 when it was interrupted.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from math import expm1, log1p, sqrt
from pathlib import Path

from scipy.stats import t as student

from accelreport.analysis.compare import Gate
from accelreport.analysis.noise import noise_of
from accelreport.analysis.results import results_of
from accelreport.machine.inventory import inventory
from accelreport.report.comparison import ComparisonRow, compare_folders
from accelreport.results.plan_document import plan_document
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
from accelreport.workloads.python_step import PythonParameters

STEP = """\
# {side}
import numpy as np


def build(batch_size, seed):
    random = np.random.default_rng(seed)
    weights = random.random((64, 64))

    def step(rows):
        return sum(float((rows @ weights).sum()) for _ in range({work}))

    return step, [random.random((batch_size, 64))]
"""

WORK = 1000
"""Products in a step without a slowdown: some 10 ms."""

AROUND = (0.75, 1.0, 1.25)
"""Sizes of the injected slowdowns, as multiples of the one that is predicted to be shown."""

MOST_ROUNDS = 3
"""How often further repeats follow."""

DEVICE = Device(kind="CPU")


def experiment(name: str, slowdowns: Mapping[str, float], repeats: int, calls: int) -> Spec:
    """Sides that run in turns, each a cell with so much work added."""
    measure = Measure(repeats=repeats, budget=60, timeout=300, calls=calls, warmup_calls=5)
    number = int(name.partition("_")[2])
    cells = []
    for repeat in range(repeats):
        for side, slowdown in slowdowns.items():
            text = STEP.format(side=side, work=round(WORK * (1 + slowdown)))
            parameters = PythonParameters(file="step.py", document=text, batch_size=32)
            cell = Cell(
                spec=name,
                profile="full",
                device=side,
                point={},
                repeat=repeat,
                seed=1000 * number + repeat,
                workload=parameters.model_dump(mode="json"),
                device_spec=DEVICE,
                measure=measure,
            )
            cells.append(cell)
    return Spec(
        name=name,
        path=Path(f"{name}.toml"),
        text="",
        profile="full",
        title=name,
        description="",
        source=None,
        devices=dict.fromkeys(slowdowns, DEVICE),
        baseline=Baseline(device=next(iter(slowdowns))),
        parameters=PythonParameters.model_validate(cells[0].workload),
        axes={},
        measure=measure,
        published=(),
        claims=(),
        cells=tuple(cells),
    )


def measured(specs: Sequence[Spec], store: Store) -> None:
    """Measure what is not yet measured; ends the program where somebody stopped it."""
    machine = inventory().machine
    plan = make_plan(
        (cell for spec in specs for cell in spec.cells),
        earlier=lambda key: store.get(key, machine),
        unavailable=lambda _: None,
    )
    documents = tuple(plan_document(spec, {}) for spec in specs)
    prepared = Prepared(Request((), store.root), plan, documents, store, machine, ())
    if carry_out(prepared, PlainLines(sys.stdout), Workspace()).stopped_by:
        sys.exit(2)


def side_of(spec: Spec, side: str, store: Store, folder: Path) -> Store:
    """A results folder that holds one side, as if it had been measured by itself."""
    alone = Store(folder)
    cells = [
        cell.model_copy(update={"device": "cpu"}) for cell in spec.cells if cell.device == side
    ]
    whole = replace(
        spec, devices={"cpu": DEVICE}, baseline=Baseline(device="cpu"), cells=tuple(cells)
    )
    alone.write_plan(plan_document(whole, {}))
    machine = inventory().machine
    for cell in cells:
        record = store.get(cell.key, machine)
        if record is not None:
            alone.write(record.model_copy(update={"cell": cell}))
    return alone


def compared(spec: Spec, store: Store, new: str, margin: float) -> ComparisonRow:
    """OLD and one of the sides, as the product compares them."""
    with tempfile.TemporaryDirectory() as folder:
        before, after = (side_of(spec, s, store, Path(folder, s)) for s in ("old", new))
        (row,) = compare_folders(before, after, margin).rows
        return row


def followed(
    spec: Spec, side: str, slowdown: float, store: Store, margin: float
) -> Iterator[ComparisonRow]:
    """The comparison, and where its gate is OPEN the one after the repeats that would tell."""
    yield (row := compared(spec, store, side, margin))
    for _ in range(MOST_ROUNDS):
        if row.gate is not Gate.OPEN or not row.gate_needed:
            return
        repeats = spec.measure.repeats + row.gate_needed
        spec = experiment(
            spec.name, {"old": 0.0, side: slowdown}, repeats, calls=spec.measure.calls
        )
        measured([spec], store)
        yield (row := compared(spec, store, side, margin))


def spread_of(spec: Spec, store: Store) -> tuple[float, int]:
    """What `accelreport noise` finds on pairs of OLD: their spread, and how many pairs have one."""
    with tempfile.TemporaryDirectory() as folder:
        alone = side_of(spec, "old", store, Path(folder))
        (plan,) = alone.plans()
        records = {record.key: record for record in alone.records()}
        timed = [
            (records[result.key], result.seconds)
            for result in results_of(plan, records.values())
            if result.seconds is not None
        ]
    noise = noise_of("", timed)
    if noise is None:
        sys.exit("Too few processes have a time.")
    return noise.spread, noise.pairs


def power(slowdown: float, spread: float, repeats: int) -> float:
    """The probability that so many repeats show a slowdown, as `Noise.shown_by` has it at 80 %."""
    distance = log1p(slowdown) * sqrt(repeats) / spread
    return float(student.cdf(distance - student.ppf(0.975, repeats - 1), repeats - 1))


def least_shown(spread: float, repeats: int) -> float:
    """The slowdown that is predicted to be shown with a probability of 80 %."""
    quantiles = student.ppf(0.975, repeats - 1) + student.ppf(0.8, repeats - 1)
    return expm1(float(quantiles) * spread / sqrt(repeats))


def spin() -> None:
    """Keep a processor busy."""
    while True:
        sum(range(10_000))


@contextmanager
def busy(processes: int) -> Iterator[None]:
    """So many other processes that compute."""
    started = [multiprocessing.Process(target=spin, daemon=True) for _ in range(processes)]
    for process in started:
        process.start()
    try:
        yield
    finally:
        for process in started:
            process.kill()
            process.join()


def main() -> int:
    """Measure, and print two tables in Markdown."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5, help="processes of each side")
    parser.add_argument("--repetitions", type=int, default=20, help="with 30 percent, and with 0")
    parser.add_argument("--injected", type=int, default=50, help="slowdowns around the predicted")
    parser.add_argument("--margin", type=float, default=0.1, help="of the gate")
    parser.add_argument("--calls", type=int, default=100, help="steps of a process")
    parser.add_argument("--load", type=int, default=1, help="other processes that compute")
    parser.add_argument("--results", type=Path, help="keep records here, and go on from them")
    options = parser.parse_args()
    n, calls = options.repeats, options.calls
    with tempfile.TemporaryDirectory() as folder, busy(options.load):
        store = Store(options.results or Path(folder) / "results")
        noise = experiment("noise_999", {"old": 0.0}, 20, calls)
        judged = [
            experiment(f"gate_{number:03}", {"old": 0.0, "same": 0.0, "slow": 0.3}, n, calls)
            for number in range(options.repetitions)
        ]
        measured([noise, *judged], store)
        spread, pairs = spread_of(noise, store)
        print(f"spread of {pairs} pairs: {spread:.3f}; {n} repeats of each side")
        print("| slowdown | repeats | FAILS | OPEN | PASSES | not compared |")
        print("| --: | --: | --: | --: | --: | --: |")
        wrong = 0
        for side, slowdown in (("slow", 0.3), ("same", 0.0)):
            lines = [[*followed(spec, side, slowdown, store, options.margin)] for spec in judged]
            most = max(line[-1].new_processes for line in lines)
            for repeats, at in ((f"{n}", 0), (f"{n} to {most}", -1)):
                gates = Counter(line[at].gate for line in lines)
                cells = [gates[gate] for gate in (Gate.FAILS, Gate.OPEN, Gate.PASSES, None)]
                print(f"| {slowdown:.0%} | {repeats} | {' | '.join(map(str, cells))} |")
            failed = sum(any(row.gate is Gate.FAILS for row in line) for line in lines)
            wrong += len(lines) - failed if slowdown else failed
        least = least_shown(spread, n)
        sizes = {f"slow-{factor}": factor * least for factor in AROUND}
        injected = [
            experiment(f"power_{500 + number}", {"old": 0.0, **sizes}, n, calls)
            for number in range(-(-options.injected // len(sizes)))
        ]
        measured(injected, store)
        print("| injected | predicted power | shown | of |\n| --: | --: | --: | --: |")
        for side, size in sizes.items():
            rows = [compared(spec, store, side, 0.0) for spec in injected]
            shown = sum(row.high is not None and row.high < 1 for row in rows)
            print(f"| {size:.0%} | {power(size, spread, n):.0%} | {shown} | {len(rows)} |")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
