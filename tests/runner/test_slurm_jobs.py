"""What a job of Slurm does on its node, and what is made of how it ended."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path
from types import FrameType, SimpleNamespace

import pytest
from filelock import FileLock
from submitit.core.utils import UncompletedJobError

from accelreport.results.store import Store
from accelreport.runner.launchers.node import (
    STOPPED,
    Completed,
    Crashed,
    LostCells,
    Reported,
    Started,
    Waits,
    environment_here,
)
from accelreport.runner.launchers.slurm.jobs import GONE, JobState, SlurmJob
from accelreport.runner.launchers.slurm.worker import JobSpec, MessageLog, perform
from accelreport.spec.cells import Cell
from tests.runner.scattered import settings
from tests.runner.scripted import a_record, cell, different
from tests.support.processes import PATIENCE_S, processes_of, soon


def order(folder: Path, chosen: list[Cell]) -> tuple[tuple[str, str], MessageLog]:
    messages = folder / "messages.jsonl"
    path = folder / "order.json"
    asked = JobSpec(
        cells=chosen,
        results=str(folder / "results"),
        settings=settings(folder, fork=False),
    )
    path.write_text(asked.model_dump_json())
    return (str(path), str(messages)), MessageLog(messages)


@pytest.mark.e2e
def test_a_job_tells_of_cells_that_another_one_has_measured_meanwhile(tmp_path: Path) -> None:
    chosen = different(2, trace=str(tmp_path / "trace"))
    path, log = order(tmp_path, chosen)
    perform(*path)
    first = log.unread()
    perform(*path)
    second = log.unread()

    assert {each.record.key for each in first if isinstance(each, Completed)} == {
        one.key for one in chosen
    }
    assert any(isinstance(each, Reported) for each in first)
    assert [type(each) for each in second] == [Completed, Completed]
    assert len((tmp_path / "trace").read_text().split()) == 2


@pytest.mark.e2e
def test_a_process_on_another_node_takes_no_part_in_a_cell_that_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done, left = different(2, trace=str(tmp_path / "trace"))
    path, log = order(tmp_path, [done, left])
    store = Store(tmp_path / "results")
    store.write(a_record(done, "ok"))
    monkeypatch.setenv("SLURM_STEP_NUM_TASKS", "2")
    monkeypatch.setenv("SLURM_PROCID", "1")

    perform(*path)

    assert (tmp_path / "trace").read_text().split() == [left.key]
    assert log.unread() == []
    assert [record.key for record in store.records()] == [done.key], "the chief writes the other"


@pytest.mark.e2e
def test_a_cell_that_another_node_measures_at_the_moment_is_not_measured_twice(
    tmp_path: Path,
) -> None:
    chosen = different(1, trace=str(tmp_path / "trace"))
    elsewhere, here = tmp_path / "elsewhere", tmp_path / "here"
    for folder in (elsewhere, here):
        folder.mkdir()
    perform(*order(elsewhere, chosen)[0])
    (record,) = Store(elsewhere / "results").records()
    path, log = order(here, chosen)
    (here / "results" / "locks").mkdir(parents=True)

    held = threading.Event()

    def measures() -> None:
        with FileLock(here / "results" / "locks" / f"{chosen[0].key}.lock"):
            held.set()
            assert soon(lambda: any(isinstance(each, Waits) for each in log.unread()))
            Store(here / "results").write(record)

    other = threading.Thread(target=measures)
    other.start()
    assert held.wait(PATIENCE_S)
    perform(*path)
    other.join()

    assert [type(each) for each in MessageLog(here / "messages.jsonl").unread()] == [
        Waits,
        Completed,
    ]
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
    lost = LostCells().of(chosen[0], STOPPED, there)
    assert lost is not None
    store.write(lost.record)
    perform(*path)
    assert [record.status for record in store.records()] == ["ok"]


def test_a_job_that_cannot_measure_says_why_and_raises_nothing(tmp_path: Path) -> None:
    (tmp_path / "results").write_text("no folder")
    path, log = order(tmp_path, different(1))
    perform(*path)
    (message,) = log.unread()
    assert isinstance(message, Crashed)
    assert "is not a folder" in message.message
    assert "Traceback" in message.traceback


@pytest.mark.e2e
def test_a_job_whose_time_is_up_gives_up_its_cell_and_says_so(tmp_path: Path) -> None:
    path, log = order(tmp_path, [cell("hang")])

    def time_is_up(_number: int, _frame: FrameType | None) -> None:
        raise UncompletedJobError(
            "SlurmJob not requeued because: timed-out and not checkpointable."
        )

    before = signal.signal(signal.SIGUSR2, time_is_up)
    meanwhile, over = MessageLog(tmp_path / "messages.jsonl"), threading.Event()

    def wait_until_it_hangs() -> None:
        while not over.wait(0.2):
            said = [each.says.event for each in meanwhile.unread() if isinstance(each, Reported)]
            if "epoch" in said:
                over.wait(0.2)  # this message is not only begun
                os.kill(os.getpid(), signal.SIGUSR2)
                return

    clock = threading.Thread(target=wait_until_it_hangs, daemon=True)
    clock.start()
    try:
        perform(*path)
    finally:
        over.set()
        clock.join()
        signal.signal(signal.SIGUSR2, before)

    (began, *_, last) = log.unread()
    assert isinstance(began, Started)
    assert isinstance(last, Crashed)
    job = SlurmJob({}, SimpleNamespace(state="COMPLETED"), log, crash=last)
    assert (job.loss(tmp_path).kind, job.loss(tmp_path).final) == ("timeout", True)
    assert not processes_of(tmp_path / "node")


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
    job.update(JobState(state))
    assert (job.loss(tmp_path).kind, job.loss(tmp_path).final) == (kind, final)


def stderr_of(folder: Path, text: str) -> SlurmJob:
    """A job that left nothing but what it wrote as an error."""
    path = folder / "log.err"
    path.write_text(text)
    task = SimpleNamespace(paths=SimpleNamespace(stderr=path))
    return SlurmJob({}, SimpleNamespace(task=lambda _: task), MessageLog(folder / "messages.jsonl"))


@pytest.mark.parametrize(
    ("wrote", "kind", "told"),
    [
        ("slurmstepd: error: Exceeded job memory limit\n", "oom-host", "OUT_OF_MEMORY"),
        ("error: Detected 1 oom_kill event in StepId=7.batch\n", "oom-host", "OUT_OF_MEMORY"),
        (
            "old\n/bin/python: No such file\n\n",
            "worker-lost",
            "Its last output: /bin/python: No such file",
        ),
    ],
)
def test_a_job_that_failed_is_told_of_in_the_last_words_of_its_output(
    tmp_path: Path, wrote: str, kind: str, told: str
) -> None:
    job = stderr_of(tmp_path, wrote)
    job.update(JobState("FAILED"))
    assert job.loss(tmp_path).kind == kind
    assert told in job.loss(tmp_path).message


def test_a_message_that_is_being_written_is_read_once_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "messages.jsonl"
    log = MessageLog(path)
    assert log.unread() == []
    MessageLog(path).post(Crashed(message="one"))
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:7])
    assert log.unread() == [Crashed(message="one")]
    path.write_bytes(whole + whole)
    assert log.unread() == [Crashed(message="one")]
    assert log.unread() == []


def test_messages_that_cannot_be_read_are_told_and_the_others_are_read(tmp_path: Path) -> None:
    path = tmp_path / "messages.jsonl"
    log, waits = MessageLog(path), Waits(host="node", reason="because")
    log.post(waits)
    with path.open("ab") as file:
        file.write(b"\xff garbled\n" + b'{"kind": "of a later version"}\n' + b"{" * 200_000 + b"\n")
    log.post(waits)
    first, *told, last = log.unread()
    assert (first, last) == (waits, waits)
    assert [type(message) for message in told] == [Crashed] * 3
    assert all(
        "cannot be read" in message.message for message in told if isinstance(message, Crashed)
    )
    assert all(len(message.message) < 1000 for message in told if isinstance(message, Crashed))


def test_a_message_log_that_cannot_be_read_is_told_until_it_can(tmp_path: Path) -> None:
    path = tmp_path / "messages.jsonl"
    path.mkdir()
    log = MessageLog(path)
    (message,) = log.unread()
    assert isinstance(message, Crashed)
    path.rmdir()
    log.post(Waits(host="node", reason="because"))
    assert log.unread() == [Waits(host="node", reason="because")]


@pytest.mark.parametrize("content", [None, b"", b"{", b'{"cells": []}', b"\xff"])
def test_an_order_that_cannot_be_read_is_told_and_nothing_is_raised(
    tmp_path: Path, content: bytes | None
) -> None:
    path = tmp_path / "order.json"
    if content is not None:
        path.write_bytes(content)
    messages = tmp_path / "messages.jsonl"
    perform(str(path), str(messages))
    (message,) = MessageLog(messages).unread()
    assert isinstance(message, Crashed)
    assert not message.time_is_up
