"""A data set `demo` of the tests' own, published on a server of this machine."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest

from accelreport.datasets.catalogue import CATALOGUE
from accelreport.datasets.download import RetryPolicy
from accelreport.datasets.entry import CatalogueEntry, RemoteFile

QUICK = RetryPolicy(connect_s=2, read_s=2, tries=3, pause_s=0.001)
PATH = "demo/file.bin"
BODY = np.random.default_rng(0).bytes(300_000)


def only(*files: RemoteFile) -> CatalogueEntry:
    """A data set of these files."""
    return CatalogueEntry("demo", "Demo", "none", files, "none", "", "", "")


def publish(monkeypatch: pytest.MonkeyPatch, *files: RemoteFile) -> None:
    """Has the catalogue know `demo` for as long as a test takes."""
    monkeypatch.setitem(CATALOGUE, "demo", only(*files))


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def left_over(folder: Path) -> list[str]:
    """Files beside the data, lock files apart."""
    names = [path.name for path in folder.rglob("*") if path.is_file()]
    return sorted(name for name in names if not name.endswith(".lock"))
