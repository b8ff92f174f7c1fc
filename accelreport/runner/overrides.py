"""Values the command line gives instead of the spec's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tomli

from accelreport.errors import AccelReportError, ExitCode
from accelreport.spec.base import Scalar

SET_REMEDY = "Write, for instance, --set workload.epochs=2 or --set measure.budget=2m."
ON_OPTION_REMEDY = "Write, for instance, --on-option partition=gpu or --on-option time=120."


class BadOverride(AccelReportError):  # noqa: N818 -- reads as what it says
    """A `--set`, or another option of that form, that is not `key=value`."""

    exit_code = ExitCode.USAGE


def parse_overrides(texts: Sequence[str]) -> dict[str, Scalar]:
    """`["workload.epochs=2", "measure.budget=2m"]` as dotted keys and their values.

    A value is read as TOML; what is no TOML value is a text: `2` is a number, `true` a truth
    value, `2m` and `"2"` are texts.

    Raises:
        BadOverride: a text is not `key=value`, or gives a list or a table.
    """
    found: dict[str, Scalar] = {}
    for text in texts:
        key, written = _parts("--set", text, SET_REMEDY)
        value = _value(written)
        if not isinstance(value, bool | int | float | str):
            raise BadOverride(
                f"--set {text}: a {type(value).__name__} cannot be given on the command line.",
                remedy="Give one number, text or truth value, or write a profile into the spec.",
            )
        found[key] = value
    return found


def parse_tables(texts: Sequence[str]) -> dict[str, Any]:
    """`["dataset=csv", "series.path=x.csv"]` as tables in tables; lists may be given, too.

    Raises:
        BadOverride: a text is not `key=value`, or a key is a value and a table at once.
    """
    found: dict[str, Any] = {}
    for text in texts:
        key, written = _parts("--set", text, SET_REMEDY)
        *path, last = key.split(".")
        table = found
        for part in path:
            table = table.setdefault(part, {})
            if not isinstance(table, dict):
                raise BadOverride(f"--set {text}: {part} has a value already.")
        if isinstance(table.get(last), dict):
            raise BadOverride(f"--set {text}: {last} is a table already.")
        table[last] = _value(written)
    return found


def parse_launcher_options(texts: Sequence[str]) -> dict[str, Scalar]:
    """`["partition=gpu", "time=120"]`, of `--on-option`, as names and values.

    What is no number and no truth value is a text, `02:00:00` and `[1-4]` among them.

    Raises:
        BadOverride: a text is not `key=value`.
    """
    found: dict[str, Scalar] = {}
    for text in texts:
        key, written = _parts("--on-option", text, ON_OPTION_REMEDY)
        value = _value(written)
        found[key] = value if isinstance(value, bool | int | float | str) else written
    return found


def shorthands(data: str | None, budget: str | None) -> dict[str, Scalar]:
    """What `--data` and `--budget` stand for."""
    named = {"workload.data": data, "measure.budget": budget}
    return {key: value for key, value in named.items() if value}


def _parts(option: str, text: str, remedy: str) -> tuple[str, str]:
    key, equals, value = (part.strip() for part in text.partition("="))
    if not equals or not key or not value:
        raise BadOverride(f"{option} {text}: that is not key=value.", remedy=remedy)
    return key, value


def _value(written: str) -> object:
    try:
        return tomli.loads(f"value = {written}")["value"]
    except tomli.TOMLDecodeError:
        return written
