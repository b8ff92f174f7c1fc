"""What may be said of speeds: one base, one direction, nothing that weakens it left out."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from accelreport.analysis.findings import Caveat, Finding, Kind
from accelreport.analysis.stats import Verdict
from accelreport.report.forms import signs
from accelreport.report.frames import rows_of, targets_frame
from accelreport.report.notices import notices_of
from accelreport.report.openings.opening import Plot
from accelreport.report.openings.registry import opening_of
from accelreport.report.pages.ceilings import ceilings_page
from accelreport.report.say import Speaker
from accelreport.report.site.assembly import gather
from accelreport.report.view import BenchmarkView
from accelreport.spec.cells import Cell
from accelreport.spec.models import Published, Target
from tests.report.scenarios import Results
from tests.support.edited import W, edited
from tests.support.records import Study, study
from tests.support.worlds import Fact, records_of


def view(made: Study) -> BenchmarkView:
    (bench,) = gather(Results((made,)))
    return bench


def of_kind(bench: BenchmarkView, kind: Kind) -> list[Finding]:
    return [finding for finding in bench.findings if finding.kind is kind]


@cache
def example() -> dict[str, BenchmarkView]:
    """What two cores measured, by the name of the spec."""
    return {bench.plan.spec: bench for bench in gather(edited(W))}


def test_a_decided_comparison_with_an_accelerator_comes_before_what_a_sweep_gains() -> None:
    bench = view(study(axes={"batch_size": (64, 256)}, devices=("cpu", "gpu"), repeats=4))
    first, second, *_ = bench.findings
    assert first.kind is Kind.FASTER
    assert "gpu" in {value.of.device for value in first.values}
    assert second.kind is Kind.GAIN
    assert second.values[0].of.device == "gpu", "the fastest at the first point speaks first"


@pytest.mark.parametrize(("gain", "verdict"), [(1.08, Verdict.FASTER), (1.0, Verdict.SAME)])
def test_a_gain_is_compared_within_repeats_and_not_by_two_intervals(
    gain: float, verdict: Verdict
) -> None:
    """Processes vary by a tenth together, so that the intervals of both ends overlap."""
    asked = study(axes={"batch_size": (64, 256)}, devices=("cpu",), repeats=4)
    together = np.exp(0.1 * np.random.default_rng(0).normal(size=4))

    def fact(cell: Cell) -> Fact:
        batch = int(cell.workload["batch_size"])
        pace = gain if batch == 256 else 1.0
        # Repeats that are alike to the last digit have no interval.
        return Fact(1e-3 * batch * together[cell.repeat] / pace * (1 + 1e-4 * (batch % 7)))

    bench = view(replace(asked, records=records_of(asked.cells, fact)))
    low, high = (row.seconds for row in bench.compared)
    assert low.low / 64 < high.high / 256
    assert high.low / 256 < low.high / 64
    (found,) = of_kind(bench, Kind.GAIN)
    assert found.values[0].number == pytest.approx(gain, rel=1e-2)
    if verdict is Verdict.FASTER:
        assert found.values[0].verdict is verdict
    else:
        assert found.values[0].verdict is not Verdict.FASTER


def crossing(noise: float) -> list[Finding]:
    """What is said of a GPU with a fixed cost of a step beside a CPU with a cost of an example."""
    made = study(axes={"batch_size": (64, 256, 1024)}, devices=("cpu", "gpu"), repeats=4)
    random = np.random.default_rng(0)

    def fact(cell: Cell) -> Fact:
        batch = int(cell.workload["batch_size"])
        step_s = 1e-4 * batch if cell.device == "cpu" else 0.02 + 1e-6 * batch
        return Fact(step_s * float(np.exp(noise * random.normal())))

    return of_kind(view(replace(made, records=records_of(made.cells, fact))), Kind.CROSSING)


def test_a_crossing_is_between_the_two_sweep_points_at_which_both_orders_are_decided() -> None:
    (finding,) = crossing(noise=0.01)
    before, after = finding.values
    assert (before.of.point, after.of.point) == ((64,), (256,))
    assert {value.of.device for value in finding.values} == {"gpu"}
    assert (before.verdict, after.verdict) == (Verdict.SLOWER, Verdict.FASTER)
    assert not crossing(noise=2.0), "undecided orders"


def test_the_crossing_of_published_rates_is_said_below_the_figure() -> None:
    bench = example()["mnist_batch_sweep"]
    (finding,) = of_kind(bench, Kind.CROSSING)
    said = Speaker(bench).title(finding)
    assert said == (
        "The published Colab TPU overtakes the published Colab GPU between batch size 256 and 512"
    )
    (scene,) = opening_of(bench).scenes
    assert isinstance(scene.shown, Plot)
    assert f"{said}." in scene.shown.caption


def test_no_crossing_is_said_across_a_sweep_point_that_one_device_lacks() -> None:
    bench = example()["mnist_batch_sweep"]
    rows = tuple(
        row for row in bench.plan.published if row.device != "tpu" or row.where["batch_size"] != 256
    )
    plan = bench.plan.model_copy(update={"published": rows})
    assert not of_kind(replace(bench, plan=plan), Kind.CROSSING)


def test_no_published_gain_hides_that_the_measured_one_is_undecided() -> None:
    finding = of_kind(example()["mnist_batch_sweep"], Kind.GAIN)[0]
    assert {value.of.row is None for value in finding.values} == {True, False}
    spans = {(value.over.point, value.of.point) for value in finding.values if value.over}
    assert len(spans) == 1, "from one batch size to another"


@pytest.mark.parametrize("spec", ["strategies", "har_strategies", "frameworks", "imdb_lstm"])
def test_a_finding_has_one_base(spec: str) -> None:
    for finding in example()[spec].findings:
        if finding.kind in {Kind.PUBLISHED, Kind.COMPILED}:
            assert len({value.over for value in finding.values}) == 1
        elif finding.kind is not Kind.GAIN:
            assert len({value.over.device for value in finding.values if value.over}) <= 1


def test_a_run_stops_after_all_of_its_steps_and_not_after_the_timed_ones() -> None:
    made = study(axes={}, devices=("cpu",), repeats=1, fate=lambda cell: "partial")
    (record,) = made.records
    bench = view(made)
    (rate,) = of_kind(bench, Kind.RATE)
    done = sum(block.steps for block in record.blocks)
    assert done > bench.results[0].timings.steady_steps
    after = f"after {done:,} of {record.planned_steps:,} steps."
    assert after in Speaker(bench).answer(rate)


@pytest.mark.parametrize(("gain", "end"), [(1.0, " at batch size 64"), (3.0, "rates")])
def test_the_highest_rate_of_a_sweep_is_said_only_where_that_is_decided(
    gain: float, end: str
) -> None:
    def fact(cell: Cell) -> Fact:
        size = int(cell.workload["batch_size"])
        varied = 1 + 0.02 * ((cell.repeat + size // 64) % 3)
        return Fact(1e-3 * size * varied / (gain if size == 256 else 1.0), first=2.0, final={})

    made = study(axes={"batch_size": (64, 256)}, devices=("cpu",), fate=lambda cell: "missing")
    bench = view(replace(made, records=records_of(made.cells, fact)))
    (rate,) = of_kind(bench, Kind.RATE)
    assert Speaker(bench).title(rate).endswith(end)


def test_a_number_of_a_run_that_the_budget_stopped_bears_its_sign() -> None:
    made = study(axes={}, devices=("cpu",), repeats=3, fate=lambda cell: "partial")
    bench = view(made)
    (rate,) = of_kind(bench, Kind.RATE)
    assert Caveat.BUDGET in rate.caveats
    assert signs(rate.caveats) == "†"


def test_no_notice_says_that_steady_steps_were_measured_where_none_was() -> None:
    made = study(axes={}, devices=("cpu",), repeats=2, fate=lambda cell: "partial")
    assert "steady" not in notices_of([view(made)])[-1].text
    cut = tuple(r.model_copy(update={"blocks": r.blocks[:1]}) for r in made.records)
    bench = view(replace(made, records=cut))
    texts = " ".join(notice.text for notice in notices_of([bench]))
    assert "The time budget per cell stopped 2\xa0cells before a steady step" in texts
    assert "measured cell" not in texts
    assert not any(row.timed for row in bench.results)


@pytest.mark.parametrize(
    ("fate", "words"),
    [("partial", "stopped by the budget before it was reached"), ("ok", "never reached")],
)
def test_a_target_that_the_budget_came_before_was_not_never_reached(fate: str, words: str) -> None:
    target = Target(metric="val_accuracy", at_least=0.9999)
    made = study(axes={}, devices=("cpu",), repeats=2, target=target, fate=lambda cell: fate)
    bench = view(made)
    rows = rows_of(targets_frame(bench.plan, bench.target_times))
    assert {row["said"] for row in rows} == {words}
    (found,) = of_kind(bench, Kind.TARGET)
    stopped = "the time budget stopped every run" in Speaker(bench).title(found).lower()
    assert stopped is (fate == "partial")


def test_a_measurement_of_ours_is_no_published_figure() -> None:
    """What is above a ceiling that cannot be is said of rows of a source alone."""
    row = Published(device="gpu", label="GPU, first session", hardware="Tesla K80", tflops=15.7)
    made = study("matmul", axes={}, devices=("cpu", "gpu"), repeats=3, published=(row,))
    page = ceilings_page(gather(Results((made,))))
    assert page.opening
    (figure,) = page.opening.blocks
    assert str(figure).count("exceeds the peak") > 0


def test_a_ratio_that_is_restated_says_what_it_is_by_another_published_time() -> None:
    (found,) = of_kind(example()["fashion_mnist"], Kind.RESTATED)
    _, again, notebook = found.values
    assert again.number / notebook.number == pytest.approx(113 / 102)


def test_nothing_measured_in_the_example_is_above_its_roof() -> None:
    for bench in example().values():
        for finding in of_kind(bench, Kind.SHARE_OF_PEAK):
            assert all(value.number <= 1 + 1e-9 for value in finding.values)
