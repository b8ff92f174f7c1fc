"""What became of the claims of specs: lines for a terminal, and rows for a program."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isfinite
from typing import Any

from accelreport.analysis.benchmark import Benchmark
from accelreport.analysis.claims import ClaimResult, ClaimState, distinct
from accelreport.report.claim_text import STATES, claims_frame, claims_sentence, numbers_text
from accelreport.report.quantity import plural
from accelreport.results.store import Store
from accelreport.terminal.listings import plan_records

MOST_NUMBERS = 3
"""Numbers below a claim; the report and the JSON have all."""

OPEN = (ClaimState.UNDECIDED, ClaimState.WITHHELD, ClaimState.NOT_MEASURED)
"""States of a claim whose devices were tried, and of which nothing is decided."""

FAILING = {"refuted": {ClaimState.REFUTED}, "undecided": {ClaimState.REFUTED, *OPEN}}
"""What `--fail-if` names → the states that it means."""

TESTED = {ClaimState.CONFIRMED, ClaimState.REFUTED, *OPEN}
"""States of a claim of which something was tried here."""


def benchmarks_of(store: Store) -> Iterator[Benchmark]:
    """The benchmarks of a results folder that make claims, one after the other."""
    for plan in store.plans():
        if plan.claims:
            yield Benchmark(plan, plan_records(store, plan))


def claim_lines(results: Sequence[ClaimResult]) -> Iterator[str]:
    """How many claims are in which state; then each with its state, and below it its numbers."""
    yield claims_sentence(results)
    every = distinct(results)
    width = max(len(STATES[one.state][0]) for one in every)
    for one in every:
        yield f"  {STATES[one.state][0]:{width}}  {one.claim.text}"
        shown = numbers_text(replace(one, numbers=one.numbers[:MOST_NUMBERS]))
        if more := len(one.numbers) - MOST_NUMBERS:
            shown += f"; and {plural(more, 'more number')}" if more > 0 else ""
        if shown:
            yield f"  {'':{width}}  {shown}"


def claim_rows(bench: Benchmark) -> list[dict[str, Any]]:
    """Every claim of a benchmark on every machine, as JSON has it."""
    frame = claims_frame(bench.plan, bench.tested)
    return [
        {"spec": bench.plan.spec, "profile": bench.plan.profile}
        | {str(name): _plain(value) for name, value in row.items()}
        for row in frame.to_dict("records")
    ]


def _plain(value: Any) -> Any:
    """A value without numbers that JSON has not."""
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not isfinite(value) else value
