"""The numbers behind a verdict: with their units, and a plain sweep on one line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Any

from accelreport.report import formatting
from accelreport.report.formatting import EN_DASH, SPACE, present
from accelreport.report.text import label

MOST_APART = 6
"""Numbers with intervals that each get a line of their own."""

Evidence = dict[str, Any]
"""A number of `claims_frame`: what, quantity, value, low, high, n."""


def number_lines(evidence: Sequence[Evidence], worded: Callable[[str], str]) -> list[str]:
    """One line for each number; one for each run along an axis where that is readable.

    Args:
        evidence: the numbers of a claim, in the order of the sweep.
        worded: names of devices and axes as the page calls them.
    """
    counts = {_count(each) for each in evidence}
    shared = f"{counts.pop()} each" if len(counts) == 1 else ""
    lines, last = [], []
    for (held, axis), found in groupby(evidence, _place):
        run = list(found)
        if not axis or len(run) == 1 or (_intervals(run) and len(evidence) <= MOST_APART):
            lines += [_line(worded(_plain(each["what"])), each) for each in run]
        else:
            numbers = ", ".join(_number(each, "" if shared else _count(each)) for each in run)
            lines.append(f"{worded(_plain(_span(held, axis, run)))}: {numbers}")
            last = [shared] if shared else []
    return lines + last


def _place(each: Evidence) -> tuple[str, str]:
    """The sweep point without its last axis, and the name of that axis."""
    held, _, last = str(each["what"]).rpartition(", ")
    axis, equals, _ = last.partition(" = ")
    return (held, axis) if equals else (str(each["what"]), "")


def _intervals(run: Sequence[Evidence]) -> bool:
    return any(present(each["low"]) and present(each["high"]) for each in run)


def _line(where: str, each: Evidence) -> str:
    number = _number(each, _count(each))
    return f"{where}: {number}" if where else number


def _span(held: str, axis: str, run: Sequence[Evidence]) -> str:
    values = ", ".join(str(each["what"]).rpartition(" = ")[2] for each in run)
    return ", ".join(part for part in (held, f"{axis} {values}") if part)


def _count(each: Evidence) -> str:
    """Processes behind a number."""
    known = present(each["low"]) and present(each["high"])
    return f"n{SPACE}={SPACE}{each['n']}" if known else "one process"


def _number(each: Evidence, count: str) -> str:
    """A number with its unit and interval, and what is said of its processes."""
    value, interval = _said(each)
    inner = ", ".join(part for part in (interval, count) if part)
    return f"{value} ({inner})" if inner else value


def _said(each: Evidence) -> tuple[str, str]:
    """A value and its interval in the unit of its quantity."""
    quantity, value, low, high = (each[key] for key in ("quantity", "value", "low", "high"))
    known = present(low) and present(high)
    bounds = (low, high) if known else (None, None)
    if quantity.endswith("_time"):
        text = formatting.duration(value, *bounds)
        return text, formatting.duration_interval(low, high, value) if known else ""
    if quantity in {"ratio", "speedup"}:
        text = formatting.ratio(value, *bounds)
        return text, formatting.ratio_interval(low, high, value) if known else ""
    unit = _UNITS.get(quantity, "")
    if not known:
        return formatting.number(value) + unit, ""
    places = formatting.decimals(value, low, high)
    if quantity == "difference":  # it may be near 0: the interval alone says what is known of it
        places = max(formatting.decimals(high - low) - 1, 0)
    joint = EN_DASH if low >= 0 else " to "
    interval = f"{formatting.fixed(low, places)}{joint}{formatting.fixed(high, places)}{unit}"
    return formatting.fixed(value, places) + unit, interval


_UNITS = {
    "tflops": f"{SPACE}TFLOPS",
    "tflops_cold": f"{SPACE}TFLOPS",
    "throughput": f"{SPACE}samples/s",
}
"""Units of quantities that have one beside seconds."""


def _plain(where: str) -> str:
    return label(where, 160).replace(" = ", " ")
