"""What `accelreport data` shows."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict

from accelreport.datasets.catalogue import CATALOGUE
from accelreport.datasets.download import FileProgress, fetch
from accelreport.datasets.status import DatasetStatus, status, where

MEBIBYTE = 2**20


def catalogue_text() -> Iterator[str]:
    """Each data set in a few lines: whether it is here, what it is, its sample, its terms."""
    for name in CATALOGUE:
        found = status(name)
        entry = found.entry
        yield f"{name}: {_state(found)}"
        yield f"  {entry.title}: {entry.shape}"
        if found.sample:
            yield f"  --data sample: {found.sample}"
        yield f"  {'; '.join(part for part in (entry.licence, entry.homepage) if part)}"


def catalogue_json() -> str:
    """The same for programs, with files and citations."""
    rows = [asdict(status(name)) for name in CATALOGUE]
    return json.dumps(rows, indent=2, default=str, ensure_ascii=False)


def place_text() -> Iterator[str]:
    """The folder, and what can be done there."""
    place = where()
    chosen = "ACCELREPORT_DATA" if place.chosen_by == "ACCELREPORT_DATA" else "the default"
    yield str(place.root)
    exists = "exists" if place.exists else "does not exist yet"
    writable = "can be written" if place.writable else "cannot be written"
    free = place.free_bytes / 2**30
    print_free = f"{free:,.1f} GiB free"
    yield f"({chosen}; {exists}; {writable}; {print_free})"


def place_json() -> str:
    """The same for programs."""
    return json.dumps(asdict(where()), indent=2, default=str)


def fetchable() -> list[str]:
    """Data sets that have published files."""
    return [name for name, entry in CATALOGUE.items() if entry.files]


def fetch_all(names: Sequence[str], *, replace: bool) -> None:
    """Fetch data sets one after the other and show how far each file is.

    Raises:
        DataUnavailable: a file cannot be had; those before it are kept.
    """
    for name in names:
        with _progress() as progress:
            paths = fetch(name, progress=progress, replace=replace)
        for path in paths:
            sys.stdout.write(f"{path}\n")


def _state(found: DatasetStatus) -> str:
    if found.state in {"missing", "incomplete"}:
        size = found.download_bytes
        to_get = f", {size / MEBIBYTE:.1f} MiB to fetch" if size is not None else ""
        return f"{found.state}{to_get}"
    return f"{found.state}, {found.bytes / MEBIBYTE:.1f} MiB" if found.bytes else found.state


@contextmanager
def _progress() -> Iterator[FileProgress]:
    """A bar for each file where somebody looks, a line for each file elsewhere."""
    if not sys.stderr.isatty():
        seen: set[str] = set()

        def tell(path: str, done: int, total: int | None) -> None:  # noqa: ARG001
            if path not in seen:
                seen.add(path)
                sys.stderr.write(f"fetching {path}\n")

        yield tell
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TaskID,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    tasks: dict[str, TaskID] = {}
    with Progress(*columns, console=Console(stderr=True)) as bars:

        def draw(path: str, done: int, total: int | None) -> None:
            if path not in tasks:
                tasks[path] = bars.add_task(path, total=total)
            bars.update(tasks[path], completed=done, total=total)

        yield draw
