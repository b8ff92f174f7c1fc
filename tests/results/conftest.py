"""Disks that take no more."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import disks


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    with disks.tiny_disk(tmp_path / "tiny") as folder:
        yield folder


@pytest.fixture
def read_only_folder(tmp_path: Path) -> Iterator[Path]:
    with disks.read_only(tmp_path / "read-only") as folder:
        yield folder
