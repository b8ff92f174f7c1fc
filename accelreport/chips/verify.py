"""Whether a contribution can be believed.

What the shared specs fix is compared with them and with the contribution in the package. What
follows from other values is computed again. What no machine can do is refused, too; what only
looks odd is a doubt, for which a person has to look.

No file proves a measurement. A file whose numbers are all made up consistently passes, and only
other machines of the same hardware expose it. `docs/chips.md` has the share of refused forgeries.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import chain, combinations, pairwise
from math import sqrt
from statistics import median
from typing import Any

import numpy as np

from accelreport._version import __version__
from accelreport.analysis.warnings import impossible
from accelreport.chips.contribution import (
    SHIPPED,
    Contribution,
    paths_in,
    read,
    release_of,
    shared,
)
from accelreport.results.block import WINDOW_S
from accelreport.results.plan_document import PlanDocument
from accelreport.results.record import OTHER_LOAD, Record
from accelreport.spec.cells import Cell

STAMP_S, WALL_S, CPU_S = 1e-7, 1e-9, 1e-6
"""Resolution of the stamps of steps, of a block's wall-clock time, and of its CPU time."""

CLOCKS_DIFFER = (0.25, 0.02)
"""Seconds, and share of the whole, by which two clocks may differ over a cell."""

STAGES = ("process", "import", "data", "build", "train", "evaluate", "observe", "checks")
"""Times of a record that fill it, one after another."""

UNEXPLAINED_S, UNEXPLAINED = (3.0, 6.0), 0.05
"""Seconds of a cell that belong to none of its stages (the second where several processes start, or
parts of a step were timed), and the same as a share of a long cell on a busy machine."""

UNSTAMPED = (0.7, 3.0)
"""The first step of a block has no stamp; its time as a multiple of the block's median step."""

UNSPENT, FED = (1.0, 0.1), (0.3, 0.03)
"""Seconds, and share of a budget, that a training which the budget stopped may leave: the feeding
of its data counts, and belongs to no block. More than the second pair looks odd."""

UNSPENT_LATER = 0.3
"""Share of a budget that may be left after the first step: on a busy machine the last window, which
would not have fitted in, is long."""

LOAD_S = 0.005
"""Cores by which the load of other programs may differ, since it is recorded in milliseconds."""

BETTER = 0.05
"""Accuracy by which an epoch of as many steps may be above the best in the package; the epoch that
reaches the target may be one standard error above the best of its seed."""

CORRELATED, STAMPS = 0.9, 30
"""Correlation of the step times of two processes, and in how many steps, from which on they look
copied; of repeats on an idle and on a busy machine it is at most 0.5."""

FIRST_DATE = datetime(2025, 1, 1, tzinfo=UTC)
"""Nothing was measured with accelreport before."""

EVALUATION_S = 0.1
"""Seconds that an evaluation may take beside its examples, each of which takes less than in
training, because no gradient is computed."""

WATTS = (0.5, 2000.0)
"""Power of a processor package or a board while it trains."""

WARMUP = 4.0
"""Warm-up steps after the first may take so many times as long as a steady one."""

PACE, COMPILED = 1.2, 2.0
"""A step of the same network and batch size may take so many times as long in another spec. The
fastest process of each counts: other programs disturbed it least. The second is the same for the
first step, which is compiled."""

FORWARD = 2.0
"""The calls of a network reach at most so many times the operations per second of its training on
as many examples, whose steps contain the same forward pass. On honest machines it is 1.2 to 1.9."""


@dataclass(frozen=True)
class Doubt:
    """A reason not to believe a contribution.

    Attributes:
        kind: short name of the check.
        cell: the cell it concerns; empty where it concerns the whole file.
        message: what is wrong, in a sentence.
        refuses: whether the contribution is refused; otherwise a person has to look.
    """

    kind: str
    cell: str
    message: str
    refuses: bool = True


def odd(kind: str, cell: str, message: str) -> Doubt:
    """A doubt about something that an honest machine may show as well."""
    return Doubt(kind, cell, message, refuses=False)


