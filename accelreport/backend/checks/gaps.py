"""Time inside a window that belongs to no step: an evaluation, a sleep, whatever it is.

Where steps are stamped as they end, a window must be as long as its steps. What it is longer
by was spent at work when the processor was busy meanwhile, and idle when it was not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from accelreport.backend.checks.canary import Own
from accelreport.backend.checks.found import Found
from accelreport.results.record import Block

MOST_GAP = 0.10
"""Share of the steady windows that may belong to no step; usual is a hundredth."""

MOST_GAP_UNSTAMPED = 0.67
"""The same where steps are known from the canary alone, whose windows are short."""

LEAST_GAP_S = 0.03
"""Seconds of a window below which a gap is what starting it costs on a busy machine."""

BUSY = 0.5
"""Cores kept busy in the gaps from which on they are called work."""

FEWEST_STEPS = 3
"""A window of fewer steps has too few stamps."""


@dataclass(frozen=True)
class _Gaps:
    windows: int
    wall_s: float
    gap_s: float
    steps: int
    cpu_s: float

    @property
    def share(self) -> float:
        return self.gap_s / self.wall_s if self.wall_s > 0 else 0.0


def judge_gaps(found: Found, blocks: list[Block], own: Own | None) -> None:
    """Note whether the windows hold anything but their steps.

    Args:
        found: takes the checks.
        blocks: the timed windows.
        own: what a step takes by the canary; None without one.
    """
    steady = [block for block in blocks if not block.warmup]
    stamped = [block for block in steady if block.steps >= FEWEST_STEPS and block.step_s]
    if stamped:
        gaps, most = _gaps(stamped, [_stamped(block) for block in stamped]), MOST_GAP
    elif steady and own is not None and own.step_s > 0:
        gaps = _gaps(steady, [block.steps * own.step_s for block in steady])
        most = MOST_GAP_UNSTAMPED
    else:
        for name in ("work-inside", "idle-inside"):
            found.inapplicable(name, "steps are not stamped here, and no canary says their time")
        return
    wrong = gaps.share > most and gaps.gap_s > LEAST_GAP_S * gaps.windows
    busy = _busy(gaps, own) if wrong else 0.0
    seen = f"{gaps.share:.1%} of {gaps.wall_s:.3g} s belong to no step"
    if wrong:
        seen += f", with {busy:.2g} cores busy"
    expected = f"at most {most:.0%} of the windows belong to no step"
    for name, is_it in (("work-inside", busy >= BUSY), ("idle-inside", busy < BUSY)):
        found.judge(name, sound=not (wrong and is_it), expected=expected, seen=seen)


def _gaps(blocks: list[Block], in_steps: list[float]) -> _Gaps:
    wall = sum(block.wall_s for block in blocks)
    return _Gaps(
        windows=len(blocks),
        wall_s=wall,
        gap_s=max(0.0, wall - sum(in_steps)),
        steps=sum(block.steps for block in blocks),
        cpu_s=sum(block.cpu_s for block in blocks),
    )


def _stamped(block: Block) -> float:
    """Seconds of all steps; the first one has no stamp before it and counts as the median."""
    return sum(block.step_s) + float(np.median(block.step_s))


def _busy(gaps: _Gaps, own: Own | None) -> float:
    """Cores busy in the gaps: what is left of the CPU time once the steps had theirs."""
    if own is None:
        return gaps.cpu_s / gaps.wall_s
    return max(0.0, gaps.cpu_s - gaps.steps * own.cpu_s) / gaps.gap_s
