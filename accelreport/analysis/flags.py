"""Rules that find published figures which contradict physics, or one another.

Each rule reads only what the source printed and the spec's own workload, so that the same
rule speaks of every source alike. A published number is rounded: half a unit of its last
digit is allowed for before anything is called a contradiction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, cached_property
from typing import Any

import tomli

from accelreport.analysis.peaks import peak_for, peak_of_hardware
from accelreport.analysis.words import duration
from accelreport.results.plan_document import PlanDocument
from accelreport.spec.models import Published

TOO_SHORT = 0.10
"""A total may be this share below its epochs' sum before it is impossible."""

TOO_LONG = 0.40
"""A total may be this share above it: evaluation and compilation belong to no epoch."""

UNLIKE = 0.15
"""Two figures for the same thing may differ by this share."""

TRAINING_EXAMPLES: dict[str, int] = {
    "mnist": 60_000,
    "fashion_mnist": 60_000,
    "imdb": 25_000,
    "uci_har": 7_352,
}
"""Training examples of the official data."""


@dataclass(frozen=True)
class Conditions:
    """What the rules know of the workload a source ran; None where the spec does not say."""

    epochs: int | None
    batch_size: int | None
    steps_per_epoch: int | None
    examples: int | None
    dtype: str

    @property
    def samples(self) -> float | None:
        """Samples seen in one epoch."""
        if self.steps_per_epoch and self.batch_size:
            return self.steps_per_epoch * self.batch_size
        return self.examples

    @property
    def steps(self) -> float | None:
        """Steps in one epoch."""
        if self.steps_per_epoch:
            return self.steps_per_epoch
        return self.examples / self.batch_size if self.examples and self.batch_size else None


@dataclass(frozen=True)
class Printed:
    """A published row as the rules read it.

    Attributes:
        published: what the source printed.
        plan: what it is compared with.
    """

    published: Published
    plan: PlanDocument

    @cached_property
    def known(self) -> Conditions:
        """What the spec says of the workload."""
        return conditions(self.plan, self.published)


def flags_of(plan: PlanDocument, published: Published, figure: str) -> tuple[str, ...]:
    """Sentences about one figure of a published row that cannot be right as printed."""
    row = Printed(published, plan)
    return tuple(sentence for rule in RULES.get(figure, ()) for sentence in rule(row))


def conditions(plan: PlanDocument, published: Published) -> Conditions:
    """The workload a published row was measured with, as far as the spec states it.

    A profile or the command line changes epochs and data to make a run short, and a source
    knows nothing of that: then only what `[workload]` itself says is used.
    """
    stated: Mapping[str, Any] = plan.workload
    if plan.profile != "full" or plan.overrides:
        stated = stated_workload(plan.text)
    return _conditions({**stated, **published.where})


def conditions_here(plan: PlanDocument, point: Mapping[str, Any]) -> Conditions:
    """The workload that was measured here at a sweep point."""
    return _conditions({**plan.workload, **point})


def _conditions(at: Mapping[str, Any]) -> Conditions:
    known = TRAINING_EXAMPLES.get(str(at.get("dataset")))
    return Conditions(
        epochs=at.get("epochs"),
        batch_size=at.get("batch_size"),
        steps_per_epoch=at.get("steps_per_epoch"),
        examples=at.get("train_examples") or known,
        dtype=str(at.get("dtype", "")),
    )


def changed_keys(plan: PlanDocument) -> list[str]:
    """Keys of the workload that its profile or the command line gave another value."""
    profile = plan.profile.partition("+")[0]
    table = _table(_read(plan.text), "profiles", profile)
    keys = [*_dotted(table), *plan.overrides]
    return [key.removeprefix("workload.") for key in keys if key.startswith("workload.")]


def _dotted(table: Mapping[str, Any], before: str = "") -> Iterator[str]:
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _dotted(value, f"{before}{key}.")
        else:
            yield f"{before}{key}"


def stated_workload(text: str) -> Mapping[str, Any]:
    """The table `[workload]` of a spec, as it is written."""
    return _table(_read(text), "workload")


@cache
def _read(text: str) -> Mapping[str, Any]:
    try:
        return tomli.loads(text)
    except tomli.TOMLDecodeError:
        return {}


