"""Sentences that differ in their numbers alone, told as one."""

from __future__ import annotations

import re
from collections.abc import Sequence

_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\d.]*\d)(?!\w)")


def pattern(text: str) -> str:
    """The text without its numbers: equal for sentences that say the same of other values."""
    return _NUMBER.sub("\0", text)


def merged(texts: Sequence[str]) -> str:
    """One sentence for several of one pattern: "kept 0.13 to 0.41 cores busy".

    Args:
        texts: one or more sentences whose `pattern` is the same.

    Raises:
        ValueError: they are not of one pattern.
    """
    numbers = [_NUMBER.findall(text) for text in texts]
    if len({pattern(text) for text in texts}) != 1:
        raise ValueError("sentences of several patterns cannot be told as one")
    spans = iter([_span(found) for found in zip(*numbers, strict=True)])
    return _NUMBER.sub(lambda _: next(spans), texts[0])


def _span(found: Sequence[str]) -> str:
    least, most = min(found, key=float), max(found, key=float)
    return least if float(least) == float(most) else f"{least} to {most}"
