"""What is wrong with a number, said beside it: every test of a timed series has a name.

Warm-up is a fixed number of steps (a number that depended on the data would make cells
incomparable), so what follows it is tested instead. A finding never removes a value: it
stands beside it as a warning.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import nan

import numpy as np
import pandas as pd

from accelreport.analysis.series import FEWEST, Floats, Trend, batches, modes, slower_start, trend
from accelreport.analysis.words import share
from accelreport.results.record import OTHER_LOAD, Block, Record

SHORT_WINDOW_S = 0.25
"""Timer, synchronisation and scheduler show in a shorter window of steady steps."""

NOTABLE = 0.05
"""A change of step time by this share is worth a warning, when it is certain."""

THROTTLED = 0.10
"""A slow-down by this share, with the same cores busy, is the processor's own."""

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


@dataclass(frozen=True)
class Finding:
    """A named warning on one process.

    Attributes:
        kind: its name.
        message: the sentence beside the number.
        value: the number it rests on.
    """

    kind: str
    message: str
    value: float


def findings(record: Record) -> tuple[Finding, ...]:
    """Every warning that the timed blocks of a record give reason for.

    Kinds: `bad-timing` (then nothing else is tested), `short-window`, `untested` (too few
    blocks to test), `not-steady` (the warm-up was too short), `drifting`, `throttled`,
    `bimodal`, `stalled`, `loaded-machine`.
    """
    blocks = [block for block in record.blocks if block.steady and block.steps]
    if not blocks:
        return ()
    values = step_seconds(blocks)
    walls = np.array([block.wall_s for block in blocks])
    if not all(np.isfinite(each).all() and (each > 0).all() for each in (values, walls)):
        return (Finding("bad-timing", "some of its timings are no positive numbers", nan),)
    found = [*_window(blocks), *_load(blocks)]
    if len(values) < FEWEST:
        message = f"{len(values)} steady timings are too few to test whether they are steady"
        found.append(Finding("untested", message, float(len(values))))
        return tuple(found)
    # Absurd timings (10³⁰⁰ s) may overflow a variance; infinity is then certain of nothing.
    with np.errstate(over="ignore", invalid="ignore"):
        found += _settled(blocks, values)
        found += _bimodal(blocks, values)
        found += _stalled(blocks)
    return tuple(found)


def step_seconds(blocks: list[Block]) -> Floats:
    """Seconds of each step, where they were stamped; else each block's mean."""
    parts: list[float] = []
    for block in blocks:
        parts.extend(block.stamped_s or [block.wall_s / block.steps])
    return np.array(parts)


def _window(blocks: list[Block]) -> Iterable[Finding]:
    window = sum(block.wall_s for block in blocks)
    if window < SHORT_WINDOW_S:
        message = f"the steady steps took {window:.3g} s in all, less than {SHORT_WINDOW_S} s"
        yield Finding("short-window", message, window)


def _load(blocks: list[Block]) -> Iterable[Finding]:
    known = [block for block in blocks if block.other_cpu_s is not None]
    wall = sum(block.wall_s for block in known)
    other = sum(block.other_cpu_s or 0.0 for block in known) / wall if wall else 0.0
    if other > OTHER_LOAD:
        yield Finding("loaded-machine", f"other processes kept {other:.2g} cores busy", other)


def _cores(blocks: list[Block]) -> Floats:
    return np.array([block.cpu_s / block.wall_s if block.wall_s else 0.0 for block in blocks])


def _settled(blocks: list[Block], values: Floats) -> Iterable[Finding]:
    """At most one of `not-steady`, `throttled` and `drifting`."""
    series = batches(values)
    later = trend(series[len(series) // 5 :])
    if later.certain and abs(later.change) > NOTABLE:
        yield _drift(blocks, later)
        return
    start = slower_start(series)
    if start > NOTABLE:
        message = f"the first steps after the warm-up are {share(start)} slower than the later ones"
        yield Finding("not-steady", message, start)


def _drift(blocks: list[Block], later: Trend) -> Finding:
    cores = trend(_cores(blocks))
    same_cores = not (cores.certain and abs(cores.change) > NOTABLE)
    if later.change > THROTTLED and same_cores and not list(_load(blocks)):
        message = (
            f"steps became {share(later.change)} slower with as many cores busy and no other "
            "load: the processor slowed down"
        )
        return Finding("throttled", message, later.change)
    direction = "slower" if later.change > 0 else "faster"
    message = f"steps became {share(abs(later.change))} {direction} while they were timed"
    return Finding("drifting", message, later.change)


def _bimodal(blocks: list[Block], values: Floats) -> Iterable[Finding]:
    found = modes(values)
    if (
        found is None
        or found.factor < TWO_MODES
        or found.explained < MODE_EXPLAINS
        or not MODE_SHARE <= found.slow_share <= 1 - MODE_SHARE
        or min(found.slow_share, 1 - found.slow_share) * len(values) < FEWEST_IN_MODE
    ):
        return
    slow = values > found.edge
    if int((slow[1:] != slow[:-1]).sum()) < SWITCHES:
        return
    message = (
        f"steps have two modes: {share(found.slow_share)} of them take {found.factor:.2g} times "
        f"as long as the others{_why_slow(blocks, found.edge)}"
    )
    yield Finding("bimodal", message, found.factor)


def _why_slow(blocks: list[Block], edge: float) -> str:
    """What CPU time says of slow blocks: threads that share a core keep fewer cores busy."""
    cores = _cores(blocks)
    slow = np.array([block.wall_s / block.steps for block in blocks]) > edge
    if not slow.any() or slow.all():
        return ""
    busy, usual = float(cores[slow].mean()), float(cores[~slow].mean())
    if busy >= FEWER_CORES * usual:
        return ""
    return f", with {busy:.2g} cores busy instead of {usual:.2g}"


def _stalled(blocks: list[Block]) -> Iterable[Finding]:
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
        message = f"{share(lost)} of the time went into stalls in which the process computed little"
        yield Finding("stalled", message, lost)


COLUMNS = ("key", "machine", "device", "repeat", "kind", "message", "value")
"""Columns of `steadiness_frame`."""


def steadiness_frame(records: Iterable[Record]) -> pd.DataFrame:
    """One row for each finding of each record: `COLUMNS`, `value` in the finding's unit."""
    rows = [
        (
            record.key,
            record.environment.machine if record.environment else "",
            record.cell.device,
            record.cell.repeat,
            found.kind,
            found.message,
            found.value,
        )
        for record in records
        for found in findings(record)
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))
