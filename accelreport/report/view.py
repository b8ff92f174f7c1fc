"""One benchmark as its pages see it: the plan, its records, and what analysis made of them.

Charts of the first benchmark are being drawn while the second one is analysed, and a benchmark
that is left as it was needs little of this.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, wraps
from math import nan
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from accelreport.analysis.benchmark import Benchmark
from accelreport.analysis.benchmark import Point as Point
from accelreport.analysis.ceilings import Processor, highest_rates
from accelreport.analysis.compute import COMPUTE_DTYPE, hardware_name
from accelreport.analysis.difference import PLAIN, compiled
from accelreport.analysis.findings import Finding, Subject
from accelreport.analysis.learning import WITHIN, Agreement, Quality, agreement, quality_of
from accelreport.analysis.ranking import ranked_findings
from accelreport.analysis.results import Result
from accelreport.analysis.speedup import Speedup
from accelreport.analysis.stats import grouped
from accelreport.analysis.warnings import Recorded, impossible, is_share, refused
from accelreport.datasets.catalogue import CATALOGUE
from accelreport.report.frames import not_refused
from accelreport.report.metrics import (
    Words,
    axis_title,
    settings_text,
    words_of,
)
from accelreport.report.quantity import listed, setting
from accelreport.report.quantity import present as present
from accelreport.report.text import label, short_hardware, slug
from accelreport.report.theme import COLOURS, device_colours, pattern
from accelreport.report.warning_text import failure_text
from accelreport.results.plan_document import PlanDocument
from accelreport.results.privacy import as_published
from accelreport.results.record import Environment, Record
from accelreport.spec.device import Device
from accelreport.spec.families import TENSORFLOW


def median(values: Sequence[float]) -> float:
    """The median of the finite values; NaN without any."""
    known = [value for value in values if present(value)]
    return statistics.median(known) if known else math.nan


def mean(values: Sequence[float]) -> float:
    """The mean of the finite values; NaN without any."""
    known = [value for value in values if present(value)]
    return math.fsum(known) / len(known) if known else math.nan


VECTORS = {"amx_bf16": "AMX", "avx512f": "AVX-512", "avx2": "AVX2", "avx": "AVX"}
"""Vector extensions, the widest first, as people call them."""


def vector_name(environment: Environment) -> str:
    """The widest vector extension of a processor; empty where none is known."""
    return next((VECTORS[key] for key in VECTORS if key in environment.vector), "")


def processor_kinds(environments: Iterable[Environment]) -> dict[str, list[Environment]]:
    """Environments by the widest vector extension; without those of no known one.

    Hosts that differ in a measured roof alone are one kind: it varies from probe to probe.
    """
    kinds = grouped(environments, vector_name)
    return {name: kinds[name] for name in sorted(kinds) if name}


MOST_LETTERS = 40
"""Of the name of a device."""


@dataclass(frozen=True)
class Series:
    """A device on a machine: a column of the tables and a colour of the charts."""

    device: str
    machine: str
    """Fingerprint; empty where the device has no record at all."""
    title: str
    colour: int
    """The device's number, from which its colour and its mark follow."""
    baseline: bool
    """Whether it is the baseline's device."""
    pattern: int = 0
    """How its lines are dashed: machines share the device's colour and differ in this."""

    @property
    def css(self) -> str:
        """Name of the CSS custom property with its colour."""
        return f"s{self.colour % COLOURS}"


COMPILE = "torch.compile"


def mode(way: Device) -> str:
    """How a framework runs the steps, in the field's words."""
    compiler = {"torch": COMPILE, TENSORFLOW: "graph mode with XLA"}.get(way.framework, "XLA")
    return ("eager mode", "graph mode", compiler)[compiled(way)]


def mode_of(device: Device, *, named: bool) -> str:
    """How a framework runs the steps, in a word; empty where it does so by default.

    Args:
        device: the device.
        named: whether its framework is named, of which each mode is then named, too.
    """
    modes = ("eager", "graph", "compiled" if device.framework == "torch" else "XLA")
    stage = compiled(device)
    return (
        modes[stage]
        if stage != PLAIN[device.framework] or (named and device.framework != "jax")
        else ""
    )


def differences(device: Device, *, named: bool = False) -> list[str]:
    """What tells a device from the plain one of its kind, each in a word or two."""
    dtype = COMPUTE_DTYPE[device.precision] if device.precision != "float32" else ""
    parts = (mode_of(device, named=named), dtype, "TF32" * device.tf32, _counted(device))
    return [part for part in (*parts, device.placement) if part]