def doubts(contribution: Contribution) -> list[Doubt]:
    """Every reason that a contribution gives by itself not to believe it."""
    of_all: tuple[Callable[[Contribution], Iterator[Doubt]], ...] = (
        _shared, _fixed, _copies, _one_machine, _one_after_another, _paces, _calls,
    )  # fmt: skip
    reasons = [doubt for check in of_all for doubt in _safely("", check, contribution)]
    return reasons + [doubt for record in contribution.measured for doubt in record_doubts(record)]


def record_doubts(record: Record) -> list[Doubt]:
    """Every reason not to believe one measured record by itself."""
    checks = (
        _recomputed, _windows, _judged, _accuracies, _stages, _evaluations, _resolution, _machine,
        _looks,
    )  # fmt: skip
    return [doubt for check in checks for doubt in _safely(record.cell.name, check, record)]


def _safely(cell: str, check: Callable[[Any], Iterator[Doubt]], value: object) -> Iterator[Doubt]:
    """The doubts of a check; a value with which it cannot compute is one, too."""
    try:
        yield from check(value)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        text = f"A value is missing or is none that a measurement has ({error})."
        yield Doubt("invalid", cell, text)


# What the shared specs fix ---------------------------------------------------------------


def _shared(contribution: Contribution) -> Iterator[Doubt]:
    """Its plans and cells are those of the shared specs, and no planned repeat is left out."""
    plans, cells = shared(contribution.framework)
    count = Counter(plan.spec for plan in contribution.plans)
    for plan in contribution.plans:
        if plan.spec not in plans or _conditions(plan) != _conditions(plans[plan.spec]):
            yield Doubt("spec", "", f"{plan.spec} is not the shared spec of this version.")
        if count[plan.spec] > 1:
            yield Doubt("spec", "", f"It has several plans of {plan.spec}.")
    repeats: dict[tuple[str, str, str], set[int]] = defaultdict(set)
    for record in contribution.records:
        cell = record.cell
        repeats[cell.spec, cell.device, str(cell.point)].add(cell.repeat)
        own = cells.get(record.key)
        if own is None or _conditions(cell) != _conditions(own):
            yield Doubt("spec", cell.name, "The shared specs have no such cell.")
        if not record.measured:
            yield odd("repeats", cell.name, "It has no time, because it failed.")
    for place, measured in repeats.items():
        planned = plans[place[0]].measure.repeats if place[0] in plans else 0
        if absent := sorted({*range(planned)} - measured):
            yield Doubt("repeats", " ".join(place), f"Repeat {absent[0]} of {planned} is left out.")


def _conditions(document: PlanDocument | Cell) -> dict[str, Any]:
    """What is measured and against what, without words and limits that a later version may change.

    The key of a cell does not cover targets, peaks and budgets.
    """
    words = "text", "title", "description", "source", "published", "claims", "advice"
    return document.model_dump(exclude={"measure": {"timeout"}, **dict.fromkeys(words, True)})


Fixed = dict[tuple[str, ...], object]
"""Quantity, and everything that it depends on → its value, which no machine changes."""


def fixed(record: Record) -> Fixed:
    """The values that the spec of a record fixes for every machine."""
    cell, environment, data = record.cell, record.environment, record.data
    if environment is None or data is None or record.network is None or record.flops is None:
        raise ValueError(f"{cell.name} names no machine, data, layers or operations")
    place, device = (
        (cell.spec, str(cell.point)),
        (cell.device_spec.framework, cell.device_spec.kind),
    )
    # Another version of NumPy may draw other numbers.
    drawn_by = "" if data.seed is None else environment.packages.get("numpy", "")
    values: Fixed = {
        ("planned steps", *place): record.planned_steps,
        ("examples of a step", *place): record.samples_per_step,
        ("layers", *place): [(la.kind, la.shape, la.parameters) for la in record.network.layers],
        ("weights", *place): record.parameters,
        ("operations of a step", *place): record.flops.per_step,
        ("examples", *place): (data.train_examples, data.validation_examples),
        ("data", *place, drawn_by): data.fingerprint,
        ("self-checks", *place, *device, environment.accelreport): [c.name for c in record.checks],
    }
    if record.began_with:
        model, release = cell.workload.get("model"), release_of(environment, device[0])
        begun = ("initial weights", str(model), str(cell.seed), *device, release)
        values[begun] = record.began_with.weights
    return values


@cache
def _shipped() -> list[Record]:
    """The measured records of the contributions in the package."""
    return [record for path in paths_in(SHIPPED) for record in read(path).measured]


