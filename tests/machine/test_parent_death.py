"""What ends a cell's processes with its runner."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from accelreport.machine import parent_death
from tests.support.processes import PATIENCE_S

GROUP = """
import os, subprocess, sys, time
from accelreport.machine.parent_death import spawn_watcher
os.setsid()
spawn_watcher(int(sys.argv[1]))
subprocess.Popen(["sleep", "600"])
print(flush=True)
time.sleep(600)
"""


def test_a_group_with_a_watcher_ends_as_soon_as_nobody_holds_its_pipe() -> None:
    held, lives = os.pipe()
    child = subprocess.Popen(
        [sys.executable, "-c", GROUP, str(held)], pass_fds=[held], stdout=subprocess.PIPE
    )
    assert child.stdout is not None
    os.close(held)
    assert child.stdout.readline() == b"\n"
    assert child.poll() is None

    os.close(lives)

    assert child.wait(PATIENCE_S) == -signal.SIGKILL
    assert child.stdout.read() == b"", "also what it had started holds its output no more"
    child.stdout.close()


def test_a_process_that_gets_no_watcher_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parent_death, "SHELL", "/bin/false")
    held, lives = os.pipe()
    with pytest.raises(OSError, match="no process can be started"):
        parent_death.spawn_watcher(held)
    os.close(held)
    os.close(lives)
