"""Cells as jobs, through submitit's own executors that need no Slurm."""

from __future__ import annotations

import os
import platform
import signal
import subprocess
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from types import FrameType, SimpleNamespace

import pytest
from filelock import FileLock
from submitit.core.utils import UncompletedJobError

from accelreport.errors import ExitCode
from accelreport.results.record import Record
from accelreport.results.store import Store
from accelreport.runner.events import CellStartLine, RunLine
from accelreport.runner.launchers.base import Circumstances, LauncherError
from accelreport.runner.launchers.batch import Mailbox, Order, perform
from accelreport.runner.launchers.letters import Began, Broke, Said, Through, Waits
from accelreport.runner.launchers.losses import STOPPED, Losses
from accelreport.runner.launchers.slurm import SlurmLauncher
from accelreport.runner.launchers.slurm_jobs import Job
from accelreport.runner.launchers.slurm_options import slurm_options
from accelreport.runner.launchers.slurm_queue import GONE, Standing
from accelreport.runner.launchers.workplace import environment_here
from accelreport.spec.base import Scalar
from accelreport.spec.cells import Cell
from accelreport.spec.models import Device
from tests.runner.scattered import run_on, told_to_two_workers, workplace
from tests.runner.scripted import Bench, a_record, cell, cells, different
from tests.runner.slurm_stand_in import SlurmStandIn, jobs_of
from tests.support import children
from tests.support.processes import processes_of
from tests.support.program import MATMUL, call, write_specs


def launcher(bench: Bench, **options: Scalar) -> SlurmLauncher:
    circumstances = Circumstances(results=bench.store.root, policy=bench.policy)
    return SlurmLauncher(circumstances, slurm_options(options), workplace(bench.folder))


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
    assert {_host(record) for record in records.values()} == {platform.node()}
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
    began = time.monotonic()
    before = signal.signal(signal.SIGINT, interrupts)  # what a shell hands to what it starts
    try:
        end = run_on(launcher(bench, executor="local", cells_per_job=4), bench, chosen)
    finally:
        signal.signal(signal.SIGINT, before)

    assert time.monotonic() - began < 60
    assert (end.ok, end.left, end.stopped_by) == (2, 2, "SIGINT")
    kinds = [record.failure.kind for record in bench.store.records() if record.failure]
    assert kinds == ["interrupted"]
    deadline = time.monotonic() + 10
    while jobs_of(tmp_path) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not jobs_of(tmp_path)


# A job ------------------------------------------------------------------------------------


def order(folder: Path, chosen: list[Cell]) -> tuple[str, Mailbox]:
    letters = folder / "letters.jsonl"
    path = folder / "order.json"
    asked = Order(
        cells=chosen,
        results=str(folder / "results"),
        mailbox=str(letters),
        workplace=workplace(folder, fork=False),
    )
    path.write_text(asked.model_dump_json())
    return str(path), Mailbox(letters)


@pytest.mark.e2e
def test_a_job_tells_of_cells_that_another_one_has_measured_meanwhile(tmp_path: Path) -> None:
    chosen = different(2, trace=str(tmp_path / "trace"))
    path, mailbox = order(tmp_path, chosen)
    perform(path)
    first = mailbox.unread()
    perform(path)
    second = mailbox.unread()

    assert {each.record.key for each in first if isinstance(each, Through)} == {
        one.key for one in chosen
    }
    assert any(isinstance(each, Said) for each in first)
    assert [type(each) for each in second] == [Through, Through]
    assert len((tmp_path / "trace").read_text().split()) == 2


@pytest.mark.e2e
def test_a_process_on_another_node_takes_no_part_in_a_cell_that_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done, left = different(2, trace=str(tmp_path / "trace"))
    path, mailbox = order(tmp_path, [done, left])
    store = Store(tmp_path / "results")
    store.write(a_record(done, "ok"))
    monkeypatch.setenv("SLURM_STEP_NUM_TASKS", "2")
    monkeypatch.setenv("SLURM_PROCID", "1")

    perform(path)

    assert (tmp_path / "trace").read_text().split() == [left.key]
    assert mailbox.unread() == []
    assert [record.key for record in store.records()] == [done.key], "the chief writes the other"


@pytest.mark.e2e
def test_a_cell_that_another_node_measures_at_the_moment_is_not_measured_twice(
    tmp_path: Path,
) -> None:
    chosen = different(1, trace=str(tmp_path / "trace"))
    elsewhere, here = tmp_path / "elsewhere", tmp_path / "here"
    for folder in (elsewhere, here):
        folder.mkdir()
    perform(order(elsewhere, chosen)[0])
    (record,) = Store(elsewhere / "results").records()
    path, mailbox = order(here, chosen)
    (here / "results" / "locks").mkdir(parents=True)

    held = threading.Event()

    def measures() -> None:
        with FileLock(here / "results" / "locks" / f"{chosen[0].key}.lock"):
            held.set()
            until = time.monotonic() + 60
            while not any(isinstance(each, Waits) for each in mailbox.unread()):
                assert time.monotonic() < until
                time.sleep(0.05)
            Store(here / "results").write(record)

    other = threading.Thread(target=measures)
    other.start()
    assert held.wait(10)
    perform(path)
    other.join()

    assert [type(each) for each in Mailbox(here / "letters.jsonl").unread()] == [Waits, Through]
    assert len((tmp_path / "trace").read_text().split()) == 1


