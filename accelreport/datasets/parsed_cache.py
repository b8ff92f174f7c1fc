"""Arrays that took long to parse, kept beside the files they came from.

Each is one file under `derived/` in the data folder, named by the checksum of its source
and the version of the parser: the SHA-256 of what follows, then an `.npz`. A damaged one is
made anew. In a folder that cannot be written nothing is kept.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from accelreport.atomic import write_parts
from accelreport.datasets.base import Arrays
from accelreport.datasets.cache import data_root, may_write

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
    path = data_root() / "derived" / f"{name}-{version}-{sha256[:32]}.sealed"
    kept = _read(path)
    if kept is not None:
        return kept
    arrays = make()
    _write(path, arrays)
    return arrays


def _read(path: Path) -> Arrays | None:
    try:
        whole = path.read_bytes()
    except OSError:
        return None
    seal, content = whole[:_SEAL_BYTES], whole[_SEAL_BYTES:]
    if hashlib.sha256(content).digest() != seal:
        return None
    with np.load(io.BytesIO(content), allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


def _write(path: Path, arrays: Arrays) -> None:
    """Keep arrays; that is an aid only, so a folder without room or right is no error."""
    if not may_write(path.parent):
        return
    named: dict[str, Any] = dict(arrays)
    stream = io.BytesIO()
    np.savez(stream, allow_pickle=False, **named)
    content = stream.getvalue()
    with contextlib.suppress(OSError):
        path.parent.mkdir(exist_ok=True)
        write_parts(path, (hashlib.sha256(content).digest(), content), durable=False)
