"""Problems are shown like a compiler's, in any terminal, and without obeying what they quote."""

from __future__ import annotations

import json
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from accelreport.spec.problems import (
    WIDEST,
    Place,
    Problem,
    SpecErrors,
    printable,
    quote,
    without_echoes,
    wrong_choice,
)

LINE = 'devices = ["cpu", "gpus"]'
DEVICES = Place("specs/a.toml", 3, 19, 25, LINE)


def test_a_wrong_value_of_a_list_names_the_key_of_the_list() -> None:
    problem = wrong_choice(("workload", "metrics", 0), "acuracy", ["accuracy"])
    assert problem.message == '"acuracy" is not a value of `metrics`'


def test_a_problem_is_shown_with_its_line_caret_help_and_related_places() -> None:
    problem = Problem(
        "unknown-device",
        DEVICES,
        'there is no device "gpus"',
        'did you mean "gpu"?',
        "devices[1]",
        (Place("specs/devices.toml", 10, 2, 5, "[gpu]", "it is defined here"),),
    )
    assert problem.render() == (
        'specs/a.toml:3:19: there is no device "gpus"\n'
        '    3 | devices = ["cpu", "gpus"]\n'
        "      |                   ^^^^^^\n"
        '  help: did you mean "gpu"?\n'
        "  specs/devices.toml:10:2: it is defined here\n"
        "   10 | [gpu]\n"
        "      |  ~~~"
    )


def test_all_problems_are_counted_at_the_end() -> None:
    one = Problem("x", DEVICES, "one")
    assert str(SpecErrors([one])).endswith("\n\n1 error in 1 file; nothing was run.")
    other = Problem("x", Place("specs/b.toml", 1, 1, 1, ""), "other")
    assert str(SpecErrors([one, other])).endswith("\n\n2 errors in 2 files; nothing was run.")


def test_a_program_reads_every_part_of_a_problem() -> None:
    told = Problem("x", DEVICES, "m", "h", "devices[1]", (Place("b.toml"),)).as_json()
    assert json.loads(json.dumps(told)) == told
    assert told["place"]["column"] == 19
    assert told["related"][0]["file"] == "b.toml"
    assert (told["code"], told["key"], told["help"]) == ("x", "devices[1]", "h")


def test_the_caret_stands_below_tabs_and_wide_characters_too() -> None:
    place = Place("a.toml", 1, 5, 6, "\t字é=x")
    _, carets = place.excerpt()
    assert carets.partition("| ")[2] == "\t" + " " * 4 + "^"
    _, carets = Place("a.toml", 1, 4, 5, "e\u0301=x").excerpt()
    assert carets.partition("| ")[2] == "  ^", "an accent of its own takes no column"


def test_a_long_line_is_cut_around_its_caret() -> None:
    for column, place in ((1, 0), (500, WIDEST // 2), (1000, WIDEST - 1)):
        line, carets = Place("a.toml", 1, column, column + 1, "x" * 1000).excerpt()
        assert len(line.partition("| ")[2]) == WIDEST
        assert carets.partition("| ")[2].index("^") == place


def test_no_control_or_direction_character_reaches_the_terminal() -> None:
    hostile = 'x = "\x1b[31m\u202e\u200b\x00\x7f"'
    text = Problem("x", Place("a", 1, 1, 2, hostile), f"{quote(hostile)}").render()
    assert all(unicodedata.category(char) not in {"Cf", "Cs"} for char in text)
    assert all(char == "\n" or unicodedata.category(char) != "Cc" for char in text)


@given(st.text(max_size=30), st.integers(1, 40), st.integers(0, 10))
def test_an_excerpt_is_two_lines_of_printable_text_with_a_caret(
    source: str, column: int, length: int
) -> None:
    source = source.replace("\n", "").replace("\r", "")
    column = min(column, len(source) + 1)
    end = min(column + length, len(source) + 1)
    line, carets = Place("a.toml", 7, column, end, source).excerpt()
    assert line == f"    7 | {printable(source)}"
    assert "^" in carets
    assert len(line.split("\n")) == len(carets.split("\n")) == 1


def test_a_misspelt_key_is_not_told_as_missing_too() -> None:
    missing = Problem("missing-key", DEVICES, "`title` is missing", key="title")
    unknown = Problem("unknown-key", DEVICES, "no", "did you mean `title`?", "titel")
    elsewhere = Problem("missing-key", DEVICES, "`title` is missing", key="source.title")
    assert without_echoes([missing, unknown, elsewhere, unknown]) == [unknown, elsewhere]
