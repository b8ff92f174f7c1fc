"""One spec file, examined as it stands and under each of its profiles, and its points expanded."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from accelreport.spec.base import Point, Scalar, dotted_fields
from accelreport.spec.cells import Cell, Spec
from accelreport.spec.checks import (
    check_batches,
    check_calls,
    check_claims,
    check_devices,
    check_frameworks,
    check_published,
    check_target,
)
from accelreport.spec.device import Device
from accelreport.spec.diagnostics import Collector
from accelreport.spec.families import Families, WorkloadKind
from accelreport.spec.models import Measure
from accelreport.spec.positions import KeyPath
from accelreport.spec.problems import Problem
from accelreport.spec.sections import ParsedSpec, check_profiles, check_schema, read_tables
from accelreport.spec.source import FULL, SourceFile, View, whole, with_overrides, with_profile
from accelreport.spec.sweep import Sweep

MOST_CELLS = 100_000
"""Cells of the largest spec: at a second each, more than a day."""


def base_workload(collector: Collector, parts: ParsedSpec) -> dict[str, Any] | None:
    """The family's parameters before the sweep, as JSON values.

    A parameter that only the sweep gives has the sweep's first value here.

    Returns:
        None after problems were noted, or where there is no family.
    """
    raw = collector.view.data.get("workload")
    if parts.family is None or not isinstance(raw, dict):
        return None
    swept = {axis: values[0] for axis, values in parts.sweep.axes.items()}
    absent = {axis: value for axis, value in swept.items() if not collector.view.has(_path(axis))}
    return _resolved(collector, parts.family, raw, absent, parts.sweep)


def workloads(
    collector: Collector, parts: ParsedSpec, family: WorkloadKind
) -> list[tuple[Point, dict[str, Any]]]:
    """Every point of the sweep with its parameters, each checked by the family.

    The values of one axis after the other are tried first, so that a wrong one is told
    once and not once for each combination with the other axes.

    Returns:
        Nothing after problems were noted.
    """
    raw, sweep = collector.view.data["workload"], parts.sweep
    first = next(sweep.points())
    tried = [
        _resolved(collector, family, raw, {**first, axis: value}, sweep)
        for axis, values in sweep.axes.items()
        for value in values
    ]
    if None in tried:
        return []
    pairs = []
    for point in sweep.points():
        resolved = _resolved(collector, family, raw, point, sweep)
        if resolved is not None:
            pairs.append((point, resolved))
    return pairs


def cell_count(parts: ParsedSpec) -> int:
    """How many cells the spec asks for."""
    repeats = parts.measure.repeats if parts.measure else 1
    return len(parts.sweep) * repeats * len(parts.devices or [""])


def check_count(collector: Collector, parts: ParsedSpec) -> bool:
    """Whether the sweep is small enough to be expanded."""
    number = cell_count(parts)
    if number <= MOST_CELLS:
        return True
    message = f"this spec asks for {number:,} cells, and at most {MOST_CELLS:,} are allowed"
    help_ = "take fewer values, or let keys advance together under [sweep.zip]"
    also: list[tuple[KeyPath, str]] = [(("measure", "repeats"), "each is measured this often")]
    if not collector.view.has(("measure", "repeats")):
        also = []
    collector.add("too-many-cells", ("sweep",), message, help=help_, also=also)
    return False


def expanded_cells(
    pairs: list[tuple[Point, dict[str, Any]]],
    devices: Mapping[str, Device],
    measure: Measure,
    *,
    spec: str,
    profile: str,
    folder: str = "",
) -> Iterator[Cell]:
    """The cells of a spec: by point, then repeat, then device."""
    for point, workload in pairs:
        for repeat in range(measure.repeats):
            for name, device in devices.items():
                yield Cell(
                    spec=spec,
                    profile=profile,
                    device=name,
                    point=point,
                    repeat=repeat,
                    seed=measure.first_seed + repeat,
                    workload=workload,
                    device_spec=device,
                    measure=measure,
                    folder=folder,
                )


def placed(raw: Mapping[str, Any], point: Mapping[str, Scalar]) -> dict[str, Any]:
    """The workload with the point's values at their dotted keys."""
    data: dict[str, Any] = copy.deepcopy(dict(raw))
    for axis, value in point.items():
        *tables, key = axis.split(".")
        node = data
        for table in tables:
            inner = node.get(table)
            node[table] = node = inner if isinstance(inner, dict) else {}
        node[key] = value
    return data


def _resolved(
    collector: Collector, family: WorkloadKind, raw: Mapping[str, Any], point: Point, sweep: Sweep
) -> dict[str, Any] | None:
    """The family's parameters at a point as JSON values, or None after problems were noted."""
    resolved = collector.checked(
        family.parameters,
        ("workload",),
        placed(raw, point),
        f"a parameter of {family.kind}",
        context={"folder": collector.view.file.path.parent},
        origin=lambda path: _origin(path, point, sweep),
    )
    return resolved.model_dump(mode="json") if resolved else None


