"""Whether contributions of the same hardware agree with one another, and which are copies."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from statistics import median

import numpy as np

from accelreport.analysis.stats import geometric_mean
from accelreport.chips.contribution import Contribution
from accelreport.chips.verify import Doubt, fingerprints, odd

ALIKE = 1.5
"""The same hardware may be so many times as fast on another machine."""


@dataclass(frozen=True)
class Trace:
    """The part of a contribution that others are compared with.

    Attributes:
        name: the canonical name.
        machine: fingerprint of the machine.
        hardware: what did the arithmetic.
        instants: when each record began, and the times of its blocks.
        rates: spec, device and sweep point → seconds of a steady step, the mean of repeats.
    """

    name: str
    machine: str
    hardware: str
    instants: frozenset[str | int]
    rates: Mapping[tuple[str, str, str], float]


def trace_of(contribution: Contribution) -> Trace:
    """The part of a contribution that others are compared with."""
    seconds: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for record in contribution.measured:
        step_s = record.steady.step_s
        if np.isfinite(step_s) and step_s > 0:
            cell = record.cell
            seconds[cell.spec, cell.device, str(cell.point)].append(step_s)
    return Trace(
        contribution.name,
        contribution.machine,
        contribution.hardware,
        frozenset(
            chain.from_iterable(
                (record.started_at, *fingerprints(record)) for record in contribution.measured
            )
        ),
        {place: geometric_mean(values).value for place, values in seconds.items()},
    )


def between(traces: Sequence[Trace]) -> list[list[Doubt]]:
    """For each contribution, the reasons that others give not to believe it.

    Of those that share measurements the first one is believed.
    """
    alike: dict[str, list[Trace]] = defaultdict(list)
    for trace in traces:
        alike[trace.hardware].append(trace)
    first: dict[str | int, str] = {}
    reasons = []
    for trace in traces:
        copied = Counter(first[instant] for instant in trace.instants & first.keys())
        first |= dict.fromkeys(trace.instants - first.keys(), trace.name)
        # A machine may differ from its own past: its page shows the change.
        others = [other for other in alike[trace.hardware] if other.machine != trace.machine]
        reasons.append(
            [
                Doubt("duplicate", "", f"It has the measurements of {name}.")
                for name, count in copied.items()
                if count > 2
            ]
            + [doubt for other in others for doubt in _unlike(trace, other)]
        )
    return reasons


def _unlike(own: Trace, other: Trace) -> Iterator[Doubt]:
    ratios: dict[tuple[str, str], list[float]] = defaultdict(list)
    for measured in own.rates.keys() & other.rates.keys():
        ratios[measured[:2]].append(own.rates[measured] / other.rates[measured])
    for (spec, device), values in sorted(ratios.items()):
        if not 1 / ALIKE <= (middle := median(values)) <= ALIKE:
            text = f"Its steps take {middle:.2g} times as long as those of {other.name}."
            yield odd("unlike", f"{spec} {device}", text)
