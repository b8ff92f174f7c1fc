"""What Slurm says of jobs, and what becomes of their cells by it; Slurm's programs stand in."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from accelreport.errors import ExitCode
from accelreport.runner.events import CellStartLine, RunLine, WaitingLine
from accelreport.runner.launchers.base import LauncherConfig
from accelreport.runner.launchers.slurm import launcher as slurm_launcher
from accelreport.runner.launchers.slurm.jobs import (
    GONE,
    JobState,
    NoAnswer,
    NotCancelled,
    job_states,
)
from accelreport.runner.launchers.slurm.launcher import SlurmLauncher, slurm_options
from accelreport.runner.run import exit_code
from accelreport.spec.device import StoredDevice
from tests.runner.scattered import run_on, settings
from tests.runner.scripted import Bench, different
from tests.runner.slurm_stand_in import SlurmStandIn, jobs_of
from tests.support.processes import soon


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SlurmStandIn:
    """Slurm's programs, looked at more often than the real ones."""
    monkeypatch.setattr(slurm_launcher, "ASK_EVERY_S", 0.3)
    monkeypatch.setattr(slurm_launcher, "LATE_S", 0.5)
    return SlurmStandIn.installed(tmp_path / "bin", monkeypatch)


def launcher(bench: Bench, cells_per_job: int = 1) -> SlurmLauncher:
    config = LauncherConfig(results=bench.store.root, policy=bench.policy)
    options = slurm_options({"cells_per_job": cells_per_job})
    return SlurmLauncher(config, options, settings(bench.folder))


def at_the_first_start(then: Callable[[], None]) -> Callable[[RunLine], None]:
    """Does something when the first cell has begun."""
    done: list[bool] = []

    def react(line: RunLine) -> None:
        if isinstance(line, CellStartLine) and not done:
            done.append(True)
            then()

    return react


def measured(bench: Bench) -> Counter[str]:
    """How often each cell was really measured."""
    return Counter((bench.folder / "trace").read_text().split())


# What Slurm says --------------------------------------------------------------------------


def test_the_queue_tells_how_jobs_stand_and_the_accounts_of_those_it_has_forgotten(
    stand_in: SlurmStandIn,
) -> None:
    stand_in.says("squeue", "71_0|RUNNING|None", "71_1|PENDING|Resources", "71_2|FAILED|None")
    stand_in.says("sacct", "72|CANCELLED by 1000", "73|RUNNING", "71_0|NODE_FAIL")
    assert job_states(["71_0", "71_1", "71_2", "72", "73", "74"]) == {
        "71_0": JobState("RUNNING", "None"),
        "71_1": JobState("PENDING", "Resources"),
        "71_2": JobState("FAILED", "None"),
        "72": JobState("CANCELLED"),
        "73": JobState(GONE),
        "74": JobState(GONE),
    }


def test_a_job_that_nobody_knows_any_more_is_over_without_accounts_too(
    stand_in: SlurmStandIn,
) -> None:
    (stand_in.folder / "squeue").write_text(
        "#!/bin/sh\necho slurm_load_jobs error: Invalid job id specified >&2\nexit 1\n"
    )
    assert job_states(["71"]) == {"71": JobState(GONE)}
    assert JobState(GONE).ended


def test_a_controller_that_does_not_answer_ends_no_job(stand_in: SlurmStandIn) -> None:
    (stand_in.folder / "squeue").write_text(
        "#!/bin/sh\necho slurm_load_jobs error: Unable to contact slurm controller >&2\nexit 1\n"
    )
    with pytest.raises(NoAnswer, match="Unable to contact slurm controller"):
        job_states(["71"])


@pytest.mark.parametrize(
    ("reason", "never"),
    [
        ("Resources", False),
        ("ReqNodeNotAvail, UnavailableNodes:n1", False),
        ("JobHeldUser", False),
        ("PartitionTimeLimit", True),
        ("BadConstraints", True),
        ("QOSMaxGRESPerJob", True),
        ("AssocMaxWallDurationPerJobLimit", True),
        ("QOSMaxJobsPerUserLimit", False),
    ],
)
def test_a_job_that_others_keep_waiting_is_told_from_one_that_never_starts(
    reason: str, never: bool
) -> None:
    assert JobState("PENDING", reason).never is never
    assert not JobState("RUNNING", reason).never


# What becomes of cells --------------------------------------------------------------------


