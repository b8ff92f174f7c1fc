"""A plan and its records with what analysis makes of them, made when a page first asks.

Charts of the first benchmark are being drawn while the second one is analysed, and a benchmark
that is left as it was needs little of this.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from accelreport.analysis.claim_rules import claim_results
from accelreport.analysis.claims import ClaimResult
from accelreport.analysis.frames import (
    curve_frame,
    not_refused,
    results_frame,
    speedups_frame,
    steps_frame,
)
from accelreport.analysis.overview import Choice, choices, overall
from accelreport.analysis.published import (
    PublishedResult,
    published_frame,
    published_results,
)
from accelreport.analysis.results import Result, results_of
from accelreport.analysis.speedup import MeanSpeedup, Speedup, speedups_of
from accelreport.analysis.targets import time_to_target
from accelreport.report.claim_text import claims_frame
from accelreport.results.plan_document import PlanDocument
from accelreport.results.record import Record


@dataclass(frozen=True)
class Analysed:
    """A plan document with its records, and their frames.

    Attributes:
        plan: what the spec said.
        records: its records, by (key, machine).
    """

    plan: PlanDocument
    records: Mapping[tuple[str, str], Record]

    @cached_property
    def results(self) -> tuple[Result, ...]:
        """`analysis.results.results_of`."""
        return results_of(self.plan, self.records.values())

    @cached_property
    def compared(self) -> tuple[Speedup, ...]:
        """`analysis.speedup.speedups_of`."""
        return speedups_of(self.plan, self.results)

    @cached_property
    def overall(self) -> dict[tuple[str, str], MeanSpeedup]:
        """`analysis.overview.overall`."""
        return overall(self.compared)

    @cached_property
    def choices(self) -> tuple[Choice, ...]:
        """`analysis.overview.choices`."""
        return choices(self.plan, self.results, self.compared)

    @cached_property
    def cells(self) -> pd.DataFrame:
        """`analysis.frames.results_frame`."""
        return results_frame(self.plan, self.results)

    @cached_property
    def _shown(self) -> list[Record]:
        return not_refused(self.records.values(), self.results)

    @cached_property
    def steps(self) -> pd.DataFrame:
        """`analysis.frames.steps_frame`, of what is not refused."""
        return steps_frame(self._shown)

    @cached_property
    def curves(self) -> pd.DataFrame:
        """`analysis.frames.curve_frame`, of what is not refused."""
        return curve_frame(self._shown)

    @cached_property
    def speedups(self) -> pd.DataFrame:
        """`analysis.frames.speedups_frame`."""
        return speedups_frame(self.plan, self.compared)

    @cached_property
    def published(self) -> pd.DataFrame:
        """`analysis.published.published_frame`."""
        return published_frame(self.published_results)

    @cached_property
    def published_results(self) -> tuple[PublishedResult, ...]:
        """`analysis.published.published_results`."""
        return published_results(self.plan, self.results)

    @cached_property
    def targets(self) -> pd.DataFrame:
        """`analysis.targets.time_to_target`."""
        return time_to_target(self.plan, self.curves, self.cells)

    @cached_property
    def tested(self) -> tuple[ClaimResult, ...]:
        """`analysis.claim_rules.claim_results`."""
        return claim_results(self.plan, self.results, self.records.values())

    @cached_property
    def claims(self) -> pd.DataFrame:
        """`report.claim_text.claims_frame`."""
        return claims_frame(self.plan, self.tested)
