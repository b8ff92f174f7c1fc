"""Clocks: the duration of a window, stops and clock changes in it, and processor frequencies."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import psutil
from numpy.typing import NDArray

from accelreport.machine.nvidia import DriverError, answered, boards, visible

SET_S = 5e-4
"""Largest difference of two clocks, in seconds, that is no change and no stop: reading both takes
microseconds."""

SLEWED = 1e-3
"""Largest share of a duration by which a slewed wall clock differs; kernels slew by 500 ppm."""

BEAT_S = 0.1
"""Seconds between two beats of `Heartbeat`; ten wake-ups a second cost a thousandth of a core."""

LEAST_STOP_S = 1.0
"""Seconds of the shortest stop; schedulers and locks cause shorter silences."""

SHORTEST_STOP_S = 1e-3
"""Seconds that a stop by a signal takes at least, which is known to have been."""

MEASURE = 0.5
"""Cores from which on a process computes so steadily that missing CPU time is a stop."""

ASLEEP = 0.2
"""Busy cores in a silence below which this process did not run; above it, one of its threads held
the interpreter's lock."""

DELAYS = Path("/proc/thread-self/schedstat")
"""This thread's nanoseconds on a processor, nanoseconds waiting for one, and time slices."""

_BOOT = getattr(time, "CLOCK_BOOTTIME", getattr(time, "CLOCK_MONOTONIC", None))
"""The clock that advances while the machine sleeps: CLOCK_BOOTTIME on Linux and CLOCK_MONOTONIC on
macOS. `time.perf_counter` stands still during sleep on both."""


@dataclass(frozen=True)
class Instant:
    """One moment by three clocks, in seconds, read within microseconds of each other.

    Attributes:
        monotonic: the clock of all durations.
        wall: the clock that can be set, and the only one that a TensorFlow graph can read.
        boot: the monotonic clock that also counts the machine's sleep.
    """

    monotonic: float
    wall: float
    boot: float


def instant() -> Instant:
    """Now, by the fastest of three readings, because a thread may be suspended in between."""
    readings = []
    for _ in range(3):
        began = time.perf_counter()
        wall = time.time()
        boot = began if _BOOT is None else time.clock_gettime(_BOOT)
        readings.append((time.perf_counter() - began, Instant(began, wall, boot)))
    return min(readings, key=lambda reading: reading[0])[1]


@dataclass(frozen=True)
class Window:
    """The durations of one timed window, in seconds.

    Attributes:
        wall_s: by the monotonic clock.
        cpu_s: of the cell's processes.
        other_cpu_s: of every other process of the machine.
        began_s: when it began, by `time.perf_counter`.
        clock_set_s: how far the wall clock was set within the window, backwards if negative; 0 if
            it was not set.
        asleep_s: how long the machine slept within the window; not part of `wall_s`.
    """

    wall_s: float
    cpu_s: float
    other_cpu_s: float
    began_s: float = 0.0
    clock_set_s: float = 0.0
    asleep_s: float = 0.0


def stamped_seconds(stamps: NDArray[Any], window: Window, *, by_wall: bool) -> list[float]:
    """Seconds of each step of a window from its second one on; empty if the stamps are invalid.

    Args:
        stamps: instants in seconds at which steps ended, in their order, [steps] or empty.
        window: the window of the steps.
        by_wall: whether the stamps are the wall clock's.
    """
    seconds = np.diff(stamps)
    # A clock that was set forth and back within one window shows no change at its end.
    possible = (seconds > 0).all() and seconds.sum() <= window.wall_s + SET_S
    if not possible or (by_wall and window.clock_set_s):
        return []
    return [round(float(value), 7) for value in seconds]


def busy_s() -> float:
    """CPU seconds that all processes of the machine have used since its start."""
    times = psutil.cpu_times()
    # The processor is unused in idle and iowait only; user time includes guest time on Linux.
    idle = times.idle + getattr(times, "iowait", 0.0)
    guest = getattr(times, "guest", 0.0) + getattr(times, "guest_nice", 0.0)
    return float(sum(times) - guest - idle)


