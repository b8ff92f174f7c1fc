"""Kills what measures, at random moments, and counts what is lost."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from accelreport.results.store import Store
from tests.support.processes import command_line, gone_soon, kill, parent_pid, processes_of

ROOT = Path(__file__).parents[2]

VICTIMS = ("runner", "cell", "server", "runner and cell")
"""What may be killed; the server is the process that cells are forked from."""

MOST_CELLS = 6
"""So many cells may start or end between two kills."""

LONGEST_PAUSE_S = 0.05
"""And so much time may pass after that: about one cell."""


@dataclass
class Toll:
    """What was killed and what it cost.

    Attributes:
        kills: how often each victim was killed.
        measured: measurements that were carried out, by the cells' own count.
        repeated: those of them that were of a cell measured before.
        lost: cells that were said to be finished and have no measurement.
        doubled: cells measured again without need.
        torn: files that were found unreadable.
        orphans: processes that outlived their runner.
    """

    kills: Counter[str] = field(default_factory=Counter)
    measured: int = 0
    repeated: int = 0
    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    torn: list[str] = field(default_factory=list)
    orphans: list[str] = field(default_factory=list)

    @property
    def nothing(self) -> bool:
        """Whether nothing was lost, doubled, torn or orphaned."""
        return not (self.lost or self.doubled or self.torn or self.orphans)

    @property
    def victims(self) -> str:
        """How often each was killed, in words."""
        return ", ".join(f"{name} {count}" for name, count in sorted(self.kills.items()))


class Killing:
    """A run that is killed again and again.

    Args:
        folder: an empty folder.
        cells: how many cells the run has.
        seed: draws moments and victims.
        step_s: seconds of each of a cell's two steps.
    """

    def __init__(self, folder: Path, *, cells: int, seed: int, step_s: float = 0.01) -> None:
        self._folder = folder
        self._cells = cells
        self._step_s = step_s
        self._draw = random.Random(seed)  # noqa: S311 -- moments, not secrets
        self._finished: set[str] = set()
        self._toll = Toll()
        self._runner: subprocess.Popen[str] | None = None
        self._reader = threading.Thread()

    def run(self, kills: int, *, tell: Callable[[str], None] = lambda _: None) -> Toll:
        """Kill so often, then let the run come to its end, and count.

        Args:
            kills: how often.
            tell: told now and then how far it is.
        """
        with self._read_without_pause():
            for number in range(1, kills + 1):
                self._kill_one()
                if number % 10 == 0:
                    tell(f"{number} kills, {len(self._finished)} cells finished")
            self._end(self._started())
            self._end(self._fresh("--retry-failed"))
        self._count()
        return self._toll

    # Killing ------------------------------------------------------------------------------

    def _kill_one(self) -> None:
        runner = self._started()
        victim = self._draw.choice(VICTIMS)
        for _ in range(self._draw.randint(0, 2 * MOST_CELLS)):
            self._hear(runner)
        time.sleep(self._draw.uniform(0, LONGEST_PAUSE_S))
        cells, servers = self._processes(runner.pid)
        self._toll.kills[victim] += 1
        if "runner" in victim:
            runner.send_signal(signal.SIGKILL)
        for process in (servers or cells) if victim == "server" else cells:
            if victim != "runner":
                kill(process)
        if "runner" in victim:
            self._end(runner)
            self._see_that_all_are_gone(victim)

    def _processes(self, runner: int) -> tuple[list[psutil.Process], list[psutil.Process]]:
        """The processes of the cell, and the one that it was forked from, if it was."""
        try:
            children = psutil.Process(runner).children(recursive=True)
        except psutil.NoSuchProcess:
            return [], []
        servers = [
            child
            for child in children
            if parent_pid(child) == runner and "scripted_forkserver" in command_line(child)
        ]
        return [child for child in children if child not in servers], servers

    def _see_that_all_are_gone(self, victim: str) -> None:
        if not gone_soon(work := self._folder / "work"):
            left = processes_of(work)
            self._toll.orphans += [f"process {each.pid} outlived its {victim}" for each in left]

    # Runners ------------------------------------------------------------------------------

    def _started(self) -> subprocess.Popen[str]:
        """A runner that measures at this moment; a new one where the last has ended."""
        if self._runner is None or self._runner.poll() is not None:
            if self._runner is not None:
                self._end(self._runner)
            self._runner = self._fresh()
        return self._runner

    def _fresh(self, *more: str) -> subprocess.Popen[str]:
        forked = self._draw.choice(["--fork", "--no-fork"])
        arguments = [str(self._folder), str(self._cells), str(self._step_s), "ok", forked, *more]
        runner = subprocess.Popen(
            [sys.executable, "-m", "tests.runner.scripted_runner", *arguments],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            process_group=0,
        )
        self._hear(runner)
        return runner

    def _hear(self, runner: subprocess.Popen[str]) -> None:
        assert runner.stdout is not None
        self._note(runner.stdout.readline())

    def _end(self, runner: subprocess.Popen[str]) -> None:
        """What a runner still had to say, once it has ended."""
        if runner.stdout is None or runner.stdout.closed:
            return
        output, _ = runner.communicate(timeout=1200)
        for line in output.splitlines():
            self._note(line)

    def _note(self, line: str) -> None:
        words = line.split()
        if words[:1] == ["end"] and words[2:] == ["ok"]:
            self._finished.add(words[1])

    # Counting -----------------------------------------------------------------------------

    @contextmanager
    def _read_without_pause(self) -> Iterator[None]:
        done = threading.Event()

        def read() -> None:
            while not done.wait(0.1):
                store = Store(self._folder / "results")
                list(store.records())
                self._toll.torn += [str(problem) for problem in store.problems]

        reader = threading.Thread(target=read)
        reader.start()
        try:
            yield
        finally:
            done.set()
            reader.join()

    def _count(self) -> None:
        toll, store = self._toll, Store(self._folder / "results")
        status = {record.key: record.status for record in store.records()}
        toll.lost = [key for key in self._finished if status.get(key) != "ok"]
        toll.lost += [key for key, found in status.items() if found != "ok"]
        toll.lost += ["a cell without a record"] * (self._cells - len(status))
        measured = Counter((self._folder / "trace").read_text().split())
        toll.measured, toll.repeated = measured.total(), measured.total() - len(measured)
        toll.torn += [str(problem) for problem in store.problems]
        excess = toll.repeated - sum(toll.kills.values())
        toll.doubled = [f"{excess} measurements more than kills"] if excess > 0 else []
