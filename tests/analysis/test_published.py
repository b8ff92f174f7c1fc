"""Somebody else's figures beside ours, and what is wrong with them."""

from __future__ import annotations

from math import isnan
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pydantic import ValidationError

from accelreport.analysis.compute import cited_peak, peak_for
from accelreport.analysis.published import flags_of, published_results, rounding
from accelreport.analysis.results import results_of
from accelreport.loader.load import load
from accelreport.report.frames import PUBLISHED_COLUMNS, published_frame
from accelreport.report.warning_text import flag_text
from accelreport.results.plan_document import PlanDocument, plan_document
from accelreport.spec.cells import Cell
from accelreport.spec.device import Device
from accelreport.spec.models import Published, Source
from tests.analysis.test_quantised import quantised
from tests.support.records import Study, study
from tests.support.rows import speedup_rows
from tests.support.worlds import Fact, World, records_of

SPECS = Path(__file__).parents[2] / "specs"


def _published(**figures: Any) -> Published:
    return Published.model_validate({"device": "gpu", "label": "Somebody's GPU"} | figures)


def _frame(*published: Published, **of_study: Any) -> pd.DataFrame:
    made = study(published=published, **of_study)
    return published_frame(published_results(made.plan, results_of(made.plan, made.records)))


def _only(frame: pd.DataFrame) -> dict[str, Any]:
    (row,) = frame.to_dict("records")
    return {str(name): value for name, value in row.items()}


# Beside ours ----------------------------------------------------------------------------------


def test_each_figure_is_a_row_beside_what_was_measured() -> None:
    frame = _frame(_published(epoch_time=2.0, val_accuracy=0.98), axes={}, origin="official")
    assert list(frame.columns) == list(PUBLISHED_COLUMNS)
    assert list(frame["figure"]) == ["epoch_time", "val_accuracy"]
    assert (frame["ratio"] == frame["measured"] / frame["published"]).all()
    assert (frame["low"] < frame["measured"]).all()
    assert (frame["n"] == 3).all()


def test_a_published_speedup_stands_beside_ours_over_the_same_device() -> None:
    row = _only(_frame(_published(speedup=3.0, over="cpu", where={"batch_size": 256})))
    made = study()
    ours = speedup_rows(made.plan, made.records)
    there = ours[(ours["device"] == "gpu") & (ours["batch_size"] == 256)].iloc[0]
    assert (row["measured"], row["low"], row["high"]) == pytest.approx(
        (there["speedup"], there["low"], there["high"])
    )
    assert row["over"] == "cpu"


TIMES = {"epoch_time": 1, "step_time": 1, "sample_time": 1, "total_time": 1, "throughput": -1}


@pytest.mark.parametrize(("figure", "power"), TIMES.items())
def test_a_time_that_includes_validation_is_compared_with_ours_and_its_validation(
    figure: str, power: int
) -> None:
    steps = _only(_frame(_published(**{figure: 2.0}), axes={}, origin="official"))
    whole = _only(
        _frame(_published(**{figure: 2.0}, includes="validation"), axes={}, origin="official")
    )
    epoch = _only(_frame(_published(epoch_time=2.0), axes={}, origin="official"))
    longer = 1 + 0.4 / epoch["measured"]  # a validation of these records takes 0.4 s
    assert whole["measured"] == pytest.approx(steps["measured"] * longer**power, rel=0.01)
    assert whole["low"] < whole["measured"] < whole["high"]
    assert whole["ratio"] == pytest.approx(whole["measured"] / 2.0)
    assert whole["caveat"].startswith("measured with validation")
    assert "validation" not in steps["caveat"]


@pytest.mark.parametrize(
    "of_study", [{"origin": "official", "epochs": 1}, {"origin": "sample"}], ids=str
)
def test_a_time_that_includes_validation_is_marked_where_ours_is_not_known(
    of_study: dict[str, Any],
) -> None:
    plain = _only(_frame(_published(step_time=2.0), axes={}, **of_study))
    row = _only(_frame(_published(step_time=2.0, includes="validation"), axes={}, **of_study))
    assert row["measured"] == plain["measured"]
    assert "published with validation, measured without" in row["caveat"]


def test_an_epoch_that_the_budget_cut_is_extrapolated_and_marked() -> None:
    whole = _only(_frame(_published(epoch_time=2.0), axes={}, origin="official"))
    cut = _only(
        _frame(_published(epoch_time=2.0), axes={}, origin="official", epochs=1, fate=all_cut)
    )
    assert cut["measured"] == pytest.approx(whole["measured"], rel=0.05)
    assert "extrapolated" in cut["caveat"]
    assert "extrapolated" not in whole["caveat"]