class Stopwatch:
    """Measures from its creation to each `lap`.

    CPU time distinguishes a slow step from one that waited, and other processes' CPU time
    distinguishes a loaded machine from a slow one.

    Args:
        cpu_s: CPU seconds spent so far by the cell's processes.
        read: reads the clocks that are compared, outside the window.
    """

    def __init__(
        self,
        cpu_s: Callable[[], float] = time.process_time,
        read: Callable[[], Instant] = instant,
    ) -> None:
        self._cpu_s, self._read = cpu_s, read
        self._busy = busy_s()
        self._before = read()
        self._cpu = cpu_s()
        self._wall = time.perf_counter()

    def lap(self) -> Window:
        """The window since the creation; the stopwatch continues."""
        wall = time.perf_counter() - self._wall
        cpu = self._cpu_s() - self._cpu
        after, before = self._read(), self._before
        busy = busy_s() - self._busy
        passed = after.monotonic - before.monotonic
        booted = after.boot - before.boot
        away, asleep = after.wall - before.wall - booted, booted - passed
        least = SET_S + SLEWED * booted
        return Window(
            wall_s=wall,
            cpu_s=cpu,
            other_cpu_s=max(0.0, busy - cpu),
            began_s=self._wall,
            clock_set_s=away if abs(away) > least else 0.0,
            asleep_s=asleep if asleep > least else 0.0,
        )


@dataclass(frozen=True)
class _Beat:
    """A moment at which this process ran.

    Attributes:
        at: by the monotonic clock.
        cpu_s: CPU seconds of the process so far.
        delayed_s: seconds for which its threads have waited for a processor so far.
        continued: how often the process was continued after a stop so far.
        cores: busy between the last two beats without a stop between them.
    """

    at: float
    cpu_s: float
    delayed_s: float
    continued: int
    cores: float = 0.0


class Heartbeat:
    """Detects that this process did not run although its clock advanced.

    A stopped process (`SIGSTOP`, `docker pause`, a debugger) cannot notice its stop while it lasts.
    A thread that wakes up ten times a second notices afterwards that it did not wake up, and CPU
    time shows that no other thread of the process ran. Time in which this thread or the watched one
    waited for a processor is no stop: other programs caused it, and on a loaded machine a waiting
    thread may hold the interpreter's lock. The length of a stop is known to `BEAT_S`.

    Of a stop by a signal, as `cpulimit` makes many of, the signal that continues the process is
    counted. It may be shorter than a beat, and is then as long as the CPU time that is missing.

    Args:
        cpu_s: CPU seconds spent so far by this process.
        now: the monotonic clock.
        delayed_s: seconds for which the two threads have waited for a processor so far; by the
            scheduler's count if None. The watched thread is the one that creates this object.
        continued: how often this process was continued after a stop so far; by its signals if None.
    """

    def __init__(
        self,
        cpu_s: Callable[[], float] = time.process_time,
        now: Callable[[], float] = time.perf_counter,
        delayed_s: Callable[[], float] | None = None,
        continued: Callable[[], int] | None = None,
    ) -> None:
        self._cpu_s, self._now = cpu_s, now
        self._stops: list[tuple[float, float, bool]] = []
        self._continued = continued or _Continued().count
        self._queues = [_queue()]
        self._delayed_s = delayed_s or (lambda: sum(map(waited_s, self._queues)))
        self._last = self._beat()
        self._ended = threading.Event()
        self._lock = threading.Lock()

    def start(self) -> None:
        """Beat until `end`, in a thread of its own."""
        threading.Thread(target=self._run, name="heartbeat", daemon=True).start()

    def end(self) -> None:
        """Stop beating."""
        self._ended.set()

    def beat(self) -> None:
        """Note that this process runs, and any stop since the last beat."""
        with self._lock:
            stop = self._silence()
            if stop is not None:
                self._stops.append(stop)
            self._last = self._beat(self._last)

    def stopped_s(self, since: float, until: float) -> float:
        """Seconds between two instants in which this process did not run.

        Args:
            since: by `now`.
            until: by `now`.
        """
        with self._lock:
            # The thread may not have run again since the process continued.
            pending = self._silence()
            stops = [*self._stops, *([pending] if pending else [])]
        overlaps = ((min(until, end) - max(since, begin), sure) for begin, end, sure in stops)
        return sum(overlap for overlap, sure in overlaps if overlap > (0 if sure else 2 * BEAT_S))

    def _run(self) -> None:
        self._queues.append(_queue())
        self._last = self._beat()
        while not self._ended.wait(BEAT_S):
            self.beat()

    def _beat(self, before: _Beat | None = None) -> _Beat:
        at, cpu_s, continued = self._now(), self._cpu_s(), self._continued()
        passed = at - before.at if before else 0.0
        cores = (cpu_s - before.cpu_s) / passed if before and passed > 0 else 0.0
        if before and continued > before.continued:
            cores = before.cores
        return _Beat(at, cpu_s, self._delayed_s(), continued, cores)

    def _silence(self) -> tuple[float, float, bool] | None:
        """The stop that ends now, and whether a signal says so; None if there was none."""
        last, now = self._last, self._beat()
        silent_s = now.at - last.at - BEAT_S - (now.delayed_s - last.delayed_s)
        if now.continued > last.continued:
            ran_s = (now.cpu_s - last.cpu_s) / last.cores if last.cores >= MEASURE else np.inf
            delayed_s = now.delayed_s - last.delayed_s
            idle_s = now.at - last.at - delayed_s - ran_s
            return now.at - max(silent_s, idle_s, SHORTEST_STOP_S), now.at, True
        # Around the stop, the process used as many cores as before.
        allowed_s = ASLEEP * silent_s + 2 * BEAT_S * max(1.0, last.cores)
        if silent_s < LEAST_STOP_S or now.cpu_s - last.cpu_s > allowed_s:
            return None
        return now.at - silent_s, now.at, False


