"""What the front page says of all workloads together, as findings with the fields of their forms.

A ratio is over the base that the picture has. Measured ratios hold over all comparisons together
(Bonferroni), and none is made on a machine that other programs used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import log

from accelreport.analysis.findings import (
    Caveat,
    Finding,
    Kind,
    Value,
)
from accelreport.analysis.outcome import outcome_of
from accelreport.analysis.overview import PrintedRate, id_of
from accelreport.analysis.published import UNLIKE
from accelreport.analysis.ranking import ACCELERATORS
from accelreport.analysis.speed_findings import caveats_of, failures, rate_of, ratio_of, said_kind
from accelreport.analysis.speedup import Speedup
from accelreport.report import quantity
from accelreport.report.forms import CAVEATS, EVIDENCE, say
from accelreport.report.frames import of_processes
from accelreport.report.pages.overview import Overview, Shown
from accelreport.report.say import MOST_LISTED, Speaker, over, reasons_text
from accelreport.report.text import label, sentence
from accelreport.report.view import BenchmarkView
from accelreport.report.warning_text import problem_text

LOOSE = 1.5
"""How many times as large as the lower end of its interval a base's rate may be in a title."""


@dataclass(frozen=True)
class FrontFinding:
    """A finding over workloads, with the fields of its form.

    Attributes:
        finding: kind and values.
        shown: the workload of each value, in the same order.
        words: field → its text, over all these workloads.
        evidence: what stands below it.
        bench: whose finding it is, where it is of one benchmark alone.
    """

    finding: Finding
    shown: tuple[Shown, ...] = ()
    words: Mapping[str, str] = field(default_factory=dict)
    evidence: str = ""
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
            title = label(self.bench.plan.title, 60)
            return f"{title}: {Speaker(self.bench).title(self.finding)}"
        if not self.shown:
            return sentence(say(self.finding, self.words))
        return Speaker(self.shown[0].bench).title(self.finding, self.words)

    @property
    def sentence(self) -> str:
        """The finding with its evidence, where another one is the heading."""
        return f"{self.title}. {self.evidence}".strip()


def front_findings(view: Overview) -> tuple[FrontFinding, ...]:
    """All that the front page says, the finding of its heading first; never none."""
    if not view.rows:
        return (_missing(view.benches),)
    every = [*_totals(view.benches), *_rates(view)]
    if view.relative:
        undecided = _undecided(view.benches)
        every = [*_measured(view), *undecided, *_published(view), *every]
    return tuple(sorted(every, key=lambda front: not front.finding.titles))


def _missing(benches: Sequence[BenchmarkView]) -> FrontFinding:
    """What failed, where nothing has a time; else why no baseline has one."""
    rows = [row for bench in benches for row in bench.results]
    timed, lost = sum(row.timed for row in rows), failures(benches)
    if not timed:
        processes = quantity.plural(len(rows), "process", "processes")
        failed = f"{sum(count for _, count in lost.failed)} of {processes}"
        words = {"failed": failed, "reasons": reasons_text(lost)}
        return FrontFinding(lost, words=words)
    evidence = []
    for bench in benches:
        own = [row for row in bench.results if bench.plan.baseline.is_at(row.device, row.point)]
        problems = Counter(problem_text(row) for row in own if not row.timed)
        if own and any(row.timed for row in bench.results):
            why = label("; ".join(of_processes(problems, len(own))), 300)
            evidence.append(EVIDENCE["baseline"].format(name=bench.baseline_name, why=why))
    missing = Finding(Kind.NOT_MEASURED, (), of=timed)
    return FrontFinding(missing, evidence=" ".join(dict.fromkeys(evidence)))


def _measured(view: Overview) -> Iterator[FrontFinding]:
    """Measured comparisons by device and verdict; the largest first.

    A comparison is said where its page's verdict also holds over all workloads together, and of
    the rows that the picture has.
    """
    drawn = {
        (id(shown), id_of(one.own))
        for shown in view.shown
        for one in shown.compared
        if isinstance(one, Speedup)
    }
    groups: dict[tuple[str, Kind], list[tuple[Value, Shown]]] = {}
    for shown, row in view.comparisons:
        if shown.row.busy or Caveat.BUSY in caveats_of(row.own.timed):
            continue
        kind = said_kind(shown.bench, row, len(view.comparisons))
        if kind not in {Kind.UNDECIDED, Kind.TABLED} and (id(shown), id_of(row.own)) in drawn:
            name = shown.hardware(row.device, row.own.timed)
            groups.setdefault((name, kind), []).append((ratio_of(row), shown))
    # What is faster in one workload and slower in another is in the figure and no sentence.
    ways = Counter(name for name, kind in groups if kind in {Kind.FASTER, Kind.SLOWER})
    grouped = [
        _compared(view, name, kind, own)
        for (name, kind), own in groups.items()
        if ways[name] < len((Kind.FASTER, Kind.SLOWER)) or kind is Kind.UNDECIDED
    ]

    def rank(front: FrontFinding) -> tuple[bool, float]:
        mean = sum(abs(log(value.number)) for value in front.values) / len(front.values)
        return front.kind is Kind.SAME, -mean

    yield from sorted(grouped, key=rank)


