"""What the front page says of all workloads together, as findings with the fields of their forms.

A measured comparison has the verdict of its benchmark's page. No published ratio is over a machine
that other programs used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from accelreport.analysis.findings import (
    Caveat,
    Finding,
    Kind,
    Value,
)
from accelreport.analysis.outcome import Outcome, outcome_of
from accelreport.analysis.overview import PrintedRate
from accelreport.analysis.published import UNLIKE
from accelreport.analysis.ranking import ACCELERATORS
from accelreport.analysis.results import Result
from accelreport.analysis.speed_findings import failures, forward, rate_of
from accelreport.analysis.stats import holds_one
from accelreport.report import quantity
from accelreport.report.claim_text import among, decides
from accelreport.report.forms import EVIDENCE, over, say
from accelreport.report.model import Notice
from accelreport.report.pages.badges import kind_text
from accelreport.report.pages.overview import Overview
from accelreport.report.say import Speaker
from accelreport.report.text import label, sentence
from accelreport.report.view import BenchmarkView, processor_kinds
from accelreport.report.warning_text import busy_text, failed_text

LOOSE = 1.5
"""How many times as large as the lower end of its interval a base's rate may be in a title."""


@dataclass(frozen=True)
class FrontFinding:
    """A finding with the fields of its form on the front page.

    Attributes:
        finding: kind and values.
        words: field → its text, where it is not that of the benchmark's page.
        evidence: what stands below it where it is the heading.
        busy: its processes, where other programs ran meanwhile.
        bench: whose finding it is, where it is of one benchmark alone.
    """

    finding: Finding
    words: Mapping[str, str] = field(default_factory=dict)
    evidence: str = ""
    busy: Sequence[Result] = ()
    bench: BenchmarkView | None = None

    @property
    def kind(self) -> Kind:
        """What it says."""
        return self.finding.kind

    @property
    def values(self) -> tuple[Value, ...]:
        """Its numbers."""
        return self.finding.values

    @property
    def title(self) -> str:
        """The finding as a heading, without a full stop."""
        if self.bench:
            return Speaker(self.bench).title(self.finding, self.words)
        return sentence(say(self.finding, self.words))

    @property
    def sentence(self) -> str:
        """The finding where there is no heading, its interval the only other number."""
        own = next(iter(self.values), None)
        interval = Speaker(self.bench).interval(forward(own)) if self.bench and own else ""
        return f"{self.title}{f' ({interval})' * bool(interval)}."


def lead(headed: Sequence[FrontFinding], more: Sequence[FrontFinding]) -> str:
    """The lines below the heading: its evidence or, without one, other findings; then a load."""
    parts = [front.evidence for front in headed] or [front.sentence for front in more]
    busy = [row for front in headed or more for row in front.busy]
    return " ".join(filter(None, [*parts, busy_text(busy)]))


def front_findings(view: Overview) -> tuple[FrontFinding, ...]:
    """All that the front page says, the finding of its heading first; never none."""
    if not view.rows:
        return (_missing(view.benches),)
    outcome = outcome_of(view.benches)
    every = [*_measured(view, outcome), *_undecided(outcome)]
    every += [*(_published(view) if view.relative else ()), *_totals(view.benches), *_rates(view)]
    return tuple(sorted(every, key=lambda front: not front.finding.titles))


def largest_first(
    outcome: Outcome[BenchmarkView],
) -> list[tuple[BenchmarkView, Finding]]:
    """The decided comparisons, the largest of each benchmark before all others of it.

    Those that are no sentence come last. Batch sizes come after devices, modes and precisions; of
    either, that comes last of which most processes were measured while other programs ran, before
    it what the budget stopped, then that of which most have a short window or are slow, and what is
    over another machine than the one with most cells.
    """
    benches = {bench.slug: bench for bench, _ in outcome.comparisons}.values()
    timed = Counter(row.machine for bench in benches for row in bench.results if row.timed)
    most = min(timed, key=lambda machine: (-timed[machine], machine), default="")

    def last(pair: tuple[BenchmarkView, Finding]) -> tuple[bool, ...]:
        finding, (value,) = pair[1], pair[1].values
        apart = over(value).machine != most
        doubted = mostly(value, "short-window", "slow-process")
        late = mostly(value, "loaded-machine"), Caveat.BUDGET in value.caveats, doubted, apart
        return not finding.is_sentence, finding.kind is Kind.GAIN, *late

    pairs = sorted(outcome.comparisons, key=last)
    largest = {bench.slug: finding for bench, finding in reversed(pairs)}
    return sorted(pairs, key=lambda p: not p[1].is_sentence or largest[p[0].slug] is not p[1])


