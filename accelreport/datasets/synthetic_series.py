"""Synthetic series: a year, a day, and weather that passes from column to column.

A few slow random processes (first-order autoregressive, with memories from hours to days)
stand for fronts. Each column follows some of them with its own delay, beside its own yearly
and daily course, so that what comes a day later can be told in part.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

_FRONTS = 6
_HOURS_IN_YEAR = 8766
_CONCEPT_SEED = 19_800_301
_DELAY = 36


def make_table(
    columns: list[str], rows: int, seed: int, *, flags: int = 0, start: str = "2010-01-01"
) -> pd.DataFrame:
    """Make hourly series.

    Args:
        columns: their names.
        rows: hours.
        seed: the seed; the same seed gives the same series.
        flags: how many of the last columns hold only 0 and 1, exactly one of them 1 in
            each row.
        start: time of the first row.

    Returns:
        float64 [rows, columns], with hourly times as its index.
    """
    concept = np.random.default_rng(_CONCEPT_SEED)  # the same climate, whatever the seed
    fronts = _fronts(rows + _DELAY, np.random.default_rng([seed, 0]))
    noise = np.random.default_rng([seed, 1])
    hours = np.arange(rows)
    values = np.empty((rows, len(columns)))
    for number in range(len(columns)):
        weights = concept.normal(0, 0.5, _FRONTS)
        delays = concept.integers(0, _DELAY, _FRONTS)
        year, day = concept.uniform(0, 2 * np.pi, 2)
        level, span = concept.uniform(-10, 30), concept.uniform(2, 12)
        course = 1.2 * np.sin(2 * np.pi * hours / _HOURS_IN_YEAR + year)
        course += 0.4 * np.sin(2 * np.pi * hours / 24 + day)
        for front, weight, delay in zip(fronts, weights, delays, strict=True):
            course += weight * front[_DELAY - delay : _DELAY - delay + rows]
        course += 0.15 * noise.standard_normal(rows)
        values[:, number] = level + span * course
    if flags:
        highest = values[:, -flags:].argmax(axis=1)
        values[:, -flags:] = np.eye(flags)[highest]
    times = pd.date_range(start, periods=rows, freq="h")
    return pd.DataFrame(values, index=times, columns=columns)


def _fronts(rows: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Processes of unit variance, float64 [fronts, rows]."""
    from scipy.signal import lfilter

    memory = np.exp(-1 / np.geomspace(8, 120, _FRONTS))
    shocks = rng.standard_normal((_FRONTS, rows)) * np.sqrt(1 - memory**2)[:, None]
    return np.stack([lfilter([1.0], [1.0, -m], row) for m, row in zip(memory, shocks, strict=True)])
