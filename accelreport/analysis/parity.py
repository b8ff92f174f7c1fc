"""Whether two devices train to the same quality: an equivalence test over paired seeds.

Failing to find a difference is not finding that there is none. Two one-sided tests
(Schuirmann 1987) turn the question round: the devices are the same when the 90 % interval
of their difference lies within a margin that was stated beforehand.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from enum import StrEnum
from math import isfinite, nan
from typing import Any

import pandas as pd
from scipy.special import stdtr

from accelreport.analysis.intervals import LEVEL, Contrast, one_sample

WITHIN = 0.01
"""Accuracies that differ by less than one point in a hundred count as the same."""

TOST_LEVEL = 0.90
"""Two one-sided tests at 5 % are one interval at 90 %."""


class Parity(StrEnum):
    """What is said of a device's quality against the baseline's."""

    EQUIVALENT = "EQUIVALENT"
    DIFFERENT = "DIFFERENT"
    UNDECIDED = "UNDECIDED"
    BASELINE = "BASELINE"
    NOT_MEASURED = "NOT MEASURED"


COLUMNS = (
    "device",
    "machine",
    "baseline_machine",
    "metric",
    "n",
    "difference",
    "low",
    "high",
    "within",
    "p",
    "verdict",
    "reason",
)
"""Columns of `parity_frame`, after the axes."""


def parity_frame(
    cells: pd.DataFrame, baseline: str, axes: Sequence[str], metric: str, within: float = WITHIN
) -> pd.DataFrame:
    """One row for each sweep point, device and machine: is its quality the baseline's?

    Complete runs of the same seed are paired, which takes out what the seed decides
    (Bouthillier et al. 2021). `difference` is device minus baseline, in the metric's unit,
    with its 90 % interval; `p` is the larger p value of the two one-sided t tests.

    EQUIVALENT when the 90 % interval lies within ± `within`; DIFFERENT when the 95 %
    interval lies outside it altogether; UNDECIDED otherwise, and with fewer than two pairs.
    """
    by_seed = _by_seed(cells, axes, metric)
    rows = []
    for (point, device, machine), values in by_seed.items():
        row = dict(zip(axes, point, strict=True)) | {"device": device, "machine": machine}
        base_machine = _baseline_machine(by_seed, point, baseline, machine)
        common = {"metric": metric, "within": within, "baseline_machine": base_machine}
        base = by_seed.get((point, baseline, base_machine), {})
        rows.append(row | common | _said(values, base, within, same=device == baseline))
    return pd.DataFrame(rows, columns=[*axes, *COLUMNS])


Group = tuple[tuple[Hashable, ...], str, str]


def _by_seed(
    cells: pd.DataFrame, axes: Sequence[str], metric: str
) -> dict[Group, dict[int, float]]:
    found: dict[Group, dict[int, float]] = {}
    rows = cells[cells["machine"] != ""]
    known = rows[metric].tolist() if metric in rows else [nan] * len(rows)
    names = [*axes, "device", "machine", "seed", "status"]
    columns = [rows[name].tolist() for name in names]
    for *point, device, machine, seed, status, value in zip(*columns, known, strict=True):
        values = found.setdefault((tuple(point), device, machine), {})
        if status == "ok" and isfinite(value):
            values[seed] = float(value)
    return found


def _baseline_machine(
    by_seed: dict[Group, dict[int, float]],
    point: tuple[Hashable, ...],
    baseline: str,
    machine: str,
) -> str:
    if by_seed.get((point, baseline, machine)):
        return machine
    others = [
        (len(values), name)
        for (where, device, name), values in by_seed.items()
        if where == point and device == baseline and values
    ]
    return max(others)[1] if others else ""


def _said(
    values: dict[int, float],
    base: dict[int, float],
    within: float,
    *,
    same: bool,
) -> dict[str, Any]:
    row: dict[str, Any] = {"n": 0, "difference": nan, "low": nan, "high": nan, "p": nan}
    if not values:
        return row | {"verdict": Parity.NOT_MEASURED.value, "reason": "no complete run"}
    if same:
        return row | {"n": len(values), "verdict": Parity.BASELINE.value, "reason": ""}
    seeds = sorted(values.keys() & base.keys())
    if not seeds:
        reason = "no seed was completed on both devices"
        return row | {"verdict": Parity.NOT_MEASURED.value, "reason": reason}
    difference = one_sample([values[seed] - base[seed] for seed in seeds])
    interval = difference.linear(TOST_LEVEL)
    return {
        "n": len(seeds),
        "difference": interval.value,
        "low": interval.low,
        "high": interval.high,
        "p": _p(difference, within),
        "verdict": judge(difference, within).value,
        "reason": "" if interval.known else "one pair of seeds gives no interval",
    }


def judge(difference: Contrast, within: float) -> Parity:
    """EQUIVALENT, DIFFERENT or UNDECIDED, for a mean difference and a margin."""
    narrow, wide = difference.linear(TOST_LEVEL), difference.linear(LEVEL)
    if not narrow.known:
        return Parity.UNDECIDED
    if -within <= narrow.low and narrow.high <= within:
        return Parity.EQUIVALENT
    outside = wide.low > within or wide.high < -within
    return Parity.DIFFERENT if outside else Parity.UNDECIDED


def _p(difference: Contrast, within: float) -> float:
    """The larger p value of the two one-sided tests against ± `within`."""
    if difference.error != difference.error:  # NaN: a single pair
        return nan
    room = within - abs(difference.value)
    if difference.error == 0:
        return 0.0 if room > 0 else 1.0
    return float(stdtr(difference.df, -room / difference.error))
