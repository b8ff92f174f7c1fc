"""What a field of a record may hold beside the others, and what is said where it does not."""

from __future__ import annotations

import pytest
from pydantic import BaseModel, ValidationError

from accelreport.results.reading import explain
from accelreport.results.record import Block
from tests.support.learned import quantised


def _block(*step_s: float, wall_s: float) -> Block:
    return Block(
        epoch=1, first_step=1, steps=len(step_s), wall_s=wall_s, cpu_s=wall_s, other_cpu_s=0.0,
        warmup=False, stopped_s=None, step_s=list(step_s),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("step_s", "wall_s", "valid"),
    [((1.0, 2.0), 3.0, True), ((1.0, 2.0), 9.0, True), ((1.0, 2.0), 2.9, False),
     ((-1.0, 2.0), 9.0, False), ((0.0, 2.0), 9.0, False)],
)  # fmt: skip
def test_stamps_are_times_within_their_block_or_none(
    step_s: tuple[float, ...], wall_s: float, valid: bool
) -> None:
    assert _block(*step_s, wall_s=wall_s).stamped_s == (list(step_s) if valid else [])


def test_a_quantised_model_has_as_many_examples_as_its_four_counts() -> None:
    own = quantised(2, 3)["quantised"]
    kind, held = type(own), own.model_dump()
    assert kind.model_validate(held) == own
    for wrong in ({"neither": own.neither + 1}, {"examples": own.examples + 1}):
        with pytest.raises(ValidationError, match="four counts are not those of its examples"):
            kind.model_validate({**held, **wrong})


@pytest.mark.parametrize(("fields", "end"), [(3, ""), (4, " (and 1 more)"), (6, " (and 3 more)")])
def test_three_errors_are_told_and_the_others_counted(fields: int, end: str) -> None:
    class Asked(BaseModel):
        a: int
        b: int
        c: int
        d: int = 0
        e: int = 0
        f: int = 0

    with pytest.raises(ValidationError) as caught:
        Asked.model_validate(dict.fromkeys("abcdef"[:fields], "no number"))
    told = explain(caught.value, "a record")
    assert told.startswith("it is not a record: a: Input should be a valid integer")
    assert told.count("valid integer") == 3
    assert told.endswith(f" as an integer{end}")