def mostly(value: Value, *kinds: str) -> bool:
    """Whether most of the processes behind a number have one of some warnings."""
    warned = (any(warning.kind in kinds for warning in row.warnings) for row in value.processes)
    return 2 * sum(warned) > len(value.processes)


def _missing(benches: Sequence[BenchmarkView]) -> FrontFinding:
    """What failed, and why no baseline has a time."""
    every = [row for bench in benches for row in bench.results]
    timed, lost = sum(row.timed for row in every), failures(benches)
    words = dict(zip(("failed", "reasons"), failed_text(lost, every), strict=True))
    if not timed:
        return FrontFinding(lost, words=words)
    reasons: dict[str, set[str]] = {}
    for bench in benches:
        own = [row for row in bench.results if bench.plan.baseline.is_at(row.device, row.point)]
        if own and any(row.timed for row in bench.results):
            known = {kind_text(row) for row in own if row.ran and not row.timed}
            reasons.setdefault(bench.baseline_name, set()).update(known or map(kind_text, own))
    evidence = " ".join(
        EVIDENCE["baseline"].format(name=name, why=quantity.listed(sorted(known)))
        for name, known in reasons.items()
    )
    return FrontFinding(replace(lost, of=timed), words, evidence)


def lost_notice(benches: Sequence[BenchmarkView]) -> tuple[Notice, ...]:
    """How many cells have no number because they failed or were refused, and why, if any."""
    lost = replace(_missing(benches), evidence="")
    if not lost.finding.failed:
        return ()
    finding = replace(lost.finding, of=0)
    return (Notice(f"{replace(lost, finding=finding).title}.", ""),)


def _measured(view: Overview, outcome: Outcome[BenchmarkView]) -> Iterator[FrontFinding]:
    """The largest decided comparison of each benchmark."""
    benches = set[str]()
    every = (*outcome.comparisons, *outcome.undecided)
    known = {(bench.slug, _devices(finding.values[0])) for bench, finding in every}
    compared = Counter(devices for _, devices in known)
    for bench, finding in largest_first(outcome):
        (value,) = finding.values
        if bench.slug in benches or not finding.is_sentence:
            continue
        benches.add(bench.slug)
        kinds = {bench.plan.devices[of.device].kind for of in (value.of, over(value))}
        one = len(kinds) > 1 and len(view.machines) < 2
        words = _ours(view, bench, value, value.processes) if one else {}
        speaker, workload = Speaker(bench), f" in “{label(bench.plan.title, 80)}”"
        compiled = finding.kind in {Kind.GAIN, Kind.COMPILED}
        on = bench.processor(speaker.name(value.of), value.of, over(value))
        on = f" on {on}" * bool(on)
        words["at"] = ("" if compiled else speaker.at(forward(value).of)) + on
        if compared[_devices(value)] > 1:
            words["at"] += workload
            workload = ""
        busy = value.processes if Caveat.BUSY in value.caveats else ()
        doubts = filter(
            None, (speaker.evidence(finding, workload), *speaker.caveats(finding, budget=False))
        )
        evidence = " ".join(doubts)
        yield FrontFinding(finding, words, evidence, busy, bench)


def _devices(value: Value) -> tuple[str, str]:
    """The two devices of a ratio."""
    return value.of.device, over(value).device


def _ours(
    view: Overview, bench: BenchmarkView, value: Value, processes: Sequence[Result]
) -> dict[str, str]:
    """The base of a ratio in words: "this 2-core CPU"."""
    return {"base" if forward(value) is value else "who": _base(view, bench, processes)}


