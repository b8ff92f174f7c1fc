"""One spec file under each of its profiles: whether its tables agree with each other."""

from __future__ import annotations

import copy
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pydantic import BaseModel

from accelreport.spec.base import Baseline, Point, Scalar, dotted_fields, is_open, matches, same
from accelreport.spec.cells import Cell, Spec
from accelreport.spec.claims import (
    BoundCheck,
    Claim,
    FasterCheck,
    TrendCheck,
)
from accelreport.spec.device import BatchError, Device, StoredDevice, require_shares, running_rows
from accelreport.spec.diagnostics import Collector
from accelreport.spec.families import Families, WorkloadKind, ignored, unsupported
from accelreport.spec.models import FIGURES, Measure
from accelreport.spec.parameters import TrainingParameters, WorkloadParameters
from accelreport.spec.problems import Problem, did_you_mean, listed, nearest, quote
from accelreport.spec.sections import ParsedSpec, Sweep, check_profiles, check_schema, read_tables
from accelreport.spec.source import FULL, SourceFile, whole, with_profile
from accelreport.spec.syntax import KeyPath, put_at

T = TypeVar("T", bound=BaseModel)

_KERNEL_ONLY = {"tflops_cold"}
_EVERYWHERE = {"step_time", "total_time", "throughput", "tflops", "speedup"}
_TRAINING_ONLY = set(FIGURES) - _KERNEL_ONLY - _EVERYWHERE

_QUANTITY_KEYS = (
    "rises",
    "falls",
    "ratio",
    "difference",
    "to",
    "value",
    "quantity",
    "equivalent",
)
"""Keys of a check that name a quantity."""

_DEVICE_KEYS = ("faster", "of", "over", "than")
"""Keys of a check that name a device."""


def check_devices(collector: Collector, parts: ParsedSpec, known: Collection[str]) -> None:
    """The devices exist, each is named once, and the baseline is among them.

    Args:
        collector: where problems are noted.
        parts: the spec.
        known: the devices file's devices; empty when they could not be read.
    """
    for index, name in enumerate(parts.devices or ()):
        path = ("devices", index)
        first = (parts.devices or []).index(name)
        if first != index:
            also = [(("devices", first), "first use")]
            collector.add("duplicate-value", path, f"{quote(name)} is named twice", also=also)
        elif known and name not in known:
            message = f"there is no device {quote(name)} in the devices file"
            near = nearest(name, known)
            parts.meant |= {near} if near else set()
            there = listed([quote(device) for device in sorted(known)])
            help_ = did_you_mean(name, known, quoted=True) or f"it has {there}"
            collector.add("unknown-device", path, message, help=help_)
    if parts.baseline is not None:
        _check_baseline(collector, parts, parts.baseline)


def _check_baseline(collector: Collector, parts: ParsedSpec, baseline: Baseline) -> None:
    """Its device is one of the spec's, and what it fixes is one value of the sweep for each point.

    Keys that advance together are fixed together: otherwise most points had no baseline.
    """
    path: KeyPath = ("baseline",)
    place = (*path, "device") if baseline.where else path
    _is_used(collector, parts, place, baseline.device, "the baseline ")
    before = len(collector.problems)
    _where(collector, parts, path, baseline.where)
    fixed = [axis for axis in parts.sweep.zipped if axis in baseline.where]
    free = [axis for axis in parts.sweep.zipped if axis not in baseline.where]
    if fixed and free:
        message = f"`{free[0]}` advances together with `{fixed[0]}`, and the baseline fixes one"
        collector.add("contradiction", path, message, help=f"fix `{free[0]}` in `baseline` as well")
    elif len(collector.problems) == before and not any(
        matches(point, baseline.where) for point in parts.sweep.points()
    ):
        message = "no point of this sweep has all values of the baseline"
        collector.add("unknown-value", path, message)