class _Continued:
    """Counts the signals that continue this process, from its main thread's wish on."""

    def __init__(self) -> None:
        self._number, self._reading = 0, -1
        if threading.current_thread() is not threading.main_thread():
            return  # only there can a signal be asked for
        self._reading, writing = os.pipe()
        os.set_blocking(self._reading, False)
        os.set_blocking(writing, False)
        signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
        signal.signal(signal.SIGCONT, lambda *_: None)
        signal.siginterrupt(signal.SIGCONT, False)  # noqa: FBT003 -- takes no names

    def count(self) -> int:
        """How often so far."""
        with suppress(OSError):
            self._number += os.read(self._reading, 4096).count(int(signal.SIGCONT))
        return self._number


def _queue() -> Path:
    """The scheduler's counts for this thread, which other threads can read."""
    return Path(f"/proc/self/task/{threading.get_native_id()}/schedstat")


def waited_s(queue: Path = DELAYS) -> float:
    """Seconds for which a thread has waited for a processor so far; 0 if Linux does not count them.

    Args:
        queue: the file with the scheduler's counts for the thread.
    """
    try:
        return int(queue.read_text().split()[1]) / 1e9
    except (OSError, IndexError, ValueError):
        return 0.0  # another system, or a Linux without these counts


CLOCK_WITHIN_S = 5
"""Seconds until a query is given up; a working driver of NVIDIA answers in a tenth of a second."""


@dataclass(frozen=True)
class Clock:
    """The clock of a device at one moment; None if it cannot be read.

    Attributes:
        mhz: its frequency.
        hindrances: how often it has been slowed down, or whether it is slowed down now (0 or 1).
    """

    mhz: float | None = None
    hindrances: int | None = None


def cpu_clock(root: Path = Path("/sys/devices/system/cpu")) -> Clock:
    """The CPUs' mean frequency and their count of thermal slow-downs, if Linux shows them."""
    speeds = [_number(path) for path in root.glob("cpu[0-9]*/cpufreq/scaling_cur_freq")]
    counts = [_number(path) for path in root.glob("cpu[0-9]*/thermal_throttle/core_throttle_count")]
    known = [speed for speed in speeds if speed is not None]
    return Clock(
        mhz=sum(known) / len(known) / 1e3 if known else None,
        hindrances=int(sum(count or 0 for count in counts)) if counts else None,
    )


def gpu_clock(number: int = 0, variables: Mapping[str, str] = os.environ) -> Clock:
    """The clock of a GPU, and whether its driver slows it down.

    Args:
        number: CUDA's number of it in this process.
        variables: environment variables, which decide what GPUs CUDA shows.
    """

    def clock() -> Clock:
        shown = visible(boards(), variables)
        if number >= len(shown.boards) or (len(shown.boards) > 1 and not shown.ordered):
            return Clock()  # CUDA's numbers are unknown
        board = shown.boards[number]
        return Clock(board.sm_mhz(), int(board.hindered()))

    try:
        return answered(clock, CLOCK_WITHIN_S)
    except DriverError:
        return Clock()  # no driver, or a driver without this clock


def _number(path: Path) -> float | None:
    try:
        return float(path.read_text())
    except (OSError, ValueError):
        return None  # the file of an offline processor cannot be read