def _table(document: Mapping[str, Any], *path: str) -> Mapping[str, Any]:
    found: Any = document
    for key in path:
        found = found.get(key) if isinstance(found, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def rounding(value: float) -> float:
    """Half a unit of the last digit of a number, as a share of it: "6" → 0.083."""
    exponent = Decimal(repr(value)).normalize().as_tuple().exponent
    unit = 10.0 ** min(int(exponent), 0)
    return 0.5 * unit / abs(value) if value else 0.0


def _unlike(one: float, other: float, tolerance: float = UNLIKE) -> bool:
    allowed = tolerance + rounding(one) + rounding(other)
    return max(one, other) / min(one, other) > 1 + allowed


def _above_peak(row: Printed) -> Iterator[str]:
    published, dtype = row.published, row.known.dtype
    device = row.plan.devices.get(published.device)
    named = published.hardware or published.label
    peak = peak_of_hardware(named, dtype) or (device and peak_for(device, dtype))
    if not peak:
        return
    source = f" ({peak.source})" if peak.source else ""
    for value in (published.tflops, published.tflops_cold):
        if value is not None and value > peak.tflops:
            yield (
                f"{value:g} TFLOPS is {value / peak.tflops:.2g} times the peak of "
                f"{peak.tflops:g} TFLOPS in {peak.dtype}{source}"
            )


def _total_against_epochs(row: Printed) -> Iterator[str]:
    published, known = row.published, row.known
    total, epoch, epochs = published.total_time, published.epoch_time, known.epochs
    if total is None or epoch is None or not epochs:
        return
    first = published.first_epoch_time or epoch
    yield from _total(total, first + (epochs - 1) * epoch, rounding(epoch), f"{epochs} epochs")


def _total_against_samples(row: Printed) -> Iterator[str]:
    published, known = row.published, row.known
    total, sample = published.total_time, published.sample_time
    if total is None or sample is None or not known.epochs or not known.samples:
        return
    count = known.samples * known.epochs
    yield from _total(total, sample * count, rounding(sample), f"{count:,.0f} samples")


def _total(total: float, parts: float, slack: float, what: str) -> Iterator[str]:
    share = total / parts - 1
    allowed = slack + rounding(total)
    if share < -TOO_SHORT - allowed or share > TOO_LONG + allowed:
        yield f"a total of {duration(total)} does not fit {what}: they take {duration(parts)}"


def _step_is_a_sample(row: Printed) -> Iterator[str]:
    published, known = row.published, row.known
    step, epoch = published.step_time, published.epoch_time
    if step is None or epoch is None or not known.steps or not known.samples:
        return
    if not _unlike(step * known.steps, epoch, TOO_LONG):
        return
    if not _unlike(step * known.samples, epoch, TOO_LONG):
        yield (
            f"what the source calls a step ({duration(step)}) is the time of a sample: "
            f"{known.samples:,.0f} of them make its epoch of {duration(epoch)}"
        )
    else:
        steps = f"{known.steps:,.0f} steps of {duration(step)}"
        yield f"{steps} do not make an epoch of {duration(epoch)}"


def _sample_against_epoch(row: Printed) -> Iterator[str]:
    published, known = row.published, row.known
    sample, epoch = published.sample_time, published.epoch_time
    if sample is None or epoch is None or not known.samples:
        return
    if _unlike(sample * known.samples, epoch, TOO_LONG):
        yield (
            f"{known.samples:,.0f} samples of {duration(sample)} take "
            f"{duration(sample * known.samples)}, not an epoch of {duration(epoch)}"
        )


def _speedup_against_times(row: Printed) -> Iterator[str]:
    published, plan = row.published, row.plan
    over = published.over or plan.baseline
    if published.speedup is None or over == published.device:
        return
    for name in ("sample_time", "step_time", "epoch_time", "total_time", "tflops"):
        own = _figure(plan, published.device, published.where, name)
        other = _figure(plan, over, published.where, name)
        if own is None or other is None:
            continue
        implied = own / other if name == "tflops" else other / own
        if _unlike(implied, published.speedup):
            yield (
                f"a speedup of {published.speedup:g} does not follow from the source's own "
                f"{name.replace('_', ' ')}, which gives {implied:.3g}"
            )


def _figure(plan: PlanDocument, device: str, where: Mapping[str, Any], name: str) -> float | None:
    """The one value the sources print for a device and point; None when there are several."""
    values = {
        value
        for row in plan.published
        if row.device == device and row.where == where
        if (value := row.figures().get(name)) is not None
    }
    return values.pop() if len(values) == 1 else None


Rule = Callable[[Printed], Iterator[str]]
"""A published row → sentences about what in it cannot be right."""

RULES: dict[str, tuple[Rule, ...]] = {
    "tflops": (_above_peak,),
    "tflops_cold": (_above_peak,),
    "total_time": (_total_against_epochs, _total_against_samples),
    "step_time": (_step_is_a_sample,),
    "sample_time": (_sample_against_epoch,),
    "speedup": (_speedup_against_times,),
}
"""The rules that look at each figure."""