def test_an_epoch_is_extrapolated_by_the_epochs_of_its_sweep_point() -> None:
    given: dict[str, Any] = {"axes": {"epochs": (1, 2)}, "fate": all_cut, "origin": "official"}
    rows = _frame(_published(epoch_time=2.0), **given).to_dict("records")
    steps = [_only(_frame(_published(step_time=2.0, where={"epochs": n}), **given)) for n in (1, 2)]
    made = study(**given)
    for row, step, cell in zip(rows, steps, made.plan.cells[::9], strict=True):
        record = next(record for record in made.records if record.key == cell.key)
        in_an_epoch = record.planned_steps / float(cell.point["epochs"])
        assert row["measured"] == pytest.approx(step["measured"] * in_an_epoch)


def all_cut(cell: Cell) -> str:
    del cell
    return "partial"


def test_what_a_time_includes_belongs_to_a_time() -> None:
    with pytest.raises(ValidationError, match="`includes` belongs to a time"):
        _published(val_accuracy=0.9, includes="validation")


def _in_a_world(name: str, world: World, figure: str, mark: str = "S") -> list[float]:
    """What was measured beside the figures of a shipped spec, in a world of known times."""
    (spec,) = load([SPECS / f"{name}.toml"]).specs
    plan = plan_document(spec, {})
    results = results_of(plan, records_of(spec.cells, world))
    return [
        each.measured.value
        for each in published_results(plan, results)
        if each.figure == figure and each.row.mark == mark
    ]


def _epochs(cell: Cell) -> Fact:
    seconds = {"tpu": {8192: 1.0}, "gpu": {1024: 3.0, 8192: 50.0}}
    return Fact(seconds.get(cell.device, {}).get(int(cell.workload["batch_size"]), 9.0))


def _calls(cell: Cell) -> Fact:
    return Fact(100.0) if cell.device == "cpu" else Fact(1.0, first=5.0)


def test_a_published_speedup_is_put_beside_ours_at_the_points_and_by_what_it_compares() -> None:
    # "Roughly 4 times" compares an epoch of 8,192 on the TPU with one of 1,024 on the GPU.
    assert _in_a_world("mnist_cnn", _epochs, "speedup") == [pytest.approx(3, rel=0.01)]
    # 29 and 338 compare later calls; 75 first ones, the TPU's five times as long.
    found = _in_a_world("matmul", _calls, "speedup")
    assert found == [pytest.approx(value, rel=0.01) for value in (100, 20, 100)]


def test_published_sizes_of_another_network_are_no_divisors() -> None:
    def world(cell: Cell) -> Fact:
        return Fact(rest={"quantised": quantised(1, 1)})

    assert _in_a_world("mnist_deploy", world, "float32_bytes") == [pytest.approx(4000)]
    assert _in_a_world("mnist_deploy", world, "int8_bytes") == [pytest.approx(1000)]
    (spec,) = load([SPECS / "mnist_deploy.toml"]).specs
    plan = plan_document(spec, {})
    found = published_results(plan, results_of(plan, records_of(spec.cells, world)))
    assert found
    assert all(isnan(result.ratio) for result in found)


def test_figures_of_one_source_are_not_held_against_those_of_another() -> None:
    theirs = Source(title="Another piece")
    rows = [_published(epoch_time=2.0), _published(epoch_time=4.0, device="cpu")]
    odd = _published(speedup=9.0, over="cpu")
    plan = study(published=[*rows, odd]).plan
    assert flags_of(plan, odd, "speedup")
    other = odd.model_copy(update={"source": theirs})
    assert not flags_of(plan, other, "speedup")


def test_a_figure_nothing_was_measured_for_is_still_a_row() -> None:
    row = _only(_frame(_published(epoch_time=2.0), axes={}, fate=lambda _: "missing"))
    assert row["machine"] == ""
    assert row["n"] == 0
    assert pd.isna(row["measured"])


def test_the_measured_side_says_what_makes_it_unlike_the_published_one() -> None:
    row = _only(_frame(_published(total_time=60.0), axes={}, fate=lambda _: "partial"))
    expected = "extrapolated; synthetic data"
    assert row["caveat"] == expected
    assert _only(_frame(_published(total_time=60.0), axes={}, origin="official"))["caveat"] == ""


