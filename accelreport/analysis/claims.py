"""Sentences somebody said, tested by their rules against what was measured here."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pandas as pd

from accelreport.analysis.claim_rules import devices_of, evaluate
from accelreport.analysis.claim_sources import published_evidence
from accelreport.analysis.evidence import Evidence, withheld_in
from accelreport.analysis.selection import Measurements
from accelreport.results.plan_document import PlanDocument
from accelreport.results.record import Record
from accelreport.spec.models import Claim, MemoryCheck

COLUMNS = ("text", "verdict", "numbers", "rule", "source", "machine", "published", "evidence")
"""Columns of `claims_frame`."""


def claims_frame(
    plan: PlanDocument, cells: pd.DataFrame, speedups: pd.DataFrame, records: Iterable[Record]
) -> pd.DataFrame:
    """One row for each claim and machine it could be tested on.

    Columns: text; verdict (CONFIRMED, REFUTED, UNDECIDED, NOT TESTED HERE); numbers, what
    was measured, as text; rule, what was asked of the numbers, as text; source; machine
    (empty when no machine has its devices); published, what the published figures alone
    say of it, as text and labelled so; evidence, a tuple of dicts (what, quantity, value,
    low, high, n), the numbers as numbers, times in seconds.

    Args:
        plan: holds the claims.
        cells: from `cells_frame`.
        speedups: from `speedups`; a claim that needs a withheld speedup is UNDECIDED.
        records: the plan's records, which hold what quantisation did to their models.
    """
    axes = list(plan.axes)
    quantised = {(each.key, each.machine): each.quantised for each in records if each.quantised}
    whole = Evidence(plan, Measurements(cells, axes), withheld_in(speedups, axes), quantised, "")
    rows = [row for claim in plan.claims for row in _rows(whole, cells, claim)]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _rows(whole: Evidence, cells: pd.DataFrame, claim: Claim) -> list[dict[str, Any]]:
    plan, found = whole.plan, whole.found
    devices = devices_of(plan, claim.check)
    known = found.tried_on if isinstance(claim.check, MemoryCheck) else found.machines
    on = sorted({name for device in devices for name in known(device)})
    outcomes = [
        (machine, evaluate(replace(whole, machine=machine), cells, claim.check))
        for machine in on or [""]
    ]
    tested = [(name, outcome) for name, outcome in outcomes if outcome.tested]
    return [
        {
            "text": claim.text,
            "verdict": outcome.verdict.value,
            "numbers": outcome.numbers,
            "rule": outcome.rule,
            "source": claim.source or _source(plan),
            "machine": machine,
            "published": published_evidence(plan, claim.check),
            "evidence": tuple(outcome.evidence),
        }
        for machine, outcome in tested or [("", outcomes[0][1])]
    ]


def _source(plan: PlanDocument) -> str:
    return plan.source.title if plan.source else ""
