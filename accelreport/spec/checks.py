"""What a spec's tables say of each other: devices, axes, published figures, claims."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from accelreport.spec.base import Scalar, same
from accelreport.spec.claims import (
    Check,
    Claim,
    DifferenceCheck,
    FasterCheck,
    RatioCheck,
    TrendCheck,
)
from accelreport.spec.device import Device
from accelreport.spec.diagnostics import Collector
from accelreport.spec.families import unsupported
from accelreport.spec.positions import KeyPath
from accelreport.spec.problems import did_you_mean, listed, nearest, quote
from accelreport.spec.sections import ParsedSpec

_TRAINING_ONLY = {
    "epoch_time",
    "first_epoch_time",
    "accuracy",
    "val_accuracy",
    "loss",
    "val_loss",
    "val_precision",
    "val_recall",
    "val_f1",
    "sample_time",
    "float32_bytes",
    "int8_bytes",
}
_KERNEL_ONLY = {"tflops_cold"}

_QUANTITY_KEYS = (
    "rises",
    "falls",
    "ratio",
    "quantity",
    "higher",
    "lower",
    "to",
    "value",
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
            also = [(("devices", first), "it is named here already")]
            collector.add("duplicate-value", path, f"{quote(name)} is named twice", also=also)
        elif known and name not in known:
            message = f"there is no device {quote(name)} in the devices file"
            near = nearest(name, known)
            parts.meant |= {near} if near else set()
            help_ = did_you_mean(name, known, quoted=True) or f"it has {_every(known)}"
            collector.add("unknown-device", path, message, help=help_)
    if parts.baseline is not None:
        _is_used(collector, parts, ("baseline",), parts.baseline, "the baseline ")


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
            also = [(("published", first), "this row is for the same device, label and point")]
            collector.add("duplicate-row", path, "this row was given before", also=also)


def check_claims(collector: Collector, parts: ParsedSpec) -> None:
    """Claims speak of devices, axes and values that the spec has, each once."""
    texts: dict[str, int] = {}
    for index, claim in parts.claims.items():
        first = texts.setdefault(claim.text, index)
        if first != index:
            also = [(("claims", first, "text"), "it stands here already")]
            path: KeyPath = ("claims", index, "text")
            collector.add("duplicate-value", path, "this claim is made twice", also=also)
        _check_claim(collector, parts, claim, ("claims", index, "check"))


def check_target(collector: Collector, parts: ParsedSpec) -> None:
    """Only a training has a learning curve whose target can be reached."""
    family, measure = parts.family, parts.measure
    called = _is_called(collector)
    if family and measure and measure.target and (called or family.shape != "training"):
        subject = "a model in inference" if called else family.kind
        nothing = "tells no accuracy" if family.shape == "step" else "trains nothing"
        message = f"{subject} {nothing}, so it reaches no target"
        also = [_workload(called=called)]
        collector.add("not-measured", ("measure", "target"), message, at_key=True, also=also)


def check_calls(collector: Collector, parts: ParsedSpec) -> None:
    """A model in inference, and a step, are called as often as somebody says."""
    own = parts.family is not None and parts.family.shape == "step"
    said = parts.measure and "calls" in parts.measure.model_fields_set
    if parts.measure and (own or _is_called(collector)) and not said:
        what = "the step is done" if own else "the model is called"
        message = f"`calls` is missing: how often {what}, the warm-up included"
        help_ = "write calls = 1000 in [measure]: a 99th percentile needs a hundred at least"
        collector.add("missing-key", ("measure", "calls"), message, help=help_)


def _is_called(collector: Collector) -> bool:
    """Whether the model is only called (`mode = "inference"`)."""
    workload = collector.view.data.get("workload")
    return isinstance(workload, dict) and workload.get("mode") == "inference"


def _workload(*, called: bool) -> tuple[KeyPath, str]:
    return ("workload", "mode" if called else "kind"), "the workload"


def check_frameworks(
    collector: Collector,
    parts: ParsedSpec,
    devices: Mapping[str, Device | None],
    resolved: Iterable[Mapping[str, Any]],
) -> None:
    """Every device's framework can run the workload at every point of the sweep.

    Args:
        collector: where problems are noted.
        parts: the spec.
        devices: the devices file's devices; None stands for one with problems of its own.
        resolved: the workload's parameters at each point.
    """
    points = list(resolved)
    for index, name in enumerate(parts.devices or ()):
        device = devices.get(name)
        if device is None or parts.family is None:
            continue
        refused = (unsupported(parts.family, point, device) for point in points)
        found = next((each for each in refused if each), None)
        if found is not None:
            message = f"{quote(name)} runs on {device.framework_name}, and {found.why}"
            help_ = "take this device out" + (f", or write {found.remedy}" if found.remedy else "")
            where = parts.sweep.paths.get(found.parameter, ("workload", found.parameter))
            also = [(where, "this it cannot run")]
            collector.add("framework", ("devices", index), message, help=help_, also=also)


def check_batches(
    collector: Collector,
    parts: ParsedSpec,
    devices: Mapping[str, Device | None],
    resolved: Iterable[Mapping[str, Any]],
) -> None:
    """Replicas that are a device's own number share every batch evenly.

    Args:
        collector: where problems are noted.
        parts: the spec.
        devices: the devices file's devices; None stands for one with problems of its own.
        resolved: the workload's parameters at each point.
    """
    sizes = [int(point["batch_size"]) for point in resolved if "batch_size" in point]
    for index, name in enumerate(parts.devices or ()):
        device = devices.get(name)
        if device is None or device.strategy not in {"mirrored", "multi_worker_mirrored"}:
            continue
        several = device.strategy == "multi_worker_mirrored"
        replicas = device.replicas * (device.workers if several else 1)
        wrong = next((size for size in sizes if size % replicas), None)
        if wrong is not None:
            message = f"the {replicas} replicas of {quote(name)} cannot share {wrong} examples"
            below = wrong // replicas * replicas
            near = " or ".join(str(size) for size in (below, below + replicas) if size)
            help_ = f"take this device out, or write batch_size = {near}"
            where = parts.sweep.paths.get("batch_size", ("workload", "batch_size"))
            also = [(where, "the examples of a step, over all replicas")]
            collector.add("batch", ("devices", index), message, help=help_, also=also)


def _check_claim(collector: Collector, parts: ParsedSpec, claim: Claim, path: KeyPath) -> None:
    check = claim.check
    for key in ("where", "over_where", "than_where"):
        _where(collector, parts, (*path, key), getattr(check, key, {}))
    for index, axis in enumerate(getattr(check, "mean_over", ())):
        _mean_over(collector, parts, axis, (*path, "mean_over", index), getattr(check, "where", {}))
    for name in _QUANTITY_KEYS:
        if quantity := getattr(check, name, None):
            _fits(collector, parts, (*path, name), quantity)
    for key in _DEVICE_KEYS:
        if name := getattr(check, key, ""):
            _is_used(collector, parts, (*path, key), name)
    if isinstance(check, TrendCheck):
        _trend(collector, parts, check, path)
    _compares_two(collector, parts, check, path)


def _compares_two(collector: Collector, parts: ParsedSpec, check: Check, path: KeyPath) -> None:
    """What is compared differs: in the device, the quantity or the point."""
    if isinstance(check, TrendCheck) and "speedup" in {check.rises, check.falls}:
        _differ(collector, (*path, "of"), check.of, check.over or _baseline(parts))
    if isinstance(check, RatioCheck) and check.to in {None, check.ratio} and not check.over_where:
        # With `to` and without `over`, two quantities of the same device are compared.
        other = check.over or (check.of if check.to else _baseline(parts))
        _differ(collector, (*path, "of"), check.of, other)
    if isinstance(check, FasterCheck) and not check.than_where:
        _differ(collector, (*path, "than"), check.faster, check.than, "than")
    if isinstance(check, DifferenceCheck) and not (check.to or check.than_where):
        _differ(collector, (*path, "than"), check.of, check.than, "than")


def _mean_over(
    collector: Collector, parts: ParsedSpec, axis: str, path: KeyPath, where: Mapping[str, Scalar]
) -> None:
    if _axis(collector, parts, path, axis) is not None and axis in where:
        message = f"`{axis}` cannot be held while the claim takes the mean over it"
        collector.add("contradiction", path, message)


def _trend(collector: Collector, parts: ParsedSpec, check: TrendCheck, path: KeyPath) -> None:
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
    elif check.starting_at is not None and check.starting_at not in values[:-1]:
        message = f"nothing rises or falls along `{check.along}` from {check.starting_at:g} on"
        help_ = "name one of its values, and not the last"
        collector.add("unknown-value", (*path, "starting_at"), message, help=help_, also=also)
    if check.along in check.where:
        message = f"`{check.along}` cannot be held while the claim follows it"
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


def _baseline(parts: ParsedSpec) -> str | None:
    return parts.baseline or (parts.devices[0] if parts.devices else None)


def _every(names: Collection[str]) -> str:
    return listed([quote(name) for name in sorted(names)])