def test_a_row_is_by_its_own_source_before_the_specs() -> None:
    theirs = Source(
        title="A paper", authors="A. Author", year=2021, url="https://example.org/paper",
        licence="CC BY 4.0", accessed="2026-05-31",
    )  # fmt: skip
    rows = (
        _published(epoch_time=2.0),
        _published(label="Theirs", epoch_time=3.0, source=theirs, imported="theirs.csv"),
    )
    made = study(published=rows, axes={})
    plan = made.plan.model_copy(update={"source": Source(title="A notebook", year=2018)})
    plain, imported = published_frame(
        published_results(plan, results_of(plan, made.records))
    ).to_dict("records")
    assert (plain["source"], plain["imported"]) == ("A notebook (2018)", "")
    assert imported["source"] == "A paper (A. Author, 2021); CC BY 4.0; read 2026-05-31"
    assert (imported["source_url"], imported["imported"]) == (theirs.url, "theirs.csv")


QUICK = """
[workload]
kind = "image_classification"
dataset = "mnist"
epochs = 15
batch_size = 256
steps_per_epoch = 100
[profiles.quick.workload]
epochs = 2
steps_per_epoch = 40
"""


def _quick(row: Published, text: str = QUICK, **more: Any) -> dict[str, Any]:
    """The row of a run that a profile made short."""
    made = study(
        axes={}, profile="quick", epochs=2, steps_per_epoch=40, published=[row], origin="official"
    )
    changed = {"text": text, "workload": made.plan.workload | more}
    plan = made.plan.model_copy(update=changed)
    return _only(published_frame(published_results(plan, results_of(plan, made.records))))


TOLD = "measured with epochs 2 instead of 15, steps_per_epoch 40 instead of 100"


def test_a_total_of_a_shorter_run_is_told_and_not_divided_by_the_sources() -> None:
    row = _quick(_published(total_time=60.0))
    assert row["measured"] > 0
    assert pd.isna(row["ratio"])
    assert not row["comparable"]
    assert row["caveat"] == f"{TOLD}; not divided"


def test_an_epoch_of_fewer_steps_is_compared_by_the_step() -> None:
    row = _quick(_published(epoch_time=2.0))
    assert row["ratio"] == pytest.approx((row["measured"] / 40) / (2.0 / 100))
    assert row["comparable"]
    assert row["caveat"] == f"{TOLD}; by step time"


def test_a_step_is_a_step_however_many_are_run() -> None:
    row = _quick(_published(step_time=0.03))
    assert row["ratio"] == pytest.approx(row["measured"] / 0.03)
    assert row["caveat"] == TOLD


def test_a_learning_rate_changes_what_is_learnt_and_not_what_a_step_takes() -> None:
    text = f"{QUICK}[profiles.quick.workload.optimizer]\nlearning_rate = 3e-3\n"
    step = _quick(_published(step_time=0.03), text, optimizer={"learning_rate": 3e-3})
    learnt = _quick(_published(val_accuracy=0.98), text, optimizer={"learning_rate": 3e-3})
    assert step["ratio"] == pytest.approx(step["measured"] / 0.03)
    assert "learning_rate" in step["caveat"]
    assert pd.isna(learnt["ratio"])


@pytest.mark.parametrize("figure", ["step_time", "sample_time", "epoch_time", "total_time"])
def test_what_changes_a_step_leaves_nothing_to_divide(figure: str) -> None:
    text = f"{QUICK}batch_size = 64\n"
    row = _quick(_published(**{figure: 2.0}), text, batch_size=64)
    assert pd.isna(row["ratio"])
    assert "batch_size 64 instead of 256" in row["caveat"]


def test_an_accuracy_on_a_stand_in_for_the_data_is_not_divided_by_one_on_the_data() -> None:
    real, synthetic, sample = (
        _only(_frame(_published(val_accuracy=0.98), axes={}, origin=origin))
        for origin in ("official", "synthetic", "sample")
    )
    assert real["ratio"] == pytest.approx(real["measured"] / 0.98)
    assert pd.isna(synthetic["ratio"])
    assert "synthetic" in synthetic["caveat"]
    assert pd.isna(sample["ratio"])
    assert sample["caveat"] == "sample data"
    timed = _only(_frame(_published(step_time=0.98), axes={}, origin="sample"))
    assert timed["ratio"] == pytest.approx(timed["measured"] / 0.98)


def test_a_published_speedup_is_not_beside_one_that_is_withheld() -> None:
    made = study(axes={}, published=[_published(speedup=3.0, over="cpu")])
    mixed = made.plan.devices["gpu"].model_copy(update={"precision": "mixed_float16"})
    plan = made.plan.model_copy(update={"devices": made.plan.devices | {"gpu": mixed}})
    row = _only(published_frame(published_results(plan, results_of(plan, made.records))))
    assert pd.isna(row["measured"])
    assert row["caveat"].endswith("withheld: it computes in float16 instead of float32")


