"""What was measured: one frozen value for each planned cell and machine.

Whether a process counts, and whether and why its number is refused, is decided here and nowhere
else. Whatever compares, tests or shows a number asks `Result.measured` and `Result.status`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from math import inf, isfinite, isnan, nan
from operator import truediv
from statistics import median
from typing import Any

from accelreport.analysis.compute import Peak, cited_peak, hardware_name, joules_per_step
from accelreport.analysis.stability import (
    FEWER_CORES,
    NOTABLE,
    Began,
    began,
    complete_epochs,
    findings,
    reused,
    shared_trend,
    total_seconds,
)
from accelreport.analysis.stats import SLOW_PROCESS, grouped
from accelreport.analysis.warnings import (
    REFUSED,
    OldCode,
    Recorded,
    ResultWarning,
    SlowProcess,
    above_peak,
    impossible,
    refused,
)
from accelreport.datasets.catalogue import CATALOGUE
from accelreport.results.plan_document import PlanDocument, PlannedCell
from accelreport.results.record import OTHER_LOAD, DataSource, Record
from accelreport.spec.base import Scalar
from accelreport.spec.base import matches as matches

MISSING = "missing"
"""The status of a planned cell that has no record."""

UNTIMED = "untimed"
"""The outcome of a cell that ended before its first steady step."""


@dataclass(frozen=True)
class Timings:
    """Times and rates of the timed steps of a process; NaN where it was not measured.

    Attributes:
        steady_step_s: seconds of a steady step.
        steady_steps: steady steps that were timed.
        window_s: seconds of them all.
        cpu_per_wall: cores that the process kept busy meanwhile.
        other_cpu_per_wall: cores that other processes kept busy meanwhile.
        first_step_s: seconds of the first step, or of a kernel's first call.
        first_epoch_s: seconds of the first epoch.
        epoch_s: mean seconds of the complete epochs after the first.
        total_s: seconds of all timed steps; of a run that the budget ended, extrapolated.
        throughput: examples in a second.
        tflops: 10¹² operations in a second, over the steady steps.
        tflops_cold: 10¹² operations in a second of a kernel's first call.
        peak_tflops: the cited peak of what it ran on.
        mfu: model FLOPs utilisation, `tflops` over `peak_tflops`.
        flops_per_step: operations of a step, over all replicas.
        least_flops_per_step: operations that no fast algorithm goes below; NaN if a record has
            none.
        bytes_per_step: bytes that they read and write.
        cpu_joules_per_step: joules of a steady step by the processor's counter.
        gpu_joules_per_step: joules of a steady step by the GPU's driver.
        samples_per_step: training examples in a step, over all replicas.
        planned_steps: steps that a complete run takes.
    """

    steady_step_s: float = nan
    steady_steps: float = nan
    window_s: float = nan
    cpu_per_wall: float = nan
    other_cpu_per_wall: float = nan
    first_step_s: float = nan
    first_epoch_s: float = nan
    epoch_s: float = nan
    total_s: float = nan
    throughput: float = nan
    tflops: float = nan
    tflops_cold: float = nan
    peak_tflops: float = nan
    mfu: float = nan
    flops_per_step: float = nan
    least_flops_per_step: float = nan
    bytes_per_step: float = nan
    cpu_joules_per_step: float = nan
    gpu_joules_per_step: float = nan
    samples_per_step: float = nan
    planned_steps: float = nan

    @property
    def least_tflops(self) -> float:
        """10¹² operations that must have been done in a second, whatever the algorithm."""
        least = self.least_flops_per_step
        return self.tflops if isnan(least) else self.tflops * least / self.flops_per_step


@dataclass(frozen=True)
class Stages:
    """The stages of a process's life, in seconds; NaN where one was not reached."""

    process_s: float = nan
    import_s: float = nan
    data_s: float = nan
    build_s: float = nan
    evaluate_s: float = nan
    wall_s: float = nan