def _counted(device: Device) -> str:
    """The replicas or workers of a device, else its threads; empty where it says neither."""
    count, alone = device.all_replicas, device.threads
    return {
        "mirrored": f"{count} replicas",
        "multi_worker_mirrored": f"{count} workers",
        "parameter_server": f"{device.workers} workers and a parameter server",
    }.get(
        device.strategy,
        # The threads of replicas and workers are of each of them.
        f"{count} replicas" if count > 1 else f"{alone} thread{'s' * (alone > 1)}" if alone else "",
    )


SeriesPoint = tuple[Series, Point]
"""A device and the sweep point at which it was measured."""


@dataclass(frozen=True)
class BenchmarkView(Benchmark):
    """A benchmark in the words of its page.

    Attributes:
        colours: device → number of its colour, for the whole site.
        mixed: names of processors of which the site has several kinds, said in brackets.
        here: kind of device → the name of its hardware, where all of the site have one.
    """

    colours: Mapping[str, int]
    mixed: frozenset[str] = frozenset()
    here: Mapping[str, str] = field(default_factory=dict)

    def colour_of(self, device: str) -> int:
        """A device's number; a profile may leave one out of which somebody published figures."""
        return self.colours.get(device, len(self.colours))

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """`analysis.ranking.ranked_findings`: all that may be said, the title's finding first."""
        return ranked_findings(self)

    @cached_property
    def shown_records(self) -> list[Record]:
        """The records whose numbers may be shown."""
        return not_refused(self.records.values(), self.results)

    @cached_property
    def slug(self) -> str:
        """File name of its page, without the suffix."""
        return f"{slug(self.plan.spec)}.{slug(self.plan.profile)}"

    @property
    def named(self) -> str:
        """Its title with its profile."""
        return f"{label(self.plan.title)} ({label(self.plan.profile, 40)})"

    @cached_property
    def words(self) -> Words:
        """What the steps of this family are called."""
        return words_of(self.plan.workload)

    def of(self, series: Series, point: Point) -> Sequence[Result]:
        """Cells of one device at one point that have a record from its machine."""
        return self.cells(series.device, series.machine, point)

    def planned(self, series: Series, point: Point) -> Sequence[Result]:
        """The same, and the cells that no machine has a record of."""
        return self.planned_cells(series.device, series.machine, point)

    def measured(self, series: Series, point: Point) -> Sequence[Result]:
        """Those of them that hold times."""
        return [row for row in self.of(series, point) if row.measured]

    def records_of(self, series: Series, point: Point) -> list[Record]:
        """The records of those."""
        records = map(self.record, self.measured(series, point))
        return [record for record in records if record is not None]

    @cached_property
    def _rows_of_records(self) -> dict[tuple[str, str], Result]:
        return {(row.key, row.machine): row for row in self.results}

    def refusal(self, record: Record, machine: str) -> str:
        """Why the number of a record is not shown; empty where it is."""
        row = self._rows_of_records.get((record.key, machine))
        return failure_text(row) if row and row.refused else ""

    def processors_of(self, rows: Iterable[Result]) -> Iterator[list[str]]:
        """What tells the processors of some processes apart, by machine that had several."""
        records = [record for row in rows if (record := self.record(row))]
        known = (record.environment for record in records if record.environment)
        for own in grouped(known, lambda environment: environment.machine).values():
            names = [*processor_kinds(own)]
            if len(names) > 1:
                yield names

    @cached_property
    def series(self) -> tuple[Series, ...]:
        """Devices in the order of the spec, one for each machine that has records of it."""
        tried: dict[str, set[str]] = {name: set() for name in self.plan.devices}
        present_on: dict[str, set[str]] = {name: set() for name in self.plan.devices}
        for row in self.results:
            if row.machine:
                tried[row.device].add(row.machine)
                if row.status != "skipped":
                    present_on[row.device].add(row.machine)
        # A machine without the device says nothing where another one has it.
        return tuple(self._series({name: present_on[name] or tried[name] for name in tried}))

    def _series(self, machines: Mapping[str, set[str]]) -> Iterator[Series]:
        several = len(set().union(*machines.values())) > 1
        for name, known in machines.items():
            for number, machine in enumerate(sorted(known) or [""]):
                title = self.title_on(name, machine) if several else self.title_of(name)
                baseline = name == self.plan.baseline.device
                colour = self.colours[name]
                dashes = pattern(colour, number)
                yield Series(name, machine, title, colour, baseline, dashes)

    def title_of(self, device: str) -> str:
        """The one name of a device: the label of its row, else its hardware and what differs.

        "Intel Xeon", "Intel Xeon, 1 thread", "Tesla T4, bfloat16". A framework other than
        TensorFlow is named: "Intel Xeon, JAX". Where devices of one kind run several frameworks,
        the framework and how it runs the steps stand for the hardware: "TensorFlow eager".
        """
        names = {name for name in self._hardware.get(device, {}).values() if name}
        if not names and (known := self.plan.devices.get(device)):
            # A row that was not measured has the name of the others of its kind.
            kinds = {other: way.kind for other, way in self.plan.devices.items()}
            alike = (own for other, own in self._hardware.items() if kinds[other] == known.kind)
            names = {name for own in alike for name in own.values() if name}
            names = names or {self.here.get(known.kind, "")}
        return self._named(device, names.pop() if len(names) == 1 else "")

    def name_at(self, device: str, machine: str, point: Point) -> str:
        """The name of a device at a sweep point, by the values of the keys that the baseline fixes.

        "numpy" and "tf" where the baseline fixes `how`; where several devices were run, "Intel
        Xeon, tf". Without such keys, or a point, it is the device's own name.
        """
        values = self.values(point) if point else {}
        ways = [
            label(value, 40)
            if isinstance(value := values[axis], str)
            else settings_text({axis: value})
            for axis in self.plan.baseline.where
            if values.get(axis) is not None
        ]
        if ways and len(self.tried_series) == 1:
            return ", ".join(ways)
        machines = {series.machine for series in self.series if series.device == device}
        name = self.title_on(device, machine if len(machines) > 1 else "")
        return ", ".join([name, *ways])

    @cached_property
    def ways(self) -> tuple[str, ...]:
        """The texts among the values of the keys that the baseline fixes, as names have them."""
        held = (self.plan.axes[axis] for axis in self.plan.baseline.where)
        return tuple(label(way, 40) for values in held for way in values if isinstance(way, str))

    @cached_property
    def baseline_name(self) -> str:
        """The name of the baseline, with the values that it fixes."""
        where = self.plan.baseline.where
        point = tuple(where.get(axis) for axis in self.axes) if where else ()
        return self.name_at(self.plan.baseline.device, "", point)

    @cached_property
    def _several_frameworks(self) -> bool:
        """Whether frameworks, or eager mode and graphs, are told apart."""
        return len({(way.framework, way.eager) for way in self.plan.devices.values()}) > 1

    @cached_property
    def _threads(self) -> dict[str, int]:
        """Threads of each CPU that has all of them, where the same with fewer was measured."""
        devices, every = self.plan.devices, dict[str, set[int]]()
        for row in self.results:
            if row.timed and devices[row.device].kind == "CPU" and (record := self.record(row)):
                known = [record.environment.threads] if record.environment else []
                every.setdefault(row.device, set()).update(known)

        def same(way: Device) -> tuple[str, list[str]]:
            return way.framework, differences(way.model_copy(update={"threads": None}))

        fewer = [(same(way), way.threads) for name in every if (way := devices[name]).threads]
        # One that was not measured has those of the machine of the others.
        here = set[int]().union(*every.values())
        every = {n: every.get(n, here) for n in devices if devices[n].kind == "CPU"} if here else {}
        return {
            name: max(known)
            for name, known in every.items()
            if devices[name].threads is None and len(known) == 1
            if any(own == same(devices[name]) and n < max(known) for own, n in fewer)
        }

    def _with_threads(self, device: str) -> Device:
        """A device of the plan with the threads that its name has."""
        known = self.plan.devices[device]
        return known.model_copy(update={"threads": known.threads or self._threads.get(device)})

    def counted(self, device: str) -> str:
        """The replicas, workers or threads in the name of a device; empty of none."""
        return _counted(self._with_threads(device)) if device in self.plan.devices else ""

    def label_of(self, device: str) -> str:
        """The name of a device that was not measured here, such as that of a source."""
        return self._named(device, "")

    def _named(self, device: str, hardware: str) -> str:
        known = self.plan.devices.get(device)
        # Where a row has no label, the devices file gives it its own name.
        if known is None or known.label not in {"", device}:
            return label(known.label if known else device, MOST_LETTERS)
        # "x86_64" is no name of hardware.
        name = hardware if hardware and hardware != hardware.lower() else known.kind
        several = self._several_frameworks
        parts = differences(self._with_threads(device), named=several)
        if several or known.framework != TENSORFLOW:
            first = parts[:1] if mode_of(known, named=several) else []
            framework = " ".join([known.framework_name, *first])
            # An accelerator is named: its machine has a CPU, too.
            kinds = {device.kind for device in self.plan.devices.values()}
            names = [framework] if several and kinds == {"CPU"} else [name, framework]
            return label(", ".join([*names, *parts[len(first) :]]))
        return label(", ".join([name, *parts]))

    def title_on(self, device: str, machine: str) -> str:
        """The name of a device of one of several machines.

        The machine's fingerprint tells apart what hardware does not.
        """
        names = self._hardware.get(device, {})
        own = names.get(machine, "")
        title = self._named(device, own)
        if not machine or (own and list(names.values()).count(own) == 1 and own in title):
            return title if machine else self.title_of(device)
        where = own if own and list(names.values()).count(own) == 1 else label(machine, 12)
        return f"{title} on {where if where == own else f'machine {where}'}"

    @cached_property
    def _hardware(self) -> dict[str, dict[str, str]]:
        """Device → machine → what did the arithmetic there; empty where no driver names it."""
        by_device: dict[str, dict[str, str]] = {name: {} for name in self.plan.devices}
        units: dict[tuple[str, str], set[str]] = {}
        for row in self.results:
            record = self.record(row) if row.status != "skipped" else None
            if record is None or record.environment is None:
                continue
            kind = self.plan.devices[row.device].kind
            name = _hardware_of(record.environment, kind)
            by_device[row.device].setdefault(row.machine, name)
            if kind == "CPU":
                own = units.setdefault((row.device, row.machine), set())
                own.add(vector_name(record.environment) * (name in self.mixed))
        for (device, machine), own in units.items():
            if len(own) == 1 and all(own):
                by_device[device][machine] += f" ({own.pop()})"
        return by_device

    @cached_property
    def one_kind(self) -> str:
        """The kind of all its processors, whose brackets a title leaves out; empty of several."""
        on_cpus = (r for r in self.records.values() if r.cell.device_spec.kind == "CPU")
        kinds = [*processor_kinds(r.environment for r in on_cpus if r.environment)]
        return kinds[0] if len(kinds) == 1 else ""

    def with_kind(self, of: Subject) -> str:
        """The name of a CPU with its kind, which decides what a precision gains."""
        name, kind = self.name_at(of.device, of.machine, of.point), self.one_kind
        on_cpu = self.plan.devices[of.device].kind == "CPU" and not self._several_frameworks
        if not on_cpu or not kind or "," in name:
            return name
        return f"{name.replace(f' ({kind})', '')} with {kind}"

    def processor(self, beside: str, *sides: Subject) -> str:
        """What tells their one processor from others of the site, "AVX2", else its name.

        Args:
            beside: a text; empty where that has it.
            *sides: those of a comparison, or one alone.
        """
        names = {self._hardware[of.device].get(of.machine, "") for of in sides}
        plain = self.here.get(self.plan.devices[sides[0].device].kind, "")
        name = names.pop() if len(names) == 1 else plain
        own = name[len(plain) + 2 : -1] if plain else name
        return own * (own not in beside)

    @cached_property
    def margin(self) -> float:
        """Differences of that metric within this count as none: a claim says so, or 0.01."""
        agreed = quality_of(self.plan, self.results)
        return agreed.within if agreed and agreed.metric == self.quality else WITHIN

    @cached_property
    def parity(self) -> dict[tuple[str, str, Point], Agreement]:
        """Whether devices agree on that metric with the baseline, where it is a share."""
        known = any(self.quality in row.final for row in self.results)
        if not known or not is_share(self.quality):
            return {}
        asked = Quality(self.quality, self.margin)
        return {
            place: agreement(speedup.own.results, speedup.base.results, asked)
            for place, speedup in self._speedups.items()
            if speedup.base
        }

    @cached_property
    def shown_series(self) -> tuple[Series, ...]:
        """Series with at least one measured cell."""
        return tuple(
            series
            for series in self.series
            if any(self.measured(series, point) for point in self.points)
        )

    @cached_property
    def several_machines(self) -> bool:
        """Whether what was measured has a machine to be told apart from another one."""
        return len({series.machine for series in self.shown_series}) > 1

    @cached_property
    def shown_places(self) -> tuple[SeriesPoint, ...]:
        """Each of them at every sweep point."""
        return tuple((series, point) for series in self.shown_series for point in self.points)

    @cached_property
    def tried_series(self) -> tuple[Series, ...]:
        """Series with a cell that was begun: the columns of tables, failures among them.

        A device that was skipped everywhere, or not run, is told in one line of the page.
        """
        return tuple(
            series
            for series in self.series
            if any(
                row.status != "skipped" for point in self.points for row in self.of(series, point)
            )
        )

    def point_title(self, point: Point) -> str:
        """A sweep point in words: "batch size 256"; the word for "all" without axes."""
        return self.words_of_point(point) or "as specified"

    def point_name(self, point: Point) -> str:
        """The title of what is of one point; empty without axes, where nothing else is."""
        return self.point_title(point) if self.axes else ""

    def at(self, point: Point, joint: str = " at ") -> str:
        """The place of a number, to go behind it: " at batch size 256", " with the default kernel".

        Several settings, and those of a plural, are equations: " at layers = 3 and units = 64".
        Empty without axes. What the baseline fixes is in the name (`name_at`), not in the place.
        """
        held = self.plan.baseline.where
        rest = {axis: value for axis, value in self.values(point).items() if axis not in held}
        if joint == " at " and len(rest) == 1:
            ((axis, value),) = rest.items()
            title = axis_title(axis)
            if isinstance(value, str):
                return f" with the {label(setting(value), 40)} {title}"
            if not title.split()[0].endswith("s"):
                return f"{joint}{settings_text(rest)}"
        equal = "\xa0=\xa0" if joint == " at " else " "
        texts = [f"{axis_title(a)}{equal}{label(setting(v), 40)}" for a, v in rest.items()]
        return f"{joint}{listed(texts)}" if rest else ""

    def words_of_point(self, point: Point, skip: int = 0) -> str:
        """A sweep point in words, without its first axes."""
        pairs = list(zip(self.axes, point, strict=True))[skip:]
        return settings_text(dict(pairs), " · ")

    def point_header(self, point: Point) -> str:
        """A sweep point under a heading that names its one axis: "256"."""
        return label(setting(point[0]), 40) if len(self.axes) == 1 else self.point_title(point)

    @property
    def points_heading(self) -> str:
        """The heading over sweep points."""
        return axis_title(self.axes[0]) if len(self.axes) == 1 else "sweep point"

    @cached_property
    def _speedups(self) -> dict[tuple[str, str, Point], Speedup]:
        return {(row.device, row.machine, tuple(row.point.values())): row for row in self.compared}

    def speedup(self, series: Series, point: Point) -> Speedup | None:
        """The time of a device at a point beside the baseline's; None where there is no time."""
        own = self._speedups.get((series.device, series.machine, point))
        speedup = own or self._speedups.get((series.device, "", point))
        return speedup if speedup and speedup.own.timed else None

    def cell_page(self, row: Result) -> str:
        """Address of a cell's page from the site's root; empty where no process was begun."""
        return f"cells/{cell_slug(row.key, row.machine)}.html" if row.ran else ""

    def evidence(self, series: Series, point: Point) -> str:
        """Address, on the benchmark's page, of the cells behind a number."""
        return f"#{self.evidence_id(series, point)}" if self.planned(series, point) else ""

    def evidence_id(self, series: Series, point: Point) -> str:
        """Id of the group of cells behind a number."""
        return f"cells-{self.series.index(series)}-{self.points.index(point)}"

    @cached_property
    def cached_values(self) -> dict[Callable[[BenchmarkView], Any], Any]:
        """What functions marked with `cached_by_bench` made of it."""
        return {}