@pytest.mark.e2e
def test_a_cell_that_was_interrupted_on_another_node_is_no_failure_once_it_is_measured(
    tmp_path: Path,
) -> None:
    chosen = different(1)
    path, _ = order(tmp_path, chosen)
    store = Store(tmp_path / "results")
    store.prepare()
    there = environment_here().model_copy(update={"machine": "ffffffff"})
    lost = Losses().of(chosen[0], STOPPED, there)
    assert lost is not None
    store.write(lost.record)
    perform(path)
    assert [record.status for record in store.records()] == ["ok"]


def test_a_job_that_cannot_measure_says_why_and_raises_nothing(tmp_path: Path) -> None:
    (tmp_path / "results").write_text("no folder")
    path, mailbox = order(tmp_path, different(1))
    perform(path)
    (letter,) = mailbox.unread()
    assert isinstance(letter, Broke)
    assert "cannot be written" in letter.message
    assert "Traceback" in letter.traceback


@pytest.mark.e2e
def test_a_job_whose_time_is_up_gives_up_its_cell_and_says_so(tmp_path: Path) -> None:
    path, mailbox = order(tmp_path, [cell("hang")])

    def time_is_up(_number: int, _frame: FrameType | None) -> None:
        raise UncompletedJobError("Job not requeued because: timed-out and not checkpointable.")

    before = signal.signal(signal.SIGUSR2, time_is_up)
    meanwhile, over = Mailbox(tmp_path / "letters.jsonl"), threading.Event()

    def wait_until_it_hangs() -> None:
        while not over.wait(0.2):
            said = [each.says.event for each in meanwhile.unread() if isinstance(each, Said)]
            if "epoch" in said:
                over.wait(0.2)  # this letter is not only begun
                os.kill(os.getpid(), signal.SIGUSR2)
                return

    clock = threading.Thread(target=wait_until_it_hangs, daemon=True)
    clock.start()
    try:
        perform(path)
    finally:
        over.set()
        clock.join()
        signal.signal(signal.SIGUSR2, before)

    (began, *_, last) = mailbox.unread()
    assert isinstance(began, Began)
    assert isinstance(last, Broke)
    job = Job(SimpleNamespace(state="COMPLETED"), {}, mailbox, broke=last)
    assert (job.loss(tmp_path).kind, job.loss(tmp_path).final) == ("timeout", True)
    assert not processes_of(tmp_path / "node")


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


@pytest.mark.parametrize(
    ("state", "kind", "final"),
    [
        ("TIMEOUT", "timeout", True),
        ("OUT_OF_MEMORY", "oom-host", True),
        ("CANCELLED", "interrupted", True),
        ("NODE_FAIL", "worker-lost", False),
        (GONE, "worker-lost", False),
    ],
)
def test_the_state_in_which_a_job_ended_tells_the_kind_of_the_failure(
    tmp_path: Path, state: str, kind: str, final: bool
) -> None:
    job = stderr_of(tmp_path, "")
    job.stands(Standing(state))
    assert (job.loss(tmp_path).kind, job.loss(tmp_path).final) == (kind, final)


def stderr_of(folder: Path, text: str) -> Job:
    """A job that left nothing but what it wrote as an error."""
    path = folder / "log.err"
    path.write_text(text)
    task = SimpleNamespace(paths=SimpleNamespace(stderr=path))
    return Job(SimpleNamespace(task=lambda _: task), {}, Mailbox(folder / "letters.jsonl"))


@pytest.mark.parametrize(
    ("wrote", "kind", "told"),
    [
        ("slurmstepd: error: Exceeded job memory limit\n", "oom-host", "OUT_OF_MEMORY"),
        ("error: Detected 1 oom_kill event in StepId=7.batch\n", "oom-host", "OUT_OF_MEMORY"),
        ("old\n/bin/python: No such file\n\n", "worker-lost", "wrote: /bin/python: No such file"),
    ],
)
def test_a_job_that_failed_is_told_of_in_the_last_words_of_its_output(
    tmp_path: Path, wrote: str, kind: str, told: str
) -> None:
    job = stderr_of(tmp_path, wrote)
    job.stands(Standing("FAILED"))
    assert job.loss(tmp_path).kind == kind
    assert told in job.loss(tmp_path).message


def test_a_letter_that_is_being_written_is_read_once_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "letters.jsonl"
    mailbox = Mailbox(path)
    assert mailbox.unread() == []
    Mailbox(path).post(Broke(message="one"))
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:7])
    assert mailbox.unread() == [Broke(message="one")]
    path.write_bytes(whole + whole)
    assert mailbox.unread() == [Broke(message="one")]
    assert mailbox.unread() == []


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
    asked = SlurmLauncher(Circumstances(results=bench.store.root, fork=False), slurm_options({}))

    end = run_on(asked, bench, [products])

    (record,) = bench.store.records()
    assert (end.ok, end.left) == (1, 0), record.failure
    told = told_to_two_workers(record)
    assert told["task"] == {"type": "worker", "index": 0}


def test_what_slurm_says_against_a_job_is_told(tmp_path: Path, stand_in: Path) -> None:
    bench = Bench(tmp_path)
    with pytest.raises(LauncherError, match="does not take the jobs") as caught:
        run_on(launcher(bench, partition="nowhere"), bench, different(1))
    assert "invalid partition specified" in caught.value.why
    assert "--on-option" in caught.value.remedy
    assert subprocess.run(["sbatch", "/dev/null"], check=False).returncode == 0