@dataclass(frozen=True)
class MemoryPeaks:
    """Peak memory in bytes, of a distributed cell summed; NaN where it was not read."""

    host_peak_bytes: float = nan
    device_peak_bytes: float = nan


@dataclass(frozen=True)
class Result:
    """One planned cell on one machine, and what became of it.

    Attributes:
        key: the cell's content hash.
        device: name of its device.
        machine: fingerprint of the machine; empty where no machine has a record of it.
        repeat: number of the repeat, from 0.
        seed: its seed.
        point: axis → value.
        status: that of the record; `missing` without one, `refused` where the number is none.
        failure_kind: why there is no number, in a word; empty where there is one.
        failure_message: the sentence that the record of a failed or skipped cell keeps.
        failure_remedy: what a person can do about it, by the same record.
        refusal: the warning for which the number is none; None where it is not refused.
        origin: where the input came from; `file` where a spec names it and nobody publishes it.
        fingerprint: SHA-256 of the input as it was used.
        hardware: what did the arithmetic, by its driver's name.
        precision: the device's dtype policy.
        kind: what the device's row says does the arithmetic: CPU, GPU or TPU.
        warnings: what weakens the number: the process's own, then those of its timings.
        extrapolated: whether the budget ended it, so that its total is extrapolated.
        steps: all that it took, the first one and the rest of the warm-up among them.
        timings: times and rates; all NaN unless it is `measured`.
        stages: the stages of its life.
        memory: its peaks.
        validation_s: seconds of a validation after an epoch, by those after the first, which also
            compiles it; NaN where there is no second one.
        final: final metrics by name; empty unless it is `measured`.
        float32_bytes: size of the converted model in float32; NaN where none was converted.
        int8_bytes: size of the converted model in 8-bit integers.
        quantised_speedup: how many times as fast the int8 model is, by median latencies.
    """

    key: str
    device: str
    machine: str
    repeat: int
    seed: int
    point: Mapping[str, Scalar | None]
    status: str = MISSING
    failure_kind: str = ""
    failure_message: str = ""
    failure_remedy: str = ""
    refusal: ResultWarning | None = None
    origin: str = ""
    fingerprint: str = ""
    hardware: str = ""
    precision: str = ""
    kind: str = ""
    warnings: tuple[ResultWarning, ...] = ()
    extrapolated: bool = False
    steps: int = 0
    timings: Timings = Timings()
    stages: Stages = Stages()
    memory: MemoryPeaks = MemoryPeaks()
    validation_s: float = nan
    final: Mapping[str, float] = field(default_factory=dict)
    float32_bytes: float = nan
    int8_bytes: float = nan
    quantised_speedup: float = nan

    @property
    def where(self) -> PointKey:
        """Its sweep point as a key."""
        return point_key(self.point)

    @property
    def ran(self) -> bool:
        """Whether a process of it was started."""
        return bool(self.machine) and self.status != "skipped"

    @property
    def measured(self) -> bool:
        """Whether its times may enter a statistic."""
        return self.status in {"ok", "partial"}

    @property
    def complete(self) -> bool:
        """Whether it did all that was planned, so that its quality can be compared."""
        return self.status == "ok"

    @property
    def refused(self) -> bool:
        """Whether there is a number that is not shown; `refusal` says why."""
        return self.status == REFUSED

    @property
    def seconds(self) -> float:
        """Seconds of a steady step; NaN where it has none."""
        return self.timings.steady_step_s

    @property
    def work(self) -> float:
        """What one step does: examples of a training, operations of a kernel; NaN if unknown.

        A training's batch is shared out among replicas. A kernel is computed by each of them,
        and its operations are counted over all: so much more is done in the same step.
        """
        samples = self.timings.samples_per_step
        return self.timings.flops_per_step if isnan(samples) else samples

    @property
    def timed(self) -> bool:
        """Whether it has a time: it was measured, and reached its first steady step."""
        return self.measured and self.seconds > 0

    @property
    def outcome(self) -> str:
        """Its status where cells are counted: `untimed` where it ran and has no time."""
        return UNTIMED if self.measured and not self.timed else self.status

    def at(self, where: Mapping[str, Any]) -> bool:
        """Whether its sweep point has every value that is asked for."""
        return matches(self.point, where)


