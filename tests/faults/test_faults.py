"""Measurements spoilt on purpose: each fault is caught, by its own name, and a sound one is not.

Every cell here is a real process with real TensorFlow, and a placement between the timed loop
and the device does to it what the fault says (`tests.faults.placement`), in a size that a seed
draws.
"""

from __future__ import annotations

from typing import Any

import pytest

from accelreport.analysis.results import Result, Timings, results_of
from accelreport.analysis.stability import began, reused
from accelreport.analysis.warnings import REFUSED, REFUSING
from accelreport.report.warning_text import failure_text
from accelreport.results.plan_document import PlanDocument, PlannedCell
from accelreport.results.record import Record
from tests.faults.cells import LONGER, PIPED, PRODUCTS, RECURRENT, Fault, measure
from tests.faults.windows import BURNER, SET_S
from tests.support.records import study

pytestmark = pytest.mark.e2e

FAULTS = {
    "the device is not waited for": Fault("Hasty", "no-sync"),
    "an asynchronous device says it is none": Fault("Unsaid", "canary"),
    "every window compiles": Fault("Retracing", "compile-inside"),
    "the input is zeros": Fault("Blank", "constant-input"),
    "the pipeline brings zeros": Fault("BlankPipeline", "constant-input", PIPED),
    "the input is one number": Fault("Uniform", "constant-input"),
    "evaluations run inside the window": Fault("Evaluating", "work-inside"),
    "the window holds a sleep": Fault("Sleeping", "idle-inside"),
    "some steps are left out": Fault("Skipping", "step-count"),
    "a step has fewer samples": Fault("Thinning", "sample-count"),
    "another device computes": Fault("Swapped", "wrong-device"),
    "the data are those of another cell": Fault("OldData", "stale-data"),
    "the model is that of another cell": Fault("OldModel", "stale-state"),
    "another program computes": Fault("Crowded", "loaded-machine"),
    "the clock falls": Fault("Cooling", "clock-fell"),
    "the device is slowed down by its heat": Fault("Hindered", "clock-fell"),
    "the loop of a kernel is dead code": Fault("Dead", "time-not-scaling", PRODUCTS),
    "the gradients go nowhere": Fault("Frozen", "weights-unmoved"),
    "the wall clock is set back": Fault("ClockSet", "clock-set"),
    "a training is stopped": Fault("Stopped", "stopped"),
    "a kernel is stopped": Fault("Stopped", "stopped", PRODUCTS),
    "a GPU leaves cuDNN": Fault("OnCpu", "cudnn-fallback", RECURRENT, kind="GPU"),
}
"""What is done to a measurement, and the name by which it is caught."""

REPEATS = (Fault("SameSeed", seed=3), Fault("SameSeed", seed=4), Fault("Honest", seed=5))
"""Two repeats whose weights come from one seed, and one as it should be."""

CONTROLS = {
    "a training": Fault("Honest"),
    "a training through tf.data": Fault("Honest", workload=PIPED),
    "a training on an asynchronous device": Fault("Patient", workload=LONGER),
    "a kernel": Fault("Honest", workload=PRODUCTS),
    "a kernel that takes no time": Fault("Honest", workload={**PRODUCTS, "size": 8, "count": 2}),
}
"""The same cells with the same placement in between, which does nothing."""


Records = dict[int, Record]
"""By the identity of the fault: two repeats of one fault are two cells."""


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Records:
    every = [*FAULTS.values(), *REPEATS, *CONTROLS.values()]
    found = measure(every, tmp_path_factory.mktemp("faults"))
    return dict(zip(map(id, every), found, strict=True))


def _record(records: Records, fault: Fault) -> Record:
    return records[id(fault)]


def _found(record: Record) -> dict[str, str]:
    return {check.name: check.seen for check in record.checks if check.outcome == "failed"}


@pytest.mark.parametrize("what", FAULTS)
def test_a_fault_of_the_measurement_is_caught_by_its_name(what: str, records: Records) -> None:
    fault = FAULTS[what]
    record = _record(records, fault)
    assert fault.name in _found(record), record.failure
    assert fault.name in [warned.kind for warned in record.warnings]


@pytest.mark.parametrize("what", CONTROLS)
def test_a_sound_measurement_raises_none_of_them(what: str, records: Records) -> None:
    record = _record(records, CONTROLS[what])
    assert record.status == "ok"
    found = _found(record)
    # Whoever runs these tests may do other things on the machine, and is then told so.
    load = found.pop("loaded-machine", None)
    assert BURNER not in (load or "")
    assert not found
    looked_for = {check.name for check in record.checks if check.outcome == "passed"}
    assert {"no-sync", "compile-inside", "constant-input"} <= looked_for
    # Where others compute, a window may be too long to be repeated, and the check says so.
    assert load is not None or "time-not-scaling" in looked_for


