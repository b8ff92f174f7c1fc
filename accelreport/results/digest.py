"""What a results folder holds, as one number, without reading what the files mean."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from accelreport.results.naming import listing
from accelreport.results.problems import UnreadableFile
from accelreport.results.reading import read_bytes, to_bytes
from accelreport.results.store import Store


def content_digest(store: Store) -> str:
    """SHA-256 over the names and bytes of all plans and records.

    Plans that are shown instead of others, or left out, are part of it.

    Raises:
        ResultsError: a folder cannot be read.
    """
    found = hashlib.sha256()
    for folder in (store.planned, store.cells):
        for path in listing(folder):
            name = os.fsencode(f"{folder.name}/{path.name}")
            found.update(b"%s\0%s\n" % (name, _content(path).encode()))
    for plan in store.shown_instead:
        found.update(to_bytes(plan))
    for spec, profile in sorted(store.left_out):
        found.update(os.fsencode(f"left out: {spec}\0{profile}\n"))
    return found.hexdigest()


def _content(path: Path) -> str:
    try:
        return hashlib.sha256(read_bytes(path)).hexdigest()
    except (UnreadableFile, FileNotFoundError) as error:
        return str(error)