TIMING_OF = {
    "steady_step_time": "steady_step_s",
    "step_time": "steady_step_s",
    "epoch_time": "epoch_s",
    "first_epoch_time": "first_epoch_s",
    "total_time": "total_s",
    "throughput": "throughput",
    "tflops": "tflops",
    "tflops_cold": "tflops_cold",
}
"""Quantity of a claim, or figure of a source → its field of `Timings`."""

CONVERTED = frozenset({"float32_bytes", "int8_bytes", "quantised_speedup"})
"""Figures of a converted model, fields of `Result`."""

STAND_INS = ("synthetic", "sample")
"""Origins of data whose qualities are not those of the whole data set."""

ENERGY = "energy_per_example"
"""Joules of an example (of a kernel's operation), by the sensor of what computes."""

PROCESSOR_TIME = "processor_time"
"""Seconds that a step keeps processor cores busy, all together, where the CPU computes."""

QUALITIES = frozenset(
    {"accuracy", "val_accuracy", "val_precision", "val_recall", "val_f1", "loss", "val_loss"}
)
"""Quantities that only a complete training has."""


def quantity(result: Result, name: str) -> float:
    """A quantity of one process, in seconds or as it is counted; NaN where it has none.

    Accuracies and losses are those of complete trainings only.
    """
    if name == "sample_time":
        return result.seconds / result.timings.samples_per_step
    if name == ENERGY:
        return _energy(result)
    if name == PROCESSOR_TIME:
        return result.seconds * result.timings.cpu_per_wall if result.kind == "CPU" else nan
    if name in TIMING_OF:
        return float(getattr(result.timings, TIMING_OF[name]))
    if name in CONVERTED:
        return float(getattr(result, name))
    if name in QUALITIES and not result.complete:
        return nan
    return result.final.get(name, nan)


def shortest(processes: Iterable[Result]) -> Result | None:
    """Of the processes that the budget stopped, the one that took the fewest steps.

    None if it stopped none, or if the number of planned steps is unknown.
    """
    stopped = (row for row in processes if row.timed and row.status == "partial")
    known = (row for row in stopped if isfinite(row.timings.planned_steps))
    return min(known, key=lambda row: row.steps, default=None)


def later_epoch(result: Result, epochs: object) -> tuple[float, bool]:
    """Seconds of an epoch after the first, and whether they are extrapolated.

    Where the budget ended a process before such an epoch was over, its steps at the pace of the
    steady ones; NaN where it has none.

    Args:
        result: the process.
        epochs: of the workload.
    """
    timings = result.timings
    cut = isnan(timings.epoch_s) and result.extrapolated
    if not cut or not isinstance(epochs, int) or epochs < 1:
        return timings.epoch_s, False
    return result.seconds * timings.planned_steps / epochs, True


def _energy(result: Result) -> float:
    """See `ENERGY`: the GPU's board where a GPU computes, else the processor's package."""
    timings = result.timings
    sensors = {"GPU": timings.gpu_joules_per_step, "CPU": timings.cpu_joules_per_step}
    examples = timings.samples_per_step
    return sensors.get(result.kind, nan) / (examples if examples > 0 else 1.0)


PointKey = tuple[tuple[bool, Any], ...]
"""The values of a sweep point, and whether each is a truth value: `true` is not 1, but 1.0 is."""


def point_key(point: Mapping[str, Any]) -> PointKey:
    """A sweep point as a key, its axes in the order of the plan."""
    return tuple((isinstance(value, bool), value) for value in point.values())


