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
from accelreport.analysis.speed_findings import caveats_of, rate_of, ratio_of, said_kind
from accelreport.analysis.speedup import Speedup
from accelreport.analysis.warnings import REFUSED
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
    published = [*_published(view)] if view.relative else []
    every = (*measured, *published, *_rates(view))
    return tuple(sorted(every, key=lambda front: not front.finding.titles))


def _measured(view: Overview) -> Iterator[FrontFinding]:
    """Measured comparisons by device and verdict; the largest first, and what is undecided last.

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
        if kind is Kind.UNDECIDED:
            groups.setdefault(("", kind), []).append((ratio_of(row), shown))
        elif kind is not Kind.TABLED and (id(shown), id_of(row.own)) in drawn:
            name = shown.hardware(row.device, row.own.timed)
            groups.setdefault((name, kind), []).append((ratio_of(row), shown))
    grouped = [_grouped(name, kind, own) for (name, kind), own in groups.items()]

    def rank(front: FrontFinding) -> tuple[bool, bool, float]:
        mean = sum(abs(log(value.number)) for value in front.values) / len(front.values)
        return front.kind is Kind.UNDECIDED, front.kind is Kind.SAME, -mean

    yield from sorted(grouped, key=rank)


def _grouped(name: str, kind: Kind, own: Sequence[tuple[Value, Shown]]) -> FrontFinding:
    ordered = sorted(own, key=lambda pair: -pair[0].number)
    values, shown = zip(*ordered, strict=True)
    over = rate_of(shown[0].row.base) if kind is Kind.PUBLISHED else None
    finding = Finding(kind, values, over, of=len(values))
    return FrontFinding(finding, shown, name)


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
                    value = shown.published(one)
                    if not value.caveats & {Caveat.VALIDATED, Caveat.UNVALIDATED}:
                        own.append((value, shown))
        trained = [pair for pair in own if pair[1].trains] or own
        if trained:
            yield _grouped(kind, Kind.PUBLISHED, trained)


def _rates(view: Overview) -> Iterator[FrontFinding]:
    """What the base does in a second, in all workloads that train."""
    rows = [shown for shown in view.shown if shown.trains] or view.shown
    own = [(rate, shown) for shown in rows if (rate := rate_of(shown.row.base))]
    if own:
        busy = any(shown.row.busy for _, shown in own)
        front = _grouped("", Kind.RATE, own)
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
        """The finding as a heading, without a full stop.

        Raises:
            ValueError: no sentence may be made of it (`Finding.is_sentence`).
        """
        if not front.finding.is_sentence:
            raise ValueError(f"a finding of {front.kind} is no sentence here")
        text = sentence(self._clause(front))
        single = Caveat.SINGLE_RUN in front.finding.caveats and front.kind in {
            Kind.PUBLISHED,
            Kind.RATE,
        }
        return f"{text}, in single runs" if single else text

    def sentence(self, front: FrontFinding) -> str:
        """The finding with its evidence, where another one is the heading."""
        return f"{self.title(front)}. {self.answer(front)}".strip()

    def answer(self, front: FrontFinding) -> str:
        """The evidence: the largest ratio with its interval, or what decides."""
        match front.kind:
            case Kind.FASTER | Kind.SLOWER | Kind.SAME:
                value, shown = front.values[0], front.shown[0]
                speaker = Speaker(shown.bench)
                return (
                    f"In {shown.where} it is {speaker.number(value, quantity.TABLE)} "
                    f"(95{quantity.SPACE}% interval {speaker.interval(value)})."
                )
            case Kind.UNDECIDED:
                return "“accelreport run specs/ --until-decided” decides them."
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
            case Kind.PUBLISHED:
                names = {value.of.row.label for value in values if value.of.row}
                one = label(next(iter(names)), 60)
                who = f"the published {one}" if len(names) == 1 else f"published {front.name}s"
                return f"{who} {self._pace(front, base, many=len(names) > 1)}"
            case Kind.FASTER | Kind.SLOWER:
                return f"{front.name} {self._pace(front, base)}{self._where(front)}"
            case Kind.SAME:
                same = f"within 3{quantity.SPACE}%"
                return f"{front.name} is as fast as {base}, {same}{self._where(front)}"
            case Kind.UNDECIDED:
                return Speaker(front.shown[0].bench).title(front.finding)
            case Kind.NOT_MEASURED:
                if failed := self._failed():
                    return failed
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

    def _failed(self) -> str:
        """How many processes failed where none has a time."""
        rows = [row for bench in self.view.benches for row in bench.results]
        failed = sum(row.status in {"failed", REFUSED} for row in rows)
        processes = quantity.plural(len(rows), "process", "processes")
        return f"{failed} of {processes} failed" if failed and not self._timed else ""

    @property
    def _timed(self) -> int:
        return sum(row.timed for bench in self.view.benches for row in bench.results)

    def _without_base(self) -> str:
        """Why no baseline has a number, where anything has one; else the command that measures."""
        if not self._timed:
            failed = (Speaker(bench).failed() for bench in self.view.benches)
            return " ".join(f"{text}." for text in failed if text) or (
                "Run “accelreport run specs/” first."
            )
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
        count = len({shown.bench.slug for shown in front.shown})
        return f" in {count} workloads" if count > 1 else ""
