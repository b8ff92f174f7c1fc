from __future__ import annotations

import itertools
import json
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from accelreport.results.merge import Merged, merge, record_versions
from accelreport.results.reading import ResultsError, read_record, to_bytes
from accelreport.results.record import Record
from accelreport.results.store import Store
from tests.results.conftest import Folder
from tests.support import disks
from tests.support.records import assorted, study

MACHINES = ("0a1b2c3d", "ffffffff")


def variants() -> list[Record]:
    """Records of two cells on two machines, of every status and with differing contents."""
    found = []
    for machine in MACHINES:
        for fate in ("ok", "partial", "oom-device", "skipped"):
            made = study(repeats=2, devices=("gpu",), machine=machine, fate=lambda _, f=fate: f)  # type: ignore[misc]
            for record in made.records[:2]:
                found += [
                    record,
                    record.model_copy(
                        update={"started_at": "2030-01-01T00:00:00+00:00", "log_tail": "x"}
                    ),
                ]
    return found


VARIANTS = variants()


def contents(root: Path) -> dict[str, str]:
    return {
        str(path.relative_to(root)): path.read_text()
        for path in sorted(root.rglob("*.json"))
        if "unreadable" not in path.name
    }


def merged(tmp: Path, *sources: Path) -> Path:
    out = tmp / "out"
    number = itertools.count()
    while out.exists():
        out = tmp / f"out{next(number)}"
    merge(sources, out)
    return out


@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.tuples(*[st.lists(st.sampled_from(VARIANTS), max_size=4)] * 3))
def test_merging_is_associative_commutative_and_idempotent(
    tmp_path_factory: pytest.TempPathFactory,
    folder: Folder,
    parts: tuple[list[Record], list[Record], list[Record]],
) -> None:
    tmp = tmp_path_factory.mktemp("merged")
    a, b, c = (folder(part) for part in parts)

    whole = contents(merged(tmp, a, b, c))
    assert contents(merged(tmp, merged(tmp, a, b), c)) == whole
    assert contents(merged(tmp, a, merged(tmp, c, b))) == whole
    assert contents(merged(tmp, c, b, a, b)) == whole
    again = merged(tmp, a, b, c)
    merge([again, a], again)
    assert contents(again) == whole
    one_by_one = merged(tmp, b)
    merge([c], one_by_one)
    merge([a], one_by_one)
    assert contents(one_by_one) == whole


def test_results_of_ten_machines_become_one_folder_that_can_be_read(
    tmp_path: Path, folder: Folder
) -> None:
    sources = []
    for number in range(10):
        made = study(machine=f"{number:08x}", fate=assorted, seed=number, repeats=1)
        source = folder(made.records)
        Store(source).write_plan(made.plan)
        sources.append(source)

    result = merge(sources, tmp_path / "all")

    store = Store(tmp_path / "all")
    assert result == Merged(
        records=sum(len(list(Store(source).records())) for source in sources),
        plans=1,
        machines=tuple(f"{number:08x}" for number in range(10)),
        conflicts=(),
        problems=(),
    )
    assert len(list(store.records())) == result.records
    assert len(store.plans()) == 1
    assert store.problems == []


def test_differing_measurements_are_all_kept_and_named(tmp_path: Path, folder: Folder) -> None:
    older = study(repeats=1).records[0]
    newer = older.model_copy(update={"started_at": "2030-01-01T00:00:00+00:00"})

    result = merge([folder([newer]), folder([older])], tmp_path / "out")

    name = f"{older.key}.0a1b2c3d"
    assert result.conflicts == (f"cells/{name}.json",)
    assert Store(tmp_path / "out").get(older.key, "0a1b2c3d") == newer
    (aside,) = (tmp_path / "out" / "conflicts" / "cells").iterdir()
    assert aside.name.startswith(name)
    assert Record.model_validate_json(aside.read_text()) == older


@pytest.mark.parametrize("fate", ["ok", "partial"])
def test_a_measurement_stands_before_a_failure_however_new_that_is(
    tmp_path: Path, folder: Folder, fate: str
) -> None:
    good = study(repeats=1, fate=lambda _: fate).records[0]
    failed = study(repeats=1, fate=lambda _: "timeout").records[0]
    failed = failed.model_copy(update={"started_at": "2030-01-01T00:00:00+00:00"})
    assert failed.key == good.key

    result = merge([folder([failed]), folder([good])], tmp_path / "out")

    assert list(Store(tmp_path / "out").records()) == [good]
    assert result.conflicts == ()


def test_the_plan_with_the_most_records_stands_in_front_and_the_other_is_kept(
    tmp_path: Path, folder: Folder
) -> None:
    old, new = study(repeats=1, first_seed=5), study(repeats=3)
    first, second = folder(old.records), folder(new.records)
    Store(first).write_plan(old.plan)
    Store(second).write_plan(new.plan)

    result = merge([first, second], tmp_path / "out")

    assert Store(tmp_path / "out").plans() == [new.plan]
    assert result.conflicts == ("plans/example_training.full.json",)
    assert len(list((tmp_path / "out" / "conflicts" / "plans").iterdir())) == 1


def test_files_that_cannot_be_read_are_named_and_the_rest_is_merged(
    tmp_path: Path, folder: Folder
) -> None:
    source = folder(study(repeats=1).records)
    bad = source / "cells" / f"{'0' * 16}.0a1b2c3d.json"
    bad.write_text('{"record_version": 9}')
    nowhere = study(repeats=1, first_seed=9).records[0].model_copy(update={"environment": None})
    lost = source / "cells" / f"{'1' * 16}.0a1b2c3d.json"
    lost.write_text(nowhere.model_dump_json())

    result = merge([source], tmp_path / "out")

    assert result.records == 9
    assert {(p.path, p.kind) for p in result.problems} == {(bad, "newer"), (lost, "misnamed")}
    assert bad.exists()


