"""Times and shares as people write them: "6 s", "94 µs", "1 h 40 min", "58 %"."""

from __future__ import annotations

import math
import re

SECONDS = {
    "ns": 1e-9,
    "us": 1e-6,
    "µs": 1e-6,
    "μs": 1e-6,
    "ms": 1e-3,
    "s": 1.0,
    "sec": 1.0,
    "m": 60.0,
    "min": 60.0,
    "h": 3600.0,
    "d": 86400.0,
}
"""Seconds in each unit. The micro sign exists twice in Unicode, U+00B5 and U+03BC."""

_NUMBER = r"[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?|\.[0-9]+(?:[eE][+-]?[0-9]+)?"
_PART = re.compile(rf"\s*({_NUMBER})\s*([A-Za-zµμ]+)")
_SHARE = re.compile(rf"\s*([+-]?)({_NUMBER})\s*(%?)\s*")
_DURATION_FORMS = 'write a number of seconds, or text such as "94 µs", "6 s", "10m" or "2.5 h"'
_SHARE_FORMS = 'write a number from 0 to 1, or text such as "58 %"'


def parse_duration(value: object) -> float:
    """Seconds from a number, or from text with units.

    Args:
        value: a number of seconds, or text of one or more parts from the larger unit to
            the smaller, such as `"94 µs"`, `"2.5 h"` or `"7 m 12 s"`. `m` is a minute.

    Returns:
        The time in seconds.

    Raises:
        ValueError: the value is not a time; the message says what to write.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError(f"is not a time; {_DURATION_FORMS}")
    if not isinstance(value, str):
        return _finite(float(value), "time", _DURATION_FORMS)
    text = value.strip()
    if not text:
        raise ValueError(f"is empty; {_DURATION_FORMS}")
    if text.startswith("-"):
        raise ValueError("is negative; a time is greater than 0")
    return _finite(_sum_of_parts(text), "time", _DURATION_FORMS)


def _sum_of_parts(text: str) -> float:
    """Add `1 h`, `40 min`, … up; each unit must be smaller than the one before it."""
    total, position, smallest = 0.0, 0, math.inf
    while position < len(text):
        part = _PART.match(text, position)
        if part is None:
            raise ValueError(_why_not_a_part(text[position:].strip()))
        number, unit = part.groups()
        scale = SECONDS.get(unit)
        if scale is None:
            raise ValueError(f"has an unknown unit, {unit!r}; the units are {', '.join(_units())}")
        if scale >= smallest:
            raise ValueError("has its units out of order; write the larger unit first, each once")
        total, position, smallest = total + float(number) * scale, part.end(), scale
    return total


def _why_not_a_part(rest: str) -> str:
    if re.fullmatch(_NUMBER, rest):
        return f'has no unit after {rest}; write for example "{rest} s"'
    if re.match(r"[0-9]+,[0-9]", rest):
        return "has a comma in its number; write a decimal point, and no thousands separator"
    return f"is not a time; {_DURATION_FORMS}"


def _units() -> list[str]:
    return ["ns", "µs", "ms", "s", "min (or m)", "h", "d"]


def parse_fraction(value: object) -> float:
    """A share from a number, or from text such as "58 %".

    Args:
        value: a number, or text of a number with or without a percent sign.

    Returns:
        The share as a fraction: `"58 %"` is 0.58. Its range is checked by the caller.

    Raises:
        ValueError: the value is not a share; the message says what to write.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError(f"is not a share; {_SHARE_FORMS}")
    if not isinstance(value, str):
        return _finite(float(value), "share", _SHARE_FORMS)
    match = _SHARE.fullmatch(value)
    if match is None:
        raise ValueError(f"is not a share; {_SHARE_FORMS}")
    sign, digits, percent = match.groups()
    # Shifting the decimal point in the text keeps "58 %" equal to 0.58, which 58 / 100 need not be.
    number = float(f"{digits}e-2") if percent and "e" not in digits.lower() else float(digits)
    if percent and "e" in digits.lower():
        number /= 100
    return _finite(-number if sign == "-" else number, "share", _SHARE_FORMS)


def _finite(number: float, noun: str, forms: str) -> float:
    if not math.isfinite(number):
        raise ValueError(f"is not a finite {noun}; {forms}")
    return number
