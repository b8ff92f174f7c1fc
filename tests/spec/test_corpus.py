"""Every broken spec of the corpus is answered, word for word, as its neighbour file says."""

from __future__ import annotations

from pathlib import Path

import pytest

from accelreport.errors import ExitCode
from accelreport.spec.problems import Place
from tests.spec.corpus import BROKEN, cases, errors, expected


@pytest.mark.parametrize("case", cases())
def test_a_broken_spec_gets_exactly_the_expected_diagnostics(case: str) -> None:
    assert f"{errors(case)}\n" == expected(case).read_text(encoding="utf-8")


@pytest.mark.parametrize("case", cases())
def test_every_place_lies_within_its_file(case: str) -> None:
    for problem in errors(case).problems:
        for place in (problem.place, *problem.related):
            if place.line:
                line = _line(place)
                assert place.source == line
                # A caret behind the last character says that something is missing there.
                assert 1 <= place.column <= place.end_column <= len(line) + 1


def _line(place: Place) -> str:
    return (BROKEN / place.file).read_text(encoding="utf-8").split("\n")[place.line - 1]


def test_the_corpus_covers_what_can_go_wrong_and_nothing_lies_about() -> None:
    assert len(cases()) >= 50
    sidecars = {path.name for path in BROKEN.glob("*.txt")}
    assert sidecars == {expected(case).name for case in cases()}


@pytest.mark.parametrize("case", cases())
def test_a_message_speaks_plainly_and_not_of_the_tools_below(case: str) -> None:
    text = str(errors(case))
    for word in ("pydantic", "tomllib", "Input should", "Value error", "valid string", "Traceback"):
        assert word not in text


@pytest.mark.parametrize("case", cases())
def test_a_problem_can_be_read_by_a_program(case: str) -> None:
    error = errors(case)
    assert error.exit_code == ExitCode.BAD_SPEC
    for problem in error.problems:
        told = problem.as_json()
        assert told["code"]
        assert told["message"] == problem.message
        assert told["place"]["line"] == problem.place.line
        assert Path(told["place"]["file"]).parts
