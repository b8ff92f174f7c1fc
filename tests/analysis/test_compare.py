"""Two results folders against each other: ratios, verdicts, the gate, and what is not compared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import log
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accelreport.analysis.compare import VECTOR, Gate
from accelreport.report.comparison import (
    ComparisonRow,
    FolderComparison,
    OverallOutcome,
    compare_folders,
    conclusions,
    values_of,
)
from accelreport.report.pages.compare import headline
from accelreport.results.plan_document import PlanDocument
from accelreport.results.record import Record, Roofs, Warned
from tests.support.records import Noise, Study, assorted, slowed, study, without_peaks

INVERSE = {"FASTER": "SLOWER", "SLOWER": "FASTER", "SAME": "SAME", "UNDECIDED": "UNDECIDED"}

Edit = Callable[[Record], Record]


@dataclass
class Held:
    """A results folder in memory."""

    made: Sequence[PlanDocument]
    kept: Sequence[Record]
    problems: Sequence[str] = field(default=())
    root: Path = Path("results")

    def plans(self) -> Sequence[PlanDocument]:
        return self.made

    def records(self) -> Sequence[Record]:
        return self.kept


def held(*studies: Study, edit: Edit | None = None) -> Held:
    records = [record for each in studies for record in each.records]
    return Held([each.plan for each in studies], [edit(r) if edit else r for r in records])


def small(factor: float = 1.0, seed: int = 0, repeats: int = 3, **more: Any) -> Study:
    """One device at one point."""
    asked: dict[str, Any] = {"devices": ("cpu",), "axes": {}, "epochs": 1, "steps_per_epoch": 30}
    made = study(repeats=repeats, factors={"cpu": factor}, seed=seed, **(asked | more))
    return without_peaks(made)


def within(record: Record, **changes: Any) -> Record:
    assert record.environment is not None
    return record.model_copy(update={"environment": record.environment.model_copy(update=changes)})


def only(comparison: FolderComparison) -> ComparisonRow:
    (row,) = comparison.rows
    return row


def test_every_place_that_both_hold_is_a_row_that_says_how_many_times_as_fast_new_is() -> None:
    quiet = Noise(process=0, step=0, outlier_share=0)
    found = compare_folders(held(study(noise=quiet)), held(study(noise=quiet, seed=1)))
    assert [row.outcome for row in found.rows] == ["compared"] * 9
    slow = compare_folders(held(small(noise=quiet)), held(small(1.25, noise=quiet)))
    row = only(slow)
    assert row.speedup == pytest.approx(1 / 1.25)
    assert row.old_seconds is not None
    assert row.new_seconds == pytest.approx(1.25 * row.old_seconds)
    assert (row.verdict, row.pairs) == ("SLOWER", 3)


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 1000), gate=st.floats(0, 1))
def test_a_folder_is_the_same_as_itself_and_fails_no_gate(seed: int, gate: float) -> None:
    made = study(seed=seed, fate=assorted, epochs=1, steps_per_epoch=30)
    found = compare_folders(held(made), held(made), gate)
    told = found.of("compared")
    assert {row.verdict for row in told if row.old_processes > 2} == {"SAME"}
    assert all(row.speedup == 1 for row in told)
    assert not found.gated(Gate.FAILS)
    assert found.differences == []
    assert compare_folders(held(made), held(made)).result is OverallOutcome.DONE


def test_old_results_in_both_folders_are_told_and_no_gate_is_passed_by_them() -> None:
    made = small(repeats=5)
    found = compare_folders(held(made), held(made), 0.05)
    row = only(found)
    assert row.nothing_new
    assert row.gate is Gate.OPEN
    assert row.reasons[0].startswith("nothing new was measured")
    assert found.result is OverallOutcome.NOTHING


def test_measurements_that_both_folders_hold_do_not_draw_the_ratio_to_one() -> None:
    made, slow = small(repeats=5), small(2.0, seed=1, repeats=5)
    mixed = [*made.records[:2], *slow.records[2:]]
    row = only(compare_folders(held(made), Held([made.plan], mixed), 0.05))
    alone = only(compare_folders(held(made), Held([made.plan], slow.records[2:]), 0.05))
    assert row.speedup == alone.speedup
    assert (row.pairs, row.verdict, row.gate) == (3, "SLOWER", Gate.FAILS)
    assert "2 left out: both folders hold the very same measurements" in row.reasons


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 1000),
    factor=st.floats(0.8, 1.25),
    repeats=st.tuples(st.integers(1, 5), st.integers(1, 5)),
)
def test_exchanging_old_and_new_inverts_ratios_and_verdicts(
    seed: int, factor: float, repeats: tuple[int, int]
) -> None:
    one, other = small(seed=seed, repeats=repeats[0]), small(factor, seed + 1, repeats[1])
    forth = only(compare_folders(held(one), held(other)))
    back = only(compare_folders(held(other), held(one)))
    assert forth.speedup is not None
    assert back.speedup == pytest.approx(1 / forth.speedup)
    assert back.verdict == INVERSE[forth.verdict]
    assert (forth.low is None) == (back.high is None)
    if forth.low is not None and back.high is not None:
        assert back.high == pytest.approx(1 / forth.low)
    assert back.needed == forth.needed
    assert (back.old_seconds, back.new_seconds) == (forth.new_seconds, forth.old_seconds)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 1000), factor=st.floats(0.9, 1.3), gate=st.floats(0, 0.3))
def test_the_gate_is_the_interval_against_the_margin(seed: int, factor: float, gate: float) -> None:
    row = only(compare_folders(held(small(seed=seed)), held(small(factor, seed + 1)), gate))
    assert row.low is not None
    assert row.high is not None
    limit = 1 / (1 + gate)
    if row.gate is Gate.FAILS:
        assert row.high < limit * (1 + 1e-9)
        assert row.verdict == "SLOWER" or row.low > 1 / 1.03
    elif row.gate is Gate.PASSES:
        assert row.low >= limit * (1 - 1e-9)
    else:
        assert row.low < limit * (1 + 1e-9)
        assert row.high >= limit * (1 - 1e-9)


def test_an_open_gate_says_how_many_more_processes_would_tell() -> None:
    noisy = Noise(process=0.05)
    found = [
        only(compare_folders(held(small(seed=s, noise=noisy)), held(small(1.1, s + 50)), 0.05))
        for s in range(12)
    ]
    rows = [row for row in found if row.gate is Gate.OPEN]
    assert rows
    for row in rows:
        assert row.speedup is not None
        assert row.gate_needed is None or row.gate_needed >= 1
    near = min(rows, key=lambda row: abs(log(row.speedup or 1) + log(1.05)))
    far = max(rows, key=lambda row: abs(log(row.speedup or 1) + log(1.05)))
    assert (near.gate_needed or 1000) > (far.gate_needed or 1000) or near is far


def learnt(accuracy: float) -> Edit:
    """Records of networks that reach such an accuracy, a thousandth apart by their seed."""
    return lambda record: record.model_copy(
        update={"final": {"val_accuracy": accuracy + 0.001 * record.cell.seed}}
    )


@pytest.mark.parametrize(
    ("factor", "accuracy", "gate"),
    [
        (0.5, 0.54, Gate.FAILS),
        (1.0, 0.54, Gate.FAILS),
        (0.5, 0.99, Gate.OPEN),
        (2.0, 0.99, Gate.FAILS),
    ],
)
def test_a_step_of_another_accuracy_has_no_verdict_and_passes_no_gate(
    factor: float, accuracy: float, gate: Gate
) -> None:
    old, new = held(small(), edit=learnt(0.9)), held(small(factor, 1), edit=learnt(accuracy))
    found = compare_folders(old, new, 0.05)
    row = only(found)
    assert (row.verdict, row.gate, row.quality) == ("WITHHELD", gate, "val_accuracy")
    assert row.quality_change == pytest.approx(accuracy - 0.9)
    assert row.speedup == pytest.approx(1 / factor, rel=0.1), "the number stays"
    said = f"val_accuracy is {abs(accuracy - 0.9) * 100:.3g}\xa0percentage points"
    assert row.reasons[0].startswith(said)
    *_, last = conclusions(found)
    if gate is Gate.FAILS:
        assert found.result is OverallOutcome.SLOWER
        assert any(said in line for line in conclusions(found) if line.startswith("FAILED"))
        assert last == "The gate is closed: something is slower than it allows, or less accurate."
    else:
        assert last.startswith("The gate is neither closed nor passed")


def test_one_process_is_compared_with_that_of_its_seed_and_leaves_the_gate_open() -> None:
    one, three = small(repeats=1), small(2.0)
    row = only(compare_folders(held(one), held(three), 0.05))
    alone = only(compare_folders(held(one), Held([three.plan], three.records[:1]), 0.05))
    assert (row.speedup, row.new_seconds, row.pairs) == (alone.speedup, alone.new_seconds, 1)
    assert (row.verdict, row.gate, row.low, row.gate_needed) == ("UNDECIDED", Gate.OPEN, None, None)
    assert "one process in OLD gives no interval" in row.reasons


def test_seeds_are_paired_and_what_has_no_partner_is_told() -> None:
    row = only(compare_folders(held(small(repeats=3)), held(small(repeats=5, seed=1))))
    assert (row.pairs, row.old_processes, row.new_processes) == (3, 3, 5)
    assert "NEW: 2 without a partner of the same seed left out" in row.reasons
    other = only(compare_folders(held(small()), held(small(first_seed=100, seed=1))))
    assert (other.outcome, other.pairs, other.verdict != "") == ("compared", 0, True)


@pytest.mark.parametrize(
    ("changes", "fact"),
    [
        ({"machine": "ffffffff"}, "machine"),
        ({"packages": {"tensorflow": "2.99.0"}}, "package tensorflow"),
        ({"variables": {"TF_ENABLE_ONEDNN_OPTS": "0"}}, "variable TF_ENABLE_ONEDNN_OPTS"),
        ({"cpu": "Another CPU"}, "CPU"),
        ({"runtime": {"intra_op_threads": "1"}}, "TensorFlow intra_op_threads"),
    ],
)
def test_another_machine_or_framework_is_compared_and_said_loudly(
    changes: dict[str, Any], fact: str
) -> None:
    new = held(small(seed=1), edit=lambda record: within(record, **changes))
    found = compare_folders(held(small()), new)
    assert only(found).outcome == "compared"
    grave = {each.fact: each for each in found.differences if each.grave}
    assert fact in grave
    assert grave[fact].comparisons == 1
    assert grave[fact].old != grave[fact].new


def test_what_a_folder_has_several_values_of_is_named_in_rows_and_differences() -> None:
    def two_kinds(record: Record) -> Record:
        slow = record.cell.point["batch_size"] == 64
        runtime = {"kernels": "Eigen" if slow else "oneDNN"}
        vector = ["avx2", *["avx512f"] * (not slow)]
        return within(record, runtime=runtime, vector=vector, cpu="New", machine="ffffffff")

    one_kind = {"runtime": {"kernels": "oneDNN"}, "vector": ["avx2"], "cpu": "Old"}
    made = small(axes={"batch_size": (64, 256)})
    old = held(made, edit=lambda record: within(record, **one_kind))
    found = compare_folders(old, held(made, edit=two_kinds))
    (vector,) = (row for row in found.differences if row.fact == VECTOR)
    assert values_of(vector) == ("AVX2", "AVX2 and AVX-512")
    rows = {
        row.point["batch_size"]: [why for why in row.reasons if "OLD," in why] for row in found.rows
    }
    assert rows[64] == ["TensorFlow kernels: oneDNN in OLD, Eigen in NEW"]
    assert rows[256] == ["vector extensions: AVX2 in OLD, AVX-512 in NEW"]
    assert headline(found).startswith("Old → New: ")


def roof(core: float, load: float = 0.0) -> dict[str, Any]:
    made = Roofs(
        tflops=1, core_tflops=core, gbps=9, method="", other_cores=load, measured_at="2026-01-01"
    )
    return {"roofs": made}


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ({"vector": ["avx2"]}, {"vector": ["avx512f"]}, "vector extensions avx2 in OLD, avx512f"),
        (roof(0.1), roof(0.2), "TFLOP/s of a core 0.1 in OLD, 0.2 in NEW"),
        ({"runtime": {"onednn": "on"}}, {"runtime": {"onednn": "off"}}, "TensorFlow onednn on"),
        (roof(0.1), roof(0.12), ""),
        (roof(0.1), roof(0.2, load=1), ""),
        ({}, {"vector": ["avx512f"]}, ""),
        (
            {"runtime": {"onednn": "on"}, "variables": {"TF_ENABLE_ONEDNN_OPTS": "1"}},
            {"runtime": {"onednn": "off"}, "variables": {"TF_ENABLE_ONEDNN_OPTS": "0"}},
            "",
        ),
        ({"vector": ["avx2"]}, {"vector": ["avx512f"], "machine": "ffffffff"}, ""),
    ],
)
def test_two_hosts_of_one_fingerprint_are_told_apart_and_get_no_verdict(
    old: dict[str, Any], new: dict[str, Any], says: str
) -> None:
    before = held(small(), edit=lambda record: within(record, **old))
    after = held(small(2.0, seed=1), edit=lambda record: within(record, **new))
    row = only(compare_folders(before, after, 0.05))
    assert row.hosts_differ is bool(says)
    assert (row.verdict, row.gate) == (("WITHHELD", "OPEN") if says else ("SLOWER", "FAILS"))
    assert says in row.reasons[0] if says else "fingerprint" not in " ".join(row.reasons)


def test_a_folder_of_several_machines_is_compared_machine_by_machine() -> None:
    one = small()
    slow = small(2.0, machine="bbbbbbbb", seed=3)
    both = Held([one.plan], [*one.records, *slow.records])
    found = compare_folders(both, both)
    assert [(row.old_machine, row.new_machine) for row in found.rows] == [
        ("0a1b2c3d", "0a1b2c3d"),
        ("bbbbbbbb", "bbbbbbbb"),
    ]
    third = held(small(machine="cccccccc", seed=4))
    found = compare_folders(both, third)
    assert sorted((row.outcome, row.old_machine, row.new_machine) for row in found.rows) == [
        ("only-new", "", "cccccccc"),
        ("only-old", "0a1b2c3d", ""),
        ("only-old", "bbbbbbbb", ""),
    ]
    assert {row.reasons[0] for row in found.rows} == {
        "measured on cccccccc; OLD has 0a1b2c3d, bbbbbbbb",
        "measured on 0a1b2c3d; NEW has cccccccc",
        "measured on bbbbbbbb; NEW has cccccccc",
    }
    assert found.result is OverallOutcome.NOTHING


def recast(record: Record, **changes: Any) -> Record:
    return record.model_copy(update={"cell": record.cell.model_copy(update=changes)})


@pytest.mark.parametrize(
    ("edit", "says"),
    [
        (
            lambda r: recast(r, workload={**r.cell.workload, "batch_size": 512}),
            "workload.batch_size is 256 in OLD and 512 in NEW",
        ),
        (
            lambda r: recast(
                r, device_spec=r.cell.device_spec.model_copy(update={"precision": "mixed_float16"})
            ),
            'device.precision is "float32" in OLD and "mixed_float16" in NEW',
        ),
        (
            lambda r: recast(r, measure=r.cell.measure.model_copy(update={"warmup_steps": 5})),
            "measure.warmup_steps is 20 in OLD and 5 in NEW",
        ),
        (
            lambda r: r.model_copy(update={"data": r.data.model_copy(update={"fingerprint": "?"})}),
            "the data are not the same: their fingerprints differ",
        ),
    ],
)
def test_other_conditions_are_named_and_nothing_is_compared(edit: Edit, says: str) -> None:
    found = compare_folders(held(small()), held(small(2.0, seed=1), edit=edit), 0.05)
    row = only(found)
    assert row.outcome == "withheld"
    assert says in row.reasons
    assert (row.speedup, row.gate, found.result) == (None, None, OverallOutcome.NOTHING)


def test_what_only_one_folder_holds_is_named() -> None:
    extra = study("matmul", devices=("cpu",), repeats=2)
    found = compare_folders(held(small(), extra), held(small(seed=1)))
    assert [(row.outcome, row.spec) for row in found.rows] == [
        ("compared", "example_training"),
        ("only-old", "example_matmul"),
        ("only-old", "example_matmul"),
    ]
    assert found.result is OverallOutcome.DONE
    back = compare_folders(held(small(seed=1)), held(small(), extra))
    assert {row.outcome for row in back.rows} == {"compared", "only-new"}


def test_failed_cells_are_named_and_one_that_was_measured_before_closes_the_gate() -> None:
    broken = held(small(fate=lambda cell: "oom-host"), study("matmul", devices=("cpu",)))
    good = held(small(), study("matmul", devices=("cpu",), seed=1))
    gated = compare_folders(good, broken, 0.05)
    row = next(each for each in gated.rows if each.spec == "example_training")
    assert (row.outcome, row.failed_in_new) == ("not-measured", True)
    assert row.reasons == ["NEW: failed (out of memory): the cell ended with oom-host"]
    assert gated.result is OverallOutcome.FAILED
    assert compare_folders(good, broken).result is OverallOutcome.DONE
    assert compare_folders(broken, good, 0.05).result is OverallOutcome.DONE
    still = held(small(fate=lambda cell: "oom-host"), study("matmul", devices=("cpu",), seed=2))
    assert compare_folders(broken, still, 0.05).result is OverallOutcome.DONE, "it never worked"


def unwaited(record: Record) -> Record:
    """The record of a process that did not wait for its device."""
    warned = Warned(kind="no-sync", message="the device was not waited for")
    return record.model_copy(update={"warnings": [warned]})


def test_numbers_that_are_refused_are_compared_with_nothing_and_pass_no_gate() -> None:
    found = compare_folders(held(small()), held(small(0.1, seed=1), edit=unwaited), gate=0.05)
    row = only(found)
    assert (row.outcome, row.speedup, row.verdict) == ("not-measured", None, "")
    assert row.reasons == ["NEW: refused (no sync): the device was not waited for"]
    assert row.failed_in_new
    assert found.result is OverallOutcome.FAILED


def test_one_refused_process_is_left_out_of_a_comparison_and_told() -> None:
    def edit(record: Record) -> Record:
        return unwaited(record) if record.cell.repeat == 1 else record

    row = only(compare_folders(held(small(repeats=4)), held(small(seed=1, repeats=4), edit=edit)))
    assert (row.old_processes, row.new_processes, row.pairs) == (4, 3, 3)
    assert "NEW: 1 of 4 processes: refused (no sync): the device was not waited for" in row.reasons


def test_cells_that_were_not_run_yet_are_named() -> None:
    missing = held(small(seed=1, fate=lambda cell: "missing"))
    row = only(compare_folders(held(small()), missing))
    assert (row.outcome, row.reasons) == ("not-measured", ["NEW: not run"])
    some = held(small(seed=1, fate=lambda cell: "missing" if cell.repeat else "ok"))
    row = only(compare_folders(held(small()), some))
    assert "NEW: 2 of 3 processes: not run" in row.reasons


def test_a_file_that_cannot_be_read_is_graver_than_a_gate_that_is_passed() -> None:
    made = small()
    damaged = Held([made.plan], made.records, problems=["cells/x.json: cut off"])
    assert compare_folders(held(made), damaged, 0.05).result is OverallOutcome.UNREADABLE
    slow = Held([made.plan], small(2.0).records, problems=["cells/x.json: cut off"])
    assert compare_folders(held(made), slow, 0.05).result is OverallOutcome.SLOWER


def _of_another_version(record: Record, key: str) -> Record:
    assert record.environment is not None
    older = record.environment.model_copy(update={"accelreport": "0.0.9"})
    return record.model_copy(update={"key": key, "environment": older})


def test_cells_that_two_versions_know_by_other_keys_are_not_compared() -> None:
    made = small(seed=1)
    renamed = {cell.key: f"{number:016x}" for number, cell in enumerate(made.plan.cells)}
    cells = [cell.model_copy(update={"key": renamed[cell.key]}) for cell in made.plan.cells]
    other = Held(
        [made.plan.model_copy(update={"cells": cells})],
        [_of_another_version(record, renamed[record.key]) for record in made.records],
    )
    row = only(compare_folders(held(small()), other))
    assert row.outcome == "withheld"
    assert row.reasons == ["the two versions of accelreport take these for different cells"]


def test_hostile_times_never_end_in_an_error() -> None:
    def times(factor: float) -> Edit:
        def edited(record: Record) -> Record:
            blocks = [b.model_copy(update={"wall_s": b.wall_s * factor}) for b in record.blocks]
            return record.model_copy(update={"blocks": blocks})

        return edited

    for factor in (0.0, -1.0, 1e-290, 1e290, float("inf"), float("nan")):
        found = compare_folders(held(small()), held(small(seed=1), edit=times(factor)), 0.05)
        assert FolderComparison.model_validate_json(found.model_dump_json()) == found
        assert only(found).outcome in {"compared", "not-measured"}


def test_the_gate_knows_of_the_slow_processes_that_another_sweep_point_showed() -> None:
    axes: dict[str, Any] = {"batch_size": [64, 256]}
    quiet = Noise(process=0.005, step=0.01, outlier_share=0)
    old = small(axes=axes, noise=quiet)
    new = small(1.1, axes=axes, noise=quiet, seed=1)
    slow = slowed(new, 1.6, device="cpu", repeat=0, batch_size=256)

    def at_64(made: Study) -> ComparisonRow:
        rows = compare_folders(held(old), held(made), 0.05).rows
        return next(row for row in rows if row.point == {"batch_size": 64})

    plain, known = at_64(new), at_64(slow)
    assert (plain.gate, known.gate) == (Gate.FAILS, Gate.OPEN)
    assert known.speedup == plain.speedup
    assert known.high is not None
    assert plain.high is not None
    assert known.high > plain.high
