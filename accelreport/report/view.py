"""One benchmark as its pages see it: the plan, its records, and what analysis made of them.

Charts of the first benchmark are being drawn while the second one is analysed, and a benchmark
that is left as it was needs little of this.
"""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, wraps
from typing import Any, TypeVar

from accelreport.analysis.claim_rules import claim_results
from accelreport.analysis.claims import ClaimResult
from accelreport.analysis.compute import hardware_name
from accelreport.analysis.decision_map import KIND, DecisionMap, decision_map
from accelreport.analysis.learning import (
    WITHIN,
    Agreement,
    Quality,
    TargetTime,
    agreement,
    quality_of,
    target_times,
)
from accelreport.analysis.overview import Choice, choices
from accelreport.analysis.published import PublishedResult, published_results
from accelreport.analysis.results import Result, results_of
from accelreport.analysis.speedup import Scaling, Speedup, scaling_of, speedups_of
from accelreport.analysis.timed_sweeps import (
    LawPair,
    TimedSweep,
    law_pairs,
    measured_sweeps,
    published_sweeps,
)
from accelreport.report.formatting import present as present
from accelreport.report.formatting import setting
from accelreport.report.frames import not_refused
from accelreport.report.metrics import (
    Words,
    axis_title,
    is_share,
    learns,
    primary_metric,
    settings_text,
    words_of,
)
from accelreport.report.text import label, short_hardware, slug
from accelreport.report.theme import COLOURS, pattern
from accelreport.report.warning_text import failure_text
from accelreport.results.plan_document import PlanDocument
from accelreport.results.record import Record


def median(values: Sequence[float]) -> float:
    """The median of the finite values; NaN without any."""
    known = [value for value in values if present(value)]
    return statistics.median(known) if known else math.nan


def mean(values: Sequence[float]) -> float:
    """The mean of the finite values; NaN without any."""
    known = [value for value in values if present(value)]
    return math.fsum(known) / len(known) if known else math.nan


def deviation(values: Sequence[float]) -> float:
    """The sample standard deviation of the finite values; NaN with fewer than two."""
    known = [value for value in values if present(value)]
    if len(known) < 2:
        return math.nan
    centre = mean(known)
    return math.sqrt(math.fsum((value - centre) ** 2 for value in known) / (len(known) - 1))


MOST_LETTERS = 40
"""Of the name of a device."""
_COMMA = re.compile(r"^([^,]+), (.+)$")
Point = tuple[Any, ...]
"""Values of the axes, in the order of the spec."""


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
    pattern: int = 0
    """How its lines are dashed: machines share the device's colour and differ in this."""

    @property
    def css(self) -> str:
        """Name of the CSS custom property with its colour."""
        return f"s{self.colour % COLOURS}"


SeriesPoint = tuple[Series, Point]
"""A device and the sweep point at which it was measured."""


