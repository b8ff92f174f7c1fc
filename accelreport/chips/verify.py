"""Whether a contribution can be believed: what a measurement cannot be without.

Nothing here proves that a person measured: whoever makes up every number consistently is not
caught by one file alone, but by other machines of the same hardware. Each check is a property that
every measurement of this program has by construction, or that physics demands; its bounds are
wider than anything that an honest machine showed (`docs/chips.md` has the counts).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from itertools import combinations, pairwise
from statistics import median
from typing import Any

import numpy as np

from accelreport.analysis.stability import steady
from accelreport.analysis.warnings import impossible
from accelreport.chips.contribution import SPECS, Contribution, canonical_name, release_of
from accelreport.loader.first_spec import DEVICES, SYSTEMS
from accelreport.loader.load import load
from accelreport.results.plan_document import PlanDocument, PlannedCell, plan_document
from accelreport.results.record import Record
from accelreport.spec.device import FRAMEWORK_NAMES

STAMP_S, WALL_S, CPU_S = 1e-7, 1e-9, 1e-6
"""Resolution of the stamps of steps, of a block's wall-clock time, and of its CPU time."""

WALL_AND_INSTANTS = (0.25, 0.02)
"""Seconds, and share of the whole, by which two clocks may differ over a cell."""

UNEXPLAINED_S = (3.0, 6.0)
"""Seconds of a cell that belong to none of its stages; the second where several processes start, or
parts of a step are timed."""

UNEXPLAINED = 0.05
"""The same as a share of a long cell: a busy machine is late between stages, too."""

UNSTAMPED = (0.7, 3.0)
"""The first step of a block has no stamp; its time as a multiple of the block's median step."""

UNSPENT = (1.5, 0.1)
"""Seconds, and share of a budget, that a training which the budget stopped may leave: the feeding
of its data counts, and belongs to no block."""

EVALUATION_S = 0.1
"""Seconds that an evaluation may take beside its examples, each of which takes less than in
training, because no gradient is computed."""

PACE = 2.0
"""A step of the same network and batch size may take so many times as long in another spec. The
fastest process of each counts: other programs disturbed it least."""

SOFTWARE = re.compile(f"-(?:{'|'.join(FRAMEWORK_NAMES)})-")
"""Where the software begins in a canonical name."""

ALIKE = 1.5
"""The same hardware may be so many times as fast on another machine."""


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


def doubts(
    contribution: Contribution,
    *,
    shared: Mapping[str, PlanDocument],
    others: Sequence[Contribution] = (),
) -> list[Doubt]:
    """Every reason not to believe a contribution.

    Args:
        contribution: the contribution.
        shared: the shared specs of this version, by name.
        others: contributions that were accepted before.
    """
    records = contribution.records
    doubts = _doubts_of("", _whole(contribution), _shared(contribution, shared))
    for record in records:
        doubts += record_doubts(record)
    doubts += _doubts_of(
        "", _copies(records), _order_of_time(records), _beginnings(records), _paces(records)
    )
    own = trace_of(contribution) if others else None
    return [*doubts, *(doubt for other in others if own for doubt in between(own, trace_of(other)))]


def _doubts_of(cell: str, *checks: Iterator[Doubt]) -> list[Doubt]:
    """What checks find; a value with which one cannot compute is a doubt, too."""
    doubts: list[Doubt] = []
    for check in checks:
        try:
            doubts += check
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            text = f"A value is missing or is none that a measurement has ({error})."
            doubts.append(Doubt("invalid", cell, text))
    return doubts


def record_doubts(record: Record) -> list[Doubt]:
    """Every reason not to believe one record by itself."""
    checks = (
        _impossible,
        _stages,
        _work,
        _evaluations,
        _steps,
        _resolution,
        _qualities,
        _hardware,
    )
    return _doubts_of(record.cell.name, *(check(record) for check in checks))


@cache
def shared_plans() -> dict[str, PlanDocument]:
    """The shared specs of this version, by name."""
    paths = [SYSTEMS / f"{name}.toml" for name in SPECS]
    specs = load(paths, devices_file=SYSTEMS / DEVICES).specs
    return {spec.name: plan_document(spec, {}) for spec in specs}


