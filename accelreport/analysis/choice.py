"""Which device for what, from what was measured: the fastest, its rivals, the cheapest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
import pandas as pd

from accelreport.analysis.intervals import compare, logarithms
from accelreport.analysis.overview import Benchmark
from accelreport.analysis.selection import Measurements, Point, quantity
from accelreport.analysis.verdicts import Verdict, verdict
from accelreport.results.plan_document import PlanDocument

BEST_COLUMNS = (
    "spec",
    "profile",
    "title",
    "point",
    "best",
    "machine",
    "seconds",
    "decided",
    "ties",
    "runner_up",
    "factor",
    "low",
    "high",
    "cheapest",
    "cost_per_million_steps",
    "currency",
)
"""Columns of `best_devices`."""


def best_devices(benchmarks: Sequence[Benchmark]) -> pd.DataFrame:
    """One row for each benchmark and sweep point: which device to use, from what was measured.

    `best` has the least steady step time; `factor` is how many times faster it is than
    `runner_up`, with its interval; `ties` are devices it was not shown to be faster than,
    and it is `decided` when there is none. `cheapest` has the least price for each step
    among the devices with a `price_per_hour`. Points at which one device alone was
    measured decide nothing and have no `runner_up`.
    """
    rows = []
    for benchmark in benchmarks:
        plan = benchmark.plan
        found = Measurements(benchmark.cells, list(plan.axes))
        common = {"spec": plan.spec, "profile": plan.profile, "title": plan.title}
        for point in found.points():
            ranked = _ranked(found, plan, point)
            if ranked:
                rows.append(common | {"point": point} | _best(plan, ranked))
    return pd.DataFrame(rows, columns=list(BEST_COLUMNS))


@dataclass(frozen=True)
class _Candidate:
    device: str
    machine: str
    seconds: float
    logs: Mapping[Any, float]


def _ranked(found: Measurements, plan: PlanDocument, point: Point) -> list[_Candidate]:
    candidates = []
    for device in plan.devices:
        for machine in found.machines(device):
            logs = logarithms(quantity(found.at(device, point, machine), "step_time"))
            if logs:
                seconds = float(np.exp(np.mean(list(logs.values()))))
                candidates.append(_Candidate(device, machine, seconds, logs))
    return sorted(candidates, key=lambda each: each.seconds)


def _best(plan: PlanDocument, ranked: list[_Candidate]) -> dict[str, Any]:
    first, others = ranked[0], ranked[1:]
    against = [compare((1.0, other.logs), (-1.0, first.logs)).ratio() for other in others]
    ties = tuple(
        other.device
        for other, interval in zip(others, against, strict=True)
        if verdict(interval) is not Verdict.FASTER
    )
    row: dict[str, Any] = {
        "best": first.device,
        "machine": first.machine,
        "seconds": first.seconds,
        "decided": bool(others) and not ties,
        "ties": ties,
        "runner_up": others[0].device if others else "",
        "factor": against[0].value if against else nan,
        "low": against[0].low if against else nan,
        "high": against[0].high if against else nan,
    }
    return row | _cheapest(plan, ranked)


def _cheapest(plan: PlanDocument, ranked: list[_Candidate]) -> dict[str, Any]:
    priced = [
        (each.seconds * device.price_per_hour / 3600 * 1e6, each.device, device.currency)
        for each in ranked
        if (device := plan.devices[each.device]).price_per_hour is not None
    ]
    if len(priced) < 2 or len({currency for _, _, currency in priced}) > 1:
        return {"cheapest": "", "cost_per_million_steps": nan, "currency": ""}
    cost, name, currency = min(priced)
    return {"cheapest": name, "cost_per_million_steps": cost, "currency": currency}
