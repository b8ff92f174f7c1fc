"""The forms of findings about quality: what `Speaker` says of a trained network."""

from __future__ import annotations

from typing import TYPE_CHECKING

from accelreport.analysis.findings import Caveat, Finding, Kind, Unit, Value, is_decided
from accelreport.analysis.learning import WITHIN, Change
from accelreport.analysis.learning_findings import ACCURACY, LATENCY
from accelreport.analysis.stats import Verdict
from accelreport.report import quantity
from accelreport.report.metrics import level_text, metric_title
from accelreport.report.text import label

if TYPE_CHECKING:
    from accelreport.report.say import Speaker

QUALITIES = frozenset(
    {
        Kind.LEARNS, Kind.MISCLASSIFIED, Kind.WRITES, Kind.FORECAST, Kind.INT8,
        Kind.TARGET,
    }
)  # fmt: skip
"""Kinds whose forms are here."""

_DATA = {Caveat.STAND_IN: "on synthetic data", Caveat.SAMPLE: "on a sample"}
"""What a title about quality begins with where the data are not the whole real set."""


def clause(speaker: Speaker, finding: Finding) -> str:
    """What a finding about quality says, behind the data that its values are of."""
    return ": ".join(filter(None, (data_words(finding), _clause(speaker, finding))))


def data_words(finding: Finding) -> str:
    """On what data a network learned that are not the whole real set; empty where they are."""
    return next((words for caveat, words in _DATA.items() if caveat in finding.caveats), "")


def _clause(speaker: Speaker, finding: Finding) -> str:
    values = finding.values
    first = values[0]
    match finding.kind:
        case Kind.LEARNS:
            after = speaker.number(values[1])
            several = len(speaker.bench.shown_series) > 1
            where = f" on {speaker.name(first.of)}" * several + speaker.at(first.of)
            return f"the network has {_quality(speaker, first)}{where} after {after}"
        case Kind.MISCLASSIFIED:
            count = quantity.count(first.number) if first.number else "none"
            verb = "is" if first.number in {0, 1} else "are"
            of = quantity.write(finding.of, Unit.COUNT, noun=speaker.noun(first))
            return f"{count} of {of} {verb} misclassified{speaker.at(first.of)}"
        case Kind.WRITES:
            share, steps = (speaker.number(value) for value in values[:2])
            return f"the network predicts {share} of the next characters after {steps}"
        case Kind.FORECAST:
            return _forecast(speaker, finding)
        case Kind.TARGET:
            metric = first.of.part
            level = _of_metric(
                level_text(metric, speaker.bench.target_times[0].target.level), metric
            )
            reached = sum(quantity.present(value.number) for value in values)
            if all(Caveat.BUDGET in value.caveats for value in values) and not reached:
                return f"the time budget stopped every run before {level}"
            if not reached:
                return f"no run reaches {level}"
            runs = quantity.plural(finding.of, "run")
            verb = "reaches" if reached == 1 else "reach"
            return f"{reached} of {runs} {verb} {level}, the first after {speaker.number(first)}"
        case _:
            return _int8(speaker, finding)


def _quality(speaker: Speaker, value: Value) -> str:
    """A metric with its number: "99.4 % validation accuracy", "a validation loss of 0.031"."""
    return _of_metric(speaker.number(value), value.of.part)


def _of_metric(number: str, metric: str) -> str:
    title = metric_title(metric)
    return f"{number} {title}" if number.endswith("%") else f"a {title} of {number}"


def naive_name(value: Value) -> str:
    """A naive guess in quotation marks."""
    return f"“{label(value.of.part, 40)}”"


def _forecast(speaker: Speaker, finding: Finding) -> str:
    """Who errs less, the network or the best naive guess, if every run agrees."""
    (value,), base = finding.values, finding.base
    if base is None:
        raise ValueError("a forecast is compared with a naive guess")
    series, naive = label(value.of.part, 40), naive_name(base)
    if value.interval.n < finding.of:
        diverged = finding.of - value.interval.n
        runs = f" in {diverged} of {finding.of} runs" if finding.of > 1 else ""
        return f"the network diverges{runs} and forecasts no {series}"
    own, theirs = speaker.number(value), speaker.number(base)
    return (
        f"the network’s mean absolute error for {series} is {own}, and that of {naive} is {theirs}"
    )


