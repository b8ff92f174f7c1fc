"""`accelreport results list --format`, as Bencher and github-action-benchmark read it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator  # type: ignore[import-untyped]

from accelreport.analysis.results import results_of
from accelreport.analysis.speedup import groups_of
from accelreport.errors import ExitCode
from tests.support.fates import all_ok
from tests.support.program import call
from tests.support.records import Study, store_of, study

pytestmark = pytest.mark.e2e

BMF = {
    "type": "object",
    "patternProperties": {
        ".+": {
            "type": "object",
            "patternProperties": {
                ".+": {
                    "type": "object",
                    "properties": {
                        "value": {"type": "number"},
                        "lower_value": {"type": "number"},
                        "upper_value": {"type": "number"},
                    },
                    "required": ["value"],
                    "additionalProperties": False,
                }
            },
        }
    },
}
"""The schema that Bencher publishes of its format, and no further keys."""


def kept(folder: Path, *studies: Study) -> Path:
    store_of(folder / "results", *studies)
    return folder


def exported(folder: Path, format_: str) -> Any:
    done = call(folder, "results", "list", "--format", format_)
    assert done.returncode == ExitCode.OK, done.stderr

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is no JSON")

    return json.loads(done.stdout, parse_constant=refuse)


def test_bencher_gets_nanoseconds_and_examples_a_second_with_intervals(tmp_path: Path) -> None:
    made = study(devices=("cpu", "gpu"), axes={"batch_size": (128, 256)}, epochs=1)
    found = exported(kept(tmp_path, made), "bencher")
    Draft7Validator(BMF).validate(found)
    groups = groups_of(results_of(made.plan, made.records))
    assert len(found) == len(groups) == 4
    for group in groups:
        size, seconds = group.point["batch_size"], group.seconds()
        assert isinstance(size, int)
        own = found[f"{made.plan.spec} full {group.device} batch_size={size}"]
        assert own["latency"] == pytest.approx(
            {
                "value": 1e9 * seconds.value,
                "lower_value": 1e9 * seconds.low,
                "upper_value": 1e9 * seconds.high,
            }
        )
        assert own["throughput"]["value"] == pytest.approx(size / seconds.value)


def test_github_gets_milliseconds_and_what_has_no_time_is_left_out(tmp_path: Path) -> None:
    def fate(cell: Any) -> Any:
        return "oom-device" if cell.device == "gpu" else all_ok(cell)

    made = study(
        "matmul", devices=("cpu", "gpu"), axes={"size": (512,)}, repeats=1, fate=fate
    )  # fmt: skip
    (row,) = exported(kept(tmp_path, made), "github")
    assert row["unit"] == "ms"
    (group,) = [g for g in groups_of(results_of(made.plan, made.records)) if g.timed]
    assert row["value"] == pytest.approx(1e3 * group.seconds().value)
    assert "range" not in row, "one process has no interval"
    assert row["name"] == f"{made.plan.spec} full cpu size=512"


def test_two_machines_have_names_of_their_own(tmp_path: Path) -> None:
    one: dict[str, Any] = {"devices": ("cpu",), "axes": {"batch_size": (256,)}, "epochs": 1}
    other = study(machine="ffffffff", **one)
    found = exported(kept(tmp_path, study(**one), other), "github")
    assert sorted(row["name"].rpartition(" ")[2] for row in found) == ["0a1b2c3d", "ffffffff"]


def test_nothing_measured_is_an_error_and_no_empty_history(tmp_path: Path) -> None:
    kept(tmp_path, study(devices=("cpu",), fate=lambda cell: "oom-host", epochs=1))
    done = call(tmp_path, "results", "list", "--format", "bencher")
    assert done.returncode == ExitCode.NOTHING_RAN
    assert "has a steady time" in done.stderr
