"""A cell, and a spec that was read, checked and expanded into its cells.

A cell is the smallest unit that is measured; its key identifies the measurement.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from pydantic import (
    BaseModel,
    ConfigDict,
    PrivateAttr,
    SerializerFunctionWrapHandler,
    model_serializer,
)

from accelreport.spec.base import Baseline, Scalar, dotted_values
from accelreport.spec.claims import Claim
from accelreport.spec.device import Device, StoredDevice
from accelreport.spec.models import Advice, Measure, Published, Source, StoredMeasure
from accelreport.spec.parameters import WorkloadParameters

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

OMITTED_AT_DEFAULT = {"placement", "framework", "spread", "torch_compile", "eager"}
"""Keys of a device that are part of a cell's identity only if they differ from their default. They
were added later, and so earlier measurements keep their keys."""

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
    device_spec: StoredDevice
    """The device in full."""
    measure: StoredMeasure
    """How it is measured."""
    folder: str = ""
    """Folder of the spec, for the files beside it; empty in records, which any machine may read."""
    _parameters: WorkloadParameters | None = PrivateAttr(default=None)

    @property
    def parameters(self) -> WorkloadParameters:
        """The family's typed parameters, from the spec to the process that measures.

        A record has only `workload`: it is read where no such family is known.
        """
        assert self._parameters is not None, "a record's cell has no typed parameters"
        return self._parameters

    def typed(self, parameters: WorkloadParameters) -> Cell:
        """This cell, after it was given the parameters of `workload` as a typed model."""
        self._parameters = parameters
        return self

    @model_serializer(mode="wrap")
    def _without_empty_folder(self, fields: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out an empty folder: records from before this key have none."""
        return {name: value for name, value in fields(self).items() if name != "folder" or value}

    @cached_property
    def key(self) -> str:
        """Sixteen hexadecimal digits that change when the measurement would.

        SHA-256 over the canonical JSON of the workload's parameters, the device without
        what is only printed, the seed, and the keys of `[measure]` that shape the timing.
        """
        omitted = {
            name
            for name in OMITTED_AT_DEFAULT
            if getattr(self.device_spec, name) == Device.model_fields[name].default
        }
        device = self.device_spec.model_dump(mode="json", exclude=PRESENTATION_ONLY | omitted)
        identity = {
            "identity": IDENTITY_VERSION,
            "workload": self.workload,
            "device": device,
            "measure": self.measure.model_dump(mode="json", include=MEASURED_BY),
            "seed": self.seed,
        }
        text = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def value(self, axis: str) -> Any:
        """A parameter of the workload by its dotted key, swept or not; None where it has none."""
        return dict(dotted_values(self.workload)).get(axis)

    def as_recorded(self) -> Cell:
        """The cell without its folder and its typed parameters, as a record holds it."""
        if not self.folder and self._parameters is None:
            return self
        cell = self.model_copy(update={"folder": ""})
        cell._parameters = None
        return cell

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
        baseline: what speedups are relative to.
        parameters: the family's parameters before the sweep.
        axes: swept keys and their values, in the order of the spec.
        measure: how each cell is measured.
        published: published figures.
        claims: sentences to be tested.
        cells: every cell, by point, then repeat, then device.
        only_named: whether a run of the folder leaves it out.
        order: place in a run of the folder.
        advice: published advice on when to use which device.
        rows: device → the row of the devices file that it is on another framework.
        added: devices that the command line added to those of the spec.
    """

    name: str
    path: Path
    text: str
    profile: str
    title: str
    description: str
    source: Source | None
    devices: dict[str, Device]
    baseline: Baseline
    parameters: WorkloadParameters
    axes: dict[str, list[Scalar]]
    measure: Measure
    published: tuple[Published, ...]
    claims: tuple[Claim, ...]
    cells: tuple[Cell, ...]
    only_named: bool = False
    order: int = 0
    advice: tuple[Advice, ...] = ()
    rows: Mapping[str, str] = field(default_factory=dict)
    added: tuple[str, ...] = ()

    @cached_property
    def workload(self) -> dict[str, Any]:
        """The same parameters, `kind` included, as JSON values."""
        return self.parameters.model_dump(mode="json")


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