def check_published(collector: Collector, parts: ParsedSpec) -> None:
    """Rows speak of devices, axes and values that the spec has, each once."""
    rows: dict[tuple[str, str, str], int] = {}
    for index, row in parts.published.items():
        path: KeyPath = ("published", index)
        _is_used(collector, parts, (*path, "device"), row.device)
        if row.over and _is_used(collector, parts, (*path, "over"), row.over):
            _differ(collector, (*path, "over"), row.device, row.over)
        _where(collector, parts, (*path, "where"), row.where)
        _where(collector, parts, (*path, "over_where"), row.over_where)
        if row.speedup is not None:
            _fits(collector, parts, (*path, "quantity"), row.quantity)
        for figure in row.figures():
            _fits(collector, parts, (*path, figure), figure)
        first = rows.setdefault((row.device, row.label, repr(row.where)), index)
        if first != index:
            also = [(("published", first), "the earlier row for this device, label and point")]
            collector.add("duplicate-row", path, "this row repeats an earlier one", also=also)


def check_claims(collector: Collector, parts: ParsedSpec) -> None:
    """Claims speak of devices, axes and values that the spec has, each once."""
    texts: dict[str, int] = {}
    for index, claim in parts.claims.items():
        first = texts.setdefault(claim.text, index)
        if first != index:
            also = [(("claims", first, "text"), "first use")]
            path: KeyPath = ("claims", index, "text")
            collector.add("duplicate-value", path, "this claim is made twice", also=also)
        _check_claim(collector, parts, claim, ("claims", index, "check"))


def check_training_only(collector: Collector, parts: ParsedSpec) -> None:
    """Only a training has a learning curve whose target can be reached."""
    family, measure = parts.family, parts.measure
    called = _is_called(collector)
    if not family or not measure or (family.shape == "training" and not called):
        return
    subject = "a model in inference" if called else family.kind
    nothing = "has no accuracy" if family.shape == "step" else "trains nothing"
    if measure.target:
        message = f"{subject} {nothing}, so it cannot reach a target"
        also = [_workload(called=called)]
        collector.add("not-measured", ("measure", "target"), message, at_key=True, also=also)


def check_calls(collector: Collector, parts: ParsedSpec) -> None:
    """A spec of inference, or of a step of its own, must say how often to call it."""
    own = parts.family is not None and parts.family.shape == "step"
    given = parts.measure and "calls" in parts.measure.model_fields_set
    if parts.measure and (own or _is_called(collector)) and not given:
        what = "to run the step" if own else "to call the model"
        message = f"`calls` is missing: the number of times {what}, including the warm-up"
        help_ = "write calls = 1000 in [measure]; a 99th percentile needs at least a hundred"
        collector.add("missing-key", ("measure", "calls"), message, help=help_)


def _is_called(collector: Collector) -> bool:
    """Whether the model is only called (`mode = "inference"`)."""
    workload = collector.view.data.get("workload")
    return isinstance(workload, dict) and workload.get("mode") == "inference"


def _workload(*, called: bool) -> tuple[KeyPath, str]:
    return ("workload", "mode" if called else "kind"), "the workload"


def _valid_devices(
    parts: ParsedSpec, devices: Mapping[str, Device | None]
) -> Iterator[tuple[int, str, Device]]:
    """Index, name and row of each device of a spec whose row has no problems."""
    for index, name in enumerate(parts.devices or ()):
        if device := devices.get(name):
            yield index, name, device


def check_frameworks(
    collector: Collector,
    parts: ParsedSpec,
    family: WorkloadKind,
    devices: Mapping[str, Device | None],
    points: Sequence[WorkloadParameters],
) -> None:
    """Every device's framework can run the workload at every point, and all of its keys act.

    Args:
        collector: where problems are noted.
        parts: the spec.
        family: its workload's family.
        devices: the devices file's devices; None stands for one with problems of its own.
        points: the workload's parameters at each point.
    """
    for index, name, device in _valid_devices(parts, devices):
        refused = (unsupported(family, point, device) for point in points)
        reason = next((reason for reason in refused if reason), None)
        if reason is not None:
            message = f"{quote(name)} runs on {device.framework_name}, and {reason.why}"
            help_ = "remove this device" + (f", or write {reason.remedy}" if reason.remedy else "")
            where = parts.sweep.paths.get(reason.parameter, ("workload", reason.parameter))
            also = [(where, "the parameter that prevents this")]
            collector.add("framework", ("devices", index), message, help=help_, also=also)
            continue
        without = (ignored(family, point, device) for point in points)
        idle = next((key for key in without if key), None)
        if idle is not None:
            message = f"{quote(name)} sets `{idle.key}`, and {idle.why}"
            help_ = "take this device out" + (f", or {idle.remedy}" if idle.remedy else "")
            also = [(("workload", "kind"), "this does not act upon it")]
            collector.add("framework", ("devices", index), message, help=help_, also=also)


