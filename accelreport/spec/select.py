"""Picking cells out of a plan: `--device cpu --filter batch_size=512`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from accelreport.errors import AccelReportError, ExitCode
from accelreport.spec.base import dotted_values
from accelreport.spec.cells import Cell
from accelreport.spec.problems import did_you_mean, listed, quote


class SelectionError(AccelReportError):
    """What was asked for is not among the cells."""

    exit_code = ExitCode.USAGE


def select(cells: Iterable[Cell], *, devices: Sequence[str], filters: Sequence[str]) -> list[Cell]:
    """The cells that run on one of the devices and meet every filter, in their order.

    Args:
        cells: the cells to choose from.
        devices: names of devices; every device when empty.
        filters: texts `key=value`. A key is a workload parameter by its dotted name, swept or
            not, or `spec`, `repeat` or `seed`. Filters of different keys must all be met, of
            filters with the same key one. Numbers are compared as numbers: `1e-3` is 0.001.

    Raises:
        SelectionError: a device, key or value is not among the cells, or no cell meets all of
            them; the message says what there is.
    """
    pool = list(cells)
    if not pool or not (devices or filters):
        return pool
    known = list(dict.fromkeys(cell.device for cell in pool))
    for device in devices:
        if device not in known:
            raise _none(f"no cell runs on a device {quote(device)}", device, known)
    wanted = _wanted(filters)
    traits = [_traits(cell) for cell in pool]
    for key, texts in wanted.items():
        _check(key, texts, traits)
    chosen = [
        cell
        for cell, trait in zip(pool, traits, strict=True)
        if (not devices or cell.device in devices) and _meets(trait, wanted)
    ]
    if not chosen:
        asked = [*(f"--device {name}" for name in devices), *(f"--filter {f}" for f in filters)]
        raise SelectionError(
            "no cell meets all of these together",
            why=" ".join(asked),
            remedy="Remove one of them.",
        )
    return chosen


def _wanted(filters: Sequence[str]) -> dict[str, list[str]]:
    wanted: dict[str, list[str]] = {}
    for text in filters:
        key, equals, value = text.partition("=")
        if not equals or not key.strip() or not value.strip():
            raise SelectionError(
                f"{quote(text)} is not a filter",
                remedy='Write key=value, such as "batch_size=512".',
            )
        wanted.setdefault(key.strip().removeprefix("workload."), []).append(value.strip())
    return wanted


def _traits(cell: Cell) -> Mapping[str, Any]:
    """What a filter can ask of a cell."""
    return {
        **dict(dotted_values(cell.workload)),
        **cell.point,
        "spec": cell.spec,
        "repeat": cell.repeat,
        "seed": cell.seed,
    }


def _check(key: str, texts: Sequence[str], traits: Sequence[Mapping[str, Any]]) -> None:
    """Refuse a key that no cell has, and values that none of them takes."""
    keys = list(dict.fromkeys(name for trait in traits for name in trait))
    if key not in keys:
        swept = [name for name in keys if len({str(trait.get(name)) for trait in traits}) > 1]
        raise _none(f"no cell has a key {quote(key)}", key, keys, shown=swept)
    values = list(dict.fromkeys(_written(trait[key]) for trait in traits if key in trait))
    for text in texts:
        if not any(_is(text)(trait[key]) for trait in traits if key in trait):
            raise _none(f"no cell has {key}={text}", text, values)


def _meets(trait: Mapping[str, Any], wanted: Mapping[str, Sequence[str]]) -> bool:
    return all(
        key in trait and any(_is(text)(trait[key]) for text in texts)
        for key, texts in wanted.items()
    )


def _is(text: str) -> Callable[[object], bool]:
    """Whether a value is the one a text means."""
    try:
        number = float(text)
    except ValueError:
        return lambda value: _written(value) == text
    return lambda value: (
        _written(value) == text
        or (isinstance(value, int | float) and not isinstance(value, bool) and value == number)
    )


def _written(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _none(
    what: str, wrong: str, known: Sequence[str], *, shown: Sequence[str] | None = None
) -> SelectionError:
    near = did_you_mean(wrong, known)
    every = listed(list(shown or known)[:20])
    remedy = near[:1].upper() + near[1:] if near else f"There is {every}."
    return SelectionError(what, remedy=remedy)
