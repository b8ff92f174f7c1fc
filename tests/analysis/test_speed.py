"""How long the analysis of a large results folder may take."""

from __future__ import annotations

import time

from accelreport.analysis.choice import best_devices
from accelreport.analysis.claims import claims_frame
from accelreport.analysis.frames import cells_frame, curve_frame, steps_frame
from accelreport.analysis.headline import headlines
from accelreport.analysis.overview import Benchmark, speedup_matrix
from accelreport.analysis.published import published_frame
from accelreport.analysis.speedup import speedups
from accelreport.analysis.targets import time_to_target
from tests.support.records import thousand

SECONDS = 6.0
"""Three times what is promised on two idle cores: tests share theirs."""


def test_a_thousand_records_are_analysed_in_seconds() -> None:
    studies = thousand()
    benchmarks = []
    begin = time.process_time()
    for made in studies:
        cells, curves = cells_frame(made.plan, made.records), curve_frame(made.records)
        steps_frame(made.records)
        compared = speedups(cells, baseline="cpu", axes=list(made.plan.axes))
        headlines(made.plan, cells, compared)
        published_frame(made.plan, cells)
        time_to_target(made.plan, curves, cells)
        claims_frame(made.plan, cells, compared, made.records)
        benchmarks.append(Benchmark(made.plan, cells))
    speedup_matrix(benchmarks)
    best_devices(benchmarks)
    assert time.process_time() - begin < SECONDS
