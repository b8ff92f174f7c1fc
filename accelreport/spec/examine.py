"""One spec file, examined as it stands and under each of its profiles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from accelreport.spec.base import Scalar
from accelreport.spec.checks import (
    check_batches,
    check_claims,
    check_devices,
    check_frameworks,
    check_published,
    check_target,
)
from accelreport.spec.collect import Collector
from accelreport.spec.device import Device
from accelreport.spec.expand import base_workload, cells, check_count, workloads
from accelreport.spec.families import Families
from accelreport.spec.fields import dotted_fields
from accelreport.spec.models import Measure
from accelreport.spec.problems import Problem
from accelreport.spec.profiles import check_profiles
from accelreport.spec.sections import Parts, check_schema, read_parts
from accelreport.spec.source import SourceFile
from accelreport.spec.spec import Spec
from accelreport.spec.sweep import Point
from accelreport.spec.view import FULL, View, whole, with_overrides, with_profile


@dataclass
class Examined:
    """What one view of a spec came to.

    Attributes:
        parts: its tables.
        base: the workload's parameters before the sweep.
        points: every point of the sweep with its parameters; empty after problems.
        problems: what is wrong.
    """

    parts: Parts = field(default_factory=Parts)
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
            cells=tuple(cells(examined.points, devices, parts.measure, spec=name, profile=profile)),
        )

    def _view(self, profile: str) -> View:
        return with_profile(self.file, profile) if profile in self.profiles else whole(self.file)

    def _examine(self, collector: Collector, *, published: bool = False) -> Examined:
        parts = read_parts(collector, self._families)
        examined = Examined(parts, problems=collector.problems)
        if not self.file.document.is_whole:
            return examined  # What lines that could not be read say of others is not known.
        check_devices(collector, parts, self._devices)
        check_target(collector, parts)
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
