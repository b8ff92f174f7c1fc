"""What may be said of a benchmark, as values, ranked once.

Every title, sentence, card, slide and note is written from a `Finding`, and every number in it is a
`Value` that the figure below it shows. A finding has one base: comparisons with one base are one
finding with several values, and with two bases they are two findings. Each comparison has one
interval and one verdict, its own, on every surface. A sentence needs more: the two sides differ in
one thing, and the verdict also holds over all comparisons of the page together (Bonferroni),
because a page chooses among them. What is drawn and not said is `TABLED`, or `WITHHELD`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from math import nan

from accelreport.analysis.benchmark import Point
from accelreport.analysis.learning import Change
from accelreport.analysis.results import Result
from accelreport.analysis.speedup import Withheld
from accelreport.analysis.stats import DECIDED, LEAST, LEVEL, Interval, Verdict, holds_one
from accelreport.spec.models import Published

MOST_SEPARATE = 4
"""Comparisons that each have their own level. Of more, some are chosen, and all hold together."""


class Kind(StrEnum):
    """What a finding says; each kind has one form. They are in the order of a page."""

    FASTER = "faster"
    """Decided: the whole interval lies above the base."""
    SLOWER = "slower"
    """Decided: it lies below the base."""
    SAME = "same"
    """Decided: it lies inside the margin."""
    UNDECIDED = "undecided"
    """The interval holds 1, and more than the margin; or there is none."""
    TABLED = "tabled"
    """Decided by itself, of two that differ in several things, or not over all comparisons."""
    WITHHELD = "withheld"
    """A ratio that must not be shown without its reason."""
    COMPILED = "compiled"
    """One framework's compiler against the same framework with less of it."""
    PAYS_OFF = "pays-off"
    """From which step on a compiled run is ahead, start-up included."""
    PUBLISHED = "published-beside"
    """A published rate over one that was measured here."""
    RESTATED = "published-restated"
    """A published ratio of whole trainings, and the same against what was measured here."""
    TOTAL = "total-time"
    """The time of a whole training, published and here."""
    GAIN = "gain"
    """A rate at the last value of a swept number over that at the first."""
    CROSSING = "crossing"
    """One device is slower than another at a value of a swept number, and faster at the next."""
    RANGE = "grid-range"
    """The slowest timed configuration against the fastest."""
    RATE = "rate"
    """The rate of a device that is compared with nothing."""
    EXCEEDS_PEAK = "exceeds-peak"
    """A published figure above the peak of its chip."""
    SHARE_OF_PEAK = "share-of-peak"
    """What was reached of the peak or of the measured roof."""
    LATENCY = "latency"
    """The time of a call."""
    LEARNS = "learns"
    """The quality at the end of the training."""
    MISCLASSIFIED = "misclassified"
    """How many validation examples are wrong."""
    WRITES = "writes"
    """Next letters that a text model guesses."""
    FORECAST = "forecast"
    """The error of a forecast and that of a naive one."""
    INT8 = "int8"
    """Size, latency and accuracy of a network in 8-bit integers."""
    TARGET = "time-to-target"
    """In how many runs the quality that was asked for is reached, and when first."""
    NOT_MEASURED = "not-measured"
    """Nothing has a time."""


COMPARISONS = (
    Kind.FASTER, Kind.SLOWER, Kind.SAME, Kind.UNDECIDED, Kind.TABLED, Kind.WITHHELD
)  # fmt: skip
"""Kinds of a ratio over the baseline, one for each verdict."""

DECIDED_KINDS = frozenset(Kind) - {Kind.UNDECIDED, Kind.TABLED, Kind.WITHHELD, Kind.NOT_MEASURED}
"""Kinds that may be said without the words of the undecided form."""

