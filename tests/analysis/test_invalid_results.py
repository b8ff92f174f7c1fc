"""Numbers that are refused: which, why, and what is left of them."""

from __future__ import annotations

import pytest

from accelreport.analysis.compute import Peak, own_bound
from accelreport.analysis.results import results_of
from accelreport.analysis.stability import began, reused
from accelreport.analysis.warnings import REFUSED, REFUSING, above_peak, refused
from accelreport.report.frames import not_refused
from accelreport.report.warning_text import failure_text, reason_text, warning_text
from accelreport.results.plan_document import PlanDocument
from accelreport.results.record import Beginning, ImportedFile, Record, Roofs, Warned
from accelreport.spec.cells import Cell
from tests.support.records import study
from tests.support.rows import cells_frame, speedup_rows, the_row


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
    assert f"1 of 3 processes: refused ({reason_text(kind)}): seen" in gpu["reason"]
    assert len(not_refused(records, results_of(made.plan, records))) == len(records) - 1


def test_a_process_that_failed_keeps_its_own_reason_whatever_it_was_warned_of() -> None:
    made = study(axes={}, devices=("cpu",), repeats=1, fate=lambda _: "oom-host")
    (failed,) = made.records
    warned = failed.model_copy(update={"warnings": [Warned(kind="bad-timing", message="seen")]})
    (result,) = results_of(made.plan, [warned])
    assert (result.status, result.failure_kind) == ("failed", "oom-host")


def test_a_number_of_old_code_is_refused_once_a_later_process_ran_the_new_one() -> None:
    made = study(axes={}, devices=("cpu",), repeats=3)
    records = [
        record.model_copy(
            update={
                "imported": [ImportedFile(file="mypkg/x.py", sha256=code)],
                "started_at": f"2026-01-01T00:00:0{second}+00:00",
            }
        )
        for record, code, second in zip(made.records, "abb", (5, 6, 4), strict=True)
    ]
    results = {result.key: result for result in results_of(made.plan, records)}
    old, new, _ = (results[record.key] for record in records)
    assert (old.status, old.failure_kind) == (REFUSED, "old-code")
    assert old.refusal is not None
    assert warning_text(old.refusal).startswith("mypkg/x.py changed after it was measured")
    assert new.timed
    records[1] = records[1].model_copy(update={"started_at": "2026-01-01T00:00:00+00:00"})
    newest = {result.key: result for result in results_of(made.plan, records)}
    assert newest[records[0].key].timed, "it is the newest of its machine"


def _began(record: Record, weights: str, order: str) -> Record:
    return record.model_copy(update={"began_with": Beginning(weights=weights, order=order)})


def test_a_repeat_that_is_an_earlier_one_again_is_refused_and_half_of_one_is_only_said() -> None:
    made = study(axes={}, devices=("cpu",), repeats=4)
    pairs = [("a", "1"), ("a", "1"), ("a", "2"), ("b", "3")]
    ordered = sorted(made.records, key=lambda each: each.cell.seed)
    records = [_began(each, *pair) for each, pair in zip(ordered, pairs, strict=True)]
    found = {key: finding.kind for (key, _), (finding,) in reused(map(began, records)).items()}
    assert found == {records[1].key: "same-run", records[2].key: "reused-seed"}
    frame = cells_frame(made.plan, records)
    assert the_row(frame, key=records[1].key)["status"] == REFUSED
    assert the_row(frame, key=records[2].key)["status"] == "ok"


@pytest.mark.parametrize(("weights", "keys"), [("", {}), ("a", {"weights": "keep"})])
def test_weights_that_no_seed_draws_are_no_reused_seed(weights: str, keys: dict[str, str]) -> None:
    made = study(axes={}, devices=("cpu",), repeats=2)
    for each in made.records:
        each.cell.workload.update(keys)
    assert not reused(began(_began(each, weights, str(each.cell.seed))) for each in made.records)


# What no measurement can have given -------------------------------------------------------------


def _kernel(**machine: object) -> tuple[PlanDocument, Record]:
    """A kernel on a CPU for which nothing is cited."""
    made = study("matmul", axes={}, devices=("cpu",), repeats=1)
    record = made.records[0]
    assert record.environment is not None
    silent: dict[str, object] = {"clock_max_mhz": None, "vector": [], "roofs": None}
    known = record.environment.model_copy(update=silent | machine)
    uncited = made.plan.devices["cpu"].model_copy(update={"peak_tflops": {}, "peak_source": ""})
    plan = made.plan.model_copy(update={"devices": {"cpu": uncited}})
    return plan, record.model_copy(update={"environment": known})


