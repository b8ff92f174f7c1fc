"""Disks that are full and folders that cannot be written, with or without root's rights."""

from __future__ import annotations

import os
import resource
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

NOBODY = 65534


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder that takes 256 KiB and then is full.

    A file system of its own where one may be mounted; elsewhere no file may grow above
    64 KiB, which ends a write in the middle in the same way.
    """
    folder = tmp_path / "tiny"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode == 0:
        yield folder
        subprocess.run(["umount", str(folder)], check=True)
        return
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64 * 1024, limits[1]))
    yield folder
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@pytest.fixture
def read_only_folder(tmp_path: Path) -> Iterator[Path]:
    """A folder this process may not write: root becomes nobody for as long as it takes."""
    folder = tmp_path / "read-only"
    folder.mkdir(mode=0o555)
    root = os.geteuid() == 0
    if root:
        os.seteuid(NOBODY)
    yield folder
    if root:
        os.seteuid(0)
