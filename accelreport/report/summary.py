"""A device over all sweep points of a benchmark, as one factor and its range."""

from __future__ import annotations

import math
from dataclasses import dataclass

from accelreport.report.bench import Bench, Series, present


@dataclass(frozen=True)
class Summary:
    """Over the sweep points that have a number.

    Attributes:
        count: how many those are.
        speedup: geometric mean of the speedups.
        least: smallest speedup.
        most: largest speedup.
        least_seconds: shortest steady time.
        most_seconds: longest steady time.
    """

    count: int
    speedup: float
    least: float
    most: float
    least_seconds: float
    most_seconds: float


def summarised(bench: Bench, series: Series) -> Summary | None:
    """The summary of a device; None where it has no speedup at all.

    The geometric mean is the only mean under which "twice as fast" and "half as fast"
    cancel (Fleming and Wallace 1986). The range is a range, not an interval.
    """
    rows = [row for point in bench.points if (row := bench.speedup(series, point))]
    known = [row for row in rows if present(row["speedup"]) and present(row["seconds"])]
    if not known:
        return None
    factors = [float(row["speedup"]) for row in known]
    seconds = [float(row["seconds"]) for row in known]
    mean = math.exp(math.fsum(math.log(factor) for factor in factors) / len(factors))
    return Summary(len(known), mean, min(factors), max(factors), min(seconds), max(seconds))
