"""Numbers that are refused: which, why, and what is left of them."""

from __future__ import annotations

import pytest

from accelreport.analysis.frames import cells_frame, not_refused
from accelreport.analysis.peaks import Peak
from accelreport.analysis.refusals import REFUSED, REFUSING, above_peak, refused
from accelreport.analysis.results import results_of
from accelreport.analysis.seeds import reused_seeds
from accelreport.results.checks import Beginning
from accelreport.results.record import Record, Warned
from tests.support.records import study
from tests.support.rows import speedup_rows, the_row


def test_a_rate_above_a_peak_is_refused_only_where_somebody_has_checked_the_peak() -> None:
    checked, unchecked = (Peak(8.1, "float32", "sheet", checked=each) for each in (True, False))
    assert above_peak(8.0, checked) is None
    assert above_peak(float("nan"), checked) is None
    high, doubtful = above_peak(8.2, checked), above_peak(8.2, unchecked)
    assert high is not None
    assert doubtful is not None
    assert refused([high])
    assert not refused([doubtful])


@pytest.mark.parametrize("kind", sorted(REFUSING))
def test_a_refused_repeat_enters_no_speedup_and_the_others_do(kind: str) -> None:
    made = study(axes={}, devices=("cpu", "gpu"), repeats=3)
    spoilt = next(each for each in made.records if each.cell.device == "gpu")
    warned = spoilt.model_copy(update={"warnings": [Warned(kind=kind, message="seen")]})
    records = [warned if each is spoilt else each for each in made.records]
    frame = cells_frame(made.plan, records)
    row = the_row(frame, key=spoilt.key)
    assert (row["status"], row["failure_kind"], row["failure_message"]) == (REFUSED, kind, "seen")
    gpu = the_row(speedup_rows(made.plan, records), device="gpu")
    assert gpu["n"] == 2
    assert f"1 of 3 processes: refused ({kind}): seen" in gpu["reason"]
    assert len(not_refused(records, results_of(made.plan, records))) == len(records) - 1


def _began(record: Record, weights: str, order: str) -> Record:
    return record.model_copy(update={"began_with": Beginning(weights=weights, order=order)})


def test_a_repeat_that_is_an_earlier_one_again_is_refused_and_half_of_one_is_only_said() -> None:
    made = study(axes={}, devices=("cpu",), repeats=4)
    pairs = [("a", "1"), ("a", "1"), ("a", "2"), ("b", "3")]
    ordered = sorted(made.records, key=lambda each: each.cell.seed)
    records = [_began(each, *pair) for each, pair in zip(ordered, pairs, strict=True)]
    found = {key: finding.kind for (key, _), (finding,) in reused_seeds(records).items()}
    assert found == {records[1].key: "same-run", records[2].key: "reused-seed"}
    frame = cells_frame(made.plan, records)
    assert the_row(frame, key=records[1].key)["status"] == REFUSED
    assert the_row(frame, key=records[2].key)["status"] == "ok"


def test_weights_that_no_seed_draws_are_no_reused_seed() -> None:
    made = study(axes={}, devices=("cpu",), repeats=2)
    assert not reused_seeds(_began(each, "", str(each.cell.seed)) for each in made.records)
