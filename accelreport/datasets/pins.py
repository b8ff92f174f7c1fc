"""Checksums of files whose publisher gives none: pinned when first downloaded.

`pins.json` in the data folder keeps them (trust on first use). A file that matches its pin
counts as official from then on, and the record says that its checksum is a pin.
"""

from __future__ import annotations

import datetime as dt
import json
import os
from pathlib import Path

from filelock import FileLock
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from accelreport.datasets.errors import DataCorrupt, DataUnreadable


class Pin(BaseModel):
    """What was downloaded first."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    sha256: str
    """Checksum of the file."""
    size: int
    """Bytes of the file."""
    url: str
    """Where it came from."""
    date: str
    """Day of the download, UTC, as YYYY-MM-DD."""


_PINS = TypeAdapter(dict[str, Pin])


def read_pins(root: Path) -> dict[str, Pin]:
    """The pins of a data folder by path of file; empty when there are none.

    Raises:
        DataUnreadable: when the file of pins may not be read.
        DataCorrupt: when it is damaged.
    """
    path = _path(root)
    try:
        return _PINS.validate_json(path.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise DataUnreadable(path, error) from error
    except ValidationError as error:
        raise DataCorrupt(
            path, f"It does not hold pins ({error}).", remedy="Remove it and fetch again."
        ) from error


def write_pin(root: Path, file: str, sha256: str, size: int, url: str) -> None:
    """Pin a file that was just downloaded; the file of pins is replaced whole."""
    path = _path(root)
    today = dt.datetime.now(dt.UTC).date().isoformat()
    with FileLock(f"{path}.lock"):
        pins = read_pins(root) | {file: Pin(sha256=sha256, size=size, url=url, date=today)}
        draft = path.with_name(f"{path.name}.{os.getpid()}.part")
        values = {name: pin.model_dump() for name, pin in sorted(pins.items())}
        draft.write_text(json.dumps(values, indent=2) + "\n", encoding="utf-8")
        draft.replace(path)


def _path(root: Path) -> Path:
    return root / "pins.json"
