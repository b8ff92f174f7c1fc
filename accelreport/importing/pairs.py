"""`KEY=VALUE` of the command line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from accelreport.importing.errors import NotAsked
from accelreport.importing.numbers import one_of
from accelreport.importing.reader import Value
from accelreport.spec.base import Scalar


def pairs(option: str, texts: Sequence[str]) -> dict[str, str]:
    """`["a=1", "b=x"]` as keys and texts.

    Args:
        option: what messages call it.
        texts: what was given.

    Raises:
        NotAsked: a text is no `key=value`.
    """
    found = {}
    for text in texts:
        key, equals, value = (part.strip() for part in text.partition("="))
        if not (key and equals and value):
            message = f"{option} {text}: that is not key=value."
            raise NotAsked(message, remedy=f"Write, for instance, {option} batch_size=256.")
        found[key] = value
    return found


def sweep_point(
    texts: Sequence[str], axes: Mapping[str, Sequence[Scalar]] | None
) -> dict[str, Value]:
    """A sweep point from `["batch_size=256"]`, its values as the spec writes them.

    Args:
        texts: what was given.
        axes: the swept keys and their values; None where no spec was named.

    Raises:
        NotAsked: a text is no `key=value`.
    """
    given = pairs("--where", texts)
    return {key: one_of(text, (axes or {}).get(key, ())) for key, text in given.items()}
