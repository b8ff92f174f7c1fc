"""The gate: every sentence about a result is a form of `forms.py`, and holds by its condition.

A form fills every field from the finding's values. Nothing here reads a number out of a text, and
nothing elsewhere cuts or patches what is made here. All else about a result is a number with a
label.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, floor

from accelreport.analysis.claims import ClaimResult, ClaimState, Number
from accelreport.analysis.compute import COMPUTE_DTYPE
from accelreport.analysis.difference import Difference
from accelreport.analysis.findings import (
    BESIDE_PUBLISHED,
    COMPARED,
    FACTS,
    LEARNED,
    Caveat,
    Finding,
    Kind,
    Subject,
    Unit,
    Value,
)
from accelreport.analysis.learning import Change, errors_of, forecasts_of
from accelreport.analysis.learning_findings import ACCURACY, BATCHES, LATENCY
from accelreport.analysis.outcome import comparisons_of, outcome_of
from accelreport.analysis.ranking import title_finding
from accelreport.analysis.results import Result, shortest
from accelreport.analysis.speed_findings import difference_of, failures, forward, threads_of
from accelreport.analysis.stats import Verdict, grouped, holds_one
from accelreport.analysis.warnings import is_share
from accelreport.report import forms, quantity
from accelreport.report.claim_text import among, as_title, decides, is_of, measured_lines
from accelreport.report.forms import CAVEATS, EVIDENCE, PARITY, best_of, data_words, over, say
from accelreport.report.metrics import axis_title, figure_of, level_text, metric_title, printed_text
from accelreport.report.text import in_quotes, label, parted, sentence
from accelreport.report.view import COMPILE, BenchmarkView, median, mode
from accelreport.report.warning_text import busy_text, failed_text
from accelreport.spec.claims import Names
from accelreport.spec.device import FRAMEWORK_NAMES

LOOSE = 2.0
"""How far apart the ends of an interval may be whose middle a sentence gives."""
MOST_NUMBERS, MOST_STATED = 2, 2
"""Of a claim in lines below a title, and devices that a caveat names; things below a title."""

_ALONE = {*FACTS, *BESIDE_PUBLISHED, Kind.RANGE} - {Kind.TARGET}
"""Kinds of a sentence that names the data of its own number, beside its runs."""


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

    def spoken(self, of: Subject) -> str:
        """The same as one thing, for a verb: "Intel Xeon in bfloat16 with 2 threads"."""
        name, counted = self.name(of), self.bench.counted(of.device)
        joints = dict.fromkeys(COMPUTE_DTYPE.values(), "in") | {counted: "with"}
        for part in filter(None, joints if not of.row else ()):
            name = name.replace(f", {part}", f" {joints[part]} {part}")
        return name

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

    def verb(self, value: Value) -> str:
        """What a device does: it "trains" examples, "takes" a time, and "reaches" TFLOPS."""
        verb = "reaches" if self.bench.words.kernel and value.unit is Unit.RATE else ""
        return "takes" if value.unit is Unit.SECONDS else verb or self.bench.words.verb

    def number(self, value: Value) -> str:
        """A value with its unit; a published one as printed, but a long time in hours."""
        if figure := figure_of(value):
            if value.unit is Unit.SECONDS and value.number >= 60:
                return quantity.hours_and_minutes(value.number)
            rate = f"{quantity.SPACE}{self.noun(value)}{'' if self.bench.words.kernel else '/s'}"
            return printed_text(figure, value.number) + rate * (value.unit is Unit.RATE)
        own, noun = value.interval, self.noun(value)
        if value.unit is Unit.SECONDS and value.number >= 3600:
            return quantity.clock(own)
        return quantity.write(value.number, value.unit, own, noun, digits=value.digits)

    def interval(self, value: Value) -> str:
        """The interval of a value: "1.5–1.9×"; empty without one."""
        return quantity.long_span(value.interval, value.unit, self.noun(value))

    def numbers(self, values: Sequence[Value]) -> str:
        """One number, or the least and the greatest: "1.4 to 2.6×"."""
        least, most = (pick(values, key=lambda value: value.number) for pick in (min, max))
        one, other = self.number(least), self.number(most)
        if quantity.one_number(one, other):
            return min(one, other, key=len)
        bare = quantity.write(least.number, Unit.NUMBER, least.interval)
        return f"{bare if least.unit is Unit.RATE else one} to {other}"

    # Sentences --------------------------------------------------------------------------------

    def title(self, finding: Finding, words: Mapping[str, str] | None = None) -> str:
        """The finding as a sentence without a full stop and without an interval.

        Args:
            finding: what is said.
            words: fields in place of this benchmark's own, of whoever speaks of several.

        Raises:
            ValueError: no sentence may be made of it (`Finding.is_sentence`).
        """
        one = f"one {'TFLOP' if self.bench.words.kernel else 'example'}"
        own = {"what": "the training", "best": best_of(finding), **(words or {}), "one": one}
        text = say(finding, _Words(self, finding, own))
        if words is None:  # whoever speaks of several benchmarks tells their processors apart
            text = text.replace(f" ({self.bench.one_kind})", "")
        text = self.begun(text)
        if finding.kind not in _ALONE | COMPARED:
            return text
        runs = forms.runs_of(forms.first_alone(finding))
        data = "" if finding.kind in LEARNED | COMPARED else data_words(finding)
        rest = " ".join(filter(None, (runs, data)))
        joint = "; measured here " if finding.kind in BESIDE_PUBLISHED else ", "
        return f"{text}{joint}{'in ' * bool(runs)}{rest}" if rest else text

    def begun(self, text: str) -> str:
        """With a capital, but for element types and values of the spec."""
        as_written = (*COMPUTE_DTYPE.values(), COMPILE, *(f"{way} " for way in self.bench.ways))
        return text if text.startswith(as_written) else sentence(text)

    @property
    def claim(self) -> ClaimResult | None:
        """The claim that the author put first, if it is confirmed and not the finding itself."""
        first, finding = next(iter(self.bench.tested), None), title_finding(self.bench.findings)
        ratio = first and finding and finding.kind in COMPARED and is_of(first, finding)
        return first if first and first.state is ClaimState.CONFIRMED and not ratio else None

    def headline(self) -> str:
        """The title of a page: a decided claim, else a finding, else the first fact."""
        if self.claim:
            return as_title(self.claim, lambda run: self.bench.name_at(run.device, run.machine, ()))
        first = self.bench.findings[0]
        return self.title(first if first.kind is Kind.NOT_MEASURED else self.answered()[0])

    def answered(self) -> tuple[Finding, ...]:
        """The finding of the title, else the first fact, and what no claim decides; never none."""
        findings = self.bench.findings
        able = {*FACTS, Kind.RANGE, Kind.NOT_MEASURED}
        facts = [f for f in findings if f.is_sentence and f.kind in able]
        first = title_finding(findings) or facts[0]
        states = {ClaimState.CONFIRMED, ClaimState.REFUTED}
        decided = [claim for claim in self.bench.tested if claim.state in states]
        every = (f for f in comparisons_of(self.bench) if f.kind is Kind.UNDECIDED)
        undecided = tuple(f.values[0] for f in every if not any(is_of(c, f) for c in decided))
        return (first, *[Finding(Kind.UNDECIDED, undecided)] * bool(undecided))

    def below(self, answered: Sequence[Finding]) -> str:
        """Two things below the title of a page, and what weakens them; failures come first."""
        undecided = [finding for finding in answered if finding.kind is Kind.UNDECIDED]
        unsure = [f"{self.title(finding)}." for finding in undecided if forms.is_named(finding)]
        answered = [finding for finding in answered if finding not in undecided]
        measured = self.bench.findings[0].kind is not Kind.NOT_MEASURED
        lines = [f"{text}." for text in [self.failed()] if text and measured]
        if self.claim and not is_of(self.claim, answered[0]):
            claim = replace(self.claim, numbers=tuple(map(self._of_device, self.claim.numbers)))
            numbers = measured_lines(claim, Names(axis=axis_title, value=quantity.setting))
            lines += [f"{sentence(line)}." for line in numbers if len(numbers) <= MOST_NUMBERS]
        titled = [] if self.claim and measured else answered[:1]
        load = self.load(answered[0])
        if self.claim:  # a fact of another device is none of a claim
            runs = [run for number in self.claim.numbers for run in number.processes]
            places = {(run.device, run.machine) for run in runs}
            load = busy_text(runs)
            own = ((f, _processes([forms.first_alone(f)])) for f in answered)
            answered = [f for f, of in own if places & {(run.device, run.machine) for run in of}]
        lines += [self.evidence(f) if f in titled else self._stated(f) for f in answered]
        held = [text for finding in answered for text in self.caveats(finding, budget=False)]
        stated = list(filter(None, [*lines, *unsure]))[:MOST_STATED]
        return " ".join(dict.fromkeys(filter(None, [*stated, *held, load])))

    def _of_device(self, number: Number) -> Number:
        """A number of a claim with its device, where several are shown and it is of one."""
        of = {(run.device, run.machine) for run in number.processes}
        alone = len(of) == 1 < len(self.bench.shown_series)
        return replace(number, device=self.bench.name_at(*of.pop(), ())) if alone else number

    def _stated(self, finding: Finding) -> str:
        """A finding, with the interval behind it of its only number of one configuration."""
        one = finding.kind in {*COMPARED, Kind.RATE, Kind.LATENCY, Kind.LEARNS}
        interval = self.interval(forward(finding.values[0])) * (one and not finding.of_several)
        return f"{self.title(finding)}{f' ({interval})' * bool(interval)}."

    def answer(self, finding: Finding) -> str:
        """What a title rests on: its evidence and caveats."""
        parts = (self.evidence(finding), *self.caveats(finding), self.load(finding))
        return " ".join(filter(None, parts))

    def number_of(self, *kinds: Kind) -> str:
        """The number of the first of some kinds about quality that has one; else empty."""
        known = (f for kind in kinds for f in self.bench.findings if f.kind is kind)
        finding = next((f for f in known if quantity.present(f.values[0].number)), None)
        if finding is None:
            return ""
        first = finding.values[0]
        alike = [v for v in finding.values if v.of == first.of and quantity.present(v.number)]
        of = f"median of {len(alike)} runs" * (finding.kind is Kind.TARGET and len(alike) > 1)
        middle = replace(first.interval, value=median([v.number for v in alike]))
        shown = replace(first, interval=middle) if of else first
        noun = _Words(self, finding, {}).noun + self.at(first.of) * bool(of)
        parts = f"{self.number(shown)} {noun}", of, forms.runs_of(finding), data_words(finding)
        return ", ".join(filter(None, parts))

    def load(self, finding: Finding) -> str:
        """That other programs ran during a process of a finding's sentence; else empty."""
        return busy_text(_processes([forms.first_alone(finding)]))

    def caveats(self, finding: Finding, *, budget: bool = True) -> Iterator[str]:
        """A sentence for each thing, but a load and single runs, that weakens a finding."""
        finding = forms.first_alone(finding)
        held, every = finding.caveats, _processes([finding])
        if budget and Caveat.EXTRAPOLATED not in held and any(r.status == "partial" for r in every):
            yield self._budget(every)
        counted = "its steps"
        if least := shortest(every):
            timed, planned = least.timings.steady_steps, least.timings.planned_steps
            counted = f"{timed:,.0f} timed {self.bench.words.step}s of {planned:,.0f}"
        without = "" if Caveat.VALIDATED in held else "; evaluation is not included"
        pairs = grouped(every, lambda row: row.seed).values()
        apart = all(len(own) > 1 and not [*self.bench.processors_of(own)] for own in pairs)
        for names in self.bench.processors_of(every):
            runs, texts = f"{'pairs of ' * apart}runs", quantity.listed(names)
            yield EVIDENCE["processors"].format(runs=runs, names=texts)
        held -= forms.DATA.keys() if finding.kind in _ALONE - {Kind.INT8} else set()
        for caveat, text in CAVEATS.items():
            if caveat in held:
                yield text.format(steps=counted, without=without)

    def steps(self, done: float, of: Result) -> str:
        """So many of the steps that a process was to take: "20 of 1,500 steps"."""
        return f"{done:,.0f} of {of.timings.planned_steps:,.0f} {self.bench.words.step}s"

    def _budget(self, every: Sequence[Result]) -> str:
        """What the time budget stopped, and after how many of all steps, the warm-up's included."""
        stopped = [row for row in every if row.status == "partial"]
        configurations = _by_configuration(every)
        count, of, noun = len(stopped), len(every), "run"
        if len(configurations) > 1:
            count, of, noun = len(_by_configuration(stopped)), len(configurations), "configuration"
        some = count if count < of else "both" if of == 2 else f"all {of}"
        what = f"{some} of these {f'{of} ' * (count < of)}{noun}s" if of > 1 else "the run"
        names = {self.bench.name_at(r.device, r.machine, tuple(r.point.values())) for r in stopped}
        whole = {self.bench.name_at(r.device, r.machine, tuple(r.point.values())) for r in every
                 if noun == "configuration" and r not in stopped}  # fmt: skip
        named = len(names) <= MOST_NUMBERS and (noun == "run" or len(names) == count)
        named = named and names.isdisjoint(whole) and of > 1
        what += f" ({quantity.listed(sorted(names))})" * named
        least = shortest(stopped)
        when = " after" if len(stopped) == 1 else "; the shortest run stopped after"
        after = f"{when} {self.steps(least.steps, least)}" if least else ""
        return EVIDENCE["budget"].format(what=what, after=after)

    def failed(self) -> str:
        """How many cells have no number because they failed or were refused, and why."""
        lost = failures([self.bench])
        return self.title(lost) if lost.failed else ""

    def bounded(self, value: Value) -> str:
        """A number; of one whose interval's ends are more than twofold apart, the nearer one."""
        ends, ratio = value.interval, value.unit is Unit.RATIO
        if ends.known and ends.high > LOOSE * ends.low and not (ratio and holds_one(ends)):
            least = ends.low > 1 or not ratio
            bound, toward = (ends.low, floor) if least else (ends.high, ceil)
            number = quantity.write(bound, value.unit, None, self.noun(value), toward)
            return f"{'at least' if least else 'at most'} {number}"
        return self.number(value)

    def quality(self, number: str, metric: str) -> str:
        """A number of a metric: "99.4 % validation accuracy", "a validation loss of 0.031"."""
        title = metric_title(metric)
        return f"{number} {title}" if number.endswith("%") else f"a {title} of {number}"

    # Evidence ---------------------------------------------------------------------------------

    def evidence(self, finding: Finding, where: str = "") -> str:
        """The interval behind a finding, which may be in one of several benchmarks (`where`)."""
        values, base = finding.values, finding.base
        match finding.kind:
            case Kind.NOT_MEASURED | Kind.TARGET | Kind.CROSSING:
                return ""
            case Kind.PUBLISHED if base:
                number, name = self.with_interval("", base).strip(), self.spoken(base.of)
                return EVIDENCE["absolute"].format(name=name, verb=self.verb(base), number=number)
            case Kind.TOTAL if base:
                values, where = (base,), f" on {self.name(base.of)}"
            case Kind.UNDECIDED:
                spec, open_ = (self.bench.plan.spec,), {(v.of, v.over) for v in values}
                return " ".join(
                    decides(replace(run, specs=spec), among(count, len(values)))
                    for run in outcome_of([self.bench]).reruns
                    for own in [[f.values[0] for _, f in run.comparisons]]
                    if (count := sum((value.of, value.over) in open_ for value in own))
                )
            case Kind.MISCLASSIFIED if Caveat.SINGLE_RUN not in finding.caveats:
                (row,), of = values[0].processes, values[0].of
                cells = self.bench.cells(of.device, of.machine, of.point)
                runs = quantity.plural(sum(cell.measured for cell in cells), "run")
                return EVIDENCE["seed"].format(seed=row.seed, runs=runs)
            case Kind.INT8:
                return self._int8(finding)
            case Kind.FORECAST if record := self.bench.record(values[0].processes[0]):
                own = next(f for f in forecasts_of(record) if f.target == values[0].of.part)
                count = errors_of(record, own).values
                where = f" for {quantity.plural(count, 'validation value')} in a row"
            case _ if finding.of_several:
                where = where or self.at(values[0].of)
        first = forward(values[0])
        if two := first.interval.two:
            both = [quantity.write(one, first.unit, noun=self.noun(first)) for one in two]
            verb = "take" if first.unit is Unit.SECONDS else "reach"
            name, number = f"Two processes{where}", quantity.listed(both)
            return EVIDENCE["absolute"].format(name=name, verb=verb, number=number)
        if not self.interval(first) or first.interval.n < 2:
            return ""
        processes = quantity.plural(first.interval.n, "process", "processes")
        interval = EVIDENCE["interval"].format(
            level=quantity.percent(finding.level, 0),
            where=where,
            interval=self.interval(first),
            processes=f"{processes}{' on each side' * (first.unit is Unit.RATIO)}",
        )
        return f"{interval} {self._learned(values[0])}".strip()

    def _learned(self, value: Value) -> str:
        """What a precision that is compared does to the quality; empty where it is not known."""
        of = value.of
        parity = self.bench.parity.get((of.device, of.machine, of.point)) if value.why else None
        if not parity or not parity.difference.known or not is_share(parity.quality.metric):
            return ""
        change, sample = parity.difference, any(row.origin == "sample" for row in value.processes)
        metric = metric_title(parity.quality.metric)
        return EVIDENCE["quality"].format(
            data="On a sample: " * sample,
            own=COMPUTE_DTYPE[value.why[0].own],
            metric=metric if sample else sentence(metric),
            shift=quantity.points(change.value),
            between=quantity.points_between(change.low, change.high),
            margin=quantity.percentage_points(parity.quality.within),
            state=PARITY[parity.verdict],
        )

    def _int8(self, finding: Finding) -> str:
        """What the tests of the accuracy found; the figure has each run."""
        changes = [value for value in finding.values if value.of.part == ACCURACY]
        text, several = "shows no significant change", len(changes) > 1
        most = max(abs(end) for value in changes for end in value.interval.ends)
        tested = f"95 % interval{'s' * several} within ± {quantity.fixed(100 * most, 2)} points"
        if any(isinstance(value.verdict, Change) for value in changes):
            text = f"changes by {quantity.listed([quantity.points(v.number) for v in changes])}"
            p = quantity.probability(min(value.p for value in changes))
            tested = f"McNemar’s test: {'smallest ' * several}{p}"
        return EVIDENCE["int8"].format(
            changes=f"{text}{f' in {len(changes)} runs' * several}",
            examples=quantity.count(max(value.interval.n for value in changes)),
            test=tested,
        )

    def with_interval(self, name: str, value: Value) -> str:
        """A number under its name and its interval: "A: 1.04× (0.94–1.15×)"."""
        text = f"{name} {self.number(value)}"
        return f"{text} ({interval})" if (interval := self.interval(value)) else text

    def sides(self, finding: Finding, **given: str) -> tuple[str, str]:
        """The sides of a ratio, the faster one first: "graph mode", "eager mode in TensorFlow"."""
        ratio = forward(finding.values[0])
        if self.spoken(ratio.of) == (base := self.spoken(over(ratio))):
            return f"{base}{self.at(ratio.of)}", self.bench.at(over(ratio).point, "")
        words = _Words(self, finding, given)
        return words.who, f"{words.base}{self.at(ratio.of)}"

    def compared(self, value: Value) -> str:
        """A ratio as words, its faster side first: "A over B at batch size 256: 1.4×"."""
        given = {} if self.bench.several_machines else {"of": ""}
        sides = self.sides(Finding(Kind.UNDECIDED, (value,)), **given)
        return f"{' over '.join(sides)}: {self.number(forward(value))}"

    def runs(self, value: Value) -> str:
        """What is unusual of the runs behind a ratio: "one partial run", "partial runs"."""
        return forms.runs_of(Finding(Kind.UNDECIDED, (value,)))


