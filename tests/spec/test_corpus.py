"""Every broken spec of the corpus is answered, word for word, as its neighbour file says."""

from __future__ import annotations

import pytest

from accelreport.errors import ExitCode
from tests.spec.corpus import BROKEN, cases, errors, expected


@pytest.mark.parametrize("case", cases())
def test_a_broken_spec_gets_exactly_the_expected_diagnostics(case: str) -> None:
    assert f"{errors(case)}\n" == expected(case).read_text(encoding="utf-8")


def test_the_corpus_covers_what_can_go_wrong_and_nothing_lies_about() -> None:
    assert len(cases()) >= 50
    sidecars = {path.name for path in BROKEN.glob("*.txt")}
    assert sidecars == {expected(case).name for case in cases()}


@pytest.mark.parametrize("case", cases())
def test_a_message_speaks_plainly_and_a_program_reads_its_place(case: str) -> None:
    error = errors(case)
    for word in ("pydantic", "tomllib", "Input should", "Value error", "valid string", "Traceback"):
        assert word not in str(error)
    assert error.exit_code == ExitCode.BAD_SPEC
    for problem in error.problems:
        told = problem.as_json()
        assert told["code"]
        assert told["message"] == problem.message
        assert told["place"]["line"] == problem.place.line
        for place in (problem.place, *problem.related):
            if place.line:
                lines = (BROKEN / place.file).read_text(encoding="utf-8").split("\n")
                assert place.source == lines[place.line - 1]
                # A caret behind the last character says that something is missing there.
                assert 1 <= place.column <= place.end_column <= len(place.source) + 1
