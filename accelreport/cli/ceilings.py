"""`accelreport laws`: what models say beyond the measured points."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from accelreport.cli.options import RESULTS, SPECS, DevicesFile, Profile, Results, Specs
from accelreport.errors import ExitCode

if TYPE_CHECKING:
    from accelreport.analysis.timed_sweeps import TimedSweep
    from accelreport.report.view import BenchmarkView
    from accelreport.spec.cells import SpecSet


LAWS_EXAMPLES = """\b
What is fitted:
  The time of a step is a fixed cost plus a cost for each example, t(b) = a + b/r (Hockney and
  Jesshope 1981). Where a spec sweeps a batch size, units or another size over at least three
  values, this model is fitted to the measured times and, separately, to the [[published]] ones.
  It is rejected where a time deviates from it by more than 10 %.

\b
Examples:
  accelreport laws specs/mnist_batch_sweep.toml
  accelreport laws specs/ --profile quick --results results

\b
Exit codes: 0 fitted, 3 a spec has an error, 5 there is nothing to fit, 7 the results cannot be
read.
"""


def laws(
    specs: Specs = SPECS,
    *,
    results: Results = RESULTS,
    profile: Profile = None,
    devices_file: DevicesFile = None,
) -> None:
    """Fit each device's fixed cost and rate: why the speedup depends on the batch size."""
    from accelreport.loader.load import load
    from accelreport.terminal.say import say

    lines = 0
    read = load(specs, profile=profile, devices_file=devices_file)
    for bench in benches(read, results):
        swept = [sweep for sweep in bench.timed_sweeps if sweep.fit.residuals]
        if swept:
            lines += 1
            say(*law_lines(bench, swept))
    if not lines:
        say("nothing to fit: no spec has measured or published times of a size at three values")
        raise typer.Exit(ExitCode.NOTHING_RAN)


def benches(read: SpecSet, results: Path) -> Iterator[BenchmarkView]:
    """Each spec with its records; without a results folder, with none."""
    from accelreport.report.theme import device_colours
    from accelreport.report.view import BenchmarkView
    from accelreport.results.plan_document import plan_document
    from accelreport.results.store import existing
    from accelreport.terminal.say import tell_unread

    held = []
    if results.is_dir():
        store = existing(results)
        held = list(store.records())
        tell_unread(store.problems)
    for spec in read.specs:
        plan = plan_document(spec, {})
        keys = {cell.key for cell in plan.cells}
        records = {(record.key, record.machine): record for record in held if record.key in keys}
        yield BenchmarkView(plan, records, device_colours(plan.devices))


def law_lines(bench: BenchmarkView, sweeps: Sequence[TimedSweep]) -> Iterator[str]:
    """A table of a spec's laws, and a sentence for each comparable pair, by sweep point."""
    from accelreport.report.law_text import fixed_text, pair_sentence, split_sentence

    yield f"{bench.plan.title} ({bench.plan.profile} profile), a model:"
    for where in dict.fromkeys(map(fixed_text, sweeps)):
        here = [sweep for sweep in sweeps if fixed_text(sweep) == where]
        if where:
            yield f"  at {where}:"
        yield from _table(bench, here)
        for sweep in here:
            if sentence := split_sentence(_name(bench, sweep), sweep):
                yield f"  {sentence}"
        for pair in bench.law_pairs:
            if pair.own in here:
                yield f"  {pair_sentence(pair, lambda name: _name(bench, name))}"
    yield ""


def _table(bench: BenchmarkView, sweeps: Sequence[TimedSweep]) -> Iterator[str]:
    from accelreport.report.law_text import columns, costs, refusal_text, worst
    from accelreport.report.quantity import percent
    from accelreport.terminal.say import columns as columns_of

    rows = [["", *columns(sweeps)]]
    refused = []
    for sweep in sweeps:
        name = f"{_name(bench, sweep)}{', published' if sweep.published else ''}"
        if sweep.fit.law is None:
            refused.append(f"  {name}: no law, {refusal_text(sweep.fit)}")
            continue
        values = [f"{value} ({span})" if span else value for value, span in costs(sweep.fit, sweep)]
        rows.append([name, *values, percent(worst(sweep.fit), 1)])
    yield from (f"  {line}" for line in columns_of(rows) if len(rows) > 1)
    yield from refused


def _name(bench: BenchmarkView, sweep: TimedSweep) -> str:
    return sweep.label if sweep.published else f"{bench.title_of(sweep.device)} @ {sweep.machine}"
