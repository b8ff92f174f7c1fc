"""Other programs at work during a measurement are named where somebody asks for that."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from itertools import count
from types import SimpleNamespace

import pytest

from accelreport.backend.checks import CheckLog, windows
from accelreport.backend.checks.windows import OtherProcesses

WORKED_S = 0.2
NEIGHBOUR = f"""
import sys, time
from pathlib import Path

def work():
    while time.process_time() < until:
        pass

for line in sys.stdin:
    until = time.process_time() + {WORKED_S}
    name, busy = line.split()
    Path("/proc/self/comm").write_text(name)
    if busy == "busy":
        work()
    print("done", flush=True)
"""


class Program:
    """A program that takes another name, and works or does not, when it is told to."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", NEIGHBOUR],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def does(self, name: str, what: str) -> None:
        """Ends once it has done it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(name, what, file=self._process.stdin, flush=True)
        assert self._process.stdout.readline() == "done\n"

    def end(self) -> None:
        self._process.communicate()


@pytest.fixture
def program() -> Iterator[Program]:
    program = Program()
    yield program
    program.end()


@pytest.fixture(autouse=True)
def _every_process_is_named_by_its_cpu_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many others compute beside these tests, and however long those take therefore."""
    seconds = count()
    monkeypatch.setattr(windows, "time", SimpleNamespace(perf_counter=lambda: float(next(seconds))))
    monkeypatch.setattr(windows, "SHOWN", sys.maxsize)
    monkeypatch.setenv(windows.NAME_PROGRAMS, "1")


def named(neighbours: OtherProcesses) -> str:
    found = CheckLog()
    neighbours.judge(found, other_cores=1.0)
    (check,) = found.checks
    return check.seen


def test_a_program_that_works_beside_a_measurement_is_named(program: Program) -> None:
    neighbours = OtherProcesses()
    program.does("at-work", "busy")
    assert "at-work" in named(neighbours)


@pytest.mark.parametrize("asked", ["", "0"])
def test_no_program_is_named_unless_somebody_asks(
    program: Program, asked: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(windows.NAME_PROGRAMS, asked)
    neighbours = OtherProcesses()
    program.does("at-work", "busy")
    assert named(neighbours) == "other processes kept 1 cores busy"


def test_a_program_that_began_meanwhile_is_named() -> None:
    neighbours = OtherProcesses()
    program = Program()
    program.does("newcomer", "busy")
    assert "newcomer" in named(neighbours)
    program.end()


def test_what_a_program_did_before_does_not_count_though_it_took_another_name(
    program: Program,
) -> None:
    program.does("before", "busy")
    neighbours = OtherProcesses()
    program.does("renamed", "idle")
    assert "renamed" not in named(neighbours)
