"""Whether files have changed, by looking at them again and again.

Looking costs little for some thousand files, and works on every platform and on network
folders, where nobody tells of changes.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path


def seen(roots: Sequence[Path]) -> str:
    """Hash of the names, sizes and times of all files below folders; hidden ones aside.

    A folder that is not there is one without files: it may be made later.
    """
    found = hashlib.sha256()
    for root in roots:
        for name, size, time in sorted(_files(root)):
            found.update(f"{name}\0{size}\0{time}\n".encode("utf-8", "surrogateescape"))
    return found.hexdigest()


def _files(root: Path) -> Iterator[tuple[str, int, int]]:
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            if not name.startswith("."):
                yield from _state(Path(folder, name))


def _state(path: Path) -> Iterator[tuple[str, int, int]]:
    try:
        status = path.stat()
    except OSError:  # removed between the listing and now
        return
    yield str(path), status.st_size, status.st_mtime_ns
