"""The folder of the data files, the samples in the package, and the state of both.

A file is read whole, and its checksum is that of the bytes that are parsed, so that no change in
between goes unnoticed. Reading writes nothing, so the folder may be read-only.

`pins.json` in the folder keeps checksums of files whose publisher gives none (trust on first use).
A file that matches its pin counts as official from then on, and the record says that its checksum
is a pin.

Arrays that take long to parse are kept in `derived/`, beside their source files. The name of such
a file has the checksum of the source and the version of the parser; its content is a SHA-256, then
the `.npz` that it belongs to. A damaged file is made anew. If the folder cannot be written,
nothing is kept. Stand-ins that take long to draw are kept in the same form in the cache folder.

`scripts/cut_samples.py` cuts each sample from published files and keeps their format, so that the
data set's module reads it. `sample_files/samples.json` names the size of a sample, its licence, and
the checksums of the sample and of its source.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import difflib
import functools
import gzip
import hashlib
import io
import json
import os
import shutil
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

from filelock import FileLock
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from accelreport.atomic import cache_folder, expanded, refuse_links, write_parts, write_whole
from accelreport.datasets.entry import CatalogueEntry, KnownFile, RemoteFile
from accelreport.datasets.errors import DataCorrupt, DataUnavailable, DataUnreadable

if TYPE_CHECKING:
    from accelreport.datasets.base import Arrays


class Pin(BaseModel):
    """The first download of a file without a published checksum."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    sha256: str
    size: int
    url: str
    date: str
    """Day of the download, UTC, as YYYY-MM-DD."""


_PINS = TypeAdapter(dict[str, Pin])