def check_batches(
    collector: Collector,
    parts: ParsedSpec,
    devices: Mapping[str, Device | None],
    points: Sequence[WorkloadParameters],
) -> None:
    """Replicas that are a device's own number share every batch evenly.

    Args:
        collector: where problems are noted.
        parts: the spec.
        devices: the devices file's devices; None stands for one with problems of its own.
        points: the workload's parameters at each point.
    """
    sizes = [point.batch_size for point in points if isinstance(point, TrainingParameters)]
    for index, name, device in _valid_devices(parts, devices):
        if device.strategy not in {"mirrored", "multi_worker_mirrored"}:
            continue
        try:
            for size in sizes:
                require_shares(size, device.all_replicas, quote(name))
        except BatchError as error:
            help_ = f"remove this device, or {error.remedy}"
            where = parts.sweep.paths.get("batch_size", ("workload", "batch_size"))
            also = [(where, "the examples of a step, over all replicas")]
            collector.add("batch", ("devices", index), error.what, help=help_, also=also)


def _check_claim(collector: Collector, parts: ParsedSpec, claim: Claim, path: KeyPath) -> None:
    check = claim.check
    for key in ("where", "over_where", "than_where"):
        _where(collector, parts, (*path, key), getattr(check, key, {}))
    for index, axis in enumerate(getattr(check, "mean_over", ())):
        place = (*path, "mean_over", index)
        if _axis(collector, parts, place, axis) is not None and axis in getattr(check, "where", {}):
            message = f"`{axis}` cannot be fixed while the claim takes the mean over it"
            collector.add("contradiction", place, message)
    for name in _QUANTITY_KEYS:
        if quantity := getattr(check, name, None):
            _fits(collector, parts, (*path, name), quantity)
    for key in _DEVICE_KEYS:
        if name := getattr(check, key, ""):
            _is_used(collector, parts, (*path, key), name)
    if isinstance(check, TrendCheck):
        _check_trend(collector, parts, check, path)
    # What is compared differs: in the device, the quantity or the point.
    if isinstance(check, TrendCheck) and "speedup" in {check.rises, check.falls}:
        _differ_from_base(collector, parts, check, path)
    if (
        isinstance(check, BoundCheck)
        and not (check.value or check.over_where)
        and check.to in {None, check.compared}
    ):
        # With `to` and without `over`, two quantities of the same device are compared.
        if check.to:
            _differ(collector, (*path, "of"), check.of, check.over or check.of)
        else:
            _differ_from_base(collector, parts, check, path)
    if isinstance(check, FasterCheck) and not check.than_where:
        _differ(collector, (*path, "than"), check.faster, check.than, "than")


def _check_trend(collector: Collector, parts: ParsedSpec, check: TrendCheck, path: KeyPath) -> None:
    values = _axis(collector, parts, (*path, "along"), check.along)
    if values is None:
        return
    where = (*path, "along")
    also = [(parts.sweep.paths[check.along], f"the values of `{check.along}`")]
    if any(isinstance(value, str | bool) for value in values):
        message = f"`{check.along}` is not a number, so nothing rises or falls along it"
        collector.add("no-order", where, message, also=also)
    elif len(values) < 2:
        message = f"`{check.along}` has one value, so nothing rises or falls along it"
        collector.add("no-order", where, message, also=also)
    if check.along in check.where:
        message = f"`{check.along}` cannot be fixed while the claim follows it"
        collector.add("contradiction", (*path, "where", check.along), message, at_key=True)


def _where(
    collector: Collector, parts: ParsedSpec, path: KeyPath, where: Mapping[str, Scalar]
) -> None:
    for axis, value in where.items():
        place = (*path, axis)
        values = _axis(collector, parts, place, axis, at_key=True)
        if values is not None and not any(same(value, known) for known in values):
            message = f"`{axis}` does not take the value {quote(value)} in this sweep"
            also = [(parts.sweep.paths[axis], f"the values of `{axis}`")]
            collector.add("unknown-value", place, message, also=also)