@cache
def _measured_here() -> Fixed:
    """The fixed values in the contributions of the package."""
    return {name: value for record in _shipped() for name, value in fixed(record).items()}


def _fixed(contribution: Contribution) -> Iterator[Doubt]:
    """Fixed values are those of the package, or at least the same in all of its records."""
    known = dict(_measured_here())
    for record in contribution.measured:
        for name, value in fixed(record).items():
            if known.setdefault(name, value) != value:
                text = f"Its {name[0]} are not those that the spec fixes."
                yield Doubt("fixed", record.cell.name, text)


# What follows from other values ----------------------------------------------------------


def _recomputed(record: Record) -> Iterator[Doubt]:
    """Times and counts are the sums of their parts; the first that is not is named."""
    times, blocks, measure = record.times, record.blocks, record.cell.measure
    done = sum(block.steps for block in blocks)
    warmup = measure.warmup_steps if record.epochs else measure.warmup_calls
    stated: list[tuple[str, float, float]] = []
    if times.train_s is not None:
        stated.append(("time of its training", times.train_s, sum(b.wall_s for b in blocks)))
    if record.status == "ok" and not record.selection and record.planned_steps:
        stated.append(("number of planned steps", record.planned_steps, done))
    expected = 0
    for block in blocks:
        of_block, excluded = f"of the block from step {block.first_step}", block.first_step < warmup
        if record.epochs:
            stated.append(("first step of a block", block.first_step, expected))
        if block.step_s:
            stated.append((f"number of stamps {of_block}", len(block.step_s), block.steps - 1))
        steps = block.steps * block.warmup, block.steps * excluded
        stated.append((f"number of warm-up steps {of_block}", *steps))
        expected = block.first_step + block.steps
    elapsed = 0.0
    for epoch in record.epochs:
        own = [block for block in blocks if block.epoch == epoch.epoch]
        elapsed += epoch.train_s
        stated += [
            (f"time of epoch {epoch.epoch}", epoch.train_s, sum(b.wall_s for b in own)),
            (f"number of steps of epoch {epoch.epoch}", epoch.steps, sum(b.steps for b in own)),
            (f"time until the end of epoch {epoch.epoch}", epoch.elapsed_s, elapsed),
        ]
    if record.epochs and blocks and times.first_step_s is not None:
        stated.append(("time of its first step", times.first_step_s, blocks[0].wall_s))
    for what, value, computed in stated:
        if abs(value - computed) > 1e-6:
            text = f"The {what} is {value:.9g}; the rest of the record gives {computed:.9g}."
            yield Doubt("sums", record.cell.name, text)
            return


def _windows(record: Record) -> Iterator[Doubt]:
    """The timer fills half a second, by the pace of the window before (`backend.training.Pace`).

    Who changes times, or adds steps, must divide all steps into other windows.
    """
    blocks, planned = record.blocks, record.planned_steps
    if record.network is None or not planned:  # a kernel has another timer
        return
    measure, workload = record.cell.measure, record.cell.workload
    warmup = measure.warmup_steps if record.epochs else measure.warmup_calls
    left = dict.fromkeys(
        {b.epoch for b in blocks}, planned // (workload.get("epochs", 1) if record.epochs else 1)
    )
    for number, block in enumerate(blocks):
        most = left[block.epoch]
        if block.first_step < warmup:
            most = min(most, warmup - block.first_step)
        before = blocks[number - 1]
        steps = WINDOW_S * before.steps / before.wall_s if number > 1 else 1.0 + number
        known = number < 2 or not before.stopped_s
        expected = max(1.0, min(steps, most)) if known else min(block.steps, most)
        if abs(block.steps - expected) > 0.5 + 1e-3 * expected:
            text = f"Its window from step {block.first_step} has {block.steps} steps"
            text += f"; by the pace before it the timer takes {expected:.0f}."
            # The timer of another version may choose others.
            own = record.environment is None or record.environment.accelreport == __version__
            yield Doubt("windows", record.cell.name, text, refuses=own)
            return
        left[block.epoch] -= block.steps