def _int8(speaker: Speaker, finding: Finding) -> str:
    """How much smaller and faster, where that is decided, and what became of the accuracy."""
    size, *others = finding.values
    smaller = f"the int8 network{speaker.at(size.of)} has {speaker.number(size)} of the size"
    latency = _latency(finding)
    if latency and latency.verdict in {Verdict.FASTER, Verdict.SLOWER}:
        smaller = f"{smaller} and runs {speaker.number(latency)} as fast"
    changes = [value for value in others if value.of.part == ACCURACY]
    verdicts = [value.verdict for value in changes]
    if set(verdicts) == {Verdict.SAME}:
        return f"{smaller}, with the same accuracy within {quantity.percentage_points(WITHIN)}"
    for verdict, verb in ((Change.WORSE, "falls"), (Change.BETTER, "rises")):
        if verdict in verdicts and len(changes) == 1:
            return f"{smaller}; accuracy changes by {points(changes[0])}"
        if verdict in verdicts:
            return f"{smaller}; accuracy {verb} in {verdicts.count(verdict)} of {len(changes)} runs"
    if len(changes) > 1:
        return f"{smaller}; no change in accuracy is significant"
    return (
        f"{smaller}; the change in accuracy is not significant "
        f"({quantity.probability(changes[0].p)})"
    )


def _latency(finding: Finding) -> Value | None:
    return next((value for value in finding.values if value.of.part == LATENCY), None)


def points(value: Value) -> str:
    """A change in accuracy in percentage points, with no digit that its interval denies."""
    return quantity.points(value.number, value.interval.low, value.interval.high)


# Evidence ---------------------------------------------------------------------------------------


def evidence(speaker: Speaker, finding: Finding) -> str:
    """The values of a finding about quality with their intervals."""
    values = finding.values
    match finding.kind:
        case Kind.LEARNS:
            return _interval(speaker, values[0])
        case Kind.MISCLASSIFIED if Caveat.SINGLE_RUN not in finding.caveats:
            (row,), runs = values[0].processes, _runs_like(speaker, values[0])
            return f"The run is seed {row.seed}, one of {quantity.plural(runs, 'run')}."
        case Kind.WRITES:
            first = [f"After the first epoch the share is {speaker.number(v)}." for v in values[2:]]
            return " ".join(filter(None, (_interval(speaker, values[0]), *first)))
        case Kind.FORECAST:
            return _interval(speaker, values[0])
        case Kind.INT8:
            return _int8_evidence(speaker, finding)
    return ""


def _runs_like(speaker: Speaker, value: Value) -> int:
    """How many runs there are of the configuration of a value."""
    of = value.of
    return sum(row.measured for row in speaker.bench.cells(of.device, of.machine, of.point))


def _interval(speaker: Speaker, value: Value) -> str:
    if not value.interval.known:
        return ""
    runs = quantity.plural(value.interval.n, "run")
    return f"The 95{quantity.SPACE}% interval is {speaker.interval(value)} over {runs}."


def _int8_evidence(speaker: Speaker, finding: Finding) -> str:
    latency = _latency(finding)
    call, faster = f"a call{speaker.at(finding.values[0].of)}", ""
    if latency:
        faster = f"{speaker.with_interval(f'The speedup of {call} is', latency)}. "
    if latency and latency.interval.known and not is_decided(latency):
        interval = speaker.interval(latency)
        faster = f"Whether {call} is faster or slower is undecided ({interval}). "
    changes = [value for value in finding.values if value.of.part == ACCURACY]
    listed = quantity.listed(list(map(points, changes)))
    examples = quantity.count(max(value.interval.n for value in changes))
    p = quantity.probability(min(value.p for value in changes))
    tested = f"McNemar’s test: smallest {p}"
    if len(changes) == 1:
        ends = changes[0].interval
        between = quantity.points_between(ends.low, ends.high)
        tested = f"95{quantity.SPACE}% interval {between}, McNemar’s test: {p}"
    elif {value.verdict for value in changes} == {Verdict.SAME}:
        margin = quantity.percentage_points(WITHIN)
        tested = f"each 95{quantity.SPACE}% interval within ± {margin}"
    return f"{faster}Accuracy changes by {listed} on {examples} examples ({tested})."


def large_text(speaker: Speaker, finding: Finding) -> str:
    """What the large number of a finding about quality is."""
    values = finding.values
    match finding.kind:
        case Kind.MISCLASSIFIED:
            single = Caveat.SINGLE_RUN in finding.caveats
            seed = "" if single else f", seed {values[0].processes[0].seed}"
            return f"of {quantity.count(finding.of)} misclassified{seed}"
        case Kind.WRITES:
            return f"of the next characters predicted after {speaker.number(values[1])}"
        case Kind.FORECAST:
            return f"mean absolute error of the network for {label(values[0].of.part, 40)}"
        case Kind.INT8:
            return f"of the size in float32, as int8{speaker.at(values[0].of)}"
        case Kind.TARGET:
            return f"until the first run reaches the {metric_title(values[0].of.part)} asked for"
    interval = speaker.interval(values[0])
    what = f"{metric_title(values[0].of.part)} on {speaker.name(values[0].of)}"
    what += speaker.at(values[0].of)
    return f"{what}, {interval}" if interval else what
