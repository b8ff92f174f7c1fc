"""What may stand in a spec file, from its top down."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from accelreport.spec.base import SpecModel, Text
from accelreport.spec.models import Claim, Measure, Published, Source

SCHEMA = 1
"""The version of the format of specs and devices files that is read here."""


class Header(SpecModel):
    """The keys before the first table."""

    schema_version: Annotated[Literal[1], Field(alias="schema")]
    """Version of the spec's format: 1."""
    title: Text
    """Title of the benchmark."""
    description: str = ""
    """A paragraph about it: what is done and why."""
    devices: Annotated[list[Text], Field(min_length=1)]
    """Names of devices in `devices.toml`, in the order in which they are shown."""
    baseline: Text | None = None
    """The device that speedups are relative to; the first one when absent."""


class SpecDocument(Header):
    """A spec file."""

    source: Source | None = None
    """The published piece that is reproduced."""
    workload: dict[str, Any]
    """What is computed: `kind`, and the parameters of that family."""
    sweep: dict[str, Any] = {}
    """Workload keys and the values each one takes. Every combination is measured; the keys
    under `[sweep.zip]` advance together instead."""
    measure: Measure = Measure()
    """How each cell is measured."""
    profiles: dict[str, dict[str, Any]] = {}
    """Named changes: dotted keys, such as `"workload.epochs"`, and their other values."""
    published: list[Published] = []
    """Somebody else's figures."""
    claims: list[Claim] = []
    """Sentences to be tested."""
