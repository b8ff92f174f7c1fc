"""JSON that says nothing twice: how the file of a contribution is written.

Three forms replace longer ones, without loss, and the text stays JSON that a person can read:

- `{"$columns": {key: [value, …], …}}`: a list of objects with the same keys, as blocks are;
- `{"$e-7": [94981, …]}`: a list of numbers with at most seven decimals, as times of steps are;
- `{"$same": 3}`: the fourth value of the list `shared`, such as the packages of a machine.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

COLUMNS, DECIMALS, SAME = "$columns", "$e-7", "$same"
UNIT, MOST = 10**7, 10**6
"""A list of numbers between 0 and `MOST` is written as multiples of 1 / `UNIT` if they are such."""
LEAST = 32
"""Characters of the shortest value that is shared."""


def text_of(value: Any) -> str:
    """Canonical JSON of a value."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def packed(value: Any) -> tuple[list[Any], Any]:
    """The values that occur several times, and the value with references to them."""
    short = _short(value)
    counts: Counter[str] = Counter()
    _count(short, counts)
    places: dict[str, int] = {}

    def referring(part: Any) -> Any:
        if not isinstance(part, dict | list | str):
            return part
        if counts[text := text_of(part)] > 1:
            return {SAME: places.setdefault(text, len(places))}
        if isinstance(part, dict):
            return {key: referring(own) for key, own in part.items()}
        return list(map(referring, part)) if isinstance(part, list) else part

    whole = referring(short)
    return [json.loads(text) for text in places], whole


def _short(value: Any) -> Any:
    """A value with columns and decimals in the place of what they stand for."""
    if isinstance(value, dict):
        return {key: _short(part) for key, part in value.items()}
    if not isinstance(value, list):
        return value
    objects = len(value) > 1 and all(isinstance(part, dict) for part in value)
    if objects and value[0] and all(part.keys() == value[0].keys() for part in value):
        return {COLUMNS: {key: _short([part[key] for part in value]) for key in value[0]}}
    if value and all(isinstance(part, float) and 0 < part < MOST for part in value):
        counts = [round(part * UNIT) for part in value]
        if value == [count / UNIT for count in counts]:
            return {DECIMALS: counts}
    return list(map(_short, value))


def _count(value: Any, counts: Counter[str]) -> None:
    if isinstance(value, dict | list | str) and len(text := text_of(value)) >= LEAST:
        counts[text] += 1
        if not isinstance(value, str):
            for part in value.values() if isinstance(value, dict) else value:
                _count(part, counts)


def unpacked(shared: Any, value: Any, largest: int) -> Any:
    """The value that `packed` was given.

    Args:
        shared: the values that occur several times; none of them refers to another.
        value: the value with references to them.
        largest: characters that references and keys of columns may stand for, all together: a small
            file could otherwise stand for more than a machine can hold.

    Raises:
        ValueError: it is not written as `packed` writes, or stands for more than that.
    """
    room = largest

    def take(characters: int) -> None:
        nonlocal room
        room -= characters
        if room < 0:
            raise ValueError("what its references stand for is too large")

    sizes: dict[int, int] = {}

    def plain(part: Any, known: list[Any]) -> Any:
        if isinstance(part, list):
            return [plain(own, known) if isinstance(own, dict | list) else own for own in part]
        if not isinstance(part, dict):
            return part
        if part.keys() == {SAME}:
            again = known[number := part[SAME]]
            if number not in sizes:
                sizes[number] = len(text_of(again))
            take(sizes[number])
            return again
        if part.keys() == {DECIMALS}:
            return [count / UNIT for count in plain(part[DECIMALS], known)]
        if part.keys() == {COLUMNS}:
            columns = plain(part[COLUMNS], known)
            rows = list(zip(*columns.values(), strict=True))
            take(len(text_of(list(columns))) * len(rows))
            return [dict(zip(columns, row, strict=True)) for row in rows]
        return {
            key: plain(own, known) if isinstance(own, dict | list) else own
            for key, own in part.items()
        }

    try:
        return plain(value, plain(shared, []))
    except (TypeError, AttributeError, LookupError, OverflowError, RecursionError) as error:
        raise ValueError("its columns or references are not written as they should be") from error
