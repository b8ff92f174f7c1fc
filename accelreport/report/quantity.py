"""The only writer of numbers: a unit that fits, and no digit the interval denies.

`write` and `span` write the values of findings; the functions below them write one unit each.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable
from datetime import UTC, datetime
from functools import wraps
from typing import ParamSpec, TypeGuard

from accelreport.analysis.findings import Unit
from accelreport.analysis.stats import Interval
from accelreport.spec.problems import listed as listed

SPACE = "\N{NO-BREAK SPACE}"
EN_DASH = "–"
MISSING = "—"
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

_TIME_UNITS = ((3600.0, "h", 7200.0), (60.0, "min", 120.0), (1.0, "s", 1.0), (1e-3, "ms", 1e-3))
"""Seconds in the unit, its sign, and the smallest time it is used for."""


MOST_PLACES, UNDECIDED_PLACES = 4, 2
"""An end of an interval of factors that is nearer to 1 than these tell is 1; the second where the
interval holds 1."""


ROUNDING = 1e-9
"""An interval that is narrower than this share of its value is due to floating point."""
DIGITS = 3
"""Significant digits of a number without an interval; files have all of them."""
NEAR_ONE = 0.1
"""A ratio that is nearer to 1 from below has its hundredths: 0.96× is beside 1.04×."""
PERCENT = 0.01


_P = ParamSpec("_P")


class Number(str):
    """A number as it is written, which keeps its value, by which tables sort it.

    Attributes:
        value: in the base of its unit: seconds, bytes, a share of 1.
    """

    __slots__ = ("value",)
    value: float

    @classmethod
    def of(cls, text: str, value: float) -> Number:
        """The text of a value."""
        number = cls(text)
        number.value = value
        return number

    def __add__(self, more: str) -> Number:
        """The text with more text after it."""
        return Number.of(f"{self}{more}", self.value)


def _valued(written: Callable[_P, str]) -> Callable[_P, str]:
    """Let what a function writes keep its first argument, where that is a number."""

    @wraps(written)
    def valued(*args: _P.args, **kwargs: _P.kwargs) -> str:
        text, value = written(*args, **kwargs), args[0]
        return Number.of(text, value) if present(value) else text

    return valued


@_valued
def write(value: float, unit: Unit, interval: Interval | None = None, noun: str = "",
          toward: Callable[[float], float] = round, digits: int = 0) -> str:  # fmt: skip
    """A number with its unit, alike in titles, tables and figures.

    Args:
        value: the number, in the base of its unit: seconds, bytes, a share of 1.
        unit: what it counts.
        interval: its interval, whose last place is its own.
        noun: what a rate, a count or a number is of: "images", "steps", "°C"; TFLOPS is a rate
            by itself.
        toward: how its last digit is rounded: a lower bound down, an upper one up.
        digits: how many it has at most, where a source rounded what it follows from; no zero is
            added then.
    """
    if not present(value):
        return MISSING
    value = significant(value, digits)
    ends = (interval.low, interval.high) if interval and interval.known else (None, None)

    def places(scaled: float, scale: float) -> int:
        own = _places(scaled, scale, ends)
        if not (digits and scaled):
            return own
        most = min(own, max(0, digits - 1 - math.floor(math.log10(abs(scaled)))))
        return next(kept for kept in range(most + 1) if round(scaled, kept) == round(scaled, most))

    return _with_unit(unit, noun, value, places, toward)


def significant(value: float, digits: int) -> float:
    """A number with so many significant digits; as it is without a limit."""
    if not (digits and value and present(value)):
        return value
    return round(value, digits - 1 - math.floor(math.log10(abs(value))))


def span(interval: Interval, unit: Unit, noun: str = "") -> str:
    """Both ends of an interval with the digits of its value, or the values of two processes.

    Empty where there is neither.
    """
    if not interval.known:
        both = (write(value, unit, noun=noun) for value in interval.two)
        return f"{' and '.join(both)}, two processes" if interval.two else ""
    match unit:
        case Unit.RATIO:
            return ratio_interval(interval.low, interval.high, interval.value)
        case Unit.SECONDS:
            return duration_interval(interval.low, interval.high, interval.value)
        case _:
            low, high = (
                _with_unit(unit, noun, end, lambda _, scale: _places(
                    interval.value / scale, scale, (interval.low, interval.high)))
                for end in (interval.low, interval.high)
            )  # fmt: skip
            return f"{low.split(SPACE)[0]}{EN_DASH}{high}"


def long_span(interval: Interval, unit: Unit, noun: str = "") -> str:
    """The same; one of hours as `hours_and_minutes` writes its value."""
    if unit is not Unit.SECONDS or interval.value < 3600 or not interval.known:
        return span(interval, unit, noun)
    return f" {EN_DASH} ".join(map(hours_and_minutes, interval.ends))


def _with_unit(unit: Unit, noun: str, value: float, places: Callable[[float, float], int],
               toward: Callable[[float], float] = round) -> str:  # fmt: skip
    """The number in the scale that suits its unit, with as many places as that scale asks for."""
    scale, sign = 1.0, ""
    match unit:
        case Unit.RATIO:
            sign = "×"
        case Unit.SECONDS if value == 0:
            return f"0{SPACE}s"
        case Unit.SECONDS:
            scale, sign = time_unit(value)
        case Unit.SHARE:
            scale, sign = PERCENT, "%"
        case Unit.BYTES:
            scale, sign = 1e6, "MB"
        case Unit.RATE:
            sign = noun if noun == "TFLOPS" else f"{noun}/s"
        case Unit.COUNT | Unit.STEPS:
            return plural(round(value), noun.removesuffix("s"), noun) if noun else count(value)
        case _:
            sign = noun
    kept = places(value / scale, scale)
    nearest, last = round(value / scale, kept), 10.0**-kept
    exact = toward is round or math.isclose(nearest * scale, value)
    shown = nearest if exact else last * toward(value / scale / last)
    text = fixed(shown, kept)
    return f"{text}{'' if unit is Unit.RATIO else SPACE}{sign}" if sign else text


def _places(value: float, scale: float, ends: tuple[float | None, float | None]) -> int:
    """Digits after the point: as many as the interval has, else three in all."""
    low, high = (_scaled(end, scale) for end in ends)
    if low is not None and high is not None:
        places = decimals(value, low, high)
        return apart(places, low, high) if scale == 1.0 else places
    return min(decimals(value), 2) if scale == 1.0 and 1 - NEAR_ONE < value < 1 else decimals(value)


def apart(places: int, low: float, high: float, limits: Iterable[float] = (1,)) -> int:
    """So many digits after the point, or more: no end is written as a limit that it is not."""
    for limit in limits:
        most = UNDECIDED_PLACES if low < limit == 1 < high else MOST_PLACES
        while places < most and any(
            end != limit and round(end, places) == round(limit, places) for end in (low, high)
        ):
            places += 1
    return places


def present(value: object) -> TypeGuard[float]:
    """Whether there is a finite number."""
    return isinstance(value, int | float) and math.isfinite(value)


def decimals(value: float, low: float | None = None, high: float | None = None) -> int:
    """Digits after the point: down to the first digit of the half-width, or three in all.

    Never fewer than two significant digits of the value and never more than five. Where an end of
    an interval would be written as the value is, there is one more: 1.1× is not 1.1–1.3×.
    """
    size = math.floor(math.log10(abs(value))) if value else 0
    digits = DIGITS
    half = (high - low) / 2 if present(low) and present(high) else 0.0
    if present(low) and present(high) and half > ROUNDING * abs(value):
        digits = size - math.floor(math.log10(half)) + 1
        digits = min(max(digits, 2), 5)
        places = max(0, digits - 1 - size)
        if low < value < high and round(value, places) in {round(low, places), round(high, places)}:
            return places + 1
    return max(0, digits - 1 - size)


def fixed(value: float, places: int) -> str:
    """The number with so many places, thousands set apart by commas."""
    text = f"{value:,.{min(places, 12)}f}"
    return "0" if text == "-0" else text.replace("-", "\N{MINUS SIGN}")


@_valued
def setting(value: object) -> str:
    """A value of a spec as pages write it: whole numbers as all numbers, the rest as they are."""
    if isinstance(value, list | tuple):
        return listed([setting(one) for one in value]) or "none"
    whole = isinstance(value, int) and not isinstance(value, bool)
    return count(value) if whole and isinstance(value, int) else str(value)


@_valued
def number(value: float | None, low: float | None = None, high: float | None = None) -> str:
    """A number with the digits its interval supports."""
    if value is None or not math.isfinite(value):
        return MISSING
    return fixed(value, decimals(value, low, high))


LEAST_IN_HUNDREDTHS = 0.1
"""The least factor of which hundredths say enough."""


@_valued
def ratio(value: float | None, low: float | None = None, high: float | None = None,
          limits: Iterable[float] = (1,)) -> str:  # fmt: skip
    """A factor, such as "5.2×"; no end of its interval is written as a limit that it is not."""
    if value is None or not math.isfinite(value):
        return MISSING
    places = decimals(value, low, high)
    if low is not None and high is not None and present(low) and present(high):
        places = apart(places, low, high, limits)
    elif abs(value) >= LEAST_IN_HUNDREDTHS:
        places = min(places, 2)
    return f"{fixed(value, places)}×"


def ratio_interval(low: float, high: float, value: float, limits: Iterable[float] = (1,)) -> str:
    """An interval of factors with the digits of its value: "4.8–5.6×".

    An end that is not 1 is never printed as 1: FASTER beside "1.0–2.4×" would seem to be wrong.
    No factor is 0: where the digits of the value leave nothing of an end, each has its own.
    """
    places = decimals(value, low, high)
    if low > 0 == round(low, places):
        ends = (fixed(end, max(0, 1 - math.floor(math.log10(end)))) for end in (low, high))
        return f"{EN_DASH.join(ends)}×"
    places = apart(places, low, high, limits)
    return f"{fixed(low, places)}{EN_DASH}{fixed(high, places)}×"


def ratio_of(factor: Interval) -> str:
    """A factor with its interval, where it has one: "5.2× (4.8–5.6×)"."""
    if not factor.known:
        two = span(factor, Unit.RATIO)
        return f"{ratio(factor.value)} ({two})" if two else ratio(factor.value)
    low, high = factor.low, factor.high
    return f"{ratio(factor.value, low, high)} ({ratio_interval(low, high, factor.value)})"


def time_unit(seconds: float) -> tuple[float, str]:
    """Seconds in the unit that suits a time, and the unit's sign."""
    for scale, sign, smallest in _TIME_UNITS:
        if abs(seconds) >= smallest:
            return scale, sign
    return 1e-6, "µs"


