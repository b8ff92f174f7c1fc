"""Time inside a window that belongs to no step: an evaluation, a sleep, whatever it is.

Where steps are stamped as they end, a window must be as long as its steps. What it is longer
by was spent at work when the processor was busy meanwhile, and idle when it was not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from accelreport.backend.checks.canary import Own
from accelreport.backend.checks.found import Found
from accelreport.results.record import Block

MOST_GAP = 0.10
"""Share of the steady windows that may belong to no step; usual is a hundredth."""

MOST_GAP_UNSTAMPED = 0.67
"""The same where steps are known from the canary alone, whose windows are short."""

LEAST_GAP_S = 0.03
"""Seconds of a window below which a gap is what starting it costs on a busy machine."""

BUSY = 0.3
"""Cores busy in the gaps, over those busy in steps, from which on they are called work. Steps
are the measure because on a loaded machine they get a share of a core, too."""

FIRST_STEP = 2.0
"""Longest steps that the first one of a window may take. It has no stamp before it and begins with
cold caches and waiting threads: 1.5 was seen in a window of three steps that held nothing else."""

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


def judge_gaps(found: Found, blocks: list[Block], delays: Sequence[float], own: Own | None) -> None:
    """Note whether the windows hold anything but their steps.

    Args:
        found: takes the checks.
        blocks: the timed windows.
        delays: seconds in each of them in which other programs had the processor instead.
        own: what a step takes by the canary; None without one.
    """
    steady = [pair for pair in zip(blocks, delays, strict=True) if pair[0].steady]
    stamped = [pair for pair in steady if pair[0].steps >= FEWEST_STEPS and pair[0].step_s]
    if stamped:
        gaps, most = _gaps(stamped, _stamped), MOST_GAP
    elif steady and own is not None and own.step_s > 0 and not found.failed("loaded-machine"):
        step_s = own.step_s
        gaps, most = _gaps(steady, lambda block: block.steps * step_s), MOST_GAP_UNSTAMPED
    else:
        for name in ("work-inside", "idle-inside"):
            why = "steps are not stamped here, and no canary says how long they take"
            found.inapplicable(name, why)
        return
    wrong = gaps.share > most and gaps.gap_s > LEAST_GAP_S * gaps.windows
    busy = _busy(gaps, own) if wrong else 0.0
    seen = f"{gaps.share:.1%} of {gaps.wall_s:.3g} s belong to no step"
    if wrong:
        seen += f", and the processor was {busy:.2g} times as busy then as in steps"
    expected = f"at most {100 * most:.0f} % of the windows belong to no step"
    for name, is_it in (("work-inside", busy >= BUSY), ("idle-inside", busy < BUSY)):
        found.judge(name, sound=not (wrong and is_it), expected=expected, seen=seen)


def _gaps(pairs: list[tuple[Block, float]], in_steps: Callable[[Block], float]) -> _Gaps:
    blocks = [block for block, _ in pairs]
    left = (block.wall_s - in_steps(block) - delay for block, delay in pairs)
    return _Gaps(
        windows=len(blocks),
        wall_s=sum(block.wall_s for block in blocks),
        gap_s=sum(max(0.0, each) for each in left),
        steps=sum(block.steps for block in blocks),
        cpu_s=sum(block.cpu_s for block in blocks),
    )


def _stamped(block: Block) -> float:
    """Seconds of all steps, with the most that the first one may have taken."""
    return sum(block.step_s) + FIRST_STEP * max(block.step_s)


def _busy(gaps: _Gaps, own: Own | None) -> float:
    """Cores busy in the gaps, from what is left of the CPU time, over those busy in steps."""
    if own is None or own.cpu_s <= 0:
        return gaps.cpu_s / gaps.wall_s
    in_steps_s = gaps.steps * own.cpu_s
    cores = min(1.0, in_steps_s / max(gaps.wall_s - gaps.gap_s, 1e-9))
    return max(0.0, gaps.cpu_s - in_steps_s) / gaps.gap_s / cores