# Contradictions -------------------------------------------------------------------------------


def _flags(figure: str, *others: Published, profile: str = "full", **given: Any) -> tuple[str, ...]:
    row = _published(**given)
    made: Study = study(
        axes={}, epochs=10, steps_per_epoch=100, published=[row, *others], profile=profile
    )
    flags = flags_of(made.plan, row, figure)
    return tuple(flag_text(flag).replace("\N{NO-BREAK SPACE}", " ") for flag in flags)


def test_a_rate_above_the_named_hardwares_peak_is_flagged() -> None:
    (said,) = _flags("tflops", tflops=15.7, hardware="Tesla K80")
    assert "3.6 times the peak of 4.37 TFLOPS" in said
    assert "Tesla K80" in said
    assert _flags("tflops", tflops=4.1, hardware="Tesla K80") == ()
    assert _flags("tflops", tflops=15.7, label="Colab Tesla K80, 2018") == (said,)


def test_a_peak_of_hardware_that_somebody_else_names_is_called_inferred() -> None:
    (said,) = _flags("tflops", tflops=15.7, hardware="Tesla K80", hardware_by="Somebody, of Colab")
    assert said.endswith("3.6 times the 4.37 TFLOPS peak (Tesla K80, presumably the one used)")


def test_a_note_decides_nothing_about_a_rate() -> None:
    bound = "two virtual cores of a Xeon"
    notes = ("", "Printed as measured; two virtual cores of a Xeon can do 0.07.", "A K80 does 4.")
    for tflops in (0.53, 0.47):
        (flags,) = {_flags("tflops", tflops=tflops, hardware=bound, note=note) for note in notes}
        (sentence,) = flags
        assert bound in sentence


def test_a_rate_above_the_devices_file_is_flagged_when_no_hardware_is_named() -> None:
    (said,) = _flags("tflops", tflops=9.0)
    assert "8.1 TFLOPS" in said
    assert _flags("tflops_cold", tflops_cold=8.0) == ()


def test_a_total_that_is_less_than_its_epochs_is_flagged() -> None:
    (said,) = _flags("total_time", total_time=30.0, epoch_time=6.0)
    assert said == "a total of 30 s does not fit 10 epochs: they take 60.0 s"


def test_rounding_is_no_contradiction() -> None:
    # 10 epochs of 2.6 s, printed as 3 s, take 26 s.
    assert not _flags("total_time", total_time=26.0, epoch_time=3.0)
    assert rounding(3.0) == pytest.approx(0.5 / 3)
    assert rounding(94e-6) == pytest.approx(0.5 / 94)
    assert rounding(300.0) == pytest.approx(0.5 / 300)


def test_the_rounding_of_a_figure_stays_that_of_its_digits_once_it_is_multiplied() -> None:
    # 117 steps of 2.49 ms, printed as 2 ms, take .29 s, and .35 s may be printed as 0.4 s.
    where = {"steps_per_epoch": 117}
    assert not _flags("step_time", step_time=2e-3, epoch_time=0.4, where=where)
    assert _flags("step_time", step_time=2e-3, epoch_time=1.0, where=where)
    # A time of 6 s may be one of 6.49 s: 1.05 times the peak is within its rounding.
    operations = 4.37e12 * 6 / 100 * 1.05
    row = _published(epoch_time=6.0, hardware="Tesla K80")
    made = study(axes={}, steps_per_epoch=100, published=[row])
    assert not flags_of(made.plan, row, "epoch_time", operations)
    assert flags_of(made.plan, row, "epoch_time", 1.05 * operations)


@pytest.mark.parametrize(
    ("quantity", "own", "other"),
    [
        ("throughput", {"throughput": 500.0}, {"throughput": 100.0}),
        ("steady_step_time", {"step_time": 0.021}, {"step_time": 0.105}),
    ],
)
def test_a_speedup_by_a_quantity_is_held_against_the_figures_of_that_quantity(
    quantity: str, own: dict[str, Any], other: dict[str, Any]
) -> None:
    base = Published.model_validate({"device": "cpu", "label": "Somebody's CPU"} | other)
    assert not _flags("speedup", base, speedup=5.0, quantity=quantity, **own)
    (said,) = _flags("speedup", base, speedup=9.0, quantity=quantity, **own)
    assert "which gives 5" in said


