"""Labels of ranked chips, in tables of pages and of a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from accelreport.analysis.findings import Unit
from accelreport.chips.board import INVENTED
from accelreport.chips.ranking import Entry, Figure, Ranked
from accelreport.report.quantity import EN_DASH, count, plural, span, write
from accelreport.report.text import short_hardware
from accelreport.spec.device import FRAMEWORK_NAMES
from accelreport.spec.families import TENSORFLOW


def value_label(entry: Entry, figure: Figure) -> str:
    """The value: "7,730 images/s"."""
    return write(entry.value.value, figure.unit, entry.value, figure.noun)


def interval_label(entry: Entry, figure: Figure) -> str:
    """Both ends of the interval, or that there is none."""
    return span(entry.value, figure.unit, figure.noun) or "single run"


def rank_label(row: Ranked) -> str:
    """A rank, or the range of ranks that the intervals leave open: "3–5"."""
    return f"{row.best}" if row.best == row.worst else f"{row.best}{EN_DASH}{row.worst}"


def confirmed_label(row: Ranked) -> str:
    """Whether other machines of the same hardware agree: "confirmed by 2"."""
    return f"confirmed by {row.confirmed}" if row.confirmed else "self-reported"


def ratio_label(row: Ranked, ranks: Sequence[Ranked], figure: Figure) -> str:
    """How many times as good the entry is as the first: "0.42×"; empty for the first."""
    first = ranks[0].entry
    if row.entry is first:
        return ""
    if row.best <= ranks[0].worst:
        return "undecided"
    ratio = row.entry.value.value / first.value.value
    return write(ratio if figure.more_is_better else 1 / ratio, Unit.RATIO)


def ratio_title(figures: Iterable[Figure]) -> str:
    """What the ratios to the first are of: "speed relative to first"."""
    other = {Unit.NUMBER: "efficiency", Unit.SHARE: "share"}
    words = dict.fromkeys(other.get(figure.unit, "speed") for figure in figures)
    return f"{' or '.join(words)} relative to first"


def stopped_label(entry: Entry) -> str:
    """What the time budget ended: "stopped after 573 of 938 steps"; empty if it ended nothing."""
    if not entry.stopped:
        return ""
    done, planned = map(count, entry.stopped[0])
    shortest = "the shortest run " * (len(entry.stopped) > 1)
    return f"{shortest}stopped after {done} of {planned} steps"


def chip_label(entry: Entry) -> str:
    """Hardware, with the threads of a CPU: "AMD EPYC, 2 threads"."""
    name = short_hardware(entry.hardware.removeprefix(INVENTED))
    return f"{name}, {plural(entry.threads, 'thread')}" if entry.kind == "CPU" else name


def precision_label(entry: Entry) -> str:
    """The dtype policy by its short name: "bfloat16"."""
    return entry.precision.removeprefix("mixed_")


def entry_label(entry: Entry) -> str:
    """The chip, what it computed in, and another framework than TensorFlow: "T4, float32, JAX"."""
    framework = "" if entry.framework == TENSORFLOW else FRAMEWORK_NAMES[entry.framework]
    return ", ".join(filter(None, (chip_label(entry), precision_label(entry), framework)))