def read_pins(root: Path) -> dict[str, Pin]:
    """The pins of a data folder by path of file; empty without any.

    Raises:
        DataUnreadable: when the file of pins may not be read.
        DataCorrupt: when it is damaged.
    """
    path = root / "pins.json"
    try:
        return _PINS.validate_json(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise DataUnreadable(path, error) from error
    except ValidationError as error:
        raise DataCorrupt(
            path, f"It has no list of checksums ({error}).", remedy="Remove it and fetch again."
        ) from error


def write_pin(root: Path, file: str, sha256: str, size: int, url: str) -> None:
    """Pin a downloaded file."""
    path = root / "pins.json"
    refuse_links(path.with_name(f"{path.name}.lock"), root)
    today = dt.datetime.now(dt.UTC).date().isoformat()
    with FileLock(f"{path}.lock"):
        pins = read_pins(root) | {file: Pin(sha256=sha256, size=size, url=url, date=today)}
        values = {name: pin.model_dump() for name, pin in sorted(pins.items())}
        write_whole(path, f"{json.dumps(values, indent=2)}\n".encode())


_ANY_WRITE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


def data_root() -> Path:
    """The folder of the data files: `ACCELREPORT_DATA`, or the platform's cache folder."""
    chosen = os.environ.get("ACCELREPORT_DATA")
    if chosen:
        return expanded(chosen)
    from platformdirs import user_cache_path

    return user_cache_path("accelreport", appauthor=False) / "data"


def places(path: str, folder: str = "") -> list[Path]:
    """The places in which a file is searched, in this order; an absolute path is its only place.

    They are the spec's folder, the data folder, and the working folder, which was the base of paths
    in earlier versions (see `misplaced`).

    Args:
        path: the file, as a spec names it.
        folder: the spec's folder; empty where there is none.
    """
    asked = expanded(path)
    if asked.is_absolute():
        return [asked]
    return [root / asked for root in (*([Path(folder)] if folder else []), data_root(), Path.cwd())]


def is_file(path: Path) -> bool:
    """Whether a path is that of a regular file; False if it cannot be accessed."""
    return os.path.isfile(path)  # noqa: PTH113 -- Path.is_file() raises if a name is too long


def is_file_or_folder(path: Path) -> bool:
    """Whether a path is that of a regular file or a folder; reading a device may never end."""
    return is_file(path) or os.path.isdir(path)  # noqa: PTH112 -- as `is_file`


def file_at(path: str, folder: str) -> Path | None:
    """The first of the `places` of a file that has it; None if none has."""
    return next((place for place in places(path, folder) if is_file(place)), None)


def misspelt(place: Path) -> str:
    """A question for the file of the most similar name beside a place; empty where none is."""
    try:
        names = [path.name for path in place.parent.iterdir()]
    except OSError:
        return ""
    near = difflib.get_close_matches(place.name, names, n=1)
    return f"Did you mean {near[0]}? " if near else ""


def misplaced(path: str, folder: str) -> str:
    """A message about a file that only the working folder has, with the right place; else empty.

    Args:
        path: the file, as a spec names it.
        folder: the spec's folder.
    """
    *right, last = places(path, folder)
    if not right or any(map(is_file, right)) or not is_file(last):
        return ""
    below = last.relative_to(folder).as_posix() if last.is_relative_to(folder) else ""
    better = f'write path = "{below}"' if below else f"move it to {right[0]}"
    return (
        f"{path} is only in the working folder ({last}), not beside the spec, where relative "
        f"paths begin: {better}"
    )


def may_write(folder: Path) -> bool:
    """Whether files may be written into a folder, or into the one in which it would be created.

    A folder marked read-only counts as such for root, too, whom its mode would not stop.
    """
    nearest = _nearest(folder)
    return bool(nearest.stat().st_mode & _ANY_WRITE) and os.access(nearest, os.W_OK)


def _nearest(folder: Path) -> Path:
    """The folder, or its nearest parent that exists."""
    return next(path for path in (folder, *folder.absolute().parents) if path.exists())


@dataclass(frozen=True)
class Contents:
    """A file that was read.

    Attributes:
        path: where it lies.
        data: its bytes.
        sha256: their checksum.
        official: whether they are the published file's.
        published_size: bytes of the published file, when they are known.
        pin: day of the first download if the checksum was pinned then; else empty.
        remedy: the remedy in errors about unusable contents.
    """

    path: Path
    data: bytes
    sha256: str
    official: bool
    remedy: str
    published_size: int | None = None
    pin: str = ""

    def corrupt(self, why: str) -> DataCorrupt:
        """The error that says why this file cannot be used."""
        if self.published_size not in {None, len(self.data)}:
            why += f" It has {len(self.data):,} bytes, the published file {self.published_size:,}."
        return DataCorrupt(self.path, why, remedy=self.remedy)


def read_entry(entry: CatalogueEntry) -> list[Contents]:
    """Read all files of a data set, in the order of the catalogue.

    Raises:
        DataUnavailable: when a file is missing or may not be read.
        DataCorrupt: when a file is larger than anything accepted in its place.
    """
    root = data_root()
    pins = read_pins(root)
    places = [(file, locate(file, root)) for file in entry.files]
    missing = [file.path for file, place in places if place is None]
    if missing:
        raise DataUnavailable(
            f"The data set {entry.name} is not in {root}.",
            why=f"Missing: {', '.join(missing)}.",
            remedy=(
                f"Run `accelreport data fetch {entry.name}` to download it, "
                "or use `--data sample` or `--data synthetic`."
            ),
        )
    remedy = (
        f"Run `accelreport data fetch {entry.name} --replace` to download the published file, or "
        "use `--data synthetic`."
    )
    contents = []
    for file, form in places:
        if form is not None:
            path = root / form.path
            data = read_bounded(path, file.limit, remedy)
            sha256 = hashlib.sha256(data).hexdigest()
            official = sha256 == published(form, pins)
            day = pins[form.path].date if official and form.sha256 is None else ""
            contents.append(Contents(path, data, sha256, official, remedy, form.size, day))
    return contents


def published(form: KnownFile, pins: Mapping[str, Pin]) -> str | None:
    """The checksum that a file should have: the publisher's, or that of its first download."""
    if form.sha256 is not None:
        return form.sha256
    return pins[form.path].sha256 if form.path in pins else None


def checksum(path: Path) -> str:
    """SHA-256 of a file.

    Raises:
        DataUnreadable: when it may not be read.
    """
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise DataUnreadable(path, error) from error


@contextlib.contextmanager
def open_regular(path: Path, limit: int, remedy: str) -> Iterator[tuple[BinaryIO, int]]:
    """A regular file of an acceptable size, open, and its size in bytes.

    Raises:
        OSError: when it may not be read.
        DataCorrupt: when it is a pipe, a device or a folder, or has more bytes than `limit`.
    """
    # Opening a named pipe would otherwise wait for its writer for ever.
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise DataCorrupt(path, "It is not a regular file.", remedy=remedy)
        if status.st_size > limit:
            why = f"It has {status.st_size:,} bytes; at most {limit:,} are read."
            raise DataCorrupt(path, why, remedy=remedy)
        with open(descriptor, "rb", closefd=False) as file:
            yield file, status.st_size
    finally:
        os.close(descriptor)


def read_bounded(path: Path, limit: int, remedy: str) -> bytes:
    """Read a file whole.

    Raises:
        DataUnreadable: when it may not be read.
        DataCorrupt: when it is no regular file, has more bytes than `limit`, or changes while it
            is read.
    """
    try:
        with open_regular(path, limit, remedy) as (file, size):
            # Python allocates as many bytes as it is asked to read, which `limit + 1` would be.
            data = file.read(size + 1)
    except OSError as error:
        raise DataUnreadable(path, error) from error
    if len(data) != size:
        raise DataCorrupt(path, "Its size changed while it was read.", remedy=remedy)
    return data


def locate(file: RemoteFile, root: Path) -> KnownFile | None:
    """The form of a file that is in the cache: itself, or one that replaces it; None without."""
    return next((form for form in (file, *file.instead) if (root / form.path).is_file()), None)


def is_cached(entry: CatalogueEntry) -> bool:
    """Whether every file of a data set is in the cache."""
    root = data_root()
    return all(locate(file, root) for file in entry.files)


_SEAL_BYTES = 32


def parsed(name: str, version: int, sha256: str, make: Callable[[], Arrays]) -> Arrays:
    """Arrays made from a file, from the cache when they are there.

    Args:
        name: name of the data set.
        version: version of the parser; another one makes the arrays anew.
        sha256: checksum of the file.
        make: parses it.

    Returns:
        What `make` returns, or returned before.
    """
    return _kept(data_root() / "derived" / f"{name}-{version}-{sha256[:32]}.sealed", make)


def drawn(name: str, seed: int, source: Path, make: Callable[[], Arrays]) -> Arrays:
    """Arrays of a stand-in, from the cache when the same code has drawn them before.

    Args:
        name: name of the data set.
        seed: seed of the stand-in.
        source: the module that draws; after a change of it, or of NumPy, they are drawn anew,
            and what was kept before goes.
        make: draws them, the same ones each time.

    Returns:
        What `make` returns, or returned before.
    """
    import numpy as np

    code = hashlib.sha256(source.read_bytes() + np.__version__.encode()).hexdigest()
    path = cache_folder("stand-ins") / f"{name}-{seed}-{code[:32]}.sealed"
    return _kept(path, make, outdated=f"{name}-{seed}-*.sealed")


def _kept(path: Path, make: Callable[[], Arrays], outdated: str = "") -> Arrays:
    kept = _read_sealed(path)
    if kept is not None:
        return kept
    arrays = make()
    for old in path.parent.glob(outdated) if outdated else ():
        with contextlib.suppress(OSError):  # another process may have removed it just now
            refuse_links(old.parent, old.parents[1])
            old.unlink()
    _write_sealed(path, arrays)
    return arrays


def _read_sealed(path: Path) -> Arrays | None:
    try:
        with path.open("rb") as file:
            seal, content = file.read(_SEAL_BYTES), file.read()
    except OSError:
        return None
    if hashlib.sha256(content).digest() != seal:
        return None
    import numpy as np

    with np.load(io.BytesIO(content), allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


def _write_sealed(path: Path, arrays: Arrays) -> None:
    """Keep arrays; that is an aid only, so a folder without room or right is no error."""
    if not may_write(path.parent):
        return
    import numpy as np

    named: dict[str, Any] = dict(arrays)
    stream = io.BytesIO()
    np.savez(stream, allow_pickle=False, **named)
    content = stream.getvalue()
    with contextlib.suppress(OSError):
        refuse_links(path.parent, path.parents[1])
        path.parent.mkdir(parents=True, exist_ok=True)
        write_parts(path, (hashlib.sha256(content).digest(), content), durable=False)


FOLDER = Path(__file__).parent / "sample_files"
"""Where they lie, at the places that they would have below the data folder."""

MANIFEST = "samples.json"
"""The file that describes them."""

PACKED = ".gz"
"""What a text's name ends in here and not where it is published."""

_REMEDY = "Reinstall accelreport, or use `--data synthetic`."


class _Document(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class CutFrom(_Document):
    """The file that a sample was cut from."""

    name: str
    sha256: str
    official: bool
    """Whether that is the checksum of the published file."""


class SampleFile(_Document):
    """One file of a sample."""

    path: str
    """Place below the data folder of the file that it stands for, with forward slashes."""
    sha256: str
    """Checksum of the file as it lies here."""
    cut_from: CutFrom


class DataSample(_Document):
    """A sample of one data set."""

    title: str
    kept: str
    """How much of the data set it is, in words."""
    licence: str
    """The terms under which it is passed on."""
    citation: str
    homepage: str
    files: tuple[SampleFile, ...]
    """Its files, in the order of the catalogue's."""


_SAMPLES = TypeAdapter(dict[str, DataSample])


@functools.cache
def samples() -> dict[str, DataSample]:
    """The samples that travel with this package, by the name of the data set."""
    return _SAMPLES.validate_json((FOLDER / MANIFEST).read_bytes())


def sample_of(entry: CatalogueEntry, path: str) -> DataSample:
    """The sample of a data set.

    Args:
        entry: the data set.
        path: for one without published files, the person's own file: a sample stands for it when
            it was cut from the file of that place.

    Raises:
        DataUnavailable: when there is none.
    """
    own = (known for known in samples().values() if path in {file.path for file in known.files})
    sample = next(own, samples().get(entry.name))
    if sample is None:
        raise DataUnavailable(
            f"There is no sample of {path or entry.name}.",
            why=f"This accelreport contains samples of {', '.join(samples()) or 'no data set'}.",
            remedy="Use `--data synthetic` for synthetic data of the same shapes"
            + (f", or run `accelreport data fetch {entry.name}`." if entry.files else "."),
        )
    return sample


def read_sample(sample: DataSample) -> list[Contents]:
    """Read a sample's files, in the order of the catalogue's.

    Raises:
        DataCorrupt: when a file is not the one that was shipped.
    """
    return [_read(file) for file in sample.files]


def _read(file: SampleFile) -> Contents:
    path = FOLDER / file.path
    place = path if path.is_file() else path.with_name(path.name + PACKED)
    try:
        data = place.read_bytes()
    except OSError as error:
        raise DataCorrupt(place, f"{error.strerror or error}.", remedy=_REMEDY) from error
    sha256 = hashlib.sha256(data).hexdigest()
    if sha256 != file.sha256:
        raise DataCorrupt(place, "It differs from the sample in the package.", remedy=_REMEDY)
    whole = data if place == path else gzip.decompress(data)
    return Contents(path, whole, sha256, official=False, remedy=_REMEDY)


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


def status(entry: CatalogueEntry) -> DatasetStatus:
    """Whether the files of a data set are here, and whose they are."""
    root = data_root()
    pins = read_pins(root)
    places = [(file, locate(file, root)) for file in entry.files]
    present = tuple(root / form.path for _, form in places if form is not None)
    missing = [file for file, form in places if form is None]
    sizes = [file.size for file in missing]
    right = all(
        checksum(root / form.path) == published(form, pins)
        for _, form in places
        if form is not None
    )
    return DatasetStatus(
        entry=entry,
        state=_state(entry, present=len(present), right=right),
        present=present,
        missing=tuple(file.path for file in missing),
        bytes=sum(path.stat().st_size for path in present),
        download_bytes=None if None in sizes else sum(size or 0 for size in sizes),
        sample=samples()[entry.name].kept if entry.name in samples() else "",
    )


def where() -> DataFolder:
    """The data folder and whether it can be written."""
    root = data_root()
    return DataFolder(
        root=root,
        chosen_by="ACCELREPORT_DATA" if os.environ.get("ACCELREPORT_DATA") else "default",
        exists=root.is_dir(),
        writable=may_write(root),
        free_bytes=shutil.disk_usage(_nearest(root)).free,
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
