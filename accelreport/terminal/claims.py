"""The states of claims: lines for a terminal, and rows for JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from accelreport.analysis.benchmark import Benchmark
from accelreport.analysis.claims import ClaimResult, ClaimState, distinct
from accelreport.report.claim_text import (
    STATES,
    beside_text,
    claims_frame,
    claims_sentence,
    numbers_text,
    with_margin,
)
from accelreport.report.pages.badges import USER_SUPPLIED
from accelreport.results.store import Store
from accelreport.spec.claims import AS_WRITTEN, Names
from accelreport.strict_json import plain
from accelreport.terminal.listings import plan_records

MOST_NUMBERS = 3
"""Numbers below a claim; the report and the JSON have all."""

OPEN = (ClaimState.UNDECIDED, ClaimState.WITHHELD, ClaimState.NOT_MEASURED)
"""States of an undecided claim whose devices were tried."""

FAILING = {"refuted": {ClaimState.REFUTED}, "undecided": {ClaimState.REFUTED, *OPEN}}
"""What `--fail-if` names → the states that it means."""

TESTED = {ClaimState.CONFIRMED, ClaimState.REFUTED, *OPEN}
"""States of a claim whose devices were tried here."""


def benchmarks_of(store: Store) -> Iterator[Benchmark]:
    """The benchmarks of a results folder that make claims, one after the other."""
    for plan in store.plans():
        if plan.claims:
            yield Benchmark(plan, plan_records(store, plan))


def claim_lines(results: Sequence[ClaimResult], names: Names = AS_WRITTEN) -> Iterator[str]:
    """The number of claims in each state, then each claim with its state and its numbers.

    Args:
        results: of one benchmark.
        names: what devices and swept keys are called.
    """
    yield claims_sentence(results)
    every, machines = distinct(results), {one.machine for one in results} - {""}
    width = max(len(STATES[one.state]) for one in every)
    for one in every:
        yield f"  {STATES[one.state]:{width}}  {with_margin(one.claim)}"
        reasons = beside_text(one, names) if one.numbers else []
        reasons += [USER_SUPPLIED.text] * one.own_files
        reasons += [f"machine {one.machine}"] * bool(len(machines) > 1 and one.machine)
        shown = "; ".join(filter(None, (numbers_text(one, names, most=MOST_NUMBERS), *reasons)))
        if shown:
            yield f"  {'':{width}}  {shown}"


def claim_rows(bench: Benchmark) -> list[dict[str, Any]]:
    """Every claim of a benchmark on every machine, as JSON has it."""
    frame = claims_frame(bench.plan, bench.tested)
    return [
        {"spec": bench.plan.spec, "profile": bench.plan.profile}
        | {str(name): plain(value) for name, value in row.items()}
        for row in frame.to_dict("records")
    ]
