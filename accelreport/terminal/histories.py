"""Steady times of a results folder as services that draw histories of benchmarks read them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from accelreport.analysis.results import quantity, results_of
from accelreport.analysis.speedup import Group, groups_of
from accelreport.analysis.stats import Interval, geometric_mean
from accelreport.results.store import Store
from accelreport.terminal.listings import records_of

NANOSECONDS = 1e9
"""Bencher's unit of its measure `latency`, in a second."""


def named_groups(store: Store) -> Iterator[tuple[str, Group]]:
    """Each device and sweep point with a time, behind a name that is the same from run to run.

    The machine is part of the name only where several machines measured the same.
    """
    for plan in store.plans():
        results = results_of(plan, records_of(store, {cell.key for cell in plan.cells}))
        groups = [group for group in groups_of(results) if group.timed]
        names = [
            " ".join(filter(None, (plan.spec, plan.profile, group.device, _point(group))))
            for group in groups
        ]
        often = Counter(names)
        for name, group in zip(names, groups, strict=True):
            yield (f"{name} {group.machine}" if often[name] > 1 else name), group


def _point(group: Group) -> str:
    known = ((axis, value) for axis, value in group.point.items() if value is not None)
    return ", ".join(f"{axis}={value}" for axis, value in known)


def bencher(groups: Sequence[tuple[str, Group]]) -> dict[str, Any]:
    """Bencher Metric Format: `latency` in ns, `throughput` and `energy-per-example` where known.

    https://bencher.dev/docs/reference/bencher-metric-format/
    """
    return {
        name: {
            "latency": _metric(group.seconds(), NANOSECONDS),
            **_known(group, "throughput"),
            **_known(group, "energy-per-example"),
        }
        for name, group in groups
    }


def _known(group: Group, name: str) -> dict[str, Any]:
    """A quantity by Bencher's name, which is ours with hyphens; empty where none is known."""
    values = [quantity(record, name.replace("-", "_")) for record in group.timed]
    interval = geometric_mean([value for value in values if value > 0])
    return {name: _metric(interval)} if interval.n else {}


def _metric(interval: Interval, scale: float = 1.0) -> dict[str, float]:
    ends = {"lower_value": interval.low, "upper_value": interval.high} if interval.known else {}
    return {name: value * scale for name, value in ({"value": interval.value} | ends).items()}


def github(groups: Sequence[tuple[str, Group]]) -> list[dict[str, Any]]:
    """What github-action-benchmark reads as `customSmallerIsBetter`: milliseconds of a step."""
    rows = []
    for name, group in groups:
        seconds = group.seconds()
        row: dict[str, Any] = {"name": name, "unit": "ms", "value": 1e3 * seconds.value}
        extra = [f"processes: {seconds.n}", f"machine: {group.machine}"]
        if seconds.known:
            row["range"] = f"{1e3 * (seconds.high - seconds.low) / 2:.4g}"
            extra.insert(
                0, f"95 % interval: {1e3 * seconds.low:.6g} to {1e3 * seconds.high:.6g} ms"
            )
        rows.append(row | {"extra": "\n".join(extra)})
    return rows


FORMATS: dict[str, Callable[[Sequence[tuple[str, Group]]], Any]] = {
    "bencher": bencher,
    "github": github,
}
"""Name of a format → what writes it."""