def results_of(plan: PlanDocument, records: Iterable[Record]) -> tuple[Result, ...]:
    """One result for each planned cell and machine that has a record of it.

    A planned cell without any record is one result with the status `missing`. Records that the
    plan does not ask for are left out; every record is looked at once and let go.
    """
    return results_of_plans((plan,), records)[0]


def results_of_plans(
    plans: Sequence[PlanDocument], records: Iterable[Record]
) -> list[tuple[Result, ...]]:
    """`results_of` for each of several plans, with one look at every record."""
    asked: dict[str, list[tuple[int, PlannedCell]]] = {}
    for number, plan in enumerate(plans):
        for cell in plan.cells:
            asked.setdefault(cell.key, []).append((number, cell))
    drafts: list[dict[str, list[_Draft]]] = [{} for _ in plans]
    for record in records:
        for number, cell in asked.get(record.key, ()):
            draft = _draft(plans[number], cell, record)
            drafts[number].setdefault(record.key, []).append(draft)
    return [_finished(plan, own) for plan, own in zip(plans, drafts, strict=True)]


@dataclass(frozen=True)
class _Draft:
    """A process by itself, before it is compared with the other repeats."""

    result: Result
    peak: Peak | None
    began: Began
    started_at: str
    imported: Mapping[str, str]
    """File of code outside the spec's folder → its SHA-256."""


def _identified(plan: PlanDocument, cell: PlannedCell, machine: str) -> Result:
    device = plan.devices.get(cell.device)
    return Result(
        key=cell.key,
        device=cell.device,
        machine=machine,
        repeat=cell.repeat,
        seed=cell.seed,
        point={axis: cell.point.get(axis) for axis in plan.axes},
        precision=device.precision if device else "",
        kind=device.kind if device else "",
    )


def _origin(data: DataSource) -> str:
    known = CATALOGUE.get(data.dataset)
    # Only of what is published can a file be another one.
    return "file" if known and not known.files and data.origin == "user-supplied" else data.origin


def _draft(plan: PlanDocument, cell: PlannedCell, record: Record) -> _Draft:
    failure, data = record.failure, record.data
    device = plan.devices.get(cell.device)
    hardware = hardware_name(record.environment, device.kind if device else "CPU")
    warnings: dict[str, ResultWarning] = {
        warned.kind: Recorded(warned.kind, nan, warned.message) for warned in record.warnings
    }
    if record.measured:
        for warning in (*findings(record), *impossible(record)):
            warnings[warning.kind] = warning
    result = replace(
        _identified(plan, cell, record.machine),
        status=record.status,
        failure_kind=failure.kind if failure else "",
        failure_message=failure.message if failure else "",
        failure_remedy=failure.remedy if failure else "",
        origin=_origin(data) if data else "",
        fingerprint=data.fingerprint if data else "",
        hardware=hardware,
        warnings=tuple(warnings.values()),
        extrapolated=record.status == "partial",
        steps=sum(block.steps for block in record.blocks),
        stages=Stages(**_numbers(record.times, Stages)),
        memory=MemoryPeaks(**_numbers(record.memory_of_all, MemoryPeaks)),
    )
    peak = None
    if record.measured:
        peak = cited_peak(plan, cell.device, cell.point, hardware, record.environment)
        timings = _timings(record, peak)
        result = replace(
            result,
            timings=timings,
            validation_s=_validation_seconds(record),
            final=dict(record.final),
        )
        if small := record.quantised:
            latencies = small.float32.latency_s, small.int8.latency_s
            result = replace(
                result,
                float32_bytes=small.float32.bytes,
                int8_bytes=small.int8.bytes,
                quantised_speedup=truediv(*map(median, latencies)) if all(latencies) else nan,
            )
    imported = {file.file: file.sha256 for file in record.imported}
    return _Draft(result, peak, began(record), record.started_at, imported)


