"""The plan beside the records: what a report needs to know about a spec.

A report is built from a results folder alone, on a machine that may have no spec. `accelreport run`
therefore stores the spec and its cells here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)

from accelreport.spec.base import GivenBaseline, Scalar, bounded, dotted_values, same
from accelreport.spec.cells import MEASURED_BY, Cell, Spec
from accelreport.spec.claims import Claim, TrendCheck
from accelreport.spec.device import StoredDevice
from accelreport.spec.models import Advice, Published, Source, StoredMeasure

Seconds = Annotated[float, Field(ge=0, le=1e9, allow_inf_nan=False), AfterValidator(bounded)]
"""A duration: never negative, and at most 10⁹ seconds, which are 32 years."""

Amount = Annotated[float, Field(ge=1e-12, le=1e24, allow_inf_nan=False)]
"""A rate, or a duration of work: greater than zero, so that it can be a divisor."""


def _is_instant(text: str) -> str:
    try:
        datetime.fromisoformat(text).astimezone(UTC)
    except OverflowError as error:
        raise ValueError("it is an instant of no year from 1 to 9999") from error
    return text


Instant = Annotated[str, AfterValidator(_is_instant)]
"""A date and time in ISO 8601, in UTC if it names no zone."""

Count = Annotated[int, Field(ge=0, le=2**53)]
"""A number of things or bytes; a float represents it exactly up to 2⁵³, as charts and JSON need."""


class Document(BaseModel):
    """A frozen value that is stored as JSON and refuses unknown keys.

    JSON has no NaN: a diverged loss is stored as the text "NaN" and read back as a number.
    """

    model_config = ConfigDict(
        extra="forbid", frozen=True, use_attribute_docstrings=True, ser_json_inf_nan="strings"
    )


class PlannedCell(Document):
    """A cell of the spec, whether or not it has been measured."""

    key: str
    """The cell's content hash; its record is `cells/<key>.<machine>.json`."""
    device: str
    """Device name."""
    point: dict[str, Scalar]
    """Sweep point."""
    repeat: Count
    """Number of the repeat, from 0."""
    seed: Annotated[int, Field(ge=-(2**63), lt=2**63)]
    """Its seed."""

    @classmethod
    def of(cls, cell: Cell) -> Self:
        """A cell of a spec as its plan holds it."""
        return cls(**{name: getattr(cell, name) for name in cls.model_fields})


class Looks(Document):
    """How repeats are added until a comparison with the baseline is decided."""

    at: list[Annotated[int, Field(ge=1, le=1000)]]
    """Numbers of repeats before each look at the verdicts, increasing; no more than a spec's."""
    level: Annotated[float, Field(gt=0, lt=1)]
    """Confidence level of the interval at each look, so that all looks together keep theirs."""


class Halt(StrEnum):
    """Why there are no further looks although nothing is decided."""

    MOST = "most"
    """The last look of the schedule was made."""
    UNTIMED = "untimed"
    """A repeat has no time, and most failures cost their whole time again."""
    INPUT = "input"
    """The two devices read different data."""


@dataclass(frozen=True)
class Halted:
    """Why there is no next look.

    Attributes:
        why: the reason.
        repeat: for MOST the largest number of repeats, for UNTIMED the number of the repeat.
        baseline: for UNTIMED, whether the repeat is the baseline's.
        problem: for UNTIMED, the status or failure in a word; empty if it timed no steady step.
    """

    why: Halt
    repeat: int = 0
    baseline: bool = False
    problem: str = ""


@dataclass(frozen=True)
class Look:
    """The result of the last look at one comparison with the baseline.

    Attributes:
        device: the device that is compared with the baseline.
        point: the sweep point.
        verdict: the verdict at that look's level.
        repeats: number of repeats at the look; 0 if no look was possible.
        wanted: repeats, counted from the first, that the next look needs; 0 without a next look.
        halted: why there is no next look although nothing is decided; None otherwise.
    """

    device: str
    point: Mapping[str, Scalar]
    verdict: str
    repeats: int = 0
    wanted: int = 0
    halted: Halted | None = None


@dataclass(frozen=True)
class ClaimLook:
    """What the next look at one claim needs.

    Attributes:
        places: devices and sweep points whose repeats decide it.
        wanted: repeats, counted from the first; 0 when there is no next look.
    """

    places: Sequence[tuple[str, Mapping[str, Scalar]]]
    wanted: int


