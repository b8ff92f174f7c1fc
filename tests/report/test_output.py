"""A build replaces and removes what a build wrote, and nothing else."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

from accelreport.atomic import TEMPORARY_SUFFIX
from accelreport.errors import ExitCode
from accelreport.report.site.output import MANIFEST, STAGING, Output, OutputError
from tests.support.program import call, call_from_nothing
from tests.support.records import store_of, study


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


def test_a_link_of_a_person_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "index.html").symlink_to(tmp_path / "absent")
    with pytest.raises(OutputError, match="in the way"):
        write(tmp_path, **{"index.html": "built"})
    assert (tmp_path / "index.html").is_symlink()


def test_only_what_changed_is_written_again(tmp_path: Path) -> None:
    assert write(tmp_path, a="1", b="2") == 2
    before = (tmp_path / "a").stat().st_mtime_ns
    assert write(tmp_path, a="1", b="3") == 1
    assert (tmp_path / "a").stat().st_mtime_ns == before


def abandoned(site: Path) -> list[Path]:
    """What a build leaves that is killed just now, while it draws and while it writes its list."""
    site.mkdir(exist_ok=True)
    staging, half = site / f"{STAGING}1", site / f".{MANIFEST}.1-ab{TEMPORARY_SUFFIX}"
    staging.mkdir()
    (staging / "0").write_text("half a page")
    half.write_text("{")
    os.utime(half, (0, 0))
    return [staging, half]


def test_what_a_killed_build_left_goes_with_the_next_one(tmp_path: Path) -> None:
    left = abandoned(tmp_path)
    with Output(tmp_path):
        assert not [path for path in left if path.exists()]


@pytest.mark.e2e
def test_a_killed_build_leaves_nothing_to_the_next_one_and_no_traceback(tmp_path: Path) -> None:
    made = (study(repeats=2, seed=seed, spec=f"s{seed}") for seed in range(3))
    _stored, mine = store_of(tmp_path / "results", *made), tmp_path / "mine"
    mine.mkdir()
    system = "cycler.__init__.__globals__.os"
    (mine / "article.html").write_text(f"{{{{ {system}.kill({system}.getpid(), 9) }}}}")
    killed = call_from_nothing(tmp_path, "build", "--no-cache", "--templates", "mine")
    assert killed.returncode == -signal.SIGKILL
    assert "Traceback" not in killed.stderr
    assert list((tmp_path / "site").glob(f"{STAGING}*"))
    assert call(tmp_path, "build").returncode == ExitCode.OK
    assert not list((tmp_path / "site").glob(f"{STAGING}*"))
    abandoned(tmp_path / "site")
    assert call(tmp_path, "build").returncode == ExitCode.OK, "where nothing has changed, too"
    assert not list((tmp_path / "site").glob(f"{STAGING}*"))


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


def test_a_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "site").write_text("a file")
    with pytest.raises(OutputError):
        write(tmp_path / "site", a="1")