def _judged(record: Record) -> Iterator[Doubt]:
    """Self-checks and energy are those of the blocks."""
    steady, name = record.steady, record.cell.name
    known = [block.other_cpu_s for block in steady.blocks if block.other_cpu_s is not None]
    load = sum(known) / steady.window_s if steady.window_s else OTHER_LOAD
    wrong = {"stopped": any(block.stopped_s for block in record.blocks)}
    if abs(load - OTHER_LOAD) > LOAD_S:
        wrong["loaded-machine"] = load > OTHER_LOAD
    steps = f"{sum(block.steps for block in record.blocks):,}"
    for check in record.checks:
        if check.name == "step-count" and check.outcome == "passed":
            wrong["step-count"] = f" {steps} steps" not in check.seen
        if wrong.get(check.name) == {"passed": True, "failed": False}.get(check.outcome, ""):
            yield Doubt("sums", name, f"Its blocks give another {check.name}.")
    # A window of the sensor begins before its first steady block, and ends after its last one.
    least = 0.9 * min((b.wall_s / b.steps for b in steady.blocks if b.steps), default=0.0)
    if any(e.steps > steady.steps or e.window_s < e.steps * least for e in record.energy):
        yield Doubt("energy", name, "Its energy is of other steps than are timed.")


@cache
def _learnt_here() -> dict[tuple[object, ...], float]:
    """Place of `_learnt` → the best accuracy in the contributions of the package."""
    best: dict[tuple[object, ...], float] = {}
    for place, value in chain.from_iterable(map(_learnt, _shipped())):
        best[place] = max(value, best.get(place, 0.0))
    return best


def _learnt(record: Record) -> Iterator[tuple[tuple[object, ...], float]]:
    """Accuracies of epochs, of any process and of those that began with the same weights.

    Seeds fix weights and order, so the epoch of the target is much the same on every machine.
    """
    cell = record.cell
    for row in record.epochs:
        if "val_accuracy" in row.metrics:
            for start in ("", f"{cell.device_spec.framework} {cell.seed}"):
                place = start, cell.spec, str(cell.point), row.epoch, row.steps
                yield place, row.metrics["val_accuracy"]


def _accuracies(record: Record) -> Iterator[Doubt]:
    """Accuracies are counts of examples, and agree with epochs and predictions."""
    name, final = record.cell.name, record.final
    examples = record.data.validation_examples if record.data else 0
    # An accuracy may also count the characters of a text.
    counts = bool(record.confusion) or record.cell.workload.get("kind") == "image_classification"
    shares = [(final.get("val_accuracy", 0.0), examples)]
    for epoch in record.epochs if counts else ():
        shares.append((epoch.metrics.get("val_accuracy", 0.0), examples))
        trained = epoch.steps * record.samples_per_step
        # An epoch that its examples do not divide has a smaller last batch, of the same weight.
        if record.data and trained <= record.data.train_examples:
            shares.append((epoch.metrics.get("accuracy", 0.0), trained))
    for share, count in shares if counts else ():
        if abs(share * count - round(share * count)) > 1e-3 + count * 2e-7:
            yield Doubt("accuracy", name, f"{share * count:.3f} of {count} examples are right.")
            break
    selection = record.selection
    kept = selection.best_epoch if selection and selection.restored else None
    last = next((epoch for epoch in record.epochs if epoch.epoch == kept), None)
    last = last or (record.epochs[-1] if record.epochs else None)
    differing = [k for k, v in (last.metrics if last else {}).items() if final.get(k, v) != v]
    if differing and not any(np.isnan(final[k]) for k in differing):
        yield Doubt("accuracy", name, f"Its final {differing[0]} is not that of its last epoch.")
    if "val_accuracy" not in final:
        return
    if record.confusion:
        matrix = np.asarray(record.confusion.counts)
        if abs(np.trace(matrix) / max(matrix.sum(), 1) - final["val_accuracy"]) > 1e-6:
            yield Doubt("accuracy", name, "Its confusion matrix shows another accuracy.")
    wrong = round((1 - final["val_accuracy"]) * examples)
    shown = sum(sample.true != sample.predicted for sample in record.samples)
    if counts and record.samples and shown != min(wrong, record.cell.workload.get("samples", 0)):
        text = f"{wrong} predictions are wrong by its accuracy, {shown} by its list."
        yield Doubt("accuracy", name, text)


# What no machine can do ------------------------------------------------------------------