def _numbers(values: object, of: type[Stages | MemoryPeaks]) -> dict[str, float]:
    known = {item.name: getattr(values, item.name) for item in fields(of)}
    return {name: value for name, value in known.items() if value is not None}


def _finished(plan: PlanDocument, drafts: Mapping[str, Sequence[_Draft]]) -> tuple[Result, ...]:
    again = reused(draft.began for own in drafts.values() for draft in own)
    again |= _of_old_code([draft for own in drafts.values() for draft in own])
    results: list[Result] = []
    for cell in plan.cells:
        known = sorted(drafts.get(cell.key, ()), key=lambda draft: draft.result.machine)
        judged = [
            _judged(draft, again.get((cell.key, draft.result.machine), ())) for draft in known
        ]
        results += judged or [_identified(plan, cell, "")]
    slow = slow_processes(results)
    started = {
        (draft.result.key, draft.result.machine): draft.started_at
        for own in drafts.values()
        for draft in own
    }
    drifting = drifting_machines(results, started)
    return tuple(
        replace(
            result,
            warnings=(
                *result.warnings,
                *filter(
                    None, (slow.get((result.key, result.machine)), drifting.get(result.machine))
                ),
            ),
        )
        if result.measured
        else result
        for result in results
    )


def _of_old_code(
    drafts: Sequence[_Draft],
) -> dict[tuple[str, str], tuple[ResultWarning, ...]]:
    """Processes whose imported code is not what a later one imported, by key and machine."""
    newest: dict[tuple[str, str], str] = {}
    warnings: dict[tuple[str, str], tuple[ResultWarning, ...]] = {}
    for draft in sorted(drafts, key=lambda draft: draft.started_at):
        if draft.result.measured:
            newest |= {(draft.result.machine, file): sha for file, sha in draft.imported.items()}
    for draft in drafts:
        machine = draft.result.machine
        old = (file for file, sha in draft.imported.items() if newest.get((machine, file)) != sha)
        if draft.result.measured and (file := next(old, "")):
            warnings[draft.result.key, machine] = (OldCode("old-code", nan, file),)
    return warnings


def _judged(draft: _Draft, further: Sequence[ResultWarning]) -> Result:
    """The result with its warnings; of one that refuses its numbers, with that alone."""
    result = draft.result
    if result.measured:
        high = above_peak(result.timings.least_tflops, draft.peak)
        more = (*further, *([high] if high else []))
        result = replace(result, warnings=(*result.warnings, *more))
    elif result.failure_kind != REFUSED:
        return result
    why = refused(result.warnings)
    if why is None:
        return result
    return replace(
        result,
        status=REFUSED,
        failure_kind=why.kind,
        failure_message="",
        failure_remedy="",
        refusal=why,
        warnings=(why,),  # the others are computed from the same numbers
        timings=Timings(),
        validation_s=nan,
        final={},
        float32_bytes=nan,
        int8_bytes=nan,
    )


def _timings(record: Record, peak: Peak | None) -> Timings:
    window = record.steady
    step_s = window.step_s
    epochs = [epoch.train_s for epoch in complete_epochs(record)]
    flops = (record.flops.per_step if record.flops else 0) or nan
    moved = record.flops.bytes_per_step if record.flops else None
    least = record.flops.least if record.flops else None
    samples = record.samples_per_step or nan
    tflops = flops / step_s / 1e12 if step_s else nan
    return Timings(
        steady_step_s=step_s,
        steady_steps=window.steps,
        window_s=window.window_s,
        cpu_per_wall=window.cpu_per_wall,
        other_cpu_per_wall=window.other_cpu_per_wall,
        first_step_s=nan if record.times.first_step_s is None else record.times.first_step_s,
        first_epoch_s=epochs[0] if epochs else nan,
        epoch_s=sum(epochs[1:]) / len(epochs[1:]) if len(epochs) > 1 else nan,
        total_s=total_seconds(record, step_s),
        throughput=samples / step_s if step_s else nan,
        tflops=tflops,
        tflops_cold=_cold_tflops(record, flops),
        peak_tflops=peak.tflops if peak else nan,
        mfu=tflops / peak.tflops if peak else nan,
        flops_per_step=flops,
        least_flops_per_step=nan if least is None else least,
        bytes_per_step=nan if moved is None else moved,
        cpu_joules_per_step=_joules(record, "RAPL"),
        gpu_joules_per_step=_joules(record, "NVML"),
        samples_per_step=samples,
        planned_steps=record.planned_steps or nan,
    )


