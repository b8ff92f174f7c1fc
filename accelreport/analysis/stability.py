"""Tests of whether the steps of a process were steady.

What a test finds is a warning with a name, shown with the number.

Warm-up is a fixed number of steps (a number that depended on the data would make cells
incomparable), so what follows it is tested instead. A finding never removes a value: it
is a warning.

One process gives one number, however many steps it timed. Steps of one process share its
memory layout, its clock and its thread placement, so they are not independent; only whole
processes are (Kalibera & Jones 2013, "Rigorous benchmarking in reasonable time").
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from math import expm1, nan, sqrt
from typing import Any

import numpy as np
from scipy.special import stdtr, stdtrit

from accelreport.analysis.stats import Floats
from accelreport.analysis.warnings import BegunAlike, ResultWarning, TwoModes
from accelreport.results.record import OTHER_LOAD, SHORT_WINDOW_S, Block, Epoch, Record


def steps_of_epoch(record: Record) -> int:
    """Steps of a complete epoch: `planned_steps` over the workload's `epochs`.

    Where either is unknown, those of the longest epoch.
    """
    epochs = record.cell.value("epochs")
    # A family of another package may mean something else by the word.
    if isinstance(epochs, int) and epochs > 0 and record.planned_steps > 0:
        return record.planned_steps // epochs
    return max((epoch.steps for epoch in record.epochs), default=0)


def complete_epochs(record: Record) -> list[Epoch]:
    """The epochs that ran all their steps, up to the first that did not."""
    full = steps_of_epoch(record)
    return list(takewhile(lambda epoch: epoch.steps >= full, record.epochs))


def total_seconds(record: Record, steady_step_s: float) -> float:
    """Timed training seconds of a complete run.

    A `partial` run is extrapolated: what was measured, plus the missing steps at the pace
    of the steady ones. NaN when the run is neither complete nor has a steady step.
    """
    measured = record.times.train_s
    if measured is None:
        measured = sum(block.wall_s for block in record.blocks) if record.blocks else nan
    if record.status == "ok":
        return measured
    missing = record.planned_steps - sum(block.steps for block in record.blocks)
    return measured + max(missing, 0) * steady_step_s


MOST_BATCHES = 20
"""A longer series is cut into this many batches, whose medians are then looked at."""

FEWEST = 5
"""A shorter series is not tested."""

CERTAIN = 0.005
"""Each test errs this often, on either side, when nothing is wrong."""


def batches(values: Floats) -> Floats:
    """Medians of up to `MOST_BATCHES` runs of neighbouring values, equally long.

    Neighbouring steps resemble one another; medians of batches do so much less, and single
    outliers leave them where they are.
    """
    if len(values) <= 2 * MOST_BATCHES:
        return values
    length = len(values) // MOST_BATCHES
    cut = values[: length * MOST_BATCHES].reshape(MOST_BATCHES, length)
    return np.asarray(np.median(cut, axis=1))


@dataclass(frozen=True)
class Trend:
    """A straight line through a series.

    Attributes:
        change: what the line gains from the first value to the last, as a share of the mean.
        certain: whether its slope differs from zero beyond `CERTAIN`.
    """

    change: float
    certain: bool


def trend(values: Floats) -> Trend:
    """Least-squares line with a t test of its slope; never certain below `FEWEST` values."""
    n = len(values)
    if n < FEWEST:
        return Trend(nan, certain=False)
    x = np.arange(n) - (n - 1) / 2
    slope = float(x @ values) / float(x @ x)
    residuals = values - values.mean() - slope * x
    error = sqrt(float(residuals @ residuals) / (n - 2) / float(x @ x))
    mean = float(values.mean())
    change = slope * (n - 1) / mean if mean else nan
    return Trend(change, certain=abs(slope) > error * float(stdtrit(n - 2, 1 - CERTAIN)))


def shared_trend(cells: Sequence[Sequence[tuple[float, float]]]) -> Trend:
    """The straight line that several cells share, each with a level of its own.

    Least squares of logarithms with a t test of the slope. Nothing is certain where fewer than
    `FEWEST` values are left for the line besides the levels.

    Args:
        cells: for each cell, the places of its processes in the run (numbers from 0) and their
            seconds, positive.

    Returns:
        What the line gains from the first place to the last, as a share.
    """
    repeated = [np.array(cell) for cell in cells if len(cell) > 1]
    df = sum(map(len, repeated)) - len(repeated) - 1
    if df < FEWEST:
        return Trend(nan, certain=False)
    place = np.concatenate([cell[:, 0] - cell[:, 0].mean() for cell in repeated])
    logs = [np.log(cell[:, 1]) for cell in repeated]
    seconds = np.concatenate([values - values.mean() for values in logs])
    squares = float(place @ place)
    slope = float(place @ seconds) / squares
    residuals = seconds - slope * place
    error = sqrt(float(residuals @ residuals) / df / squares)
    span = max(cell[:, 0].max() for cell in repeated) - min(cell[:, 0].min() for cell in repeated)
    certain = abs(slope) > error * float(stdtrit(df, 1 - CERTAIN))
    # Absurd timings (10³⁰⁰ s) may change by more than a float can hold.
    return Trend(expm1(min(slope * span, 700.0)), certain=certain)


def slower_start(values: Floats) -> float:
    """By which share the first fifth is slower than the second half; 0 when not certain.

    Welch's t on the two parts; a series below `FEWEST` values is never certain.
    """
    n = len(values)
    head, tail = values[: max(n // 5, 2)], values[n // 2 :]
    if n < FEWEST:
        return 0.0
    parts = [float(part.var(ddof=1)) / len(part) for part in (head, tail)]
    share = float(head.mean() / tail.mean()) - 1
    error = sqrt(sum(parts))
    if error == 0:
        return max(share, 0.0)
    df = sum(parts) ** 2 / (parts[0] ** 2 / (len(head) - 1) + parts[1] ** 2 / (len(tail) - 1))
    p = float(stdtr(df, -float(head.mean() - tail.mean()) / error))
    return share if p < CERTAIN else 0.0


@dataclass(frozen=True)
class Modes:
    """A series split in two where the split explains most.

    Attributes:
        edge: values above it belong to the slow mode.
        factor: median of the slow mode over that of the fast one.
        slow_share: share of values in the slow mode.
        explained: share of the variance of logarithms that the split explains. Splitting a
            normal distribution in its middle explains 0.64, a uniform one 0.75.
    """

    edge: float
    factor: float
    slow_share: float
    explained: float


def modes(values: Floats) -> Modes | None:
    """The best split of a series into a fast and a slow mode (Otsu 1979, on logarithms).

    None when it has fewer than `FEWEST` values, or no variation.
    """
    if len(values) < FEWEST or values.min() <= 0:
        return None
    ordered = np.sort(values)
    logs = np.log(ordered)
    n = len(logs)
    below = np.arange(1, n)
    sums = np.cumsum(logs)[:-1]
    whole = float(logs.sum())
    between = (sums - below * whole / n) ** 2 * n / (below * (n - below))
    total = float(((logs - whole / n) ** 2).sum())
    if total <= 1e-18 * n:
        return None
    cut = int(np.argmax(between)) + 1
    return Modes(
        edge=float(ordered[cut - 1]),
        factor=float(np.median(ordered[cut:]) / np.median(ordered[:cut])),
        slow_share=(n - cut) / n,
        explained=float(between[cut - 1]) / total,
    )


NOTABLE = 0.05
"""A change of step time by this share is worth a warning, when it is certain."""

TWO_MODES = 1.25
"""The slow mode takes at least this many times as long as the fast one."""

MODE_SHARE = 0.10
"""Each mode holds at least this share of the steps."""

FEWEST_IN_MODE = 3
"""Fewer slow timings than this are outliers."""

SWITCHES = 3
"""Changing from one mode to the other less often than this is a slow start, or a drift."""

MODE_EXPLAINS = 0.85
"""The two modes explain at least this share of the variance."""

FEWER_CORES = 0.75
"""Cores busy below this share of the usual: threads waited, or shared a core."""

LOST = 0.05
"""Stalls that take this share of the window are worth a warning."""


def findings(record: Record) -> tuple[ResultWarning, ...]:
    """Every warning that the timed blocks of a record give reason for.

    Kinds: `bad-timing` (then nothing else is tested), `short-window`, `untested` (too few
    blocks to test), `not-steady` (the warm-up was too short), `drifting`, `bimodal` (it has
    neither of these two then), `stalled`, `loaded-machine`.
    """
    blocks = [block for block in record.steady.blocks if block.steps]
    if not blocks:
        return ()
    values = seconds_of_steps(blocks)
    walls = np.array([block.wall_s for block in blocks])
    if not all(np.isfinite(series).all() and (series > 0).all() for series in (values, walls)):
        return (ResultWarning("bad-timing", nan),)
    window = sum(block.wall_s for block in blocks)
    warnings = [ResultWarning("short-window", window)] if window < SHORT_WINDOW_S else []
    warnings += _load(blocks)
    if len(values) < FEWEST:
        return (*warnings, ResultWarning("untested", len(values)))
    # Absurd timings (10³⁰⁰ s) may overflow a variance; infinity is then certain of nothing.
    with np.errstate(over="ignore", invalid="ignore"):
        warnings += [*_bimodal(blocks, values)] or _trend_warnings(values)
        warnings += _stalled(blocks)
    return tuple(warnings)


def seconds_of_steps(blocks: list[Block]) -> Floats:
    """Seconds of each step, where they were stamped; else each block's mean."""
    parts: list[float] = []
    for block in blocks:
        parts.extend(block.stamped_s or [block.wall_s / block.steps])
    return np.array(parts)


