"""Records that are old, damaged or meant to do harm: the rest is read, and built, all the same."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accelreport.errors import ExitCode
from accelreport.results.block import Block
from accelreport.results.reading import ResultProblem, UnreadableFile, read_record, to_bytes
from accelreport.results.record import RECORD_VERSION, Record
from accelreport.results.store import Store
from tests.support.program import call
from tests.support.records import store_of, study

OLD = sorted((Path(__file__).parent / "old").glob("record-*.json"))
MACHINE = "0a1b2c3d"


@pytest.fixture(scope="module")
def content() -> bytes:
    """A sound record as it is stored."""
    return to_bytes(study(repeats=1, epochs=1).records[0])


@pytest.mark.parametrize("path", OLD, ids=lambda path: path.stem)
def test_a_record_that_an_earlier_accelreport_wrote_is_read_and_kept_whole(
    path: Path, tmp_path: Path
) -> None:
    before = json.loads(path.read_text())
    record = read_record(path)
    assert record.record_version == RECORD_VERSION
    after = json.loads(to_bytes(record))
    lost = {
        key for key, value in before.items() if key not in after and value not in (None, [], {})
    }
    assert lost == set()
    assert (after["key"], after["status"]) == (before["key"], before["status"])
    assert record.blocks == [Block.model_validate(block) for block in before["blocks"]]
    assert [Block.model_validate(block) for block in after["blocks"]] == record.blocks
    assert Store(tmp_path).write(record).exists()


def test_there_is_an_old_record_of_every_version_that_ever_was() -> None:
    versions = {int(re.findall(r"record-(\d+)", path.name)[0]) for path in OLD}
    assert versions == set(range(1, RECORD_VERSION + 1))


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_no_damage_to_a_file_does_more_than_leave_it_out(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, data: st.DataObject
) -> None:
    damaged = bytearray(content)
    for _ in range(data.draw(st.integers(1, 4), label="blows")):
        place = data.draw(st.integers(0, len(damaged) - 1), label="place")
        match data.draw(st.sampled_from(["flip", "cut", "double", "insert"]), label="how"):
            case "flip":
                damaged[place] ^= data.draw(st.integers(1, 255), label="bits")
            case "cut":
                del damaged[place : place + data.draw(st.integers(1, 400), label="bytes")]
            case "double":
                damaged[place:place] = damaged[place : place + 200]
            case _:
                damaged[place:place] = data.draw(st.binary(min_size=1, max_size=20), label="new")
        if not damaged:
            break
    path = tmp_path_factory.mktemp("damaged") / "record.json"
    path.write_bytes(bytes(damaged))
    try:
        read: Record | ResultProblem = read_record(path)
    except UnreadableFile as error:
        read = error.problem
    assert isinstance(read, Record) or (read.path == path and read.message)


def evil(content: bytes) -> dict[str, bytes]:
    """Files that somebody else may have put there, by what is wrong with them."""
    document: dict[str, Any] = json.loads(content)
    deep: Any = []
    for _ in range(900):
        deep = [deep]
    return {
        "newer": json.dumps({**document, "record_version": RECORD_VERSION + 1}).encode(),
        "of no version": json.dumps({**document, "record_version": "1; DROP TABLE"}).encode(),
        "cut off": content[: len(content) // 2],
        "empty": b"",
        "zeros": bytes(4096),
        "a page": b"<script>alert(1)</script>",
        "of another key": json.dumps({**document, "key": "../../../etc/passwd"}).encode(),
        "with an unknown field": json.dumps({**document, "__class__": "os.system"}).encode(),
        "nested": json.dumps({**document, "details": {"x": deep}}).encode(),
        "of endless brackets": b"[" * 1_000_000,
        "of a long number": b'{"record_version": 1' + b"0" * 100_000 + b"}",
        "of many blocks that are none": json.dumps({**document, "blocks": [1] * 100_000}).encode(),
        "of a wrong status": json.dumps({**document, "status": "perfect"}).encode(),
        "in another encoding": content.decode().encode("utf-16"),
    }


def test_a_report_is_built_of_what_can_be_read_and_names_every_other_file(
    tmp_path: Path, content: bytes
) -> None:
    made = study(repeats=1)
    store = store_of(tmp_path / "results", made)
    bad = {}
    for number, text in enumerate(evil(content).values()):
        bad[number] = store.cells / f"{number:016x}.{MACHINE}.json"
        bad[number].write_bytes(text)

    built = call(tmp_path, "build")

    assert built.returncode in {ExitCode.OK, ExitCode.BAD_RESULTS}, built.stderr
    assert "Traceback" not in built.stderr
    for path in bad.values():
        assert path.name in built.stderr
        assert path.exists(), "what cannot be read is never removed"
    page = (tmp_path / "site" / "index.html").read_text()
    assert made.plan.title in page
    assert "<script>alert(1)" not in page


def test_a_copy_of_a_plan_is_named_and_the_report_is_built_all_the_same(tmp_path: Path) -> None:
    made = study(repeats=1)
    store = Store(tmp_path / "results")
    plan = store.write_plan(made.plan)
    for record in made.records:
        store.write(record)
    copy = plan.with_name(f"{plan.stem} (conflicted copy).json")
    copy.write_bytes(plan.read_bytes())

    built = call(tmp_path, "build")

    assert built.returncode == ExitCode.OK, built.stderr
    assert copy.name in built.stderr
    assert made.plan.title in (tmp_path / "site" / "index.html").read_text()


def test_the_only_plan_is_named_when_it_cannot_be_read(tmp_path: Path) -> None:
    made = study(repeats=1)
    plan = Store(tmp_path / "results").write_plan(made.plan)
    plan.write_bytes(plan.read_bytes()[:100])

    built = call(tmp_path, "build")

    assert built.returncode == ExitCode.NOTHING_RAN
    assert plan.name in built.stderr
    assert "truncated" in built.stderr
    assert "can be read" in built.stderr


def test_a_site_is_not_written_into_the_root_of_the_file_system(tmp_path: Path) -> None:
    Store(tmp_path / "results").write_plan(study(repeats=1).plan)
    before = set(Path("/").iterdir())
    for out in ("/", "/../"):
        for options in ((), ("--single-file",)):
            built = call(tmp_path, "build", "--out", out, *options)
            assert built.returncode == ExitCode.BAD_RESULTS, built.stderr
            assert "Traceback" not in built.stderr
            assert "--out" in built.stderr
    assert set(Path("/").iterdir()) == before