def _hardware_of(environment: Environment, kind: str) -> str:
    """What did the arithmetic; empty where no driver names it."""
    name = hardware_name(environment, kind)
    if kind == "TPU":
        name = environment.runtime.get("device_kind", "")
    return short_hardware(name) if name else ""


T = TypeVar("T")


def cached_by_bench(make: Callable[[BenchmarkView], T]) -> Callable[[BenchmarkView], T]:
    """A function whose value for a benchmark is made once, however many pages show it."""

    @wraps(make)
    def known(bench: BenchmarkView) -> T:
        if make not in bench.cached_values:
            bench.cached_values[make] = make(bench)
        value: T = bench.cached_values[make]
        return value

    return known


def cell_slug(key: str, machine: str) -> str:
    """File name of a cell's page, without the suffix."""
    return f"{slug(key)}.{slug(machine)}"


Times = dict[SeriesPoint, NDArray[np.float64]]
"""Seconds of steady steps, or calls, by device and point."""


def step_times(bench: BenchmarkView) -> tuple[Times, bool]:
    """Steady step times by device and point, in seconds, and whether each is one step's."""
    single: dict[tuple[str, str], list[float]] = {}
    means: dict[tuple[str, str], list[float]] = {}
    for record in bench.shown_records:
        place = record.key, record.machine
        for block in record.steady.blocks:
            whole = [block.wall_s / block.steps] if block.steps else []
            single.setdefault(place, []).extend(block.single_s)
            means.setdefault(place, []).extend(block.single_s or whole)
    exact = any(single.values())
    by_cell = single if exact else means
    times: Times = {}
    for at in bench.shown_places:
        seconds = [
            value
            for row in bench.measured(*at)
            for value in by_cell.get((row.key, row.machine), ())
        ]
        if seconds:
            times[at] = np.array(seconds)
    return times, exact


