"""A contribution: what one machine measured of the shared specs, in one file.

It holds the plans and the records as others read them (`privacy.as_published`), with every block
and every step, and without what a ranking does not need: images, texts, logs and files.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import ModelWrapValidatorHandler, PrivateAttr, model_validator

from accelreport import strict_json
from accelreport.analysis.compute import hardware_name
from accelreport.atomic import write_whole
from accelreport.chips.compact import packed, text_of, unpacked
from accelreport.errors import AccelReportError, ExitCode
from accelreport.loader.first_spec import PACKAGE
from accelreport.results.plan_document import Document, PlanDocument
from accelreport.results.privacy import as_published
from accelreport.results.reading import UnreadableFile, explain, read_bytes
from accelreport.results.record import Environment, Record, Sample
from accelreport.results.store import Store

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

LARGEST = 8 * 2**20
"""Bytes of the largest file of a contribution, and of what references in it stand for."""

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


class NoContribution(AccelReportError):  # noqa: N818 -- reads as what it says
    """Nothing can be contributed, or a file is no contribution."""

    exit_code = ExitCode.BAD_RESULTS


class Contribution(Document):
    """What one machine measured of the shared specs."""

    contribution_version: Literal[1] = 1
    """Version of this document."""
    name: str
    """The canonical name: hardware, software and fingerprint of the machine."""
    digest: str
    """SHA-256 of plans and records, which an edit of this file changes."""
    plans: list[PlanDocument]
    """The shared specs, as this machine ran them."""
    records: list[Record]
    """What was measured, in order of time."""
    _content: str = PrivateAttr("")

    @model_validator(mode="wrap")
    @classmethod
    def _with_content(cls, values: Any, read: ModelWrapValidatorHandler[Self]) -> Self:
        document = read(values)
        if isinstance(values, dict):
            document._content = _sha256([values["plans"], values["records"]])
        return document

    @property
    def machine(self) -> str:
        """Fingerprint of its machine; empty without records."""
        return next((record.machine for record in self.records), "")

    @property
    def content(self) -> str:
        """SHA-256 of plans and records as the file has them, which a later version may extend."""
        return self._content


def _sha256(content: Any) -> str:
    """SHA-256 of canonical JSON."""
    return hashlib.sha256(text_of(content).encode()).hexdigest()


def kind_of(records: Iterable[Record]) -> str:
    """The kind of the fastest class of device that was measured: TPU, GPU or CPU."""
    kinds = {record.cell.device_spec.kind for record in records if record.measured}
    return next((kind for kind in ("TPU", "GPU") if kind in kinds), "CPU")


def first_of(records: Iterable[Record], kind: str) -> Record | None:
    """The first measured record of a kind of device; None without any."""
    return next((r for r in records if r.measured and r.cell.device_spec.kind == kind), None)


def environment_of(records: Iterable[Record], kind: str) -> Environment | None:
    """The environment of the first measured record of a kind of device; None without any."""
    record = first_of(records, kind)
    return record.environment if record else None


def release_of(environment: Environment, framework: str) -> str:
    """The release of a framework, by the name that a device gives it; empty without any."""
    packages = environment.packages.items()
    return next((version for name, version in packages if name.startswith(framework)), "")


def canonical_name(records: Sequence[Record]) -> str:
    """The name of a contribution: hardware, threads of a CPU, framework, and fingerprint.

    The same machine with the same software has the same name, whoever contributes it.
    """
    kind = kind_of(records)
    record = first_of(records, kind)
    if record is None or record.environment is None:
        raise NoContribution("No shared spec was measured.", remedy="Run `accelreport chip`.")
    environment, framework = record.environment, record.cell.device_spec.framework
    hardware = hardware_name(environment, kind)
    if kind == "CPU":
        hardware = f"{hardware} {environment.threads} threads"
    release = release_of(environment, framework)
    words = f"{hardware} {framework} {release} {environment.machine}"
    return re.sub(r"[^a-z0-9.]+", "-", words.lower()).strip("-")


def contribution_of(store: Store) -> Contribution:
    """What a results folder holds of the shared specs.

    Raises:
        NoContribution: nothing of them was measured, or on more than one machine.
    """
    plans = [p for p in store.plans() if p.spec in SPECS and not p.overrides]
    keys = {cell.key for plan in plans for cell in plan.cells}
    records = [record for record in store.records() if record.key in keys and record.measured]
    machines = sorted({record.machine for record in records})
    if len(machines) > 1:
        raise NoContribution(
            f"{store.root} has measurements of {len(machines)} machines.",
            why="A contribution is of one machine.",
            remedy="Name a results folder of one machine with --results.",
        )
    plans, records, _ = as_published(plans, records)
    slim = [record.model_copy(update=LEFT_OUT | _predictions(record)) for record in records]
    slim.sort(key=lambda record: (record.started_at, record.key))
    content: dict[str, Any] = {
        "plans": [plan.model_dump(mode="json") for plan in plans],
        "records": [record.model_dump(mode="json") for record in slim],
    }
    digest = _sha256([content["plans"], content["records"]])
    return Contribution.model_validate({"name": canonical_name(slim), "digest": digest, **content})


def _predictions(record: Record) -> dict[str, list[Sample]]:
    """The misclassified examples of a record, without their images."""
    wrong = (sample for sample in record.samples if sample.true != sample.predicted)
    return {"samples": [s.model_copy(update={"pixels": "", "shape": []}) for s in wrong]}


def write(contribution: Contribution, path: Path) -> None:
    """Write a contribution, the same bytes for the same measurements."""
    shared, document = packed(json.loads(contribution.model_dump_json()))
    text = json.dumps(document | {"shared": shared}, separators=(",", ":"), ensure_ascii=False)
    write_whole(path, f"{text}\n".encode())


def read(path: Path) -> Contribution:
    """A contribution that somebody else may have written.

    Raises:
        NoContribution: it cannot be read, is too large, or is no contribution.
    """
    try:
        content = read_bytes(path, LARGEST)
        document = strict_json.loads(content)
        if isinstance(document, dict):
            document = unpacked(document.pop("shared", []), document, LARGEST)
        return Contribution.model_validate(document)
    except FileNotFoundError as error:
        raise NoContribution(f"There is no {path}.") from error
    except UnreadableFile as error:
        raise NoContribution(f"{path} cannot be read.", why=str(error)) from error
    except ValueError as error:  # pydantic's errors, too
        why = explain(error, "a contribution")
        raise NoContribution(f"{path} is no contribution.", why=why) from error


def paths_in(folder: Path) -> list[Path]:
    """The files of contributions in a folder, by name.

    Raises:
        NoContribution: the folder has none.
    """
    paths = sorted(folder.glob("*.json"))
    if not paths:
        raise NoContribution(f"{folder} has no contribution.", why="It has no file *.json.")
    return paths


def folder_of(folder: Path) -> list[Contribution]:
    """The contributions in a folder, by name.

    Raises:
        NoContribution: the folder has none, or a file in it is none.
    """
    return [read(path) for path in paths_in(folder)]
