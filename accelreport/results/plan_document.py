"""The plan kept beside the records: what a report needs to know of a spec.

A report is built from a results folder alone, on a machine that may hold no spec,
so `accelreport run` leaves here what the spec said and which cells it asked for.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from accelreport.spec.models import Claim, Device, Measure, Published, Scalar, Source


class Document(BaseModel):
    """A frozen value that is stored as JSON and refuses keys it does not know.

    JSON has no NaN: a loss that diverged is stored as the text "NaN" and read back as one.
    """

    model_config = ConfigDict(
        extra="forbid", frozen=True, use_attribute_docstrings=True, ser_json_inf_nan="strings"
    )


class PlannedCell(Document):
    """A cell the spec asks for, whether or not it was measured yet."""

    key: str
    """The cell's content hash; its record is `cells/<key>.<machine>.json`."""
    device: str
    """Device name."""
    point: dict[str, Scalar]
    """Sweep point."""
    repeat: int
    """Number of the repeat, from 0."""
    seed: int
    """Its seed."""


class Looks(Document):
    """How repeats are added until a comparison with the baseline is decided."""

    at: list[int]
    """Numbers of repeats after which the verdicts are looked at, increasing."""
    level: float
    """Confidence level of the interval at each look, so that all looks together keep theirs."""


class PlanDocument(Document):
    """What one spec said under one profile."""

    plan_version: Literal[1] = 1
    """Version of this document."""
    spec: str
    """Name of the spec."""
    profile: str
    """Name of the profile; "full" when none was named. With `overrides` they stand in it."""
    overrides: dict[str, Scalar] = {}
    """Values the command line gave instead of the spec's that change what is measured."""
    title: str
    """Title of the benchmark."""
    description: str = ""
    """A paragraph about it."""
    source: Source | None = None
    """The published piece it reproduces."""
    text: str
    """The spec file, verbatim."""
    workload: dict[str, Any]
    """The family's parameters before the sweep, `kind` included."""
    baseline: str
    """The device that speedups are relative to."""
    devices: dict[str, Device]
    """The devices, in the order of the spec."""
    axes: dict[str, list[Scalar]]
    """Swept keys and their values, in the order of the spec."""
    measure: Measure
    """How the cells are measured."""
    published: list[Published] = []
    """Somebody else's figures."""
    claims: list[Claim] = []
    """Sentences to be tested."""
    cells: list[PlannedCell]
    """Every cell the spec asks for, in the order of the spec; after them those that were added
    until comparisons were decided."""
    until_decided: Looks | None = None
    """The looks, where repeats were added until comparisons were decided."""
