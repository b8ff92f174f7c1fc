"""What stands in the place of a value of a document: by its type, whatever its key means."""

from __future__ import annotations

import copy
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Place = tuple[str | int, ...]
"""Keys and indices from the top of a document down to a value."""

NUMBERS = (
    0, 1, -1, 0.5, 5e-324, 1e-300, 1e17, 2**31, 2**53, 2**63, 1e308, -1e308, math.nan, math.inf,
    -math.inf,
)  # fmt: skip
"""Zero, one, negative, tiny, huge, and what is no number."""

TEXTS = (
    "", "zzz", "0", "-1", "NaN", "x" * 3000, "\0\x1b[31m", "\u202e", "../../etc/passwd",
    "\U0001f600" * 30,
)  # fmt: skip
"""Empty, an unknown name, a number, too long, and what a terminal or a path would obey."""

DATES = (
    "0000-01-01", "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59", "1969-12-31T23:59:59Z",
    "2026-02-30", "9999-12-31",
)  # fmt: skip
"""Days and instants at the ends of the calendar, and two that never were."""

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}")

OTHERS: tuple[Any, ...] = (None, True, [], {}, [[]], "zzz", 1.5)
"""Values of every type."""


@dataclass(frozen=True)
class Mutation:
    """One change of a document.

    Attributes:
        place: where.
        how: `put` a value there, `drop` what is there, have its key stand `twice`, or `keep` all.
        value: what is put there, or stands there the second time.
    """

    place: Place
    how: str = "put"
    value: Any = None

    def __str__(self) -> str:
        value = "" if self.how == "drop" else f" {json.dumps(self.value)[:60]}"
        return f"{'.'.join(map(str, self.place))}: {self.how}{value}"

    def fits(self, document: Any) -> bool:
        """Whether a document has the place."""
        try:
            for key in self.place:
                document = document[key]
        except (IndexError, KeyError, TypeError):
            return False
        return True

    def of(self, document: Any) -> Any:
        """The changed document; `TWICE` marks the first of two keys, for `written`."""
        if not self.place and self.how == "put":
            return copy.deepcopy(self.value)
        changed = copy.deepcopy(document)
        if self.how == "keep":
            return changed
        around = changed
        for key in self.place[:-1]:
            around = around[key]
        last = self.place[-1]
        if self.how == "drop":
            del around[last]
        elif self.how == "twice":
            around[f"{last}{TWICE}"] = self.value
        else:
            around[last] = copy.deepcopy(self.value)
        return changed


TWICE = "\ue000"
"""Ends a key that is written without it, so that it stands there twice."""


def as_json(document: Any) -> bytes:
    """A document as JSON text, with keys that stand twice, and NaN as this program writes it."""
    text = json.dumps(_spelt(document), ensure_ascii=False)
    return text.replace(TWICE, "").encode(errors="surrogatepass")


def _spelt(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _spelt(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_spelt(inner) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def as_toml(document: Any) -> bytes:
    """A document as TOML, every table in one line; None, which TOML has not, is left out."""
    if not isinstance(document, dict):  # which no TOML text is
        return str(document).encode()
    lines = [f"{json.dumps(key)} = {_toml(v)}" for key, v in document.items() if v is not None]
    return "\n".join(lines).replace(TWICE, "").replace("\\ue000", "").encode()


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        pairs = (f"{json.dumps(key)} = {_toml(v)}" for key, v in value.items() if v is not None)
        return f"{{ {', '.join(pairs)} }}"
    if isinstance(value, list):
        return f"[{', '.join(_toml(inner) for inner in value if inner is not None)}]"
    if isinstance(value, float):
        return "nan" if math.isnan(value) else repr(value)
    # JSON writes a character beyond U+FFFF as two halves, which TOML does not take.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def mutations(document: Any, names: Mapping[str, tuple[Any, ...]]) -> Iterator[Mutation]:
    """Every mutation of every value of a document.

    Of the values of a list the first and the last are changed, and every one that holds a key
    that no value before it held.

    Args:
        document: a document, as JSON values.
        names: key → the names that its value may be, for keys that take only some.
    """
    seen: set[tuple[str, ...]] = set()
    for place, value in _values(document):
        kind = tuple("*" if isinstance(part, int) and part >= 0 else str(part) for part in place)
        if kind in seen:
            continue
        seen.add(kind)
        yield from _of(place, value, names)


def _values(value: Any, place: Place = ()) -> Iterator[tuple[Place, Any]]:
    yield place, value
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _values(inner, (*place, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            last = index and index == len(value) - 1 and -1 not in place
            yield from _values(inner, (*place, -1 if last else index))


def _of(place: Place, value: Any, names: Mapping[str, tuple[Any, ...]]) -> Iterator[Mutation]:
    key = next((part for part in reversed(place) if isinstance(part, str)), "")
    unlike: list[Any] = []
    for other in (*OTHERS, *_instead_of(value, names.get(key, ()))):
        if not any(_same(other, known) for known in (value, *unlike)):
            unlike.append(other)
    yield from (Mutation(place, "put", other) for other in unlike)
    if place:
        yield Mutation(place, "drop")
    if place and isinstance(place[-1], str):
        yield Mutation(place, "twice", unlike[-1])


def _instead_of(value: Any, names: Sequence[Any]) -> Sequence[Any]:
    """What stands in the place of a value of this type, and of this key."""
    match value:
        case bool():
            return [not value, *NUMBERS[:3]]
        case int() | float():
            return NUMBERS
        case str():
            return [*TEXTS, *names, *(DATES if _DATE.match(value) else ())]
        case [*_] if value:
            return [value[:1], [*value, value[-1]], (value * 40)[:40]]
        case {**_rest}:
            return [{**value, "zzz": 1}]
    return ()


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and (one == other or (one != one and other != other))