# The file --------------------------------------------------------------------------------


def _whole(contribution: Contribution) -> Iterator[Doubt]:
    """Name, digest, and one machine with one installation."""
    records = contribution.records
    if contribution.content != contribution.digest:
        yield Doubt("digest", "", "The digest is not that of its records: the file was edited.")
    if contribution.name != (name := canonical_name(records)):
        yield Doubt("name", "", f"It is called {contribution.name}, but its records say {name}.")
    environments = [r.environment for r in records if r.environment is not None]
    if len(environments) < len(records):
        yield Doubt("machine", "", "A record names no machine.")
    for what in ("machine", "cpu", "threads", "memory_bytes", "os", "commit", "accelreport"):
        values = Counter(str(getattr(environment, what)) for environment in environments)
        if len(values) > 1:
            yield Doubt("machine", "", f"Its records have {len(values)} values of {what}.")
    if any(environment.dirty for environment in environments):
        yield Doubt("commit", "", "accelreport had uncommitted changes.", refuses=False)
    keys = Counter(record.key for record in records)
    if twice := sorted(key for key, count in keys.items() if count > 1):
        yield Doubt("copies", "", f"Two records have the key {twice[0]}.")


def _shared(contribution: Contribution, shared: Mapping[str, PlanDocument]) -> Iterator[Doubt]:
    """Whether its cells are those of the shared specs."""
    known: dict[str, tuple[str, PlannedCell]] = {}
    for name in SPECS:
        known |= {cell.key: (name, cell) for cell in shared[name].cells}
    for plan in contribution.plans:
        if plan.spec not in shared or _conditions(plan) != _conditions(shared[plan.spec]):
            yield Doubt("spec", "", f"{plan.spec} is not the shared spec of this version.")
    if len({plan.spec for plan in contribution.plans}) < len(contribution.plans):
        yield Doubt("spec", "", "It has two plans of one spec.")
    for record in contribution.records:
        name, cell = known.get(record.key, ("", None))
        own = record.cell
        if cell is None:
            yield Doubt("spec", own.name, "The shared specs have no such cell.")
        elif (name, cell.device, cell.point, cell.repeat, cell.seed) != (
            own.spec,
            own.device,
            own.point,
            own.repeat,
            own.seed,
        ):
            yield Doubt("spec", own.name, "Its key belongs to another cell of the shared specs.")


def _conditions(plan: PlanDocument) -> dict[str, Any]:
    """What a plan measures and against what, without the words around it.

    A later version may word a spec in another way. Its cells' keys do not cover targets and peaks.
    """
    return plan.model_dump(
        exclude={"text", "title", "description", "source", "published", "claims", "advice"}
    )


# One record -------------------------------------------------------------------------------


def _impossible(record: Record) -> Iterator[Doubt]:
    """What the report refuses, too: keys, CPU time, shares, rates above the machine's own roof."""
    for warning in impossible(record):
        yield Doubt(warning.kind, record.cell.name, "No measurement can give this number.")
    for check in record.checks:
        if check.outcome == "failed":
            text = f"Its self-check {check.name} failed."
            yield Doubt(check.name, record.cell.name, text, refuses=False)


def _seconds(instant: str) -> float:
    return datetime.fromisoformat(instant).timestamp()