@_valued
def duration(seconds: float | None, low: float | None = None, high: float | None = None) -> str:
    """A time, such as "24.1 ms"."""
    if seconds is None or not math.isfinite(seconds):
        return MISSING
    if seconds == 0:
        return f"0{SPACE}s"
    scale, sign = time_unit(seconds)
    places = decimals(seconds / scale, *(_scaled(bound, scale) for bound in (low, high)))
    return f"{fixed(seconds / scale, places)}{SPACE}{sign}"


def hours_and_minutes(seconds: float) -> str:
    """A time of a minute or more in its two largest units: "3 h 6 min", "3 min 16 s"."""
    large, small = ("min", "s") if seconds < 3600 else ("h", "min")
    whole, rest = divmod(round(seconds / (1 if large == "min" else 60)), 60)
    return f"{whole}{SPACE}{large}" + f"{SPACE}{rest}{SPACE}{small}" * (rest > 0)


def clock(seconds: Interval) -> str:
    """The same of a measured time; one of minutes is rounded as its interval allows."""
    if seconds.value >= 3600:
        return hours_and_minutes(seconds.value)
    scale, _ = time_unit(seconds.value)
    places = decimals(*(end / scale for end in (seconds.value, *seconds.ends)))
    return hours_and_minutes(scale * round(seconds.value / scale, places))


