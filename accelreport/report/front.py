"""What the front page says of all workloads together, as findings, and their one form.

A ratio is over the base that the picture has. Measured ratios hold over all comparisons together
(Bonferroni), and none is made on a machine that other programs used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import log

from accelreport.analysis.findings import (
    Caveat,
    Finding,
    Kind,
    Unit,
    Value,
)
from accelreport.analysis.overview import PrintedRate, id_of
from accelreport.analysis.published import UNLIKE
from accelreport.analysis.ranking import ACCELERATORS
from accelreport.analysis.speed_findings import caveats_of, kind_of, rate_of, ratio_of
from accelreport.analysis.speedup import Speedup
from accelreport.report import quantity
from accelreport.report.frames import of_processes
from accelreport.report.pages.overview import Overview, Shown
from accelreport.report.say import Speaker
from accelreport.report.text import label, sentence
from accelreport.report.warning_text import problem_text

LOOSE = 1.5
"""How many times as large as the lower end of its interval a base's rate may be in a title."""


@dataclass(frozen=True)
class FrontFinding:
    """A finding over workloads.

    Attributes:
        finding: kind and values.
        shown: the workload of each value, in the same order.
        name: what all its values are of: a device, or a kind of published devices.
    """

    finding: Finding
    shown: tuple[Shown, ...]
    name: str = ""

    @property
    def kind(self) -> Kind:
        """What it says."""
        return self.finding.kind

    @property
    def values(self) -> tuple[Value, ...]:
        """Its numbers."""
        return self.finding.values


def front_findings(view: Overview) -> tuple[FrontFinding, ...]:
    """All that the front page says, the finding of its heading first; never none."""
    if not view.rows:
        nothing = Finding(Kind.NOT_MEASURED, (), of=len(view.benches))
        return (FrontFinding(nothing, ()),)
    measured = [*_measured(view)] if view.relative else []
    accelerated = [f for f in measured if f.shown[0].accelerated() and f.finding.decided]
    restated = [*_restated(view)]
    published = [*_published(view)] if view.relative else []
    others = [f for f in measured if f not in accelerated]
    return (*accelerated, *restated, *published, *others, *_rates(view))


def _measured(view: Overview) -> Iterator[FrontFinding]:
    """Measured comparisons by device and verdict, each as one of all of them.

    What is decided is said of the rows that the picture has.
    """
    count = len(view.comparisons)
    drawn = {
        (id(shown), id_of(one.own))
        for shown in view.shown
        for one in view.compared(shown)
        if isinstance(one, Speedup)
    }
    groups: dict[tuple[str, Kind], list[tuple[Value, Shown]]] = {}
    for shown, row in view.comparisons:
        if shown.row.busy or Caveat.BUSY in caveats_of(row.own.timed):
            continue
        kind, name = kind_of(row), shown.hardware(row.device, row.own.timed)
        if (id(shown), id_of(row.own)) in drawn or kind in {Kind.UNDECIDED, Kind.SINGLE}:
            groups.setdefault((name, kind), []).append((ratio_of(row), shown))
    grouped = [_grouped(name, kind, own, count) for (name, kind), own in groups.items()]

    def rank(front: FrontFinding) -> tuple[bool, float]:
        mean = sum(log(value.number) for value in front.values) / len(front.values)
        return not front.finding.decided, -mean

    yield from sorted(grouped, key=rank)


def _grouped(
    name: str, kind: Kind, own: Sequence[tuple[Value, Shown]], comparisons: int
) -> FrontFinding:
    ordered = sorted(own, key=lambda pair: -pair[0].number)
    values, shown = zip(*ordered, strict=True)
    finding = Finding(kind, values, comparisons=comparisons, of=comparisons)
    return FrontFinding(finding, shown, name)


def _restated(view: Overview) -> Iterator[FrontFinding]:
    """Published ratios of whole trainings against this machine."""
    for bench in view.benches:
        shown = next((row for row in view.rows if row.bench is bench), None)
        for finding in bench.findings:
            if finding.kind is Kind.RESTATED and shown is not None:
                yield FrontFinding(finding, (shown,) * len(finding.values))


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
            yield _grouped(kind, Kind.PUBLISHED, trained, 1)


def _rates(view: Overview) -> Iterator[FrontFinding]:
    """What the base does in a second, in all workloads that train."""
    rows = [shown for shown in view.shown if shown.trains] or view.shown
    own = [(rate, shown) for shown in rows if (rate := rate_of(shown.row.base))]
    if own:
        busy = any(shown.row.busy for _, shown in own)
        front = _grouped("", Kind.RATE, own, 1)
        caveat = frozenset({Caveat.BUSY} if busy else ())
        values = tuple(replace(v, caveats=v.caveats | caveat) for v in front.values)
        yield replace(front, finding=replace(front.finding, values=values))


