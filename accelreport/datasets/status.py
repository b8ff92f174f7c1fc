"""What is in the data folder: for `accelreport data list` and `data where`."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from accelreport.datasets.cache import checksum, data_root, locate, may_write, published, read_pins
from accelreport.datasets.catalogue import find
from accelreport.datasets.entry import CatalogueEntry
from accelreport.datasets.samples import samples

FileState = Literal["official", "pinned", "user-supplied", "incomplete", "missing", "your own file"]
"""official: the published files; pinned: those that were downloaded first; user-supplied:
others; incomplete: some are missing; your own file: there is nothing to download."""


@dataclass(frozen=True)
class DatasetStatus:
    """A data set and whether its files are here.

    Attributes:
        entry: what the catalogue says: title, licence, citation, files.
        state: what is here.
        present: paths of the files that are here.
        missing: places, below the data folder, of those that are not.
        bytes: size of the files that are here.
        download_bytes: size of what a fetch would bring; None when that is not known.
        sample: how much of it travels with the package; empty where nothing does.
    """

    entry: CatalogueEntry
    state: FileState
    present: tuple[Path, ...]
    missing: tuple[str, ...]
    bytes: int
    download_bytes: int | None
    sample: str = ""


@dataclass(frozen=True)
class DataFolder:
    """The data folder.

    Attributes:
        root: where it is.
        chosen_by: `ACCELREPORT_DATA` or `default`.
        exists: whether it is there.
        writable: whether files could be fetched into it.
        free_bytes: free space on its disk.
    """

    root: Path
    chosen_by: Literal["ACCELREPORT_DATA", "default"]
    exists: bool
    writable: bool
    free_bytes: int


def status(name: str) -> DatasetStatus:
    """Whether the files of a data set are here, and whose they are.

    Raises:
        DataUnavailable: when there is no data set of that name.
    """
    entry = find(name)
    root = data_root()
    pins = read_pins(root)
    found = [(file, locate(file, root)) for file in entry.files]
    present = tuple(root / form.path for _, form in found if form is not None)
    missing = [file for file, form in found if form is None]
    sizes = [file.size for file in missing]
    right = all(
        checksum(root / form.path) == published(form, pins) for _, form in found if form is not None
    )
    return DatasetStatus(
        entry=entry,
        state=_state(entry, present=len(present), right=right),
        present=present,
        missing=tuple(file.path for file in missing),
        bytes=sum(path.stat().st_size for path in present),
        download_bytes=None if None in sizes else sum(size or 0 for size in sizes),
        sample=samples()[name].kept if name in samples() else "",
    )


def where() -> DataFolder:
    """The data folder and whether it can be written."""
    root = data_root()
    nearest = next(path for path in (root, *root.absolute().parents) if path.exists())
    return DataFolder(
        root=root,
        chosen_by="ACCELREPORT_DATA" if os.environ.get("ACCELREPORT_DATA") else "default",
        exists=root.is_dir(),
        writable=may_write(root),
        free_bytes=shutil.disk_usage(nearest).free,
    )


def _state(entry: CatalogueEntry, *, present: int, right: bool) -> FileState:
    if not entry.files:
        return "your own file"
    if not present:
        return "missing"
    if present < len(entry.files):
        return "incomplete"
    if not right:
        return "user-supplied"
    return "pinned" if any(file.sha256 is None for file in entry.files) else "official"
