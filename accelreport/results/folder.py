"""Results folders that must be there already."""

from __future__ import annotations

from pathlib import Path

from accelreport.results.problems import ResultsError
from accelreport.results.store import Store


def existing(folder: Path) -> Store:
    """The store of a folder that a run or a merge has written.

    Raises:
        ResultsError: it is no results folder.
    """
    if not (folder / "cells").is_dir() and not (folder / "plans").is_dir():
        raise ResultsError(
            f"{folder} is no results folder.",
            why="It has neither cells/ nor plans/ inside.",
        )
    return Store(folder)