def test_records_that_are_in_the_target_alone_stay_as_they_are_and_count(
    tmp_path: Path, folder: Folder
) -> None:
    mine, theirs = study(repeats=1).records, study(repeats=1, first_seed=9).records
    out = folder(mine)
    again = mine[0].model_copy(update={"started_at": "2030-01-01T00:00:00+00:00", "log_tail": "x"})
    merge([folder([again])], out)
    (aside,) = (out / "conflicts" / "cells").iterdir()
    damaged = Store(out).record_path(mine[1].key, "0a1b2c3d")
    damaged.write_text("{")
    before = {path: (path.read_text(), path.stat().st_mtime_ns) for path in [aside, damaged]}

    result = merge([folder(theirs)], out)

    assert result.records == len(mine) + len(theirs)
    assert result.machines == ("0a1b2c3d",)
    assert result.conflicts == (f"cells/{mine[0].key}.0a1b2c3d.json",)
    assert result.problems == ()
    assert {path: (path.read_text(), path.stat().st_mtime_ns) for path in before} == before


def test_a_record_under_the_name_of_another_is_kept_when_that_one_comes(
    tmp_path: Path, folder: Folder
) -> None:
    first, second, third = study(repeats=1).records[:3]
    for one, other in ((first, second), (second, first)):
        out = folder([one, third])
        # Somebody gave a file the name of another record.
        Store(out).record_path(one.key, "0a1b2c3d").rename(
            Store(out).record_path(other.key, "0a1b2c3d")
        )

        result = merge([folder([other])], out)

        assert result.records == 3
        assert {record.key for record in Store(out).records()} == {
            one.key,
            other.key,
            third.key,
        }


@pytest.mark.parametrize(
    "names", [(1, 0), (1, 2), (2, 0, 1), (1, 2, 0), (1, 2, 3), (3, 0, 1)], ids=str
)
def test_records_under_the_names_of_each_other_are_all_kept(
    names: tuple[int, ...], folder: Folder
) -> None:
    every = study(repeats=2).records[:4]
    out = folder(every[: len(names)])
    place = [Store(out).record_path(one.key, "0a1b2c3d") for one in every]
    for number in range(len(names)):
        place[number].rename(place[number].with_suffix(".moved"))
    for number, name in enumerate(names):
        place[number].with_suffix(".moved").rename(place[name])

    merge([folder(every[-1:])], out)
    again = merge([out], out)

    found = {record.key for record in Store(out).records()}
    assert found >= {one.key for one in every[: len(names)]}
    assert again.conflicts == ()


def test_a_plan_under_the_name_of_another_is_kept(tmp_path: Path, folder: Folder) -> None:
    made = study(repeats=1)
    plans = [made.plan.model_copy(update={"profile": name}) for name in ("quick", "quick2")]
    out = folder([])
    paths = [Store(out).write_plan(plan) for plan in plans]
    paths[0].rename(tmp_path / "passing")
    paths[1].rename(paths[0])
    (tmp_path / "passing").rename(paths[1])

    merge([folder(made.records)], out)

    assert Store(out).plans() == plans


def test_a_file_that_changes_while_it_is_merged_is_named_and_not_taken_for_what_it_was(
    folder: Folder,
) -> None:
    first, second = study(repeats=1).records[:2]
    store = Store(folder([first]))
    (version,) = (
        one
        for each in record_versions([store.root], store.root, []).versions.values()
        for one in each
    )
    path = store.record_path(first.key, "0a1b2c3d")
    assert version.content(read_record) == path.read_bytes()
    for content in (to_bytes(second), b"{", None):
        path.unlink()
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(ResultsError, match=f"{path.name} changed during the merge"):
            version.content(read_record)
        path.touch()


def test_a_plan_that_every_node_left_is_one_plan_and_a_damaged_copy_is_named(
    tmp_path: Path, folder: Folder
) -> None:
    made = study(repeats=1)
    sources = [folder([record]) for record in made.records[:3]]
    for source in sources:
        Store(source).write_plan(made.plan)
    (damaged,) = (sources[1] / "plans").iterdir()
    damaged.write_text("{")

    result = merge(sources, tmp_path / "out")

    assert (result.records, result.plans, result.conflicts) == (3, 1, ())
    assert [problem.path for problem in result.problems] == [damaged]
    assert Store(tmp_path / "out").plans() == [made.plan]


def test_what_is_no_results_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    with pytest.raises(ResultsError, match="is not a results folder"):
        merge([tmp_path / "notes"], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_full_disk_while_merging_is_one_error_and_what_is_there_stays(
    tmp_path: Path, folder: Folder
) -> None:
    big = [
        record.model_copy(update={"log_tail": "x" * 90_000}) for record in study(repeats=2).records
    ]
    source = folder(big)
    with disks.tiny(tmp_path / "tiny") as disk:
        own = study(repeats=1, first_seed=7, devices=("cpu",), epochs=1).records[0]
        Store(disk / "results").write(own)
        with pytest.raises(ResultsError, match="cannot be written"):
            merge([source], disk / "results")
        store = Store(disk / "results")
        assert own in list(store.records())
        assert store.problems == []


def test_records_written_in_another_form_are_the_same_records(
    tmp_path: Path, folder: Folder
) -> None:
    source = folder(study(repeats=1).records)
    other = tmp_path / "other"
    shutil.copytree(source, other)
    for path in (other / "cells").glob("*.json"):
        path.write_text(json.dumps(json.loads(path.read_text()), indent=3))
    assert merge([source, other], tmp_path / "out").conflicts == ()