def views(plans: Sequence[PlanDocument], records: Iterable[Record]) -> list[BenchmarkView]:
    """Each plan with its records, whichever of them are its, without names of people and hosts."""
    in_order = sorted(records, key=lambda r: (r.key, r.machine))
    plans, in_order, _ = as_published(plans, in_order)
    by_key = grouped(in_order, lambda record: record.key)
    devices = {name: device for plan in plans for name, device in plan.devices.items()}
    colours = device_colours(devices)
    own = [[r for key in dict.fromkeys(c.key for c in plan.cells) for r in by_key.get(key, ())]
           for plan in plans]  # fmt: skip
    known = (record.environment for records_ in own for record in records_ if record.environment)
    by_name = grouped(known, lambda environment: short_hardware(environment.cpu))
    mixed = frozenset(name for name, own in by_name.items() if len(processor_kinds(own)) > 1)
    names: dict[str, set[str]] = {}
    for plan, plan_records in zip(plans, own, strict=True):
        for record in plan_records:
            way = plan.devices.get(record.cell.device)
            if way and record.environment and record.status != "skipped":
                names.setdefault(way.kind, set()).add(_hardware_of(record.environment, way.kind))
    here = {kind: name for kind, known in names.items() if len(known) == 1 for name in known}
    highest_tflops: dict[tuple[Processor, int], float] = {}
    for plan, plan_records in zip(plans, own, strict=True):
        sound = (
            r for r in plan_records if not refused(_recorded(r)) and not refused(impossible(r))
        )
        for place, rate in highest_rates(plan, sound).items():
            highest_tflops[place] = max(highest_tflops.get(place, 0.0), rate)
    return [
        BenchmarkView(
            plan,
            {(r.key, r.machine): r for r in plan_records},
            colours,
            mixed,
            here,
            highest_tflops=highest_tflops,
        )
        for plan, plan_records in zip(plans, own, strict=True)
    ]


def _recorded(record: Record) -> list[Recorded]:
    """The warnings of a record itself."""
    return [Recorded(warned.kind, nan, warned.message) for warned in record.warnings]


SUPPLIED = "user-supplied"
"""Origin of data whose files have not the published checksums."""


def records_of(benches: Iterable[BenchmarkView]) -> list[Record]:
    """The records of some benchmarks, each once."""
    return list({place: r for bench in benches for place, r in bench.records.items()}.values())


def measured_records(benches: Iterable[BenchmarkView]) -> list[Record]:
    """Those of them that hold numbers: what was skipped, or failed, was not measured."""
    return [record for record in records_of(benches) if record.measured]


def replaced_data(records: Iterable[Record]) -> list[str]:
    """Known data sets of which some records read other files than the official ones."""
    own = {r.data.dataset for r in records if r.data and r.data.origin == SUPPLIED}
    return sorted(name for name in own if name in CATALOGUE and CATALOGUE[name].files)