@pytest.mark.e2e
@pytest.mark.parametrize(
    ("state", "kind", "counts"),
    [("TIMEOUT", "timeout", (0, 1, 0)), ("CANCELLED", "interrupted", (0, 0, 1))],
)
def test_a_job_that_slurm_tells_to_end_fails_by_what_slurm_says_of_it(
    tmp_path: Path, stand_in: SlurmStandIn, state: str, kind: str, counts: tuple[int, ...]
) -> None:
    bench = Bench(tmp_path)

    def told_to_end() -> None:
        (job,) = jobs_of(tmp_path)
        job.send_signal(signal.SIGTERM)
        stand_in.says("squeue", f"71|{state}|None")

    bench.observer.react = at_the_first_start(told_to_end)
    end = run_on(launcher(bench), bench, different(1, "hang"))

    (record,) = bench.store.records()
    assert record.failure is not None
    assert (record.failure.kind, record.failure.message) == (
        kind,
        f"Slurm ended its job: {state}.",
    )
    assert (end.ok, end.failed, end.left) == counts
    assert exit_code(end) == ExitCode.SOME_FAILED


@pytest.mark.e2e
def test_a_job_that_slurm_starts_again_itself_is_followed_and_not_submitted_once_more(
    tmp_path: Path, stand_in: SlurmStandIn
) -> None:
    chosen = different(2, step_s=0.3, trace=str(tmp_path / "trace"))
    bench = Bench(tmp_path)
    waited: list[str] = []

    def its_node_is_lost() -> None:
        (job,) = jobs_of(tmp_path)
        job.send_signal(signal.SIGTERM)
        stand_in.says("squeue", "71|PENDING|BeginTime")

    first = at_the_first_start(its_node_is_lost)

    def react(line: RunLine) -> None:
        first(line)
        if isinstance(line, WaitingLine) and not waited:
            waited.append(line.reason)
            stand_in.says("squeue", "71|RUNNING|None")
            stand_in.start_again(71)

    bench.observer.react = react
    end = run_on(launcher(bench, cells_per_job=2), bench, chosen)

    assert (end.ok, end.failed, end.left) == (2, 0, 0)
    assert waited == ["no job is running: all wait for nodes of Slurm"]
    assert sum(measured(bench).values()) <= len(chosen) + 1
    assert len(list(stand_in.folder.glob("job-*.json"))) == 1


@pytest.mark.e2e
def test_a_job_that_slurm_never_starts_is_cancelled_and_its_cell_fails_with_the_reason(
    tmp_path: Path, stand_in: SlurmStandIn
) -> None:
    stand_in.is_full()
    stand_in.says("squeue", "71|PENDING|PartitionTimeLimit")
    bench = Bench(tmp_path)

    end = run_on(launcher(bench), bench, different(1))

    (record,) = bench.store.records()
    assert record.failure is not None
    assert record.failure.kind == "no-device"
    assert "PartitionTimeLimit" in record.failure.message
    assert "--on-option" in record.failure.remedy
    assert (end.failed, stand_in.cancelled[0]) == (1, "71")


@pytest.mark.e2e
def test_a_stopped_run_whose_jobs_cannot_be_cancelled_says_that_they_go_on_and_how_to_end_them(
    tmp_path: Path, stand_in: SlurmStandIn
) -> None:
    (stand_in.folder / "scancel").write_text(
        "#!/bin/sh\necho scancel: error: Unable to contact slurm controller >&2\nexit 1\n"
    )
    bench = Bench(tmp_path)
    bench.observer.react = at_the_first_start(lambda: bench.stop.request("SIGINT"))

    with pytest.raises(NotCancelled, match="continue to run") as caught:
        run_on(launcher(bench), bench, different(1, step_s=0.2))

    assert caught.value.exit_code == ExitCode.INTERRUPTED
    assert "Unable to contact" in caught.value.why
    assert caught.value.remedy.endswith("scancel 71")
    assert soon(lambda: not jobs_of(tmp_path))
    assert [record.status for record in bench.store.records()] == ["ok"]


@pytest.mark.e2e
def test_a_job_with_its_record_of_which_a_node_never_ends_is_not_left_in_the_queue(
    tmp_path: Path, stand_in: SlurmStandIn
) -> None:
    (stand_in.folder / "srun").write_text(
        "#!/bin/sh\n"
        'while [ "$1" != -m ]; do python=$1; shift; [ "$1" = -u ] && shift; done\n'
        'SLURM_STEP_NUM_TASKS=2 SLURM_NTASKS=2 SLURM_PROCID=0 exec "$python" "$@"\n'
    )
    spread = StoredDevice(kind="CPU", strategy="multi_worker_mirrored", workers=2, spread=True)
    (one,) = different(1)
    bench = Bench(tmp_path)

    end = run_on(launcher(bench), bench, [one.model_copy(update={"device_spec": spread})])

    assert (end.ok, end.left) == (1, 0)
    assert stand_in.cancelled == ["71"]
