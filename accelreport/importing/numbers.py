"""Numbers with the digits they were written with, and single values of a table."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from decimal import Decimal

from accelreport.spec.base import Scalar

LONGEST = 40
"""Characters of the longest number: a float has 17 digits."""

_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
_TRUTH = {"true": True, "false": False}

Cell = str | bool | int | Decimal | None
"""One value of a table: text as in CSV, or what JSON knows; None where there is none."""


def number(value: object) -> Decimal | None:
    """A finite number, all its digits kept; None for anything else, a truth value too."""
    if isinstance(value, bool) or not isinstance(value, str | int | float | Decimal):
        return None
    text = str(value).strip()
    if len(text) > LONGEST or not _NUMBER.fullmatch(text):
        return None
    found = Decimal(text)
    return found if math.isfinite(float(found)) else None


def plain(value: Cell) -> Cell:
    """A number where the text of a cell is one, else the value as it is."""
    found = number(value) if isinstance(value, str) else None
    return value if found is None else found


def one_of(value: Cell, known: Sequence[Scalar]) -> Scalar | Decimal:
    """A cell as the value of a swept key that it means; its own plain value where it means none.

    Args:
        value: the cell.
        known: the values that the key takes; empty where they are not known.
    """
    meant = _TRUTH.get(value.strip(), plain(value)) if isinstance(value, str) else value
    for each in known:
        if isinstance(each, bool) or isinstance(meant, bool):
            if meant is each:
                return each
        elif isinstance(each, str):
            if isinstance(value, str) and value.strip() == each:
                return each
        elif (float(meant) if isinstance(meant, Decimal) else meant) == each:
            return each
    return "" if meant is None else meant


def rounded(value: Decimal, digits: int = 12) -> Decimal:
    """A number that was computed, with so many significant digits, as people write it."""
    found = Decimal(f"{value:.{digits}g}").normalize()
    whole = abs(found) < 10**digits and found == found.to_integral_value()
    return Decimal(int(found)) if whole else found
