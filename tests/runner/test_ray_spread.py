"""Cells whose workers are on several nodes of a real Ray; both nodes are this machine."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path

import psutil
import pytest

from accelreport.backend.availability import unavailable
from accelreport.machine.inventory import inventory
from accelreport.results.record import Record
from accelreport.results.store import Store
from accelreport.runner.launchers.ray.engine import RayNode, demand, lack
from accelreport.runner.launchers.ray.launcher import RankActor, configurations
from tests.runner.scattered import start, told_to_two_workers
from tests.runner.spread_ray import SPREAD
from tests.support import children
from tests.support.processes import command_line, gone_soon, kill

BEFORE_THE_KEY = "2de0b8bf7d76825d"
"""What identified a cell of a plain device before `spread` was a key."""

PROGRAM = "tests.runner.spread_ray"


def records(folder: Path) -> dict[str, Record]:
    return {one.cell.device: one for one in Store(folder / "results").records()}


def worker_on(runner: subprocess.Popen[str], folder: Path) -> psutil.Process | None:
    """The process of Ray that measures a part of a cell on the node of a folder."""
    for process in psutil.Process(runner.pid).children(recursive=True):
        try:
            measures = command_line(process).startswith(f"ray::{RankActor.__name__}.measure")
            if measures and process.environ().get("TMPDIR") == str(folder):
                return process
        except psutil.Error:
            continue
    return None


@pytest.mark.e2e
def test_two_workers_train_on_two_nodes_and_the_chiefs_record_is_the_cells(
    tmp_path: Path,
) -> None:
    output, _ = start(PROGRAM, tmp_path, "real").communicate(timeout=1200)

    assert output.splitlines()[-1] == "stopped no left 0", (tmp_path / "stderr.txt").read_text()
    (record,) = Store(tmp_path / "results").records()
    assert record.status == "ok", record.failure
    told = told_to_two_workers(record)
    assert len(set(told["cluster"]["worker"])) == 2
    assert record.samples_per_step == 64, "both workers share the batch"
    assert gone_soon(tmp_path)


@pytest.mark.e2e
def test_a_cell_whose_peer_is_lost_is_measured_anew_as_a_whole_and_once_recorded(
    tmp_path: Path,
) -> None:
    runner = start(PROGRAM, tmp_path, "4")  # long enough to be killed in, on a busy machine, too
    assert runner.stdout is not None
    killed, said = 0, []
    with runner:
        for line in runner.stdout:
            said.append(line.split())
            measures = [words for words in said if words[0] == "start"]
            # The plain cell comes first.
            while len(measures) == 2 and not killed and runner.poll() is None:
                victim = worker_on(runner, tmp_path / "two")
                killed += victim is not None and kill(victim)
                time.sleep(0.02)

    assert said[-1] == ["stopped", "no", "left", "0"], (tmp_path / "stderr.txt").read_text()
    found = records(tmp_path)
    assert {name: record.status for name, record in found.items()} == {
        "cpu": "ok",
        "spread": "ok",
        "too-many": "skipped",
    }
    reason = found["too-many"].failure
    assert reason is not None
    assert "its processes need 3 nodes; 2 of the Ray cluster can run it" in reason.message
    starts = [words[1] for words in said if words[0] == "start"]
    assert (killed, starts.count(found["spread"].key)) == (1, 2), "it was begun anew"
    assert gone_soon(tmp_path)


def test_every_process_of_a_cell_is_told_where_all_are_and_which_one_it_is() -> None:
    told = [
        json.loads(text)
        for text in configurations({"chief": 1, "worker": 2}, ["a:1", "b:2", "c:3"])
    ]
    assert [(one["task"]["type"], one["task"]["index"]) for one in told] == [
        ("chief", 0),
        ("worker", 0),
        ("worker", 1),
    ]
    assert all(one["cluster"] == {"chief": ["a:1"], "worker": ["b:2", "c:3"]} for one in told)


def test_each_node_of_a_spread_cell_needs_the_accelerators_of_one_worker_only() -> None:
    apart = SPREAD.model_copy(update={"kind": "GPU", "replicas": 2, "threads": None})
    node = RayNode("a", "n1", {"CPU": 8.0, "GPU": 2.0}, threads=8)
    assert lack(node, apart, {}) == ""
    assert demand(node, apart, {}).gpus == 2
    together = apart.model_copy(update={"spread": False})
    assert "4 GPU needed" in lack(node, together, {})


def test_a_device_is_the_same_as_before_the_key_unless_it_spreads_its_processes() -> None:
    plain = {"kind": "none"}
    together = SPREAD.model_copy(update={"spread": False})
    assert children.bare_cell(plain).key == BEFORE_THE_KEY
    keys = {children.bare_cell(plain, device=one).key for one in (SPREAD, together)}
    assert len(keys) == 2


def test_on_one_machine_alone_a_spread_device_is_absent_and_the_reason_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("TF_CONFIG", raising=False)
    assert "--on ray or --on slurm" in str(unavailable(SPREAD, inventory()))
    monkeypatch.setenv("TF_CONFIG", "{}")
    assert unavailable(SPREAD, inventory()) is None
