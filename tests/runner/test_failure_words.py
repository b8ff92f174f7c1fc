"""What the documentation says of failures is what the program knows."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

from accelreport.backend.failures import REMEDIES
from accelreport.results.record import FailureKind

RUNNING = (Path(__file__).parents[2] / "docs" / "running.md").read_text(encoding="utf-8")


def test_the_table_of_kinds_in_the_documentation_is_that_of_the_code() -> None:
    section = RUNNING.partition("## Why a cell failed\n")[2].partition("\n## ")[0]
    assert re.findall(r"^\| `([a-z-]+)` \| ", section, re.MULTILINE) == list(get_args(FailureKind))


def test_every_remedy_is_for_a_kind_there_is() -> None:
    assert set(REMEDIES) <= set(get_args(FailureKind))
    assert all(REMEDIES.values())
