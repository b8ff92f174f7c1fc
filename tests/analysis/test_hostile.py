"""Records with absurd numbers: nothing may raise, and nothing absurd may be called fast."""

from __future__ import annotations

from typing import Any

import pandas as pd
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from accelreport.analysis.claim_rules import claim_results
from accelreport.analysis.learning import target_times
from accelreport.analysis.published import published_results
from accelreport.analysis.results import results_of
from accelreport.analysis.speedup import speedups_of
from accelreport.report.frames import (
    curve_frame,
    published_frame,
    results_frame,
    speedups_frame,
    steps_frame,
    targets_frame,
)
from accelreport.results.record import Block, Record
from accelreport.spec.claims import BoundCheck, Claim, EquivalentCheck, TrendCheck
from accelreport.spec.models import Published, Target
from tests.support.records import study

ODD = st.sampled_from([0.0, -1.0, 1e-300, 1e-9, 1.0, 3.0, 1e300, float("inf"), float("nan")])
TIMES = st.sampled_from([0.0, 1e-30, 1e-9, 1.0, 3.0, 1e9])
"""What a record accepts as a time; a sum of them may still be absurd."""
STAMPS = TIMES | st.sampled_from([-1.0, -1e9])
COUNTS = st.sampled_from([0, 1, 2, 50, 10**12])

CLAIMS = [
    Claim(text="1", check=TrendCheck(rises="speedup", of="gpu", along="batch_size")),
    Claim(text="2", check=TrendCheck(falls="val_accuracy", of="gpu", along="batch_size")),
    Claim(text="3", check=BoundCheck(ratio="total_time", of="gpu", over="cpu", about=2)),
    Claim(text="4", check=BoundCheck(ratio="tflops", to="epoch_time", of="gpu", at_most=2)),
    Claim(text="5", check=BoundCheck(value="loss", of="gpu", at_most=1.0)),
    Claim(text="6", check=EquivalentCheck(equivalent="loss", within=0.1)),
    Claim(text="7", check=BoundCheck(difference="val_accuracy", of="gpu", over="cpu", at_least=0)),
]

MADE = study(
    devices=("cpu", "gpu"),
    axes={"batch_size": (256, 512)},
    repeats=2,
    epochs=2,
    steps_per_epoch=30,
    claims=CLAIMS,
    target=Target(metric="val_accuracy", at_least=0.9),
    published=[
        Published(device="gpu", label="A", epoch_time=1.0, sample_time=1e-4, speedup=2.0),
        Published(device="gpu", label="B", loss=0.0, tflops=1.0),
    ],
)


@st.composite
def _blocks(draw: st.DrawFn) -> list[Block]:
    return [
        Block(
            epoch=1,
            first_step=number,
            steps=draw(COUNTS),
            wall_s=draw(TIMES),
            cpu_s=draw(TIMES),
            other_cpu_s=draw(st.none() | TIMES),
            warmup=draw(st.booleans()),
            step_s=draw(st.lists(STAMPS, max_size=12)),
        )
        for number in range(draw(st.integers(0, 8)))
    ]


@st.composite
def _records(draw: st.DrawFn) -> list[Record]:
    odd = []
    for record in MADE.records:
        drawn = {"train_s": draw(TIMES), "first_step_s": draw(TIMES)}
        times = record.times.model_copy(update=drawn)
        epochs = [
            epoch.model_copy(
                update={
                    "train_s": draw(TIMES),
                    "elapsed_s": draw(TIMES),
                    "steps": draw(COUNTS),
                    "metrics": {"val_accuracy": draw(ODD)},
                }
            )
            for epoch in record.epochs
        ]
        change: dict[str, Any] = {
            "status": draw(st.sampled_from(["ok", "partial", "failed"])),
            "blocks": draw(_blocks()),
            "times": times,
            "epochs": epochs,
            "final": {"val_accuracy": draw(ODD), "loss": draw(ODD)},
            "samples_per_step": draw(COUNTS),
            "planned_steps": draw(COUNTS),
        }
        odd.append(record.model_copy(update=change))
    return odd


@settings(max_examples=60, deadline=None, phases=[Phase.explicit, Phase.generate])
@given(_records())
def test_absurd_numbers_are_carried_through_every_frame(records: list[Record]) -> None:
    plan = MADE.plan
    results = results_of(plan, records)
    curve_frame(records)
    steps_frame(records)
    results_frame(plan, results)
    found = speedups_of(plan, results)
    compared = speedups_frame(plan, found)
    published_frame(published_results(plan, results))
    claim_results(plan, results, records)
    targets_frame(plan, target_times(plan, results, records))
    measured = compared["seconds"].dropna()
    assert (measured > 0).all()
    assert not (compared["verdict"].isin(["FASTER", "SLOWER"]) & compared["low"].isna()).any()


def test_a_sweep_over_values_of_several_kinds_keeps_them_apart() -> None:
    axes = {"scale_pixels": (True, False), "samples": (0, 1)}
    made = study(devices=("cpu", "gpu"), axes=axes, repeats=2)
    results = results_of(made.plan, made.records)
    found = speedups_of(made.plan, results)
    frame = speedups_frame(made.plan, found)
    assert len(frame) == 8
    assert isinstance(frame["verdict"].iloc[0], str)
    assert pd.notna(frame["speedup"]).all()
