"""The speedups as a table of texts, and the closing lines of a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import isfinite
from pathlib import Path
from typing import Any

import pandas as pd

from accelreport.analysis.outcome import Outcome, outcome_of
from accelreport.analysis.speed_findings import forward
from accelreport.analysis.stats import Verdict
from accelreport.report.claim_text import STATES, counts, next_steps, with_margin
from accelreport.report.frames import SPEEDUP_COLUMNS, speedups_frame
from accelreport.report.notices import notices_of
from accelreport.report.pages.sections.claims import names_of
from accelreport.report.quantity import duration, plural, ratio, ratio_interval
from accelreport.report.say import Speaker
from accelreport.report.view import BenchmarkView, views
from accelreport.report.warning_text import warning_title
from accelreport.results.plan_document import PlanDocument
from accelreport.results.privacy import without_names
from accelreport.results.store import Store
from accelreport.terminal import run_text
from accelreport.terminal.claims import claim_lines
from accelreport.terminal.say import columns

TIMED = "mean step or call"
COLUMNS = ("benchmark", "point", "device", "processes", TIMED, "speedup", "verdict")
"""Headings of a table of several benchmarks; the table of a single one names the kind of its
times.
"""

FIXED = frozenset({"spec", "profile", *SPEEDUP_COLUMNS})
"""Columns of `Results.speedups` that are not swept keys."""


MOST_NAMED = 5
"""Undecided comparisons that are named at the end of a run."""

MOST_ROWS = 40
"""Number of rows of a benchmark at the end of a run; its page shows all of them."""


def summary_text(folder: Path, speedups: pd.DataFrame) -> str:
    """The speedups of a results folder in columns of equal width, then what was not measured."""
    lines = columns([COLUMNS, *table_rows(speedups)])
    return "\n".join([table_title(folder, speedups), *lines, *absences(speedups)])


def answers(
    store: Store,
    plans: Sequence[PlanDocument],
    command: str = "accelreport run",
    elsewhere: str = "",
) -> Iterator[str]:
    """The results of some plans for the end of a run, as lines for a terminal.

    Each benchmark has its headline and its kinds of warnings. A single one also has the table of
    its speedups and its claims with their states and numbers; of several, what is decided follows
    together. Then come what is not decided, what needs a device, and the next step, each with its
    command, and notes about all benchmarks, such as synthetic data or extrapolated totals.

    Args:
        store: the results folder; only the records of these plans are read.
        plans: the plans as the run began with them; repeats that it added count, too.
        command: the command of the run, without its profile and other options.
        elsewhere: the option that names the results folder; empty for the usual one.
    """
    benches = measured_now(store, plans)
    tried = [b for b in benches if any(row.ran for row in b.results)]
    for bench in tried or benches:
        yield ""
        yield f"{bench.plan.title} ({bench.plan.spec}, {bench.plan.profile})"
        speaker = Speaker(bench)
        verdict = f": {STATES[speaker.claim.state]}" if speaker.claim else ""
        yield f"  {speaker.headline()}{verdict}. {speaker.below(speaker.answered())}".rstrip()
        if len(benches) == 1:
            yield from (f"  {line}" for line in _table_and_claims(bench))
        if warned := _warned(bench):
            yield f"  ⚠ {warned}"
    outcome = outcome_of(benches)
    yield from _decided(outcome) if len(benches) > 1 else ()
    yield from _waiting(outcome, command, elsewhere)
    notices = [f"⚠ {notice.title} {notice.text}" for notice in notices_of(benches)]
    if notices:
        yield from ("", *notices)


def _table_and_claims(bench: BenchmarkView) -> Iterator[str]:
    first = 1 if bench.axes else 2
    rows = [
        row[first:]
        for row in (
            tuple(f"mean {bench.words.step}" if name == TIMED else name for name in COLUMNS),
            *table_rows(named(bench, speedups_frame(bench.plan, bench.compared))),
        )
    ]
    # A single row would repeat the headline.
    yield from columns(rows[: MOST_ROWS + 1]) if len(rows) > 2 else ()
    if len(rows) > MOST_ROWS + 1:
        yield f"and {plural(len(rows) - MOST_ROWS - 1, 'more row')} in the report"
    if bench.tested:
        yield from claim_lines(bench.tested, names_of(bench))


def _decided(outcome: Outcome[BenchmarkView]) -> Iterator[str]:
    """The decided comparisons with their intervals, the largest first, and the decided claims."""
    yield from ("", f"Decided: {counts(outcome)}")
    for bench, finding in outcome.comparisons:
        speaker, value = Speaker(bench), forward(finding.values[0])
        runs = f", in {runs}" if (runs := speaker.runs(value)) else ""
        compared = f"{speaker.begun(speaker.compared(value))}{runs}"
        text = speaker.title(finding) if finding.is_sentence else compared
        yield f"  {text} ({speaker.interval(value)}, {bench.plan.spec})"
    for claim in outcome.claims:
        yield f"  {STATES[claim.state]}: {with_margin(claim.claim)} ({claim.spec}, {claim.profile})"


def _waiting(outcome: Outcome[BenchmarkView], command: str, elsewhere: str) -> Iterator[str]:
    """What is not decided, and what needs a device or a model, each with its command."""
    for step in next_steps(outcome, command, elsewhere):
        yield from ("", step.title, *[f"  {step.detail}"] * bool(step.detail))
        for bench, finding in step.comparisons[:MOST_NAMED]:
            speaker, value = Speaker(bench), forward(finding.values[0])
            inner = ", ".join(filter(None, (speaker.interval(value), speaker.runs(value))))
            compared = speaker.begun(speaker.compared(value))
            yield f"  {compared} ({inner}, {bench.plan.spec})"
        if (more := len(step.comparisons) - MOST_NAMED) > 0:
            yield f"  and {more} more"
        timed = isfinite(step.seconds)
        about = f"about {run_text.duration(step.seconds)}" if timed else ""
        if step.command:
            yield f"  {step.command}{f'   ({about})' * bool(about)}"


def measured_now(store: Store, plans: Sequence[PlanDocument]) -> list[BenchmarkView]:
    """What the results folder holds of some plans, with the repeats that were added to them."""
    now = [store.plan(plan.spec, plan.profile) or plan for plan in plans]
    places = store.machines({cell.key for plan in now for cell in plan.cells})
    records = [store.get(key, machine) for key, machines in places.items() for machine in machines]
    return views(now, [record for record in records if record is not None])


def _warned(bench: BenchmarkView) -> str:
    """Every kind of warning of a benchmark's cells, with the number of these."""
    rows = [row for row in bench.results if row.measured]
    counts = Counter(kind for row in rows for kind in {warning.kind for warning in row.warnings})
    every = {len(rows): "every measured cell"} if all(row.timed for row in rows) else {}
    texts = (
        f"{warning_title(kind)}: {every.get(count) or plural(count, 'cell')}"
        for kind, count in sorted(counts.items(), key=lambda own: (-own[1], own[0]))
    )
    return "; ".join(texts)


