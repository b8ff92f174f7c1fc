from __future__ import annotations

import json
import math
import os
import stat
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accelreport.results import reading
from accelreport.results.reading import ResultsError
from accelreport.results.record import Record
from accelreport.results.store import Store
from tests.support.records import assorted, study

MACHINE = "0a1b2c3d"

NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


def a_record() -> Record:
    return study(repeats=1, epochs=1).records[0]


def stored(tmp_path: Path) -> tuple[Store, Record, Path]:
    store = Store(tmp_path / "results")
    record = a_record()
    return store, record, store.write(record)


def kinds(store: Store) -> list[str]:
    return [problem.kind for problem in store.problems]


def test_a_record_comes_back_as_it_was_written(tmp_path: Path) -> None:
    store = Store(tmp_path)
    written = study(fate=assorted, samples=3).records

    for record in written:
        store.write(record)

    assert sorted(store.records(), key=lambda r: r.key) == sorted(written, key=lambda r: r.key)
    assert store.get(written[0].key, MACHINE) == written[0]
    assert store.problems == []


def test_a_plan_comes_back_as_it_was_written(tmp_path: Path) -> None:
    store = Store(tmp_path)
    plans = [study("training").plan, study("matmul", profile="quick").plan]

    for plan in plans:
        store.write_plan(plan)

    assert sorted(store.plans(), key=lambda p: p.spec, reverse=True) == plans


def test_a_loss_that_diverged_comes_back_as_nan(tmp_path: Path) -> None:
    store = Store(tmp_path)
    record = a_record().model_copy(update={"final": {"loss": math.nan, "val_loss": math.inf}})

    path = store.write(record)

    read = store.get(record.key, MACHINE)
    assert read is not None
    assert math.isnan(read.final["loss"])
    assert read.final["val_loss"] == math.inf
    json.loads(path.read_text(), parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))


MANY_KEYS = b"{" + b",".join(b'"k%d":1' % number for number in range(100_000))
"""Keys of an object that is searched for its repeated one in seconds."""


@pytest.mark.parametrize(
    ("content", "kind", "says"),
    [
        (b"", "cut-off", "truncated after 0 bytes"),
        (b'{"record_version": 1, "key": "00', "cut-off", "truncated after 32 bytes"),
        (b"not json at all", "not-json", "not JSON"),
        (b'{"a": "\xff"}', "not-json", "UTF-8"),
        (b"[1, 2]", "not-json", "not a JSON object"),
        (b"[" * 100_000, "not-json", "not JSON"),
        (b'{"a": 1' + b"0" * 5000 + b"}", "not-json", "not JSON"),
        (MANY_KEYS + b',"k99999":1}', "not-json", "k99999"),
        (b"{}", "invalid", "record_version is None"),
        (b'{"record_version": true}', "invalid", "record_version is True"),
        (b'{"record_version": 0}', "invalid", "record_version is 0"),
        (b'{"record_version": 1}', "invalid", "cell: Field required"),
        (b'{"record_version": 1, "evil": "</script>"}', "invalid", "not a record"),
        (b'{"record_version": 2}', "newer", "newer accelreport (record version 2"),
    ],
)
def test_a_bad_file_is_named_and_explained_and_the_rest_is_read(
    tmp_path: Path, content: bytes, kind: str, says: str
) -> None:
    store, record, path = stored(tmp_path)
    bad = path.with_name(f"{'0' * 16}.{MACHINE}.json")
    bad.write_bytes(content)

    assert list(store.records()) == [record]

    (problem,) = store.problems
    assert (problem.path, problem.kind) == (bad, kind)
    assert says in problem.message
    assert str(bad) in str(problem)


def test_a_file_too_large_to_be_a_record_is_not_opened(tmp_path: Path) -> None:
    store, record, path = stored(tmp_path)
    huge = path.with_name(f"{'f' * 16}.{MACHINE}.json")
    with huge.open("wb") as file:
        file.truncate(2**40)  # no machine could read that

    assert list(store.records()) == [record]
    assert kinds(store) == ["too-large"]


