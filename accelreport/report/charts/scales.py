"""Domains, ticks and tick labels, decided in Python so that nothing prints "500m×"."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any, TypeAlias

from accelreport.report import quantity
from accelreport.report.text import text_width

NOT_FROM_ZERO = "The axis does not start at 0."
"""Below a chart with such an axis."""


def wrapped(title: str, width: int) -> str | list[str]:
    """An axis title, on two lines where one would be wider than the chart."""
    if text_width(title, 12.5) < width:
        return title
    words = title.split(" ")
    cut = min(
        range(1, len(words)),
        key=lambda i: abs(len(" ".join(words[:i])) - len(" ".join(words[i:]))),
        default=1,
    )
    return [" ".join(words[:cut]), " ".join(words[cut:])]


def label_expression(values: Sequence[float], text: Callable[[float], str]) -> str:
    """A Vega expression that labels ticks with texts made in Python.

    Ticks are found by their number in the list of values, because a value may not survive
    a floating-point round trip through the axis.
    """
    pairs = [f"abs(datum.value - {v!r}) <= {abs(v) * 1e-6!r} ? {quoted(text(v))}" for v in values]
    return " : ".join([*pairs, "''"])


Scale: TypeAlias = dict[str, Any]
"""A scale in Vega-Lite's form."""
Axis: TypeAlias = dict[str, Any]
"""An axis in Vega-Lite's form."""


def ticked(values: Sequence[float], text: Callable[[float], str], **rest: Any) -> Axis:
    """An axis with ticks at given values, and texts made in Python."""
    # Vega measures each label once more to hold it to a limit, and a number is short.
    options = {"values": list(values), "labelExpr": label_expression(values, text), "labelLimit": 0}
    return Axis(**options | rest)


def quoted(text: str) -> str:
    """A text as a string of Vega's expression language."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


LEAST_TICKS = 3
"""With fewer labels on a log axis a reader cannot see how far apart two values are."""


def decades(low: float, high: float, most: int = 8) -> list[float]:
    """1, 2, 5 times powers of ten within a domain; 1 and 3, or the powers, where it is wide.

    A domain so narrow that it holds fewer than three of these gets round values instead.
    """
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    inside: list[float] = []
    for steps in ((1, 2, 5), (1, 3), (1,)):
        inside = _within(low, high, [m * 10.0**k for k in range(first, last + 1) for m in steps])
        if steps == (1, 2, 5) and len(inside) < LEAST_TICKS:
            return max(_between(low, high, most), inside, key=len)
        if len(inside) <= most:
            return inside
    return inside[:: math.ceil(len(inside) / most)]


def round_times(low: float, high: float, most: int = 8) -> list[float]:
    """Ticks of seconds: 2, 5, 10, 30 min, 1, 3, 10 h …; powers alone where too many of them fit."""
    if high < 60:
        return decades(low, high, most)
    powers = [10.0**k for k in range(-9, 2)] + [60.0, 600.0] + [3600 * 10.0**k for k in range(9)]
    finer = [60.0 * m for m in (2, 5, 30)] + [3600.0 * h for h in (3, 30)]
    for ticks in (sorted([*powers, *finer]), powers):
        inside = _within(low, high, ticks)
        if 1 < len(inside) <= most:
            return inside
    return [60 * minute for minute in _between(low / 60, high / 60, most)]


def _between(low: float, high: float, most: int) -> list[float]:
    """Round values of a domain that holds few powers of ten: at least two."""
    ticks: list[float] = []
    for about in range(min(most, 5), 3 * most):
        ticks = _within(low, high, nice_ticks(low, high, about))
        if len(ticks) > 1:
            break
    return ticks[:: -(-len(ticks) // most) or 1]


def _within(low: float, high: float, values: Iterable[float]) -> list[float]:
    return [v for v in values if low * (1 - 1e-9) <= v <= high * (1 + 1e-9)]


def nice_ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Round values covering a linear domain, about so many; around a single value, a few."""
    if high <= low:
        return nice_ticks(low - abs(low) / 20, low + abs(low) / 20, 2) if low else [0.0, 1.0]
    raw = (high - low) / about
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(m * power for m in (1, 2, 2.5, 5, 10) if m * power >= raw * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(k * step, 12) for k in range(first, last + 1)]


def bar_ticks(most: float) -> list[float]:
    """Few round values from 0 that end little before the longest bar, or a little behind it."""
    for about in (5, 6, 7, 4):
        ticks = nice_ticks(0, most, about)
        if ticks[-1] <= 1.1 * most:
            return ticks
        if ticks[-2] >= 0.9 * most:
            return ticks[:-1]
    return [value for value in nice_ticks(0, most, 5) if value <= most]


def fitting(
    ticks: Sequence[float],
    text: Callable[[float], str],
    ends: tuple[float, float],
    width: float,
    *,
    log: bool,
    inside: bool = True,
    held: float = 0.0,
) -> list[float]:
    """The ticks, or every second, third … of them, whose labels have room side by side.

    Args:
        ticks: values in ascending order.
        text: their labels.
        ends: the axis' domain.
        width: its length in pixels.
        log: whether it is logarithmic.
        inside: whether Vega keeps labels inside the axis.
        held: one that is always among them, if it is a tick.
    """
    place = ticks.index(held) if held in ticks else 0
    low, high = map(math.log, ends) if log else ends
    for step in range(1, len(ticks)):
        some = list(ticks[place % step :: step])
        # Steps of a logarithmic axis are uneven: its last tick is among them where it has room.
        for own in ([*some, ticks[-1]], some)[not log :]:
            spans = []
            for tick in own:
                half = text_width(text(tick), TICKS) / 2
                at = width * ((math.log(tick) if log else tick) - low) / (high - low)
                at = min(max(at, half), max(width - half, half)) if inside else at
                spans.append((at - half, at + half))
            if all(left[1] + LABEL_GAP <= right[0] for left, right in pairwise(spans)):
                return own
    return list(ticks[place : place + 1])


