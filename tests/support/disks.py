"""Disks that are full and folders that cannot be written, with or without root's rights."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

NOBODY = 65534


@contextmanager
def tiny(folder: Path) -> Iterator[Path]:
    """A folder that takes 256 KiB and then is full.

    A file system of its own where one may be mounted; elsewhere no file may grow above
    64 KiB, which ends a write in the middle in the same way.
    """
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(folder)]
    if shutil.which("mount") and subprocess.run(mount, capture_output=True).returncode == 0:
        try:
            yield folder
        finally:
            subprocess.run(["umount", str(folder)], check=True)
        return
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64 * 1024, limits[1]))
    try:
        yield folder
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@contextmanager
def read_only(folder: Path) -> Iterator[Path]:
    """A folder this process may not write."""
    folder.mkdir(mode=0o555)
    with without_roots_rights():
        yield folder


@contextmanager
def without_roots_rights() -> Iterator[None]:
    """Root becomes nobody for as long as it takes."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk that is full before a test is done with it."""
    with tiny(tmp_path / "tiny") as folder:
        yield folder


@pytest.fixture
def read_only_folder(tmp_path: Path) -> Iterator[Path]:
    """A folder the test may not write."""
    with read_only(tmp_path / "read-only") as folder:
        yield folder