def _instant(text: str) -> datetime:
    instant = datetime.fromisoformat(text)
    return instant if instant.tzinfo else instant.replace(tzinfo=UTC)


def _stages(record: Record) -> Iterator[Doubt]:
    """Stages fill a cell, and a training that the budget stopped has spent it.

    Who divides times must add steps.
    """
    times, name, wall = record.times, record.cell.name, record.times.wall_s or 0.0
    stages = sum(getattr(times, f"{stage}_s") or 0.0 for stage in STAGES) - (times.prepared_s or 0)
    strategy = record.cell.device_spec.strategy
    alone = not record.parts and not record.hosts and strategy == "default"
    most = max(UNEXPLAINED_S[0 if alone else 1], UNEXPLAINED * wall)
    if not -0.01 <= wall - stages <= most:
        yield Doubt("stages", name, f"Its stages take {stages:.1f} s of {wall:.1f} s.")
    budget = record.cell.measure.budget
    # The last evaluation comes after the budget is spent.
    spent = sum(block.wall_s for block in record.blocks)
    spent += sum(epoch.evaluate_s for epoch in record.epochs[:-1])
    text = f"The budget of {budget:.0f} s stopped it after {spent:.1f} s."
    unspent, odd_s = (max(seconds, share * budget) for seconds, share in (UNSPENT, FED))
    left = budget - spent if record.status == "partial" else 0.0
    if left > odd_s:
        yield Doubt("budget", name, text, refuses=left > unspent)
    elif record.status == "partial" and record.epochs:
        # It begins after the first step, into which time may have been moved.
        left += (times.first_step_s or 0.0) - record.epochs[-1].evaluate_s
        if left > UNSPENT_LATER * budget:
            yield odd("budget", name, f"{text[:-1]}, of which its first step took much.")


def _evaluations(record: Record) -> Iterator[Doubt]:
    """Evaluations take less than training on their examples, beside a compilation.

    Else what a training was made faster by could be in its evaluations, and the sums would stay.
    """
    step_s = record.steady.step_s
    if not np.isfinite(step_s) or not record.data or any(epoch.text for epoch in record.epochs):
        return
    steps = record.data.validation_examples / max(record.samples_per_step, 1)
    took = sum(epoch.evaluate_s for epoch in record.epochs)
    most = len(record.epochs) * (steps * step_s + EVALUATION_S) + (record.times.first_step_s or 0.0)
    if took > most:
        text = f"Its evaluations take {took:.1f} s; training on as many takes {most:.1f} s."
        yield Doubt("evaluation", record.cell.name, text)


def _resolution(record: Record) -> Iterator[Doubt]:
    """Times are multiples of what the clocks resolve, which a product with a factor is not."""
    columns = (
        ([stamp for block in record.blocks for stamp in block.step_s], STAMP_S, "stamps"),
        ([block.wall_s for block in record.blocks], WALL_S, "wall-clock times"),
        ([block.cpu_s for block in record.blocks], CPU_S, "CPU times"),
    )
    for values, unit, what in columns:
        multiples = np.asarray(values, dtype=float) / unit
        if multiples.size and np.abs(multiples - np.round(multiples)).max() > 0.01:
            yield Doubt("resolution", record.cell.name, f"No clock gives the digits of its {what}.")
    seconds = [b.wall_s / b.steps for b in record.blocks if b.steady and b.steps]
    if len(seconds) > 9 and np.std(seconds) < 1e-4 * np.mean(seconds):
        text = "Its blocks differ less than any clock and machine do."
        yield Doubt("spread", record.cell.name, text)


