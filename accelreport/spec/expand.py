"""From a workload and its sweep to the checked parameters of every point."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any

from accelreport.spec.cells import Cell
from accelreport.spec.collect import Collector
from accelreport.spec.families import Family
from accelreport.spec.models import Device, Measure, Scalar
from accelreport.spec.positions import KeyPath
from accelreport.spec.sections import Parts
from accelreport.spec.sweep import Point, Sweep

MOST_CELLS = 100_000
"""Cells of the largest spec: at a second each, more than a day."""


def base_workload(collector: Collector, parts: Parts) -> dict[str, Any] | None:
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
    collector: Collector, parts: Parts, family: Family
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


def count(parts: Parts) -> int:
    """How many cells the spec asks for."""
    repeats = parts.measure.repeats if parts.measure else 1
    return len(parts.sweep) * repeats * len(parts.devices or [""])


def check_count(collector: Collector, parts: Parts) -> bool:
    """Whether the sweep is small enough to be expanded."""
    number = count(parts)
    if number <= MOST_CELLS:
        return True
    message = f"this spec asks for {number:,} cells, and at most {MOST_CELLS:,} are allowed"
    help_ = "take fewer values, or let keys advance together under [sweep.zip]"
    also: list[tuple[KeyPath, str]] = [(("measure", "repeats"), "each is measured this often")]
    if not collector.view.has(("measure", "repeats")):
        also = []
    collector.add("too-many-cells", ("sweep",), message, help=help_, also=also)
    return False


def cells(
    pairs: list[tuple[Point, dict[str, Any]]],
    devices: Mapping[str, Device],
    measure: Measure,
    *,
    spec: str,
    profile: str,
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
    collector: Collector, family: Family, raw: Mapping[str, Any], point: Point, sweep: Sweep
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
