"""What is left of a run, and how long it takes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelreport.results.record import Record
from accelreport.runner.timings import RemainingTime
from tests.runner.scripted import cell
from tests.runner.test_plan import expected, record

CELLS = [cell(repeat=repeat, point={"n": n}) for n in range(3) for repeat in range(3)]
"""Three conditions of three repeats."""

ENDS = st.lists(
    st.tuples(
        st.sampled_from(range(len(CELLS))),
        st.sampled_from(["ok", "partial", "failed"]),
        st.floats(0.001, 1e5),
    ),
    unique_by=lambda end: end[0],
)


def ended(number: int, status: str, wall_s: float) -> Record:
    one = CELLS[number]
    kind = "timeout" if status == "failed" else ""
    return record(status, kind=kind, wall_s=wall_s, repeat=one.repeat, point=one.point)


@given(st.sets(st.sampled_from(range(len(CELLS)))), ENDS, ENDS)
def test_the_time_left_is_that_of_the_cells_left_whichever_end_and_in_which_order(
    chosen: set[int], before: list[tuple[int, str, float]], ends: list[tuple[int, str, float]]
) -> None:
    known = [ended(*end) for end in before]
    first, *further = [CELLS[number] for number in sorted(chosen)] or [CELLS[0]]
    expectation = expected(known)
    beside = RemainingTime(expectation, CELLS)
    remaining, left = RemainingTime(expectation, [first]), {first.key: first}
    remaining.add([*further, first])
    left |= {one.key: one for one in further}

    for end in ends:
        known.append(ended(*end))
        beside.ended(known[-1])
        remaining.ended(known[-1])
        left.pop(known[-1].key, None)

    anew = expected(known).total(left.values())
    assert len(remaining) == len(left)
    assert remaining.known_s == pytest.approx(anew.seconds, abs=1e-6)
    assert remaining.unknown == anew.unknown
    for one in CELLS:
        assert (one.key in remaining) == (one.key in left)
        told = expected(known).of(one) if one.key in left else None
        assert remaining.of(one.key) == pytest.approx(told)
