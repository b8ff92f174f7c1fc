"""The one form of each finding: title, sentence, spoken note, large number.

A form fills every field from the finding's values. Nothing here reads a number out of a text, and
nothing elsewhere cuts or patches what is made here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import isfinite

from accelreport.analysis.claims import ClaimResult, ClaimVerdict
from accelreport.analysis.compute import COMPUTE_DTYPE
from accelreport.analysis.difference import compiled
from accelreport.analysis.findings import (
    BESIDE_PUBLISHED,
    FACTS,
    Caveat,
    Finding,
    Kind,
    Provenance,
    Subject,
    Unit,
    Value,
)
from accelreport.analysis.ranking import title_finding
from accelreport.analysis.results import Result, shortest
from accelreport.analysis.stats import Verdict, grouped
from accelreport.analysis.warnings import REFUSED
from accelreport.report import quantity, say_learning
from accelreport.report.claim_text import measured_lines
from accelreport.report.metrics import axis_title
from accelreport.report.model import LargeNumber
from accelreport.report.say_learning import QUALITIES
from accelreport.report.text import label, sentence
from accelreport.report.view import BenchmarkView
from accelreport.spec.claims import AS_WRITTEN
from accelreport.spec.device import Device

LOOSE = 2.0
"""How far apart the ends of an interval may be whose middle a sentence gives."""
MOST_NAMED = 2
"""Subjects that a title names; of more it gives the range."""
MOST_LISTED = 4
"""Values that a line of evidence lists; the table below has all of them."""

CAVEATS: dict[Caveat, str] = {
    Caveat.EXTRAPOLATED: "The total is extrapolated from {steps}{without}.",
    Caveat.SAMPLE: "The network learns from a sample of the data.",
    Caveat.STAND_IN: "The data are synthetic.",
    Caveat.UNLIKE: "The source measured under other conditions.",
    Caveat.BUSY: "Other programs used the processor meanwhile.",
    Caveat.INFERRED: "The source does not name the hardware; it is inferred.",
    Caveat.VALIDATED: "Ratios count the validation after each epoch, as the published times do.",
    Caveat.UNVALIDATED: (
        "Published times include validation and measured ones do not, so ratios between them are "
        "too low."
    ),
}
"""What a caveat says of all numbers alike; `{steps}` are those that were timed, `{without}` what a
total leaves out."""

SIGNS: dict[Caveat, str] = {
    Caveat.BUDGET: "†",
    Caveat.EXTRAPOLATED: "†",
    Caveat.SINGLE_RUN: "‡",
    Caveat.UNVALIDATED: "§",
}
"""Signs that a number carries in a table or beside a mark; never a superscript digit."""


UNLIKE_CLOCKS = (
    f"{SIGNS[Caveat.UNVALIDATED]} too low: the published time includes validation, ours does not"
)
"""What that sign means, below a figure."""


def signs(caveats: Iterable[Caveat]) -> str:
    """The signs of some caveats, each once: "†", "† ‡"."""
    marks = {SIGNS[caveat] for caveat in caveats if caveat in SIGNS}
    return " ".join(sorted(marks))


_SIGN_WORDS = {
    Caveat.BUDGET: "stopped by the budget",
    Caveat.SINGLE_RUN: "single run",
    Caveat.UNVALIDATED: "published with validation",
}


def signs_text(caveats: Iterable[Caveat]) -> str:
    """What their signs mean, in a line: "† stopped by the budget · ‡ single run"."""
    every = frozenset(caveats)
    shown = (caveat for caveat in _SIGN_WORDS if caveat in every)
    return " · ".join(f"{SIGNS[caveat]} {_SIGN_WORDS[caveat]}" for caveat in shown)


@dataclass(frozen=True)
class Speaker:
    """Writes the findings of one benchmark.

    Attributes:
        bench: gives names, and the nouns of its work.
    """

    bench: BenchmarkView

    # Names and numbers ------------------------------------------------------------------------

    def name(self, of: Subject) -> str:
        """What a subject is called: "Intel Xeon, 1 thread", "the published Colab TPU v2"."""
        if of.row is not None:
            return f"the published {label(of.row.label, 60)}"
        return self.bench.name_at(of.device, of.machine, of.point)

    def at(self, of: Subject) -> str:
        """The sweep point of a subject: " at batch size 256"; empty without one."""
        return self.bench.at(of.point) if of.point else ""

    def noun(self, value: Value) -> str:
        """What a value counts: "images", "steps", "TFLOPS", "°C"."""
        match value.unit:
            case Unit.NUMBER:
                return label(value.noun, 20)
            case Unit.STEPS:
                return f"{self.bench.words.step}s"
        return "TFLOPS" if self.bench.words.kernel else self.bench.words.sample

    def number(self, value: Value, digits: int = quantity.HEADLINE) -> str:
        """A value with its unit; in a title, two digits."""
        return quantity.write(value.number, value.unit, value.interval, self.noun(value), digits)

    def interval(self, value: Value) -> str:
        """The interval of a value: "1.5–1.9×"; empty without one."""
        return quantity.span(value.interval, value.unit, self.noun(value))

    def numbers(self, values: Sequence[Value], digits: int = quantity.HEADLINE) -> str:
        """One number, or the least and the greatest: "1.4 to 2.6×"."""
        least, most = (pick(values, key=lambda value: value.number) for pick in (min, max))
        one, other = self.number(least, digits), self.number(most, digits)
        return one if one == other else f"{one} to {other}"

    # Forms ------------------------------------------------------------------------------------

    def title(self, finding: Finding) -> str:
        """The finding as a sentence without a full stop and without an interval.

        Raises:
            ValueError: no sentence may be made of it (`Finding.is_sentence`).
        """
        if not finding.is_sentence:
            raise ValueError(f"a finding of {finding.kind} is no sentence here")
        if finding.kind in QUALITIES:
            text = sentence(say_learning.clause(self, finding))
        else:
            text = self._begun(self._clause(finding))
        single = finding.kind in {*FACTS, *BESIDE_PUBLISHED} - {Kind.TARGET}
        return f"{text}, in one run" if single and Caveat.SINGLE_RUN in finding.caveats else text

    def _begun(self, text: str) -> str:
        """A sentence's beginning; element types and values of the spec are written as they are."""
        as_written = (*COMPUTE_DTYPE.values(), *(f"{way} " for way in self.bench.ways))
        return text if text.startswith(as_written) else sentence(text)

    @property
    def claim(self) -> ClaimResult | None:
        """The claim that the author put first, if it is decided."""
        first = next(iter(self.bench.tested), None)
        decided = {ClaimVerdict.CONFIRMED, ClaimVerdict.REFUTED}
        return first if first and first.verdict in decided else None

    def headline(self) -> str:
        """The title of a page: a decided claim, else a finding, else the benchmark's own title."""
        findings = self.bench.findings
        if self.claim:
            return f"{label(self.claim.claim.text, 200)}: {self.claim.verdict.value.lower()}"
        if findings[0].kind is Kind.NOT_MEASURED:
            return self.title(findings[0])
        finding = title_finding(findings)
        return self.title(finding) if finding else label(self.bench.plan.title)

    def answered(self) -> tuple[Finding, ...]:
        """The finding of the title, else the first fact, and what is undecided; never none."""
        findings = self.bench.findings
        facts = (f for f in findings if f.is_sentence and f.kind in {*FACTS, Kind.NOT_MEASURED})
        first = title_finding(findings) or next(facts)
        return (first, *[f for f in findings if f.kind is Kind.UNDECIDED][:1])

    def below(self, answered: Sequence[Finding]) -> str:
        """The lines below the title of a page; failures come first."""
        measured = self.bench.findings[0].kind is not Kind.NOT_MEASURED
        lines = [f"{text}." for text in [self.failed()] if text and measured]
        if self.claim:
            numbers = measured_lines(self.claim, AS_WRITTEN)
            lines += [f"{line}." for line in numbers if len(numbers) <= MOST_NAMED]
        first = answered[0]
        if (self.claim or first is not title_finding(self.bench.findings)) and measured:
            lines.append(f"{self.title(first)}.")
        return " ".join([*lines, self.answer(*answered)]).strip()

    def answer(self, *findings: Finding) -> str:
        """The lines below a title: its evidence, further findings with theirs, then all caveats."""
        parts = []
        for number, finding in enumerate(findings):
            parts += [f"{self.title(finding)}."] if number else []
            parts.append(self.evidence(finding))
        return " ".join(part for part in (*parts, *self.caveats(*findings)) if part)

    def sentence(self, finding: Finding) -> str:
        """The clause, then the evidence; empty of what no sentence may be made of."""
        if not finding.is_sentence:
            return ""
        return f"{self.title(finding)}. {self.answer(finding)}".strip()

    def number_of(self, *kinds: Kind) -> str:
        """The number of the first of some kinds about quality that has one, with what it is of.

        Empty where none has.
        """
        known = (f for kind in kinds for f in self.bench.findings if f.kind is kind)
        finding = next(filter(self._numbered, known), None)
        if finding is None:
            return ""
        number = f"{self.number(finding.values[0])} {say_learning.large_text(self, finding)}"
        single = "one run" if Caveat.SINGLE_RUN in finding.caveats else ""
        return ", ".join(filter(None, (number, single, say_learning.data_words(finding))))

    def spoken(self, finding: Finding) -> tuple[str, ...]:
        """Two sentences to speak: what was found, and how sure it is."""
        return tuple(part for part in (f"{self.title(finding)}.", self.evidence(finding)) if part)

    def caveats(self, *findings: Finding) -> Iterator[str]:
        """A sentence for each thing that weakens the numbers of some findings.

        Single runs are said with the finding that they belong to.
        """
        held = frozenset[Caveat]().union(*(finding.caveats for finding in findings))
        configurations = _configurations(findings)
        if Caveat.BUDGET in held and Caveat.EXTRAPOLATED not in held:
            yield self._stopped(configurations)
        least = shortest(row for rows in configurations for row in rows)
        counted = "its steps"
        if least:
            timed, planned = least.timings.steady_steps, least.timings.planned_steps
            counted = f"{timed:,.0f} timed {self.bench.words.step}s of {planned:,.0f}"
        without = "" if Caveat.VALIDATED in held else "; evaluation is not included"
        for caveat, text in CAVEATS.items():
            if caveat in held:
                yield text.format(steps=counted, without=without)

    def steps(self, done: float, of: Result) -> str:
        """So many of the steps that a process was to take: "20 of 1,500 steps"."""
        return f"{done:,.0f} of {of.timings.planned_steps:,.0f} {self.bench.words.step}s"

    def _stopped(self, configurations: Sequence[Sequence[Result]]) -> str:
        """What the time budget stopped, and after how many of all steps, the warm-up's included."""
        every = [row for rows in configurations for row in rows]
        stopped = [row for row in every if row.status == "partial"]
        if len(configurations) > 1:
            what = _share(len(_by_configuration(stopped)), len(configurations))
        elif len(every) > 1:
            what = f"{len(stopped)} of {len(every)} runs"
        else:
            what = "the run"
        least = shortest(stopped)
        when = " after" if len(stopped) == 1 else ", at the earliest after"
        after = f"{when} {self.steps(least.steps, least)}" if least else ""
        return f"The time budget stopped {what}{after}."

    def _clause(self, finding: Finding) -> str:
        """What a finding says, from its values alone."""
        values, base = finding.values, finding.base
        match finding.kind:
            case Kind.FASTER | Kind.SLOWER | Kind.SAME:
                return self._compared(finding)
            case Kind.UNDECIDED:
                count = quantity.plural(len(values), "comparison")
                verb = "is" if len(values) == 1 else "are"
                single = all(value.interval.n == 1 for value in values)
                why = ": it is a single run" if len(values) == 1 else ": each is a single run"
                return f"{count} {verb} not decided{why * single}"
            case Kind.COMPILED:
                return self._compiled(finding)
            case Kind.GAIN:
                return self._gain(finding)
            case Kind.CROSSING:
                after = values[1]
                (low,), (high,) = values[0].of.point, after.of.point
                between = f"{quantity.setting(low)} and {quantity.setting(high)}"
                return (
                    f"{self.name(after.of)} overtakes {self.name(_over(after))} between "
                    f"{axis_title(finding.axis)} {between}"
                )
            case Kind.PUBLISHED:
                best = values[0]
                return f"{self.name(best.of)} {self.pace(best, self.name(_over(best)))}" + (
                    self.at(_over(best))
                )
            case Kind.TOTAL if base:
                slowest = values[0]
                return (
                    f"the training takes {self.number(slowest)} on {self.name(slowest.of)} and "
                    f"{self.number(base)} on {self.name(base.of)}"
                )
            case Kind.RATE:
                (rate,) = values
                text = f"{self.name(rate.of)} {self.bench.words.verb} {self.number(rate)}"
                return f"{text}{self.at(rate.of)}"
            case Kind.LATENCY:
                best = values[0]
                verb = f"a call{self.at(best.of)} takes"
                return f"{verb} {self.number(best)} on {self.name(best.of)}"
            case Kind.NOT_MEASURED:
                return self.failed() or "nothing has been measured yet"
        raise ValueError(f"a finding of {finding.kind} has no form")

    def failed(self) -> str:
        """How many cells have no number because they failed or were refused, and why."""
        rows = [row for row in self.bench.results if row.status in {"failed", REFUSED}]
        if not rows:
            return ""
        kinds = Counter(row.failure_kind or row.status for row in rows)
        why = quantity.listed([f"{label(kind, 40)} ({count})" for kind, count in kinds.items()])
        cells = quantity.plural(len(self.bench.results), "cell")
        return f"{len(rows)} of {cells} failed: {why}"

    def bounded(self, value: Value) -> str:
        """A ratio; where the ends of its interval are more than twofold apart, the nearer bound."""
        ends = value.interval
        if ends.known and ends.high > LOOSE * ends.low and not ends.low <= 1 <= ends.high:
            bound = ends.low if ends.low > 1 else ends.high
            most = "at least" if bound > 1 else "at most"
            return f"{most} {quantity.write(bound, Unit.RATIO, digits=quantity.HEADLINE)}"
        return self.number(value)

    def pace(self, value: Value, base: str) -> str:
        """How fast something is over a base; always in the direction of speed."""
        if value.number >= 1:
            return f"{self.bench.words.verb} {self.bounded(value)} as fast as {base}"
        return f"reaches {self.bounded(value)} the throughput of {base}"

    def _compared(self, finding: Finding) -> str:
        """A comparison with the baseline, by its verdict."""
        values, kind = finding.values, finding.kind
        base = self.name(_over(values[0]))
        names = list(dict.fromkeys(self.name(value.of) for value in values))
        if kind is Kind.SAME:
            verb = "is" if len(names) == 1 else "are"
            return f"{quantity.listed(names)} {verb} as fast as {base}, within 3{quantity.SPACE}%"
        first = values[0]
        if len(values) == 1 and first.why:
            own, other = (COMPUTE_DTYPE[policy] for policy in (first.why[0].own, first.why[0].base))
            return f"{own} {self.pace(first, f'{other} on {base}')}{self.at(first.of)}"
        if len(values) == 1 or finding.comparisons > 1:
            return f"{self.name(first.of)} {self.pace(first, base)}{self.at(first.of)}"
        if len(names) == 1:
            how = f"{self.bench.words.verb} {self.numbers(values)} as fast as"
            if kind is Kind.SLOWER:
                how = f"reaches {self.numbers(values)} the throughput of"
            return f"{names[0]} {how} {base}"
        what = "the throughput of" if kind is Kind.SLOWER else "as fast as"
        if len(values) <= MOST_NAMED:
            verb = "reaches" if kind is Kind.SLOWER else self.bench.words.verb
            one, other = (f"{self.name(value.of)} {{}}{self.number(value)}" for value in values)
            return f"{one.format(f'{verb} ')} and {other.format('')} {what} {base}"
        how = "reach" if kind is Kind.SLOWER else self.bench.words.verb_of_many
        return f"{len(names)} devices {how} {self.numbers(values)} {what} {base}"

    def _compiled(self, finding: Finding) -> str:
        """A compiler against the same framework with less of it."""
        (value,) = finding.values
        devices = self.bench.plan.devices
        more, less = devices[value.of.device], devices[_over(value).device]
        own, other = mode(more), mode(less)
        if value.verdict is Verdict.SAME:
            same = f"within 3{quantity.SPACE}%"
            return f"{own} is as fast as {other} in {more.framework_name}, {same}"
        return f"{own} {self.pace(value, other)} in {more.framework_name}"

    def _span(self, finding: Finding) -> str:
        """From where to where a swept number goes: "from batch size 1 to 1,024"."""
        (first,), (last,) = _over(finding.values[0]).point, finding.values[0].of.point
        ends = f"{quantity.setting(first)} to {quantity.setting(last)}"
        return f"from {axis_title(finding.axis)} {ends}"

    def _gain(self, finding: Finding) -> str:
        """One device at the last value of a swept number against the same at the first."""
        best = finding.values[0]
        (first,), (last,) = _over(best).point, best.of.point
        where = f"at {axis_title(finding.axis)} {quantity.setting(last)}"
        base = quantity.setting(first)
        if best.verdict is Verdict.SAME:
            same = f"within 3{quantity.SPACE}%"
            return f"{self.name(best.of)} is as fast {where} as at {base}, {same}"
        number = self.bounded(best)
        if best.number >= 1:
            verb = self.bench.words.verb
            return f"{self.name(best.of)} {verb} {number} as fast {where} as at {base}"
        return f"{self.name(best.of)} reaches {number} of its throughput at {base} {where}"

    # Evidence ---------------------------------------------------------------------------------

    def evidence(self, finding: Finding) -> str:
        """The intervals behind a finding, or the numbers that it is made of."""
        values, base = finding.values, finding.base
        match finding.kind:
            case kind if kind in QUALITIES:
                return say_learning.evidence(self, finding)
            case Kind.NOT_MEASURED:
                return f"None of {quantity.plural(finding.of, 'cell')} has a time."
            case Kind.PUBLISHED | Kind.TOTAL if base:
                others = self._list(values[1:])
                return f"{others} {self._absolute(base)}".strip()
            case Kind.UNDECIDED:
                spec, profile = self.bench.plan.spec, self.bench.plan.profile
                them = "it" if len(values) == 1 else "them"
                return (
                    f"“accelreport run {spec} --profile {profile} --until-decided” decides {them}."
                )
            case Kind.LATENCY | Kind.GAIN:
                values = values[:1]
            case Kind.FASTER | Kind.SLOWER | Kind.SAME:
                values = finding.title_values
        known = [value for value in values if self.interval(value)]
        if not known:
            return ""
        level = quantity.percent(finding.level, 0)
        if len(known) == 1:
            (value,) = known
            count = quantity.plural(value.interval.n, "process", "processes")
            return f"The {level} interval is {self.interval(value)} over {count}."
        return self._list(known)

    def with_interval(self, name: str, value: Value) -> str:
        """A number under its name and its interval: "A: 1.04× (0.94–1.15×)"."""
        text = f"{name} {self.number(value, quantity.TABLE)}"
        interval = self.interval(value)
        return f"{text} ({interval})" if interval else text

    def _list(self, values: Sequence[Value]) -> str:
        """Values under their names with their intervals: "A 0.59× (0.56–0.62×) and B 0.83×."."""
        parts = []
        for value in values[:MOST_LISTED]:
            where = self.at(value.of) if value.of.row is None else ""
            parts.append(self.with_interval(f"{self.name(value.of)}{where}:", value))
        if not parts:
            return ""
        left = len(values) - len(parts)
        more = f"; {left} more in the table" if left else ""
        return f"{self._begun('; '.join(parts))}{more}."

    def _absolute(self, value: Value) -> str:
        """What the base does by itself, with its interval: "Intel Xeon trains 541 images/s"."""
        verb = "takes" if value.unit is Unit.SECONDS else self.bench.words.verb
        interval = self.interval(value)
        text = f"{self.name(value.of)} {verb} {self.number(value, quantity.TABLE)}"
        return f"{text} ({interval})." if interval else f"{text}."

    # Large numbers ----------------------------------------------------------------------------

    def large(self, finding: Finding) -> LargeNumber | None:
        """The number of a finding, set large, with what it is; None where it is no title."""
        return self._numbered(finding) if finding.titles else None

    def _numbered(self, finding: Finding) -> LargeNumber | None:
        value = finding.values[0]
        if not quantity.present(value.number):
            return None
        number = f"{self.number(value)} {signs(value.caveats)}".strip()
        if finding.kind in QUALITIES:
            return LargeNumber(number, say_learning.large_text(self, finding))
        return LargeNumber(number, self._large_text(value))

    def _large_text(self, value: Value) -> str:
        interval, base, what = self.interval(value), value.over, self.name(value.of)
        if base is not None and (base.device, base.part) != (value.of.device, value.of.part):
            what = f"{what} over {base.part or self.name(base)}"
        what = f"{what}{self.at(value.of)}"
        return f"{what}, {interval}" if interval else what