def duration_of(seconds: Interval) -> str:
    """A time with as many digits as its interval allows."""
    return duration(seconds.value, seconds.low, seconds.high)


def duration_interval(low: float, high: float, seconds: float) -> str:
    """An interval of times in the unit of its value, such as "23.6–24.7 ms"."""
    scale, sign = time_unit(seconds)
    places = decimals(seconds / scale, low / scale, high / scale)
    return f"{fixed(low / scale, places)}{EN_DASH}{fixed(high / scale, places)}{SPACE}{sign}"


def _scaled(bound: float | None, scale: float) -> float | None:
    return None if bound is None else bound / scale


@_valued
def percent(share: float | None, places: int = 2) -> str:
    """A share as per cent, such as "98.71 %"."""
    if share is None or not math.isfinite(share):
        return MISSING
    return f"{fixed(100 * share, places)}{SPACE}%"


def percent_at_best(share: float) -> str:
    """A share with two digits, as `12 %`."""
    return f"{100 * share:.2g} %" if share < 1 else f"{100 * share:.0f} %"


@_valued
def points(difference: float, low: float = math.nan, high: float = math.nan) -> str:
    """A difference of shares in percentage points, with its sign: "+0.12 points"."""
    places = min(2, decimals(100 * difference, 100 * low, 100 * high)) if present(low) else 2
    return f"{signed(100 * difference, places)}{SPACE}points"