@dataclass(frozen=True)
class FrontSpeaker:
    """Writes the findings of the front page.

    Attributes:
        view: names the base and the devices.
    """

    view: Overview

    def title(self, front: FrontFinding) -> str:
        """The finding as a heading, without a full stop."""
        return sentence(self._clause(front))

    def sentence(self, front: FrontFinding) -> str:
        """The finding with its evidence, where another one is the heading."""
        return f"{self.title(front)}. {self.answer(front)}".strip()

    def answer(self, front: FrontFinding) -> str:
        """The evidence: the largest ratio with its interval, or what a restated ratio rests on."""
        match front.kind:
            case Kind.RESTATED:
                return Speaker(front.shown[0].bench).answer(front.finding)
            case Kind.FASTER | Kind.SLOWER | Kind.SAME:
                value, shown = front.values[0], front.shown[0]
                speaker = Speaker(shown.bench)
                over = f" over all {front.finding.comparisons} comparisons"
                interval = (
                    f"95{quantity.SPACE}% interval{over if front.finding.comparisons > 1 else ''}"
                )
                return (
                    f"In {shown.where} it is {speaker.number(value, quantity.TABLE)} "
                    f"({interval} {speaker.interval(value)})."
                )
            case Kind.NOT_MEASURED:
                return self._without_base()
            case Kind.RATE if any(Caveat.BUSY in value.caveats for value in front.values):
                return (
                    "Other programs used the processor meanwhile, so the figure shows no speedups "
                    "over it."
                )
        return ""

    def _clause(self, front: FrontFinding) -> str:
        values, base = front.values, self.view.base_in_words if self.view.rows else ""
        match front.kind:
            case Kind.RESTATED:
                stated, again, *_ = values
                speaker = Speaker(front.shown[0].bench)
                return (
                    f"the published {speaker.number(stated)} is {speaker.number(again)} "
                    f"against {base}"
                )
            case Kind.PUBLISHED:
                names = {value.of.row.label for value in values if value.of.row}
                one = label(next(iter(names)), 60)
                who = f"the published {one}" if len(names) == 1 else f"published {front.name}s"
                return f"{who} {self._pace(front, base, many=len(names) > 1)}"
            case Kind.FASTER | Kind.SLOWER:
                return f"{front.name} {self._pace(front, base)}{self._where(front)}"
            case Kind.SAME:
                return f"{front.name} is as fast as {base}, within 3 %{self._where(front)}"
            case Kind.UNDECIDED:
                where = f" in {len(values)} comparisons" if len(values) > 1 else ""
                return f"whether {front.name} is faster or slower than {base} is undecided{where}"
            case Kind.SINGLE:
                runs = "a single run" if len(values) == 1 else f"{len(values)} single runs"
                return f"the comparison of {front.name} with {base} rests on {runs}"
            case Kind.NOT_MEASURED:
                count = quantity.plural(front.finding.of, "benchmark")
                if not self._timed:
                    return f"{count}, none measured yet"
                every = sum(len(bench.results) for bench in self.view.benches)
                processes = quantity.plural(every, "process", "processes")
                verb = "is" if self._timed == 1 else "are"
                return f"{self._timed} of {processes} {verb} measured, none of a baseline"
        samples = {shown.bench.words.sample for shown in front.shown}
        noun = samples.pop() if len(samples) == 1 else "examples"
        unit = "TFLOPS" if front.shown[0].kernel else f"{noun}/s"
        words = front.shown[0].bench.words
        low, high = (
            quantity.write(pick(v.number for v in values), Unit.NUMBER, digits=quantity.HEADLINE)
            for pick in (min, max)
        )
        span = low if low == high else f"{low} to {high}"
        who, verb = base, words.verb
        if not self.view.relative:
            machines = len({shown.row.base.machine for shown in front.shown})
            who = f"{quantity.number_word(machines)} machine{'s' if machines > 1 else ''}"
            verb = words.verb_of_many if machines > 1 else words.verb
        return f"{who} {verb} {span} {unit}{self._where(front)}"

    @property
    def _timed(self) -> int:
        return sum(row.timed for bench in self.view.benches for row in bench.results)

    def _without_base(self) -> str:
        """Why no baseline has a number, where anything has one; else the command that measures."""
        if not self._timed:
            return "Run “accelreport run specs/” first."
        sentences = []
        for bench in self.view.benches:
            own = [row for row in bench.results if bench.plan.baseline.is_at(row.device, row.point)]
            problems = Counter(problem_text(row) for row in own if not row.timed)
            if own and any(row.timed for row in bench.results):
                why = "; ".join(of_processes(problems, len(own)))
                title = bench.baseline_name
                sentences.append(f"The baseline {title} has no number: {label(why, 300)}.")
        return " ".join(dict.fromkeys(sentences))

    def _pace(self, front: FrontFinding, base: str, *, many: bool = False) -> str:
        """How fast over the base, from the least to the greatest; in the direction of speed."""
        numbers = Speaker(front.shown[0].bench).numbers(front.values)
        if max(value.number for value in front.values) < 1:
            return f"{'reach' if many else 'reaches'} {numbers} the throughput of {base}"
        words = front.shown[0].bench.words
        return f"{words.verb_of_many if many else words.verb} {numbers} as fast as {base}"

    def _where(self, front: FrontFinding) -> str:
        """In how many workloads that holds; nothing where there is one alone."""
        count = len({id(shown) for shown in front.shown})
        return f" in {count} workloads" if count > 1 else ""
