"""Folders of records, and disks that take no more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from accelreport.results.record import Record
from accelreport.results.store import Store
from tests.support.disks import read_only_folder, tiny_disk

__all__ = ["Folder", "folder", "read_only_folder", "tiny_disk"]

Folder = Callable[[Sequence[Record]], Path]


@pytest.fixture
def folder(tmp_path_factory: pytest.TempPathFactory) -> Folder:
    """Makes a results folder of records."""

    def make(records: Sequence[Record]) -> Path:
        root = tmp_path_factory.mktemp("results")
        store = Store(root)
        store.prepare()
        for record in records:
            store.write(record)
        return root

    return make