def _axis(
    collector: Collector, parts: ParsedSpec, path: KeyPath, axis: str, *, at_key: bool = False
) -> list[Scalar] | None:
    """The values of an axis, or None after it was noted that there is no such axis."""
    axes = parts.sweep.axes
    if axis in axes:
        return axes[axis]
    if axis in parts.sweep.broken:
        return None  # Its own problems were noted.
    help_ = did_you_mean(axis.removeprefix("workload."), axes)
    if not axes:
        help_ = "this spec has no [sweep]"
    elif not help_:
        help_ = f"the swept keys are {listed([f'`{name}`' for name in axes])}"
    message = f"`{axis}` is not swept"
    collector.add("unknown-axis", path, message, help=help_, at_key=at_key)
    return None


def _is_used(
    collector: Collector, parts: ParsedSpec, path: KeyPath, name: str, what: str = ""
) -> bool:
    if parts.devices is None or name in parts.devices or name in parts.meant:
        return True
    message = f"{what}{quote(name)} is not among the devices of this spec"
    help_ = did_you_mean(name, parts.devices, quoted=True)
    also = [(("devices",), "its devices")]
    collector.add("unknown-device", path, message, help=help_, also=also)
    return False


def _differ(
    collector: Collector, path: KeyPath, one: str, other: str | None, key: str = "over"
) -> None:
    if one == other:
        message = f"this compares {quote(one)} with itself"
        help_ = f"name another device in `{key}`"
        collector.add("contradiction", path, message, help=help_)


def _fits(collector: Collector, parts: ParsedSpec, path: KeyPath, quantity: str) -> None:
    """Only a training has epochs, and only a kernel has a cold rate."""
    family = parts.family
    if family is None:
        return
    called = _is_called(collector)
    wrong = _TRAINING_ONLY if family.shape == "kernel" else _KERNEL_ONLY
    if called or family.shape == "step":
        wrong = (_TRAINING_ONLY | _KERNEL_ONLY) - {"sample_time"}
    if quantity in wrong:
        message = f"{'a model in inference' if called else family.kind} has no `{quantity}`"
        also = [_workload(called=called)]
        collector.add("not-measured", path, message, at_key=path[-1] == quantity, also=also)


def _differ_from_base(
    collector: Collector, parts: ParsedSpec, check: TrendCheck | BoundCheck, path: KeyPath
) -> None:
    """No sweep point of a comparison is that of its base, unless a trend runs through it."""
    base = parts.baseline
    if base is None and parts.devices:
        base = Baseline(device=parts.devices[0])
    if check.over or base is None or not base.where:
        _differ(collector, (*path, "of"), check.of, check.over or (base.device if base else None))
        return
    held = check.where
    apart = any(key in held and not same(held[key], value) for key, value in base.where.items())
    through = isinstance(check, TrendCheck) and check.along in base.where
    if check.of == base.device and not (apart or through):
        key = next(iter(base.where))
        message = f"this compares {quote(check.of)} with itself where it is the baseline"
        help_ = f"give `{key}` another value than the baseline's in `where`"
        collector.add("contradiction", (*path, "of"), message, help=help_)


MOST_CELLS = 100_000
"""Cells of the largest spec: at a second each, more than a day."""


def base_workload(collector: Collector, parts: ParsedSpec) -> WorkloadParameters | None:
    """The family's parameters before the sweep.

    A parameter that only the sweep gives has the sweep's first value here.

    Returns:
        None after problems were noted, or where there is no family.
    """
    raw = collector.view.data.get("workload")
    if parts.family is None or not isinstance(raw, dict):
        return None
    absent = {
        axis: values[0]
        for axis, values in parts.sweep.axes.items()
        if not collector.view.has(("workload", *axis.split(".")))
    }
    return _resolved(collector, parts.family, raw, absent, parts.sweep)


