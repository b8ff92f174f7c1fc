"""A link inside a folder of accelreport's leads no write and no removal out of it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from accelreport.cli.new import new as new_spec
from accelreport.datasets.download import fetch
from accelreport.datasets.errors import DataError
from accelreport.errors import AccelReportError, ExitCode, UsageError
from accelreport.report.site.output import MANIFEST
from accelreport.results.store import FOLDERS, Store
from accelreport.runner.workspace import Workspace
from tests.support.program import Finished, call, write_specs
from tests.support.records import Study, store_of, study


@pytest.fixture
def theirs(tmp_path: Path) -> Iterator[Path]:
    """A folder that is nobody's business, with a thesis in it; it must stay as it is."""
    folder = tmp_path / "theirs"
    folder.mkdir()
    (folder / "thesis.txt").write_text("two years")
    os.utime(folder / "thesis.txt", (0, 0))
    yield folder
    assert [path.name for path in folder.iterdir()] == ["thesis.txt"]
    assert (folder / "thesis.txt").read_text() == "two years"


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A folder with results of one spec."""
    folder = tmp_path / "here"
    folder.mkdir()
    store_of(folder / "results", measurements())
    return folder


def measurements(seed: int = 0) -> Study:
    return study("matmul", repeats=1, devices=("cpu",), axes={}, seed=seed)


def assert_refused(done: Finished, link: Path) -> None:
    assert done.returncode == ExitCode.BAD_RESULTS, done.stderr
    assert f"{link} is a link" in done.stderr


def test_a_build_removes_nothing_through_a_link_that_its_list_names(
    here: Path, theirs: Path
) -> None:
    site = here / "site"
    site.mkdir()
    (site / "link").symlink_to(theirs)
    (site / MANIFEST).write_text(json.dumps({"files": ["link/thesis.txt"]}))
    assert_refused(call(here, "build", "--no-cache"), Path("site/link"))
    assert {path.name for path in site.iterdir()} == {"link", MANIFEST}


@pytest.mark.parametrize("remembered", [True, False])
def test_a_build_writes_nothing_through_a_link(
    here: Path, theirs: Path, *, remembered: bool
) -> None:
    site, cache = here / "site", str(here / "cache")
    if remembered:
        assert call(here, "build", ACCELREPORT_CACHE=cache).returncode == ExitCode.OK
        (site / "cells").rename(here / "moved")
        (site / "index.html").unlink()
    site.mkdir(exist_ok=True)
    (site / "cells").symlink_to(theirs)
    assert_refused(call(here, "build", ACCELREPORT_CACHE=cache), Path("site/cells"))
    assert not (site / "index.html").exists()


def test_a_link_in_the_place_of_a_page_is_not_written_through_either(
    here: Path, theirs: Path
) -> None:
    assert call(here, "build").returncode == ExitCode.OK
    page = here / "site" / "index.html"
    built = page.read_text()
    page.unlink()
    page.symlink_to(theirs / "thesis.txt")
    assert call(here, "build").returncode == ExitCode.OK
    assert (page.is_symlink(), page.read_text()) == (False, built)


@pytest.mark.parametrize("name", FOLDERS)
@pytest.mark.parametrize("command", ["run specs/matmul.toml", "merge more -o results"])
def test_runs_and_merges_write_nothing_through_a_link(
    here: Path, theirs: Path, name: str, command: str
) -> None:
    write_specs(here)
    more = Store(here / "more")
    for record in measurements(1).records:
        more.write(record)
    place = here / "results" / name
    place.parent.mkdir(exist_ok=True)
    if place.exists():
        place.rename(here / "moved")
    place.symlink_to(theirs)
    assert_refused(call(here, *command.split()), Path("results", name))


def test_records_are_not_removed_through_a_link(here: Path) -> None:
    (here / "results" / "cells").rename(here / "moved")
    (here / "results" / "cells").symlink_to(here / "moved")
    done = call(here, "results", "rm", measurements().records[0].key, "--yes")
    assert_refused(done, Path("results/cells"))
    assert len(list((here / "moved").iterdir())) == 1


def test_a_lock_that_is_a_link_is_not_opened(here: Path, theirs: Path) -> None:
    specs = write_specs(here)
    (here / "results" / "locks").mkdir()
    assert call(here, "run", str(specs / "matmul.toml")).returncode == ExitCode.OK
    for lock in (here / "results" / "locks").iterdir():
        lock.unlink()
        lock.symlink_to(theirs / "thesis.txt")
    assert call(here, "results", "rm", "matmul", "--yes").returncode == ExitCode.OK
    assert_refused(call(here, "run", str(specs / "matmul.toml")), Path("results/locks", lock.name))


def test_the_folders_that_a_person_names_may_be_links(here: Path, tmp_path: Path) -> None:
    (tmp_path / "home").symlink_to(here)
    disk = tmp_path / "disk"
    for name in ("results", "site", "cache"):
        (disk / name).mkdir(parents=True)
    for part in (here / "results").iterdir():
        part.rename(disk / "results" / part.name)
    (here / "results").rmdir()
    for name in ("results", "site"):
        (here / name).symlink_to(disk / name)
    (tmp_path / "cache").symlink_to(disk / "cache")
    specs, cache = write_specs(here), str(tmp_path / "cache")
    for command in ("build", "run specs/matmul.toml", "merge results -o all", "build"):
        done = call(tmp_path / "home", *command.split(), ACCELREPORT_CACHE=cache)
        assert done.returncode == ExitCode.OK, done.stderr
    assert (disk / "site" / "index.html").exists()
    assert len(list((disk / "results" / "cells").iterdir())) == 2
    assert list((disk / "cache" / "report" / "sites").iterdir())
    assert specs.is_dir()


@pytest.mark.parametrize("place", ["imdb", "imdb/imdb.npz.part", "imdb/imdb.npz.lock"])
def test_no_data_are_fetched_through_a_link(
    place: str, theirs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ACCELREPORT_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("ACCELREPORT_MIRROR", "http://127.0.0.1:9")
    link = tmp_path / "data" / place
    link.parent.mkdir(parents=True)
    link.symlink_to(theirs / "thesis.txt" if "." in link.name else theirs)
    with pytest.raises(DataError, match="cannot be written") as caught:
        fetch("imdb")
    assert f"{link} is a link" in caught.value.why


def test_the_private_folder_is_written_through_no_link(tmp_path: Path, theirs: Path) -> None:
    workspace = Workspace(tmp_path / "work")
    workspace.prepare()
    workspace.scratch.symlink_to(theirs)
    with pytest.raises(AccelReportError, match="cannot be written") as caught:
        workspace.clear_scratch()
    assert f"{workspace.scratch} is a link" in caught.value.why


@pytest.mark.parametrize("place", ["schema", "devices.toml", "schema/spec.schema.json"])
def test_what_is_written_beside_a_new_spec_goes_through_no_link(
    place: str, tmp_path: Path, theirs: Path
) -> None:
    link = tmp_path / "specs" / place
    link.parent.mkdir(parents=True)
    link.symlink_to(theirs / "absent" if "." in link.name else theirs)
    with pytest.raises(UsageError, match="cannot be written") as caught:
        new_spec(tmp_path / "specs" / "products.toml", system="matmul")
    assert f"{link} is a link" in caught.value.why
    assert list((tmp_path / "specs").iterdir()) == [tmp_path / "specs" / place.partition("/")[0]]