def _validation_seconds(record: Record) -> float:
    """Mean seconds of the validations after the first; NaN without one by itself."""
    validated = [
        epoch.evaluate_s
        for epoch in record.epochs
        if epoch.text is None and any(name.startswith("val_") for name in epoch.metrics)
    ]
    return sum(validated[1:]) / len(validated[1:]) if len(validated) > 1 else nan


def _joules(record: Record, sensor: str) -> float:
    """Joules of a steady step by a sensor; NaN where it was not read."""
    known = [joules_per_step(energy) for energy in record.energy if energy.sensor == sensor]
    return next((value for value in known if value is not None), nan)


def _cold_tflops(record: Record, flops: float) -> float:
    """TFLOPS of the first call of a kernel; NaN for training, whose first block is a step."""
    cold_s = record.times.first_step_s
    if record.epochs or not record.blocks or not cold_s:
        return nan
    return flops * record.blocks[0].steps / cold_s / 1e12


def slow_processes(results: Iterable[Result]) -> dict[tuple[str, str], SlowProcess]:
    """Processes much slower than the other repeats of their cell, by (key, machine).

    Where such a process kept fewer cores busy, on a machine that did nothing else, the kind
    is `bimodal` (its threads shared a core or waited), otherwise `slow-process`.
    """
    timed = (result for result in results if result.seconds > 0)
    groups = grouped(timed, lambda result: (result.device, result.machine, result.where))
    warnings = {}
    for siblings in groups.values():
        fastest = min(sibling.seconds for sibling in siblings)
        most = max(sibling.timings.cpu_per_wall for sibling in siblings)
        for result in siblings:
            if result.seconds > SLOW_PROCESS * fastest:
                warnings[result.key, result.machine] = _slow(result.timings, fastest, most)
    return warnings


def drifting_machines(
    results: Iterable[Result], started: Mapping[tuple[str, str], str]
) -> dict[str, ResultWarning]:
    """Machines that became slower or faster while a plan was measured.

    The order of cells is balanced, so no device gains by it; but intervals are wider than those
    of a machine that is at rest.

    Args:
        results: what was measured.
        started: (key, machine) → when a process was started.
    """
    timed = (result for result in results if 0 < result.seconds < inf)
    warnings = {}
    for machine, measured in grouped(timed, lambda result: result.machine).items():
        cells: dict[tuple[str, PointKey], list[tuple[float, float]]] = {}
        ordered = sorted(measured, key=lambda process: started[process.key, process.machine])
        for place, result in enumerate(ordered):
            cells.setdefault((result.device, result.where), []).append((place, result.seconds))
        line = shared_trend([*cells.values()])
        if line.certain and abs(line.change) > NOTABLE:
            warnings[machine] = ResultWarning("drifting-machine", line.change)
    return warnings


def _slow(own: Timings, fastest: float, most: float) -> SlowProcess:
    """The warning of a slow process, by its fastest repeat and the most cores of a repeat."""
    factor = own.steady_step_s / fastest
    if own.other_cpu_per_wall > OTHER_LOAD:
        return SlowProcess("slow-process", factor, own.other_cpu_per_wall, nan, nan)
    if own.cpu_per_wall < FEWER_CORES * most:
        return SlowProcess("bimodal", factor, nan, own.cpu_per_wall, most)
    return SlowProcess("slow-process", factor, nan, nan, nan)