def _base(view: Overview, bench: BenchmarkView, processes: Sequence[Result]) -> str:
    """The base in words; of several processors of one name, with what tells it from the others."""
    every = (record for other in view.benches for record in other.records.values())
    own = (record for row in processes if (record := bench.record(row)))
    known, here = (processor_kinds(r.environment for r in s if r.environment) for s in (every, own))
    apart = len(known) > 1 and len(view.machines) < 2
    return f"{view.base_in_words} ({'; '.join(here)})" if apart else view.base_in_words


def _undecided(outcome: Outcome[BenchmarkView]) -> Iterator[FrontFinding]:
    """The undecided comparisons, as the figure counts them, with what may decide how many."""
    values = tuple(finding.values[0] for _, finding in outcome.undecided)
    if not values:
        return
    count = quantity.plural(len(values), "comparison")
    words = {"open": f"{count} {'is' if len(values) == 1 else 'are'}", "which": ""}
    runs = sorted(outcome.reruns, key=lambda run: -len(run.comparisons))
    counts = [(run, len(run.comparisons)) for run in runs if run.comparisons]
    also = [decides(run, among(count, len(values))) for run, count in counts[:1]]
    finding = Finding(Kind.UNDECIDED, values, of=len(values))
    yield FrontFinding(finding, words, "".join(also))


def _published(view: Overview) -> Iterator[FrontFinding]:
    """The largest published rate over the base of each kind of device: TPUs, GPUs, then CPUs."""
    for kind in (*reversed(ACCELERATORS), "CPU"):
        own = []
        for shown in view.shown:
            rate = rate_of(shown.row.base)
            loose = rate is None or (
                rate.interval.known and rate.number > LOOSE * rate.interval.low
            )
            for one in view.compared(shown):
                if not isinstance(one, PrintedRate):
                    continue
                value = shown.published(one)
                firm = one.slack <= UNLIKE and not one.beyond_peak and not loose
                firm = firm and not holds_one(value.interval)
                if firm and not shown.row.busy and shown.kind(one.result.row.device) == kind:
                    own.append((value, rate, shown))
        if own:
            value, rate, shown = max(own, key=lambda row: (row[2].trains, row[0].number))
            finding = Finding(Kind.PUBLISHED, (value,), rate)
            ours = _ours(view, shown.bench, value, rate.processes if rate else ())
            words = {**ours, "at": f" in {shown.where}"}
            yield FrontFinding(finding, words, bench=shown.bench)


def _totals(benches: Sequence[BenchmarkView]) -> Iterator[FrontFinding]:
    """Times of whole trainings, published and here."""
    for bench in benches:
        for finding in bench.findings:
            if finding.kind is Kind.TOTAL and finding.titles:
                what = {"what": f"the training of “{label(bench.plan.title, 60)}”"}
                evidence = Speaker(bench).evidence(finding)
                yield FrontFinding(finding, what, evidence, bench=bench)


def _rates(view: Overview) -> Iterator[FrontFinding]:
    """What the fastest does in a second, in the first workload that trains.

    It is the base or, in a picture of rates, what has no ratio over it.
    """
    rows = [shown for shown in view.shown if shown.trains] or view.shown
    own = [(rate, shown) for shown in rows if (rate := rate_of(shown.row.base))]
    if not own:
        return
    base, shown = own[0]
    rate = max([base, *view.apart(shown)], key=lambda rate: rate.number)
    ours = view.relative and rate is base
    loaded = shown.row.busy if rate is base else Caveat.BUSY in rate.caveats
    value = replace(rate, caveats=rate.caveats | frozenset({Caveat.BUSY} if loaded else ()))
    speaker = Speaker(shown.bench)
    words = {
        "who": _base(view, shown.bench, rate.processes) if ours else speaker.spoken(rate.of),
        "at": f" in {shown.where}" if len(own) > 1 else speaker.at(rate.of),
    }
    finding = Finding(Kind.RATE, (value,))
    busy = rate.processes if loaded else ()
    evidence = speaker.evidence(finding)
    yield FrontFinding(finding, words, evidence, busy=busy, bench=shown.bench)
