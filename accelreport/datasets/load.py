"""From the name of a data set to its arrays."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, cast

from pydantic import ValidationError

from accelreport.datasets.base import Dataset, Mode, Origin, fingerprint
from accelreport.datasets.cache import Contents, read_entry, read_sample, sample_of
from accelreport.datasets.catalogue import find
from accelreport.datasets.errors import DataOptionsError, FormatError
from accelreport.datasets.parts import DatasetModule


def load(
    name: str,
    *,
    mode: Mode,
    seed: int = 0,
    options: Mapping[str, Any] | None = None,
    folder: str = "",
) -> Dataset:
    """Bring a data set into memory; never downloads anything.

    Args:
        name: its name in the catalogue.
        mode: `real` reads the files in the data folder, `sample` those that travel with the
            package, `synthetic` makes a stand-in.
        seed: seed of the stand-in; not used otherwise.
        options: options of this data set; see the `Options` of its module.
        folder: the spec's folder, kept with the arrays; passed to data sets whose `Options` have
            a `folder`.

    Returns:
        The arrays and where they came from. `origin` is official only when the SHA-256 of
        every file is the published one.

    Raises:
        DataUnavailable: when the name is not known, or files are missing or unreadable.
        DataCorrupt: when a file is not what it should be.
        DataOptionsError: when the options make no sense.
    """
    entry = find(name)
    source = cast("DatasetModule", importlib.import_module(entry.module))
    beside = {"folder": folder} if "folder" in source.Options.model_fields else {}
    try:
        checked = source.Options.model_validate({**beside, **(options or {})})
    except ValidationError as error:
        problems = "; ".join(
            f"{'.'.join(str(step) for step in problem['loc']) or 'options'}: {problem['msg']}"
            for problem in error.errors()
        )
        raise DataOptionsError(
            f"The options of the data set {name} cannot be used.", why=f"{problems}."
        ) from error
    files: list[Contents] = []
    origin: Origin = "synthetic"
    note = ""
    if mode == "synthetic":
        parts = source.synthetic(entry, seed, checked)
    else:
        sample = sample_of(entry, getattr(checked, "path", "")) if mode == "sample" else None
        files = read_sample(sample) if sample else read_entry(entry)
        try:
            parts = source.read(entry, files, checked)
        except FormatError as error:
            raise files[0].corrupt(str(error)) from error
        files = [*files, *parts.files]
        if sample:
            origin = "sample"
            note = f"A sample of {sample.title}: {sample.kept}."
        elif not all(file.official for file in files):
            origin = "user-supplied"
            if entry.files:
                note = f"Files in the form of {entry.title}, but not the published ones."
        else:
            origin = "official"
            if pin := next((file.pin for file in files if file.pin), ""):
                note = (
                    "The publisher gives no checksum; it was recorded at the first download "
                    f"({pin})."
                )
    return Dataset(
        name=name,
        train=parts.train,
        validation=parts.validation,
        classes=parts.classes,
        origin=origin,
        files={file.path.name: file.sha256 for file in files},
        fingerprint=fingerprint(parts.train, parts.validation),
        seed=seed if mode == "synthetic" else None,
        note=" ".join(text for text in (note, parts.note) if text),
        details=parts.details,
        folder=folder,
    )
