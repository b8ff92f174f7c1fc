"""A cell that was measured is known by its key: the keys of all shipped specs stay as they are.

`cell_keys.txt` holds a line for each cell of each profile. A line that is new or gone belongs to a
spec that somebody changed; one whose key alone differs means that everybody measures it again.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from accelreport.loader.load import load
from accelreport.results.plan_document import plan_document

SPECS = Path(__file__).parents[2] / "specs"
KEYS = Path(__file__).with_name("cell_keys.txt")


@pytest.fixture
def _families() -> None:
    """The installed families, and not those of the corpus."""


def test_every_cell_of_every_shipped_spec_and_profile_keeps_its_key(tmp_path: Path) -> None:
    lines = {
        f"{cell.profile} {cell.name} {cell.key}"
        for profile in (None, "quick")
        for cell in load([SPECS], profile=profile).cells
    }
    today = tmp_path / KEYS.name
    today.write_text("\n".join(sorted(lines)) + "\n", encoding="utf-8")
    assert lines == set(KEYS.read_text(encoding="utf-8").splitlines()), (
        f"keys differ; if a spec was changed on purpose, copy {today} to {KEYS}"
    )


def test_a_cell_knows_each_value_of_its_point_and_what_is_not_swept() -> None:
    cells = load([SPECS]).cells
    swept = [cell for cell in cells if cell.point]
    assert all(cell.value(axis) == cell.point[axis] for cell in swept for axis in cell.point)
    assert {axis for cell in swept for axis in cell.point} >= {"batch_size", "units"}
    fixed = next(cell for cell in cells if cell.spec == "imdb_lstm")
    assert "optimizer.name" not in fixed.point
    assert fixed.value("optimizer.name") == fixed.workload["optimizer"]["name"]
    assert fixed.value("a key of another family") is None


def test_a_plan_gives_the_value_of_a_point_and_else_that_of_the_workload() -> None:
    (spec,) = load([SPECS / "mnist_batch_sweep.toml"]).specs
    plan = plan_document(spec, {})
    assert [plan.value("batch_size", {"batch_size": size}) for size in (1, 2)] == [1, 2]
    for cell in spec.cells:
        assert plan.value("batch_size", cell.point) == cell.value("batch_size")
        assert plan.value("optimizer.name", cell.point) == cell.value("optimizer.name") == "adam"
    assert plan.value("a key of another family", {}) is None
