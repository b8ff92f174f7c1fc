"""Speedups over the baseline."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accelreport.analysis.benchmark import Benchmark
from accelreport.analysis.claim_rules import claim_results
from accelreport.analysis.overview import common_base
from accelreport.analysis.results import results_of
from accelreport.analysis.speed_findings import rate_findings
from accelreport.analysis.speedup import Why, mean_of, speedups_of
from accelreport.analysis.stats import Verdict
from accelreport.report.frames import SPEEDUP_COLUMNS, WIDENED
from accelreport.results.record import Flops, Record
from accelreport.spec.base import Baseline
from accelreport.spec.claims import BoundCheck, Claim
from tests.support.records import Noise, Study, assorted, slowed, study, without_peaks
from tests.support.rows import speedup_rows, the_row

INVERSE = {"FASTER": "SLOWER", "SLOWER": "FASTER", "SAME": "SAME", "UNDECIDED": "UNDECIDED"}


def _speedups(made: Study, baseline: str = "cpu") -> pd.DataFrame:
    plan = made.plan.model_copy(update={"baseline": Baseline(device=baseline)})
    return speedup_rows(plan, made.records)


def test_every_point_and_device_is_a_row() -> None:
    frame = _speedups(study())
    assert list(frame.columns) == ["batch_size", *SPEEDUP_COLUMNS]
    assert len(frame) == 9


def test_a_speedup_is_baseline_time_over_device_time() -> None:
    made = study(noise=Noise(process=0, step=0, outlier_share=0), repeats=3)
    frame = _speedups(made)
    base, fast = (the_row(frame, batch_size=512, device=name) for name in ("cpu", "gpu"))
    assert fast["speedup"] == pytest.approx(base["seconds"] / fast["seconds"])
    assert (base["speedup"], base["verdict"]) == (1.0, "BASELINE")
    assert fast["verdict"] == "FASTER"


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10_000), factor=st.floats(0.9, 1.1))
def test_exchanging_device_and_baseline_inverts_the_interval(seed: int, factor: float) -> None:
    made = study(
        devices=("cpu", "cpu-1"),
        axes={},
        repeats=3,
        epochs=2,
        steps_per_epoch=30,
        factors={"cpu-1": 0.55 * factor},
        seed=seed,
    )
    forth = the_row(_speedups(made, "cpu"), device="cpu-1")
    back = the_row(_speedups(made, "cpu-1"), device="cpu")
    assert forth["speedup"] * back["speedup"] == pytest.approx(1)
    assert forth["low"] * back["high"] == pytest.approx(1)
    assert forth["high"] * back["low"] == pytest.approx(1)
    assert back["verdict"] == INVERSE[forth["verdict"]]


def _slowed(record: Record, factor: float) -> Record:
    blocks = [block.model_copy(update={"wall_s": block.wall_s * factor}) for block in record.blocks]
    return record.model_copy(update={"blocks": blocks})


@settings(max_examples=20, deadline=None)
@given(factor=st.floats(1, 100))
def test_a_machine_that_is_slower_in_all_has_the_same_speedups(factor: float) -> None:
    made = study(axes={}, repeats=3, epochs=2, steps_per_epoch=30)
    slowed = [_slowed(record, factor) for record in made.records]
    before = _speedups(made)
    after = speedup_rows(made.plan, slowed)
    for name in ("speedup", "low", "high"):
        np.testing.assert_allclose(after[name], before[name])
    assert list(after["verdict"]) == list(before["verdict"])


def test_one_process_gives_a_speedup_without_an_interval_and_says_so() -> None:
    row = the_row(_speedups(study(repeats=1, axes={})), device="gpu")
    assert row["speedup"] > 1
    assert pd.isna(row["low"])
    assert pd.isna(row["high"])
    assert row["verdict"] == "UNDECIDED"
    assert "one process of gpu and of cpu gives no interval" in row["reason"]


def test_three_processes_give_an_interval_and_two_give_none() -> None:
    two, three = (
        the_row(_speedups(study(repeats=n, axes={}, seed=3)), device="gpu") for n in (2, 3)
    )
    assert three["low"] < three["speedup"] < three["high"]
    assert np.isnan(two["low"])
    assert two["verdict"] == "UNDECIDED"
    assert two["reason"] == "two processes of gpu and of cpu give no interval"


def test_undecided_says_how_many_more_processes_would_decide() -> None:
    made = study(
        devices=("cpu", "cpu-1"),
        axes={},
        repeats=3,
        factors={"cpu-1": 0.53},
        noise=Noise(process=0.05),
        seed=2,
    )
    row = the_row(_speedups(made), device="cpu-1")
    assert row["verdict"] == "UNDECIDED"
    assert row["needed"] >= 1
    assert row["needed"] == int(row["needed"])


def test_a_device_that_did_not_run_is_a_row_with_its_reason() -> None:
    frame = _speedups(study(fate=assorted, devices=("cpu", "cpu-1", "gpu", "tpu")))
    row = the_row(frame, batch_size=256, device="tpu")
    assert row["verdict"] == "NOT MEASURED"
    assert row["reason"] == "skipped (device not present): no TPU on this machine"
    assert pd.isna(row["speedup"])


def test_a_cell_that_was_never_run_says_so() -> None:
    frame = _speedups(study(axes={}, fate=lambda c: "missing" if c.device == "gpu" else "ok"))
    assert the_row(frame, device="gpu")["reason"] == "not run"


def test_without_its_baseline_a_device_has_a_time_and_no_speedup() -> None:
    frame = _speedups(study(axes={}, fate=lambda c: "timeout" if c.device == "cpu" else "ok"))
    row = the_row(frame, device="gpu")
    assert row["seconds"] > 0
    assert row["verdict"] == "NOT MEASURED"
    assert row["reason"] == "the baseline cpu has no steady time here"


def test_a_failed_process_costs_its_repeat_and_not_the_point() -> None:
    def fate(cell: Any) -> str:
        return "oom-device" if cell.device == "gpu" and cell.repeat == 1 else "ok"

    row = the_row(_speedups(study(axes={}, repeats=5, fate=fate)), device="gpu")
    assert (row["n"], row["n_baseline"]) == (4, 5)
    assert row["paired"]
    assert row["verdict"] == "FASTER"
    expected = "1 of 5 processes: failed (device memory full): the cell ended with oom-device"
    assert row["reason"] == expected


def test_different_input_withholds_the_speedup() -> None:
    made = study(axes={}, devices=("cpu", "gpu"))
    other = study(axes={}, devices=("cpu", "gpu"), origin="official")
    records = [record for record in made.records if record.cell.device == "cpu"]
    records += [record for record in other.records if record.cell.device == "gpu"]
    frame = speedup_rows(made.plan, records)
    row = the_row(frame, device="gpu")
    assert pd.isna(row["speedup"])
    assert row["seconds"] > 0
    assert row["reason"] == "withheld: its input differs from that of cpu"


def test_a_device_alone_on_its_machine_is_compared_with_the_baseline_elsewhere() -> None:
    here = study(devices=("cpu", "gpu"), axes={}, machine="aaaaaaaa")
    there = study(devices=("cpu", "gpu"), axes={}, machine="bbbbbbbb", seed=1)
    records = [record for record in here.records if record.cell.device == "cpu"]
    records += [record for record in there.records if record.cell.device == "gpu"]
    frame = speedup_rows(here.plan, records)
    row = the_row(frame, device="gpu")
    assert row["machine"] == "bbbbbbbb"
    assert row["baseline_machine"] == "aaaaaaaa"
    assert not row["paired"]
    assert row["verdict"] == "FASTER"


def test_each_machine_is_compared_with_its_own_baseline() -> None:
    here = study(devices=("cpu", "gpu"), axes={}, machine="aaaaaaaa")
    there = study(devices=("cpu", "gpu"), axes={}, machine="bbbbbbbb", factors={"cpu": 3.0})
    frame = speedup_rows(here.plan, [*here.records, *there.records])
    slow, fast = (the_row(frame, device="gpu", machine=name) for name in ("aaaaaaaa", "bbbbbbbb"))
    assert fast["speedup"] / slow["speedup"] == pytest.approx(3.0, rel=0.1)
    assert fast["baseline_machine"] == "bbbbbbbb"


def test_drift_over_the_run_does_not_widen_the_interval() -> None:
    still = Noise(process=0.005, step=0.02, outlier_share=0)
    drifting = Noise(process=0.005, step=0.02, outlier_share=0, drift=0.3)
    widths = []
    for noise in (still, drifting):
        # `study` shuffles the order of all cells; the runner shuffles within repeats, so
        # the drift is put on whole repeats here.
        made = study(devices=("cpu", "gpu"), axes={}, repeats=5, noise=still, seed=4)
        records = [
            _slowed(record, 1 + noise.drift * record.cell.repeat / 4) for record in made.records
        ]
        row = the_row(speedup_rows(made.plan, records), device="gpu")
        widths.append(row["high"] / row["low"])
    assert widths[1] == pytest.approx(widths[0], rel=1e-9)


def _times_eight(record: Record) -> Record:
    """The record of a kernel that eight replicas computed in the same time."""
    if record.flops is None or record.cell.device != "tpu":
        return record
    flops = record.flops.model_copy(update={"per_step": 8 * record.flops.per_step})
    return record.model_copy(update={"flops": flops})


def test_replicas_that_each_compute_a_kernel_do_so_much_more_in_a_step() -> None:
    made = without_peaks(study("matmul", devices=("cpu", "tpu"), axes={}))
    eight = [_times_eight(record) for record in made.records]
    one, all_of_them = (
        the_row(speedup_rows(made.plan, records), device="tpu") for records in (made.records, eight)
    )
    assert all_of_them["seconds"] == one["seconds"]
    assert all_of_them["speedup"] == pytest.approx(8 * one["speedup"])
    assert all_of_them["low"] == pytest.approx(8 * one["low"])


def test_replicas_share_the_batch_of_a_training_so_that_a_step_is_a_step() -> None:
    made = study(devices=("cpu", "gpu"), axes={})
    plain = the_row(speedup_rows(made.plan, made.records), device="gpu")
    more = [
        record.model_copy(update={"flops": Flops(per_step=factor * 1e9, method="counted")})
        for record in made.records
        for factor in ((2.0,) if record.cell.device == "gpu" else (1.0,))
    ]
    assert the_row(speedup_rows(made.plan, more), device="gpu")["speedup"] == plain["speedup"]


@pytest.mark.parametrize("comparisons", [2, 12])
def test_one_of_several_comparisons_has_the_interval_of_all_of_them(comparisons: int) -> None:
    made = study(axes={}, devices=("cpu", "gpu"), repeats=5)
    plain, several = (
        the_row(speedup_rows(made.plan, made.records, comparisons=count), device="gpu")
        for count in (1, comparisons)
    )
    direct = speedup_rows(made.plan, made.records, level=1 - 0.05 / comparisons)
    assert several["speedup"] == plain["speedup"]
    assert several["low"] == pytest.approx(the_row(direct, device="gpu")["low"])
    assert several["low"] < plain["low"]


def test_what_is_withheld_cannot_be_had_without_its_reason() -> None:
    made = study(axes={}, devices=("cpu", "gpu"))
    mixed = made.plan.devices["gpu"].model_copy(update={"precision": "mixed_float16"})
    plan = made.plan.model_copy(update={"devices": made.plan.devices | {"gpu": mixed}})
    (found,) = (
        each for each in speedups_of(plan, results_of(plan, made.records)) if each.device == "gpu"
    )
    assert found.estimate is None
    assert np.isnan(found.interval.value)
    assert found.verdict is Verdict.WITHHELD, "the hardware is another, too"
    assert found.qualified is not None
    assert [each.why for each in found.withheld] == [Why.PRECISION]


def test_a_slow_process_at_one_point_widens_the_intervals_at_all_points_of_its_device() -> None:
    quiet = study(noise=Noise(process=0.01, step=0.01, outlier_share=0), epochs=2)
    before = _speedups(quiet)
    after = _speedups(slowed(quiet, 1.6, device="gpu", repeat=0, batch_size=512))
    for batch_size in (256, 1024):
        narrow, wide = (the_row(f, batch_size=batch_size, device="gpu") for f in (before, after))
        assert wide["speedup"] == narrow["speedup"]
        assert wide["low"] < narrow["low"] < narrow["high"] < wide["high"]
        assert WIDENED in wide["reason"]
        assert not narrow["reason"]
        untouched = [the_row(f, batch_size=batch_size, device="tpu") for f in (before, after)]
        assert untouched[0]["low"] == untouched[1]["low"]
    own = the_row(after, batch_size=512, device="gpu")
    assert WIDENED not in own["reason"], "its own processes vary more than is known of it"


def test_a_mean_over_sweep_points_knows_of_the_slow_processes_that_one_of_them_showed() -> None:
    quiet = study(noise=Noise(process=0.01, step=0.01, outlier_share=0), epochs=2)
    made = slowed(quiet, 1.6, device="gpu", repeat=0, batch_size=512)
    of_gpu = [
        each
        for each in speedups_of(made.plan, results_of(made.plan, made.records))
        if each.device == "gpu" and each.point != {"batch_size": 512}
    ]
    known = of_gpu[0].rules.spread
    found = mean_of([each.estimate.terms for each in of_gpu if each.estimate])
    assert found.contrast.spread == pytest.approx(known / np.sqrt(len(of_gpu)))


def test_of_two_machines_with_as_many_processes_every_surface_takes_the_same() -> None:
    def one(machine: str, device: str, factor: float) -> tuple[Record, ...]:
        made = study(devices=("cpu", "gpu"), axes={}, machine=machine, factors={"cpu": factor})
        return tuple(record for record in made.records if record.cell.device == device)

    check = BoundCheck(ratio="speedup", of="gpu", at_least=1.0)
    claims = [Claim(text="Faster", check=check)]
    plan = study(devices=("cpu", "gpu"), axes={}, claims=claims).plan
    records = (*one("aaaa", "cpu", 1.0), *one("bbbb", "cpu", 2.0), *one("cccc", "gpu", 1.0))
    results = results_of(plan, records)
    (shown,) = (pair for pair in speedups_of(plan, results) if pair.device == "gpu")
    (claim,) = claim_results(plan, results, records)
    assert shown.base
    assert shown.base.machine == "aaaa"
    assert claim.numbers[0].interval == shown.interval
    assert common_base([(plan, results)]) == ("cpu", "aaaa")
    bench = Benchmark(plan, {(record.key, record.machine): record for record in records})
    (rate,) = rate_findings(bench)
    assert rate.values[0].of.machine == "aaaa"