def points_between(low: float, high: float) -> str:
    """An interval of such a difference: "−0.30 to +0.12"."""
    return f"{signed(100 * low, 2)} to {signed(100 * high, 2)}"


def percentage_points(share: float) -> str:
    """A margin of shares as somebody chose it: "0.5 percentage points"."""
    text = short(round(100 * share, 9))
    return f"{text}{SPACE}percentage point{'' if text == '1' else 's'}"


def signed(value: float, places: int) -> str:
    """A difference with its sign: "+0.12", "−0.30", "0.00"."""
    if not float(f"{value:.{places}f}"):
        return fixed(0.0, places)
    return fixed(value, places) if value < 0 else f"+{fixed(value, places)}"


@_valued
def megabytes(count: float | None, low: float | None = None, high: float | None = None) -> str:
    """Bytes in the decimal units that makers of models print, such as "91 MB"."""
    bounds = (_scaled(bound, 1e6) for bound in (low, high))
    return f"{number(_scaled(count, 1e6), *bounds)}{SPACE}MB"


@_valued
def size(count: float | None) -> str:
    """Bytes in binary units, such as "1.4 GiB"."""
    if count is None or not math.isfinite(count):
        return MISSING
    for unit, scale in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if count >= scale:
            return f"{number(count / scale)}{SPACE}{unit}"
    return f"{fixed(count, 0)}{SPACE}B"


@_valued
def rate(per_second: float | None, noun: str) -> str:
    """Things per second, millions as "M": "12,300 images/s"."""
    if per_second is None or not math.isfinite(per_second):
        return MISSING
    for prefix, scale in (("G", 1e9), ("M", 1e6)):
        if per_second >= scale:
            return f"{number(per_second / scale)}{SPACE}{prefix}{SPACE}{noun}/s"
    return f"{number(per_second)}{SPACE}{noun}/s"


def short(value: float) -> str:
    """A tick's number without an exponent: "0.05", "20", "50,000", "2 M"."""
    for prefix, scale in (("G", 1e9), ("M", 1e6)):
        if abs(value) >= scale:
            return f"{value / scale:.6f}".rstrip("0").rstrip(".") + f"{SPACE}{prefix}"
    text = f"{value:,.9f}".rstrip("0").rstrip(".")
    return text.replace("-", "\N{MINUS SIGN}") or "0"


