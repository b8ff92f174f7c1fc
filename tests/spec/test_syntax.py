"""A TOML text with errors is read as far as it is sound, and every error is told."""

from __future__ import annotations

import tomllib
from dataclasses import astuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelreport.spec.syntax import read

SOUND = '''\
title = "A [title] = with # everything"
list = [
  1, # one
  [2, 3],
  { a = "}" },
]
long = """
not = [a statement
[nor a header]
"""
literal = \'\'\'it''s\'\'\'

[table.inner] # header
key = 1979-05-27T07:32:00Z
[[rows]]
n = +inf
[[rows]]
'''


def test_a_sound_text_is_read_as_the_standard_library_reads_it() -> None:
    document = read(SOUND)
    assert document.data == tomllib.loads(SOUND)
    assert document.is_whole
    assert not document.problems


@pytest.mark.parametrize(
    "broken",
    [
        "key =",
        "key = [1, 2",
        'key = "text',
        "key = '''text",
        "key = yes",
        "key == 1",
        "key 1",
        "key = { a = 1",
        "key = 1 2",
        "[table",
        "= 1",
    ],
)
def test_one_broken_statement_costs_only_itself(broken: str) -> None:
    document = read(f"before = 1\n{broken}\nafter = 2\n")
    assert [problem.span.line for problem in document.problems] == [2]
    assert document.data["before"] == 1
    assert not document.is_whole
    # What stands under a broken header belongs to no table that is known.
    assert broken == "[table" or document.data["after"] == 2


def test_errors_of_every_kind_are_told_in_one_pass() -> None:
    document = read("a = \nb = [1\nc = tru\n[t]\nd = 1\nd = 2\n[t]\ne = 'x\n")
    assert [problem.span.line for problem in document.problems] == [1, 2, 3, 6, 7, 8]
    assert document.data == {"t": {"d": 1}}


def test_a_key_defined_again_loses_no_value() -> None:
    document = read("a = 1\na = 2\n[t]\nb = 1\n")
    assert document.data == {"a": 1, "t": {"b": 1}}
    assert document.is_whole
    (problem,) = document.problems
    assert problem.path == ("a",)
    assert problem.first is not None
    assert problem.first.line == 1


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        ("x = 1\n  t = { a = 1, a = 2 }\n", (2, 9, 2, 10), (2, 16, 2, 17)),
        ("x = 1\n  t = [\n { a = 1, a = 2 } ]\n", (3, 4, 3, 5), (3, 11, 3, 12)),
    ],
)
def test_a_key_defined_again_in_a_table_of_one_line_is_where_the_text_has_it(
    text: str, first: tuple[int, ...], second: tuple[int, ...]
) -> None:
    (problem,) = read(text).problems
    assert problem.first is not None
    assert astuple(problem.first) == first
    assert astuple(problem.span) == second


def test_a_table_defined_again_is_lost_with_its_keys() -> None:
    document = read("[t]\na = 1\n[u]\n[t]\nb = 2\n")
    assert document.data == {"t": {"a": 1}, "u": {}}
    assert not document.is_whole


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "[" * 50_000 + "]" * 50_000,
        "x = " + "[" * 100 + "]" * 100,
        "x" + ".x" * 100_000 + " = 1",
        "[x" + ".x" * 100 + "]",
        "x = " + "{ a = " * 100 + "1" + " }" * 100,
    ],
)
def test_what_is_nested_beyond_reading_is_an_error_and_not_a_crash(text: str) -> None:
    (problem,) = read(text).problems
    assert "nested too deeply" in problem.message


def test_a_hundred_errors_of_a_file_are_enough() -> None:
    for line in ("k{} = [1 2]", "again = {}", "[x]\ny{} = 1"):
        text = "\n".join(line.format(number) for number in range(2_000))
        assert len(read(text).problems) == 100


def test_a_control_character_in_a_comment_is_one_error_at_its_place() -> None:
    for before in ("", "a = 1\na = 2\n", "a = 1\n"):
        document = read(f"{before}# to\x1fo\nb = 3\n")
        last = document.problems[-1]
        assert (last.span.line, last.span.column) == (before.count("\n") + 1, 5)
        assert "character" in last.message
        assert document.data["b"] == 3


LINES = st.sampled_from(
    [
        *SOUND.split("\n"),
        "[",
        "]]",
        "a.b = 1",
        "a = { b = 1, b = 2 }",
        '"""',
        "'",
        "[[rows]]",
        "é = 1",
        "x = 01",
        "y = 6 s",
        "z = [1 2]",
        "# \x1f",
    ]
)


@given(st.lists(LINES | st.text(max_size=12), max_size=12))
def test_any_text_is_read_and_every_error_lies_within_it(lines: list[str]) -> None:
    text = "\n".join(lines).replace("\r", "")
    document = read(text)
    every = text.split("\n")
    for problem in document.problems:
        spans = [problem.span, *([problem.first] if problem.first else [])]
        for span in spans:
            assert 1 <= span.line <= span.end_line <= len(every)
            assert 1 <= span.column <= len(every[span.line - 1]) + 1
    if not document.problems:
        assert document.data == tomllib.loads(text)
    else:
        with pytest.raises(tomllib.TOMLDecodeError):
            tomllib.loads(text)


@given(st.lists(st.sampled_from(["k{} = 1", "k{} = yes", "k{} =", "k{} = [1, 2"]), max_size=8))
def test_every_broken_line_is_told_once_and_every_sound_one_read(forms: list[str]) -> None:
    text = "\n".join(form.format(number) for number, form in enumerate(forms))
    document = read(text)
    broken = [number for number, form in enumerate(forms, start=1) if form != "k{} = 1"]
    assert [problem.span.line for problem in document.problems] == broken
    assert len(document.data) == len(forms) - len(broken)