def _machine(record: Record) -> Iterator[Doubt]:
    """The device is there, and neither rate, CPU time, power nor date is beyond what can be."""
    environment, name, kind = record.environment, record.cell.name, record.cell.device_spec.kind
    for warning in impossible(record):
        yield Doubt(warning.kind, name, "No measurement can give this number.")
    if environment is None:
        return
    if environment.accelerators and not any(kind in used for used in environment.accelerators):
        yield Doubt("device", name, f"The framework used no {kind}.")
    device = record.cell.device_spec
    facts: dict[str, str] = {
        "device": kind,
        "precision": device.precision,
        "strategy": device.strategy,
    }
    if device.framework == "tensorflow":
        facts["xla"] = "on" if device.xla else "off"
    for fact, value in facts.items():
        if environment.runtime.get(fact, value) != value:
            yield Doubt("device", name, f"The framework computed with another {fact}.")
    if kind == "GPU" and not environment.gpus:
        yield Doubt("device", name, "The driver lists no GPU.")
    for energy in record.energy:
        low, high = (watts * energy.window_s * max(len(energy.parts), 1) for watts in WATTS)
        if energy.joules is not None and not low <= energy.joules <= high:
            text = f"{energy.joules:.3g} J in {energy.window_s:.3g} s are no power of a device."
            yield Doubt("energy", name, text)
    began, ended = _instant(record.started_at), _instant(record.finished_at)
    if ended > datetime.now(UTC) + timedelta(days=1) or began < FIRST_DATE:
        yield Doubt("date", name, f"It was measured in {began.year}.")


def _copies(contribution: Contribution) -> Iterator[Doubt]:
    """No two blocks take the same times, and no two processes times in one proportion."""
    again = Counter(chain.from_iterable(map(fingerprints, contribution.measured)))
    if sum(count - 1 for count in again.values()) > 2:
        yield Doubt("copies", "", "Several of its blocks have the same times, to the last digit.")
    series: dict[tuple[str, str], dict[str, Any]] = defaultdict(dict)
    for record in contribution.measured:
        cell, steady = record.cell, record.steady
        stamps = [stamp for block in steady.blocks for stamp in block.step_s]
        alone = [block.wall_s / block.steps for block in steady.blocks if block.steps]
        times = stamps if len(stamps) >= STAMPS else alone
        if len(times) > 5 and min(times) > 0:
            series[cell.spec, str(cell.point)][cell.name] = np.array(times)
    for alike in series.values():
        for (name, one), (other, two) in combinations(alike.items(), 2):
            count = min(len(one), len(two))
            ratio = one[:count] / two[:count]
            if np.ptp(ratio) < 1e-3 * ratio.mean():
                text = f"Its steps take {1 / ratio.mean():.4g} times as long as those of {name}."
                yield Doubt("copies", other, text)
            elif count >= STAMPS and _correlation(one[:count], two[:count]) > CORRELATED:
                yield odd("copies", other, f"Its steps vary as those of {name} do.")


def fingerprints(record: Record) -> Iterator[int]:
    """A number for each block, which the order of its steps does not change."""
    for block in record.blocks:
        yield hash((block.wall_s, block.cpu_s, *sorted(block.step_s)))


def _correlation(one: Any, two: Any) -> float:
    return float(np.corrcoef(one, two)[0, 1]) if min(one.std(), two.std()) > 0 else 0.0


# What only looks odd ---------------------------------------------------------------------


def _looks(record: Record) -> Iterator[Doubt]:
    """Clocks, digits and first steps that a disturbed machine may show, and failed self-checks."""
    name, wall = record.cell.name, record.times.wall_s or 0.0
    took = (_instant(record.finished_at) - _instant(record.started_at)).total_seconds()
    stopped = sum(block.stopped_s or 0.0 for block in record.blocks)
    if abs(took - wall) > max(CLOCKS_DIFFER[0], CLOCKS_DIFFER[1] * wall) + stopped:
        text = f"It took {took:.1f} s by its instants and {wall:.1f} s by its clock."
        yield odd("clocks", name, text)
    # A clock of 1 µs or less fills its last digits alike: of many times, a tenth end with 0.
    last = np.round(np.asarray([b.wall_s for b in record.blocks]) / WALL_S) % 1000
    if last.size >= 20 and np.mean(last == 0) > 0.5:
        yield odd("digits", name, "Most of its times are whole microseconds.")
    step_s, warm = record.steady.step_s, [b for b in record.blocks[1:] if b.warmup and b.steps]
    warm_s = sum(b.wall_s for b in warm) / max(sum(b.steps for b in warm), 1)
    if warm_s > WARMUP * step_s:
        text = f"Its warm-up steps take {warm_s / step_s:.2g} times as long as the others."
        yield odd("steps", name, text)
    ratios = [
        (b.wall_s - sum(b.step_s)) / median(b.step_s) for b in record.blocks if len(b.step_s) > 1
    ]
    # A call that waits for its caller wakes the processor first, which a busy machine delays.
    if record.epochs and len(ratios) > 2:
        low, high = UNSTAMPED
        if not low < (middle := median(ratios)) < high:
            text = f"The first steps of its blocks take {middle:.2g} times as long as the others."
            yield odd("steps", name, text)
    target, reached = record.cell.measure.target, False
    by_accuracy = target if target and target.metric == "val_accuracy" else None
    for place, value in _learnt(record):
        best, above = _learnt_here().get(place, 1.0), BETTER
        if place[0]:
            if reached or not by_accuracy or not by_accuracy.reached_by(value):
                continue
            reached = True
            examples = record.data.validation_examples if record.data else 0
            above = sqrt(best * (1 - best) / max(examples, 1))
        if value > best + above:
            text = (
                f"Epoch {place[3]} has an accuracy of {value:.3f}; in the package it is {best:.3f}."
            )
            yield odd("epochs", name, text)
    for check in record.checks:
        if check.outcome == "failed":
            yield odd(check.name, name, f"Its self-check {check.name} failed.")