def _undecided(benches: Sequence[BenchmarkView]) -> Iterator[FrontFinding]:
    """The comparisons that further repeats decide, as the figure and the terminal count them."""
    for rerun in outcome_of(benches).reruns:
        values = tuple(finding.values[0] for _, finding in rerun.comparisons)
        if values:
            one = len(values) == 1
            count = quantity.plural(len(values), "comparison")
            words = {
                "open": f"{count} {'is' if one else 'are'}",
                "all_of_them": "it is" if one else "each is",
            }
            evidence = EVIDENCE["decides"].format(
                spec="specs/", profile=rerun.profile, them="it" if one else "them"
            )
            finding = Finding(Kind.UNDECIDED, values, of=len(values))
            yield FrontFinding(finding, words=words, evidence=evidence)


def _ordered(
    kind: Kind, own: Sequence[tuple[Value, Shown]], base: Value | None = None
) -> tuple[Finding, tuple[Shown, ...]]:
    """The largest ratio first."""
    values, shown = zip(*sorted(own, key=lambda pair: -pair[0].number), strict=True)
    return Finding(kind, values, base, of=len(values)), shown


def _compared(
    view: Overview, name: str, kind: Kind, own: Sequence[tuple[Value, Shown]]
) -> FrontFinding:
    finding, shown = _ordered(kind, own)
    speaker, first = Speaker(shown[0].bench), finding.values[0]
    # One processor driven in two ways has the names of both, not "this CPU" for one of them.
    alike = shown[0].kind(first.of.device) == shown[0].kind(over(first).device)
    base = speaker.name(over(first)) if alike else view.base_in_words
    listed = [
        speaker.with_interval(f"{one.where}:", value)
        for value, one in zip(finding.values[:MOST_LISTED], shown, strict=False)
    ]
    evidence = f"{'; '.join(listed)}." if len(own) > 1 else speaker.evidence(finding)
    return FrontFinding(finding, shown, _words(name, base, finding, shown), evidence)


def _words(
    who: str, base: str, finding: Finding, shown: Sequence[Shown], *, many: bool = False
) -> dict[str, str]:
    """The fields of a ratio over several workloads."""
    words = shown[0].bench.words
    return {
        "who": who,
        "base": base,
        "ratio": Speaker(shown[0].bench).numbers(finding.values),
        "do": words.verb_of_many if many else words.verb,
        "reach": "reach" if many else "reaches",
        "are": "are" if many else "is",
        "at": _where(shown),
    }


def _where(shown: Sequence[Shown]) -> str:
    """In how many benchmarks that holds; nothing where there is one alone."""
    count = len({one.bench.slug for one in shown})
    return f" in {count} workloads" if count > 1 else ""


def _published(view: Overview) -> Iterator[FrontFinding]:
    """Published rates over the base, by kind of device: TPUs, GPUs, then CPUs."""
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
                firm = one.slack <= UNLIKE and not one.beyond_peak and not loose
                if firm and not shown.row.busy and shown.kind(one.result.row.device) == kind:
                    own.append((shown.published(one), shown))
        trained = [pair for pair in own if pair[1].trains] or own
        if trained:
            base = rate_of(trained[0][1].row.base)
            finding, shown_of = _ordered(Kind.PUBLISHED, trained, base)
            names = {value.of.row.label for value in finding.values if value.of.row}
            one_name = len(names) == 1
            who = (
                f"the published {label(next(iter(names)), 60)}"
                if one_name
                else f"published {kind}s"
            )
            words = _words(who, view.base_in_words, finding, shown_of, many=not one_name)
            yield FrontFinding(finding, shown_of, words)


def _totals(benches: Sequence[BenchmarkView]) -> Iterator[FrontFinding]:
    """Times of whole trainings, published and here."""
    for bench in benches:
        for finding in bench.findings:
            if finding.kind is Kind.TOTAL and finding.titles:
                evidence = Speaker(bench).evidence(finding)
                yield FrontFinding(finding, bench=bench, evidence=evidence)


def _rates(view: Overview) -> Iterator[FrontFinding]:
    """What the base does in a second, in the first workload that trains."""
    rows = [shown for shown in view.shown if shown.trains] or view.shown
    own = [(rate, shown) for shown in rows if (rate := rate_of(shown.row.base))]
    if not own:
        return
    rate, shown = own[0]
    caveat = frozenset({Caveat.BUSY} if shown.row.busy else ())
    value = replace(rate, caveats=rate.caveats | caveat)
    speaker = Speaker(shown.bench)
    fields = {
        "who": view.base_in_words if view.relative else speaker.name(rate.of),
        "at": f" in {shown.where}" if len(own) > 1 else speaker.at(rate.of),
    }
    evidence = [speaker.evidence(Finding(Kind.RATE, (value,)))]
    evidence += [CAVEATS[Caveat.BUSY]] * shown.row.busy
    text = " ".join(filter(None, evidence))
    yield FrontFinding(Finding(Kind.RATE, (value,)), (shown,), fields, text)
