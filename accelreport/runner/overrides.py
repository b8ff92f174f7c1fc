"""Values the command line gives instead of the spec's."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence

from accelreport.errors import AccelReportError, ExitCode
from accelreport.spec.base import Scalar


class BadOverride(AccelReportError):  # noqa: N818 -- reads as what it says
    """A `--set` that is not `key=value`."""

    exit_code = ExitCode.USAGE


def parse_overrides(texts: Sequence[str]) -> dict[str, Scalar]:
    """`["workload.epochs=2", "measure.budget=2m"]` as dotted keys and their values.

    A value is read as TOML; what is no TOML value is a text: `2` is a number, `true` a truth
    value, `2m` and `"2"` are texts.

    Raises:
        BadOverride: a text is not `key=value`, or gives a list or a table.
    """
    return dict(map(_parse, texts))


def shorthands(data: str | None, budget: str | None) -> dict[str, Scalar]:
    """What `--data` and `--budget` stand for."""
    named = {"workload.data": data, "measure.budget": budget}
    return {key: value for key, value in named.items() if value}


def _parse(text: str) -> tuple[str, Scalar]:
    key, equals, value = (part.strip() for part in text.partition("="))
    if not equals or not key or not value:
        raise BadOverride(
            f"--set {text}: that is not key=value.",
            remedy="Write, for instance, --set workload.epochs=2 or --set measure.budget=2m.",
        )
    try:
        found: object = tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        found = value
    if not isinstance(found, bool | int | float | str):
        raise BadOverride(
            f"--set {text}: a {type(found).__name__} cannot be given on the command line.",
            remedy="Give one number, text or truth value, or write a profile into the spec.",
        )
    return key, found
