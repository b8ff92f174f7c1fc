"""What several benchmarks decide, what decides the rest, and what that needs.

The end of a run and the front page say it in this order: what is decided; what is not, with the
command that decides it and its time here; what needs a device; and a model of one's own.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Generic, TypeVar

from accelreport.analysis.benchmark import Benchmark
from accelreport.analysis.claim_rules import of_quality, places_of
from accelreport.analysis.claims import ClaimResult, ClaimState, distinct
from accelreport.analysis.findings import COMPARED, Finding, Kind, Subject, Value
from accelreport.analysis.overview import on_machines
from accelreport.analysis.published import stated_budget
from accelreport.analysis.results import MISSING, Result, point_key
from accelreport.analysis.sequential import LOOKS, UntilDecided
from accelreport.analysis.speed_findings import (
    comparison_findings,
    compiled_findings,
    difference_of,
    gain_findings,
    ratio_of,
    said_kind,
)
from accelreport.analysis.speedup import groups_of, rules_of
from accelreport.analysis.stats import DECIDED, Verdict, grouped
from accelreport.results.plan_document import profile_of
from accelreport.spec.base import Scalar
from accelreport.spec.source import FULL

B = TypeVar("B", bound=Benchmark)


@dataclass(frozen=True)
class Rerun(Generic[B]):
    """What a further run with `--until-decided` may decide.

    Attributes:
        profile: the profile to run.
        settings: dotted keys with other values than the spec's, the budget among them.
        specs: of the benchmarks that it is about; empty where it continues all benchmarks.
        comparisons: the undecided ones, each with its benchmark.
        claims: those that its plans can decide: undecided, or of cells that were not run yet.
        missing: benchmarks of which nothing was measured yet, although a device of theirs is here.
        seconds: the further repeats that their intervals ask for, and the cells that were not
            begun, by the cells measured so far.
    """

    profile: str
    settings: Mapping[str, Scalar]
    specs: tuple[str, ...]
    comparisons: tuple[tuple[B, Finding], ...]
    claims: tuple[ClaimResult, ...]
    missing: tuple[B, ...]
    seconds: float

    @property
    def options(self) -> str:
        """The options that go on with these plans."""
        return shlex.join([*_options(self.profile, self.settings), "--until-decided"])

    @property
    def command(self) -> str:
        """The command that goes on with these plans."""
        specs = [f"specs/{spec}.toml" for spec in self.specs] or ["specs/"]
        return f"{shlex.join(['accelreport', 'run', *specs])} {self.options}"


@dataclass(frozen=True)
class Outcome(Generic[B]):
    """What was found, and what is next.

    Attributes:
        comparisons: decided ones, each with its benchmark and one value; the largest first
            (`Value.at_least`), those that are the same last. Some are no sentence (`Kind.TABLED`).
        beyond: undecided ones that need more repeats than `--until-decided` adds.
        claims_beyond: the same of claims.
        claims: those that are confirmed or refuted.
        reruns: what further repeats decide, by profile.
        unmeasured: claims about what this profile does not measure, or of data that it does not
            read.
        device: claims that need a device which was not tried.
        own: whether a model or step of one's own is among the benchmarks.
    """

    comparisons: tuple[tuple[B, Finding], ...]
    beyond: tuple[tuple[B, Finding], ...]
    claims_beyond: tuple[ClaimResult, ...]
    claims: tuple[ClaimResult, ...]
    reruns: tuple[Rerun[B], ...]
    unmeasured: tuple[ClaimResult, ...]
    device: tuple[ClaimResult, ...]
    own: bool

    @property
    def undecided(self) -> tuple[tuple[B, Finding], ...]:
        """Every undecided comparison, those first that further repeats may decide."""
        return (*(pair for rerun in self.reruns for pair in rerun.comparisons), *self.beyond)

    @property
    def open(self) -> tuple[ClaimResult, ...]:
        """Every claim that needs no other device, those first that a further run may decide."""
        rerun = (claim for rerun in self.reruns for claim in rerun.claims)
        return (*rerun, *self.claims_beyond, *self.unmeasured)


def outcome_of(benches: Sequence[B]) -> Outcome[B]:
    """The outcome of some benchmarks."""
    compared = [(bench, finding) for bench in benches for finding in comparisons_of(bench)]
    every = distinct(claim for bench in benches for claim in bench.tested)
    states = grouped(every, lambda claim: claim.state)
    measured = [row for bench in benches for row in bench.results if row.measured]
    here = {row.kind for row in measured}
    missing = {
        bench.plan.spec: bench
        for bench in benches
        if here and not any(row.machine for row in bench.results if _kind(bench, row) in here)
    }
    repeated = [(bench, claim) for bench in benches for claim in _by_repeats(bench, every, here)]
    waiting = {id(claim) for _, claim in repeated}
    wide = tuple(claim for _, claim in repeated if claim.needed > LOOKS[-1])
    repeated = [pair for pair in repeated if pair[1].needed <= LOOKS[-1]]
    open_ = [(bench, f) for bench, f in compared if f.kind is Kind.UNDECIDED]
    undecided = [(bench, f) for bench, f in open_ if further(f.values[0])]
    walls = [row.stages.wall_s for row in measured if row.stages.wall_s >= 0]
    asked = (*(bench for bench, _ in (*undecided, *repeated)), *missing.values())
    reruns = []
    whole = len({repr(_run_of(bench)) for bench in benches}) == 1
    for run in {repr(run): run for run in map(_run_of, asked)}.values():
        own = tuple(pair for pair in undecided if _run_of(pair[0]) == run)
        claims = [pair for pair in repeated if _run_of(pair[0]) == run]
        absent = tuple(bench for bench in missing.values() if _run_of(bench) == run)
        specs = [] if whole else [bench.plan.spec for bench in asked if _run_of(bench) == run]
        alike = [bench for bench in benches if _run_of(bench) == run]
        looked = [bench for bench in alike if whole or bench.plan.spec in specs]
        cells = sum(_waits(bench, row, here) for bench in looked for row in bench.results)
        seconds = _seconds(own, claims, looked) + (cells * fmean(walls) if walls else 0.0)
        tests = tuple(claim for _, claim in claims)
        reruns.append(Rerun(*run, tuple(dict.fromkeys(specs)), own, tests, absent, seconds))
    return Outcome(
        comparisons=tuple(
            sorted(
                (pair for pair in compared if pair[1].kind is not Kind.UNDECIDED),
                key=lambda p: (p[1].kind is Kind.SAME, -p[1].values[0].at_least),
            )
        ),
        beyond=tuple((bench, f) for bench, f in open_ if not further(f.values[0])),
        claims_beyond=wide,
        claims=(*states.get(ClaimState.CONFIRMED, ()), *states.get(ClaimState.REFUTED, ())),
        reruns=tuple(reruns),
        unmeasured=tuple(
            claim
            for state in (ClaimState.UNDECIDED, ClaimState.WITHHELD, ClaimState.NOT_MEASURED)
            for claim in states.get(state, ())
            if id(claim) not in waiting
        ),
        device=tuple(states.get(ClaimState.NEEDS_DEVICE, ())),
        own=any(bench.plan.workload.get("kind") in {"keras", "python"} for bench in benches),
    )


def _run_of(bench: Benchmark) -> tuple[str, dict[str, Scalar]]:
    """The profile and the settings with which a run goes on with a plan."""
    plan = bench.plan
    # A plan that was read anew has the budget of its spec, and the records have their own.
    budgets = [record.cell.measure.budget for record in bench.records.values()]
    budget = max(budgets, default=plan.measure.budget)
    other = {} if budget == stated_budget(plan) else {"measure.budget": f"{budget:g}s"}
    return profile_of(plan), {**plan.overrides, **other}


def _options(profile: str, settings: Mapping[str, Scalar]) -> list[str]:
    settings = dict(settings)
    budget = settings.pop("measure.budget", None)
    options = ["--profile", profile] if profile != FULL else []
    for key, value in settings.items():
        text = str(value).lower() if isinstance(value, bool) else str(value)
        options += ["--set", f"{key}={text}"]
    return [*options, *(["--budget", str(budget)] if budget else [])]


def first_runs(benches: Iterable[Benchmark]) -> list[tuple[list[str], str]]:
    """The specs of benchmarks without a number, each with the options of a run of their plans."""
    plans = grouped(benches, lambda bench: shlex.join(_options(*_run_of(bench))))
    return [([bench.plan.spec for bench in own], options) for options, own in plans.items()]


def comparisons_of(bench: Benchmark) -> list[Finding]:
    """Every comparison with a verdict whose sides differ in one thing, once and with one value.

    This is how all surfaces count: a decided one may be no sentence (`Kind.TABLED`), an undecided
    one is `Kind.UNDECIDED`, and a withheld one is none.
    """
    pairs: dict[frozenset[Subject | None], Finding] = {}
    every = (comparison_findings, compiled_findings, gain_findings, _machines)
    for finding in (finding for find in every for finding in find(bench)):
        for value in finding.values:
            # A quotient of published figures has no verdict.
            judged = value.verdict in {*DECIDED, Verdict.UNDECIDED}
            if judged and len(difference_of(bench, value)) < 2:
                kind = finding.kind if value.verdict in DECIDED else Kind.UNDECIDED
                one = replace(finding, kind=kind, values=(value,), base=None, comparisons=1)
                pairs.setdefault(frozenset({value.of, value.over}), one)
    return list(pairs.values())


def _machines(bench: Benchmark) -> Iterator[Finding]:
    """What is decided of a device on two machines; repeats on one of them decide no more."""
    counts = Counter(row.machine for row in bench.results if row.timed)
    if len(counts) < 2:
        return
    (first, _), *_ = counts.most_common(1)
    rules = rules_of(bench.plan, bench.results)
    rows = [row.over for row in on_machines(groups_of(bench.results), first, rules) if row.over]
    for row in rows:
        if (kind := said_kind(bench, row, len(rows))) in COMPARED:
            yield Finding(kind, (ratio_of(row),), level=rules.level)


def further(value: Value) -> int:
    """The repeats that an undecided comparison still asks for; 0 if no look has them."""
    return _until(value.interval.n, value.needed or 0)


def _until(repeats: int, needed: int = 0) -> int:
    """Repeats from these to the first look that has as many more as are needed; 0 without one."""
    least = max(repeats + needed, repeats + 1)
    return next((look - repeats for look in LOOKS if look >= least), 0)


def _kind(bench: Benchmark, row: Result) -> str:
    return bench.plan.devices[row.device].kind


def _waits(bench: Benchmark, row: Result, here: Collection[str]) -> bool:
    """Whether a cell was not run, although a device of its kind is here."""
    return row.status == MISSING and _kind(bench, row) in here


def _by_repeats(
    bench: Benchmark, claims: Iterable[ClaimResult], here: Collection[str]
) -> Iterator[ClaimResult]:
    """The claims that a further run of the same plan can decide.

    Repeats decide an undecided one; one that was not measured waits for cells, all of which must be
    in the plan: a smaller profile leaves some out.
    """
    rows = grouped(bench.results, lambda row: (row.device, row.where))
    for claim in claims:
        if (claim.spec, claim.profile) != (bench.plan.spec, bench.plan.profile):
            continue
        rule = claim.claim.rule
        places = places_of(bench.plan, bench.results, rule)
        if claim.state is ClaimState.UNDECIDED and places:
            if not (claim.missing or (claim.stand_in and of_quality(rule))):
                yield claim
        elif claim.state is ClaimState.NOT_MEASURED and claim.planned:
            wanted = [(device, point_key(point)) for device, point in places]
            # What tests each model by itself waits for every cell of its device.
            own = [place for place in rows if place[0] == getattr(rule, "of", place[0])]
            groups = [rows.get(place, ()) for place in wanted or own]
            # Where a repeat was measured and has no number for the claim, the next has none either.
            waiting = (
                row for group in groups if not any(r.measured for r in group) for row in group
            )
            if any(_waits(bench, row, here) for row in waiting):
                yield claim


def _seconds(
    comparisons: Iterable[tuple[Benchmark, Finding]],
    claims: Iterable[tuple[Benchmark, ClaimResult]],
    looked: Iterable[Benchmark],
) -> float:
    """Time of the further repeats of every configuration that is asked for, each once.

    Args:
        comparisons: the undecided ones.
        claims: the undecided ones.
        looked: the benchmarks of the run. Its looks may open again what is decided.
    """
    most: dict[object, tuple[int, float]] = {}

    def ask(bench: Benchmark, asked: Iterable[Result], asks: int) -> None:
        timed = (row for row in asked if row.stages.wall_s >= 0)
        groups = grouped(timed, lambda row: (id(bench), row.device, row.machine, row.where))
        for place, own in groups.items():
            repeats, _ = most.get(place, (0, 0.0))
            most[place] = max(repeats, asks), fmean(row.stages.wall_s for row in own)

    for bench, finding in comparisons:
        ask(bench, finding.values[0].processes, further(finding.values[0]))
    for bench, claim in claims:
        places = places_of(bench.plan, bench.results, claim.claim.rule)
        wanted = {(device, point_key(point)) for device, point in places}
        rows = [r for r in bench.results if r.measured and (r.device, r.where) in wanted]
        repeats = min((number.interval.n for number in claim.numbers), default=0)
        ask(bench, rows, _until(repeats, claim.needed - repeats))
    for bench in looked:
        for machine, _ in Counter(r.machine for r in bench.results if r.timed).most_common(1):
            here = [row for row in bench.results if row.machine in {machine, ""}]
            for device, where, repeats in UntilDecided().further(bench.plan, here):
                ask(bench, [r for r in here if (r.device, r.where) == (device, where)], repeats)
    return sum(repeats * wall_s for repeats, wall_s in most.values())