def _stages(record: Record) -> Iterator[Doubt]:
    """Stages, blocks, epochs and the two clocks add up to one another."""
    times, name = record.times, record.cell.name
    wall = times.wall_s or 0.0
    took = _seconds(record.finished_at) - _seconds(record.started_at)
    stopped = sum(block.stopped_s or 0.0 for block in record.blocks)
    at_least, share = WALL_AND_INSTANTS
    if abs(took - wall) > max(at_least, share * wall) + stopped:
        text = f"It took {took:.1f} s by its instants and {wall:.1f} s by its clock."
        yield Doubt("clocks", name, text)
    stages = sum(
        seconds or 0.0
        for seconds in (
            times.process_s,
            times.import_s,
            times.data_s,
            times.build_s,
            times.train_s,
            times.evaluate_s,
            times.observe_s,
            times.checks_s,
        )
    ) - (times.prepared_s or 0.0)
    parts = record.parts
    split = sum(map(len, (parts.empty_s, parts.input_s, parts.gradient_s))) if parts else 0
    plain = not split and not record.hosts and record.cell.device_spec.strategy == "default"
    most = max(UNEXPLAINED_S[0] if plain else UNEXPLAINED_S[1], UNEXPLAINED * wall)
    if not -0.01 <= wall - stages <= most:
        text = f"Its stages take {stages:.1f} s of {wall:.1f} s."
        yield Doubt("stages", name, text)
    blocks = sum(block.wall_s for block in record.blocks)
    if times.train_s is not None and abs(blocks - times.train_s) > 1e-6:
        text = f"Its blocks take {blocks:.6f} s and its training {times.train_s:.6f} s."
        yield Doubt("sums", name, text)
    elapsed = 0.0
    for epoch in record.epochs:
        elapsed += epoch.train_s
        of_epoch = [block for block in record.blocks if block.epoch == epoch.epoch]
        seconds, steps = sum(b.wall_s for b in of_epoch), sum(b.steps for b in of_epoch)
        if abs(elapsed - epoch.elapsed_s) > 1e-6 or abs(seconds - epoch.train_s) > 1e-6:
            yield Doubt("sums", name, f"The time of epoch {epoch.epoch} is not that of its blocks.")
        if steps != epoch.steps:
            yield Doubt(
                "sums", name, f"The steps of epoch {epoch.epoch} are not those of its blocks."
            )
    if times.first_step_s is not None and record.blocks:
        first = record.blocks[0]
        if record.epochs and abs(first.wall_s - times.first_step_s) > 1e-6:
            yield Doubt("sums", name, "The time of its first step is not that of its first block.")