COMPARED = frozenset({Kind.FASTER, Kind.SLOWER, Kind.SAME, Kind.COMPILED, Kind.GAIN})
"""Kinds of a comparison of two configurations that differ in one thing."""
BESIDE_PUBLISHED = frozenset({Kind.PUBLISHED, Kind.TOTAL})
"""Kinds of a published number beside one that was measured."""
LEARNED = frozenset(
    {
        Kind.LEARNS, Kind.MISCLASSIFIED, Kind.WRITES, Kind.FORECAST, Kind.INT8, Kind.TARGET,
    }
)  # fmt: skip
"""Kinds of a fact about a trained network."""
FACTS = LEARNED | {Kind.RATE, Kind.LATENCY}
"""Kinds of one quantity of one configuration."""


class Caveat(StrEnum):
    """What weakens a number, shown wherever the number is."""

    SINGLE_RUN = "single-run"
    BUDGET = "stopped-by-the-budget"
    EXTRAPOLATED = "extrapolated"
    SAMPLE = "sample"
    STAND_IN = "stand-in"
    UNLIKE = "unlike-conditions"
    BUSY = "busy-machine"
    INFERRED = "inferred-hardware"
    VALIDATED = "with-validation"
    UNVALIDATED = "without-validation"


class Provenance(StrEnum):
    """Where a number is from."""

    MEASURED = "measured"
    PUBLISHED = "published"
    CALCULATED = "calculated"


class Unit(StrEnum):
    """What a number counts."""

    RATIO = "ratio"
    SECONDS = "seconds"
    RATE = "rate"
    """Examples in a second, or 10¹² operations in a second of a kernel."""
    SHARE = "share"
    COUNT = "count"
    BYTES = "bytes"
    STEPS = "steps"
    NUMBER = "number"
    """In the unit of the data, which `Value.noun` names."""


@dataclass(frozen=True)
class Subject:
    """What a number is of.

    Attributes:
        device: its name in the plan.
        machine: fingerprint of the machine; empty for what was published.
        point: the sweep point; empty where it belongs to all.
        row: the published row; None for what was measured.
        part: the metric, series, naive guess or figure of a converted network that is meant,
            where the device has several.
    """

    device: str
    machine: str = ""
    point: Point = ()
    row: Published | None = None
    part: str = ""

    def __hash__(self) -> int:
        label = self.row.label if self.row else ""
        return hash((self.device, self.machine, repr(self.point), label, self.part))


@dataclass(frozen=True)
class Value:
    """A number with everything that qualifies it.

    Attributes:
        of: what it is of.
        interval: the number, its ends (NaN without an interval) and its processes.
        unit: what it counts.
        provenance: where it is from.
        caveats: what weakens it.
        processes: those that it is made of; of a ratio, those of its base as well.
        verdict: of a ratio or a quality that was compared; None where nothing was.
        needed: more processes that would decide an undecided ratio; None where unknown.
        over: what a ratio is over, where it is not the finding's base: the first value of a sweep.
        why: the reasons for which it is withheld.
        noun: the unit of a `NUMBER`, such as "°C"; empty where it has none.
        p: of the test that gave the verdict; NaN where an interval gave it.
        digits: how many a published figure leaves of what follows from it; 0 where it limits none.
    """

    of: Subject
    interval: Interval
    unit: Unit
    provenance: Provenance
    caveats: frozenset[Caveat]
    processes: tuple[Result, ...] = field(default=(), compare=False, repr=False)
    verdict: Verdict | Change | None = None
    needed: int | None = None
    over: Subject | None = None
    why: tuple[Withheld, ...] = ()
    noun: str = ""
    p: float = nan
    digits: int = 0

    @property
    def number(self) -> float:
        """The number itself."""
        return self.interval.value

    @property
    def at_least(self) -> float:
        """Of a ratio, how many times as fast its faster side is at least: this ranks ratios.

        It is the end of the interval that is nearer to 1: of two, the looser one is no larger.
        """
        low, high = self.interval.ends
        return max(low, 1 / high)


