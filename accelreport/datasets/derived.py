"""Arrays that took long to parse, kept beside the files they came from.

Each is one `.npz` under `derived/` in the data folder, named by the checksum of its source
and the version of the parser, and holding its own fingerprint: a damaged or foreign one is
made anew. In a folder that cannot be written nothing is kept.
"""

from __future__ import annotations

import contextlib
import os
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from accelreport.datasets.cache import data_root
from accelreport.datasets.fingerprint import Arrays, fingerprint

_SEAL = "fingerprint"


def derived(name: str, version: int, sha256: str, make: Callable[[], Arrays]) -> Arrays:
    """Arrays made from a file, from the cache when they are there.

    Args:
        name: name of the data set.
        version: version of the parser; another one makes the arrays anew.
        sha256: checksum of the file.
        make: parses it.

    Returns:
        What `make` returns, or returned before.
    """
    path = data_root() / "derived" / f"{name}-{version}-{sha256[:32]}.npz"
    kept = _read(path)
    if kept is not None:
        return kept
    arrays = make()
    _write(path, arrays)
    return arrays


def _read(path: Path) -> Arrays | None:
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except (OSError, ValueError, EOFError, zipfile.BadZipFile, KeyError, MemoryError):
        return None
    seal = arrays.pop(_SEAL, None)
    if seal is None or str(seal) != fingerprint(arrays, {}):
        return None
    return arrays


def _write(path: Path, arrays: Arrays) -> None:
    """Keep arrays; that is an aid only, so a folder without room or right is no error."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    with contextlib.suppress(OSError):
        path.parent.mkdir(exist_ok=True)
        try:
            with draft.open("wb") as file:
                sealed: dict[str, Any] = {**arrays, _SEAL: np.array(fingerprint(arrays, {}))}
                np.savez(file, allow_pickle=False, **sealed)
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)
