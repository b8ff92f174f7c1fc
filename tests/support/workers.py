"""What the workers of one call of pytest share, so that it is made once."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock


def common_folder(factory: pytest.TempPathFactory) -> Path:
    """The folder for temporary files that all workers of one call of pytest share."""
    own = factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """A folder that one worker makes, and all of them read; nobody may write to it afterwards.

    Args:
        factory: pytest's.
        name: of the folder.
        make: given a place where nothing is yet, leaves a file or a folder there.
    """
    root = common_folder(factory) / "made_once"
    root.mkdir(exist_ok=True)
    with FileLock(root / f"{name}.lock"):
        whole = root / f"{name}.whole"
        if not whole.exists():
            make(root / name)
            whole.touch()
    return root / name
