"""Whether a quantised model classifies as well as the one it was made from.

Both classify the same examples, so only those count on which they disagree: McNemar's test
in its exact form (Q. McNemar 1947; M. W. Fagerland, S. Lydersen, P. Laake 2013), and for the
difference the adjusted Wald interval of D. G. Bonett and R. M. Price (2012).
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from math import nan, sqrt
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtri

from accelreport.results.record import Precision, Quantised, Record

LEVEL = 0.95
"""Confidence level of the interval; the test decides at 1 − LEVEL."""


class Change(StrEnum):
    """What quantisation did to the accuracy of one trained model."""

    WORSE = "WORSE"
    BETTER = "BETTER"
    NOT_SHOWN = "NO DIFFERENCE SHOWN"


COLUMNS = (
    "key",
    "device",
    "machine",
    "repeat",
    "examples",
    "float32_bytes",
    "int8_bytes",
    "size_ratio",
    "float32_latency_s",
    "int8_latency_s",
    "latency_ratio",
    "float32_accuracy",
    "int8_accuracy",
    "float32_only",
    "int8_only",
    "difference",
    "low",
    "high",
    "p",
    "verdict",
)
"""Columns of `quantised_frame`."""


def mcnemar(float32_only: int, int8_only: int) -> float:
    """The exact two-sided p-value of McNemar's test.

    Were both models equally good, each example on which they disagree would fall to either
    side like a fair coin, so this is the binomial test of one half.

    Args:
        float32_only: examples that only the first model classifies rightly.
        int8_only: examples that only the second model classifies rightly.
    """
    disagreements = float32_only + int8_only
    if not disagreements:
        return 1.0
    # Half a second to import, for the few reports that quantise anything.
    from scipy.stats import binomtest

    return float(binomtest(float32_only, disagreements, 0.5).pvalue)


def difference(float32_only: int, int8_only: int, examples: int) -> tuple[float, float, float]:
    """Accuracy of the second model minus the first's, and its interval at `LEVEL`.

    Bonett and Price: with p = (float32_only + 1)/(n + 2) and q = (int8_only + 1)/(n + 2),
    q − p ± z · √((p + q − (q − p)²)/(n + 2)).

    Returns:
        The difference that was seen, and both ends of its interval.
    """
    p, q = (float32_only + 1) / (examples + 2), (int8_only + 1) / (examples + 2)
    half = float(ndtri((1 + LEVEL) / 2)) * sqrt((p + q - (q - p) ** 2) / (examples + 2))
    return (int8_only - float32_only) / examples, max(-1.0, q - p - half), min(1.0, q - p + half)


def change(found: Quantised) -> Change:
    """What McNemar's test at 1 − `LEVEL` says of one trained model."""
    if mcnemar(found.float32_only, found.int8_only) >= 1 - LEVEL:
        return Change.NOT_SHOWN
    return Change.WORSE if found.float32_only > found.int8_only else Change.BETTER


def quantised_frame(records: Iterable[Record]) -> pd.DataFrame:
    """One row for each record with a quantised model; columns are `COLUMNS`.

    Latencies are medians; ratios above 1 mean that the quantised model is smaller, or faster.
    """
    rows = [_row(record, record.quantised) for record in records if record.quantised]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _row(record: Record, found: Quantised) -> dict[str, Any]:
    seen, low, high = difference(found.float32_only, found.int8_only, found.examples)
    before, after = _median(found.float32), _median(found.int8)
    return {
        "key": record.key,
        "device": record.cell.device,
        "machine": record.environment.machine if record.environment else "",
        "repeat": record.cell.repeat,
        "examples": found.examples,
        "float32_bytes": found.float32.bytes,
        "int8_bytes": found.int8.bytes,
        "size_ratio": found.float32.bytes / found.int8.bytes,
        "float32_latency_s": before,
        "int8_latency_s": after,
        "latency_ratio": before / after,
        "float32_accuracy": (found.both_right + found.float32_only) / found.examples,
        "int8_accuracy": (found.both_right + found.int8_only) / found.examples,
        "float32_only": found.float32_only,
        "int8_only": found.int8_only,
        "difference": seen,
        "low": low,
        "high": high,
        "p": mcnemar(found.float32_only, found.int8_only),
        "verdict": change(found).value,
    }


def _median(run: Precision) -> float:
    return float(np.median(run.latency_s)) if run.latency_s else nan