def test_a_pipe_a_folder_and_a_dangling_link_do_not_stop_the_reader(tmp_path: Path) -> None:
    store, record, path = stored(tmp_path)
    os.mkfifo(path.with_name(f"{'1' * 16}.{MACHINE}.json"))
    path.with_name(f"{'2' * 16}.{MACHINE}.json").mkdir()
    path.with_name(f"{'3' * 16}.{MACHINE}.json").symlink_to(tmp_path / "gone")

    assert list(store.records()) == [record]
    assert kinds(store) == ["not-a-file", "not-a-file"]  # the link leads to no file at all


def test_a_record_under_another_name_is_not_believed(tmp_path: Path) -> None:
    store, record, path = stored(tmp_path)
    path.with_name(f"{'0' * 16}.{MACHINE}.json").write_bytes(path.read_bytes())
    path.with_name("notes.json").write_bytes(path.read_bytes())

    assert list(store.records()) == [record]
    assert kinds(store) == ["misnamed", "misnamed"]
    assert record.key in store.problems[0].message


@pytest.mark.parametrize("key", ["../../../etc/x", "", "0" * 15, "G" * 16, f"{'0' * 16}\n"])
def test_no_key_leads_out_of_the_folder(tmp_path: Path, key: str) -> None:
    with pytest.raises(ValueError, match="not the name of a record"):
        Store(tmp_path).get(key, MACHINE)


@settings(max_examples=30, deadline=None)
@given(names=st.tuples(NAMES, NAMES))
def test_plans_of_different_names_never_share_a_file(
    tmp_path_factory: pytest.TempPathFactory, names: tuple[str, str]
) -> None:
    store = Store(tmp_path_factory.mktemp("results"))
    plan = study(repeats=1).plan
    pairs = {names, names[::-1], ("a.b", "c"), ("a", "b.c"), ("..", ".."), ("", ""), ("", "a")}
    pairs |= {("../x", "/etc"), (".", "a"), ("a", "x" * 300), ("a", "x" * 301)}

    for spec, profile in pairs:
        path = store.write_plan(plan.model_copy(update={"spec": spec, "profile": profile}))
        assert path.parent == store.planned

    assert {(plan.spec, plan.profile) for plan in store.plans()} == pairs


def test_an_unreadable_file_is_set_aside_when_its_cell_is_measured_again(tmp_path: Path) -> None:
    store, record, path = stored(tmp_path)
    for content in (b"first wreck", b"second wreck"):
        path.write_bytes(content)
        store.write(record)

    assert list(store.records()) == [record]
    aside = sorted(path.parent.glob("*.unreadable-*"))
    assert [file.read_bytes() for file in aside] == [b"first wreck", b"second wreck"]


def test_a_record_of_a_newer_accelreport_is_never_replaced(tmp_path: Path) -> None:
    store, record, path = stored(tmp_path)
    path.write_bytes(b'{"record_version": 2}')

    with pytest.raises(ResultsError, match="is not replaced") as caught:
        store.write(record)

    assert "Update accelreport" in caught.value.remedy
    assert path.read_bytes() == b'{"record_version": 2}'


def test_a_copy_of_a_plan_is_named_and_the_plan_is_there_once(tmp_path: Path) -> None:
    store, plan = Store(tmp_path), study(repeats=1).plan
    path = store.write_plan(plan)
    other = plan.model_copy(update={"title": "An older title"})
    for copy, held in (("(conflicted copy)", plan), ("(1)", other)):
        path.with_name(f"{path.stem} {copy}.json").write_bytes(reading.to_bytes(held))

    assert store.plans() == [plan]
    assert store.plan(plan.spec, plan.profile) == plan
    assert {problem.kind for problem in store.problems} == {"misnamed"}
    assert [problem.path.name for problem in store.problems] == [
        f"{path.stem} (1).json",
        f"{path.stem} (conflicted copy).json",
    ]
    assert path.name in store.problems[0].message


def test_a_plan_under_another_name_is_read_where_it_is_the_only_one(tmp_path: Path) -> None:
    store, plan = Store(tmp_path), study(repeats=1).plan
    path = store.write_plan(plan)
    path.rename(path.with_name("renamed.json"))
    assert store.plans() == [plan]
    assert store.problems == []