def _load(blocks: list[Block]) -> Iterable[ResultWarning]:
    known = [block for block in blocks if block.other_cpu_s is not None]
    wall = sum(block.wall_s for block in known)
    other = sum(block.other_cpu_s or 0.0 for block in known) / wall if wall else 0.0
    if other > OTHER_LOAD:
        yield ResultWarning("loaded-machine", other)


def _cores(blocks: list[Block]) -> Floats:
    return np.array([block.cpu_s / block.wall_s if block.wall_s else 0.0 for block in blocks])


def _trend_warnings(values: Floats) -> Iterable[ResultWarning]:
    """At most one of `not-steady` and `drifting`.

    A dip in the middle may bend the line through a series whose ends are alike: it is no drift.
    """
    series = batches(values)
    fifth = len(series) // 5
    ends = float(np.median(series[-max(fifth, 1) :]) / np.median(series[: max(fifth, 1)])) - 1
    line = trend(series[fifth:])
    change = min(line.change, ends, key=abs)
    if line.certain and line.change * ends > 0 and abs(change) > NOTABLE:
        yield ResultWarning("drifting", change)
        return
    start = slower_start(series)
    if start > NOTABLE:
        yield ResultWarning("not-steady", start)


def _bimodal(blocks: list[Block], values: Floats) -> Iterable[ResultWarning]:
    two_modes = modes(values)
    if (
        two_modes is None
        or two_modes.factor < TWO_MODES
        or two_modes.explained < MODE_EXPLAINS
        or not MODE_SHARE <= two_modes.slow_share <= 1 - MODE_SHARE
        or min(two_modes.slow_share, 1 - two_modes.slow_share) * len(values) < FEWEST_IN_MODE
    ):
        return
    slow = values > two_modes.edge
    if int((slow[1:] != slow[:-1]).sum()) < SWITCHES:
        return
    busy, usual = _fewer_cores(blocks, two_modes.edge)
    yield TwoModes("bimodal", two_modes.factor, two_modes.slow_share, busy, usual)