def _origin(path: KeyPath, point: Point, sweep: Sweep) -> KeyPath:
    """A path in the workload as a path in the file: a swept value stands in the sweep."""
    axis = ".".join(str(part) for part in path)
    return sweep.element(axis, point[axis]) if axis in point else ("workload", *path)


def _path(axis: str) -> KeyPath:
    return ("workload", *axis.split("."))


@dataclass
class Examined:
    """What one view of a spec came to.

    Attributes:
        parts: its tables.
        base: the workload's parameters before the sweep.
        points: every point of the sweep with its parameters; empty after problems.
        problems: what is wrong.
    """

    parts: ParsedSpec = field(default_factory=ParsedSpec)
    base: dict[str, Any] | None = None
    points: list[tuple[Point, dict[str, Any]]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


class SpecFile:
    """A spec file and everything that is wrong with it.

    Args:
        file: the file as it was read.
        devices: the devices it may name; None stands for one with problems of its own.
        families: the families of workloads it may name.
    """

    def __init__(
        self, file: SourceFile, devices: Mapping[str, Device | None], families: Families
    ) -> None:
        self.file = file
        self._families = families
        self._devices = devices
        collector = Collector(whole(file))
        self.problems = list(file.syntax_problems())
        self.profiles: list[str] = []
        self.full = Examined(problems=collector.problems)
        if check_schema(collector):
            self.full = self._examine(collector, published=True)
            self.profiles = check_profiles(collector, self.full.parts)
        self.problems += collector.problems
        for name in self.profiles:
            self.problems += self.under(name).problems

    @cached_property
    def _views(self) -> dict[str, Examined]:
        return {FULL: self.full}

    def under(self, profile: str) -> Examined:
        """The spec under a profile; as it stands when it does not define that one."""
        if profile not in self.profiles:
            return self.full
        if profile not in self._views:
            view = with_profile(self.file, profile)
            self._views[profile] = self._examine(Collector(view, self.full.problems))
        return self._views[profile]

    def overridden(self, profile: str, overrides: Mapping[str, Scalar]) -> Examined:
        """The spec under a profile, with those values of the command line that it has."""
        mine = {key: value for key, value in overrides.items() if self.takes(key)}
        if not mine:
            return self.under(profile)
        known = self.under(profile).problems
        view = with_overrides(self._view(profile), mine)
        return self._examine(Collector(view, [*self.full.problems, *known]))

    def takes(self, key: str) -> bool:
        """Whether a dotted key of the command line means something to this spec."""
        parts = self.full.parts
        head, _, rest = key.partition(".")
        if head == "workload" and parts.family:
            known = {name for name, _ in dotted_fields(parts.family.parameters)}
            return rest in known and rest not in parts.sweep.axes
        if head == "measure":
            return rest in {name for name, _ in dotted_fields(Measure)}
        return key == "baseline"

    def spec(self, examined: Examined, profile: str) -> Spec:
        """The spec as the rest of the program receives it; nothing may be wrong with it."""
        parts = examined.parts
        assert parts.measure is not None
        assert examined.base is not None
        named = parts.devices or []
        devices = {name: device for name in named if (device := self._devices[name])}
        profile = profile if profile in self.profiles else FULL
        name = self.file.path.stem
        return Spec(
            name=name,
            path=self.file.path,
            text=self.file.text,
            profile=profile,
            title=parts.title,
            description=parts.description,
            source=parts.source,
            devices=devices,
            baseline=parts.baseline or named[0],
            workload=examined.base,
            axes=parts.sweep.axes,
            measure=parts.measure,
            published=tuple(parts.published.values()),
            claims=tuple(parts.claims.values()),
            cells=tuple(
                expanded_cells(
                    examined.points,
                    devices,
                    parts.measure,
                    spec=name,
                    profile=profile,
                    folder=str(self.file.path.parent.absolute()),
                )
            ),
            only_named=parts.only_named,
        )

    def _view(self, profile: str) -> View:
        return with_profile(self.file, profile) if profile in self.profiles else whole(self.file)

    def _examine(self, collector: Collector, *, published: bool = False) -> Examined:
        parts = read_tables(collector, self._families)
        examined = Examined(parts, problems=collector.problems)
        if not self.file.document.is_whole:
            return examined  # What lines that could not be read say of others is not known.
        check_devices(collector, parts, self._devices)
        check_target(collector, parts)
        check_calls(collector, parts)
        if published:
            # A profile may sweep less than the figures and claims speak of.
            check_published(collector, parts)
            check_claims(collector, parts)
        examined.base = base_workload(collector, parts)
        if parts.family and check_count(collector, parts):
            examined.points = workloads(collector, parts, parts.family)
            resolved = [workload for _, workload in examined.points]
            check_frameworks(collector, parts, self._devices, resolved)
            check_batches(collector, parts, self._devices, resolved)
        return examined