def _processes(findings: Iterable[Finding]) -> list[Result]:
    """The processes of some findings, each once."""
    values = (value for finding in findings for value in finding.every_value)
    rows = (row for value in values for row in value.processes)
    return list({(row.key, row.machine): row for row in rows}.values())


def _by_configuration(processes: Iterable[Result]) -> list[list[Result]]:
    return list(grouped(processes, lambda row: (row.device, row.machine, row.where)).values())


@dataclass(frozen=True)
class _Words(Mapping[str, str]):
    """The fields of a form, each worked out where a form asks for it.

    Attributes:
        speaker: of the benchmark.
        finding: what is said.
        others: fields in place of these.
    """

    speaker: Speaker
    finding: Finding
    others: Mapping[str, str]

    def __getitem__(self, field: str) -> str:
        return self.others[field] if field in self.others else str(getattr(self, field))

    def __iter__(self) -> Iterator[str]:
        return iter(self.others)

    def __len__(self) -> int:
        return len(self.others)

    @property
    def _first(self) -> Value:
        """The faster side of a ratio, our time of two, what is behind a crossing."""
        if self.finding.kind is Kind.TOTAL:
            return self._other
        crossing = self.finding.kind is Kind.CROSSING
        return self.finding.values[1] if crossing else forward(self.finding.values[0])

    @property
    def who(self) -> str:
        """What is ahead, or has a number; of what differs in a mode or precision, that."""
        first, speaker = self._first, self.speaker
        if self.finding.kind is Kind.GAIN:
            return f"{speaker.spoken(first.of)}{speaker.at(first.of)}"
        if self._modes:
            return mode(speaker.bench.plan.devices[first.of.device])
        if counts := self._threads:
            name = speaker.name(counts[2]).replace(f", {max(counts[:2])} threads", "")
            of = self.others.get("of", f" of {name}")
            return f"{quantity.number_word(counts[0])} thread{'s' * (counts[0] > 1)}{of}"
        name = self._sides[1][0] if "of" in self.others else speaker.spoken(first.of)
        return COMPUTE_DTYPE[first.why[0].own] if first.why else name

    @property
    def base(self) -> str:
        """What a ratio is over, or what stands beside a number."""
        first, beside, speaker = self._first, over(self._first), self.speaker
        if self._modes:
            device = speaker.bench.plan.devices[beside.device]
            return f"{mode(device)} in {device.framework_name}"
        if counts := self._threads:
            return quantity.number_word(counts[1])
        if self.finding.kind is Kind.GAIN:
            return f"at {quantity.setting(*beside.point)}"
        if first.why:
            on = f" on {speaker.bench.with_kind(over(self.finding.values[0]))}"
            return f"{COMPUTE_DTYPE[first.why[0].base]}{self.others.get('of', on)}"
        machine, names = self._sides
        return names[1] if machine else speaker.spoken(beside)

    @property
    def _sides(self) -> tuple[str, list[str]]:
        """The machine of both sides of a ratio, and their names without it."""
        return parted([self.speaker.name(of) for of in (self._first.of, over(self._first))])

    @property
    def _modes(self) -> bool:
        """Whether a ratio is of two modes of one framework: they give the sides their names."""
        differ = difference_of(self.speaker.bench, self._first)
        return self.finding.kind is Kind.COMPILED or differ == (Difference.MODE,)

    @property
    def _threads(self) -> tuple[int, int, Subject] | None:
        return threads_of(self.speaker.bench, self._first)

    @property
    def _other(self) -> Value:
        if self.finding.base is None:
            raise ValueError(f"a finding of {self.finding.kind} stands beside something")
        return self.finding.base

    @property
    def at(self) -> str:
        """The sweep point, where the form is of one."""
        of, bench = self._first.of, self.speaker.bench
        # A title has no room for three settings of the best of a grid: its evidence has them.
        grid = len(bench.points) > max(map(len, bench.plan.axes.values()), default=0)
        best = grid and self.finding.of_several
        if best or self.finding.kind in {Kind.GAIN, Kind.COMPILED}:
            return ""
        return self.speaker.at(over(self._first) if of.row else of)

    @property
    def ratio(self) -> str:
        """The ratio, or its bound; one of a published number is as round as that."""
        number, about = self.speaker.bounded(self._first), self.finding.kind is Kind.PUBLISHED
        return f"{'about ' * (about and number == self.speaker.number(self._first))}{number}"

    @property
    def fast(self) -> str:
        """What a ratio is of: a call of a larger batch has more images, but is no faster."""
        many = self.finding.kind is Kind.GAIN and not self.speaker.bench.words.trains
        return f"as many {self.speaker.bench.words.rate} as" if many else "as fast as"

    @property
    def be(self) -> str:
        """The verb of what is as fast, or of what has as many."""
        if self.fast != "as fast as":
            return self.speaker.verb(replace(self._first, unit=Unit.RATE))
        return "are" if (counts := self._threads) and counts[0] > 1 else "is"

    @property
    def overtake(self) -> str:
        """The verb of a crossing."""
        return "overtakes" if self.be == "is" else "overtake"

    @property
    def do(self) -> str:
        """The verb of the work; of several threads in the plural."""
        verb = self.speaker.verb(self._first)
        if self.be != "are":
            return verb if self.be == "is" else self.be
        return "multiply" if verb == "multiplies" else verb.removesuffix("s")

    @property
    def number(self) -> str:
        """The first number, of a rate its bound where that is far; of a range both ends."""
        if self.finding.kind is Kind.RATE:
            return self.speaker.bounded(self._first)
        every = self.finding.kind is Kind.RANGE
        return self.speaker.numbers(self.finding.values if every else (self._first,))

    @property
    def other(self) -> str:
        """What the first number stands beside."""
        return self.speaker.number(self._other)

    @property
    def beside(self) -> str:
        """The other time that is longer, or that the source has beside the first."""
        other = self.finding.values[0] if self.finding.kind is Kind.TOTAL else self._other
        number, name = self.speaker.number(other), self.speaker.name(other.of)
        ratio = forms.times_as_fast(self.finding)
        return f", {ratio} as fast as {name} ({number})" if ratio else f" and {number} on {name}"

    @property
    def second(self) -> str:
        """The second number: when the first was reached."""
        return self.speaker.number(self.finding.values[1])

    @property
    def between(self) -> str:
        """Two neighbouring values of a sweep."""
        before, after = (value.of for value in self.finding.values[:2])
        axis = axis_title(self.finding.axis)
        return f"{axis} {quantity.setting(*before.point)} and {quantity.setting(*after.point)}"

    @property
    def open(self) -> str:
        """How many comparisons are undecided."""
        count = len(self.finding.values)
        return f"{quantity.plural(count, 'comparison')} {'is' if count == 1 else 'are'}"

    @property
    def which(self) -> str:
        """The few that are undecided: " (A over B: 0.89×; C over B: 1.04×)"."""
        named = "; ".join(map(self.speaker.compared, self.finding.values))
        return f" ({named})" if forms.is_named(self.finding) else ""

    @property
    def data(self) -> str:
        """What data a network learned from, where they are not the whole real set."""
        words = data_words(self.finding)
        return f"{words}: " if words else ""

    @property
    def place(self) -> str:
        """The device, where there are several, and the sweep point."""
        several = len(self.speaker.bench.shown_series) > 1
        on = f" on {self.speaker.name(self._first.of)}" if several else ""
        return f"{on}{self.speaker.at(self._first.of)}"

    @property
    def quality(self) -> str:
        """A metric with its number."""
        return self.speaker.quality(self.number, self._first.of.part)

    @property
    def wrong(self) -> str:
        """How many of how many examples, with the verb."""
        wrong = self._first.number
        of = quantity.write(self.finding.of, Unit.COUNT, noun=self.speaker.noun(self._first))
        verb = "is" if wrong in {0, 1} else "are"
        return f"{quantity.count(wrong) if wrong else 'none'} of {of} {verb}"

    @property
    def series(self) -> str:
        """The series that is forecast."""
        return label(self._first.of.part, 40)

    @property
    def than(self) -> str:
        """How well it is forecast, beside a naive guess."""
        return "better than" if self._first.verdict is Change.BETTER else "worse than"

    @property
    def naive(self) -> str:
        """The naive guess beside it."""
        return in_quotes(self._other.of.part)

    @property
    def part(self) -> str:
        """In how many of all runs."""
        of = quantity.plural(self.finding.of, "run")
        return f"{self.finding.of - self._first.interval.n} of {of}"

    @property
    def faster(self) -> str:
        """How fast a converted network is beside the other where that is decided, with the verb."""
        speeds = (v for v in self.finding.values if v.of.part in {LATENCY, BATCHES})
        speed = next((v for v in speeds if v.verdict in {Verdict.FASTER, Verdict.SLOWER}), None)
        what = "batches" if speed and speed.of.part == BATCHES else "single calls"
        return f" and answers {what} {self.speaker.number(speed)} as fast" if speed else ""

    @property
    def reached(self) -> str:
        """How many runs reached what was asked for, with the verb."""
        count = forms.reached(self.finding)
        runs = quantity.plural(self.finding.of, "run")
        return f"{count} of {runs} {'reaches' if count == 1 else 'reach'}"

    @property
    def level(self) -> str:
        """The quality that was asked for."""
        metric = self._first.of.part
        target = self.speaker.bench.target_times[0].target
        return self.speaker.quality(level_text(metric, target.level), metric)

    @property
    def failed(self) -> str:
        """How many of all cells that ran failed."""
        return failed_text(self.finding, self.speaker.bench.results)[0]

    @property
    def reasons(self) -> str:
        """Why they failed, with counts."""
        return failed_text(self.finding, self.speaker.bench.results)[1]

    @property
    def noun(self) -> str:
        """What the first number of a quality is, as a label."""
        first = self._first
        metric, name = metric_title(first.of.part), self.speaker.name(first.of)
        match self.finding.kind:
            case Kind.MISCLASSIFIED:
                single = Caveat.SINGLE_RUN in self.finding.caveats
                seed = "" if single else f", seed {first.processes[0].seed}"
                return f"of {quantity.count(self.finding.of)} misclassified{seed}"
            case Kind.WRITES:
                return f"of next characters predicted, {self.second}"
            case Kind.FORECAST:
                return f"mean absolute error, {self.series}"
            case Kind.INT8:
                return "of float32’s size in int8"
            case Kind.TARGET:
                others = f" on {name}" * (len(self.speaker.bench.shown_series) > 1)
                return f"until {self.level}{others}"
        framework = name.startswith(tuple(FRAMEWORK_NAMES.values()))
        return f"{metric} {'with' if framework else 'on'} {name}"
