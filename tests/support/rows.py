"""Rows of frames."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pandas as pd

from accelreport.analysis.results import results_of
from accelreport.analysis.speedup import rules_of, speedups_of
from accelreport.report.frames import results_frame, speedups_frame
from accelreport.results.plan_document import PlanDocument
from accelreport.results.record import Record


def speedup_rows(plan: PlanDocument, records: Iterable[Record], **rules: Any) -> pd.DataFrame:
    """The speedups over the baseline as they stand in speedups.csv, by rules that may differ."""
    results = results_of(plan, records)
    asked = replace(rules_of(plan, results), **rules)
    return speedups_frame(plan, speedups_of(plan, results, asked))


def the_row(frame: pd.DataFrame, **where: object) -> dict[str, Any]:
    """The one row with these values."""
    for name, value in where.items():
        frame = frame[frame[name] == value]
    (row,) = frame.to_dict("records")
    return {str(name): value for name, value in row.items()}


def cells_frame(plan: PlanDocument, records: Iterable[Record]) -> pd.DataFrame:
    """`results_frame` of what the records say of a plan."""
    return results_frame(plan, results_of(plan, records))
