"""Claims, tested by their rules."""

from __future__ import annotations

from typing import Any

import pytest

from accelreport.analysis.claim_outcomes import ClaimVerdict, together
from accelreport.analysis.claims import COLUMNS, claims_frame
from accelreport.analysis.frames import cells_frame
from accelreport.analysis.speedup import speedups
from accelreport.spec.models import (
    Check,
    Claim,
    EquivalentCheck,
    PeakCheck,
    Published,
    RatioCheck,
    TrendCheck,
    ValueCheck,
)
from tests.support.records import Noise, Study, study

EXACT = Noise(process=0.005, step=0.01, outlier_share=0)


def _rows(made: Study) -> list[dict[str, Any]]:
    cells = cells_frame(made.plan, made.records)
    compared = speedups(cells, baseline=made.plan.baseline, axes=list(made.plan.axes))
    frame = claims_frame(made.plan, cells, compared)
    assert list(frame.columns) == list(COLUMNS)
    return [{str(name): value for name, value in row.items()} for row in frame.to_dict("records")]


def _row(check: Check, **of_study: Any) -> dict[str, Any]:
    given = {"noise": EXACT} | of_study
    (row,) = _rows(study(claims=[Claim(text="Somebody said so", check=check)], **given))
    return row


# Ratios ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bounds", "verdict"),
    [
        ({"at_least": 4.0}, "CONFIRMED"),
        ({"at_least": 6.0}, "REFUTED"),
        ({"at_most": 6.0}, "CONFIRMED"),
        ({"at_most": 4.0}, "REFUTED"),
        ({"at_least": 4.0, "at_most": 6.0}, "CONFIRMED"),
        ({"about": 5.0}, "CONFIRMED"),
        ({"about": 29.0}, "REFUTED"),
        ({"about": 8.0, "tolerance": 2.0}, "CONFIRMED"),
    ],
)
def test_a_speedup_is_compared_with_its_bounds(bounds: dict[str, float], verdict: str) -> None:
    given = {"ratio": "speedup", "of": "gpu", "over": "cpu", "where": {"batch_size": 256}}
    check = RatioCheck.model_validate(given | bounds)
    assert _row(check)["verdict"] == verdict


def test_a_bound_inside_the_interval_decides_nothing() -> None:
    check = RatioCheck(ratio="speedup", of="gpu", where={"batch_size": 256}, at_least=4.98)
    assert _row(check, noise=Noise(process=0.05))["verdict"] == "UNDECIDED"


def test_of_times_the_ratio_says_how_many_times_faster() -> None:
    check = RatioCheck(ratio="epoch_time", of="gpu", over="cpu", at_least=1.0)
    row = _row(check)
    assert row["verdict"] == "CONFIRMED"
    assert "epoch_time of cpu over that of gpu" in row["rule"]


def test_of_rates_the_ratio_says_how_many_times_more() -> None:
    check = RatioCheck(ratio="tflops", of="gpu", over="cpu", about=31, where={"size": 4096})
    assert _row(check, shape="matmul")["verdict"] == "CONFIRMED"


def test_stages_of_one_device_are_compared_process_by_process() -> None:
    check = RatioCheck(ratio="first_epoch_time", to="epoch_time", of="cpu", at_least=1.0)
    row = _row(check, noise=Noise(process=0.2, step=0.01, outlier_share=0), axes={})
    assert row["verdict"] == "CONFIRMED"
    assert "process by process" in row["rule"]


def test_a_stage_of_one_device_is_compared_with_another_stage_of_another() -> None:
    check = RatioCheck(ratio="tflops_cold", of="gpu", to="tflops", over="cpu", at_least=1.0)
    row = _row(check, shape="matmul", axes={"size": (4096,)})
    assert row["verdict"] == "CONFIRMED"
    assert "tflops_cold of gpu over tflops of cpu" in row["rule"]


def test_a_claim_that_names_no_point_must_hold_at_every_point() -> None:
    check = RatioCheck(ratio="speedup", of="gpu", at_least=5.1)
    row = _row(check)
    assert row["verdict"] == "REFUTED"
    assert len(row["evidence"]) == 3
    one = RatioCheck(ratio="speedup", of="gpu", at_least=5.1, where={"batch_size": 1024})
    assert _row(one)["verdict"] == "CONFIRMED"


def test_one_process_confirms_nothing() -> None:
    row = _row(RatioCheck(ratio="speedup", of="gpu", at_least=1.0), repeats=1)
    assert row["verdict"] == "UNDECIDED"
    assert "one process, no interval" in row["numbers"]


# Devices that are not here --------------------------------------------------------------------


def _no_tpu(cell: Any) -> str:
    return "skipped" if cell.device == "tpu" else "ok"


