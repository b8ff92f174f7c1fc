"""What a job of Slurm does on its node, and what is made of how it ended."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from accelreport.runner.launchers.node import Crashed
from accelreport.runner.launchers.slurm.jobs import GONE, JobState, SlurmJob
from accelreport.runner.launchers.slurm.worker import MessageLog, perform


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
