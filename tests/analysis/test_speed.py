"""How long the analysis of a large results folder may take."""

from __future__ import annotations

import time

from accelreport.analysis.claim_rules import claim_results
from accelreport.analysis.overview import choices
from accelreport.analysis.published import published_results
from accelreport.analysis.results import results_of
from accelreport.analysis.speedup import speedups_of
from accelreport.analysis.targets import target_times
from accelreport.report.frames import curve_frame, results_frame, speedups_frame, steps_frame
from tests.support.records import thousand

SECONDS = 6.0
"""Three times what is promised on two idle cores: tests share theirs."""


def test_a_thousand_records_are_analysed_in_seconds() -> None:
    studies = thousand()
    begin = time.process_time()
    for made in studies:
        results = results_of(made.plan, made.records)
        steps_frame(made.records)
        compared = speedups_of(made.plan, results)
        results_frame(made.plan, results)
        curve_frame(made.records)
        published_results(made.plan, results)
        target_times(made.plan, results, made.records)
        speedups_frame(made.plan, compared)
        claim_results(made.plan, results, made.records)
        choices(made.plan, results, compared)
    assert time.process_time() - begin < SECONDS
