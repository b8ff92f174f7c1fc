"""Every form of a sentence about a result, each with its condition; `say.py` fills them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from accelreport.analysis.findings import COMPARED, Caveat, Finding, Kind, Subject, Value
from accelreport.analysis.learning import Change, Parity
from accelreport.analysis.stats import Verdict
from accelreport.report import quantity


@dataclass(frozen=True)
class Form:
    """A sentence about a result.

    Attributes:
        kinds: the findings of which it can be made.
        text: its words; `Words` has the fields, and whoever speaks of several benchmarks may give
            others.
        holds: what must be true of the finding, beside `Finding.is_sentence`.
    """

    kinds: tuple[Kind, ...]
    text: str
    holds: Callable[[Finding], bool] = lambda _: True


def best_of(finding: Finding) -> str:
    """Of how many rates one is the highest; empty of anything else."""
    if not finding.of_several:
        return ""
    return f", the {'higher' if finding.of == 2 else 'highest'} of its {finding.of} rates"


def _same(finding: Finding) -> bool:
    return finding.values[0].verdict is Verdict.SAME


def _single(finding: Finding) -> bool:
    return all(v.interval.n == 1 and len(v.processes) <= 2 for v in finding.values)


MOST_NAMED = 2
"""Undecided comparisons that a sentence names."""


def is_named(undecided: Finding) -> bool:
    """Whether its comparisons are so few that a sentence names them."""
    return len(undecided.values) <= MOST_NAMED


def reached(finding: Finding) -> int:
    """How many runs reached the quality that was asked for."""
    return sum(quantity.present(value.number) for value in finding.values)


def _all_stopped(finding: Finding) -> bool:
    return all(Caveat.BUDGET in value.caveats for value in finding.values)


def _diverged(finding: Finding) -> bool:
    return finding.values[0].interval.n < finding.of


def runs_of(finding: Finding) -> str:
    """What is unusual of the runs behind a number: "one run", "one partial run", "partial runs"."""
    partial = "partial " * (Caveat.BUDGET in finding.caveats)
    one = finding.kind is Kind.MISCLASSIFIED or Caveat.SINGLE_RUN in finding.caveats
    if one and finding.kind is Kind.RANGE:
        if all(Caveat.BUDGET in value.caveats for value in finding.values):
            return "single partial runs"
        return f"single runs{', partial ones included' * bool(partial)}"
    return f"one {partial}run" if one else partial and "partial runs"


def first_alone(finding: Finding) -> Finding:
    """Latencies and comparisons of several devices as the one that their sentence has."""
    several = finding.kind not in {Kind.LATENCY, *COMPARED}
    return finding if several else replace(finding, values=finding.values[:1], base=None)


def times_as_fast(finding: Finding) -> str:
    """How fast a training here is over a published one by the same clock, if decided; else ""."""
    own, other = finding.base, finding.values[0].number
    if finding.kind is not Kind.TOTAL or own is None or Caveat.UNVALIDATED in finding.caveats:
        return ""
    ends = own.interval
    decided = ends.known and ends.high < other
    return quantity.ratio(other / own.number, other / ends.high, other / ends.low) * decided


def over(value: Value) -> Subject:
    """What a ratio is over."""
    if value.over is None:
        raise ValueError("only a ratio is over something")
    return value.over


DATA = {Caveat.STAND_IN: "on synthetic data", Caveat.SAMPLE: "on a sample"}
"""What a sentence about quality begins with where the data are not the whole real set."""


def data_words(finding: Finding) -> str:
    """On what data a network learned that are not the whole real set; empty where they are."""
    own = {} if finding.kind is Kind.INT8 else DATA  # no size depends on the data
    return next((words for caveat, words in own.items() if caveat in finding.caveats), "")


_RATIOS = (*COMPARED, Kind.PUBLISHED)

FORMS: tuple[Form, ...] = (
    Form(_RATIOS, "{who} {be} {fast} {base}{at}, within 3\xa0%", _same),
    Form(_RATIOS, "{who} {do} {ratio} {fast} {base}{at}"),
    Form((Kind.UNDECIDED,), "{open} not decided{which}: single runs", _single),
    Form((Kind.UNDECIDED,), "{open} not decided{which}"),
    Form((Kind.CROSSING,), "{who} {overtake} {base} between {between}"),
    Form((Kind.TOTAL,), "{what} takes {number} on {who}{beside}"),
    Form((Kind.PAYS_OFF,), "{who} {overtake} {base} after {number}, start-up included"),
    Form((Kind.RANGE,), "{one} takes {number} on {who}"),
    Form((Kind.RATE,), "{who} {do} {number}{at}{best}"),
    Form((Kind.LATENCY,), "the median call{at} takes {number} on {who}"),
    Form((Kind.LEARNS,), "{data}the network has {quality}{place} after {second} of training steps"),
    Form((Kind.MISCLASSIFIED,), "{data}{wrong} misclassified{at}"),
    Form((Kind.WRITES,), "{data}the network predicts {number} of the next characters "
         "after {second} of training"),
    Form((Kind.FORECAST,), "{data}the network diverges in {part} and forecasts no "
         "{series}", _diverged),
    Form((Kind.FORECAST,), "{data}the network forecasts {series} {than} {naive}: "
         "{number} against {other}",
         lambda finding: isinstance(finding.values[0].verdict, Change)),
    Form((Kind.FORECAST,), "{data}the network’s mean absolute error for {series} is "
         "{number}, and that of {naive} is {other}"),
    Form((Kind.INT8,), "the int8 network{at} is {number} of the size of the float32 network"
         "{faster}"),
    Form((Kind.TARGET,),
         "{data}{reached} {level}, the first{place} after {number} of training steps",
         lambda finding: reached(finding) > 0),
    Form((Kind.TARGET,), "{data}the time budget stopped every run before {level}", _all_stopped),
    Form((Kind.TARGET,), "{data}no run reaches {level}"),
    Form((Kind.NOT_MEASURED,), "{failed}: {reasons}", lambda finding: bool(finding.failed)),
    Form((Kind.NOT_MEASURED,), "no baseline was timed", lambda finding: bool(finding.of)),
    Form((Kind.NOT_MEASURED,), "nothing has been measured yet"),
)  # fmt: skip
"""Every form of a title, in the order in which they are tried; `EVIDENCE` and `CAVEATS` are the
others."""

EVIDENCE = {
    "interval": "The {level} interval{where} is {interval} over {processes}.",
    "absolute": "{name} {verb} {number}.",
    "decides": "“{command}” may decide {them}.",
    "baseline": "{name} is the baseline ({why}).",
    "seed": "The run is seed {seed}, one of {runs}.",
    "int8": "Accuracy {changes} on {examples} examples ({test}).",
    "quality": "{data}{metric} with {own} differs by {shift} ({between}, 90\xa0% interval; margin "
    "±\xa0{margin}): {state}.",
    "budget": "The time budget per cell stopped {what}{after}.",
    "processors": "The processor differs between {runs}: {names}.",
    "load": "Other programs used the processor while {busy} of {processes} ran.",
}
"""What stands below a title: the intervals behind it, and what may decide it."""

PARITY = {
    Parity.EQUIVALENT: "equivalent",
    Parity.DIFFERENT: "different",
    Parity.UNDECIDED: "equivalence undecided",
}
"""Whether two qualities are the same within a margin, on every surface."""

CAVEATS: dict[Caveat, str] = {
    Caveat.EXTRAPOLATED: "The total is extrapolated from {steps}{without}.",
    Caveat.SAMPLE: "The network learns from a sample of the data.",
    Caveat.STAND_IN: "The data are synthetic.",
    Caveat.UNLIKE: "The source measured under other conditions.",
    Caveat.INFERRED: "The source does not name the hardware; it is inferred.",
    Caveat.VALIDATED: "All times include the validation after each epoch.",
    Caveat.UNVALIDATED: "The measured time leaves validation out; the published one includes it.",
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


def signs(caveats: Iterable[Caveat]) -> str:
    """The signs of some caveats, each once: "†", "† ‡"."""
    marks = {SIGNS[caveat] for caveat in caveats if caveat in SIGNS}
    return " ".join(sorted(marks))


_SIGN_WORDS = {
    Caveat.BUDGET: "stopped by the budget",
    Caveat.SINGLE_RUN: "single run",
    Caveat.UNVALIDATED: "measured without validation",
}


def signs_text(caveats: Iterable[Caveat]) -> str:
    """What their signs mean, in a line: "† stopped by the budget · ‡ single run"."""
    every = frozenset(caveats)
    shown = (caveat for caveat in _SIGN_WORDS if caveat in every)
    return " · ".join(f"{SIGNS[caveat]} {_SIGN_WORDS[caveat]}" for caveat in shown)


def why_hollow(caveats: Iterable[Caveat]) -> tuple[str, ...]:
    """Why a mark is hollow: in words, as a figure has no signs."""
    every = frozenset(caveats)
    return tuple(words for caveat, words in _SIGN_WORDS.items() if caveat in every)


def say(finding: Finding, words: Mapping[str, str]) -> str:
    """The form of a finding, filled, without a full stop.

    Raises:
        ValueError: no sentence may be made of it.
    """
    if finding.is_sentence:
        for form in FORMS:
            if finding.kind in form.kinds and form.holds(finding):
                return form.text.format_map(words)
    raise ValueError(f"a finding of {finding.kind} is no sentence here")
