"""A small drawing of every steady step of one cell, made by hand because it is cheap."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from accelreport.report import formatting
from accelreport.report.model import Sparkline
from accelreport.results.record import Record

Times = NDArray[np.float64]
WIDTH, HEIGHT = 860.0, 90.0
MOST = 430
"""Columns of the drawing;
with more steps, each column reaches from the least to the most of several."""


def sparkline(record: Record, step: str) -> Sparkline | None:
    """Step times in order, from 0 to the longest; None with fewer than ten."""
    seconds = _steady_steps(record)
    if len(seconds) < 10:
        return None
    top = float(seconds.max())
    path, stroke = _steps(seconds, top) if len(seconds) <= MOST else _ranges(seconds, top)
    middle = formatting.duration(float(np.median(seconds)))
    longest = formatting.duration(top)
    text = f"{formatting.count(len(seconds))} steady {step}s: median {middle}, longest {longest}"
    drawn = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:.0f} {HEIGHT:.0f}" '
        f'width="{WIDTH:.0f}" height="{HEIGHT:.0f}" preserveAspectRatio="none" role="img" '
        'aria-labelledby="spark-t">'
        f'<title id="spark-t">{text}</title>'
        f'<path d="{path}" fill="none" stroke="var(--link)" stroke-width="{stroke}" '
        'vector-effect="non-scaling-stroke"/></svg>'
    )
    caption = f"{text}. Left to right in order of time, height from 0 to the longest."
    return Sparkline(Markup(drawn), caption)  # noqa: S704 -- numbers and our own words only


def _steps(seconds: Times, top: float) -> tuple[str, str]:
    """A line with a tread for each step."""
    heights = (HEIGHT * (1 - seconds / top) + 1).tolist()
    treads = zip(heights, _ends(len(heights)), strict=True)
    return f"M0 {HEIGHT:.0f}" + "".join([f"V{y:.1f}H{end}" for y, end in treads]), "1.2"


@lru_cache  # cells of one benchmark have as many steps as each other
def _ends(count: int) -> tuple[str, ...]:
    """Where each of so many treads ends."""
    width = WIDTH / count
    return tuple(f"{(number + 1) * width:.1f}" for number in range(count))


def _ranges(seconds: Times, top: float) -> tuple[str, str]:
    """A stroke for each group of steps, from its shortest to its longest."""
    pieces = []
    for number, part in enumerate(np.array_split(seconds, MOST)):
        low, high = (HEIGHT * (1 - float(v) / top) for v in (part.min(), part.max()))
        pieces.append(f"M{(number + 0.5) * WIDTH / MOST:.1f} {low + 1.6:.1f}V{high:.1f}")
    return "".join(pieces), "1.6"


def _steady_steps(record: Record) -> Times:
    """Single steady steps in seconds; means of blocks where steps were not stamped."""
    blocks = [block for block in record.blocks if block.steady and block.steps]
    stamped = [value for block in blocks for value in block.stamped_s]
    means = [block.wall_s / block.steps for block in blocks]
    return np.array(stamped or means, dtype=np.float64)
