"""What CONTRIBUTING says of the house is so: the rooms there are, and the files to open."""

from __future__ import annotations

import re

import pytest

from tests.house.documents import text_of
from tests.house.tree import ROOT, sources

KINDS = (
    "chart",
    "section",
    "slide",
    "launcher",
    "data set",
    "framework",
    "interval",
    "warning",
)
"""What a person comes to change, for each of which a row says where."""


def _table(heading: str) -> list[list[str]]:
    """The cells of the first table under a heading, without its head."""
    text = text_of("CONTRIBUTING.md").partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    rows = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in rows[2:]]


@pytest.mark.parametrize("row", _table("What to open"), ids=lambda row: row[0])
def test_a_file_that_is_named_for_a_change_is_there(row: list[str]) -> None:
    named = re.findall(r"`([^`]+)`", " ".join(row))
    assert named
    assert [path for path in named if not (ROOT / path).is_file()] == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_person_who_comes_to_change_something_finds_where(kind: str) -> None:
    assert [row for row in _table("What to open") if kind in row[0]]


def test_every_room_of_the_house_is_described() -> None:
    described = {row[0].strip("`/") for row in _table("Rooms")}
    rooms = {"/".join(name.split("/")[:2]) for name, _ in sources("accelreport")}
    assert {room for room in rooms if not room.endswith(".py")} <= described