def _fewer_cores(blocks: list[Block], edge: float) -> tuple[float, float]:
    """Cores busy in slow blocks and in the others; NaN where they are not clearly fewer.

    Threads that share a core keep fewer cores busy.
    """
    cores = _cores(blocks)
    slow = np.array([block.wall_s / block.steps for block in blocks]) > edge
    if not slow.any() or slow.all():
        return nan, nan
    busy, usual = float(cores[slow].mean()), float(cores[~slow].mean())
    return (nan, nan) if busy >= FEWER_CORES * usual else (busy, usual)


def _stalled(blocks: list[Block]) -> Iterable[ResultWarning]:
    pace = np.array([block.wall_s / block.steps for block in blocks])
    steps = np.array([block.steps for block in blocks])
    cores = _cores(blocks)
    usual = float(np.median(pace))
    idle = (pace > 1.5 * usual) & (cores < FEWER_CORES * float(np.median(cores)))
    # Many slow blocks are a mode of their own, not stalls.
    if idle.mean() > MODE_SHARE or len(blocks) < FEWEST:
        return
    lost = float(((pace - usual) * steps)[idle].sum() / (pace * steps).sum())
    if lost > LOST:
        yield ResultWarning("stalled", lost)


@dataclass(frozen=True)
class Began:
    """What a process began with.

    Attributes:
        key: the cell's content hash.
        machine: fingerprint of the machine.
        seed: the seed that it claims.
        where: device and sweep point, among whose repeats no other may begin alike.
        parts: what it began with → its checksum.
    """

    key: str
    machine: str
    seed: int
    where: tuple[str, ...]
    parts: Mapping[str, str]


def began(record: Record) -> Began:
    """What the process of a record began with."""
    cell = record.cell
    where = (cell.device, *map(repr, sorted(cell.point.items())), cell.spec)
    parts, data = {}, record.data
    if record.began_with is not None:
        parts = {
            "initial weights": record.began_with.weights,
            "order of the examples": record.began_with.order,
        }
        if cell.workload.get("weights"):
            del parts["initial weights"]  # they are kept
    elif data is not None and data.origin == "generated" and data.seed is not None:
        parts = {"input": data.fingerprint}
    return Began(record.key, record.machine, cell.seed, where, parts)


def reused(processes: Iterable[Began]) -> dict[tuple[str, str], tuple[ResultWarning, ...]]:
    """Repeats of different seeds that began alike, by key and machine.

    `same-run` when a training had both the initial weights and the order of the examples of an
    earlier repeat, or a kernel its input: it is that run again, and no independent one.
    `reused-seed` when only one of the two was the same. The first repeat stays as it is.
    """
    warnings: dict[tuple[str, str], tuple[ResultWarning, ...]] = {}
    first_seeds: dict[tuple[Any, ...], int] = {}
    for process in sorted(processes, key=lambda one: (one.seed, one.key)):
        same = {}
        for part, text in process.parts.items():
            place = (process.machine, *process.where, part, text)
            first = first_seeds.setdefault(place, process.seed)
            if text and first != process.seed:
                same[part] = first
        if same:
            kind = "same-run" if len(same) == len(process.parts) else "reused-seed"
            warnings[process.key, process.machine] = (BegunAlike(kind, len(same), same),)
    return warnings
