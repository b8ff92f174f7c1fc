"""Signals, locks and the private folder: what a runner shares a machine with others by."""

from __future__ import annotations

import os
import pwd
import select
import signal
import stat
import tempfile
from pathlib import Path

import pytest

from accelreport.results.reading import ResultsError
from accelreport.runner.interrupt import SIGNALS, Stop, stopped_by_signals
from accelreport.runner.workspace import (
    CELL_IN_USE,
    LOCK_VARIABLE,
    MACHINE_LOCK,
    MachineLock,
    Workspace,
    file_to_itself,
    machine_lock,
    machine_to_itself,
)
from tests.support import disks


@pytest.mark.parametrize("number", SIGNALS)
def test_the_first_signal_asks_and_the_second_ends_at_once(number: signal.Signals) -> None:
    with stopped_by_signals() as stop:
        assert not stop
        os.kill(os.getpid(), number)
        assert stop.reason == number.name
        assert select.select([stop], [], [], 0)[0] == [stop]
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), number)


def test_one_runner_has_the_machine_and_says_who_it_is(tmp_path: Path) -> None:
    workspace, stop = Workspace(tmp_path / "work"), Stop()
    workspace.prepare()
    told: list[str] = []

    def tell(reason: str) -> None:
        told.append(reason)
        stop.request("the test has seen enough")

    mine, theirs = tmp_path / "mine", tmp_path / "theirs"
    with (
        machine_to_itself(workspace, folder=mine, stop=stop, waiting=tell) as first,
        machine_to_itself(workspace, folder=theirs, stop=stop, waiting=tell) as second,
    ):
        assert (first, second) == (True, False)

    (reason,) = told
    assert f"process {os.getpid()}, into {mine}, for 0 s" in reason
    with machine_to_itself(workspace, folder=mine, stop=Stop(), waiting=told.append) as again:
        assert again


def test_an_account_without_a_name_has_the_machine_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a container that is run by a number of which it knows no name."""
    for variable in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", {}.__getitem__)
    workspace = Workspace(tmp_path / "work")
    workspace.prepare()
    with machine_to_itself(workspace, folder=tmp_path, stop=Stop(), waiting=print) as mine:
        assert mine


def test_one_run_has_the_machine_whoever_starts_another_and_wherever_its_files_in_passing_lie(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(LOCK_VARIABLE)
    assert machine_lock() == MACHINE_LOCK
    mine, stop, told = Workspace(tmp_path / "mine"), Stop(), list[str]()
    mine.prepare()

    def tell(reason: str) -> None:
        told.append(reason)
        stop.request("the test has seen enough")

    with tempfile.TemporaryDirectory() as common:  # others may not enter pytest's folders
        Path(common).chmod(0o1777)
        lock = Path(common, "lock")
        workspace = Workspace(mine.root, lock)
        with machine_to_itself(workspace, folder=tmp_path, stop=Stop(), waiting=told.append):
            assert stat.S_IMODE(lock.stat().st_mode) == 0o666
            with (
                disks.read_only(tmp_path / "theirs") as theirs,
                machine_to_itself(
                    Workspace(theirs, lock), folder=theirs, stop=stop, waiting=tell
                ) as held,
            ):
                assert not held
    (reason,) = told
    assert f"process {os.getpid()}, into {tmp_path}" in reason


@pytest.mark.parametrize("text", ["", "nonsense", "[1]", '{"since": "soon"}', "\x1b[2J"])
def test_what_anybody_wrote_into_the_lock_does_no_harm(text: str, tmp_path: Path) -> None:
    lock = MachineLock(tmp_path / "lock")
    assert lock.acquire()
    (tmp_path / "lock").write_text(text)
    assert lock.who().startswith("another run is measuring on this machine; ")
    lock.release()


def test_one_cell_is_measured_by_one_runner(tmp_path: Path) -> None:
    lock, stop = tmp_path / "locks" / "cell.lock", Stop()

    def give_up(reason: str) -> None:
        stop.request(reason)

    with (
        file_to_itself(lock, CELL_IN_USE, stop=stop, waiting=give_up) as first,
        file_to_itself(lock, CELL_IN_USE, stop=stop, waiting=give_up) as second,
    ):
        assert (first, second) == (True, False)
    assert stop.reason == "another run is measuring this cell"


def test_a_lock_of_somebody_else_or_in_a_folder_of_theirs_is_one_clear_error(
    tmp_path: Path,
) -> None:
    theirs = tmp_path / "locks" / "cell.lock"
    theirs.parent.mkdir()
    theirs.touch(mode=0o600)
    with disks.read_only(tmp_path / "read-only") as folder:
        for path in (theirs, folder / "locks" / "cell.lock"):
            with (
                pytest.raises(ResultsError, match="cannot be locked") as caught,
                file_to_itself(path, CELL_IN_USE, stop=Stop(), waiting=lambda _: None),
            ):
                pass
            assert "Permission denied" in caught.value.why
            assert str(path.parent) in caught.value.remedy


def test_a_private_folder_that_somebody_else_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir()
    (tmp_path / "work").symlink_to(tmp_path / "theirs")
    with pytest.raises(ResultsError, match="belongs to another user") as caught:
        Workspace(tmp_path / "work").prepare()
    assert "TMPDIR" in caught.value.remedy

    (tmp_path / "file").touch()
    with pytest.raises(ResultsError, match="cannot be made"):
        Workspace(tmp_path / "file" / "work").prepare()