def _work(record: Record) -> Iterator[Doubt]:
    """All planned steps are done, or the budget is spent: who divides times must add steps."""
    done, planned = sum(block.steps for block in record.blocks), record.planned_steps
    workload, data = record.cell.workload, record.data
    if record.epochs and data and planned and not workload.get("steps_per_epoch"):
        steps = -(-data.train_examples // workload["batch_size"]) * workload["epochs"]
        if planned != steps:
            yield Doubt("steps", record.cell.name, f"It planned {planned} steps of {steps}.")
    if record.status == "ok" and not record.selection and planned and done != planned:
        yield Doubt("steps", record.cell.name, f"It is complete with {done} steps of {planned}.")
    budget = record.cell.measure.budget
    spent = sum(block.wall_s for block in record.blocks)
    spent += sum(epoch.evaluate_s for epoch in record.epochs)
    if record.status == "partial" and budget - spent > max(UNSPENT[0], UNSPENT[1] * budget):
        text = f"The budget of {budget:.0f} s stopped it after {spent:.1f} s."
        yield Doubt("budget", record.cell.name, text)


def _evaluations(record: Record) -> Iterator[Doubt]:
    """Evaluations take less than training on their examples, beside a compilation.

    Else what a training was made faster by could be in its evaluations, and the sums would stay.
    """
    step_s = steady(record).step_s
    if not np.isfinite(step_s) or not record.data or any(epoch.text for epoch in record.epochs):
        return
    steps = record.data.validation_examples / max(record.samples_per_step, 1)
    took = sum(epoch.evaluate_s for epoch in record.epochs)
    most = len(record.epochs) * (steps * step_s + EVALUATION_S) + (record.times.first_step_s or 0.0)
    if took > most:
        text = f"Its evaluations take {took:.1f} s; training on as many takes {most:.1f} s."
        yield Doubt("evaluation", record.cell.name, text)


def _steps(record: Record) -> Iterator[Doubt]:
    """Blocks follow one another, and the steps of a block fill it."""
    name, expected, ratios = record.cell.name, 0, []
    for block in record.blocks:
        if record.epochs and block.first_step != expected:
            yield Doubt("steps", name, f"Step {expected} is in no block.")
            break
        expected = block.first_step + block.steps
        if block.step_s and len(block.step_s) != block.steps - 1:
            yield Doubt("steps", name, "A block does not have a stamp for each step.")
            break
        if len(block.step_s) > 1:
            rest = block.wall_s - sum(block.step_s)
            ratios.append(rest / median(block.step_s))
    low, high = UNSTAMPED
    # A call that waits for its caller wakes the processor first, which a busy machine delays.
    if record.epochs and len(ratios) > 2 and not low < (middle := median(ratios)) < high:
        text = f"The first steps of its blocks take {middle:.2g} times as long as the others."
        yield Doubt("steps", name, text)
    seconds = [b.wall_s / b.steps for b in record.blocks if b.steady and b.steps]
    if len(seconds) > 9 and np.std(seconds) < 1e-4 * np.mean(seconds):
        yield Doubt("spread", name, "Its blocks differ less than any clock and machine do.")


def _resolution(record: Record) -> Iterator[Doubt]:
    """Times are multiples of what the clocks resolve; a product with a factor is not."""
    stamps = [stamp for block in record.blocks for stamp in block.step_s]
    columns = (
        (stamps, STAMP_S, "stamps"),
        ([block.wall_s for block in record.blocks], WALL_S, "wall-clock times"),
        ([block.cpu_s for block in record.blocks], CPU_S, "CPU times"),
    )
    for values, unit, what in columns:
        multiples = np.asarray(values, dtype=float) / unit
        if multiples.size and np.abs(multiples - np.round(multiples)).max() > 0.01:
            yield Doubt("resolution", record.cell.name, f"No clock gives the digits of its {what}.")
    # A clock of 1 µs or less fills its last digits alike: of many stamps, a tenth end with 0.
    last = np.round(np.asarray([b.wall_s for b in record.blocks]) / WALL_S) % 1000
    if last.size >= 20 and np.mean(last == 0) > 0.5:
        yield Doubt("digits", record.cell.name, "Most of its times are whole microseconds.")


def _qualities(record: Record) -> Iterator[Doubt]:
    """Accuracies are counts of examples, and agree with epochs and predictions."""
    name, final = record.cell.name, record.final
    examples = record.data.validation_examples if record.data else 0
    # An accuracy may also count the characters of a text.
    counts = bool(record.confusion) or record.cell.workload.get("kind") == "image_classification"
    for metrics in (final, *(epoch.metrics for epoch in record.epochs)) if counts else ():
        right = metrics.get("val_accuracy", 0.0) * examples
        if abs(right - round(right)) > 1e-3 + examples * 2e-7:
            yield Doubt("accuracy", name, f"{right:.3f} of {examples} examples are right.")
            break
    kept = record.selection.best_epoch if record.selection and record.selection.restored else None
    last = next((e for e in record.epochs if e.epoch == kept), None) if kept else None
    last = last or (record.epochs[-1] if record.epochs else None)
    differing = [k for k, v in (last.metrics if last else {}).items() if final.get(k, v) != v]
    if differing and not any(np.isnan(final[k]) for k in differing):
        text = f"Its final {differing[0]} is not that of its last epoch."
        yield Doubt("accuracy", name, text)
    if "val_accuracy" not in final:
        return
    if record.confusion:
        matrix = np.asarray(record.confusion.counts)
        share = float(np.trace(matrix) / max(matrix.sum(), 1))
        if abs(share - final["val_accuracy"]) > 1e-6:
            yield Doubt("accuracy", name, "Its confusion matrix shows another accuracy.")
    wrong = round((1 - final["val_accuracy"]) * examples)
    shown = sum(sample.true != sample.predicted for sample in record.samples)
    limit = record.cell.workload.get("samples", 0)
    if counts and record.samples and shown != min(wrong, limit):
        text = f"{wrong} predictions are wrong by its accuracy, {shown} by its list."
        yield Doubt("accuracy", name, text)


def _hardware(record: Record) -> Iterator[Doubt]:
    """The framework computed on a device of the kind that the cell names."""
    environment, kind = record.environment, record.cell.device_spec.kind
    if environment is None:
        return
    if environment.accelerators and not any(
        kind in accelerator for accelerator in environment.accelerators
    ):
        yield Doubt("device", record.cell.name, f"The framework used no {kind}.")
    if kind == "GPU" and not environment.gpus:
        yield Doubt("device", record.cell.name, "The driver lists no GPU.")


# Several records --------------------------------------------------------------------------


def _copies(records: Sequence[Record]) -> Iterator[Doubt]:
    """No two processes take the same times, nor times in one proportion."""
    walls = {r.key: np.asarray([b.wall_s for b in r.blocks if b.steps]) for r in records}
    steps = {r.key: np.asarray([b.steps for b in r.blocks if b.steps]) for r in records}
    stamps: dict[tuple[float, ...], str] = {}
    for record in records:
        for block in record.blocks:
            if len(block.step_s) < 4:
                continue
            series = tuple(block.step_s)
            if series in stamps:
                text = f"A block has the steps of {stamps[series]}."
                yield Doubt("copies", record.cell.name, text)
                break
            stamps[series] = record.cell.name
    for one, other in combinations(records, 2):
        count = min(len(walls[one.key]), len(walls[other.key]), 40)
        if count < 6:
            continue
        first, second = walls[one.key][:count], walls[other.key][:count]
        ratio = first / second
        same_steps = (steps[one.key][:count] == steps[other.key][:count]).all()
        if same_steps and np.ptp(ratio) < 1e-5 * ratio.mean():
            text = f"Its blocks take {ratio.mean():.4g} times as long as those of {one.cell.name}."
            yield Doubt("copies", other.cell.name, text)


def _order_of_time(records: Sequence[Record]) -> Iterator[Doubt]:
    """One machine measures one cell at a time."""
    ordered = sorted(records, key=lambda record: record.started_at)
    for earlier, later in pairwise(ordered):
        if _seconds(later.started_at) < _seconds(earlier.finished_at) - 0.05:
            text = f"It began before {earlier.cell.name} ended."
            yield Doubt("overlap", later.cell.name, text)


def _beginning(record: Record) -> tuple[str, str, str]:
    """What decides the weights that a process begins with."""
    framework = record.cell.device_spec.framework
    release = release_of(record.environment, framework) if record.environment else ""
    return str(record.cell.workload.get("model")), str(record.cell.seed), release


def _paces(records: Sequence[Record]) -> Iterator[Doubt]:
    """Two specs that train the same network at the same batch size take about the same steps."""
    fastest: dict[tuple[str, ...], dict[str, float]] = defaultdict(dict)
    for record in (record for record in records if record.epochs):
        workload, spec, step_s = record.cell.workload, record.cell.spec, steady(record).step_s
        if np.isfinite(step_s) and step_s > 0:
            network = str(workload.get("model")), str(workload["batch_size"]), record.cell.device
            known = fastest[network]
            known[spec] = min(step_s, known.get(spec, step_s))
    for (model, size, device), steps in fastest.items():
        fast, slow = min(steps.values()), max(steps.values())
        if slow > PACE * fast:
            specs = " and ".join(sorted(steps))
            text = f"Steps of {model}, batch {size}, differ by {slow / fast:.2g} times in {specs}."
            yield Doubt("pace", device, text)


def _place(record: Record) -> str:
    return repr((record.cell.spec, sorted(record.cell.point.items())))


def _beginnings(records: Sequence[Record]) -> Iterator[Doubt]:
    """The same seed gives the same weights, counts and number of parameters."""
    groups: dict[tuple[str, ...], list[Record]] = defaultdict(list)
    for record in records:
        groups[_beginning(record)].append(record)
    for group in groups.values():
        weights = Counter(r.began_with.weights for r in group if r.began_with)
        if len(weights) > 1:
            name = min(weights, key=lambda value: weights[value])
            odd = next(r for r in group if r.began_with and r.began_with.weights == name)
            yield Doubt("beginning", odd.cell.name, "It began with other weights than its seed's.")
        if len({r.parameters for r in group if r.parameters is not None}) > 1:
            yield Doubt("beginning", group[0].cell.name, "Its model has other weights.")
    counts: dict[str, list[float]] = defaultdict(list)
    planned: dict[str, set[int | None]] = defaultdict(set)
    for record in records:
        planned[_place(record)].add(record.planned_steps)
        if record.flops is not None:
            counts[_place(record)].append(record.flops.per_step)
    for place, values in counts.items():
        if max(values) > 1.001 * min(values):
            yield Doubt("flops", place, "The same step has different counts of FLOPs.")
    for place in (place for place, steps in planned.items() if len(steps) > 1):
        yield Doubt("steps", place, "The same cell has different counts of planned steps.")


# Several contributions --------------------------------------------------------------------


@dataclass(frozen=True)
class Trace:
    """What other contributions are compared with.

    Attributes:
        name: the canonical name.
        machine: fingerprint of the machine.
        digest: of the contribution.
        instants: when each record began.
        rates: seconds of a steady step, see `rates`.
        weights: model, seed and release → the weights that its processes began with.
        flops: spec and sweep point → FLOPs of a step.
        planned: spec and sweep point → planned steps.
    """

    name: str
    machine: str
    digest: str
    instants: frozenset[str]
    rates: Mapping[tuple[str, str, str], float]
    weights: Mapping[tuple[str, str, str], tuple[str, int | None]]
    flops: Mapping[str, float]
    planned: Mapping[str, int | None]

    @property
    def hardware(self) -> str:
        """The canonical name without software and fingerprint."""
        return SOFTWARE.split(self.name)[0]


def trace_of(contribution: Contribution) -> Trace:
    """What other contributions are compared with."""
    records = contribution.records
    return Trace(
        contribution.name,
        contribution.machine,
        contribution.digest,
        frozenset(record.started_at for record in records),
        rates(contribution),
        {_beginning(r): (r.began_with.weights, r.parameters) for r in records if r.began_with},
        {_place(r): r.flops.per_step for r in records if r.flops is not None},
        {_place(r): r.planned_steps for r in records},
    )


def between(own: Trace, other: Trace) -> Iterator[Doubt]:
    """Reasons against a contribution that another one gives."""
    for key in own.weights.keys() & other.weights.keys():
        if own.weights[key] != other.weights[key]:
            text = f"It began with other weights than the same seed of {other.name}."
            yield Doubt("beginning", " ".join(key), text)
    for place in own.flops.keys() & other.flops.keys():
        one, two = own.flops[place], other.flops[place]
        if max(one, two) > 1.001 * min(one, two):
            text = f"The same step has another count of FLOPs than that of {other.name}."
            yield Doubt("flops", place, text)
    for place in own.planned.keys() & other.planned.keys():
        if own.planned[place] != other.planned[place]:
            text = f"It planned {own.planned[place]} steps, {other.name} {other.planned[place]}."
            yield Doubt("steps", place, text)
    if other.digest == own.digest or len(own.instants & other.instants) > 2:
        yield Doubt("duplicate", "", f"It has the measurements of {other.name}.")
    # A machine may differ from its own past: its page shows the change.
    if own.hardware == other.hardware and own.machine != other.machine:
        ratios: dict[tuple[str, str], list[float]] = defaultdict(list)
        for measured in own.rates.keys() & other.rates.keys():
            ratios[measured[:2]].append(own.rates[measured] / other.rates[measured])
        for (spec, device), values in sorted(ratios.items()):
            middle = float(np.exp(np.median(np.log(values))))
            if not 1 / ALIKE <= middle <= ALIKE:
                text = f"Its steps take {middle:.2g} times as long as those of {other.name}."
                yield Doubt("unlike", f"{spec} {device}", text, refuses=False)


def rates(contribution: Contribution) -> dict[tuple[str, str, str], float]:
    """Seconds of a steady step by spec, device and sweep point: the geometric mean of repeats."""
    seconds: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for record in contribution.records:
        step_s = steady(record).step_s
        if np.isfinite(step_s) and step_s > 0:
            point = repr(sorted(record.cell.point.items()))
            seconds[record.cell.spec, record.cell.device, point].append(step_s)
    return {place: float(np.exp(np.mean(np.log(values)))) for place, values in seconds.items()}
