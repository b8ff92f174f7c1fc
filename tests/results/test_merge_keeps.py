"""What a merge may meet in the folder that takes the union, and must not destroy."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from accelreport.results import merge as module
from accelreport.results.merge import merge
from accelreport.results.reading import ResultsError, to_bytes
from accelreport.results.store import Store
from tests.results.conftest import Folder
from tests.support.records import study


def as_newer(path: Path) -> bytes:
    """Make a record or a plan one of a newer accelreport; returns its content."""
    document = json.loads(path.read_text())
    version = "record_version" if "record_version" in document else "plan_version"
    path.write_text(json.dumps({**document, version: 7, "new": "field"}))
    return path.read_bytes()


def test_what_a_newer_accelreport_wrote_stays_where_it_is_and_the_other_lies_beside_it(
    tmp_path: Path, folder: Folder
) -> None:
    made = study(repeats=1)
    source = folder(made.records)
    plan = Store(source).write_plan(made.plan)
    out = tmp_path / "out"
    shutil.copytree(source, out)
    record = Store(out).record_path(made.records[0].key, "0a1b2c3d")
    newer = {path: as_newer(path) for path in (record, out / "plans" / plan.name)}

    for _ in range(2):
        result = merge([source], out)

        assert {problem.path for problem in result.problems} == set(newer)
        assert {path: path.read_bytes() for path in newer} == newer
        assert result.conflicts == (f"cells/{record.name}", f"plans/{plan.name}")
        (aside,) = (out / "conflicts" / "cells").iterdir()
        assert aside.read_bytes() == to_bytes(made.records[0])
        (other,) = (out / "conflicts" / "plans").iterdir()
        assert other.read_bytes() == to_bytes(made.plan)


def test_a_damaged_file_makes_room_for_a_whole_one_and_is_kept(
    tmp_path: Path, folder: Folder
) -> None:
    made = study(repeats=1)
    source = folder(made.records)
    plan = Store(source).write_plan(made.plan)
    out = tmp_path / "out"
    shutil.copytree(source, out)
    damaged = [
        Store(out).record_path(made.records[0].key, "0a1b2c3d"),
        out / "plans" / plan.name,
    ]
    for path in damaged:
        path.write_bytes(path.read_bytes()[:-9])
    cut = [path.read_bytes() for path in damaged]
    pipe = Store(out).record_path(made.records[1].key, "0a1b2c3d")
    pipe.unlink()
    os.mkfifo(pipe)

    result = merge([source], out)

    assert {problem.path for problem in result.problems} == {*damaged, pipe}
    assert all("unreadable-1" in problem.message for problem in result.problems)
    asides = [path.with_name(f"{path.name}.unreadable-1") for path in damaged]
    assert [path.read_bytes() for path in asides] == cut
    store = Store(out)
    assert list(store.records()) == list(Store(source).records())
    assert store.plans() == [made.plan]
    assert merge([source], out).problems == ()


def test_no_file_among_the_conflicts_is_removed_that_was_not_read(
    tmp_path: Path, folder: Folder
) -> None:
    made = study(repeats=1)
    again = made.records[0].model_copy(
        update={"started_at": "2030-01-01T00:00:00+00:00", "log_tail": "x"}
    )
    source = folder(made.records)
    out = tmp_path / "out"
    merge([source, folder([again])], out)
    (aside,) = (out / "conflicts" / "cells").iterdir()
    for changed in ("damaged", "newer"):
        if changed == "damaged":
            aside.write_bytes(aside.read_bytes()[:-9])
        else:
            aside.write_bytes(to_bytes(made.records[0]))
            as_newer(aside)
        content = aside.read_bytes()

        result = merge([source], out)

        assert [problem.path for problem in result.problems] == [aside]
        assert content in {path.read_bytes() for path in aside.parent.iterdir()}


def test_a_record_that_a_run_writes_meanwhile_is_not_overwritten(
    tmp_path: Path, folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = study(repeats=1)
    source, out = folder(made.records), tmp_path / "out"
    mine = made.records[0].model_copy(
        update={"started_at": "2030-01-01T00:00:00+00:00", "log_tail": "x"}
    )

    def measured_meanwhile(*_: object) -> None:
        Store(out).write(mine)

    monkeypatch.setattr(module, "_unite_artefacts", measured_meanwhile)
    with pytest.raises(ResultsError, match="changed during the merge"):
        merge([source], out)
    assert Store(out).get(mine.key, "0a1b2c3d") == mine
