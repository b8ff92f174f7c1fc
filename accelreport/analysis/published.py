"""Somebody else's figures beside what was measured here; never mixed into a statistic."""

from __future__ import annotations

from math import nan
from typing import Any

import pandas as pd

from accelreport.analysis.flags import flags_of
from accelreport.analysis.intervals import NOTHING, Interval, geometric_mean, mean, ratio
from accelreport.analysis.selection import (
    FINAL_QUANTITIES,
    Measurements,
    Point,
    Row,
    quantity,
)
from accelreport.results.plan_document import PlanDocument
from accelreport.spec.models import Published, Source

COLUMNS = (
    "device",
    "label",
    "where",
    "point",
    "machine",
    "figure",
    "published",
    "measured",
    "low",
    "high",
    "n",
    "ratio",
    "over",
    "comparable",
    "mark",
    "note",
    "caveat",
    "flags",
    "source",
    "source_url",
    "imported",
)
"""Columns of `published_frame`."""


def published_frame(plan: PlanDocument, cells: pd.DataFrame) -> pd.DataFrame:
    """One row for each published figure, sweep point it speaks of, and machine.

    A figure nothing was measured for is one row with machine "" and NaN. Times are in
    seconds, accuracies are fractions; `measured` is a geometric mean over processes for
    times, rates and speedups, an arithmetic mean for accuracies and losses, with its 95 %
    interval. `ratio` is measured over published. `caveat` says what makes the measured side
    unlike the published one; `flags` are contradictions within the published figures
    themselves, found by the rules of `flags`. `source` says who published the figure, the row's
    own source before the spec's; `imported` is the file it was imported from.
    """
    found = Measurements(cells, list(plan.axes))
    rows = [
        row
        for published in plan.published
        for figure, value in published.figures().items()
        for row in _rows(plan, found, published, figure, value)
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def citation(source: Source | None) -> str:
    """A source in a line: "Title (authors, year); licence; read 2026-05-31"; empty without one."""
    if source is None:
        return ""
    by = ", ".join(part for part in (source.authors, str(source.year or "")) if part)
    read = f"read {source.accessed}" if source.accessed else ""
    parts = (f"{source.title} ({by})" if by else source.title, source.licence, read)
    return "; ".join(part for part in parts if part)


def _rows(
    plan: PlanDocument, found: Measurements, published: Published, figure: str, value: float
) -> list[dict[str, Any]]:
    over = (published.over or plan.baseline) if figure == "speedup" else ""
    source = published.source or plan.source
    common: dict[str, Any] = {
        "device": published.device,
        "label": published.label,
        "where": dict(published.where),
        "figure": figure,
        "published": value,
        "over": over,
        "comparable": published.comparable,
        "mark": published.mark,
        "note": published.note,
        "flags": flags_of(plan, published, figure),
        "source": citation(source),
        "source_url": source.url if source else "",
        "imported": published.imported,
    }
    matching = found.points(published.where) or [dict(published.where)]
    rows = []
    for point in matching:
        for machine in found.machines(published.device):
            rows += _measured(found, published, figure, value, point, machine, over)
    if not rows:
        point = matching[0] if len(matching) == 1 else dict(published.where)
        rows = [_numbers(NOTHING, value) | {"machine": "", "point": point, "caveat": ""}]
    return [common | row for row in rows]


def _measured(
    found: Measurements,
    published: Published,
    figure: str,
    value: float,
    point: Point,
    machine: str,
    over: str,
) -> list[dict[str, Any]]:
    rows = found.at(published.device, point, machine)
    estimate = _estimate(found, rows, figure, point, machine, over)
    if not estimate.n:
        return []
    caveat = _caveat(rows, figure)
    return [_numbers(estimate, value) | {"machine": machine, "point": point, "caveat": caveat}]


def _estimate(
    found: Measurements, rows: list[Row], figure: str, point: Point, machine: str, over: str
) -> Interval:
    if figure == "speedup":
        base = found.near(over, point, machine)
        return ratio(quantity(base, "step_time"), quantity(rows, "step_time"))
    values = list(quantity(rows, figure).values())
    return mean(values) if figure in FINAL_QUANTITIES else geometric_mean(values)


def _numbers(estimate: Interval, published: float) -> dict[str, float]:
    return {
        "measured": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "n": estimate.n,
        "ratio": estimate.value / published if published else nan,
    }


def _caveat(rows: list[Row], figure: str) -> str:
    said = []
    if figure == "total_time" and any(row["total_extrapolated"] for row in rows):
        said.append("extrapolated from the steady steps")
    if any(row["origin"] == "synthetic" for row in rows):
        said.append("measured on a synthetic stand-in for the data")
    return "; ".join(said)
