"""How ranks, values of chips and what they say are written, on pages and on a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from accelreport.analysis.findings import Unit
from accelreport.analysis.stats import MARGIN, Verdict
from accelreport.chips.board import INVENTED, Step, Submission
from accelreport.chips.ranking import Entry, Figure, Ranked
from accelreport.report.quantity import (
    EN_DASH,
    HEADLINE,
    count,
    number_word,
    percent,
    plural,
    span,
    write,
)
from accelreport.report.text import label, sentence, short_hardware
from accelreport.spec.device import FRAMEWORK_NAMES
from accelreport.spec.families import TENSORFLOW


def _unit(figure: Figure, *, bare: bool) -> tuple[Unit, str]:
    """Unit and noun; of a rate neither where the title of the column has them."""
    return (Unit.NUMBER, "") if bare and figure.unit is Unit.RATE else (figure.unit, figure.noun)


def value_text(entry: Entry, figure: Figure, *, bare: bool = False) -> str:
    """The value without its interval."""
    unit, noun = _unit(figure, bare=bare)
    return write(entry.value.value, unit, entry.value, noun)


def headline_text(entry: Entry, figure: Figure) -> str:
    """The value in the digits of a headline."""
    return write(entry.value.value, figure.unit, entry.value, figure.noun, digits=HEADLINE)


def interval_text(entry: Entry, figure: Figure, *, bare: bool = False) -> str:
    """Both ends of the interval, or that there is none."""
    return span(entry.value, *_unit(figure, bare=bare)) or "single run"


def entry_text(entry: Entry, figure: Figure) -> str:
    """The value with its interval."""
    return f"{value_text(entry, figure)} ({interval_text(entry, figure)})"


def rank_text(row: Ranked) -> str:
    """A rank, or the range of ranks that the intervals leave open: "3–5"."""
    return f"{row.best}" if row.best == row.worst else f"{row.best}{EN_DASH}{row.worst}"


def chip_name(entry: Entry) -> str:
    """Hardware, with the threads of a CPU: "AMD EPYC, 2 threads"."""
    name = short_hardware(entry.hardware.removeprefix(INVENTED))
    return f"{name}, {plural(entry.threads, 'thread')}" if entry.kind == "CPU" else name


def entry_name(entry: Entry) -> str:
    """The chip, what it computed in, and another framework than TensorFlow: "T4, float32, JAX"."""
    framework = "" if entry.framework == TENSORFLOW else FRAMEWORK_NAMES[entry.framework]
    return ", ".join(filter(None, (chip_name(entry), precision_text(entry), framework)))


def stopped_text(entry: Entry) -> str:
    """What the budget ended: "stopped after 573 of 938 steps"; empty where it ended nothing."""
    if entry.stopped is None:
        return ""
    done, planned = map(count, entry.stopped)
    return f"stopped after {done} of {planned} steps"


def precision_text(entry: Entry) -> str:
    """The dtype policy by its short name: "bfloat16"."""
    return entry.precision.removeprefix("mixed_")


def framework_text(entry: Entry, machine: Submission) -> str:
    """Framework and release: "TensorFlow 2.21"."""
    packages = machine.environment.packages
    versions = (v for name, v in packages.items() if name.startswith(entry.framework))
    release = ".".join(next(versions, "").split(".")[:2])
    return f"{FRAMEWORK_NAMES[entry.framework]} {label(release, 12)}".strip()


def ratio_phrase(figure: Figure) -> str:
    """What stands between a chip, a factor and the chip that it is a multiple of."""
    phrases = {Unit.NUMBER: "takes {} the energy of", Unit.SHARE: "reaches {} the share of"}
    return phrases.get(figure.unit, "is {} as fast as")


def leaders(rows: Sequence[Ranked], figure: Figure) -> str:
    """Who may be first, and how far the last one is behind."""
    first, last, leading = rows[0], rows[-1], sum(row.best == 1 for row in rows)
    reached = headline_text(first.entry, figure)
    if len(rows) == 1:
        return f"One entry is ranked: {reached}."
    every = f"{count(len(rows))} entries"
    if leading == len(rows):
        return f"Which of the {every} is first is undecided, because their intervals overlap."
    if leading > 1:
        who = sentence(number_word(leading))
        text = f"{who} of {every} may be first, because their intervals overlap."
    else:
        reaches = "reaches" if figure.more_is_better else "takes"
        text = f"The first of {every} {reaches} {reached}."
    if last.best <= first.worst:
        return f"{text} Whether the first and the last differ is undecided."
    best, worst = first.entry.value.value, last.entry.value.value
    factor = worst / best if figure.unit is Unit.SECONDS else best / worst
    phrase = ratio_phrase(figure).format(write(factor, Unit.RATIO, digits=HEADLINE))
    return f"{text} {'It' if leading == 1 else 'The first'} {phrase} the last."


def step_text(step: Step) -> str:
    """A change of a machine's figure from one contribution to the next."""
    ends = span(step.ratio, Unit.RATIO)
    if step.verdict is Verdict.SAME:
        return f"the same within {percent(MARGIN, 0)} ({ends})"
    if step.verdict is Verdict.UNDECIDED:
        return f"undecided ({ends or 'a single run'})"
    return f"{write(step.ratio.value, Unit.RATIO, step.ratio)} ({ends})"