def workloads(
    collector: Collector, parts: ParsedSpec, family: WorkloadKind
) -> list[tuple[Point, WorkloadParameters]]:
    """Every point of the sweep with its parameters, each checked by the family.

    The values of one axis after the other are tried first, so that a wrong one is reported
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
    return [
        (point, resolved)
        for point in sweep.points()
        if (resolved := _resolved(collector, family, raw, point, sweep)) is not None
    ]


def check_count(collector: Collector, parts: ParsedSpec) -> bool:
    """Whether the sweep is small enough to be expanded."""
    repeats = parts.measure.repeats if parts.measure else 1
    number = len(parts.sweep) * repeats * len(parts.devices or [""])
    if number <= MOST_CELLS:
        return True
    message = f"this spec defines {number:,} cells; at most {MOST_CELLS:,} are allowed"
    help_ = "take fewer values, or let keys advance together under [sweep.zip]"
    path: KeyPath = ("measure", "repeats")
    also = [(path, "the number of repeats")] if collector.view.has(path) else []
    collector.add("too-many-cells", ("sweep",), message, help=help_, also=also)
    return False


def expanded_cells(
    pairs: Sequence[tuple[Point, WorkloadParameters]],
    devices: Mapping[str, Device],
    measure: Measure,
    *,
    spec: str,
    profile: str,
    folder: str = "",
) -> Iterator[Cell]:
    """The cells of a spec: by point, then repeat, then device."""
    stored = {name: StoredDevice.model_validate(device) for name, device in devices.items()}
    for point, parameters in pairs:
        workload = parameters.model_dump(mode="json")
        for repeat in range(measure.repeats):
            for name, device in stored.items():
                cell = Cell(
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
                yield cell.typed(parameters)


def placed(raw: Mapping[str, Any], point: Mapping[str, Scalar]) -> dict[str, Any]:
    """The workload with the point's values at their dotted keys."""
    data: dict[str, Any] = copy.deepcopy(dict(raw))
    for axis, value in point.items():
        put_at(data, tuple(axis.split(".")), value)
    return data


def _resolved(
    collector: Collector, family: WorkloadKind, raw: Mapping[str, Any], point: Point, sweep: Sweep
) -> WorkloadParameters | None:
    """The family's parameters at a point, or None after problems were noted."""

    def origin(path: KeyPath) -> KeyPath:
        """A path in the workload as a path in the file: a swept value is in the sweep."""
        axis = ".".join(str(part) for part in path)
        return sweep.element(axis, point[axis]) if axis in point else ("workload", *path)

    return collector.checked(
        family.parameters,
        ("workload",),
        placed(raw, point),
        f"a parameter of {family.kind}",
        context={"folder": collector.view.file.path.parent},
        origin=origin,
    )


def _renamed(value: T, names: Mapping[str, str], keys: Iterable[str]) -> T:
    """A part of a spec in which the rows named by some of its keys have other names."""
    old = ((key, getattr(value, key, "")) for key in keys)
    return value.model_copy(update={key: names[row] for key, row in old if row in names})


