from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelreport.results.reading import STEPS, NewerVersion, NoVersion, migrate
from accelreport.results.record import RECORD_VERSION


def trail(name: str) -> Any:
    return lambda record: {**record, "trail": [*record.get("trail", []), name]}


def test_an_older_record_goes_through_every_step_in_order() -> None:
    steps = {1: trail("1→2"), 2: trail("2→3"), 3: trail("3→4")}

    migrated = migrate({"record_version": 2, "kept": "x"}, steps=steps, current=4)

    assert migrated == {"record_version": 4, "kept": "x", "trail": ["2→3", "3→4"]}


def test_a_record_of_the_current_version_is_left_as_it_is() -> None:
    record = {"record_version": RECORD_VERSION, "any": [1]}
    assert migrate(record) == record


def test_every_version_that_ever_was_has_its_step() -> None:
    assert sorted(STEPS) == list(range(1, RECORD_VERSION))


@given(st.integers(min_value=RECORD_VERSION + 1))
def test_a_newer_record_is_refused_with_what_to_do(version: int) -> None:
    with pytest.raises(NewerVersion, match="update accelreport"):
        migrate({"record_version": version})


@given(st.one_of(st.integers(max_value=0), st.booleans(), st.none(), st.text(), st.floats()))
def test_what_is_no_version_is_refused(version: object) -> None:
    with pytest.raises(NoVersion):
        migrate({"record_version": version})


def test_the_original_is_not_changed() -> None:
    original = {"record_version": 1}
    migrate(original, steps={1: trail("x")}, current=2)
    assert original == {"record_version": 1}
