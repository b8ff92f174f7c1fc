"""What may be said of quality: decided where all runs agree, with every caveat."""

from __future__ import annotations

import math
from typing import Any

import pytest

from accelreport.analysis.benchmark import Benchmark
from accelreport.analysis.findings import Caveat, Finding, Kind
from accelreport.analysis.learning import Change
from accelreport.analysis.learning_findings import BATCHES
from accelreport.analysis.ranking import ranked_findings
from accelreport.analysis.stats import Verdict, mean
from accelreport.results.record import Confusion, GeneratedText, Warned
from accelreport.spec.models import Target
from tests.support.learned import curve, forecast, quantised, sample, trained


def ranked(*updates: dict[str, Any], **changes: Any) -> tuple[Finding, ...]:
    """Everything that may be said of such trainings."""
    whole = trained(*updates, **changes)
    records = {(record.key, record.machine): record for record in whole.records}
    return ranked_findings(Benchmark(whole.plan, records))


def only(kind: Kind, *updates: dict[str, Any], **changes: Any) -> Finding | None:
    """The first finding of a kind."""
    return next((f for f in ranked(*updates, **changes) if f.kind is kind), None)


def test_a_quality_is_the_mean_of_all_seeds_after_the_last_epoch_that_all_reached() -> None:
    ends = (0.90, 0.94, 0.95)
    runs = [{"epochs": curve(0.5, end)} for end in ends[:2]]
    finding = only(Kind.LEARNS, *runs, {"epochs": curve(0.5, 0.95, 0.99)})
    assert finding
    quality, time = finding.values
    assert quality.interval == mean(ends)
    assert quality.of.part == "val_accuracy"
    assert time.number == 2
    assert not quality.caveats
    single = only(Kind.LEARNS, {"epochs": curve(0.5, 0.9)})
    assert single
    assert single.values[0].caveats == {Caveat.SINGLE_RUN}
    assert not single.values[0].interval.known


def test_an_interval_of_a_share_stays_a_share() -> None:
    finding = only(Kind.LEARNS, *({"epochs": curve(0.5, last)} for last in (0.9, 0.95, 1.0)))
    assert finding
    assert finding.values[0].interval.high == 1.0


@pytest.mark.parametrize(
    ("update", "wrong"),
    [
        ({"confusion": Confusion(classes=["a", "b"], counts=[[8, 2], [1, 9]])}, (3, 20)),
        ({"samples": [sample(1, "a", "b"), sample(2, "b", "b")]}, (1, 1024)),
        # Wrong ones alone were kept: the accuracy says how many there are.
        ({"samples": [sample(1, "a", "b")], "final": {"val_accuracy": 0.75}}, (256, 1024)),
        ({"samples": [sample(1, "a", "b")], "final": {"val_accuracy": math.nan}}, None),
        (
            {
                "samples": [sample(1, "a", "b"), sample(2, "b", "b")],
                "warnings": [Warned(kind="samples-cut", message="")],
            },
            None,
        ),
    ],
)
def test_misclassified_examples_are_counted_or_not_said(
    update: dict[str, Any], wrong: tuple[int, int] | None
) -> None:
    (record,) = trained(update).records
    assert record.data
    data = record.data.model_copy(update={"validation_examples": 1024})
    finding = only(Kind.MISCLASSIFIED, {**update, "data": data})
    assert (finding and (finding.values[0].number, finding.of)) == wrong


@pytest.mark.parametrize(
    ("errors", "origin", "verdict"),
    [
        ((0.4, 0.45, 0.5), "official", Change.BETTER),
        ((2.0, 2.5, 3.0), "official", Change.WORSE),
        ((1.1, 1.2, 3.0), "official", Verdict.UNDECIDED),
        ((0.4, 0.5), "official", Verdict.UNDECIDED),
        ((0.5, math.inf), "official", None),
        ((2.0, 2.5, 3.0), "sample", Change.WORSE),
        ((0.4, 0.5), "synthetic", None),
    ],
)
def test_a_forecast_is_judged_by_its_interval(
    errors: tuple[float, ...], origin: str, verdict: Change | Verdict | None
) -> None:
    runs = [{"forecasts": [forecast(error)]} for error in errors]
    finding = only(Kind.FORECAST, *runs, origin=origin)
    assert finding
    assert finding.base
    (value,) = finding.values
    assert value.verdict is verdict
    finite = [error for error in errors if math.isfinite(error)]
    assert (value.interval.n, finding.of) == (len(finite), len(errors))
    if len(finite) == len(errors):
        assert value.number == pytest.approx(sum(errors) / len(errors))
    assert finding.base.number == pytest.approx(1.0)
    assert finding.base.of.part == "same hour yesterday"
    assert value.noun == finding.base.noun == ("" if origin == "synthetic" else "°C")


