"""Files that cells leave: kept with the results, whole or not at all."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from accelreport.results.merge import merge
from accelreport.results.observations import Artefact
from accelreport.results.record import Record
from accelreport.results.store import Store
from accelreport.runner.artefacts import LeftFile, hand_over
from tests.support.records import study


def artefact(content: bytes, name: str = "weights.h5") -> Artefact:
    digest = hashlib.sha256(content).hexdigest()
    return Artefact(name=name, what="weights", bytes=len(content), sha256=digest)


def naming(*artefacts: Artefact) -> Record:
    record = study(repeats=1, epochs=1).records[0]
    return record.model_copy(update={"artefacts": list(artefacts)})


def test_what_a_record_names_is_handed_over(tmp_path: Path) -> None:
    one, other = artefact(b"one"), artefact(b"other", "saved_model.tar")
    for each, content in ((one, b"one"), (other, b"other")):
        (tmp_path / each.file).write_bytes(content)
    got: list[LeftFile] = []
    record = hand_over(naming(one, other), tmp_path, got.append)
    assert got == [(one, b"one"), (other, b"other")]
    assert record == naming(one, other)


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


def test_merging_unites_files_and_names_damaged_ones(tmp_path: Path) -> None:
    one, two = (Store(tmp_path / name) for name in ("one", "two"))
    for store, content in ((one, b"1"), (two, b"2"), (two, b"1")):
        store.prepare()
        store.keep(artefact(content), content)
    damaged = two.artefacts / f"{'0' * 64}.weights.h5"
    damaged.write_bytes(b"damaged")
    merged = merge([one.root, two.root], tmp_path / "all")
    found = {path.read_bytes() for path in Store(tmp_path / "all").artefacts.iterdir()}
    assert found == {b"1", b"2"}
    assert [problem.path for problem in merged.problems] == [damaged]
    again = merge([tmp_path / "all"], tmp_path / "all")
    assert not again.problems
