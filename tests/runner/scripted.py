"""Sweeps of real processes that do as they are told (see `scripted_child`)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from accelreport.backend.availability import no_device
from accelreport.results.record import Environment, Failure, Record, Status
from accelreport.results.store import Store
from accelreport.runner.events import CellEndLine, EndLine, RunLine
from accelreport.runner.interrupt import Stop
from accelreport.runner.launch import LocalLauncher
from accelreport.runner.plan import Policy, RunPlan, make_plan
from accelreport.runner.process import ForkPool
from accelreport.runner.run import Run
from accelreport.runner.workspace import Workspace
from accelreport.spec.cells import Cell
from accelreport.spec.device import Device
from accelreport.spec.models import Measure

MACHINE = "0a1b2c3d"
SOME_DAY = "2026-01-01T00:00:00+00:00"
COMMAND = (sys.executable, "-I", "-S", str(Path(__file__).with_name("scripted_child.py")))
SERVER = (sys.executable, "-m", "tests.runner.scripted_forkserver")
DEVICES = {
    "cpu": Device(kind="CPU"),
    "cpu-1": Device(kind="CPU", threads=1),
    "gpu": Device(kind="GPU"),
    "tpu": Device(kind="TPU", strategy="tpu"),
}

ENDINGS: list[tuple[dict[str, object], str, str]] = [
    ({"do": "die", "signal": "SIGKILL"}, "signal", "SIGKILL"),
    ({"do": "die", "signal": "SIGSEGV"}, "signal", "SIGSEGV"),
    ({"do": "bad_alloc"}, "oom-host", "ran out of memory"),
    ({"do": "crash"}, "harness-error", "RuntimeError: the very last line"),
    ({"do": "half"}, "harness-error", "invalid record"),
    ({"do": "fail", "kind_of_failure": "nan-loss"}, "nan-loss", "it went wrong"),
]
"""Scripts of cells that fail, with the kind of failure and what is said of it."""


def environment() -> Environment:
    return Environment(
        machine=MACHINE,
        accelreport="0.1.0",
        python="3.11",
        os="Linux",
        cpu="a CPU",
        threads=2,
        memory_bytes=8 * 2**30,
    )


def cell(
    do: str = "ok",
    *,
    device: str = "cpu",
    repeat: int = 0,
    spec: str = "sweep",
    budget: float = 600.0,
    timeout: float = 1800.0,
    point: dict[str, Any] | None = None,
    **work: Any,
) -> Cell:
    return Cell(
        spec=spec,
        profile="full",
        device=device,
        point=point or {},
        repeat=repeat,
        seed=repeat,
        workload={"kind": "scripted", "do": do, **(point or {}), **work},
        device_spec=DEVICES[device],
        measure=Measure(budget=min(budget, timeout), timeout=timeout),
    )


def a_record(
    one: Cell,
    status: Status,
    machine: str = MACHINE,
    finished_at: str = SOME_DAY,
) -> Record:
    """A record of a cell, as a machine leaves it."""
    place = Environment.model_validate({**environment().model_dump(), "machine": machine})
    return Record(
        cell=one,
        key=one.key,
        status=status,
        failure=Failure(kind="nan-loss", message="no") if status == "failed" else None,
        started_at=finished_at,
        finished_at=finished_at,
        environment=place,
    )


def cells(
    count: int, *, devices: Iterable[str] = ("cpu", "cpu-1"), do: str = "ok", **work: Any
) -> list[Cell]:
    """`count` cells over two devices."""
    names = list(devices)
    return [
        cell(do, device=names[i % len(names)], repeat=i // len(names), **work) for i in range(count)
    ]


@dataclass
class Collector:
    """Keeps all lines of a run; `react` may do something at each."""

    lines: list[RunLine] = field(default_factory=list)
    react: Callable[[RunLine], None] | None = None

    def on(self, line: RunLine) -> None:
        self.lines.append(line)
        if self.react:
            self.react(line)

    def tick(self) -> None:
        return

    @property
    def ends(self) -> list[CellEndLine]:
        return [line for line in self.lines if isinstance(line, CellEndLine)]


def different(count: int, do: str = "ok", **work: Any) -> list[Cell]:
    """`count` cells that are no repeats of each other."""
    return [cell(do, point={"number": number}, **work) for number in range(count)]


@dataclass
class Bench:
    """A results folder and what is needed to run cells into it."""

    folder: Path
    observer: Collector = field(default_factory=Collector)
    policy: Policy = field(default_factory=Policy)
    stop: Stop = field(default_factory=Stop)
    command: Sequence[str] = COMMAND
    forks: ForkPool | None = None
    within_s: float | None = None

    @property
    def store(self) -> Store:
        return Store(self.folder / "results")

    @property
    def workspace(self) -> Workspace:
        return Workspace(self.folder / "work")

    def plan(self, chosen: Iterable[Cell], *, absent: Iterable[str] = ()) -> RunPlan:
        store, gone = self.store, set(absent)
        return make_plan(
            chosen,
            earlier=lambda key: store.get(key, MACHINE),
            unavailable=lambda one: (
                no_device("not on this machine") if one.device in gone else None
            ),
            policy=self.policy,
        )

    def run(self, chosen: Iterable[Cell], *, absent: Iterable[str] = ()) -> EndLine:
        return self.carry_out(self.plan(chosen, absent=absent))

    def carry_out(self, plan: RunPlan, further: Callable[[], RunPlan] | None = None) -> EndLine:
        store = self.store
        store.prepare()
        self.workspace.prepare()
        sweep = Run(
            store=store,
            launcher=LocalLauncher(
                self.workspace.scratch, environment, self.command, forks=self.forks
            ),
            machine=MACHINE,
            environment=environment,
            workspace=self.workspace,
            observer=self.observer,
            stop=self.stop,
            policy=self.policy,
            within_s=self.within_s,
        )
        try:
            return sweep.run(plan, further)
        finally:
            if self.forks is not None:
                self.forks.close()


def forking(folder: Path, *refusal: str) -> Bench:
    """A bench whose cells are forks; with a refusal, whose server wants none."""
    bench = Bench(folder)
    bench.forks = ForkPool(bench.workspace.scratch, (*SERVER, *refusal))
    return bench


def measured_by(launcher: LocalLauncher, what: Cell, **given: Any) -> Record:
    """The record of a cell; nobody hears of it but who is given."""
    unheard = {"on_event": _unheard, "on_file": _unheard, "on_tick": lambda: None}
    return launcher.measure(what, **{"stop": Stop(), **unheard, **given})


def _unheard(_: object) -> None:
    """Take no notice."""
