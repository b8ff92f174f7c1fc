"""What is known of a cell while it is measured, window by window, and the record it becomes.

Before and after a timed window the device waits, and its sensors are read.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from accelreport.backend.checks.self_checks import SelfChecks
from accelreport.backend.checks.windows import ObservedWindow, WindowWatch
from accelreport.backend.environment import environment, imported_files
from accelreport.backend.frameworks import Runtime
from accelreport.backend.placement import Placement
from accelreport.backend.protocol import Job, ParentTimings, Reporter, iso
from accelreport.machine.clocks import Stopwatch, stamped_seconds
from accelreport.machine.energy import Meter, open_meter
from accelreport.machine.memory import own_peak_bytes
from accelreport.results.block import Steady
from accelreport.results.record import (
    SHORT_WINDOW_S,
    Artefact,
    Beginning,
    Block,
    Confusion,
    DataSource,
    Epoch,
    Failure,
    Flops,
    Forecast,
    GeneratedText,
    Host,
    Memory,
    Network,
    Quantised,
    Record,
    Roofs,
    Sample,
    SavedWeights,
    Selection,
    Served,
    Times,
    Warned,
)

if TYPE_CHECKING:
    from accelreport.backend.arithmetic import FlopResult

NO_STAMPS = np.zeros(0, np.float64)


@dataclass(frozen=True)
class TimedWindow:
    """What a window gave.

    Attributes:
        block: as the record holds it.
        result: what its work returned.
        observed: what the timer's checks saw of it.
        ran_s: seconds in which the process ran.
    """

    block: Block
    result: Any
    observed: ObservedWindow
    ran_s: float


@dataclass(frozen=True)
class WindowTimer:
    """Times windows; whatever is read for them is read outside.

    Attributes:
        placement: synchronises the devices.
        watch: looks at every window.
        meter: counts the energy of steady ones.
    """

    placement: Placement
    watch: WindowWatch
    meter: Meter

    def time(
        self,
        work: Callable[[], Any],
        *,
        epoch: int,
        first_step: int,
        steps: int,
        warmup: bool,
        stamps: Callable[[Any], NDArray[Any]] = lambda result: NO_STAMPS,  # noqa: ARG005
    ) -> TimedWindow:
        """Time so much work.

        Args:
            work: does the steps and waits for a result that depends on all of them.
            epoch: number of the epoch, or of a kernel's call, from 1.
            first_step: number of its first step within the cell, from 0.
            steps: how many steps it claims.
            warmup: whether it is left out of the steady time.
            stamps: the result → instants in seconds at which each step ended, [steps] or empty;
                called once the clock has been stopped.
        """
        self.watch.before()
        if not warmup:
            self.meter.begin()
        self.placement.synchronise()
        stopwatch = Stopwatch(self.placement.cpu_s)
        result = work()
        self.placement.synchronise()
        window = stopwatch.lap()
        self.meter.passed(steps)
        observed = self.watch.after(steps, window, warmup=warmup)
        if observed.lost_s:
            self.meter.discard()
        instants, by_wall = stamps(result), self.watch.wall_stamps is not None
        step_s = stamped_seconds(instants, window, by_wall=by_wall)
        if len(instants) > 1 and not step_s and self.watch.wall_stamps is not None:
            self.watch.wall_stamps += 1
        block = Block(
            epoch=epoch,
            first_step=first_step,
            steps=steps,
            wall_s=round(window.wall_s, 9),
            cpu_s=round(window.cpu_s, 6),
            other_cpu_s=round(window.other_cpu_s, 3),
            warmup=warmup,
            stopped_s=observed.lost_s,
            step_s=step_s,
        )
        return TimedWindow(block, result, observed, window.wall_s - observed.stopped_s)


@dataclass
class MeasurementResult:
    """What was measured of a cell so far, and observed of its model: see `Record` for each field.

    Attributes:
        complete: whether it has done all that the spec asks for.
    """

    complete: bool = False
    blocks: list[Block] = field(default_factory=list)
    epochs: list[Epoch] = field(default_factory=list)
    planned_steps: int = 0
    samples_per_step: int = 0
    final: dict[str, float] = field(default_factory=dict)
    parameters: int | None = None
    network: Network | None = None
    samples: list[Sample] = field(default_factory=list)
    confusion: Confusion | None = None
    forecasts: list[Forecast] = field(default_factory=list)
    texts: list[GeneratedText] = field(default_factory=list)
    weights: SavedWeights | None = None
    served: Served | None = None
    quantised: Quantised | None = None
    artefacts: list[Artefact] = field(default_factory=list)
    selection: Selection | None = None
    flops: Flops | None = None
    memory: Memory = field(default_factory=Memory)
    hosts: list[Host] = field(default_factory=list)
    began_with: Beginning | None = None
    details: dict[str, Any] = field(default_factory=dict)


class Measurement:
    """Takes down what is observed of one cell in this process.

    Args:
        job: what to measure, and when the process was launched.
        reporter: is told about progress.
        parent: what stood before this process, when it was forked.
        leads: whether this process, of several that measure the cell, leaves its files.

    Attributes:
        times: seconds of the stages that have ended, by the names of `Times`.
        runtime: TensorFlow, once it is configured for the device.
        data: where the input came from, once it is there.
        result: what was measured and observed so far.
        warnings: what a reader should know.
        checks: checks the timer, once there is something to check.
        meter: counts energy, once it is open.
        roofs: what this machine's processor reaches, once it was asked.
    """

    def __init__(
        self,
        job: Job,
        reporter: Reporter,
        parent: ParentTimings | None = None,
        *,
        leads: bool = True,
    ) -> None:
        self.job = job
        self.cell = job.cell
        self.reporter = reporter
        self.leads = leads
        self.times: dict[str, float] = {"process_s": max(0.0, time.monotonic() - job.launched_s)}
        self.runtime: Runtime | None = None
        self.data: DataSource | None = None
        self.result = MeasurementResult()
        self.warnings: list[Warned] = []
        self.checks: SelfChecks | None = None
        self.meter: Meter | None = None
        self.roofs: Roofs | None = None
        self._parent = parent
        self._started = datetime.fromtimestamp(job.launched_at, UTC)
        self._load_before = os.getloadavg()[0]

    def record(self, status: str, failure: Failure | None = None) -> Record:
        """What is known by now, as a record.

        Args:
            status: of the record.
            failure: what ended the measurement.
        """
        checks = self.checks.log if self.checks else None
        if self.checks:
            self.checks.end()
        checks_s = {"checks_s": self.checks.spent_s} if self.checks else {}
        return Record.model_validate(
            {
                "cell": self.cell,
                "key": self.cell.key,
                "status": status,
                "started_at": iso(self._started),
                "finished_at": iso(datetime.now(UTC)),
                "times": Times(**self.times, **checks_s),
                "data": self.data,
                "environment": environment(
                    load_before=self._load_before,
                    accelerators=self.runtime.devices if self.runtime else None,
                    runtime=self.runtime.facts if self.runtime else None,
                    roofs=self.roofs,
                ),
                "warnings": [*self.warnings, *(checks.warnings() if checks else [])],
                "checks": checks.checks if checks else [],
                "energy": self.meter.energies() if self.meter else [],
                "failure": failure,
                "imported": imported_files(Path(self.cell.folder)),
                **{name: value for name, value in vars(self.result).items() if name != "complete"},
            }
        )

    def ready(self) -> Runtime:
        """The runtime, which must have been configured."""
        assert self.runtime is not None
        return self.runtime

    def begin_checks(self) -> SelfChecks:
        """Have the timer checked from now on."""
        self.checks = SelfChecks(self.ready(), self.cell.device_spec.kind)
        return self.checks

    def open_meter(self) -> Meter:
        """Have energy counted, where a sensor can be read."""
        self.meter = open_meter(self.cell.device_spec.kind, self.ready().devices)
        return self.meter

    @contextmanager
    def stage(self, name: str, phase: str) -> Iterator[None]:
        """Time a stage under `name`, and announce it as `phase`."""
        self.reporter.phase(phase)
        began = time.perf_counter()
        try:
            yield
        finally:
            self.times[name] = time.perf_counter() - began

    def add_parent_timings(self) -> None:
        """Add what the process this one was forked from had done for it, and say how much.

        A cold start would have taken it, so that devices whose processes are not forked can
        be compared with those whose are.
        """
        if self._parent is not None:
            self.times["process_s"] += self._parent.process_s
            self.times["import_s"] += self._parent.import_s
            self.times["prepared_s"] = self._parent.process_s + self._parent.import_s

    def note_memory(self) -> None:
        """Take down the peaks so far."""
        self.result.memory = Memory(
            host_peak_bytes=own_peak_bytes(),
            device_peak_bytes=self.ready().placement.device_peak_bytes(),
        )

    def note_flops(self, counted: FlopResult, of: str) -> None:
        """Take down the operations of a step or call, or that they were not counted."""
        if counted.flops is None:
            self.warn("flops-unknown", f"operations of {of} were not counted: {counted.unknown}")
        else:
            self.result.flops = counted.flops

    def check_window(self, blocks: Sequence[Block]) -> None:
        """Warn where the steady blocks are too short to say much."""
        steady = Steady.of(blocks)
        if not steady.blocks:
            self.warn(
                "no-steady-steps", "the run ended within the warm-up, so it has no steady time"
            )
        elif steady.window_s < SHORT_WINDOW_S:
            took_s = math.floor(1000 * steady.window_s) / 1000
            self.warn(
                "short-window",
                f"the steady steps took {took_s:.3f} s in total, less than {SHORT_WINDOW_S} s",
            )

    def warn(self, kind: str, message: str) -> None:
        """Take down what a reader should know."""
        self.warnings.append(Warned(kind=kind, message=message))
