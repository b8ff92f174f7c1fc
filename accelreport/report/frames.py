"""Frames as plain values, and statistics of the numbers that they hold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd

Rows = list[dict[str, Any]]
"""Rows of a frame as plain values."""


def plain_rows(frame: pd.DataFrame) -> Rows:
    """Rows of a frame as dictionaries with string keys."""
    return [{str(name): value for name, value in row.items()} for row in frame.to_dict("records")]


def median(values: Sequence[float]) -> float:
    """The median of the finite values; NaN without any."""
    known = sorted(value for value in values if present(value))
    if not known:
        return math.nan
    middle = len(known) // 2
    return known[middle] if len(known) % 2 else (known[middle - 1] + known[middle]) / 2


def mean(values: Sequence[float]) -> float:
    """The mean of the finite values; NaN without any."""
    known = [value for value in values if present(value)]
    return math.fsum(known) / len(known) if known else math.nan


def deviation(values: Sequence[float]) -> float:
    """The sample standard deviation of the finite values; NaN with fewer than two."""
    known = [value for value in values if present(value)]
    if len(known) < 2:
        return math.nan
    centre = mean(known)
    return math.sqrt(math.fsum((value - centre) ** 2 for value in known) / (len(known) - 1))


def present(value: Any) -> bool:
    """Whether a frame holds a finite number here."""
    return isinstance(value, int | float) and math.isfinite(value)