def _over(value: Value) -> Subject:
    """What a ratio is over."""
    if value.over is None:
        raise ValueError("only a ratio is over something")
    return value.over


def _configurations(findings: Sequence[Finding]) -> list[list[Result]]:
    """The processes of some findings, each once, by device, machine and sweep point."""
    values = (value for finding in findings for value in finding.every_value)
    return _by_configuration(row for value in values for row in value.processes)


def _by_configuration(processes: Iterable[Result]) -> list[list[Result]]:
    rows = {(row.key, row.machine): row for row in processes}.values()
    return list(grouped(rows, lambda row: (row.device, row.machine, row.where)).values())


def _share(count: int, every: int) -> str:
    """How many of the configurations that a sentence is about: other ones have more or fewer."""
    if count < every:
        return f"{count} of these {every} configurations"
    return f"{'both' if every == 2 else 'all'} of these configurations"


def mode(way: Device) -> str:
    """How a framework runs the steps, in the field's words."""
    compiler = "torch.compile" if way.framework == "torch" else "XLA"
    return ("eager mode", "graph mode", compiler)[compiled(way)]


def provenance_text(value: Value, year: int | None = None) -> str:
    """Where a number is from, in a word or two: "measured, 3 processes", "published 2018".

    A change that a test of single examples judged counts these.
    """
    if value.provenance is Provenance.PUBLISHED:
        return f"published {year}" if year else "published"
    count = quantity.plural(value.interval.n, "process", "processes")
    if isfinite(value.p):
        count = quantity.plural(value.interval.n, "example")
    return f"{value.provenance}, {count}" if value.interval.n else str(value.provenance)