@dataclass
class Examined:
    """A spec under one profile.

    Attributes:
        parts: its tables.
        base: the workload's parameters before the sweep.
        points: every point of the sweep with its parameters; empty after problems.
        problems: what is wrong.
    """

    parts: ParsedSpec = field(default_factory=ParsedSpec)
    base: WorkloadParameters | None = None
    points: list[tuple[Point, WorkloadParameters]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


class SpecFile:
    """A spec file and everything that is wrong with it.

    Args:
        file: the file as it was read.
        devices: the devices it may name; None stands for one with problems of its own.
        families: the families of workloads it may name.
        frameworks: those on which a row that names none may run, the preferred one first.
    """

    def __init__(
        self,
        file: SourceFile,
        devices: Mapping[str, Device | None],
        families: Families,
        frameworks: Sequence[str] = (),
    ) -> None:
        self.file = file
        self._families = families
        self._devices = devices
        self._frameworks = frameworks
        collector = Collector(whole(file))
        self.problems = list(file.syntax_problems())
        self.profiles: list[str] = []
        self.full = Examined(problems=collector.problems)
        if check_schema(collector):
            self.full = self._examine(collector, published=True)
            self.profiles = check_profiles(collector, self.full.parts)
        self._views = {FULL: self.full}
        self.problems += collector.problems
        for name in self.profiles:
            self.problems += self.under(name).problems

    def under(self, profile: str) -> Examined:
        """The spec under a profile; unchanged if it does not define that one."""
        if profile not in self.profiles:
            return self.full
        if profile not in self._views:
            view = with_profile(self.file, profile)
            self._views[profile] = self._examine(Collector(view, self.full.problems))
        return self._views[profile]

    def overridden(
        self, profile: str, overrides: Mapping[str, Scalar], added: Sequence[str] = ()
    ) -> Examined:
        """The spec under a profile, as the command line changes it.

        Args:
            profile: the profile.
            overrides: values, of which those count that the spec has.
            added: rows of the devices file beside those of the spec.
        """
        mine = {key: value for key, value in overrides.items() if self.takes(key, profile)}
        own = self.under(profile)
        if not (mine or added):
            return own
        view = with_profile(self.file, profile) if profile in self.profiles else whole(self.file)
        for key, value in mine.items():
            view.change(key, value, key)
        if added:
            origin = " ".join(f"--device {name}" for name in added)
            view.change("devices", [*(own.parts.devices or ()), *added], origin)
        return self._examine(Collector(view, [*self.full.problems, *own.problems]))

    def takes(self, key: str, profile: str) -> bool:
        """Whether a dotted key of the command line changes this spec under a profile.

        A swept key has its values from the sweep. In an open table, such as `options`, only the
        keys that the spec has are known.
        """
        parts = self.under(profile).parts
        head, _, rest = key.partition(".")
        if head == "workload" and parts.family:
            fields = dict(dotted_fields(parts.family.parameters))
            known = rest in fields or (
                any(
                    is_open(field) and rest.startswith(f"{name}.") for name, field in fields.items()
                )
                and whole(self.file).has(("workload", *rest.split(".")))
            )
            return known and rest not in parts.sweep.axes
        if head == "measure":
            return rest in {name for name, _ in dotted_fields(Measure)}
        return key == "baseline"

    def spec(self, examined: Examined, profile: str) -> Spec:
        """The spec as the rest of the program receives it; nothing may be wrong with it."""
        parts = examined.parts
        assert parts.measure is not None
        assert examined.base is not None
        own = self.under(profile).parts.devices or ()
        running = running_rows(
            {row: device for row, device in self._devices.items() if device},
            self._frameworks,
            {*(self.full.parts.devices or ()), *own},
            lambda device: (
                parts.family is not None
                and not any(
                    unsupported(parts.family, point, device) or ignored(parts.family, point, device)
                    for _, point in examined.points
                )
            ),
        )
        devices = dict(running[row] for row in parts.devices or () if row in running)
        names = {row: name for row, (name, _) in running.items() if name != row}
        name = self.file.path.stem
        baseline = parts.baseline or Baseline(device=(parts.devices or [""])[0])
        profile = profile if profile in self.profiles else FULL
        return Spec(
            name=name,
            path=self.file.path,
            text=self.file.text,
            profile=profile,
            title=parts.title,
            description=parts.description,
            source=parts.source,
            devices=devices,
            baseline=_renamed(baseline, names, ("device",)),
            parameters=examined.base,
            axes=parts.sweep.axes,
            measure=parts.measure,
            published=tuple(
                _renamed(row, names, ("device", "over")) for row in parts.published.values()
            ),
            claims=tuple(
                claim.model_copy(update={"check": _renamed(claim.check, names, _DEVICE_KEYS)})
                for claim in parts.claims.values()
            ),
            advice=tuple(parts.advice.values()),
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
            order=parts.order,
            rows={device: row for row, device in names.items() if device in devices},
            added=tuple(names.get(row, row) for row in parts.devices or () if row not in own),
        )

    def _examine(self, collector: Collector, *, published: bool = False) -> Examined:
        parts = read_tables(collector, self._families)
        examined = Examined(parts, problems=collector.problems)
        if not self.file.document.is_whole:
            return examined  # Lines that could not be read may belong to what would be reported.
        check_devices(collector, parts, self._devices)
        check_training_only(collector, parts)
        check_calls(collector, parts)
        if published:
            # A profile may sweep less than the figures and claims speak of.
            check_published(collector, parts)
            check_claims(collector, parts)
        examined.base = base_workload(collector, parts)
        if parts.family and check_count(collector, parts):
            examined.points = workloads(collector, parts, parts.family)
            points = [parameters for _, parameters in examined.points]
            check_frameworks(collector, parts, parts.family, self._devices, points)
            check_batches(collector, parts, self._devices, points)
        return examined