def _unharmed(record: Record) -> Timings:
    """What a record comes to that is complete and not refused."""
    found = _result(_plan(record), record)
    assert found.complete, failure_text(found)
    return found.timings


def test_a_step_of_the_wall_clock_costs_the_stamps_it_spoils_and_not_the_run(
    records: Records,
) -> None:
    record = _record(records, FAULTS["the wall clock is set back"])
    timings = _unharmed(record)
    assert f"{SET_S:+g} s" in _found(record)["clock-set"]
    unstamped = [block for block in record.blocks if block.steps > 1 and not block.step_s]
    assert len(unstamped) == 1
    assert all(each > 0 for block in record.blocks for each in block.step_s)
    assert timings.window_s == pytest.approx(sum(b.wall_s for b in record.blocks if not b.warmup))


@pytest.mark.parametrize("what", ["a training is stopped", "a kernel is stopped"])
def test_a_stop_of_the_process_is_told_and_no_part_of_its_time(what: str, records: Records) -> None:
    record = _record(records, FAULTS[what])
    timings = _unharmed(record)
    (hit,) = [block for block in record.blocks if block.stopped_s]
    stopped_s = hit.stopped_s or 0.0
    assert 0 < stopped_s < hit.wall_s
    assert f"{stopped_s:.3g} s" in _found(record)["stopped"]
    others = [b.wall_s for b in record.blocks if not b.warmup and b is not hit]
    assert timings.window_s == pytest.approx(sum(others))
    ran_s = sum(block.wall_s for block in record.blocks) - stopped_s
    assert timings.total_s == pytest.approx(ran_s, abs=0.01)


def test_another_program_is_named_with_the_cores_it_keeps_busy(
    records: Records,
) -> None:
    record = _record(records, FAULTS["another program computes"])
    assert BURNER in _found(record)["loaded-machine"]


def test_repeats_of_different_seeds_that_began_alike_are_told_apart_from_those_that_did_not(
    records: Records,
) -> None:
    found = reused(began(_record(records, fault)) for fault in REPEATS)
    (second,) = found.values()
    assert [finding.kind for finding in second] == ["reused-seed"]
    assert next(iter(found))[0] == _record(records, REPEATS[1]).key


@pytest.mark.parametrize("what", [w for w, fault in FAULTS.items() if fault.name in REFUSING])
def test_the_number_of_a_spoilt_measurement_is_refused_with_the_reason_in_its_place(
    what: str, records: Records
) -> None:
    record = _record(records, FAULTS[what])
    found = _result(_plan(record), record)
    assert found.status == REFUSED
    assert found.failure_kind in REFUSING
    assert failure_text(found)
    assert repr(found.timings) == repr(Timings())
    assert not found.final


def test_a_rate_that_the_hardware_cannot_reach_is_refused(
    records: Records,
) -> None:
    record = _record(records, FAULTS["the loop of a kernel is dead code"])
    assert record.environment
    # Of a processor that nothing is known of, the sheet alone bounds the rate.
    unknown: dict[str, Any] = {
        "roofs": None,
        "vector": [],
        "clock_max_mhz": None,
        "cpu": "a processor",
    }
    environment = record.environment.model_copy(update=unknown)
    silent = record.model_copy(update={"warnings": [], "checks": [], "environment": environment})
    cited = {"peak_tflops": {"float32": 1e-3}, "peak_source": "a sheet"}
    device = record.cell.device_spec.model_copy(update=cited)
    plan = _plan(record).model_copy(update={"devices": {"cpu": device}})
    found = _result(plan, silent)
    assert (found.status, found.failure_kind) == (REFUSED, "above-peak")
    assert "a sheet" in failure_text(found)


def _result(plan: PlanDocument, record: Record) -> Result:
    (found,) = results_of(plan, [record])
    return found


def _planned(record: Record) -> PlannedCell:
    cell = record.cell
    return PlannedCell(
        key=record.key, device=cell.device, point=cell.point, repeat=cell.repeat, seed=cell.seed
    )


def _plan(record: Record) -> PlanDocument:
    made = study(axes={}, repeats=1, devices=("cpu",)).plan
    return made.model_copy(
        update={
            "workload": record.cell.workload,
            "devices": {"cpu": record.cell.device_spec},
            "cells": [_planned(record)],
        }
    )
