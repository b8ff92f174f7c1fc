"""All benchmarks at once: one speedup each, their geometric mean, which device for what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf, nan, sqrt
from typing import Any

import numpy as np
import pandas as pd

from accelreport.analysis.intervals import (
    LEVEL,
    Term,
    compare,
    geometric_mean,
    logarithms,
)
from accelreport.analysis.selection import Measurements, Point, quantity
from accelreport.analysis.sequential import level_of
from accelreport.analysis.verdicts import Verdict, verdict
from accelreport.results.plan_document import PlanDocument


@dataclass(frozen=True)
class Benchmark:
    """A plan with its cells.

    Attributes:
        plan: what the spec said.
        cells: its `cells_frame`.
    """

    plan: PlanDocument
    cells: pd.DataFrame


MATRIX_COLUMNS = (
    "spec",
    "profile",
    "title",
    "device",
    "machine",
    "baseline",
    "points",
    "points_planned",
    "speedup",
    "low",
    "high",
    "n",
    "smallest",
    "largest",
    "baseline_seconds",
    "verdict",
    "reason",
)
"""Columns of `speedup_matrix`."""


def speedup_matrix(benchmarks: Sequence[Benchmark]) -> pd.DataFrame:
    """One row for each benchmark, device and machine: its speedup over the whole sweep.

    `speedup` is the geometric mean over the sweep points where both devices were measured
    (`points` of `points_planned`), with a 95 % interval over repeats; `smallest` and
    `largest` are those of single points; `baseline_seconds` is the geometric mean of the
    baseline's step times. `reason` says why there is no speedup.
    """
    rows = [row for each in benchmarks for row in _matrix_rows(each)]
    return pd.DataFrame(rows, columns=list(MATRIX_COLUMNS))


def _matrix_rows(benchmark: Benchmark) -> list[dict[str, Any]]:
    plan = benchmark.plan
    found = Measurements(benchmark.cells, list(plan.axes))
    points = found.points()
    rows = []
    for device in plan.devices:
        for machine in found.machines(device) or [""]:
            sums = [_terms(found, plan, device, machine, point) for point in points]
            known = [terms for terms in sums if terms]
            row: dict[str, Any] = {"spec": plan.spec, "profile": plan.profile, "title": plan.title}
            row |= {"device": device, "machine": machine, "baseline": plan.baseline}
            row |= {"points": len(known), "points_planned": len(points)}
            rows.append(row | _over_points(found, plan, device, known))
    return rows


def _terms(
    found: Measurements, plan: PlanDocument, device: str, machine: str, point: Point
) -> list[Term]:
    """The logarithm of the speedup at one point as terms; empty when it is not known."""
    own = logarithms(quantity(found.at(device, point, machine), "step_time"))
    base = logarithms(quantity(found.near(plan.baseline, point, machine), "step_time"))
    return [(1.0, base), (-1.0, own)] if own and base else []


def _over_points(
    found: Measurements, plan: PlanDocument, device: str, sums: list[list[Term]]
) -> dict[str, Any]:
    names = ("speedup", "low", "high", "smallest", "largest", "baseline_seconds")
    if not sums:
        why = found.why_not(plan.baseline if found.machines(device) else device)
        nothing: dict[str, Any] = dict.fromkeys(names, nan)
        return nothing | {"n": 0, "verdict": Verdict.NOT_MEASURED.value, "reason": why}
    whole = compare(*((weight / len(sums), logs) for terms in sums for weight, logs in terms))
    interval = whole.ratio(level_of(plan))
    single = [compare(*terms).ratio().value for terms in sums]
    base = geometric_mean([np.exp(np.mean(list(terms[0][1].values()))) for terms in sums])
    said = Verdict.BASELINE if device == plan.baseline else verdict(interval)
    return {
        "speedup": interval.value,
        "low": interval.low,
        "high": interval.high,
        "n": interval.n,
        "smallest": min(single),
        "largest": max(single),
        "baseline_seconds": base.value,
        "verdict": said.value,
        "reason": "" if interval.known else "one process gives no interval",
    }


MEAN_COLUMNS = ("device", "baseline", "benchmarks", "speedup", "low", "high", "level")
"""Columns of `geometric_means`."""


def geometric_means(matrix: pd.DataFrame, level: float = LEVEL) -> pd.DataFrame:
    """One row for each device: the geometric mean of its speedups over the benchmarks.

    `benchmarks` names those that entered; two devices are comparable only where these are
    the same. The interval is for these benchmarks, not for others: it holds the noise of
    the measurements, and no sampling of benchmarks.
    """
    rows = []
    known = matrix[(matrix["speedup"] > 0) & (matrix["speedup"] < inf)]
    for (device, baseline), group in known.groupby(["device", "baseline"], sort=False):
        if device == baseline:
            continue
        best = group.sort_values("n", ascending=False).drop_duplicates(["spec", "profile"])
        logs = np.log(best["speedup"].to_numpy(dtype=float))
        half = np.log(best["high"].to_numpy(dtype=float) / best["speedup"].to_numpy(dtype=float))
        # Independent benchmarks: their half-widths add as squares. Each came from a t on few
        # repeats, which makes the sum's interval a little wide rather than a little narrow.
        width = sqrt(float((half**2).sum())) / len(logs) if np.isfinite(half).all() else nan
        mean = float(logs.mean())
        rows.append(
            {
                "device": device,
                "baseline": baseline,
                "benchmarks": tuple(best["spec"]),
                "speedup": exp(mean),
                "low": exp(mean - width),
                "high": exp(mean + width),
                "level": level,
            }
        )
    return pd.DataFrame(rows, columns=list(MEAN_COLUMNS))
