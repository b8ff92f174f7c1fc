"""How the files of a results folder are named, and which of them there are."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from accelreport.results.problems import ResultsError

KEY_LENGTH = 16
KEY = re.compile(rf"[0-9a-f]{{{KEY_LENGTH}}}")
MACHINE = re.compile(r"[0-9a-f]{8}")
RECORD_NAME = re.compile(rf"(?P<key>{KEY.pattern})\.(?P<machine>{MACHINE.pattern})\.json")

UNSAFE = re.compile(r"[\x00-\x1f\x7f/\\%.]")
"""Encoded in the name of a plan's file; "." too, because "a.b" + "c" and "a" + "b.c" must not
meet in one file."""


def plan_file_name(spec: str, profile: str) -> str:
    """The name of a plan's file: no two plans share one, and none leads out of the folder."""
    return f"{_file_part(spec)}.{_file_part(profile)}.json"


def _file_part(name: str) -> str:
    return UNSAFE.sub(lambda found: f"%{ord(found[0]):02X}", name) or "%"


def listing(folder: Path) -> list[Path]:
    """The documents in a folder, by name; none where there is no folder.

    Raises:
        ResultsError: the folder cannot be read.
    """
    return [folder / name for name in sorted(filter(is_document, names(folder)))]


def is_document(name: str) -> bool:
    """Whether a file of this name is a document, and none that is still being written."""
    return name.endswith(".json") and not name.startswith(".")


def names(folder: Path) -> Iterator[str]:
    """The names in a folder, in no order; none where there is no folder.

    Raises:
        ResultsError: the folder cannot be read.
    """
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                yield entry.name
    except FileNotFoundError:
        return
    except OSError as error:
        raise ResultsError(f"{folder} cannot be read.", why=f"{error.strerror}.") from error