def test_a_plan_that_cannot_be_read_is_set_aside_when_it_is_written_again(tmp_path: Path) -> None:
    store, plan = Store(tmp_path), study(repeats=1).plan
    path = store.write_plan(plan)
    path.write_bytes(b"{")
    store.write_plan(plan)
    assert store.plans() == [plan]
    assert path.with_name(f"{path.name}.unreadable-1").read_bytes() == b"{"


def test_a_plan_of_a_newer_accelreport_is_never_replaced(tmp_path: Path) -> None:
    store, plan = Store(tmp_path), study(repeats=1).plan
    path = store.write_plan(plan)
    path.write_text('{"plan_version": 2}')
    with pytest.raises(ResultsError, match=f"{path.name} is not replaced"):
        store.write_plan(plan)
    assert path.read_text() == '{"plan_version": 2}'


def test_what_killed_writers_left_is_swept_and_what_is_being_written_stays(tmp_path: Path) -> None:
    store, _, path = stored(tmp_path)
    left = path.with_name(f".{path.name}.4711-abcdef01.tmp")
    fresh = path.with_name(f".{path.name}.4712-abcdef02.tmp")
    for file in (left, fresh):
        file.write_bytes(b"{")
    os.utime(left, (1, 1))

    store.prepare()

    assert not left.exists()
    assert fresh.exists()
    assert path.exists()
    assert len(list(store.records())) == 1
    assert store.problems == []


def test_a_full_disk_is_one_clear_error_and_loses_nothing(tiny_disk: Path) -> None:
    store = Store(tiny_disk / "results")
    store.prepare()
    written: list[Record] = []

    def fill() -> None:
        for number, record in enumerate(study(repeats=20).records):
            larger = record.model_copy(update={"details": {"lines": ["x" * 5_000] * number}})
            store.write(larger)
            written.append(larger)

    with pytest.raises(ResultsError) as caught:
        fill()

    assert caught.value.why in {"No space left on device.", "File too large."}
    assert "Every earlier measurement is kept" in caught.value.remedy
    assert len(written) >= 2
    assert {record.key for record in store.records()} == {record.key for record in written}
    assert store.problems == []
    assert list(store.cells.glob(".*")) == []


def test_a_read_only_folder_is_one_clear_error_before_anything_is_measured(
    read_only_folder: Path,
) -> None:
    with pytest.raises(ResultsError) as caught:
        Store(read_only_folder / "results").prepare()

    assert str(read_only_folder) in caught.value.what
    assert caught.value.why in {"Read-only file system.", "Permission denied."}


def test_a_file_in_place_of_the_folder_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "results").write_text("I am a file")
    with pytest.raises(ResultsError, match="results is not a folder"):
        Store(tmp_path / "results").prepare()
    with pytest.raises(ResultsError, match="cannot be read"):
        list(Store(tmp_path / "results").records())


def test_records_may_be_shared_with_others_as_the_umask_says(tmp_path: Path) -> None:
    _, _, path = stored(tmp_path)
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~mask


@given(data=st.data())
def test_the_machines_of_some_cells_are_found_without_those_of_the_others(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    store = Store(tmp_path_factory.mktemp("results"))
    keys, machines = [f"{n:016x}" for n in range(4)], [f"{n:08x}" for n in range(3)]
    pairs = st.tuples(st.sampled_from(keys), st.sampled_from(machines))
    store.cells.mkdir()
    for key, machine in (chosen := data.draw(st.sets(pairs))):
        store.record_path(key, machine).touch()
    for odd in (f"{keys[0]}.json", f"{keys[0]}.{machines[0]}.json.unreadable-1", ".hidden.json"):
        (store.cells / odd).touch()
    asked = data.draw(st.sets(st.sampled_from(keys)))

    every = store.machines()

    assert {(key, machine) for key, found in every.items() for machine in found} == chosen
    assert all(found == sorted(found) for found in every.values())
    assert store.machines(asked) == {key: every[key] for key in asked if key in every}
