"""JSON that somebody else may have written: nothing in it is lost in silence."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any


def loads(
    text: str | bytes,
    *,
    parse_float: Callable[[str], Any] | None = None,
    parse_constant: Callable[[str], Any] | None = None,
) -> Any:
    """The value of a text.

    Args:
        text: the text; bytes are UTF-8, UTF-16 or UTF-32.
        parse_float: makes a number with a point of its digits; `float` when absent.
        parse_constant: makes something of `NaN` and `Infinity`; floats when absent.

    Raises:
        ValueError: it is no JSON, nested too deeply, or an object has a key twice: the first value
            would be lost.
    """
    try:
        return json.loads(
            text,
            parse_float=parse_float,
            parse_constant=parse_constant,
            object_pairs_hook=_without_repeats,
        )
    except RecursionError as error:
        raise ValueError("lists or objects are nested too deeply") from error


def plain(value: Any) -> Any:
    """A value as JSON has it: what is not a finite number is null, at any depth."""
    if isinstance(value, Mapping):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    return None if isinstance(value, float) and not isfinite(value) else value


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise ValueError(f"an object has the key {json.dumps(twice[:60])} twice")
    return values