def _one_machine(contribution: Contribution) -> Iterator[Doubt]:
    """One machine with one installation; it may have been restarted or updated meanwhile."""
    environments = [r.environment for r in contribution.measured if r.environment is not None]
    for what in ("machine", "cpu", "threads", "memory_bytes", "os", "commit", "accelreport"):
        values = {str(getattr(environment, what)) for environment in environments}
        if len(values) > 1:
            text = f"Its records have {len(values)} values of {what}."
            yield Doubt("machine", "", text, refuses=what in {"machine", "cpu"})
    if any(environment.dirty for environment in environments):
        yield odd("commit", "", "accelreport had uncommitted changes.")
    if others := {environment.accelreport for environment in environments} - {__version__}:
        text = f"It was measured with accelreport {', '.join(sorted(others))}, not {__version__}."
        yield odd("version", "", text)


def _one_after_another(contribution: Contribution) -> Iterator[Doubt]:
    """One machine measures one cell at a time."""
    for earlier, later in pairwise(contribution.measured):
        overlap = _instant(earlier.finished_at) - _instant(later.started_at)
        if overlap > timedelta(seconds=0.05):
            yield odd("overlap", later.cell.name, f"It began before {earlier.cell.name} ended.")


def _paces(contribution: Contribution) -> Iterator[Doubt]:
    """Two specs that train the same network at the same batch size take about the same steps."""
    fastest: dict[tuple[str, ...], dict[str, float]] = defaultdict(dict)
    for record in (record for record in contribution.measured if record.epochs):
        workload, spec = record.cell.workload, record.cell.spec
        of_network = str(workload.get("model")), str(workload["batch_size"]), record.cell.device
        for what, seconds in (
            ("Steps", record.steady.step_s),
            ("First steps", record.times.first_step_s or 0.0),
        ):
            if np.isfinite(seconds) and seconds > 0:
                known = fastest[what, *of_network]
                known[spec] = min(seconds, known.get(spec, seconds))
    for (what, model, size, device), steps in fastest.items():
        fast, slow = min(steps.values()), max(steps.values())
        if slow > (PACE if what == "Steps" else COMPILED) * fast:
            specs = " and ".join(sorted(steps))
            text = f"{what} of {model}, batch {size}, differ by {slow / fast:.2g} times in {specs}."
            yield odd("pace", device, text)


def _calls(contribution: Contribution) -> Iterator[Doubt]:
    """A forward pass on its own is about as efficient as within a training."""
    rates: dict[tuple[str, ...], dict[bool, float]] = defaultdict(dict)
    for record in contribution.measured:
        workload, step_s = record.cell.workload, record.steady.step_s
        if record.flops and np.isfinite(step_s) and step_s > 0:
            network = str(workload.get("model")), str(workload["batch_size"]), record.cell.device
            known, trained = rates[network], bool(record.epochs)
            known[trained] = max(record.flops.per_step / step_s, known.get(trained, 0.0))
    for (model, size, device), known in rates.items():
        if len(known) == 2 and known[False] > FORWARD * known[True]:
            text = f"Calls of {model}, batch {size}, reach {known[False] / known[True]:.2g} times "
            yield odd("calls", device, f"{text}the operations per second of its training.")