def test_up_to_three_series_are_told_what_is_decided_first() -> None:
    runs = [
        {"forecasts": [forecast(errors, name) for errors, name in zip(row, "abcd", strict=True)]}
        for row in ((2.0, 0.5, 0.5, 0.5), *[(0.5, 0.5, 0.5, 0.5)] * 2)
    ]
    series = [f.values[0].of.part for f in ranked(*runs) if f.kind is Kind.FORECAST]
    assert series == ["b", "c", "a"]


@pytest.mark.parametrize(
    ("disagreements", "verdict"),
    [
        ((60, 20), Change.WORSE),
        ((20, 60), Change.BETTER),
        ((2, 3), Verdict.SAME),
        ((41, 39), Verdict.UNDECIDED),
        ((24, 11), Verdict.UNDECIDED),
    ],
)
def test_conversion_to_int8_is_tested_in_every_run(
    disagreements: tuple[int, int], verdict: Change | Verdict
) -> None:
    finding = only(Kind.INT8, quantised(*disagreements), quantised(2, 3), quantised(2, 3))
    assert finding
    size, latency, _, first, second, _ = finding.values
    assert size.number == pytest.approx(1 / 3.9)
    assert latency.number == pytest.approx(2.0)
    assert latency.verdict is Verdict.FASTER
    assert (first.verdict, second.verdict) == (verdict, Verdict.SAME)
    assert first.number == pytest.approx((disagreements[1] - disagreements[0]) / 1000)
    assert first.interval.low < first.number < first.interval.high
    # Of two runs, one that changed is chosen: 24 against 11 (p = 0.041) is decided of one alone.
    assert (2 * first.p < 0.05) is (verdict in {Change.WORSE, Change.BETTER})


def test_the_speed_of_int8_in_a_single_run_is_not_decided() -> None:
    finding = only(Kind.INT8, quantised(60, 20))
    assert finding
    size, latency, _, accuracy = finding.values
    assert latency.verdict is Verdict.UNDECIDED
    assert Caveat.SINGLE_RUN in size.caveats
    assert Caveat.SINGLE_RUN not in accuracy.caveats, "its interval is over examples"


def test_next_letters_are_those_of_all_runs_after_the_same_steps() -> None:
    texts = [GeneratedText(prompt="To be", text=" or not")]
    runs = [{"texts": texts, "epochs": curve(*shares)} for shares in ((0.1, 0.2), (0.1, 0.4, 0.5))]
    finding = only(Kind.WRITES, *runs)
    assert finding
    last, steps, first = finding.values
    assert last.number == pytest.approx(0.3)
    assert steps.number == 120
    assert first.number == pytest.approx(0.1)
    alone = only(Kind.WRITES, {"texts": texts, "epochs": curve(0.1)})
    assert alone
    assert len(alone.values) == 2


def test_a_target_is_reached_by_so_many_of_all_runs() -> None:
    target = Target(metric="val_accuracy", at_least=0.9)
    runs = [{"epochs": curve(0.5, 0.95)}, {"epochs": curve(0.92)}, {"epochs": curve(0.5)}]
    finding = only(Kind.TARGET, *runs, target=target)
    assert finding
    assert [value.number for value in finding.values] == pytest.approx(
        [1, 2, math.nan], nan_ok=True
    )
    assert finding.of == 3
    assert Caveat.SINGLE_RUN not in finding.caveats
    cut = only(Kind.TARGET, {"epochs": curve(0.5), "status": "partial"}, target=target)
    assert cut
    assert Caveat.BUDGET in cut.caveats


TEXTS = {"texts": [GeneratedText(prompt="To be", text=" or not")]}
MISTAKES = {"samples": [sample(1, "a", "b"), sample(2, "b", "b")]}


@pytest.mark.parametrize(
    ("update", "changes", "kind"),
    [
        (quantised(2, 3), {}, Kind.INT8),
        (quantised(2, 3), {"axes": {"model": ("a", "b")}}, Kind.RATE),
        ({**TEXTS, "epochs": curve(0.1)}, {}, Kind.WRITES),
        ({"forecasts": [forecast(0.4)]}, {}, Kind.FORECAST),
        (MISTAKES, {}, Kind.MISCLASSIFIED),
        (MISTAKES, {"axes": {"batch_size": (256, 512)}}, Kind.GAIN),
        ({"epochs": curve(0.5, 0.9)}, {}, Kind.LEARNS),
        ({"epochs": curve(0.5)}, {}, Kind.RATE),
        ({"epochs": curve(0.5, 0.9)}, {"devices": ("cpu", "cpu-1")}, Kind.SLOWER),
    ],
)
def test_the_question_of_a_benchmark_comes_first(
    update: dict[str, Any], changes: dict[str, Any], kind: Kind
) -> None:
    assert ranked(*[update] * 3, **changes)[0].kind is kind


def test_a_batch_of_one_is_a_call() -> None:
    own = quantised(2, 3)["quantised"]
    one = own.model_copy(update={"int8": own.int8.model_copy(update={"batch": 1})})
    findings = [only(Kind.INT8, {"quantised": run}) for run in (own, one)]
    parts = [{value.of.part for value in finding.values} for finding in findings if finding]
    assert [BATCHES in each for each in parts] == [True, False]
