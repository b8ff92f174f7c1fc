"""`accelreport laws`."""

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

EXAMPLES = """\b
What is fitted:
  The time of a step is a fixed cost and a cost for each example, t(b) = a + b/r (Hockney and
  Jesshope 1981). Wherever a batch size, units or another size is swept over at least three
  values, that is fitted to what the results folder holds and, apart, to what a spec quotes as
  [[published]]. It is a model: no line is given where a time is further off than 10 %.

\b
Examples:
  accelreport laws specs/mnist_batch_sweep.toml
  accelreport laws specs/ --profile quick --results results

\b
Exit codes: 0 told, 3 a spec has an error, 5 there is nothing to fit, 7 the results cannot be read.
"""


def laws(
    specs: Specs = SPECS,
    *,
    results: Results = RESULTS,
    profile: Profile = None,
    devices_file: DevicesFile = None,
) -> None:
    """Say why a speedup depends on the batch: each device's fixed cost and rate, a model."""
    from accelreport.loader.load import load
    from accelreport.terminal.say import say

    told = 0
    read = load(specs, profile=profile, devices_file=devices_file)
    for bench in benches(read, results):
        swept = [sweep for sweep in bench.timed_sweeps if sweep.fit.residuals]
        if swept or bench.decision_map:
            told += 1
            say(*law_lines(bench, swept))
    if not told:
        say("nothing to fit: no spec sweeps a size over three values that were measured or printed")
        raise typer.Exit(ExitCode.NOTHING_RAN)


def benches(read: SpecSet, results: Path) -> Iterator[BenchmarkView]:
    """Each spec with the records that a results folder holds of it; without one, with none."""
    from accelreport.report.theme import device_colours
    from accelreport.report.view import BenchmarkView
    from accelreport.results.store import existing
    from accelreport.runner.plan_documents import plan_document

    held = list(existing(results).records()) if results.is_dir() else []
    for spec in read.specs:
        plan = plan_document(spec, {})
        keys = {cell.key for cell in plan.cells}
        found = {(each.key, each.machine): each for each in held if each.key in keys}
        yield BenchmarkView(plan, found, device_colours(plan.devices))


def law_lines(bench: BenchmarkView, sweeps: Sequence[TimedSweep]) -> Iterator[str]:
    """A table of a spec's laws, and a sentence for each two that may be compared, by place.

    Generated nets have their map's boundary behind them, and how well its model does.
    """
    from accelreport.report.law_text import fixed_text, pair_sentence, split_sentence

    yield f"{bench.plan.title} ({bench.plan.profile} profile), a model:"
    for where in dict.fromkeys(map(fixed_text, sweeps)):
        here = [sweep for sweep in sweeps if fixed_text(sweep) == where]
        if where:
            yield f"  at {where}:"
        yield from _table(bench, here)
        for sweep in here:
            if said := split_sentence(_name(bench, sweep), sweep):
                yield f"  {said}"
        for pair in bench.law_pairs:
            if pair.own in here:
                yield f"  {pair_sentence(pair, lambda each: _name(bench, each))}"
    if found := bench.decision_map:
        from accelreport.report.heroes.decision_map import boundary_sentence, error_sentence

        yield f"  {boundary_sentence(bench, found)}{error_sentence(found)}"
    yield ""


def _table(bench: BenchmarkView, sweeps: Sequence[TimedSweep]) -> Iterator[str]:
    from accelreport.report.formatting import percent
    from accelreport.report.law_text import columns, costs, refusal_text, worst
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
