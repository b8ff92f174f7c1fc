"""What was measured can be listed, looked at and removed, and a build shows what is asked for."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest
from filelock import FileLock
from typer.testing import CliRunner, Result

from accelreport.cli import app
from accelreport.errors import AccelReportError
from accelreport.results.plan_document import variant
from accelreport.results.reading import ResultsError, to_bytes
from accelreport.results.record import Artefact
from accelreport.results.store import Store
from accelreport.runner.plan_documents import choose
from tests.support.records import store_of, study


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """A training and a kernel on two devices, and a trial of the training with other values."""
    monkeypatch.chdir(tmp_path)
    trained = study("training", devices=("cpu", "gpu"), axes={"batch_size": (256,)}, repeats=2)
    kernel = study("matmul", devices=("cpu",), axes={"size": (512,)}, repeats=2, seed=1)
    store = store_of(tmp_path / "results", trained, kernel)
    changes = {"workload.epochs": 1}
    trial = {"profile": variant(trained.plan.profile, changes), "overrides": changes}
    store.write_plan(trained.plan.model_copy(update=trial))
    return store


def accelreport(*words: str) -> Result:
    return CliRunner().invoke(app, ["results", *words])


def names(store: Store) -> list[str]:
    return [f"{plan.spec}:{plan.profile}" for plan in store.plans()]


def test_every_benchmark_is_listed_and_each_cell_of_one_with_its_key(store: Store) -> None:
    every = json.loads(accelreport("list", "--json").stdout)
    assert [row["name"] for row in every] == names(store)
    (spec,) = {plan.spec for plan in store.plans() if "size" not in plan.axes}
    rows = json.loads(accelreport("list", f"{spec}:full", "--json").stdout)
    (whole,) = [plan for plan in store.plans() if (plan.spec, plan.profile) == (spec, "full")]
    assert {row["key"] for row in rows} == {cell.key for cell in whole.cells}
    assert {(row["device"], row["repeat"]) for row in rows} == {
        (device, repeat) for device in ("cpu", "gpu") for repeat in (0, 1)
    }
    head, *lines = accelreport("list", spec).stdout.splitlines()
    assert head.split()[:3] == ["key", "profile", "device"]
    assert len(lines) == 2 * len(rows)


def test_a_cell_is_shown_by_the_beginning_of_its_key(store: Store) -> None:
    record = next(iter(store.records()))
    told = accelreport("list", record.key[:12])
    assert told.exit_code == 0
    for part in (record.key, record.status, record.machine, record.cell.device):
        assert part in told.stdout
    assert json.loads(accelreport("list", record.key, "--json").stdout)["key"] == record.key
    wrong = accelreport("list", "nothing").exception
    assert isinstance(wrong, AccelReportError)
    assert "no benchmark and no cell" in wrong.what


def test_what_is_removed_is_gone_and_nothing_else(store: Store) -> None:
    kernel = next(plan for plan in store.plans() if "size" in plan.axes)
    kept = {record.key for record in store.records()} - {cell.key for cell in kernel.cells}
    asked = accelreport("rm", kernel.spec)
    assert asked.exit_code == 2
    assert "--yes" in asked.stderr
    assert kernel.spec in {plan.spec for plan in store.plans()}
    assert accelreport("rm", kernel.spec, "--yes").exit_code == 0
    assert {record.key for record in store.records()} == kept
    assert kernel.spec not in {plan.spec for plan in store.plans()}


def test_nothing_is_removed_beside_a_run(store: Store) -> None:
    name = next(iter(store.plans())).spec
    (store.root / "locks").mkdir()
    with FileLock(store.root / "locks" / "3f0c9a.lock"):
        refused = accelreport("rm", name, "--yes").exception
        assert isinstance(refused, ResultsError)
        assert refused.why == "A run measures into it."
    assert accelreport("rm", name, "--yes").exit_code == 0


def test_a_file_goes_with_the_last_record_that_names_it(store: Store) -> None:
    content = b"weights"
    digest = hashlib.sha256(content).hexdigest()
    left = Artefact(name="h5", what="weights", bytes=len(content), sha256=digest)
    one, other, *_ = store.records()
    for record in (one, other):
        store.keep(left, content)
        store.write(record.model_copy(update={"artefacts": [left]}))
    store.remove({one.key: [one.machine]}, [])
    assert (store.artefacts / left.file).exists()
    store.remove({other.key: [other.machine]}, [])
    assert not (store.artefacts / left.file).exists()


def test_records_that_no_plan_names_are_told_and_can_be_removed(store: Store) -> None:
    for plan in store.plans():
        if plan.axes.get("size"):
            store.remove({}, [plan])
    assert "(no plan)" in accelreport("list").stdout
    assert accelreport("rm", "--unplanned", "--yes").exit_code == 0
    named = {cell.key for plan in store.plans() for cell in plan.cells}
    assert {record.key for record in store.records()} == named


def test_a_trial_is_left_out_beside_what_it_tried_unless_it_is_asked_for(store: Store) -> None:
    trial = next(plan for plan in store.plans() if plan.overrides)
    named = f"{trial.spec}:{trial.profile}"
    (told,) = choose(fresh := Store(store.root))
    assert named in told
    assert set(names(store)) - set(names(fresh)) == {named}
    choose(fresh := Store(store.root), only=[named])
    assert names(fresh) == [named]
    alone = Store(store.root)
    whole = store.plan(trial.spec, "full")
    assert whole is not None
    alone.remove({}, [whole])
    assert choose(alone) == []
    assert named in names(alone)


def test_only_what_is_named_is_built_and_a_wrong_name_is_told(store: Store) -> None:
    (kernel,) = {plan.spec for plan in store.plans() if "size" in plan.axes}
    choose(fresh := Store(store.root), only=[kernel])
    assert names(fresh) == [f"{kernel}:full"]
    with pytest.raises(AccelReportError, match="has no results") as refused:
        choose(Store(store.root), only=[kernel[:-1]])
    assert kernel in refused.value.why


def test_what_is_private_is_listed_with_what_is_published_instead(store: Store) -> None:
    record = next(iter(store.records()))
    assert record.environment is not None
    variables = {"TF_X": "/scratch/runs/7", "NVIDIA_API_KEY": "42"}
    named = record.model_copy(
        update={
            "environment": record.environment.model_copy(update={"variables": variables}),
            "log_tail": "/home/trillian/x: no such file",
        }
    )
    path = store.record_path(record.key, record.machine)
    path.write_bytes(to_bytes(named))
    rows = [list(row.values()) for row in json.loads(accelreport("private", "--json").stdout)]
    for row in (
        ["home", "/home/trillian", "~", 1],
        ["secret", "NVIDIA_API_KEY", "…", 1],
        ["path", "/scratch/runs/7", "(as it is)", 1],
        ["variable", "TF_X=/scratch/runs/7", "(as it is)", 1],
    ):
        assert row in rows
    assert "/home/trillian" in accelreport("private").stdout
    one = json.loads(accelreport("private", record.key[:12]).stdout)
    assert one["log_tail"] == "~/x: no such file"
    assert path.read_bytes() == to_bytes(named), "looking changes nothing"
    built = CliRunner().invoke(app, ["build", "--no-cache"])
    assert "1 secret withheld in 1 record; `accelreport results private` lists" in built.stderr
    store.remove(store.machines(), [])
    assert "name no person and no machine" in accelreport("private").stdout
