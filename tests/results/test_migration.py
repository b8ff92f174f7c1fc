from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from accelreport.results.reading import UnreadableFile, read_plan, read_record, to_bytes
from accelreport.results.record import RECORD_VERSION
from accelreport.spec.claims import TrendCheck
from tests.support.records import study


@pytest.mark.parametrize(
    ("version", "kind", "says"),
    [
        (RECORD_VERSION + 1, "newer", "update accelreport to read it"),
        *((each, "invalid", "not a whole number from 1") for each in (0, -1, None, "1", 1.5)),
    ],
)
def test_a_record_of_a_newer_version_or_of_none_is_refused_with_what_to_do(
    version: object, kind: str, says: str, tmp_path: Path
) -> None:
    document = study(repeats=1, epochs=1).records[0].model_dump(mode="json")
    path = tmp_path / "record.json"
    path.write_text(json.dumps(document | {"record_version": version}))
    with pytest.raises(UnreadableFile, match=says) as caught:
        read_record(path)
    assert caught.value.problem.kind == kind


def test_a_trend_of_an_earlier_plan_is_tested_by_its_rule_of_today(tmp_path: Path) -> None:
    check: dict[str, Any] = {
        "rises": "speedup", "falls": None, "of": "gpu", "over": "", "along": "batch_size",
        "starting_at": 256.0, "tolerance": 1.5, "where": {}, "mean_over": [],
    }  # fmt: skip
    document = study().plan.model_dump(mode="json") | {"claims": [{"text": "It", "check": check}]}
    file = tmp_path / "earlier.full.json"
    file.write_text(json.dumps(document))
    (claim,) = read_plan(file).claims
    assert claim.check == TrendCheck(rises="speedup", of="gpu", along="batch_size")


def test_records_and_plans_of_the_version_that_timed_parts_of_a_step_are_read() -> None:
    folder = Path(__file__).parents[2] / "examples" / "whole_trainings"
    cell = folder / "cells" / "1aae70df056969fc.f9c59622.json"
    assert '"split":true' in cell.read_text(encoding="utf-8")
    record = read_record(cell)
    assert record.parts is not None
    assert len(record.parts.gradient_s) == 3
    assert record.cell.key == record.key, "what it is remains"
    assert to_bytes(record) == cell.read_bytes(), "nothing of it is lost"
    plan = folder / "plans" / "mnist_batch_sweep.full.json"
    assert '"split":true' in plan.read_text(encoding="utf-8")
    assert read_plan(plan).measure.repeats == 3


def test_records_and_plans_of_parameter_servers_are_read(tmp_path: Path) -> None:
    cell = Path(__file__).parent / "old" / "record-1-parameter-server.json"
    record = read_record(cell)
    assert record.cell.key == record.key, "what it is remains"
    device = record.cell.device_spec
    assert (device.strategy, device.parameter_servers) == ("parameter_server", 1)
    assert to_bytes(record)[:900] == cell.read_bytes()[:900], "its device is written as it was"
    document = study().plan.model_dump(mode="json")
    document["devices"]["cpu"] = device.model_dump(mode="json")
    file = tmp_path / "earlier.full.json"
    file.write_text(json.dumps(document))
    assert read_plan(file).devices["cpu"] == device