def is_decided(value: Value) -> bool:
    """Whether a number needs no verdict, or has one that decides."""
    return value.verdict is None or value.verdict in {*DECIDED, Change.BETTER, Change.WORSE}


@dataclass(frozen=True)
class Finding:
    """Something that may be said.

    Attributes:
        kind: what it says.
        values: its numbers; a title begins with the first.
        base: what ratios are over, with its own absolute number; None where nothing is divided.
        level: confidence that is promised of the intervals together.
        comparisons: of how many comparisons the values were chosen; 1 where all are shown.
        of: how many there could have been: comparisons, sweep points, configurations.
        axis: the swept key that it is about; empty where it is about none.
        failed: reason → cells without a number for it, of what has none.
    """

    kind: Kind
    values: tuple[Value, ...]
    base: Value | None = None
    level: float = LEVEL
    comparisons: int = 1
    of: int = 0
    axis: str = ""
    failed: tuple[tuple[str, int], ...] = ()

    @property
    def decided(self) -> bool:
        """Whether it may be said without the words of the undecided form.

        A range of single runs may not.
        """
        if self.kind is Kind.RANGE and any(value.interval.n < 2 for value in self.values):
            return False
        return self.kind in DECIDED_KINDS and any(map(is_decided, self.values))

    @property
    def is_sentence(self) -> bool:
        """Whether a sentence may be made of it; all else is numbers with labels.

        A comparison is decided. A published number stands beside one by the same clock and of the
        same work, and outside its interval. A fact of what was learned is of complete trainings.
        """
        if self.kind in COMPARED:
            return self.values[0].verdict in DECIDED
        if self.kind in BESIDE_PUBLISHED:
            unlike = {Caveat.UNLIKE, Caveat.UNVALIDATED, Caveat.EXTRAPOLATED}
            if self.kind is Kind.PUBLISHED:
                unlike.add(Caveat.VALIDATED)
                if holds_one(self.values[0].interval):
                    return False
            return not unlike & self.caveats
        if self.kind in LEARNED:
            # A target counts the runs that the budget stopped.
            whole = Caveat.BUDGET not in self.caveats or self.kind is Kind.TARGET
            forecast = self.kind is Kind.FORECAST
            return whole and not (forecast and not (self.base and is_decided(self.values[0])))
        if self.kind is Kind.RANGE:
            return not any(value.interval.known for value in self.values)
        lone = {Kind.RATE, Kind.LATENCY, Kind.CROSSING, Kind.PAYS_OFF, Kind.UNDECIDED}
        return self.kind in {*lone, Kind.NOT_MEASURED}

    @property
    def of_several(self) -> bool:
        """Whether it is of the fastest of several configurations."""
        return self.kind is Kind.RATE and self.of > 1

    @property
    def titles(self) -> bool:
        """Whether it may be a title or a large number: it is decided, and of no single run."""
        untitled = {Kind.RANGE, Kind.CROSSING, Kind.PAYS_OFF, Kind.UNDECIDED}
        if not self.is_sentence or self.kind in {*untitled, Kind.NOT_MEASURED}:
            return False
        own = self.base if self.kind in BESIDE_PUBLISHED else self.values[0]
        return own is not None and own.interval.n >= LEAST and own.number == own.number

    @property
    def title_values(self) -> tuple[Value, ...]:
        """The numbers of its title: of chosen comparisons the first, and none that is unsaid."""
        if self.kind is Kind.UNDECIDED or not self.is_sentence:
            return ()
        return self.values[:1] if self.kind in COMPARISONS and self.comparisons > 1 else self.values

    @property
    def every_value(self) -> tuple[Value, ...]:
        """Its numbers, and that of its base."""
        return (*self.values, self.base) if self.base else self.values

    @property
    def caveats(self) -> frozenset[Caveat]:
        """Everything that weakens any of its numbers."""
        return frozenset().union(*(value.caveats for value in self.every_value))