TICKS = 12.5
"""Pixels of the letters of ticks."""
LABEL_GAP = 8
"""Pixels between two labels of an axis."""


def log_domain(values: Iterable[float], pad: float) -> tuple[float, float]:
    """The smallest and the largest positive value, with a margin by a factor."""
    known = [value for value in values if value > 0 and math.isfinite(value)]
    return (min(known) / pad, max(known) * pad) if known else (0.5, 2.0)


def time_axis(low: float, high: float, *, log: bool, title: str, most: int) -> tuple[Scale, Axis]:
    """Scale and axis for times in seconds, one unit for the whole axis.

    On a log scale the unit is that of the middle, so that its small ticks are no fractions.
    """
    middle = math.sqrt(low * high) if log else high / 1.5
    scale_s, sign = quantity.time_unit(max(middle, 1e-9))
    choose = decades if log else _covering
    ticks = [scale_s * tick for tick in choose(low / scale_s, high / scale_s, most)]

    def text(seconds: float) -> str:
        return plain(round(seconds / scale_s, 9))

    # A last tick far behind the end would leave the chart empty there.
    last = ticks[-1] if ticks[-1] - high <= 0.18 * (high - ticks[0]) else high
    unit = f" ({sign}{', log scale' if log else ''})"
    scale = (
        Scale(type="log", domain=[low, high], nice=False)
        if log
        else Scale(domain=[ticks[0], max(high, last)], nice=False, zero=False)
    )
    ticks = [tick for tick in ticks if tick <= max(high, last) * (1 + 1e-9)]
    return scale, ticked(ticks, text, title=title + unit, grid=False)


def starts_at_zero(low: float, high: float, most: int = 6) -> bool:
    """Whether a linear `time_axis` of these ends begins at 0, which its round ticks decide."""
    scale_s, _ = quantity.time_unit(max(high / 1.5, 1e-9))
    return _covering(low / scale_s, high / scale_s, most)[0] <= 0


def _covering(low: float, high: float, most: int) -> list[float]:
    """Round values that cover a linear domain and end little behind it."""
    ticks = nice_ticks(low, high, most - 1)
    finer = (nice_ticks(low, high, about) for about in range(most - 1, most + 1))
    return next((own for own in finer if own[-1] - high <= 0.18 * (high - own[0])), ticks)


def quality_ticks(low: float, high: float, *, share: bool) -> list[float]:
    """Ticks of a quality, the first and last of which are the ends of its axis.

    The axis is never so short that differences nobody would care for fill it: two hundredths
    for a share, else a twentieth of the largest value. A share's axis ends at 0 and at 1.
    """
    least = LEAST_SPAN_OF_SHARE if share else LEAST_SPAN * max(abs(low), abs(high))
    within = share and 0 <= low <= high <= 1
    missing = max(0.0, least - (high - low)) / 2
    low, high = low - missing, high + missing
    if within:
        low, high = max(0.0, low - max(0.0, high - 1)), min(1.0, high + max(0.0, -low))
    ticks = nice_ticks(low, high, 4)
    return [tick for tick in ticks if not within or 0 <= tick <= 1]


LEAST_SPAN_OF_SHARE = 0.02
LEAST_SPAN = 0.05


def swept_on_log(values: Sequence[float]) -> bool:
    """Whether swept numbers, in ascending order, are on a log axis: those that are not even.

    Counts of a few things, such as layers, are shown on a linear axis, one step for each.
    """
    first, last = values[0], values[-1]
    if first <= 0 or last < 2 * first or (first < FEW and last < FEW):
        return False
    steps = [later - earlier for earlier, later in pairwise(values)]
    return len(steps) == 1 or max(steps) > 1.5 * min(steps)


FEW = 16
"""Up to here things are counted one by one."""


def plain(value: float) -> str:
    """A tick's number: never with an exponent, thousands set apart as in the tables."""
    if value < 0:
        return f"−{plain(-value)}"
    if value >= 1e6:
        return quantity.short(value)
    return f"{value:,.12f}".rstrip("0").rstrip(".")


def percent_text(value: float) -> str:
    """A tick of a share: "7 %", never ".07"."""
    return f"{plain(round(100 * value, 6))}{quantity.SPACE}%"


def plain_duration(seconds: float) -> str:
    """A tick's time with its unit: "200 ms"; one that is round in seconds stays in seconds."""
    if seconds == 0:
        return "0"
    scale, sign = quantity.time_unit(seconds)
    if seconds % 60 == 0:
        scale, sign = (60.0, "min") if seconds % 3600 else (3600.0, "h")
    elif scale > 1 and not _short(seconds / scale) and _short(seconds):
        scale, sign = 1.0, "s"
    return f"{plain(round(seconds / scale, 6))}{quantity.SPACE}{sign}"


def _short(value: float) -> bool:
    """Whether a number has at most three digits that say something."""
    return math.isclose(value, float(f"{value:.3g}"), rel_tol=1e-6)


def factor_text(value: float) -> str:
    """A tick of a speedup: "0.25×", "8×"."""
    return f"{plain(value)}×"
