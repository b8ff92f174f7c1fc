"""A contribution: what one machine measured of the shared specs, as an archive of results.

It holds a results folder as others read it (`privacy.as_published`), with every block and every
step, and without what a ranking does not need: images, texts, logs and files. `merge` reads it as
any other archive of results.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from accelreport.analysis.compute import hardware_name
from accelreport.atomic import write_whole
from accelreport.loader.first_spec import DEVICES, PACKAGE, SYSTEMS
from accelreport.loader.load import load
from accelreport.results.merge import unpacked
from accelreport.results.plan_document import Document, PlanDocument, plan_document
from accelreport.results.privacy import as_published
from accelreport.results.reading import ResultsError, plan_file_name, to_bytes
from accelreport.results.record import Environment, Record
from accelreport.results.store import Store
from accelreport.spec.cells import Cell

SPECS = ("chip_accuracy", "chip_latency", "chip_lstm", "chip_mnist", "chip_training")
"""The shared specs, which every machine measures alike."""

NEEDS_DATA = {"chip_mnist": "mnist"}
"""Shared spec → the data set that it reads whole, which a machine may not have."""

SHIPPED = next(
    folder
    for folder in (PACKAGE / "_chips", PACKAGE.parent / "examples" / "chips")
    if folder.is_dir()
)
"""The contributions that are shipped: in the wheel, or in a checkout."""

LARGEST = 16 * 2**20
"""Bytes that the archive of a contribution may unpack to; one of every spec has a million."""

LEFT_OUT: dict[str, Any] = {
    "forecasts": [],
    "texts": [],
    "weights": None,
    "served": None,
    "quantised": None,
    "artefacts": [],
    "log_tail": "",
    "details": {},
}
"""Fields of a record that a contribution leaves empty."""


@dataclass(frozen=True)
class Contribution:
    """What one machine measured of the shared specs.

    Attributes:
        plans: the shared specs, as this machine ran them.
        records: one for each cell, in order of time; at least one is measured.
    """

    plans: Sequence[PlanDocument]
    records: Sequence[Record]

    @cached_property
    def measured(self) -> list[Record]:
        """The records that hold times."""
        return [record for record in self.records if record.measured]

    @cached_property
    def first(self) -> Record:
        """The first measured record of the fastest kind of device: TPU, GPU or CPU."""
        order = ("TPU", "GPU", "CPU")
        return min(self.measured, key=lambda record: order.index(record.cell.device_spec.kind))

    @property
    def kind(self) -> str:
        """The fastest kind of device that was measured."""
        return self.first.cell.device_spec.kind

    @property
    def framework(self) -> str:
        """What computed, as a device names it."""
        return self.first.cell.device_spec.framework

    @property
    def environment(self) -> Environment:
        """The machine and its software when that device was first measured."""
        assert self.first.environment is not None, "the name of a record's file has its machine"
        return self.first.environment

    @property
    def machine(self) -> str:
        """Fingerprint of its machine."""
        return self.first.machine

    @property
    def hardware(self) -> str:
        """The device that did the arithmetic, with the threads of a CPU."""
        name = hardware_name(self.environment, self.kind)
        return f"{name} {self.environment.threads} threads" if self.kind == "CPU" else name

    @property
    def name(self) -> str:
        """Its canonical name: hardware, framework, release and fingerprint.

        The same machine with the same software has the same name, whoever contributes it.
        """
        release = release_of(self.environment, self.framework)
        words = self.hardware[:80], self.framework, release[:20], self.machine
        return re.sub(r"[^a-z0-9.]+", "-", " ".join(words).lower()).strip("-")


def release_of(environment: Environment, framework: str) -> str:
    """The release of a framework, by the name that a device gives it; empty without any."""
    packages = environment.packages.items()
    return next((version for name, version in packages if name.startswith(framework)), "")


@cache
def shared(framework: str) -> tuple[dict[str, PlanDocument], dict[str, Cell]]:
    """The shared specs of this version on a framework: name → plan, and key → cell."""
    paths = [SYSTEMS / f"{name}.toml" for name in SPECS]
    specs = load(paths, devices_file=SYSTEMS / DEVICES, frameworks=(framework,)).specs
    cells = {cell.key: cell.as_recorded() for spec in specs for cell in spec.cells}
    return {spec.name: plan_document(spec, {}) for spec in specs}, cells


def contribution_of(store: Store) -> Contribution:
    """What a results folder holds of the shared specs, as others may read it.

    Of several frameworks it is the one that measured last.

    Raises:
        ResultsError: nothing of them was measured, or on more than one machine.
    """
    plans = [plan for plan in store.plans() if plan.spec in SPECS and not plan.overrides]
    keys = {cell.key for plan in plans for cell in plan.cells}
    records = [r for r in store.records() if r.key in keys and r.status != "skipped"]
    machines = {record.machine for record in records}
    if len(machines) > 1:
        raise ResultsError(
            f"{store.root} has measurements of {len(machines)} machines.",
            why="A contribution is of one machine.",
            remedy="Name a results folder of one machine with --results.",
        )
    measured = [record for record in records if record.measured]
    if not measured:
        raise ResultsError(
            f"No shared spec was measured in {store.root}.", remedy="Run `accelreport chip`."
        )
    last = max(measured, key=lambda record: record.started_at)
    framework = last.cell.device_spec.framework
    records = [r for r in records if r.cell.device_spec.framework == framework]
    on_framework = [shared(framework)[0][plan.spec] for plan in plans]
    plans = [
        plan if plan.devices.keys() == other.devices.keys() else other
        for plan, other in zip(plans, on_framework, strict=True)
    ]
    plans, records, _ = as_published(plans, records)
    return Contribution(
        plans, _ordered(record.model_copy(update=_kept(record)) for record in records)
    )


def _kept(record: Record) -> dict[str, Any]:
    """What a contribution changes of a record: it keeps misclassified examples, without images."""
    wrong = (sample for sample in record.samples if sample.true != sample.predicted)
    samples = [sample.model_copy(update={"pixels": "", "shape": []}) for sample in wrong]
    return LEFT_OUT | {"samples": samples}


def _ordered(records: Iterable[Record]) -> list[Record]:
    return sorted(records, key=lambda record: (record.started_at, record.key))


def write(contribution: Contribution, path: Path) -> None:
    """Write a contribution, the same bytes for the same measurements."""
    files: dict[str, Document] = {
        f"plans/{plan_file_name(plan.spec, plan.profile)}": plan for plan in contribution.plans
    }
    files |= {f"cells/{r.key}.{r.machine}.json": r for r in contribution.records}
    content = BytesIO()
    with ZipFile(content, "w") as archive:
        for name, document in files.items():
            # `ZipInfo` by itself has a fixed date.
            archive.writestr(ZipInfo(name), to_bytes(document), ZIP_DEFLATED, 9)
    write_whole(path, content.getvalue())


def read(path: Path) -> Contribution:
    """A contribution from a file, in which nothing is trusted.

    Raises:
        ResultsError: it cannot be read, is too large, or is no contribution.
    """
    with unpacked([path], LARGEST) as (folder,):
        store = Store(folder)
        plans, records = store.plans(), _ordered(store.records())
        for problem in store.problems:
            why = f"{problem.path.relative_to(folder)}: {problem.message}."
            raise ResultsError(f"{path} is no contribution.", why=why)
    if not any(record.measured for record in records):
        raise ResultsError(f"{path} is no contribution.", why="It has no measured record.")
    return Contribution(plans, records)


def paths_in(folder: Path) -> list[Path]:
    """The files of contributions in a folder, by name.

    Raises:
        ResultsError: the folder has none.
    """
    paths = sorted(folder.glob("*.zip"))
    if not paths:
        raise ResultsError(f"{folder} has no contribution.", why="It has no file *.zip.")
    return paths
