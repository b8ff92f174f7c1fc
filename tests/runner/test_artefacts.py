"""Files that cells leave: kept with the results, whole or not at all."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from accelreport.results.merge import merge
from accelreport.results.record import Artefact, Record
from accelreport.results.store import Store
from accelreport.runner.launchers.base import LeftFile, hand_over
from tests.support.records import study


def artefact(content: bytes, name: str = "weights.h5") -> Artefact:
    digest = hashlib.sha256(content).hexdigest()
    return Artefact(name=name, what="weights", bytes=len(content), sha256=digest)


def naming(*artefacts: Artefact) -> Record:
    record = study(repeats=1, epochs=1).records[0]
    return record.model_copy(update={"artefacts": list(artefacts)})


def test_half_a_file_and_none_are_not_kept_and_the_record_says_so(tmp_path: Path) -> None:
    whole, half, absent = artefact(b"whole"), artefact(b"half a file"), artefact(b"absent")
    (tmp_path / whole.file).write_bytes(b"whole")
    (tmp_path / half.file).write_bytes(b"half")
    got: list[LeftFile] = []
    record = hand_over(naming(half, whole, absent), tmp_path, got.append)
    assert got == [(whole, b"whole")]
    assert record.artefacts == [whole]
    assert [warned.kind for warned in record.warnings[-2:]] == ["artefact-lost"] * 2


@pytest.mark.parametrize("name", ["../x", "a/b", "", ".hidden", "x" * 200, "A.h5"])
def test_a_record_cannot_name_a_file_outside_the_folder(name: str) -> None:
    with pytest.raises(ValueError, match="pattern"):
        artefact(b"x", name)


def test_the_same_content_is_kept_once_and_other_content_never_in_its_name(tmp_path: Path) -> None:
    store = Store(tmp_path)
    paths = {store.keep(artefact(b"one"), b"one") for _ in range(2)}
    assert [path.read_bytes() for path in paths] == [b"one"]
    with pytest.raises(ValueError, match="not the content"):
        store.keep(artefact(b"one"), b"two")


@dataclass(frozen=True)
class Left:
    """A results folder with one record that names some files."""

    store: Store

    @classmethod
    def of(cls, root: Path, *artefacts: Artefact, number: int = 0) -> Left:
        store = Store(root)
        store.prepare()
        made = study(repeats=1, epochs=1).records[number]
        store.write(made.model_copy(update={"artefacts": list(artefacts)}))
        store.artefacts.mkdir()
        return cls(store)

    def place(self, one: Artefact) -> Path:
        return self.store.artefacts / one.file


def test_merging_unites_files_and_names_damaged_ones(tmp_path: Path) -> None:
    first, second = artefact(b"1"), artefact(b"2")
    damaged = artefact(b"damage!", "model.tar")
    one = Left.of(tmp_path / "one", first)
    two = Left.of(tmp_path / "two", first, second, damaged, number=1)
    for left, each, content in ((one, first, b"1"), (two, second, b"2"), (two, first, b"1")):
        left.store.keep(each, content)
    two.place(damaged).write_bytes(b"damaged")
    merged = merge([one.store.root, two.store.root], tmp_path / "all")
    found = {path.read_bytes() for path in Store(tmp_path / "all").artefacts.iterdir()}
    assert found == {b"1", b"2"}
    assert [problem.path for problem in merged.problems] == [two.place(damaged)]
    again = merge([tmp_path / "all"], tmp_path / "all")
    assert not again.problems


def test_a_whole_file_takes_the_place_of_half_a_one(tmp_path: Path) -> None:
    one = artefact(b"whole")
    source, out = Left.of(tmp_path / "source", one), Left.of(tmp_path / "out", one)
    source.store.keep(one, b"whole")
    out.place(one).write_bytes(b"wh")
    assert merge([source.store.root], out.store.root).problems == ()
    assert out.place(one).read_bytes() == b"whole"


HUGE = 40 * 2**30


@pytest.mark.parametrize("kind", ["pipe", "folder", "device", "sparse", "nothing", "gone"])
def test_no_odd_thing_among_the_files_holds_up_a_merge(tmp_path: Path, kind: str) -> None:
    odd, whole = artefact(b"odd"), artefact(b"whole", "weights.h5")
    left = Left.of(tmp_path / "source", odd, whole)
    left.store.keep(whole, b"whole")
    path = left.place(odd)
    match kind:
        case "pipe":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case "device":
            path.symlink_to("/dev/zero")
        case "sparse":
            path.touch()
            os.truncate(path, HUGE)
        case "gone":
            path.symlink_to(tmp_path / "gone")
    merged = merge([left.store.root], tmp_path / "out")
    store = Store(tmp_path / "out")
    assert [each.name for each in store.artefacts.iterdir()] == [whole.file]
    assert len(list(store.records())) == 1
    named = [] if kind in {"nothing", "gone"} else [path]
    assert [problem.path for problem in merged.problems] == named
    for problem in merged.problems:
        assert ("bytes" if kind == "sparse" else "regular file") in problem.message


def test_a_file_that_is_handed_over_is_held_against_what_its_record_says(tmp_path: Path) -> None:
    sparse, pipe, folder = artefact(b"sparse"), artefact(b"pipe"), artefact(b"folder")
    (tmp_path / sparse.file).touch()
    os.truncate(tmp_path / sparse.file, HUGE)
    os.mkfifo(tmp_path / pipe.file)
    (tmp_path / folder.file).mkdir()
    record = hand_over(naming(sparse, pipe, folder), tmp_path, lambda left: pytest.fail(f"{left}"))
    assert record.artefacts == []
    assert [warned.kind for warned in record.warnings[-3:]] == ["artefact-lost"] * 3