@dataclass(frozen=True)
class BenchmarkView:
    """A plan document with its records and all analyses of them, in the words of its page.

    Attributes:
        plan: what the spec said.
        records: its records, by (key, machine).
        colours: device → number of its colour, for the whole site.
    """

    plan: PlanDocument
    records: Mapping[tuple[str, str], Record]
    colours: Mapping[str, int]

    @cached_property
    def results(self) -> tuple[Result, ...]:
        """Every planned cell on every machine that has a record of it."""
        return results_of(self.plan, self.records.values())

    @cached_property
    def compared(self) -> tuple[Speedup, ...]:
        """`analysis.speedup.speedups_of`."""
        return speedups_of(self.plan, self.results)

    @cached_property
    def scaling(self) -> tuple[Scaling, ...]:
        """`analysis.speedup.scaling_of`."""
        return scaling_of(self.plan, self.results)

    @cached_property
    def choices(self) -> tuple[Choice, ...]:
        """`analysis.overview.choices`."""
        return choices(self.plan, self.results, self.compared)

    @cached_property
    def shown_records(self) -> list[Record]:
        """The records whose numbers may be shown."""
        return not_refused(self.records.values(), self.results)

    @cached_property
    def published_results(self) -> tuple[PublishedResult, ...]:
        """`analysis.published.published_results`."""
        return published_results(self.plan, self.results)

    @cached_property
    def timed_sweeps(self) -> tuple[TimedSweep, ...]:
        """`analysis.timed_sweeps`: what was measured, then what was published."""
        return (*measured_sweeps(self.plan, self.results), *published_sweeps(self.plan))

    @cached_property
    def law_pairs(self) -> tuple[LawPair, ...]:
        """`analysis.timed_sweeps.law_pairs`."""
        return tuple(law_pairs(self.timed_sweeps, self.compared))

    @cached_property
    def decision_map(self) -> DecisionMap | None:
        """`analysis.decision_map.decision_map`; None of what is no field of generated nets."""
        generated = self.plan.workload.get("kind") == KIND
        return decision_map(self.plan, self.choices) if generated else None

    @cached_property
    def target_times(self) -> tuple[TargetTime, ...]:
        """`analysis.learning.target_times`."""
        return target_times(self.plan, self.results, self.records.values())

    @cached_property
    def tested(self) -> tuple[ClaimResult, ...]:
        """`analysis.claim_rules.claim_results`."""
        return claim_results(self.plan, self.results, self.records.values())

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

    @cached_property
    def axes(self) -> tuple[str, ...]:
        """Names of the swept keys."""
        return tuple(self.plan.axes)

    @cached_property
    def points(self) -> tuple[Point, ...]:
        """Sweep points, each once, in the order of the spec."""
        found = (tuple(cell.point.get(axis) for axis in self.axes) for cell in self.plan.cells)
        return tuple(dict.fromkeys(found))

    @cached_property
    def _groups(self) -> dict[tuple[str, str, Point], list[Result]]:
        groups: dict[tuple[str, str, Point], list[Result]] = {}
        for row in self.results:
            groups.setdefault((row.device, row.machine, self.point_of(row)), []).append(row)
        return groups

    def point_of(self, row: Result) -> Point:
        """The sweep point of a cell."""
        return tuple(row.point.values())

    def of(self, series: Series, point: Point) -> Sequence[Result]:
        """Cells of one device at one point that have a record from its machine."""
        if not series.machine:
            return ()
        return self._groups.get((series.device, series.machine, point), ())

    def planned(self, series: Series, point: Point) -> Sequence[Result]:
        """The same, and the cells that no machine has a record of."""
        return (*self.of(series, point), *self._groups.get((series.device, "", point), ()))

    def measured(self, series: Series, point: Point) -> Sequence[Result]:
        """Those of them that hold times."""
        return [row for row in self.of(series, point) if row.measured]

    @cached_property
    def _rows_of_records(self) -> dict[tuple[str, str], Result]:
        return {(row.key, row.machine): row for row in self.results}

    def refusal(self, record: Record, machine: str) -> str:
        """Why the number of a record is not shown; empty where it is."""
        row = self._rows_of_records.get((record.key, machine))
        return failure_text(row) if row and row.refused else ""

    def record(self, row: Result) -> Record | None:
        """The record behind a row."""
        return self.records.get((row.key, row.machine))

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
        for name, found in machines.items():
            for number, machine in enumerate(sorted(found) or [""]):
                title = self.title_on(name, machine) if several else self.title_of(name)
                baseline = name == self.plan.baseline
                colour = self.colours[name]
                dashes = pattern(colour, number)
                yield Series(name, machine, title, colour, baseline, dashes)

    def title_of(self, device: str) -> str:
        """What a device is called on the page: "Tesla T4", "Intel Xeon", "Intel Xeon (one thread)".

        One that was measured has the name of its hardware for its kind, where that is one, is
        known and leaves room for what tells devices of that kind apart. Of the whole processor
        nothing more is said.
        """
        title, known = self.label_of(device), self.plan.devices.get(device)
        names = set(self._hardware.get(device, {}).values())
        if known is None or len(names) != 1 or self._several_frameworks:
            return title
        (name,) = names
        alike = [other for other, each in self.plan.devices.items() if each.kind == known.kind]
        longest = max(len(self.label_of(other)) for other in alike)
        # "x86_64" is no name of hardware.
        if name == name.lower() or longest - len(known.kind) + len(name) > MOST_LETTERS:
            return title
        return re.sub(rf"^{known.kind}\b(?: \(all threads\)$)?", lambda _: name, title)

    @cached_property
    def _several_frameworks(self) -> bool:
        return len({each.framework for each in self.plan.devices.values()}) > 1

    def label_of(self, device: str) -> str:
        """What the devices file calls a device; "CPU, one thread" is "CPU (one thread)".

        So it is called where it is not what was measured here: where it is absent, or a source's.
        Sentences put the name before words of their own, where a comma would mislead. Where
        devices run several frameworks, each name tells its own.
        """
        known = self.plan.devices.get(device)
        title = known.label if known and known.label else device
        if known and self._several_frameworks and known.framework_name.lower() not in title.lower():
            title = f"{title}, {known.framework_name}"
        title = label(title, MOST_LETTERS)
        return title if "(" in title else _COMMA.sub(r"\1 (\2)", title)

    def title_on(self, device: str, machine: str) -> str:
        """What a device of one of several machines is called: "Tesla T4", "CPU on Intel Xeon".

        The machine's fingerprint tells apart what hardware does not.
        """
        if not machine:
            return self.title_of(device)
        title = self.label_of(device)
        names = self._hardware[device]
        own = names.get(machine, "")
        plain = title == self.plan.devices[device].kind
        if own and list(names.values()).count(own) == 1:
            return own if plain else f"{title} on {own}"
        return f"{own if own and plain else title} on machine {label(machine, 12)}"

    @cached_property
    def _hardware(self) -> dict[str, dict[str, str]]:
        """Device → machine → what did the arithmetic there; empty where no driver names it."""
        found: dict[str, dict[str, str]] = {name: {} for name in self.plan.devices}
        for row in self.results:
            record = self.record(row) if row.status != "skipped" else None
            if record is None or record.environment is None:
                continue
            kind = self.plan.devices[row.device].kind
            name = hardware_name(record.environment, kind)
            if kind == "TPU":
                name = record.environment.runtime.get("device_kind", "")
            found[row.device].setdefault(row.machine, short_hardware(name) if name else "")
        return found

    @cached_property
    def quality(self) -> str:
        """The metric the page speaks of; empty for what learns nothing, such as a kernel."""
        if not learns(self.plan.workload):
            return ""
        epochs = (epoch for record in self.shown_records for epoch in record.epochs)
        evaluated = {name for epoch in epochs for name in epoch.metrics}
        return primary_metric(self.plan.measure.target, evaluated)

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
            place: agreement(found.own.results, found.base.results, asked)
            for place, found in self._speedups.items()
            if found.base
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
    def tried_series(self) -> tuple[Series, ...]:
        """Series with a cell that was begun: the columns of tables, failures among them.

        A device that was skipped everywhere, or not run yet, is told in one line of the page.
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
        """The place of a number, to go behind it: " at batch size 256"; empty without axes."""
        return f"{joint}{self.point_title(point)}" if self.axes else ""

    def values(self, point: Point) -> dict[str, Any]:
        """A sweep point by its axes."""
        return dict(zip(self.axes, point, strict=True))

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
        return {
            (each.device, each.machine, tuple(each.point.values())): each for each in self.compared
        }

    def speedup(self, series: Series, point: Point) -> Speedup | None:
        """The time of a device at a point beside the baseline's; None where there is no time."""
        own = self._speedups.get((series.device, series.machine, point))
        found = own or self._speedups.get((series.device, "", point))
        return found if found and found.own.timed else None

    def cell_page(self, row: Result) -> str:
        """Address of a cell's page from the site's root; empty where there is no record."""
        return f"cells/{cell_slug(row.key, row.machine)}.html" if row.machine else ""

    def evidence(self, series: Series, point: Point) -> str:
        """Address, on the benchmark's page, of the cells behind a number."""
        return f"#{self.evidence_id(series, point)}" if self.planned(series, point) else ""

    def evidence_id(self, series: Series, point: Point) -> str:
        """Id of the group of cells behind a number."""
        return f"cells-{self.series.index(series)}-{self.points.index(point)}"

    @cached_property
    def made(self) -> dict[Callable[[BenchmarkView], Any], Any]:
        """What functions marked with `once` made of it."""
        return {}


Made = TypeVar("Made")


def once(make: Callable[[BenchmarkView], Made]) -> Callable[[BenchmarkView], Made]:
    """A function whose value for a benchmark is made once, however many pages show it."""

    @wraps(make)
    def known(bench: BenchmarkView) -> Made:
        if make not in bench.made:
            bench.made[make] = make(bench)
        value: Made = bench.made[make]
        return value

    return known


def cell_slug(key: str, machine: str) -> str:
    """File name of a cell's page, without the suffix."""
    return f"{slug(key)}.{slug(machine)}"
