"""What passes before the first step is done, by stage."""

from __future__ import annotations

from dataclasses import replace
from statistics import median

import pytest

from accelreport.report.pages.sections.cold_start import start_of
from accelreport.report.site.assembly import gather
from tests.report.scenarios import Results
from tests.support.records import study

STAGES = ((1.0, 9.0, 1.0), (9.0, 1.0, 1.0), (1.0, 1.0, 9.0))
"""Seconds of imports, data and model of three processes: each is slow at something else."""


def test_a_start_is_that_of_one_process_and_no_sum_of_medians() -> None:
    made = study(devices=("cpu",), axes={}, repeats=3)
    records = []
    for record, (imports, data, build) in zip(made.records, STAGES, strict=True):
        times = {"process_s": 0.0, "import_s": imports, "data_s": data, "build_s": build}
        changed = record.times.model_copy(update=times | {"first_step_s": 1.0})
        records.append(record.model_copy(update={"times": changed}))
    (bench,) = gather(Results((replace(made, records=tuple(records)),)))
    start = start_of(bench, bench.series[0], ())
    assert start is not None
    assert start.total == sum(start.stages) == 12.0
    totals = [record.times.train_s for record in records]
    assert start.run_s == pytest.approx(median(11.0 + total for total in totals if total))