def table_title(folder: Path, speedups: pd.DataFrame) -> str:
    """The folder without names, since notebooks are published, and its number of benchmarks."""
    benchmarks = speedups[["spec", "profile"]].drop_duplicates() if len(speedups) else speedups
    return f"{without_names(str(folder))}: {plural(len(benchmarks), 'benchmark')}"


def table_rows(speedups: pd.DataFrame) -> Iterator[tuple[str, ...]]:
    """The texts of each measured row, by `COLUMNS`."""
    axes = [name for name in speedups.columns if name not in FIXED]
    for row in speedups.to_dict("records"):
        if pd.isna(row["speedup"]):
            continue
        point = ", ".join(f"{axis}={row[axis]}" for axis in axes if not pd.isna(row[axis]))
        yield (
            f"{row['spec']} ({row['profile']})",
            point,
            str(row["device"]),
            str(row["n"]),
            duration(row["seconds"]),
            _speedup(row),
            # A withheld speedup, or a missing verdict, has its reason beside it.
            ": ".join(filter(None, (str(row["verdict"]), row["withheld"] or row["reason"]))),
        )


def absences(speedups: pd.DataFrame) -> list[str]:
    """A line for each device and reason for which rows were not measured."""
    rows = (row for row in speedups.to_dict("records") if pd.isna(row["speedup"]))
    counts = Counter((row["device"], row["reason"]) for row in rows)
    return [
        f"not measured, {plural(count, 'row')}: {device}: {reason}"
        for (device, reason), count in sorted(counts.items())
    ]


def _speedup(row: dict[Any, Any]) -> str:
    """The speedup with its interval; a single process has none."""
    if row["verdict"] == Verdict.BASELINE:
        return "1×"
    speedup = ratio(row["speedup"], row["low"], row["high"])
    if pd.isna(row["low"]):
        return f"{speedup} (no interval)"
    return f"{speedup} ({ratio_interval(row['low'], row['high'], row['speedup'])})"


def named(bench: BenchmarkView, frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with the names of its benchmark as first columns."""
    named = frame.copy()
    named.insert(0, "profile", bench.plan.profile)
    named.insert(0, "spec", bench.plan.spec)
    return named
