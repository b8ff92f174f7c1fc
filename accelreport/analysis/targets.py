"""Time to a quality: when each process reached the target, or that it never did."""

from __future__ import annotations

from math import nan
from typing import Any

import numpy as np
import pandas as pd

from accelreport.analysis.frames import rows_of
from accelreport.analysis.stats import geometric_mean
from accelreport.results.plan_document import PlanDocument
from accelreport.results.record import MEASURED
from accelreport.spec.models import Target

COLUMNS = (
    "key",
    "device",
    "machine",
    "repeat",
    "metric",
    "target",
    "direction",
    "reached",
    "epoch",
    "elapsed_s",
    "best",
    "last_epoch",
    "said",
)
"""Columns of `time_to_target`; the axes stand after `repeat`."""


def time_to_target(plan: PlanDocument, curves: pd.DataFrame, cells: pd.DataFrame) -> pd.DataFrame:
    """One row for each measured process: when it reached the target of `[measure]`.

    A process that never did is a row too, with `reached` False, NaN `epoch` and
    `elapsed_s`, and the best value it had. `elapsed_s` are timed training seconds up to the
    end of the first epoch that reached the target; `direction` is "at least" or "at most".
    Empty when the spec has no target.
    """
    axes = list(plan.axes)
    columns = [*COLUMNS[:4], *axes, *COLUMNS[4:]]
    target = plan.measure.target
    if target is None:
        return pd.DataFrame(columns=columns)
    of_metric = curves[curves["metric"] == target.metric]
    by_process = {
        names: rows.sort_values("epoch") for names, rows in of_metric.groupby(["key", "machine"])
    }
    empty = of_metric.iloc[:0]
    rows = [
        {name: row[name] for name in (*COLUMNS[:4], *axes)}
        | _crossing(by_process.get((row["key"], row["machine"]), empty), target)
        for row in rows_of(cells)
        if row["status"] in MEASURED
    ]
    return pd.DataFrame(rows, columns=columns)


def _crossing(curve: pd.DataFrame, target: Target) -> dict[str, Any]:
    rising = target.at_least is not None
    level = target.at_least if target.at_least is not None else target.at_most
    values = curve["value"].to_numpy(dtype=float)
    limit = nan if level is None else level
    there = values >= limit if rising else values <= limit
    reached = bool(there.any())
    first = int(np.argmax(there)) if reached else -1
    best = (np.nanmax if rising else np.nanmin)(values) if np.isfinite(values).any() else nan
    return {
        "metric": target.metric,
        "target": limit,
        "direction": "at least" if rising else "at most",
        "reached": reached,
        "epoch": float(curve["epoch"].iloc[first]) if reached else nan,
        "elapsed_s": float(curve["elapsed_s"].iloc[first]) if reached else nan,
        "best": float(best),
        "last_epoch": float(curve["epoch"].iloc[-1]) if len(curve) else nan,
        "said": "" if reached else ("never reached" if len(curve) else "no learning curve"),
    }


def target_summary(reached: pd.DataFrame, axes: list[str]) -> pd.DataFrame:
    """`time_to_target` by sweep point, device and machine.

    Columns: the axes, device, machine, n, reached, seconds, low, high (geometric mean over
    the processes that reached it, in seconds), epochs (their median), best. When some did
    not, the time is of those that did and flatters the device: `reached` < `n` says so.
    """
    rows = []
    names = [*axes, "device", "machine"]
    for values, group in reached.groupby(names, sort=False, dropna=False):
        there = group[group["reached"]]
        seconds = geometric_mean(there["elapsed_s"].tolist())
        best = group["best"].max() if group["direction"].iloc[0] == "at least" else None
        rows.append(
            dict(zip(names, values, strict=True))
            | {
                "n": len(group),
                "reached": len(there),
                "seconds": seconds.value,
                "low": seconds.low,
                "high": seconds.high,
                "epochs": there["epoch"].median(),
                "best": group["best"].min() if best is None else best,
            }
        )
    columns = [*names, "n", "reached", "seconds", "low", "high", "epochs", "best"]
    return pd.DataFrame(rows, columns=columns)
