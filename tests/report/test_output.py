"""A build replaces and removes what a build wrote, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from accelreport.report.site.output import MANIFEST, Output, OutputError, is_inside


def write(root: Path, **files: str) -> int:
    output = Output(root)
    for name, content in files.items():
        output.add(name.replace("__", "/"), content)
    return output.finish()


def test_pages_that_are_no_longer_part_of_the_site_are_removed(tmp_path: Path) -> None:
    write(tmp_path, a="1", cells__b="2")
    write(tmp_path, a="1")
    assert sorted(path.name for path in tmp_path.iterdir()) == [MANIFEST, "a"]


def test_files_of_a_person_stay_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("mine")
    (tmp_path / "cells").mkdir()
    (tmp_path / "cells" / "mine").write_text("mine")
    write(tmp_path, a="1", cells__b="2")
    write(tmp_path, a="1")
    assert (tmp_path / "README.md").read_text() == "mine"
    assert (tmp_path / "cells" / "mine").read_text() == "mine"


def test_a_file_that_was_not_built_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text("mine")
    output = Output(tmp_path)
    output.add("index.html", "built")
    with pytest.raises(OutputError, match="in the way"):
        output.finish()
    assert (tmp_path / "index.html").read_text() == "mine"


def test_only_what_changed_is_written_again(tmp_path: Path) -> None:
    assert write(tmp_path, a="1", b="2") == 2
    before = (tmp_path / "a").stat().st_mtime_ns
    assert write(tmp_path, a="1", b="3") == 1
    assert (tmp_path / "a").stat().st_mtime_ns == before


@pytest.mark.parametrize("path", ["../x", "/x", "a/../../x", "c:/x", "a\\..\\x", "", MANIFEST])
def test_no_file_is_written_outside_the_folder(tmp_path: Path, path: str) -> None:
    with pytest.raises(ValueError, match="not a path inside"):
        Output(tmp_path).add(path, "")


def test_a_list_of_files_that_names_others_is_refused(tmp_path: Path) -> None:
    (tmp_path / MANIFEST).write_text(json.dumps({"files": ["../../precious"]}))
    with pytest.raises(OutputError, match="cannot be used"):
        Output(tmp_path)


def test_a_damaged_list_of_files_is_told_and_not_trusted(tmp_path: Path) -> None:
    (tmp_path / MANIFEST).write_text("{")
    with pytest.raises(OutputError) as caught:
        Output(tmp_path)
    assert "--out" in caught.value.remedy


def test_one_file_cannot_be_two(tmp_path: Path) -> None:
    output = Output(tmp_path)
    output.add("a", "1")
    with pytest.raises(ValueError, match="twice"):
        output.add("a", "2")


def test_a_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "site").write_text("a file")
    with pytest.raises(OutputError):
        write(tmp_path / "site", a="1")


def test_inside_means_below() -> None:
    assert is_inside("a/b.html")
    assert not is_inside("a/../b")
