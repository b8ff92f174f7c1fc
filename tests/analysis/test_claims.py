"""Claims, tested by their rules."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from accelreport.analysis.claim_rules import claim_results
from accelreport.analysis.results import results_of
from accelreport.analysis.speedup import speedups_of
from accelreport.report.claim_text import COLUMNS, claims_frame
from accelreport.results.plan_document import PlannedCell
from accelreport.spec.cells import Cell
from accelreport.spec.claims import (
    BoundCheck,
    Check,
    Claim,
    EquivalentCheck,
    FasterCheck,
    TrendCheck,
)
from accelreport.spec.models import Published
from tests.support.records import Noise, Study, slowed, study

EXACT = Noise(process=0.005, step=0.01, outlier_share=0)


def rows_of(made: Study) -> list[dict[str, Any]]:
    """The rows of the frame, with what the rule says in the place of the state."""
    found = claim_results(made.plan, results_of(made.plan, made.records), made.records)
    frame = claims_frame(made.plan, found)
    assert list(frame.columns) == list(COLUMNS)
    return [
        {str(name): value for name, value in row.items()} | {"verdict": each.verdict.value}
        for row, each in zip(frame.to_dict("records"), found, strict=True)
    ]


def row_of(check: Check, **of_study: Any) -> dict[str, Any]:
    given = {"noise": EXACT} | of_study
    (row,) = rows_of(study(claims=[Claim(text="Somebody said so", check=check)], **given))
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
    check = BoundCheck.model_validate(given | bounds)
    assert row_of(check)["verdict"] == verdict


def test_a_bound_inside_the_interval_decides_nothing() -> None:
    check = BoundCheck(ratio="speedup", of="gpu", where={"batch_size": 256}, at_least=4.98)
    assert row_of(check, noise=Noise(process=0.05))["verdict"] == "UNDECIDED"


def test_of_times_the_ratio_says_how_many_times_faster() -> None:
    check = BoundCheck(ratio="epoch_time", of="gpu", over="cpu", at_least=1.0)
    row = row_of(check)
    assert row["verdict"] == "CONFIRMED"
    assert row["rule"].startswith("gpu is at least as fast as cpu, by epoch_time")


def test_stages_of_one_device_are_compared_process_by_process() -> None:
    check = BoundCheck(ratio="first_epoch_time", to="epoch_time", of="cpu", at_least=1.0)
    row = row_of(check, noise=Noise(process=0.2, step=0.01, outlier_share=0), axes={})
    assert row["verdict"] == "CONFIRMED"
    assert "epoch_time of the same process" in row["rule"]


@pytest.mark.parametrize(("fate", "cut"), [("ok", False), ("partial", True)])
def test_a_total_says_of_how_many_steps_it_is_extrapolated(fate: str, cut: bool) -> None:
    for check in (
        BoundCheck(value="total_time", of="cpu", at_least=1e9),
        BoundCheck(ratio="total_time", of="gpu", over="cpu", at_least=1e9),
        TrendCheck(rises="total_time", of="cpu", along="batch_size"),
        BoundCheck(ratio="speedup", of="gpu", over="cpu", at_least=1e9),
    ):
        row = row_of(check, fate=lambda _: fate)
        of_totals = cut and "speedup" not in str(check)
        marked = re.findall(r", extrapolated from \d+ timed steps of 300\)", row["numbers"])
        assert len(marked) == (3 if of_totals else 0)
        assert all(("extrapolated" in number) == of_totals for number in row["evidence"])


def test_a_claim_that_names_no_point_must_hold_at_every_point() -> None:
    check = BoundCheck(ratio="speedup", of="gpu", at_least=5.1)
    row = row_of(check)
    assert row["verdict"] == "REFUTED"
    assert len(row["evidence"]) == 3
    one = BoundCheck(ratio="speedup", of="gpu", at_least=5.1, where={"batch_size": 1024})
    assert row_of(one)["verdict"] == "CONFIRMED"


def test_one_process_confirms_nothing() -> None:
    row = row_of(BoundCheck(ratio="speedup", of="gpu", at_least=1.0), repeats=1)
    assert row["verdict"] == "UNDECIDED"
    assert row["numbers"].endswith("(one process)")


@pytest.mark.parametrize(
    ("bounds", "verdict"),
    [
        ({"by_at_least": 4.0}, "CONFIRMED"),
        ({"by_at_least": 6.0}, "REFUTED"),
        ({"by_at_most": 6.0}, "CONFIRMED"),
        ({"by_at_least": 4.0, "by_at_most": 4.5}, "REFUTED"),
        ({"by_about": 5.0}, "CONFIRMED"),
        ({"by_about": 0.2}, "REFUTED"),
        ({"by_about": 8.0, "tolerance": 2.0}, "CONFIRMED"),
    ],
)
@pytest.mark.parametrize("quantity", ["speedup", "steady_step_time", "epoch_time", "throughput"])
def test_faster_means_faster_whether_a_time_or_a_rate_is_compared(
    quantity: str, bounds: dict[str, float], verdict: str
) -> None:
    given = {"faster": "gpu", "than": "cpu", "where": {"batch_size": 256}, "quantity": quantity}
    row = row_of(FasterCheck.model_validate(given | bounds))
    assert row["verdict"] == verdict
    assert "times as fast as cpu, by" in row["rule"]


def test_points_of_two_devices_may_differ() -> None:
    given: dict[str, Any] = {"faster": "gpu", "than": "gpu", "quantity": "throughput"}
    places = {"where": {"batch_size": 1024}, "than_where": {"batch_size": 256}}
    check = FasterCheck.model_validate(given | places | {"by_at_least": 1.05})
    row = row_of(check)
    assert (row["verdict"], len(row["evidence"])) == ("CONFIRMED", 1)
    swapped = {"where": places["than_where"], "than_where": places["where"]}
    check = FasterCheck.model_validate(given | swapped | {"by_at_least": 1.05})
    assert row_of(check)["verdict"] == "REFUTED"


def test_values_of_an_axis_may_count_together_by_their_geometric_mean() -> None:
    # Alone, 256 is 4.97 times as fast and 1024 5.50 times: together 5.23 times.
    axes = {"batch_size": (256, 1024)}
    apart = FasterCheck(faster="gpu", than="cpu", by_about=5.23, tolerance=1.03)
    assert row_of(apart, axes=axes, repeats=5)["verdict"] == "REFUTED"
    together_ = apart.model_copy(update={"mean_over": ["batch_size"]})
    row = row_of(together_, axes=axes, repeats=5)
    assert row["verdict"] == "CONFIRMED"
    assert [each["n"] for each in row["evidence"]] == [5]


# Devices that are not here --------------------------------------------------------------------


def _no_tpu(cell: Any) -> str:
    return "skipped" if cell.device == "tpu" else "ok"


@pytest.mark.parametrize(
    "check",
    [
        BoundCheck(ratio="speedup", of="tpu", about=17),
        BoundCheck(ratio="epoch_time", of="gpu", over="tpu", about=17),
        BoundCheck(value="val_accuracy", of="tpu", at_least=0.9),
        TrendCheck(rises="speedup", of="tpu", along="batch_size"),
    ],
)
def test_without_its_device_a_claim_is_not_tested_and_says_why(check: Check) -> None:
    row = row_of(check, fate=_no_tpu)
    assert row["verdict"] == "NOT TESTED HERE"
    assert "no TPU on this machine" in row["numbers"]
    assert row["rule"]


def test_a_plan_of_one_epoch_has_no_later_one_on_any_device() -> None:
    check = BoundCheck(ratio="first_epoch_time", to="epoch_time", of="tpu", at_least=1)
    for epochs, lack in ((1, "too little of tpu in the full"), (2, "no TPU on this machine")):
        assert lack in row_of(check, epochs=epochs, fate=_no_tpu)["numbers"]


def test_published_figures_are_shown_and_labelled_as_not_ours() -> None:
    published = [
        Published(device="tpu", label="Colab TPU", epoch_time=17.5),
        Published(device="gpu", label="Colab GPU", epoch_time=300.0, val_accuracy=0.84),
    ]
    check = BoundCheck(ratio="epoch_time", of="tpu", over="gpu", about=17)
    row = row_of(check, fate=_no_tpu, published=published)
    assert row["verdict"] == "NOT TESTED HERE"
    expected = "Published: Colab TPU: 17.5 s [epoch_time]; Colab GPU: 5 min [epoch_time]."
    assert row["published"].replace("\N{NO-BREAK SPACE}", " ") == expected


def test_a_published_speedup_over_another_device_does_not_bear_on_a_claim() -> None:
    published = [
        Published(device="tpu", label="Over GPU", speedup=2.0, over="gpu"),
        Published(device="tpu", label="Over CPU", speedup=110.0, over="cpu"),
        Published(device="tpu", label="Over the baseline", speedup=111.0),
    ]
    said = row_of(FasterCheck(faster="tpu", than="gpu", by_about=2), published=published)
    assert "Over GPU: 2×" in said["published"]
    assert "11" not in said["published"]
    above = row_of(BoundCheck(ratio="speedup", of="tpu", at_least=2), published=published)
    assert "Over GPU" not in above["published"]
    assert "Over CPU: 110×" in above["published"]
    assert "Over the baseline: 111×" in above["published"]


# Values ---------------------------------------------------------------------------------------


def test_a_value_is_compared_with_its_bounds() -> None:
    high = BoundCheck(value="val_accuracy", of="gpu", at_least=0.95)
    low = BoundCheck(value="val_accuracy", of="gpu", at_most=0.95)
    assert row_of(high, origin="official")["verdict"] == "CONFIRMED"
    assert row_of(low, origin="official")["verdict"] == "REFUTED"


def test_accuracy_of_a_run_that_the_budget_ended_is_not_tested() -> None:
    check = BoundCheck(value="val_accuracy", of="gpu", at_least=0.9)
    assert row_of(check, fate=lambda _: "partial")["verdict"] == "NOT TESTED HERE"


# Trends ---------------------------------------------------------------------------------------


def test_a_speedup_that_grows_with_the_batch_rises() -> None:
    rises = TrendCheck(rises="speedup", of="tpu", over="gpu", along="batch_size")
    falls = TrendCheck(falls="speedup", of="tpu", over="gpu", along="batch_size")
    assert row_of(rises)["verdict"] == "CONFIRMED"
    assert row_of(falls)["verdict"] == "REFUTED"


def test_a_rise_of_accuracy_by_one_point_is_a_rise() -> None:
    check = TrendCheck(rises="val_accuracy", of="cpu", along="epochs")
    assert (
        row_of(check, axes={"epochs": (4, 8)}, repeats=5, origin="official")["verdict"]
        == "CONFIRMED"
    )


def test_a_trend_needs_two_points() -> None:
    def fate(cell: Any) -> str:
        return "ok" if cell.point["batch_size"] == 256 else "oom-device"

    row = row_of(TrendCheck(rises="speedup", of="gpu", along="batch_size"), fate=fate)
    assert row["verdict"] == "NOT TESTED HERE"
    assert row["numbers"] == (
        "fewer than two values of batch_size have every number that the trend needs"
    )


def test_a_trend_must_hold_at_every_setting_of_the_other_axes() -> None:
    axes = {"batch_size": (256, 1024), "epochs": (2, 3)}
    check = TrendCheck(rises="steady_step_time", of="cpu", along="batch_size")
    row = row_of(check, axes=axes)
    assert row["verdict"] == "CONFIRMED"
    assert "epochs 2, batch_size 256" in row["numbers"]
    held = TrendCheck(rises="steady_step_time", of="cpu", along="batch_size", where={"epochs": 3})
    assert "epochs 2" not in row_of(held, axes=axes)["numbers"]


def test_a_trend_is_followed_where_another_key_advances_with_its_axis() -> None:
    check = TrendCheck(rises="steady_step_time", of="cpu", along="batch_size")
    made = study(
        axes={"batch_size": (256, 512, 1024), "epochs": (2, 3, 4)},
        claims=[Claim(text="It rises", check=check)],
    )
    together = {(256, 2), (512, 3), (1024, 4)}

    def zipped(cell: Cell | PlannedCell) -> bool:
        return (cell.point["batch_size"], cell.point["epochs"]) in together

    plan = made.plan.model_copy(update={"cells": [c for c in made.plan.cells if zipped(c)]})
    (row,) = rows_of(Study(plan=plan, records=tuple(r for r in made.records if zipped(r.cell))))
    assert row["verdict"] == "CONFIRMED"
    assert "batch_size 512, epochs 3" in row["numbers"]


def _paced(made: Study, seconds: Mapping[int, float]) -> Study:
    """The study whose CPU takes so long for a step of each batch."""
    slowed = []
    for record in made.records:
        factor = seconds[int(str(record.cell.point["batch_size"]))]
        paces = [factor * block.steps * (1 + record.cell.repeat / 500) for block in record.blocks]
        blocks = [
            block.model_copy(update={"wall_s": wall_s, "cpu_s": wall_s})
            for block, wall_s in zip(record.blocks, paces, strict=True)
        ]
        slowed.append(record.model_copy(update={"blocks": blocks}))
    return Study(plan=made.plan, records=tuple(slowed))


@pytest.mark.parametrize(
    ("seconds", "verdict"),
    [
        ({32: 1.0, 64: 2.0, 128: 4.0, 256: 8.0}, "CONFIRMED"),
        ({32: 1.0, 64: 1.0, 128: 2.0, 256: 4.0}, "CONFIRMED"),
        ({32: 1.0, 64: 1.0, 128: 1.0, 256: 1.0}, "REFUTED"),
        ({32: 1.0, 64: 2.0, 128: 1.0, 256: 4.0}, "REFUTED"),
    ],
)
def test_a_rise_needs_no_step_to_grow_and_none_to_go_back(
    seconds: dict[int, float], verdict: str
) -> None:
    check = TrendCheck(rises="steady_step_time", of="cpu", along="batch_size")
    made = study(
        axes={"batch_size": tuple(seconds)},
        devices=("cpu",),
        noise=EXACT,
        stamps=False,
        claims=[Claim(text="It rises", check=check)],
    )
    (row,) = rows_of(_paced(made, seconds))
    assert row["verdict"] == verdict


# Equivalence ----------------------------------------------------------------------------------


def test_the_same_accuracy_everywhere_is_confirmed_by_equivalence() -> None:
    row = row_of(EquivalentCheck(equivalent="val_accuracy", within=0.02))
    assert row["verdict"] == "CONFIRMED"
    assert "± 0.02" in row["rule"]
    assert len(row["evidence"]) == 6


def test_equivalence_takes_two_devices() -> None:
    check = EquivalentCheck(equivalent="val_accuracy", within=0.02)
    row = row_of(check, fate=lambda cell: "ok" if cell.device == "cpu" else "skipped")
    assert row["verdict"] == "NOT TESTED HERE"


# Machines, sources, withheld ------------------------------------------------------------------


def test_each_machine_gives_its_own_verdict() -> None:
    claim = Claim(text="Fast", check=BoundCheck(ratio="speedup", of="gpu", at_least=4.0))
    here = study(claims=[claim], machine="aaaaaaaa", noise=EXACT)
    there = study(machine="bbbbbbbb", noise=EXACT, factors={"gpu": 2.0}, seed=1)
    both = Study(plan=here.plan, records=(*here.records, *there.records))
    verdicts = {row["machine"]: row["verdict"] for row in rows_of(both)}
    assert verdicts == {"aaaaaaaa": "CONFIRMED", "bbbbbbbb": "REFUTED"}


def test_a_withheld_speedup_withholds_its_claim() -> None:
    claim = Claim(text="Fast", check=BoundCheck(ratio="speedup", of="gpu", at_least=1.0))
    made = study(axes={}, devices=("cpu", "gpu"), claims=[claim])
    other = study(axes={}, devices=("cpu", "gpu"), origin="official")
    records = [record for record in made.records if record.cell.device == "cpu"]
    records += [record for record in other.records if record.cell.device == "gpu"]
    (row,) = rows_of(Study(plan=made.plan, records=tuple(records)))
    assert row["verdict"] == "WITHHELD"
    assert "its input differs" in row["numbers"]


def test_a_claim_names_its_own_source_or_the_specs() -> None:
    check = BoundCheck(value="loss", of="cpu", at_most=1.0)
    claims = [
        Claim(text="A", check=check, by="source"),
        Claim(text="B", check=check, source="ParaDnn", note="of 2020"),
        Claim(text="C", check=check, by="accelreport"),
        Claim(text="D", check=check),
    ]
    told = [(row["by"], row["source"], row["note"]) for row in rows_of(study(claims=claims))]
    assert told == [
        ("source", "An example", ""),
        ("source", "ParaDnn", "of 2020"),
        ("accelreport", "", ""),
        ("author", "", ""),
    ]


@pytest.mark.parametrize("quantity", ["speedup", "steady_step_time", "throughput"])
def test_a_claim_knows_of_the_slow_processes_that_another_sweep_point_showed(
    quantity: str,
) -> None:
    given = {"ratio": quantity, "of": "gpu", "over": "cpu", "where": {"batch_size": 256}}
    check = BoundCheck.model_validate(given | {"at_least": 1.0})
    quiet = study(claims=[Claim(text="Somebody said so", check=check)], noise=EXACT, epochs=2)
    made = slowed(quiet, 1.6, device="gpu", repeat=0, batch_size=512)
    results = results_of(made.plan, made.records)
    (found,) = claim_results(made.plan, results, made.records)
    (shown,) = (
        each
        for each in speedups_of(made.plan, results)
        if (each.device, each.point) == ("gpu", {"batch_size": 256})
    )
    (number,) = found.numbers
    assert number.interval.low == pytest.approx(shown.interval.low)
    assert number.interval.high == pytest.approx(shown.interval.high)


def lacking(device: str, *sizes: int) -> Callable[[Cell], str]:
    """A device that has no number at some points, or at none."""

    def fate(cell: Cell) -> str:
        there = not sizes or cell.point["batch_size"] in sizes
        return "oom-device" if cell.device == device and there else "ok"

    return fate


RISES = TrendCheck(rises="speedup", of="gpu", along="batch_size")


@pytest.mark.parametrize(
    ("check", "fate", "verdict", "counts"),
    [
        (BoundCheck(ratio="speedup", of="gpu", at_least=1), lacking("gpu", 1024), "UND", "2 of"),
        (BoundCheck(ratio="speedup", of="gpu", at_least=9), lacking("gpu", 1024), "REF", ""),
        (BoundCheck(value="val_accuracy", of="gpu", at_least=0.5), lacking("gpu", 256), "UND", "2"),
        (RISES, lacking("gpu", 1024), "UND", "2 of the 3 numbers measured"),
        (EquivalentCheck(equivalent="val_accuracy", within=0.05), lacking("tpu"), "UND", "3 of"),
        (EquivalentCheck(equivalent="val_accuracy", within=0.05), lacking("none"), "CONF", ""),
        (BoundCheck(ratio="speedup", of="gpu", at_least=1), lacking("gpu"), "NOT TESTED", ""),
    ],
)
def test_a_claim_of_every_point_is_not_confirmed_by_some_of_them(
    check: Check, fate: Callable[[Cell], str], verdict: str, counts: str
) -> None:
    row = row_of(check, fate=fate, repeats=5, origin="official")
    assert row["verdict"].startswith(verdict)
    assert ("numbers measured" in row["numbers"]) is bool(counts)
    assert counts in row["numbers"]