@pytest.mark.parametrize(
    "check",
    [
        RatioCheck(ratio="speedup", of="tpu", about=17),
        RatioCheck(ratio="epoch_time", of="gpu", over="tpu", about=17),
        ValueCheck(value="val_accuracy", of="tpu", at_least=0.9),
        TrendCheck(rises="speedup", of="tpu", along="batch_size"),
    ],
)
def test_without_its_device_a_claim_is_not_tested_and_says_why(check: Check) -> None:
    row = _row(check, fate=_no_tpu)
    assert row["verdict"] == "NOT TESTED HERE"
    assert "no TPU on this machine" in row["numbers"]
    assert row["rule"]


def test_published_figures_are_shown_and_labelled_as_not_ours() -> None:
    published = [
        Published(device="tpu", label="Colab TPU", epoch_time=17.5),
        Published(device="gpu", label="Colab GPU", epoch_time=300.0, val_accuracy=0.84),
    ]
    check = RatioCheck(ratio="epoch_time", of="tpu", over="gpu", about=17)
    row = _row(check, fate=_no_tpu, published=published)
    assert row["verdict"] == "NOT TESTED HERE"
    expected = (
        "Published, not measured here: Colab TPU: 17.5 s [epoch_time, S]; "
        "Colab GPU: 5 min [epoch_time, S]."
    )
    assert row["published"] == expected


def test_published_figures_of_other_points_are_not_shown() -> None:
    published = [
        Published(device="gpu", label="Elsewhere", speedup=3.0, where={"batch_size": 512}),
        Published(device="gpu", label="Here", speedup=4.0, where={"batch_size": 256}),
    ]
    check = RatioCheck(ratio="speedup", of="gpu", about=4, where={"batch_size": 256})
    row = _row(check, published=published)
    assert "Here" in row["published"]
    assert "Elsewhere" not in row["published"]


# Values ---------------------------------------------------------------------------------------


def test_a_value_is_compared_with_its_bounds() -> None:
    high = ValueCheck(value="val_accuracy", of="gpu", at_least=0.95)
    low = ValueCheck(value="val_accuracy", of="gpu", at_most=0.95)
    assert _row(high)["verdict"] == "CONFIRMED"
    assert _row(low)["verdict"] == "REFUTED"


def test_accuracy_of_a_run_that_the_budget_ended_is_not_tested() -> None:
    check = ValueCheck(value="val_accuracy", of="gpu", at_least=0.9)
    assert _row(check, fate=lambda _: "partial")["verdict"] == "NOT TESTED HERE"


# Trends ---------------------------------------------------------------------------------------


def test_a_speedup_that_grows_with_the_batch_rises() -> None:
    rises = TrendCheck(rises="speedup", of="tpu", over="gpu", along="batch_size")
    falls = TrendCheck(falls="speedup", of="tpu", over="gpu", along="batch_size")
    assert _row(rises)["verdict"] == "CONFIRMED"
    assert _row(falls)["verdict"] == "REFUTED"


def test_a_quantity_that_stays_the_same_does_not_rise() -> None:
    check = TrendCheck(rises="val_accuracy", of="cpu", along="batch_size")
    assert _row(check, repeats=5)["verdict"] == "REFUTED"


def test_a_rise_of_accuracy_by_one_point_is_a_rise() -> None:
    check = TrendCheck(rises="val_accuracy", of="cpu", along="epochs")
    assert _row(check, axes={"epochs": (4, 8)}, repeats=5)["verdict"] == "CONFIRMED"


def test_a_trend_is_followed_in_the_order_of_numbers_not_of_the_spec() -> None:
    check = TrendCheck(rises="steady_step_time", of="cpu", along="batch_size")
    assert _row(check, axes={"batch_size": (1024, 256, 512)})["verdict"] == "CONFIRMED"


def test_a_fall_on_the_way_refutes_a_rise() -> None:
    made = study(
        axes={"batch_size": (256, 512, 1024)},
        devices=("cpu", "gpu"),
        noise=EXACT,
        repeats=5,
        claims=[
            Claim(text="It rises", check=TrendCheck(rises="speedup", of="gpu", along="batch_size"))
        ],
    )
    slowed = []
    for record in made.records:
        if record.cell.device == "gpu" and record.cell.point["batch_size"] == 512:
            blocks = [b.model_copy(update={"wall_s": 2 * b.wall_s}) for b in record.blocks]
            slowed.append(record.model_copy(update={"blocks": blocks}))
        else:
            slowed.append(record)
    (row,) = _rows(Study(plan=made.plan, records=tuple(slowed)))
    assert row["verdict"] == "REFUTED"


def test_a_trend_that_noise_hides_is_undecided() -> None:
    check = TrendCheck(rises="speedup", of="tpu", over="gpu", along="batch_size")
    loud = Noise(process=0.8, step=0.01, outlier_share=0)
    assert _row(check, noise=loud, seed=2)["verdict"] == "UNDECIDED"


