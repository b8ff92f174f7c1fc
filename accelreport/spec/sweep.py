"""The sweep: which workload keys take which values, and what cannot be swept."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from accelreport.spec.base import Point, Scalar, dotted_fields, is_open, is_table, same
from accelreport.spec.diagnostics import Collector
from accelreport.spec.families import WorkloadKind
from accelreport.spec.positions import KeyPath
from accelreport.spec.problems import describe, did_you_mean, listed, quote
from accelreport.spec.source import leaves


@dataclass(frozen=True)
class Sweep:
    """The axes of a spec.

    Attributes:
        free: dotted workload keys whose values are combined with all others.
        zipped: keys that advance together; all have as many values.
        paths: where each key's list stands.
        broken: keys that are not axes because they, or their values, had problems.
    """

    free: dict[str, list[Scalar]] = field(default_factory=dict)
    zipped: dict[str, list[Scalar]] = field(default_factory=dict)
    paths: dict[str, KeyPath] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)

    @property
    def axes(self) -> dict[str, list[Scalar]]:
        """Every swept key and its values, in the order of the spec."""
        return {**self.free, **self.zipped}

    def __len__(self) -> int:
        """How many points there are: 1 without any axis."""
        steps = min((len(values) for values in self.zipped.values()), default=1)
        return math.prod(map(len, self.free.values())) * steps

    def points(self) -> Iterator[Point]:
        """Every point; the last free key varies fastest, the zipped ones faster still."""
        columns = zip(*self.zipped.values(), strict=True)
        rows = [dict(zip(self.zipped, row, strict=True)) for row in columns]
        for values in product(*self.free.values()):
            point = dict(zip(self.free, values, strict=True))
            yield from ({**point, **row} for row in rows or [{}])

    def element(self, axis: str, value: Scalar) -> KeyPath:
        """Where a value of an axis stands."""
        index = next(i for i, known in enumerate(self.axes[axis]) if same(known, value))
        return (*self.paths[axis], index)


def read_sweep(collector: Collector, family: WorkloadKind | None) -> Sweep:
    """The axes that can be swept, after the problems of the others were noted."""
    sweep = Sweep()
    raw = collector.view.data.get("sweep", {})
    if not isinstance(raw, dict):
        help_ = "write [sweep], and keys with their values under it"
        collector.wrong_type(("sweep",), "a table", raw, help_)
        return sweep
    if not raw and collector.view.has(("sweep",)):
        message = "this sweep has no key"
        collector.add(
            "empty-table", ("sweep",), message, help="give a key its values, or delete [sweep]"
        )
    for key, path, values in leaves(raw, ("sweep",)):
        if key == "zip":
            message = "`zip` is a table of the keys that advance together"
            help_ = "write [sweep.zip], and the keys with their values under it"
            collector.add("wrong-type", path, message, help=help_, at_key=True)
            continue
        axis = key.removeprefix("zip.")
        if values == "zip":
            # Other tools have a mode for this.
            help_ = "put the keys that advance together under [sweep.zip]"
            collector.add("unknown-axis", path, "a sweep has no mode", help=help_, at_key=True)
            continue
        known = not family or _is_sweepable(collector, axis, path, family)
        if axis in sweep.paths:
            also = [(sweep.paths[axis], "it is swept here")]
            message = f"`{axis}` is swept twice"
            collector.add("duplicate-key", path, message, at_key=True, also=also)
        elif known and _are_values(collector, axis, path, values):
            (sweep.free if axis == key else sweep.zipped)[axis] = values
            sweep.paths[axis] = path
        else:
            sweep.broken.add(axis)
    return _evened(collector, sweep)


def _evened(collector: Collector, sweep: Sweep) -> Sweep:
    """The sweep, without zipped keys that have more or fewer values than the first one."""
    for axis, values in list(sweep.zipped.items())[1:]:
        first, expected = next(iter(sweep.zipped.items()))
        if len(values) != len(expected):
            message = f"`{axis}` has {len(values)} values, and `{first}` has {len(expected)}"
            help_ = "keys under [sweep.zip] advance together: give each as many values"
            also = [(sweep.paths[first], f"the values of `{first}`")]
            collector.add("uneven-zip", sweep.paths[axis], message, help=help_, also=also)
            del sweep.zipped[axis], sweep.paths[axis]
            sweep.broken.add(axis)
    return sweep


def _is_sweepable(collector: Collector, axis: str, path: KeyPath, family: WorkloadKind) -> bool:
    fields = dict(dotted_fields(family.parameters))
    plain = axis.removeprefix("workload.")
    known = fields.get(axis)
    if axis == "kind":
        message, help_ = "`kind` cannot be swept", "write one spec for each kind of workload"
    elif axis == "mode" and known is not None:
        message, help_ = "`mode` cannot be swept", "write one spec for training, one for inference"
    elif known is not None and not is_table(known):
        return True
    elif known is not None:
        leaf = [name for name, item in fields.items() if not is_table(item)]
        inner = [f"`{name}`" for name in leaf if name.startswith(f"{axis}.")]
        message, help_ = f"`{axis}` is a table", f"sweep one of its keys: {listed(inner, 'or')}"
    elif plain != axis and plain in fields:
        message, help_ = "a swept key is named without `workload.`", f"write `{plain}`"
    elif any(is_open(item) and axis.startswith(f"{name}.") for name, item in fields.items()):
        return True
    else:
        message = f"`{axis}` is not a parameter of {family.kind}, so it cannot be swept"
        leaf_names = [name for name, item in fields.items() if not is_table(item)]
        last = [name for name in leaf_names if name.rpartition(".")[2] == axis]
        keys = listed([name for name in leaf_names if name != "kind"])
        help_ = f"did you mean `{last[0]}`?" if last else did_you_mean(plain, leaf_names)
        help_ = help_ or f"its parameters are {keys}"
    collector.add("unknown-axis", path, message, help=help_, at_key=True)
    return False


def _are_values(collector: Collector, axis: str, path: KeyPath, values: Any) -> bool:
    """Whether these are values an axis can take; what is wrong with them is noted."""
    if not isinstance(values, list):
        help_ = "" if isinstance(values, dict) else f"write [{quote(values)}]"
        collector.wrong_type(path, "a list of values", values, help_, name=axis)
        return False
    if not values:
        collector.add("empty", path, f"`{axis}` has no value to take", help="give it a value")
    seen: dict[tuple[bool, object], KeyPath] = {}
    good = [
        _is_value(collector, axis, (*path, index), value, seen)
        for index, value in enumerate(values)
    ]
    return bool(good) and all(good)


def _is_value(
    collector: Collector,
    axis: str,
    path: KeyPath,
    value: object,
    seen: dict[tuple[bool, object], KeyPath],
) -> bool:
    if not isinstance(value, bool | int | float | str):
        message = f"a value of `{axis}` must be a number, text or true/false, not "
        collector.add("wrong-type", path, message + describe(value))
        return False
    if isinstance(value, float) and not math.isfinite(value):
        message = f"a value of `{axis}` must be a finite number, not {value}"
        collector.add("wrong-value", path, message)
        return False
    first = seen.setdefault((isinstance(value, bool), value), path)
    if first != path:
        also = [(first, "it stands here already")]
        message = f"`{axis}` takes the value {quote(value)} twice"
        collector.add("duplicate-value", path, message, also=also)
    return first == path