class PlanDocument(Document):
    """One spec under one profile."""

    plan_version: Literal[1] = 1
    """Version of this document."""
    spec: str
    """Name of the spec."""
    profile: str
    """Name of the profile; "full" without a profile. It includes `overrides`."""
    overrides: dict[str, Scalar] = {}
    """Values from the command line that change what is measured."""
    title: str
    """Title of the benchmark."""
    description: str = ""
    """A paragraph about it."""
    source: Source | None = None
    """The source that the spec reproduces."""
    text: str
    """The spec file, verbatim."""
    workload: dict[str, Any]
    """The family's parameters before the sweep, including `kind`."""
    baseline: GivenBaseline
    """The base of speedups: a device, or a device and the values of swept keys."""
    devices: dict[str, StoredDevice]
    """The devices, in the order of the spec."""
    rows: dict[str, str] = {}
    """Device → the row of the devices file that it is on another framework than TensorFlow, where
    the row names none.
    """
    added: list[str] = []
    """Devices that the spec does not name: `--device` added them."""
    axes: dict[str, list[Scalar]]
    """Swept keys and their values, in the order of the spec."""
    measure: StoredMeasure
    """How the cells are measured."""
    published: list[Published] = []
    """Published figures."""
    claims: list[Claim] = []
    """Sentences to test."""
    advice: list[Advice] = []
    """Advice about the choice of a device, with its source."""
    cells: list[PlannedCell]
    """Every cell of the spec, in the order of the spec, followed by the cells added until
    comparisons were decided.
    """
    until_decided: Looks | None = None
    """The looks, if repeats were added until comparisons were decided."""

    @model_serializer(mode="wrap")
    def _where_there_are_some(self, fields: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Without `rows` and `added` where there are none, as it was written before there were."""
        values: dict[str, Any] = fields(self)
        return {k: v for k, v in values.items() if v or k not in {"rows", "added"}}

    @property
    def frameworks(self) -> tuple[str, ...]:
        """Those that its rows without a framework ran on when it was last run."""
        first: dict[str, str] = {}
        for name in self.devices:
            first.setdefault(self.rows.get(name, name), name)
        chosen = (self.devices[name].framework for name in first.values() if name in self.rows)
        return tuple(dict.fromkeys(chosen))

    def value(self, axis: str, point: Mapping[str, Any]) -> Any:
        """What `Cell.value` of the cells at a sweep point is."""
        swept = point.get(axis)
        return dict(dotted_values(self.workload)).get(axis) if swept is None else swept

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        named = {self.baseline.device, *(cell.device for cell in self.cells)}
        if absent := sorted(named - self.devices.keys()):
            raise ValueError(f"it mentions the device {absent[0]!r}, which it does not have")
        for axis, value in self.baseline.where.items():
            if not any(same(value, known) for known in self.axes.get(axis, ())):
                raise ValueError(f"its baseline is at {axis} = {value!r}, which is not swept")
        if any(cell.point.keys() != self.axes.keys() for cell in self.cells):
            raise ValueError("a cell is not on the axes of its sweep")
        for axis in (name for name, values in self.axes.items() if all(map(_is_number, values))):
            if not all(_is_number(cell.point[axis]) for cell in self.cells):
                raise ValueError(f"{axis} is swept over numbers, but a cell has another value")
        for along in (
            claim.check.along for claim in self.claims if isinstance(claim.check, TrendCheck)
        ):
            if not all(map(_is_number, self.axes.get(along, [""]))):
                raise ValueError(f"a claim follows {along!r}, which is not swept over numbers")
        return self


def _is_number(value: Scalar) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def plan_document(spec: Spec, changes: Mapping[str, Scalar]) -> PlanDocument:
    """The plan of a spec with all of its cells.

    Args:
        spec: the spec as it was read, profile and overrides applied.
        changes: values of the command line that change what is measured. The document then has a
            name of its own (see `variant`), so that a trial with synthetic data does not replace
            the page of the real data.
    """
    return PlanDocument(
        spec=spec.name,
        profile=variant(spec.profile, changes),
        overrides=dict(changes),
        title=spec.title,
        description=spec.description,
        source=spec.source,
        text=spec.text,
        workload=spec.workload,
        baseline=spec.baseline,
        devices=dict(spec.devices),
        axes={key: list(values) for key, values in spec.axes.items()},
        measure=spec.measure,
        published=list(spec.published),
        claims=list(spec.claims),
        advice=list(spec.advice),
        rows=dict(spec.rows),
        added=list(spec.added),
        cells=[PlannedCell.of(cell) for cell in spec.cells],
    )


def with_earlier_cells(
    plan: PlanDocument, earlier: PlanDocument, measured: Collection[str]
) -> PlanDocument:
    """A plan with the cells of an earlier one that were measured under the same conditions.

    A run with fewer repeats than an earlier one, for example after `--set measure.repeats=5`,
    therefore keeps all of them.

    Args:
        plan: the current plan.
        earlier: a plan of the same spec and profile.
        measured: keys of the cells that have records; others are not added.
    """
    same = _same_conditions(plan, earlier)
    asked = {(place_of(cell), cell.repeat) for cell in plan.cells}
    more = [
        cell
        for cell in earlier.cells
        if cell.key in measured
        and place_of(cell) in same
        and (place_of(cell), cell.repeat) not in asked
    ]
    repeats = max([plan.measure.repeats, *(cell.repeat + 1 for cell in more)])
    if not more or plan.until_decided:
        repeats = plan.measure.repeats
    return _with_cells(plan, [*plan.cells, *more], repeats)


def with_other_devices(
    plan: PlanDocument, earlier: PlanDocument, measured: Callable[[Collection[str]], bool]
) -> PlanDocument:
    """A plan with the devices of an earlier one that belong to the same benchmark.

    They are the rows that `--device` added, and the rows of the spec on other frameworks: what was
    measured on JAX stays beside what is measured on TensorFlow now.

    Args:
        plan: the current plan.
        earlier: a plan of the same spec and profile.
        measured: whether any of some cells, named by their keys, was measured.
    """
    if plan.workload != earlier.workload or any(
        getattr(plan.measure, key) != getattr(earlier.measure, key) for key in MEASURED_BY
    ):
        return plan
    own = {plan.rows.get(name, name) for name in plan.devices}
    asked = {(repr(cell.point), cell.repeat, cell.seed) for cell in plan.cells}
    cells: dict[str, list[PlannedCell]] = {
        name: []
        for name in earlier.devices
        if name not in plan.devices
        and (name in earlier.added or earlier.rows.get(name, name) in own)
    }
    for cell in earlier.cells:
        if cell.device in cells and (repr(cell.point), cell.repeat, cell.seed) in asked:
            cells[cell.device].append(cell)
    kept = [name for name, more in cells.items() if measured({cell.key for cell in more})]
    changed = {
        "devices": plan.devices | {name: earlier.devices[name] for name in kept},
        "rows": plan.rows | {name: earlier.rows[name] for name in kept if name in earlier.rows},
        "added": [*plan.added, *(name for name in kept if name in earlier.added)],
        "cells": [*plan.cells, *(cell for name in kept for cell in cells[name])],
    }
    return plan.model_copy(update=changed) if kept else plan


def refreshed(plan: PlanDocument, earlier: PlanDocument) -> PlanDocument:
    """The plan of the current spec, with the repeats of the runs.

    Runs decide which repeats there are; the current spec decides the texts, published figures and
    claims. Sweep points and devices with edited conditions have the cells of the current spec.

    Args:
        plan: the plan of the current spec.
        earlier: the plan of the last run.
    """
    same = _same_conditions(plan, earlier)
    if not same:
        return plan
    kept = [cell for cell in earlier.cells if place_of(cell) in same]
    new = [cell for cell in plan.cells if place_of(cell) not in same]
    return _with_cells(plan, [*kept, *new], earlier.measure.repeats)


def _with_cells(plan: PlanDocument, cells: list[PlannedCell], repeats: int) -> PlanDocument:
    measure = plan.measure.model_copy(update={"repeats": repeats})
    return plan.model_copy(update={"cells": cells, "measure": measure})


def _same_conditions(plan: PlanDocument, earlier: PlanDocument) -> set[str]:
    """Devices at sweep points for which both plans mean the same measurement.

    A cell's key is a hash of everything that affects it, including its seed. If one repeat has the
    same key in both plans, all others do, too.
    """
    keys = {cell.key: cell.repeat for cell in earlier.cells}
    return {place_of(cell) for cell in plan.cells if keys.get(cell.key) == cell.repeat}


def variant(profile: str, changes: Mapping[str, Scalar]) -> str:
    """The name of a profile with changes: `full+workload.data=synthetic`."""
    return profile + _suffix(changes)


def profile_of(plan: PlanDocument) -> str:
    """The profile a document was made from, without the changes in its name."""
    return plan.profile.removesuffix(_suffix(plan.overrides))


def _suffix(changes: Mapping[str, Scalar]) -> str:
    text = ",".join(f"{key}={value}" for key, value in sorted(changes.items()))
    return f"+{text}" if text else ""


def place_of(cell: PlannedCell | Cell) -> str:
    """A device at a sweep point, for any repeat."""
    return repr((cell.device, cell.point))
