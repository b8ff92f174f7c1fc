"""Archives of results: merged like folders, and never trusted."""

from __future__ import annotations

import hashlib
import shutil
import zipfile
from pathlib import Path

import pytest

from accelreport.results.merge import merge, unpacked
from accelreport.results.reading import LARGEST_FILE, ResultsError, to_bytes
from accelreport.results.record import Artefact
from tests.support.records import store_of, study


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = study(repeats=1)
    store = store_of(tmp_path / "results", made)
    return store.root


def archived(folder: Path, *, inside: bool) -> Path:
    """The folder as an archive, with its own name inside or without."""
    root, base = (folder.parent, folder.name) if inside else (folder, ".")
    return Path(shutil.make_archive(str(folder.parent / f"made-{inside}"), "zip", root, base))


def zipped(path: Path, *members: tuple[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members:
            archive.writestr(name, content)
    return path


@pytest.mark.parametrize("inside", [True, False])
def test_an_archive_is_merged_as_its_folder_is(folder: Path, tmp_path: Path, inside: bool) -> None:
    with unpacked([archived(folder, inside=inside)]) as folders:
        of_archive = merge(folders, tmp_path / "of_archive")
        (temporary,) = folders
    of_folder = merge([folder], tmp_path / "of_folder")
    assert of_archive == of_folder
    assert not temporary.exists()


def test_folders_stay_where_they_are(folder: Path) -> None:
    with unpacked([folder]) as folders:
        assert folders == [folder]


@pytest.mark.parametrize(
    "name",
    [
        "../cells/x.json",
        "/cells/x.json",
        "results/../../cells/x.json",
        "cells/../x.json",
        "cells/../../x.json",
        "cells\\..\\x.json",
        "C:/cells/x.json",
        "cells/.hidden",
        "locks/x.lock",
        "a/b/cells/x.json",
    ],
)
def test_nothing_else_is_unpacked_and_nothing_leads_out(name: str, tmp_path: Path) -> None:
    path = zipped(tmp_path / "x.zip", (name, b"{}"), ("plans/kept.json", b"{}"))
    with unpacked([path]) as (folder,):
        found = {
            file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()
        }
        assert found <= {"plans/kept.json", "cells/x.json"}
        assert "plans/kept.json" in found
        assert all(file.is_relative_to(folder) for file in folder.rglob("*"))


def test_a_member_of_the_same_name_does_not_replace_another(tmp_path: Path) -> None:
    path = zipped(tmp_path / "x.zip", ("a/cells/x.json", b"1"), ("b/cells/x.json", b"2"))
    with pytest.raises(ResultsError, match=r"x\.zip cannot be used") as raised, unpacked([path]):
        pass
    assert raised.value.why == "It has cells/x.json twice."
    assert "with each file once" in raised.value.remedy


def test_an_archive_larger_than_any_results_ends_in_time(tmp_path: Path) -> None:
    path = zipped(tmp_path / "x.zip", ("cells/x.json", b"0" * 10**7))
    with (
        pytest.raises(ResultsError, match="unpacks to more than 1,000 bytes"),
        unpacked([path], 1000),
    ):
        pass


@pytest.mark.parametrize("content", [b"", b"no archive", b"PK\x03\x04 cut off"])
def test_what_is_no_archive_is_told_in_a_sentence(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    path.write_bytes(content)
    with pytest.raises(ResultsError, match="cannot be used") as raised, unpacked([path]):
        pass
    assert "Archive the whole results folder again" in str(raised.value)


def test_a_missing_archive_and_an_empty_one_are_told(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.zip", zipped(tmp_path / "empty.zip")):
        with pytest.raises(ResultsError, match=path.name), unpacked([path]):
            pass


def test_of_an_archive_only_files_that_a_record_names_take_room(tmp_path: Path) -> None:
    content = b"weights"
    digest = hashlib.sha256(content).hexdigest()
    named = Artefact(name="h5", what="weights", bytes=len(content), sha256=digest)
    grown = Artefact(name="tar", what="model", bytes=10, sha256="1" * 64)
    record = study(repeats=1).records[0].model_copy(update={"artefacts": [named, grown]})
    path = zipped(
        tmp_path / "x.zip",
        (f"artefacts/{'0' * 64}.bomb", bytes(50 * 2**20)),
        (f"artefacts/{grown.file}", bytes(50 * 2**20)),
        (f"artefacts/{named.file}", content),
        (f"cells/{record.key}.0a1b2c3d.json", to_bytes(record)),
        (f"plans/{'9' * 20}.json", b" " * (LARGEST_FILE + 2**20)),
    )
    with unpacked([path]) as (folder,):
        found = {file.name: file.stat().st_size for file in (folder / "artefacts").iterdir()}
        assert found == {named.file: len(content), grown.file: 11}
        (plan,) = (folder / "plans").iterdir()
        assert plan.stat().st_size == LARGEST_FILE + 1
        merged = merge([folder], tmp_path / "out")
    assert [problem.path.name for problem in merged.problems] == [plan.name, grown.file]
    assert [path.name for path in (tmp_path / "out" / "artefacts").iterdir()] == [named.file]
