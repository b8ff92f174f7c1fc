"""The numbers behind a verdict: with their units, and a plain sweep on one line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby

from accelreport.analysis.claims import Number
from accelreport.report import formatting
from accelreport.report.claim_text import number_text, place_text
from accelreport.report.formatting import EN_DASH, SPACE
from accelreport.report.text import label

MOST_APART = 6
"""Numbers with intervals that each get a line of their own."""


def number_lines(evidence: Sequence[Number], worded: Callable[[str], str]) -> list[str]:
    """One line for each number; one for each run along an axis where that is readable.

    Args:
        evidence: the numbers of a claim, in the order of the sweep.
        worded: names of devices and axes as the page calls them.
    """
    told = [each for each in evidence if not _in_words(each)]
    words = [worded(label(number_text(each), 300)) for each in evidence if _in_words(each)]
    counts = {_count(each) for each in told}
    shared = f"{counts.pop()} each" if len(counts) == 1 else ""
    lines, last = [], []
    for (held, axis), found in groupby(told, _place):
        run = list(found)
        if not axis or len(run) == 1 or (_intervals(run) and len(told) <= MOST_APART):
            lines += [_line(worded(_plain(place_text(each))), each) for each in run]
        else:
            numbers = ", ".join(_number(each, "" if shared else _count(each)) for each in run)
            lines.append(f"{worded(_plain(_span(held, axis, run)))}: {numbers}")
            last = [shared] if shared else []
    return lines + last + words


def _in_words(each: Number) -> bool:
    """Whether a number is a count, or a refusal, that has no interval."""
    return each.refused is not None or each.quantity == "out_of_memory"


def _place(each: Number) -> tuple[str, str]:
    """The sweep point without its last axis, and the name of that axis."""
    held, _, last = str(place_text(each)).rpartition(", ")
    axis, equals, _ = last.partition(" = ")
    return (held, axis) if equals else (str(place_text(each)), "")


def _intervals(run: Sequence[Number]) -> bool:
    return any(each.interval.known for each in run)


def _line(where: str, each: Number) -> str:
    number = _number(each, _count(each))
    return f"{where}: {number}" if where else number


def _span(held: str, axis: str, run: Sequence[Number]) -> str:
    values = ", ".join(str(place_text(each)).rpartition(" = ")[2] for each in run)
    return ", ".join(part for part in (held, f"{axis} {values}") if part)


def _count(each: Number) -> str:
    """Processes behind a number."""
    known = each.interval.known
    return f"n{SPACE}={SPACE}{each.interval.n}" if known else "one process"


def _number(each: Number, count: str) -> str:
    """A number with its unit and interval, and what is said of its processes."""
    value, interval = _said(each)
    inner = ", ".join(part for part in (interval, count) if part)
    return f"{value} ({inner})" if inner else value


def _said(each: Number) -> tuple[str, str]:
    """A value and its interval in the unit of its quantity."""
    quantity, found = each.quantity, each.interval
    value, low, high, known = found.value, found.low, found.high, found.known
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
