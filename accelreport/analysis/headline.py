"""Speedups fit for a headline: beside their parity verdict, or withheld with the reason."""

from __future__ import annotations

import pandas as pd

from accelreport.analysis.parity import WITHIN, Parity, parity_frame
from accelreport.analysis.selection import Row, rows_of
from accelreport.results.plan_document import PlanDocument
from accelreport.spec.models import EquivalentCheck

ADDED = (
    "parity",
    "parity_metric",
    "parity_within",
    "parity_difference",
    "parity_low",
    "parity_high",
    "withheld",
)
"""Columns that `headlines` adds to those of `speedups`."""

NOT_APPLICABLE = "NOT APPLICABLE"
"""The parity of a kernel, which trains nothing."""


def headlines(plan: PlanDocument, cells: pd.DataFrame, speedups: pd.DataFrame) -> pd.DataFrame:
    """The rows of `speedups` with what allows, or forbids, to make a headline of them.

    `parity` is the verdict of the equivalence test on `parity_metric` (NOT APPLICABLE for a
    kernel), with its difference and 90 % interval. `withheld` is empty, or says why the
    speedup must not stand alone: the two devices learn differently, compute in different
    precision, or read different data.
    """
    axes = list(plan.axes)
    metric, within = quality(plan, cells)
    added = dict.fromkeys(ADDED[3:6], float("nan"))
    compared = {
        (*(row[axis] for axis in axes), row["device"], row["machine"]): row
        for row in rows_of(parity_frame(cells, plan.baseline, axes, metric, within))
    }
    rows = []
    for row in rows_of(speedups):
        key = (*(row[axis] for axis in axes), row["device"], row["machine"])
        parity = compared.get(key, {})
        rows.append(
            row
            | {"parity": str(parity.get("verdict", Parity.NOT_MEASURED)) if metric else ""}
            | {"parity_metric": metric, "parity_within": within}
            | {name: parity.get(name.removeprefix("parity_"), nan) for name, nan in added.items()}
            | {"withheld": _withheld(plan, row["device"], str(row["reason"]), parity)}
        )
    frame = pd.DataFrame(rows, columns=[*speedups.columns, *ADDED])
    frame["parity"] = frame["parity"].replace("", NOT_APPLICABLE)
    return frame


def quality(plan: PlanDocument, cells: pd.DataFrame) -> tuple[str, float]:
    """The metric on which devices must agree, and by how much; ("", NaN) for a kernel.

    A claim of equivalence names both; otherwise it is the validation accuracy, or the
    training accuracy where nothing is validated, within `WITHIN`.
    """
    for claim in plan.claims:
        if isinstance(claim.check, EquivalentCheck):
            return claim.check.equivalent, claim.check.within
    for metric in ("val_accuracy", "accuracy"):
        if metric in cells and cells[metric].notna().any():
            return metric, WITHIN
    return "", float("nan")


def _withheld(plan: PlanDocument, device: str, reason: str, parity: Row) -> str:
    said = [reason.removeprefix("withheld: ")] if reason.startswith("withheld") else []
    own, base = plan.devices.get(device), plan.devices.get(plan.baseline)
    if own and base and own.precision != base.precision:
        said.append(f"it computes in {own.precision}, the baseline in {base.precision}")
    if parity.get("verdict") == Parity.DIFFERENT.value:
        said.append("it does not reach the same quality as the baseline")
    return "; ".join(said)
