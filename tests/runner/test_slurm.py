"""Cells as jobs, through submitit's own executors that need no Slurm."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

import pytest

from accelreport.errors import ExitCode
from accelreport.results.record import Record
from accelreport.runner.events import CellStartLine, RunLine
from accelreport.runner.launchers.base import LauncherConfig, LauncherError
from accelreport.runner.launchers.slurm.launcher import SlurmLauncher, slurm_options
from accelreport.spec.base import Scalar
from accelreport.spec.device import Device
from tests.runner.scattered import run_on, settings, told_to_two_workers
from tests.runner.scripted import Bench, cell, cells, different
from tests.runner.slurm_stand_in import SlurmStandIn, jobs_of
from tests.support import children
from tests.support.processes import soon
from tests.support.program import MATMUL, call, write_specs


def launcher(bench: Bench, **options: Scalar) -> SlurmLauncher:
    config = LauncherConfig(results=bench.store.root, policy=bench.policy)
    return SlurmLauncher(config, slurm_options(options), settings(bench.folder))


def measured(bench: Bench) -> Counter[str]:
    """How often each cell was really measured."""
    return Counter((bench.folder / "trace").read_text().split())


# Runs -------------------------------------------------------------------------------------


# The debug executor leaves the files open to which it writes a job's log.
@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")
@pytest.mark.e2e
def test_jobs_write_every_record_with_its_host_and_a_second_run_has_nothing_to_do(
    tmp_path: Path,
) -> None:
    trace = str(tmp_path / "trace")
    chosen = [*cells(4, trace=trace), *different(2, trace=trace), cell("crash", trace=trace)]
    bench = Bench(tmp_path)

    end = run_on(launcher(bench, executor="debug", cells_per_job=3), bench, chosen)

    assert (end.ok, end.failed, end.left) == (6, 1, 0)
    records = {record.key: record for record in bench.store.records()}
    assert set(records) == {one.key for one in chosen}
    assert {_host(record) for record in records.values()} == {"host-1"}
    assert set(measured(bench).values()) == {1}
    assert not list((bench.store.root / "jobs").glob("*")), "what jobs left is cleared away"
    kinds = Counter(line.event for line in bench.observer.lines)
    assert (kinds["cell-start"], kinds["cell-end"], kinds["end"]) == (7, 7, 1)
    assert kinds["cell-event"] > 7

    again = Bench(tmp_path)
    end = run_on(launcher(again, executor="debug"), again, chosen)
    assert (end.ok, end.done_before, end.failed_before) == (0, 6, 1)


def _host(record: Record) -> str:
    assert record.environment is not None
    return record.environment.host


@pytest.mark.e2e
def test_a_message_that_nobody_can_read_ends_no_job(tmp_path: Path) -> None:
    chosen = different(4, step_s=0.2, trace=str(tmp_path / "trace"))
    bench = Bench(tmp_path)
    garbled: list[Path] = []

    def garble(line: RunLine) -> None:
        if isinstance(line, CellStartLine) and not garbled:
            garbled.extend(bench.store.root.glob("jobs/*/*/messages-*.jsonl"))
            for path in garbled:
                with path.open("ab") as file:
                    file.write(b"what is that?\n")

    bench.observer.react = garble
    end = run_on(launcher(bench, executor="local", cells_per_job=2), bench, chosen)

    assert garbled
    assert (end.ok, end.failed, end.left) == (4, 0, 0)
    assert set(measured(bench).values()) == {1}


@pytest.mark.e2e
def test_a_killed_job_loses_and_doubles_no_cell(tmp_path: Path) -> None:
    chosen = different(4, step_s=0.3, trace=str(tmp_path / "trace"))
    bench = Bench(tmp_path)
    kills: list[int] = []

    def kill_once(line: RunLine) -> None:
        if isinstance(line, CellStartLine) and not kills:
            (victim,) = jobs_of(tmp_path)
            kills.append(victim.pid)
            os.kill(victim.pid, signal.SIGKILL)

    bench.observer.react = kill_once
    end = run_on(launcher(bench, executor="local", cells_per_job=4), bench, chosen)

    assert len(kills) == 1
    assert (end.ok, end.failed, end.left) == (4, 0, 0)
    assert {record.key for record in bench.store.records()} == {one.key for one in chosen}
    assert sum(measured(bench).values()) <= len(chosen) + 1


@pytest.mark.e2e
@pytest.mark.parametrize(
    "interrupts", [signal.SIG_DFL, signal.SIG_IGN], ids=["front", "background"]
)
def test_a_stopped_run_ends_its_jobs_and_the_next_one_measures_the_rest(
    interrupts: signal.Handlers, tmp_path: Path
) -> None:
    chosen = [*different(2), cell("hang", repeat=1), cell("hang", repeat=2)]
    bench = Bench(tmp_path)

    def stop_at_the_third(line: RunLine) -> None:
        if isinstance(line, CellStartLine) and line.number == 3:
            bench.stop.request("SIGINT")

    bench.observer.react = stop_at_the_third
    before = signal.signal(signal.SIGINT, interrupts)  # what a shell hands to what it starts
    try:
        end = run_on(launcher(bench, executor="local", cells_per_job=4), bench, chosen)
    finally:
        signal.signal(signal.SIGINT, before)

    assert (end.ok, end.left, end.stopped_by) == (2, 2, "SIGINT")
    kinds = [record.failure.kind for record in bench.store.records() if record.failure]
    assert kinds == ["interrupted"]
    assert soon(lambda: not jobs_of(tmp_path))


@pytest.mark.e2e
def test_a_preempted_job_goes_on_with_the_cell_that_it_had_to_leave(tmp_path: Path) -> None:
    chosen = different(3, step_s=0.3, trace=str(tmp_path / "trace"))
    bench = Bench(tmp_path)
    preempted: list[int] = []

    def preempt_once(line: RunLine) -> None:
        if isinstance(line, CellStartLine) and not preempted:
            (job,) = jobs_of(tmp_path)
            preempted.append(job.pid)
            job.send_signal(signal.SIGUSR2)  # what submitit has Slurm send

    bench.observer.react = preempt_once
    end = run_on(launcher(bench, executor="local", cells_per_job=3), bench, chosen)

    assert (len(preempted), end.ok, end.failed, end.left) == (1, 3, 0, 0)
    assert sum(measured(bench).values()) <= len(chosen) + 1


# Without Slurm --------------------------------------------------------------------------


def test_without_slurm_a_run_says_so_and_nothing_is_run(tmp_path: Path) -> None:
    write_specs(tmp_path, devices='schema = 1\n[cpu]\nkind = "CPU"\n', matmul=MATMUL)
    done = call(tmp_path, "run", "--on", "slurm", PATH=str(tmp_path))
    assert done.returncode == ExitCode.NOTHING_RAN
    assert "sbatch is not found" in done.stderr
    assert not (tmp_path / "results").exists()


# A stand-in for Slurm ---------------------------------------------------------------------


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with programs of the names that submitit calls."""
    return SlurmStandIn.installed(tmp_path / "bin", monkeypatch).folder


