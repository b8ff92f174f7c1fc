"""A cell, a spec that was read, checked and expanded into its cells, and picking cells out.

A cell is the smallest thing that is measured; its key says what makes it the same thing again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, SerializerFunctionWrapHandler, model_serializer

from accelreport.errors import AccelReportError, ExitCode
from accelreport.spec.base import Scalar
from accelreport.spec.claims import Claim
from accelreport.spec.device import Device
from accelreport.spec.models import Measure, Published, Source
from accelreport.spec.problems import did_you_mean, listed, quote
from accelreport.spec.source import leaves

IDENTITY_VERSION = 1
"""Raised when the meaning of a measurement changes, so that old cells are run again."""

PRESENTATION_ONLY = {
    "label",
    "price_per_hour",
    "currency",
    "price_date",
    "price_source",
    "peak_tflops",
    "peak_source",
    "memory_gbps",
    "memory_source",
}
"""Keys of a device that change what is printed and not what is measured."""

UNTIL_SAID = {"placement", "framework", "spread", "torch_compile", "eager"}
"""Keys of a device that belong to its identity where they are said: they came later, and what
was measured before them is the same measurement."""

MEASURED_BY = {"warmup_steps", "warmup_calls", "calls"}
"""Keys of `[measure]` that change what is measured. The budget is not among them: a
cell that a longer budget could finish is known by its `partial` status instead."""


class Cell(BaseModel):
    """One workload at one sweep point, on one device, with one seed, in one process."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    spec: str
    """Name of the spec: its file's stem."""
    profile: str
    """Profile the spec was read with; "full" when none was named."""
    device: str
    """Name of the device in the devices file."""
    point: dict[str, Scalar]
    """The swept keys and this cell's values, in the order of the spec."""
    repeat: int
    """Number of the repeat, from 0."""
    seed: int
    """Seed of initialisation, data order and dropout; the same on every device."""
    workload: dict[str, Any]
    """The family's parameters in full, `kind` included, as JSON values."""
    device_spec: Device
    """The device in full."""
    measure: Measure
    """How it is measured."""
    folder: str = ""
    """Folder of the spec, for the files beside it; empty in records, which any machine may read."""

    @model_serializer(mode="wrap")
    def _wherever_it_lies(self, fields: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Without a folder that is not said, as it was written before there was one."""
        return {name: value for name, value in fields(self).items() if name != "folder" or value}

    @cached_property
    def key(self) -> str:
        """Sixteen hexadecimal digits that change when the measurement would.

        SHA-256 over the canonical JSON of the workload's parameters, the device without
        what is only printed, the seed, and the keys of `[measure]` that shape the timing.
        """
        unsaid = {
            name
            for name in UNTIL_SAID
            if getattr(self.device_spec, name) == Device.model_fields[name].default
        }
        device = self.device_spec.model_dump(mode="json", exclude=PRESENTATION_ONLY | unsaid)
        identity = {
            "identity": IDENTITY_VERSION,
            "workload": self.workload,
            "device": device,
            "measure": self.measure.model_dump(mode="json", include=MEASURED_BY),
            "seed": self.seed,
        }
        text = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def anywhere(self) -> Cell:
        """The cell without its folder, as a record holds it."""
        return self.model_copy(update={"folder": ""}) if self.folder else self

    @property
    def name(self) -> str:
        """A short name for people: spec, device, sweep point and repeat."""
        point = " ".join(f"{key}={value}" for key, value in self.point.items())
        return " ".join(part for part in (self.spec, self.device, point, f"#{self.repeat}") if part)


@dataclass(frozen=True)
class Spec:
    """One spec file under one profile.

    Attributes:
        name: the file's stem.
        path: the file.
        text: the file, verbatim.
        profile: the profile it was read with; "full" when it stands as it is.
        title: title of the benchmark.
        description: a paragraph about it.
        source: the published piece it reproduces.
        devices: the devices it names, in its order.
        baseline: the device that speedups are relative to.
        workload: the family's parameters before the sweep, `kind` included, as JSON values.
        axes: swept keys and their values, in the order of the spec.
        measure: how each cell is measured.
        published: somebody else's figures.
        claims: sentences to be tested.
        cells: every cell, by point, then repeat, then device.
        only_named: whether a run of the folder leaves it out.
    """

    name: str
    path: Path
    text: str
    profile: str
    title: str
    description: str
    source: Source | None
    devices: dict[str, Device]
    baseline: str
    workload: dict[str, Any]
    axes: dict[str, list[Scalar]]
    measure: Measure
    published: tuple[Published, ...]
    claims: tuple[Claim, ...]
    cells: tuple[Cell, ...]
    only_named: bool = False


@dataclass(frozen=True)
class SpecSet:
    """Specs that were read together.

    Attributes:
        specs: in the order in which they were named; a folder's by name.
        devices: every device of their devices files, by name.
    """

    specs: tuple[Spec, ...]
    devices: dict[str, Device]

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The cells of all specs."""
        return tuple(cell for spec in self.specs for cell in spec.cells)


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
            remedy="Leave one of them out.",
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
    workload = {key: value for key, _, value in leaves(cell.workload)}
    return {
        **workload,
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
