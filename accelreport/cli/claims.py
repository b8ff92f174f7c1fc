"""`accelreport claims`."""

from __future__ import annotations

import json as json_module
from typing import Annotated, Literal

import typer

from accelreport.cli.build import refreshed
from accelreport.cli.options import RESULTS, SPECS, Json, Results, SpecNames
from accelreport.errors import ExitCode

EXAMPLES = """What is shown:
The claims of the specs that were run, in the words of the current specs/, each with what the
measurements say of it and the numbers behind that: confirmed where the whole 95 % interval fulfils
the rule, refuted where it contradicts it, undecided otherwise. A claim that was measured in several
profiles or on several machines is shown once; JSON has each of them.

\b
The gate, --fail-if:
  refuted    exit code 12 where a claim is refuted
  undecided  the same, and where one is undecided, withheld, or not measured

\b
Examples:
  accelreport claims
  accelreport claims mine:quick --fail-if refuted
  accelreport claims --json | jq '.[] | {text, verdict}'

Exit codes, the first that applies: 7 a folder or a file in it cannot be read, 12 the gate, 9 with
--fail-if where no claim was tested, 0 shown.
"""

FailIf = Annotated[
    Literal["refuted", "undecided"] | None,
    typer.Option("--fail-if", help="Exit code 12 if a claim has this verdict or a worse one."),
]


def claims(
    specs: SpecNames = [],  # noqa: B006 -- Typer copies it
    *,
    results: Results = RESULTS,
    fail_if: FailIf = None,
    json: Json = False,
) -> None:
    """Show what the measurements say of each claim."""
    from accelreport.analysis.claims import distinct
    from accelreport.results.store import existing
    from accelreport.runner.plan_documents import choose
    from accelreport.terminal.claims import (
        FAILING,
        TESTED,
        benchmarks_of,
        claim_lines,
        claim_rows,
    )
    from accelreport.terminal.say import say, tell_unread

    store = refreshed(existing(results), SPECS[0])
    say(*choose(store, only=specs), err=True)
    benches = list(benchmarks_of(store))
    if json:
        rows = [row for bench in benches for row in claim_rows(bench)]
        typer.echo(json_module.dumps(rows, indent=2))
    else:
        for bench in benches:
            say(f"{bench.plan.title} ({bench.plan.spec}, {bench.plan.profile})")
            say(*(f"  {line}" for line in claim_lines(bench.tested)), "")
        if not benches:
            say("No spec that was run makes a claim.")
    tell_unread(store.problems)
    if store.problems:
        raise typer.Exit(ExitCode.BAD_RESULTS)
    if fail_if:
        tested = [one for bench in benches for one in bench.tested]
        states = {one.state for one in distinct(tested)}
        if states & FAILING[fail_if]:
            raise typer.Exit(ExitCode.GATE_CLOSED)
        if not states & TESTED:
            raise typer.Exit(ExitCode.NOTHING_COMPARED)