def _timed(record: Record, factor: float) -> Record:
    """The same with all times, CPU time too, by a factor."""
    blocks = [
        each.model_copy(update={"wall_s": each.wall_s * factor, "cpu_s": each.cpu_s * factor})
        for each in record.blocks
    ]
    return record.model_copy(update={"blocks": blocks})


def _why(plan: PlanDocument, record: Record) -> str:
    (found,) = results_of(plan, [record])
    assert found.refused or found.measured
    assert found.refused is not found.measured
    return found.failure_kind


ROOFS = Roofs(
    tflops=0.05, core_tflops=0.03, gbps=10, method="made up", other_cores=0.0, measured_at=""
)


def test_a_rate_that_no_machine_reaches_is_refused_where_nobody_cites_a_peak() -> None:
    plan, record = _kernel()
    assert _why(plan, record) == ""
    assert _why(plan, _timed(record, 1e-9)) == "above-machine"
    plan, record = _kernel(vector=["fma"], threads=2)
    rate = results_of(plan, [record])[0].timings.tflops
    bound = own_bound(record).tflops
    assert rate < bound == pytest.approx(2 * 32 * 6.5 / 1000)
    assert _why(plan, _timed(record, 1.3 * rate / bound)) == ""
    (found,) = results_of(plan, [_timed(record, 0.5 * rate / bound)])
    assert found.failure_kind == "above-machine"
    assert "2 cores × 32 operations a cycle (fma)" in failure_text(found)


def test_what_was_measured_of_a_machine_bounds_it_unless_others_used_it_meanwhile() -> None:
    _, record = _kernel(vector=["fma"], threads=2, roofs=ROOFS)
    assert own_bound(record).tflops == pytest.approx(4 * 2 * 0.03)
    loaded = ROOFS.model_copy(update={"other_cores": 0.8})
    _, record = _kernel(vector=["fma"], threads=2, roofs=loaded)
    assert own_bound(record).tflops == pytest.approx(2 * 32 * 6.5 / 1000)


def test_the_clock_of_one_block_cannot_give_more_cpu_time_than_there_are_processors() -> None:
    plan, record = _kernel()
    hit = record.blocks[-1].model_copy(update={"cpu_s": 40 * record.blocks[-1].wall_s + 0.1})
    assert _why(plan, record.model_copy(update={"blocks": [*record.blocks[:-1], hit]})) == (
        "cpu-above-wall"
    )


@pytest.mark.parametrize("value", [1.7, -3.0, float("inf")])
@pytest.mark.parametrize("name", ["val_accuracy", "accuracy", "f1"])
def test_a_share_of_examples_outside_of_0_and_1_is_refused(value: float, name: str) -> None:
    made = study(axes={}, devices=("cpu",), repeats=1)
    record = made.records[0]
    assert _why(made.plan, record) == ""
    final = record.model_copy(update={"final": record.final | {name: value}})
    assert _why(made.plan, final) == "impossible-share"
    last = record.epochs[-1].model_copy(update={"metrics": {name: value}})
    curve = record.model_copy(update={"epochs": [*record.epochs[:-1], last]})
    assert _why(made.plan, curve) == "impossible-share"
    other = record.model_copy(update={"final": record.final | {"accuracy_loss": -0.02}})
    assert _why(made.plan, other) == ""


def test_a_record_whose_parameters_were_edited_is_refused() -> None:
    made = study(axes={}, devices=("cpu",), repeats=1)
    record = made.records[0]
    workload = record.cell.workload | {"batch_size": 2 * record.cell.workload["batch_size"]}
    cell = Cell.model_validate(record.cell.model_dump() | {"workload": workload})
    assert _why(made.plan, record.model_copy(update={"cell": cell})) == "changed-record"


@pytest.mark.parametrize("wall_s", [0.0, -1.0, float("inf"), float("nan")])
def test_a_time_that_is_no_positive_number_is_refused(wall_s: float) -> None:
    plan, record = _kernel()
    hit = record.blocks[-1].model_copy(update={"wall_s": wall_s, "cpu_s": 0.0})
    spoilt = record.model_copy(update={"blocks": [*record.blocks[:-1], hit]})
    assert _why(plan, spoilt) == "bad-timing"
