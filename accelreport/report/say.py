"""The one form of each finding: title, sentence, spoken note, large number.

A form fills every field from the finding's values. Nothing here reads a number out of a text, and
nothing elsewhere cuts or patches what is made here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import isfinite

from accelreport.analysis.compute import COMPUTE_DTYPE
from accelreport.analysis.difference import compiled
from accelreport.analysis.findings import (
    Caveat,
    Finding,
    Kind,
    Provenance,
    Subject,
    Unit,
    Value,
    is_decided,
)
from accelreport.analysis.results import Result, shortest
from accelreport.analysis.speedup import Why
from accelreport.analysis.stats import Verdict, grouped
from accelreport.report import quantity, say_learning
from accelreport.report.frames import withheld_text
from accelreport.report.metrics import axis_title
from accelreport.report.model import LargeNumber
from accelreport.report.say_learning import QUALITIES
from accelreport.report.text import label, sentence
from accelreport.report.view import BenchmarkView
from accelreport.spec.device import Device

MOST_NAMED = 2
"""Subjects that a title names; of more it gives the range."""
MOST_LISTED = 4
"""Values that a line of evidence lists; the table below has all of them."""

WITHOUT_A_NUMBER = {
    Kind.UNDECIDED,
    Kind.SINGLE,
    Kind.EXCEEDS_PEAK,
    Kind.CROSSING,
    Kind.NOT_MEASURED,
}
"""Kinds of which no number is set large."""

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

    def marked_interval(self, finding: Finding, value: Value) -> str:
        """The interval of a value of a finding, and with how many comparisons it holds jointly."""
        interval = self.interval(value)
        if not (interval and finding.joint):
            return interval
        return f"{interval} (joint interval of {finding.comparisons} comparisons)"

    def numbers(self, values: Sequence[Value], digits: int = quantity.HEADLINE) -> str:
        """One number, or the least and the greatest: "1.4 to 2.6×"."""
        least, most = (pick(values, key=lambda value: value.number) for pick in (min, max))
        one, other = self.number(least, digits), self.number(most, digits)
        return one if one == other else f"{one} to {other}"

    # Forms ------------------------------------------------------------------------------------

    def title(self, finding: Finding) -> str:
        """The finding as a title: a sentence without a full stop and without an interval."""
        if finding.kind in QUALITIES:
            return sentence(say_learning.clause(self, finding))
        return self._begun(self._clause(finding))

    def _begun(self, text: str) -> str:
        """A sentence's beginning; element types and values of the spec are written as they are."""
        as_written = (*COMPUTE_DTYPE.values(), *(f"{way} " for way in self.bench.ways))
        return text if text.startswith(as_written) else sentence(text)

    def answer(self, *findings: Finding) -> str:
        """The lines below a title: its evidence, further findings with theirs, then all caveats."""
        parts = []
        alike = len({Caveat.SINGLE_RUN in finding.caveats for finding in findings}) == 1
        for number, finding in enumerate(findings):
            parts += [f"{self.title(finding)}."] if number else []
            parts.append(self.evidence(finding))
            if not alike and Caveat.SINGLE_RUN in finding.caveats:
                parts.append(self._single_runs(finding))
        if alike and Caveat.SINGLE_RUN in findings[0].caveats:
            parts.append(self._single_runs(*findings))
        return " ".join(part for part in (*parts, *self.caveats(*findings)) if part)

    def sentence(self, finding: Finding) -> str:
        """The finding where something else is the title: the clause, then the evidence."""
        return f"{self.title(finding)}. {self.answer(finding)}".strip()

    def number_of(self, *kinds: Kind) -> str:
        """The number of the first of some kinds about quality that has one, with what it is of.

        Empty where none has.
        """
        known = (f for kind in kinds for f in self.bench.findings if f.kind is kind)
        finding = next(filter(self.large, known), None)
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

    def _single_runs(self, *findings: Finding) -> str:
        """How many of the configurations of some findings are single runs."""
        configurations = _configurations(findings)
        weak, every = sum(len(rows) == 1 for rows in configurations), len(configurations)
        if every == 1:
            return "It is a single run, so it has no interval."
        if weak == every:
            return "Each of these configurations is a single run, so none has an interval."
        verb = "is a single run" if weak == 1 else "are single runs"
        return f"{weak} of these {every} configurations {verb} without an interval."

    def _clause(self, finding: Finding) -> str:
        """What a finding says, from its values alone."""
        values, base = finding.values, finding.base
        match finding.kind:
            case Kind.FASTER | Kind.SLOWER | Kind.SAME | Kind.UNDECIDED | Kind.SINGLE:
                return self._compared(finding)
            case Kind.WITHHELD:
                return self._withheld(finding)
            case Kind.COMPILED:
                return self._compiled(finding)
            case Kind.PUBLISHED:
                best = values[0]
                return f"{self.name(best.of)} {self.pace(best, self.name(_over(best)))}" + (
                    self.at(_over(best))
                )
            case Kind.RESTATED:
                stated, again, *_ = values
                own = self.name(base.of) if base else ""
                return f"the published {self.number(stated)} is {self.number(again)} against {own}"
            case Kind.TOTAL if base:
                slowest = values[0]
                return (
                    f"the training takes {self.number(slowest)} on {self.name(slowest.of)} and "
                    f"{self.number(base)} {signs(base.caveats)}".rstrip()
                    + f" on {self.name(base.of)}"
                )
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
            case Kind.RANGE:
                ratio = _ratio_of_ends(finding)
                clause = f"the slowest timed configuration takes {ratio} as long as the fastest"
                if not ratio:
                    clause = f"no difference between {len(values)} timed configurations is decided"
                untimed = finding.of - len(values)
                return f"{clause}; {untimed} of {finding.of} were not timed" if untimed else clause
            case Kind.RATE:
                (rate,) = values
                text = f"{self.name(rate.of)} {self.bench.words.verb} {self.number(rate)}"
                return f"{text}{self.at(rate.of)}"
            case Kind.NOT_MEASURED:
                return "nothing has been measured yet"
        return self._of_one_device(finding)

    def _of_one_device(self, finding: Finding) -> str:
        """What is said of a device by itself: peaks, calls, and when a compiler pays off."""
        values = finding.values
        match finding.kind:
            case Kind.PAYS_OFF:
                (value,) = values
                way = self.bench.plan.devices[value.of.device]
                steps = quantity.plural(int(value.number), self.bench.words.step)
                return f"{mode(way)} pays off after {steps} in {way.framework_name}"
            case Kind.EXCEEDS_PEAK:
                inferred = all(Caveat.INFERRED in value.caveats for value in values)
                if len(values) == 1:
                    peak = "the peak of the inferred chip" if inferred else "its chip’s peak"
                    return f"{self.name(values[0].of)} exceeds {peak}"
                count = quantity.number_word(len(values))
                rows = ((value.of.device, value.of.row) for value in values)
                one = len({(device, row and row.hardware) for device, row in rows}) == 1
                peak = "the peak of their chip" if one else "the peaks of their chips"
                if inferred:
                    peak = "the peak of the inferred chip" if one else "the peaks of inferred chips"
                return f"{count} published figures exceed {peak}"
            case Kind.SHARE_OF_PEAK:
                best = values[0]
                what = _over(best).part
                return f"{self.name(best.of)} reaches {self.number(best)} of its {what}"
            case Kind.LATENCY:
                best = values[0]
                verb = f"a call{self.at(best.of)} takes"
                return f"{verb} {self.number(best)} on {self.name(best.of)}"
        raise ValueError(f"a finding of {finding.kind} has no form")

    def pace(self, value: Value, base: str) -> str:
        """How fast something is over a base; always in the direction of speed."""
        if value.number >= 1:
            return f"{self.bench.words.verb} {self.number(value)} as fast as {base}"
        return f"reaches {self.number(value)} the throughput of {base}"

    def _compared(self, finding: Finding) -> str:
        """A comparison with the baseline, by its verdict."""
        values, kind = finding.values, finding.kind
        base = self.name(_over(values[0]))
        names = list(dict.fromkeys(self.name(value.of) for value in values))
        if kind is Kind.SINGLE:
            if len(values) == 1:
                first = values[0]
                what = f"the comparison of {self.name(first.of)} with {base}{self.at(first.of)}"
                return f"{what} is a single run"
            return f"none of {len(values)} comparisons is decided: each is a single run"
        if kind is Kind.UNDECIDED:
            who = _one_of(names)
            where = self.at(values[0].of) if len(values) == 1 else ""
            if 1 == len(names) < len(values) < len(self.bench.points):
                where = f" at {len(values)} of {len(self.bench.points)} sweep points"
            return f"whether {who} is faster or slower than {base}{where} is undecided"
        if kind is Kind.SAME:
            verb = "is" if len(names) == 1 else "are"
            return f"{quantity.listed(names)} {verb} as fast as {base}, within 3{quantity.SPACE}%"
        first = values[0]
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

    def _withheld(self, finding: Finding) -> str:
        """Ratios beside the reason for which they are no speedup; never a verdict."""
        values = finding.values
        if len(values) > 1:
            return f"{len(values)} ratios are withheld, because the work is not the same"
        (value,) = values
        reasons = {held.why: held for held in value.why}
        base = self.name(_over(value))
        if Why.PRECISION in reasons and len(reasons) == 1:
            held = reasons[Why.PRECISION]
            own, other = (COMPUTE_DTYPE[precision] for precision in (held.own, held.base))
            return f"{own} reaches {self.number(value)} the throughput of {other} on {base}"
        why = quantity.listed([withheld_text(held, base) for held in value.why])
        return f"{self.name(value.of)} is not compared with {base}: {why}"

    def _compiled(self, finding: Finding) -> str:
        """A compiler against the same framework with less of it."""
        (value,) = finding.values
        devices = self.bench.plan.devices
        more, less = devices[value.of.device], devices[_over(value).device]
        own, other = mode(more), mode(less)
        if value.verdict is Verdict.UNDECIDED:
            return f"whether {own} is faster than {other} in {more.framework_name} is undecided"
        if value.verdict is Verdict.SAME:
            return f"{own} is as fast as {other} in {more.framework_name}"
        return f"{own} {self.pace(value, other)} in {more.framework_name}"

    def _span(self, finding: Finding) -> str:
        """From where to where a swept number goes: "from batch size 1 to 1,024"."""
        (first,), (last,) = _over(finding.values[0]).point, finding.values[0].of.point
        ends = f"{quantity.setting(first)} to {quantity.setting(last)}"
        return f"from {axis_title(finding.axis)} {ends}"

    def _gain(self, finding: Finding) -> str:
        """What a swept number does, from its first value to its last, for whoever is decided."""
        span = self._span(finding)
        decided = [value for value in finding.values if is_decided(value)]
        if not decided:
            who = _one_of([self.name(value.of) for value in finding.values])
            return f"whether the throughput of {who} changes {span} is undecided"
        best = decided[0]
        clause = f"{self.name(best.of)} {self._gained(best)} {span}"
        baseline = self.bench.plan.baseline.device
        own = next((v for v in decided[1:] if v.of.row is None and v.of.device == baseline), None)
        return f"{clause}; {self.name(own.of)} {self._gained(own)}" if own else clause

    def _gained(self, value: Value) -> str:
        if value.verdict is Verdict.SAME:
            return f"stays the same, within 3{quantity.SPACE}%,"
        return f"{'gains' if value.number >= 1 else 'falls to'} {self.number(value)}"

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
            case Kind.RESTATED if base:
                again = values[1]
                theirs = quantity.write(
                    base.number / again.number, Unit.SECONDS, digits=quantity.TABLE
                )
                return f"{self._begun(self.name(again.of))} takes {theirs}. {self._absolute(base)}"
            case Kind.EXCEEDS_PEAK:
                return self._list(values)
            case Kind.RANGE:
                return self._list((values[0], values[-1]))
            case Kind.GAIN if len(values) > 1:
                # The title has all that is known of a decided one without an interval.
                whole = is_decided(values[0]) and not self.interval(values[0])
                return self._gains(values[1:] if whole else values)
            case Kind.UNDECIDED if len(values) > MOST_NAMED:
                numbers = self.numbers(values, quantity.TABLE)
                return f"The ratios are {numbers}, and every interval contains 1."
            case Kind.LATENCY:
                values = tuple(v for v in values if v.of.point == values[0].of.point)
            case Kind.FASTER | Kind.SLOWER | Kind.SAME:
                values = finding.title_values
        known = [value for value in values if self.interval(value)]
        if not known:
            return ""
        level = quantity.percent(finding.level, 0)
        over = _joint_level(finding)
        if len(known) == 1:
            (value,) = known
            count = quantity.plural(value.interval.n, "process", "processes")
            return f"The {level} interval is {self.interval(value)} over {count}.{over}"
        return f"{self._list(known)}{over}"

    def with_intervals(self, finding: Finding, named: Sequence[tuple[str, Value]]) -> str:
        """Values of a finding that have intervals, under their names, as one sentence or two."""
        shown = [(name, value) for name, value in named if self.interval(value)]
        if not shown:
            return ""
        parts = [self.with_interval(f"{name}:", value) for name, value in shown]
        return f"{self._begun('; '.join(parts))}.{_joint_level(finding)}"

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

    def _gains(self, values: Sequence[Value]) -> str:
        """What each of several gains is, those that are not decided as such."""
        named = [
            self.with_interval(
                f"{self.name(value.of)}:{'' if is_decided(value) else ' undecided,'}", value
            )
            for value in values[:MOST_LISTED]
        ]
        return f"{self._begun('; '.join(named))}."

    def _absolute(self, value: Value) -> str:
        """What the base does by itself, with its interval: "Intel Xeon trains 541 images/s"."""
        verb = "takes" if value.unit is Unit.SECONDS else self.bench.words.verb
        interval = self.interval(value)
        text = f"{self.name(value.of)} {verb} {self.number(value, quantity.TABLE)}"
        return f"{text} ({interval})." if interval else f"{text}."

    # Large numbers ----------------------------------------------------------------------------

    def large(self, finding: Finding) -> LargeNumber | None:
        """The number of a finding, set large, with what it is; None where a title has none."""
        if not finding.values or finding.kind in WITHOUT_A_NUMBER:
            return None
        value = self.large_value(finding)
        undecided = not is_decided(value) and finding.kind is not Kind.WITHHELD
        if undecided or not quantity.present(value.number):
            return None
        if finding.kind is Kind.RANGE:
            ends = signs(value.caveats | finding.values[-1].caveats)
            ratio = _ratio_of_ends(finding)
            what = "the slowest timed configuration over the fastest"
            return LargeNumber(f"{ratio} {ends}".strip(), what) if ratio else None
        number = f"{self.number(value)} {signs(value.caveats)}".strip()
        if finding.kind in QUALITIES:
            return LargeNumber(number, say_learning.large_text(self, finding))
        return LargeNumber(number, self._large_text(finding, value))

    @staticmethod
    def large_value(finding: Finding) -> Value:
        """The value of a finding that is set large."""
        return finding.values[1] if finding.kind is Kind.RESTATED else finding.values[0]

    def _large_text(self, finding: Finding, value: Value) -> str:
        interval = self.marked_interval(finding, value)
        base = value.over
        what = self.name(value.of)
        if finding.kind is Kind.PAYS_OFF:
            return f"until {mode(self.bench.plan.devices[value.of.device])} pays off"
        if finding.kind is Kind.GAIN:
            what = f"{what}, throughput {self._span(finding)}"
            return f"{what}, {interval}" if interval else what
        if base is not None and (base.device, base.part) != (value.of.device, value.of.part):
            what = f"{what} over {base.part or self.name(base)}"
        what = f"{what}{self.at(value.of)}"
        return f"{what}, {interval}" if interval else what


def _one_of(names: Sequence[str]) -> str:
    """Devices of which nothing is decided: "A or B", "any of 3 devices"."""
    return " or ".join(names) if len(names) <= MOST_NAMED else f"any of {len(names)} devices"


def _ratio_of_ends(finding: Finding) -> str:
    """How many times as long the slowest of some times is as the fastest; empty if undecided."""
    slowest, fastest = finding.values[0], finding.values[-1]
    if not finding.decided or slowest.verdict is Verdict.SAME:
        return ""
    ratio = slowest.number / fastest.number
    return quantity.write(ratio, Unit.RATIO, digits=quantity.HEADLINE)


def _over(value: Value) -> Subject:
    """What a ratio is over."""
    if value.over is None:
        raise ValueError("only a ratio is over something")
    return value.over


def _joint_level(finding: Finding) -> str:
    """That the intervals of chosen comparisons hold together; empty where none was chosen."""
    if not finding.joint:
        return ""
    level = quantity.percent(finding.level, 0)
    count = "both" if finding.comparisons == 2 else f"all {finding.comparisons}"
    return f" The {level} level holds for {count} comparisons together."


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
