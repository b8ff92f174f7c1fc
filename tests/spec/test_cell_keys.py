"""A cell that was measured is known by its key: the keys of all shipped specs stay as they are.

`cell_keys.txt` holds a line for each cell of each profile. A line that is new or gone belongs to a
spec that somebody changed; one whose key alone differs means that everybody measures it again.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from accelreport.loader.load import load

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
