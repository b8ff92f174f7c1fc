"""Text from elsewhere is shown as it is, and names no file outside the site."""

from __future__ import annotations

import re

from hypothesis import example, given
from hypothesis import strategies as st

from accelreport.report.pages.sections.about import toml_tokens, web_address
from accelreport.report.site.output import is_inside
from accelreport.report.text import clean, label, slug, tail, unshared, written
from tests.report.scenarios import HOSTILE

names = st.one_of(st.text(), st.sampled_from(HOSTILE))


@given(names)
@example("../../x")
@example("CON")
@example("index")
@example("")
def test_a_file_name_made_of_any_text_stays_in_its_folder(text: str) -> None:
    name = slug(text)
    assert re.fullmatch(r"[a-z0-9_-]{1,100}", name)
    assert is_inside(f"{name}.html")
    assert name not in {"con", "nul", "index", "cells"}


@given(names, names)
def test_two_names_never_meet_in_one_file(one: str, other: str) -> None:
    assert one == other or slug(one) != slug(other)


def test_a_plain_name_stays_readable() -> None:
    assert slug("mnist_batch_sweep") == "mnist_batch_sweep"
    assert slug("MNIST sweep").startswith("mnist-sweep-")


@given(st.text())
def test_cleaned_text_holds_no_character_that_reorders_or_breaks_a_page(text: str) -> None:
    cleaned = clean(text)
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u202a-\u202e\u2066-\u2069]", cleaned)
    assert clean(cleaned) == cleaned


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126)))
def test_plain_text_stays_as_it_is(text: str) -> None:
    assert clean(text) == text


def test_a_bidirectional_control_is_shown_by_its_name() -> None:
    assert clean("a\u202eb") == "a⟨U+202E⟩b"
    assert clean("\x1b[31mred\x1b[0m") == "red"


def test_a_long_label_ends_with_an_ellipsis_and_a_long_log_begins_with_one() -> None:
    assert label("x" * 500) == "x" * 119 + "…"
    assert label(" a\n\tb ") == "a b"
    log = "\n".join(f"line {i}" for i in range(10_000))
    assert tail(log, 100).startswith("…\nline ")
    assert tail(log, 100).endswith("line 9999")


def test_only_web_addresses_become_links() -> None:
    assert web_address("https://example.org/a") == "https://example.org/a"
    for text in ("javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "https:/x y", ""):
        assert web_address(text) == ""


@given(st.one_of(st.text(alphabet="a=\"#[]\n\\' .1{}"), st.sampled_from(HOSTILE)))
def test_coloured_toml_is_the_text_to_the_letter(text: str) -> None:
    assert "".join(token.text for token in toml_tokens(text)) == clean(text)


def test_toml_is_coloured_by_what_it_is() -> None:
    roles = {token.text.strip(): token.role for token in toml_tokens('[a]\nb = "c" # d\n')}
    assert roles["[a]"] == "head"
    assert roles["b"] == "key"
    assert roles['"c"'] == "text"
    assert roles["# d"] == "note"


def test_a_byte_that_is_no_character_is_a_dot_in_what_a_model_wrote() -> None:
    assert written("thou\x80 art\n\x07") == "thou· art\n·"


def test_names_lose_what_all_of_them_begin_with() -> None:
    assert unshared(("A, 1 thread", "A, 2 replicas")) == (["1 thread", "2 replicas"], "A")
    assert unshared(("A on machine 1", "A on machine 2")) == (["machine 1", "machine 2"], "A")
    assert unshared(("A", "A, 2 replicas")) == (["A", "A, 2 replicas"], "")
