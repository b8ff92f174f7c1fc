"""What published figures alone say of a claim."""

from __future__ import annotations

from typing import Any

import pytest

from accelreport.analysis.claims import PrintedVerdict, printed_verdict
from accelreport.spec.claims import Claim
from accelreport.spec.models import Published
from tests.support.records import study

AGREE, CONTRADICT, SILENT = (
    PrintedVerdict.AGREE, PrintedVerdict.CONTRADICT, PrintedVerdict.SILENT
)  # fmt: skip


def row(device: str, batch: int = 0, **figures: Any) -> Published:
    where = {"batch_size": batch} if batch else {}
    return Published.model_validate({"device": device, "label": device, "where": where} | figures)


def verdict(check: dict[str, Any], *published: Published, **claim: str) -> PrintedVerdict:
    plan = study(published=published, fate=lambda _: "missing").plan
    said = Claim.model_validate({"text": "It is said", "check": check, **claim})
    return printed_verdict(plan, said)


FASTER = {"faster": "tpu", "than": "gpu", "by_about": 4.0}


@pytest.mark.parametrize(
    ("gpu", "said"), [(40.0, AGREE), (12.0, CONTRADICT), (90.0, CONTRADICT)]
)  # fmt: skip
def test_a_factor_is_held_against_the_times_it_should_follow_from(
    gpu: float, said: PrintedVerdict
) -> None:
    assert verdict(FASTER, row("tpu", epoch_time=10.0), row("gpu", epoch_time=gpu)) is said


def test_a_source_that_agrees_with_itself_is_silent_and_may_contradict_itself() -> None:
    gpu, own, slow = (
        row("gpu", epoch_time=40.0),
        row("tpu", epoch_time=10.0),
        row("tpu", epoch_time=30.0),
    )
    theirs = {"by": "source"}
    assert verdict(FASTER, gpu, own, **theirs) is SILENT
    assert verdict(FASTER, gpu, slow, **theirs) is CONTRADICT
    assert verdict(FASTER, gpu, own, by="source", source="Another") is AGREE
    other = {"title": "Another", "url": "https://example.org/other"}
    others = [row(each.device, epoch_time=each.epoch_time, source=other) for each in (gpu, own)]
    assert verdict(FASTER, *others, **theirs) is AGREE
    assert verdict(FASTER, *others, by="source", source="Another") is SILENT
    unlike = [
        each.model_copy(update={"comparable": False, "note": "a larger network"}) for each in others
    ]
    assert verdict(FASTER, *unlike, **theirs) is SILENT, "another network is no evidence"


def test_a_factor_and_a_rate_follow_from_published_rates() -> None:
    assert verdict(FASTER, row("tpu", throughput=400.0), row("gpu", throughput=100.0)) is AGREE
    rate = {"ratio": "throughput", "of": "tpu", "over": "gpu", "at_least": 5.0}
    both = row("tpu", throughput=400.0), row("gpu", throughput=100.0)
    assert verdict(rate, *both) is CONTRADICT


def test_the_quoted_factor_itself_is_no_evidence_of_it() -> None:
    assert verdict(FASTER, row("tpu", speedup=4.0, over="gpu")) is SILENT


def test_what_rounding_leaves_open_is_no_contradiction() -> None:
    # 1 s may be 0.5 s to 1.5 s: the factor lies anywhere between 1.6 and 5.
    assert verdict(FASTER, row("tpu", epoch_time=1), row("gpu", epoch_time=2.5)) is AGREE
    assert verdict(FASTER, row("tpu", epoch_time=1.0001), row("gpu", epoch_time=2.5)) is CONTRADICT


@pytest.mark.parametrize(("last", "said"), [(2.0, AGREE), (9.0, CONTRADICT)])
def test_a_trend_holds_from_neighbour_to_neighbour(last: float, said: PrintedVerdict) -> None:
    check = {"rises": "speedup", "of": "tpu", "over": "gpu", "along": "batch_size"}
    gpu = [row("gpu", batch, epoch_time=8.01) for batch in (256, 512, 1024)]
    tpu = [
        row("tpu", batch, epoch_time=seconds)
        for batch, seconds in zip((256, 512, 1024), (8.03, 4.01, last + 0.01), strict=True)
    ]
    assert verdict(check, *gpu, *tpu) is said
    assert verdict(check, row("gpu", epoch_time=8.0), row("tpu", epoch_time=2.0)) is SILENT


def test_a_value_and_a_difference_are_held_against_printed_qualities() -> None:
    value = {"value": "val_accuracy", "of": "gpu", "at_least": 0.99}
    assert verdict(value, row("gpu", val_accuracy=0.9931)) is AGREE
    assert verdict(value, row("gpu", val_accuracy=0.9841)) is CONTRADICT
    higher = {"higher": "val_accuracy", "of": "tpu", "than": "gpu"}
    accuracies = row("gpu", val_accuracy=0.95), row("tpu", val_accuracy=0.97)
    assert verdict(higher, *accuracies) is AGREE
    assert verdict({**higher, "of": "gpu", "than": "tpu"}, *accuracies) is CONTRADICT


def test_a_figure_above_the_peak_contradicts_that_there_is_none() -> None:
    check = {"below_peak": True}
    beyond = Published(device="gpu", label="Tesla K80", tflops=15.7)
    within = Published(device="gpu", label="Tesla K80", tflops=2.5)
    assert verdict(check, beyond) is CONTRADICT
    assert verdict(check, within) is AGREE
    assert verdict(check, row("gpu", epoch_time=2.0)) is SILENT