@_valued
def operation_rate(tflops: float) -> str:
    """Operations a second, such as "218 GFLOPS"."""
    unit, scale = ("GFLOPS", 1e3) if tflops < 1 else ("TFLOPS", 1.0)
    return f"{number(scale * tflops)}{SPACE}{unit}"


_WITH_UNIT = re.compile(r"([\d,]+(?:\.\d+)?)(\D*)")


def one_number(one: str, other: str) -> bool:
    """Whether two texts are one number with more or fewer digits: "3.3 %" and "3.30 %"."""
    parts = [_WITH_UNIT.fullmatch(text) for text in (one, other)]
    if one == other or not all(parts):
        return one == other
    (a, unit), (b, other_unit) = (part.groups() for part in parts if part)
    places = min(len(text.partition(".")[2]) for text in (a, b))
    known = {round(float(text.replace(",", "")), places) for text in (a, b)}
    return unit == other_unit and len(known) == 1


@_valued
def operations(value: float) -> str:
    """Floating-point operations, such as "21.5 GFLOP"."""
    for prefix, scale in (("P", 1e15), ("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if value >= scale:
            return f"{number(value / scale)}{SPACE}{prefix}FLOP"
    return f"{number(value)}{SPACE}FLOP"


@_valued
def tiny(value: float) -> str:
    """A number that may be as small as a rounding error: "0.00026", "below 0.00001"."""
    if value == 0 or abs(value) >= 1e-3 or not math.isfinite(value):
        return number(value)
    return "below 0.00001" if abs(value) < 1e-5 else fixed(value, 5)


def probability(p: float) -> str:
    """The p-value of a test, which nobody reads beyond its third place: "p = 0.032"."""
    sign, text = ("<", "0.001") if p < 0.001 else ("=", fixed(p, 3))
    return f"p{SPACE}{sign}{SPACE}{text}"


@_valued
def count(value: float | None) -> str:
    """A whole number, thousands set apart."""
    return MISSING if value is None or not math.isfinite(value) else fixed(value, 0)


def instant(text: str) -> datetime | None:
    """An ISO 8601 instant in UTC; None when it is none (records are not trusted)."""
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        return None
    return when.replace(tzinfo=UTC) if when.tzinfo is None else when.astimezone(UTC)


def day(when: datetime) -> str:
    """A day, such as "3 May 2026", in English whatever the locale."""
    return f"{when.day}{SPACE}{_MONTHS[when.month - 1]}{SPACE}{when.year}"


def moment(text: str) -> str:
    """An ISO 8601 instant as "3 May 2026, 14:02:07 UTC"; the text itself when it is none."""
    when = instant(text)
    return text if when is None else f"{day(when)}, {when:%H:%M:%S}{SPACE}UTC"


def days(texts: Iterable[str]) -> str:
    """The first and the last day of some instants; empty where none can be read."""
    known = sorted(when for when in map(instant, texts) if when)
    if not known:
        return ""
    first, last = day(known[0]), day(known[-1])
    return first if first == last else f"{first} to {last}"


def extent(values: Collection[float], write: Callable[[float], str]) -> str:
    """The least and the largest value: "15 s to 75 s"; one of them if both are written alike."""
    return " to ".join(dict.fromkeys(write(end) for end in (min(values), max(values))))


def plural(number_of: int, noun: str, plural_noun: str = "") -> str:
    """A count and its noun: "1 process", "3 processes"."""
    return f"{count(number_of)}{SPACE}{noun if number_of == 1 else plural_noun or noun + 's'}"


_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def number_word(number_of: int) -> str:
    """A count below ten in letters: "three", "12"."""
    return _WORDS[number_of] if 0 <= number_of < len(_WORDS) else count(number_of)
