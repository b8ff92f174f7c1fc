"""Simulated experiments whose noise is clustered as that of real ones is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.signal import lfilter

from benchmarks.calibration.orders import balanced

Floats = NDArray[np.float64]

STEPS = 100
"""Steps timed in each simulated process."""


@dataclass(frozen=True)
class Scenario:
    """One kind of machine and load.

    Attributes:
        name: short name.
        text: what happens, in words.
        process: standard deviations of the logarithm between processes, for each device.
        step: standard deviation of the logarithm between the steps of a process.
        correlation: of each step with the one before.
        outliers: share of steps that are outliers.
        outlier_factor: how much longer an outlier takes, on average.
        tails: degrees of freedom of the process effects' t distribution; None is normal.
        slow_share: share of processes that run in a slow mode, for each device.
        slow_factor: how much longer the slow mode takes.
        drift: how much slower the machine is at the end than at the start.
        walk: standard deviation of the machine's random walk, from cell to cell.
        jump: how much slower everything is from a random moment on.
        points: sweep points at which both devices are measured; one of them is looked at.
    """

    name: str
    text: str
    process: tuple[float, float] = (0.02, 0.02)
    step: float = 0.05
    correlation: float = 0.5
    outliers: float = 0.005
    outlier_factor: float = 3.0
    tails: int | None = None
    slow_share: tuple[float, float] = (0.0, 0.0)
    slow_factor: float = 1.0
    drift: float = 0.0
    walk: float = 0.0
    jump: float = 0.0
    points: int = 3


SCENARIOS: tuple[Scenario, ...] = (
    Scenario(
        "quiet",
        "processes vary by 1 %, steps by 2 %, no outliers",
        process=(0.01, 0.01),
        step=0.02,
        outliers=0.0,
    ),
    Scenario("ordinary", "processes 2 %, correlated steps 5 %, 0.5 % of steps take 3×"),
    Scenario("unequal", "one device varies by 4 %, the other by 0.5 %", process=(0.04, 0.005)),
    Scenario(
        "noisy steps",
        "steps 20 %, correlated by 0.8, 1 % of them take 4×",
        step=0.2,
        correlation=0.8,
        outliers=0.01,
        outlier_factor=4.0,
    ),
    Scenario("heavy tails", "process effects follow t with 3 degrees of freedom", tails=3),
    Scenario(
        "slow processes",
        "one process in ten is 10 % slower",
        slow_share=(0.1, 0.1),
        slow_factor=1.1,
    ),
    Scenario(
        "two modes",
        "three processes in ten take 1.6× as long, as with both threads on one core",
        slow_share=(0.3, 0.3),
        slow_factor=1.6,
    ),
    Scenario("drift", "the machine slows by 10 % from start to end", drift=0.10),
    Scenario(
        "lone drift",
        "the same, where processes vary by 0.5 % and nothing else is measured meanwhile",
        process=(0.005, 0.005),
        step=0.01,
        outliers=0.0,
        drift=0.10,
        points=1,
    ),
    Scenario("walk", "the machine's speed wanders by 1 % from cell to cell", walk=0.01),
    Scenario("jump", "another job slows everything by 15 % from a random moment on", jump=0.15),
    Scenario(
        "all of it",
        "4 % and 1 %, heavy tails, slow processes, outliers, drift, walk and jump",
        process=(0.04, 0.01),
        tails=4,
        step=0.1,
        outliers=0.01,
        slow_share=(0.05, 0.05),
        slow_factor=1.2,
        drift=0.05,
        walk=0.005,
        jump=0.05,
    ),
)
"""What the intervals are tried on."""


def _skewed(name: str, text: str, share: float, factor: float, points: int) -> Scenario:
    """One device has a slow mode, the other has none, and both are quiet otherwise."""
    return Scenario(
        name,
        text,
        process=(0.01, 0.01),
        step=0.02,
        outliers=0.0,
        slow_share=(share, 0.0),
        slow_factor=factor,
        points=points,
    )


SKEWED: tuple[Scenario, ...] = tuple(
    _skewed(f"{name}, {where}", f"{text} slower, {measured}", share, factor, points)
    for name, text, share, factor in (
        ("seldom", "15 % of one device's processes are 1.3×", 0.15, 1.3),
        ("often", "30 % of one device's processes are 1.6×", 0.3, 1.6),
    )
    for where, measured, points in (
        ("alone", "measured at one point", 1),
        ("in a sweep", "measured at three points", 3),
        ("in a long sweep", "measured at six points", 6),
    )
)
"""Modes that only one of the devices has: what few processes cannot know."""


@dataclass(frozen=True)
class Experiments:
    """Many simulated experiments with two devices that are equally fast.

    Attributes:
        logs: logarithm of each process's steady step time, [experiment, device, repeat].
        step_variance: variance of a process's steps over its mean squared, same shape.
        points: sweep points at which the devices are measured, this one among them.
    """

    logs: Floats
    step_variance: Floats
    points: int = 1

    def first(self, n: int) -> Experiments:
        """The same experiments, stopped after `n` repeats."""
        return Experiments(self.logs[:, :, :n], self.step_variance[:, :, :n], self.points)


def simulate(
    scenario: Scenario, n: int, count: int, rng: np.random.Generator, *, chunk: int = 1000
) -> Experiments:
    """Simulates `count` experiments of `n` repeats.

    The runner's own order is followed (`runner.plan.Design`).
    """
    parts = [_chunk(scenario, n, min(chunk, count - done), rng) for done in range(0, count, chunk)]
    return Experiments(
        np.concatenate([logs for logs, _ in parts]),
        np.concatenate([variance for _, variance in parts]),
        scenario.points,
    )


def _chunk(
    scenario: Scenario, n: int, count: int, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    shape = (count, 2, n)
    steps = _steps(scenario, shape, rng)
    mean = steps.mean(axis=-1)
    logs = np.log(mean) + _processes(scenario, shape, rng) + _machine(scenario, shape, rng)
    return logs, steps.var(axis=-1, ddof=1) / mean**2


def _steps(scenario: Scenario, shape: tuple[int, ...], rng: np.random.Generator) -> Floats:
    """Relative seconds of each step: autocorrelated, log-normal, with long outliers."""
    white = rng.standard_normal((*shape, STEPS), dtype=np.float32)
    rho = scenario.correlation
    white[..., 1:] *= np.float32(np.sqrt(1 - rho**2))
    one = np.ones(1, dtype=np.float32)
    z = lfilter(one, np.array([1.0, -rho], dtype=np.float32), white, axis=-1)
    late = rng.random((*shape, STEPS), dtype=np.float32) < scenario.outliers
    steps = np.exp(scenario.step * z)
    extra = rng.exponential(scenario.outlier_factor - 1, int(late.sum()))
    steps[late] *= 1 + extra
    return np.asarray(steps, dtype=np.float64)


def _processes(scenario: Scenario, shape: tuple[int, ...], rng: np.random.Generator) -> Floats:
    """What each process has of its own: layout, thread placement, mode."""
    tails = scenario.tails
    drawn = rng.standard_t(tails, shape) if tails else rng.standard_normal(shape)
    effect = drawn * np.array(scenario.process)[:, None]
    slow = rng.random(shape) < np.array(scenario.slow_share)[:, None]
    return np.asarray(effect + slow * np.log(scenario.slow_factor))


def _machine(scenario: Scenario, shape: tuple[int, ...], rng: np.random.Generator) -> Floats:
    """What every process has of the moment it ran in."""
    count, devices, n = shape
    slots = n * devices * scenario.points
    orders = balanced(devices, scenario.points, n)
    moment = orders[rng.integers(0, len(orders), count)]
    path = np.log1p(scenario.drift * np.arange(slots) / (slots - 1))[None, :]
    path = path + np.cumsum(rng.normal(0, scenario.walk, (count, slots)), axis=1)
    start = rng.integers(0, slots, (count, 1))
    path = path + np.log1p(scenario.jump) * (np.arange(slots)[None, :] >= start)
    return np.take_along_axis(path[:, None, :], moment, axis=2)
