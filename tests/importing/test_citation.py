"""No figure is imported without who published it, where and when."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from accelreport.errors import ExitCode
from accelreport.importing.published import RowDefaults, cited, composed
from accelreport.importing.reader import NotAsked, NotCited
from tests.importing.files import SOURCE, a_file, read


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"title": ""}, "the title of the source (--title) is missing"),
        ({"title": " "}, "the title of the source (--title) is missing"),
        ({"year": None}, "the year of publication (--year) is missing"),
        (
            {"title": "", "year": None},
            "(--title) and the year of publication (--year) are",
        ),
        ({"url": "example.org"}, "is not the address of a page"),
        ({"url": "javascript:alert(1)"}, "is not the address of a page"),
        ({"url": "https://a b"}, "is not the address of a page"),
        ({"url": "https://example.org/\u202e"}, "is not the address of a page"),
        ({"url": "", "doi": "see the page"}, "is not a DOI"),
        ({"doi": "10.1145/1"}, "--url and --doi are both given"),
        ({"year": 18}, "is not a year of publication"),
        ({"year": True}, "is not a year of publication"),
        ({"accessed": "yesterday"}, "is not a date"),
        ({"accessed": "2026-13-01"}, "is not a date"),
    ],
)
def test_an_incomplete_citation_is_refused_and_never_guessed(
    change: dict[str, Any], says: str
) -> None:
    with pytest.raises(NotCited) as caught:
        cited("theirs.csv:2", {**SOURCE, **change}, {})
    assert says in caught.value.what
    assert caught.value.what.startswith(("theirs.csv:2: ", "--url"))
    assert caught.value.exit_code == ExitCode.USAGE


@pytest.mark.parametrize(
    "doi", ["10.1145/3341301", "doi:10.1145/3341301", "https://doi.org/10.1145/3341301"]
)
def test_a_doi_is_an_address(doi: str) -> None:
    found = cited("x", {**SOURCE, "url": "", "doi": doi}, {})
    assert found["url"] == "https://doi.org/10.1145/3341301"


def test_a_source_without_an_address_is_its_title_and_year() -> None:
    given: dict[str, Any] = {"title": "my notebook, 3 May 2026", "year": 2026, "url": ""}
    assert cited("x", given, {}) == {"title": "my notebook, 3 May 2026", "year": 2026}


def test_what_a_row_says_of_its_source_comes_before_the_command_line() -> None:
    own = {"title": "Their table", "url": "https://example.org/theirs"}
    said = {**SOURCE, "url": "", "doi": "10.1145/1", "licence": "CC BY 4.0"}
    found = cited("x", said, own)
    assert found == {
        "title": "Their table",
        "year": 2018,
        "url": "https://example.org/theirs",
        "licence": "CC BY 4.0",
    }


def test_a_row_without_a_device_or_a_label_is_asked_for_it(tmp_path: Path) -> None:
    found = read(a_file(tmp_path, "epoch_time\n6 s\n")).rows
    with pytest.raises(NotAsked, match="the device is missing"):
        composed(found, RowDefaults("f.csv", label="A GPU", source=SOURCE))
    with pytest.raises(NotAsked, match="the label is missing"):
        composed(found, RowDefaults("f.csv", device="gpu", source=SOURCE))
    with pytest.raises(NotCited, match="are missing"):
        composed(found, RowDefaults("f.csv", device="gpu", label="A GPU"))


def test_conditions_that_differ_are_explained(tmp_path: Path) -> None:
    found = read(a_file(tmp_path, "epoch_time,note,comparable\n6 s,Another batch.,false\n")).rows
    (row,) = composed(found, RowDefaults("f.csv", "gpu", "A GPU", source=SOURCE))
    assert row.published.note == "Another batch."
    assert not row.published.comparable
