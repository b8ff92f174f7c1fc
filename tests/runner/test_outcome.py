from __future__ import annotations

import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from accelreport.backend.protocol import UNWRITTEN
from accelreport.machine.memory import Limited
from accelreport.runner.launch import (
    CHILD,
    LocalLauncher,
    ProcessOutcome,
    conclude,
    oom_kills,
)
from accelreport.runner.process import Ending
from accelreport.spec.models import Measure
from tests.runner.scripted import cell, environment, measured_by
from tests.support.children import cell as cell_of

GIB = 2**30


def seen(
    folder: Path,
    *,
    code: int | None,
    log: str = "",
    oom: int = 0,
    peak: int = GIB,
    by: str = "itself",
    limited: Limited | None = None,
) -> ProcessOutcome:
    (folder / "log.txt").write_text(log)
    return ProcessOutcome(
        cell=cell(),
        ending=Ending(code, by, 3.0, peak, limited),  # type: ignore[arg-type]
        record_path=folder / "record.json",
        log=folder / "log.txt",
        started_at="2026-01-01T00:00:00+00:00",
        finished_at="2026-01-01T00:00:03+00:00",
        oom_kills=oom,
        environment=environment(),
    )


@pytest.mark.parametrize(
    ("code", "log", "oom", "peak", "kind"),
    [
        (-signal.SIGKILL, "", 1, GIB, "oom-host"),
        (-signal.SIGKILL, "", 0, 7 * GIB, "oom-host"),
        (-signal.SIGKILL, "", 0, GIB, "signal"),
        (-signal.SIGSEGV, "", 1, 7 * GIB, "signal"),
        (-signal.SIGABRT, "what():  std::bad_alloc", 0, GIB, "oom-host"),
        (1, "MemoryError", 0, GIB, "oom-host"),
        (1, "ValueError: no", 0, GIB, "harness-error"),
        (0, "", 0, GIB, "harness-error"),
        (None, "", 0, GIB, "signal"),
        (-64, "", 0, GIB, "signal"),
    ],
)
def test_a_process_without_a_record_fails_with_the_kind_of_its_end(
    tmp_path: Path, code: int | None, log: str, oom: int, peak: int, kind: str
) -> None:
    record = conclude(seen(tmp_path, code=code, log=log, oom=oom, peak=peak))
    assert record.status == "failed"
    assert record.failure is not None
    assert record.failure.kind == kind
    assert record.times.wall_s == 3.0


@pytest.mark.parametrize(
    ("work", "named"),
    [
        ({"file": "step.py"}, "step.py"),
        ({"model": "model.py:build", "data": "train.csv"}, "model.py"),
        ({"model": "net.keras", "data": "data.py:load"}, "data.py"),
        ({"model": "model.py:build", "data": "data.py:load"}, "model.py or data.py"),
        ({"model": "net.keras", "data": "synthetic"}, ""),
    ],
)
def test_an_exit_of_ones_own_code_is_an_error_of_that_code(
    work: dict[str, Any], named: str, tmp_path: Path
) -> None:
    failure = conclude(replace(seen(tmp_path, code=3), cell=cell(**work))).failure
    assert failure is not None
    assert failure.kind == ("bad-spec" if named else "harness-error")
    assert failure.message.startswith(named or "Its process ended")
    log = "Traceback (most recent call last):\nOSError: no"
    raised = conclude(replace(seen(tmp_path, code=1, log=log), cell=cell(**work))).failure
    assert raised is not None
    assert raised.message.endswith("left no record: OSError: no")


def test_a_record_that_cannot_be_written_is_told_as_that(tmp_path: Path) -> None:
    failure = conclude(replace(seen(tmp_path, code=UNWRITTEN), cell=cell(file="step.py"))).failure
    assert failure is not None
    assert "could not write its record" in failure.message
    assert "ulimit -f" in failure.remedy


def test_a_wall_clock_that_is_set_back_leaves_a_cell_that_ends_after_it_began(
    tmp_path: Path,
) -> None:
    record = conclude(replace(seen(tmp_path, code=1), finished_at="2025-12-31T23:00:03+00:00"))
    assert record.started_at < record.finished_at
    assert [(w.kind, "-3.6e+03 s" in w.message) for w in record.warnings] == [("clock-set", True)]


@pytest.mark.parametrize(
    ("code", "log", "held", "kind"),
    [
        (-signal.SIGSEGV, "", 0.95, "oom-host"),
        (127, "", 0.95, "oom-host"),
        (
            -signal.SIGABRT,
            "Thread tf_Compute creation via pthread_create() failed.",
            0.5,
            "oom-host",
        ),
        (1, "ImportError: x.so: failed to map segment from shared object", 0.1, "oom-host"),
        (-signal.SIGSEGV, "", 0.5, "signal"),
        (-signal.SIGKILL, "", 0.95, "signal"),
        (1, "ValueError: no", 0.5, "harness-error"),
    ],
)
def test_a_process_that_met_the_limit_of_its_memory_is_told_from_one_that_crashed(
    tmp_path: Path, code: int, log: str, held: float, kind: str
) -> None:
    limited = Limited(int(held * GIB), GIB)
    failure = conclude(seen(tmp_path, code=code, log=log, limited=limited)).failure
    assert failure is not None
    assert failure.kind == kind
    assert ("1024 MiB" in failure.message) == (kind == "oom-host")


@pytest.mark.e2e
def test_a_cell_of_tensorflow_that_may_not_have_its_memory_is_told_so(tmp_path: Path) -> None:
    limit = ["prlimit", f"--as={600 * 2**20}"]
    launcher = LocalLauncher(tmp_path, environment=environment, command=[*limit, *CHILD])
    images = {"data": "synthetic", "train_examples": 512, "validation_examples": 64, "epochs": 1}
    small = cell_of("image_classification", images, measure=Measure(budget=5, timeout=200))
    record = measured_by(launcher, small)
    assert record.failure is not None
    assert record.failure.kind == "oom-host", record.failure
    assert "ulimit -v" in record.failure.remedy


def test_the_message_names_the_signal_or_the_last_words(tmp_path: Path) -> None:
    def message(code: int, log: str = "") -> str:
        failure = conclude(seen(tmp_path, code=code, log=log)).failure
        assert failure is not None
        return failure.message

    assert "SIGBUS" in message(-signal.SIGBUS)
    assert "exit code 3 and left no record: the cause" in message(3, "first\nthe cause\n\n")
    assert message(3).endswith("left no record.")


def test_kills_for_want_of_memory_are_counted_under_both_kinds_of_control_groups(
    tmp_path: Path,
) -> None:
    def put(path: str, text: str) -> None:
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    assert oom_kills(tmp_path) == 0
    put("proc/vmstat", "pgfault 7\noom_kill 1\n")
    put("proc/self/cgroup", "4:cpu,memory:/job\n0::/user/session\n")
    put("sys/fs/cgroup/memory/job/memory.oom_control", "under_oom 0\noom_kill 10\n")
    put("sys/fs/cgroup/user/session/memory.events", "low 0\noom 2\noom_kill 100\n")
    assert oom_kills(tmp_path) == 111