def test_a_speedup_over_another_point_of_the_same_device_is_held_against_its_times() -> None:
    own: dict[str, Any] = {
        "over": "gpu",
        "where": {"batch_size": 512},
        "over_where": {"batch_size": 256},
    }
    base = _published(epoch_time=60.0, where={"batch_size": 256})
    (said,) = _flags("speedup", base, speedup=20.0, epoch_time=6.0, **own)
    assert "epoch time, which gives 10" in said
    assert not _flags("speedup", base, speedup=9.6, epoch_time=6.0, **own)


def test_a_slow_first_epoch_belongs_to_the_total() -> None:
    assert not _flags("total_time", total_time=93.0, epoch_time=4.0, first_epoch_time=57.0)


def test_a_total_that_its_samples_contradict_is_flagged() -> None:
    # 10 epochs of 100 steps of 256 samples
    assert _flags("total_time", total_time=100.0, sample_time=100e-6)
    assert not _flags("total_time", total_time=26.0, sample_time=100e-6)


def test_a_step_that_is_the_time_of_a_sample_is_flagged() -> None:
    (said,) = _flags("step_time", step_time=94e-6, epoch_time=2.4)
    assert said.startswith("what the source calls a step (94 µs) is the time of a sample: 25,600")
    assert not _flags("step_time", step_time=24e-3, epoch_time=2.4)


def test_a_speedup_that_does_not_follow_from_the_times_is_flagged() -> None:
    base = Published(device="cpu", label="Somebody's CPU", epoch_time=60.0)
    (said,) = _flags("speedup", base, speedup=20.0, over="cpu", epoch_time=6.0)
    assert "epoch time, which gives 10" in said
    assert not _flags("speedup", base, speedup=9.6, over="cpu", epoch_time=6.0)


def test_a_profile_does_not_make_a_source_contradict_itself() -> None:
    # The quick profile runs 10 epochs; the source may have run any number.
    assert not _flags("total_time", total_time=30.0, epoch_time=6.0, profile="quick")


def _shipped(name: str, profile: str | None = None) -> dict[tuple[str, str], tuple[str, ...]]:
    """Flags of a shipped spec by label and figure."""
    (spec,) = load([SPECS / f"{name}.toml"], profile=profile).specs
    plan = PlanDocument(
        spec=spec.name,
        profile=spec.profile,
        title=spec.title,
        text=spec.text,
        workload=spec.workload,
        baseline=spec.baseline,
        devices=dict(spec.devices),
        axes={},
        measure=spec.measure,
        published=list(spec.published),
        cells=[],
    )
    return {
        (row.label, figure): tuple(map(flag_text, flags))
        for row in spec.published
        for figure in row.figures()
        if (flags := flags_of(plan, row, figure))
    }


@pytest.mark.parametrize("profile", [None, "quick"])
def test_the_sources_that_contradict_physics_or_themselves_are_found(profile: str | None) -> None:
    matmul = _shipped("matmul", profile)
    assert set(matmul) == {
        ("CPU, compared with the GPU", "tflops"),
        ("CPU, compared with the TPU", "tflops"),
        ("GPU", "tflops"),
    }
    imdb = _shipped("imdb_lstm", profile)
    assert list(imdb) == [("Colab TPU", "total_time"), ("Colab GPU", "total_time")]
    sweep = _shipped("mnist_batch_sweep", profile)
    assert len(sweep) >= 2
    assert {figure for _, figure in sweep} == {"step_time"}
    assert all("is the time of a sample" in said for (said,) in sweep.values())


# Peaks ----------------------------------------------------------------------------------------


def test_without_a_peak_for_the_type_the_devices_best_is_the_bound() -> None:
    tpu = Device.model_validate(
        {
            "kind": "TPU",
            "strategy": "tpu",
            "peak_tflops": {"bfloat16": 180.0},
            "peak_source": "its maker",
        }
    )
    peak = peak_for(tpu, "float32")
    assert peak is not None
    assert (peak.tflops, peak.dtype) == (180.0, "bfloat16")
    assert peak_for(Device(kind="CPU"), "float32") is None


def test_the_devices_file_speaks_before_the_data_sheet() -> None:
    plan = study("matmul", devices=("cpu", "gpu")).plan
    own = cited_peak(plan, "gpu", {}, "Tesla T4")
    assert own is not None
    assert own.source == "NVIDIA T4 datasheet"
    bare = plan.model_copy(update={"devices": {"gpu": Device(kind="GPU", tf32=True)}})
    sheet = cited_peak(bare, "gpu", {}, "NVIDIA A100-SXM4")
    assert sheet is not None
    assert (sheet.tflops, sheet.dtype) == (156.0, "tensorfloat32")
    assert cited_peak(bare, "tpu", {}) is None