@pytest.mark.e2e
def test_an_array_is_submitted_for_each_device_class_and_its_records_are_collected(
    tmp_path: Path, stand_in: Path
) -> None:
    chosen = [cell(trace=str(tmp_path / "trace"), point={"number": n}) for n in range(3)]
    bench = Bench(tmp_path)

    end = run_on(launcher(bench), bench, chosen)

    assert (end.ok, end.left) == (3, 0)
    assert set(measured(bench).values()) == {1}


@pytest.mark.e2e
def test_a_job_of_several_nodes_has_a_worker_on_each_and_one_record_of_the_chief(
    tmp_path: Path, stand_in: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    spread = Device(kind="CPU", strategy="multi_worker_mirrored", workers=2, threads=1, spread=True)
    products = children.cell("matmul", {"size": 64, "count": 4}, device=spread)
    bench = Bench(tmp_path)
    asked = SlurmLauncher(LauncherConfig(results=bench.store.root, fork=False), slurm_options({}))

    end = run_on(asked, bench, [products])

    (record,) = bench.store.records()
    assert (end.ok, end.left) == (1, 0), record.failure
    told = told_to_two_workers(record)
    assert told["task"] == {"type": "worker", "index": 0}


def test_what_slurm_says_against_a_job_is_told(tmp_path: Path, stand_in: Path) -> None:
    bench = Bench(tmp_path)
    with pytest.raises(LauncherError, match="rejects the jobs") as caught:
        run_on(launcher(bench, partition="nowhere"), bench, different(1))
    assert "invalid partition specified" in caught.value.why
    assert "--on-option" in caught.value.remedy
    assert subprocess.run(["sbatch", "/dev/null"], check=False).returncode == 0
