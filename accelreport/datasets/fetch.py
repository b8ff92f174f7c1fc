"""Download the published files of a data set into the cache, once and verified.

`ACCELREPORT_MIRROR` names a base URL from which every file is taken by its place in the
cache instead (`BASE/mnist/train-images-idx3-ubyte.gz`); checksums hold all the same.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote, urlsplit

from filelock import FileLock, Timeout

from accelreport.datasets.cache import checksum, data_root, locate, may_write, published
from accelreport.datasets.entry import MEBIBYTE, CatalogueEntry, RemoteFile
from accelreport.datasets.errors import DataError, DataUnavailable
from accelreport.datasets.find import find
from accelreport.datasets.goal import Goal, Patience, discard
from accelreport.datasets.pins import read_pins, write_pin
from accelreport.datasets.transfer import download

FileProgress = Callable[[str, int, int | None], None]
"""Told a file's path in the cache, its bytes that are here, and its size if known."""

LOCK_TIMEOUT_S = 3600.0
"""Seconds to wait for another process that downloads the same file."""

_SPARE = 16 * MEBIBYTE


def fetch(
    name: str,
    *,
    progress: FileProgress | None = None,
    replace: bool = False,
    patience: Patience | None = None,
) -> list[Path]:
    """Download what is missing of a data set.

    A download that breaks off goes on where it stopped, now or at the next call. Nothing
    appears under a file's name before its checksum is right.

    Args:
        name: name in the catalogue.
        progress: told how far each file is.
        replace: download again, instead of files that are not the published ones.
        patience: how long to wait for a server.

    Returns:
        Where the files lie.

    Raises:
        DataUnavailable: when a file cannot be had, or another one stands in its place and
            `replace` is not set.
    """
    entry = find(name)
    if not entry.files:
        raise DataUnavailable(
            f"The data set {name} has nothing to download.", why="It reads a file of your own."
        )
    root = data_root()
    report = progress or (lambda _path, _done, _total: None)
    return [
        _fetch_file(entry, file, root, report, replace=replace, patience=patience or Patience())
        for file in entry.files
    ]


def _fetch_file(
    entry: CatalogueEntry,
    file: RemoteFile,
    root: Path,
    report: FileProgress,
    *,
    replace: bool,
    patience: Patience,
) -> Path:
    target = root / file.path
    try:
        here = _in_place(entry, file, root, replace=replace)
        if here is not None:
            return here
        if not (may_write(root) and may_write(target.parent)):
            raise PermissionError(errno.EACCES, "The folder is read-only", str(root))
        target.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(f"{target}.lock", timeout=LOCK_TIMEOUT_S):
            here = _in_place(entry, file, root, replace=replace)
            return here or _bring(entry, file, root, report, patience)
    except Timeout as error:
        raise DataUnavailable(
            f"Another process has been downloading {file.path} for an hour.",
            remedy=f"Wait for it, or end it and remove {target}.lock.",
        ) from error
    except OSError as error:
        raise _disk_error(target, error) from error


def _in_place(entry: CatalogueEntry, file: RemoteFile, root: Path, *, replace: bool) -> Path | None:
    """The file when it need not be downloaded; an error when it may not be replaced."""
    form = locate(file, root)
    if form is None:
        return None
    path = root / form.path
    if checksum(path) == published(form, read_pins(root)):
        return path
    if replace:
        return None
    raise DataUnavailable(
        f"{path} is there and is not the published file, so it was left alone.",
        remedy=(
            f"Use it as it is, or run `accelreport data fetch {entry.name} --replace` "
            "to put the published file in its place."
        ),
    )


def _bring(
    entry: CatalogueEntry, file: RemoteFile, root: Path, report: FileProgress, patience: Patience
) -> Path:
    target = root / file.path
    wanted = published(file, read_pins(root))
    goal = Goal(
        url=_address(file),
        part=target.with_name(f"{target.name}.part"),
        size=file.size,
        limit=file.limit,
        checked=wanted is not None,
        remedy=(
            f"Run `accelreport data fetch {entry.name}` again to go on where it stopped, put the "
            f"file at {target} yourself, or use `--data synthetic`."
        ),
    )
    _check_room(goal, root)
    resumed = goal.part.exists()
    sha256 = download(goal, patience, lambda done, total: report(file.path, done, total))
    if resumed and wanted not in {None, sha256}:
        discard(goal)  # the part that was here may have been of another version
        sha256 = download(goal, patience, lambda done, total: report(file.path, done, total))
    if wanted not in {None, sha256}:
        discard(goal)
        raise goal.failed(
            f"What arrived is not the published file: its SHA-256 is {sha256}, not {wanted}."
        )
    size = goal.part.stat().st_size
    _settle(goal.part, target)
    goal.notes.unlink(missing_ok=True)
    if file.sha256 is None:
        write_pin(root, file.path, sha256, size, goal.url)
    return target


def _address(file: RemoteFile) -> str:
    mirror = os.environ.get("ACCELREPORT_MIRROR", "").rstrip("/")
    if not mirror:
        return file.url
    if urlsplit(mirror).scheme not in {"http", "https"}:
        raise DataUnavailable(
            f"ACCELREPORT_MIRROR is {mirror!r}, which is no http or https address.",
            remedy="Set it to the address below which the files lie, or unset it.",
        )
    return f"{mirror}/{quote(file.path)}"


def _check_room(goal: Goal, root: Path) -> None:
    here = goal.part.stat().st_size if goal.part.exists() else 0
    needed = (goal.size or 0) - here + _SPARE
    free = shutil.disk_usage(root).free
    if free < needed:
        raise OSError(errno.ENOSPC, f"{needed:,} bytes are needed, {free:,} are free")


def _settle(part: Path, target: Path) -> None:
    """Give a finished download its name so that no crash can leave half of it there."""
    with part.open("rb") as file:
        os.fsync(file.fileno())
    part.replace(target)
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _disk_error(target: Path, error: OSError) -> DataError:
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return DataUnavailable(
            f"There is no room for {target}.",
            why=f"{error.strerror}.",
            remedy="Free some space, or set ACCELREPORT_DATA to a folder on a larger disk.",
        )
    return DataUnavailable(
        f"{target} cannot be written.",
        why=f"{error.strerror or error}.",
        remedy="Set ACCELREPORT_DATA to a folder in which you may write.",
    )