def test_a_trend_needs_two_points() -> None:
    def fate(cell: Any) -> str:
        return "ok" if cell.point["batch_size"] == 256 else "oom-device"

    row = _row(TrendCheck(rises="speedup", of="gpu", along="batch_size"), fate=fate)
    assert row["verdict"] == "NOT TESTED HERE"
    assert row["numbers"] == "only one point was measured"


def test_a_trend_must_hold_at_every_setting_of_the_other_axes() -> None:
    axes = {"batch_size": (256, 1024), "epochs": (2, 3)}
    check = TrendCheck(rises="steady_step_time", of="cpu", along="batch_size")
    row = _row(check, axes=axes)
    assert row["verdict"] == "CONFIRMED"
    assert "epochs = 2, batch_size = 256" in row["numbers"]
    held = TrendCheck(rises="steady_step_time", of="cpu", along="batch_size", where={"epochs": 3})
    assert "epochs = 2" not in _row(held, axes=axes)["numbers"]


# Equivalence and peaks ------------------------------------------------------------------------


def test_the_same_accuracy_everywhere_is_confirmed_by_equivalence() -> None:
    row = _row(EquivalentCheck(equivalent="val_accuracy", within=0.02))
    assert row["verdict"] == "CONFIRMED"
    assert "± 0.02" in row["rule"]
    assert len(row["evidence"]) == 6


def test_equivalence_takes_two_devices() -> None:
    check = EquivalentCheck(equivalent="val_accuracy", within=0.02)
    row = _row(check, fate=lambda cell: "ok" if cell.device == "cpu" else "skipped")
    assert row["verdict"] == "NOT TESTED HERE"


def test_no_device_beats_its_data_sheet() -> None:
    row = _row(PeakCheck(below_peak=True), shape="matmul", axes={})
    assert row["verdict"] == "CONFIRMED"
    assert "(peak 0.234)" in row["numbers"]


def test_a_rate_above_the_peak_is_refuted_even_from_one_process() -> None:
    check = PeakCheck(below_peak=True)
    row = _row(check, shape="matmul", axes={}, repeats=1, factors={"cpu": 0.5})
    assert row["verdict"] == "REFUTED"


def test_without_a_cited_peak_there_is_nothing_to_test() -> None:
    row = _row(PeakCheck(below_peak=True), shape="matmul", devices=("cpu-1",), axes={})
    assert row["verdict"] == "NOT TESTED HERE"


# Machines, sources, withheld ------------------------------------------------------------------


def test_each_machine_gives_its_own_verdict() -> None:
    claim = Claim(text="Fast", check=RatioCheck(ratio="speedup", of="gpu", at_least=4.0))
    here = study(claims=[claim], machine="aaaaaaaa", noise=EXACT)
    there = study(machine="bbbbbbbb", noise=EXACT, factors={"gpu": 2.0}, seed=1)
    both = Study(plan=here.plan, records=(*here.records, *there.records))
    verdicts = {row["machine"]: row["verdict"] for row in _rows(both)}
    assert verdicts == {"aaaaaaaa": "CONFIRMED", "bbbbbbbb": "REFUTED"}


def test_a_withheld_speedup_leaves_its_claim_undecided() -> None:
    claim = Claim(text="Fast", check=RatioCheck(ratio="speedup", of="gpu", at_least=1.0))
    made = study(axes={}, devices=("cpu", "gpu"), claims=[claim])
    other = study(axes={}, devices=("cpu", "gpu"), origin="official")
    records = [record for record in made.records if record.cell.device == "cpu"]
    records += [record for record in other.records if record.cell.device == "gpu"]
    (row,) = _rows(Study(plan=made.plan, records=tuple(records)))
    assert row["verdict"] == "UNDECIDED"
    assert "its input differs" in row["numbers"]


def test_a_claim_names_its_own_source_or_the_specs() -> None:
    check = ValueCheck(value="loss", of="cpu", at_most=1.0)
    claims = [Claim(text="A", check=check), Claim(text="B", check=check, source="ParaDnn")]
    assert [row["source"] for row in _rows(study(claims=claims))] == ["An example", "ParaDnn"]


def test_a_plan_without_claims_has_an_empty_frame() -> None:
    assert _rows(study()) == []


def test_one_refuted_point_refutes_and_all_points_must_confirm() -> None:
    yes, no = ClaimVerdict.CONFIRMED, ClaimVerdict.REFUTED
    perhaps, absent = ClaimVerdict.UNDECIDED, ClaimVerdict.NOT_TESTED
    assert together([yes, yes]) is yes
    assert together([yes, no, perhaps]) is no
    assert together([yes, perhaps]) is perhaps
    assert together([yes, absent]) is perhaps
    assert together([absent, absent]) is absent
    assert together([]) is absent
