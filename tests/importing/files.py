"""A spec to import into, and somebody's files."""

from __future__ import annotations

from pathlib import Path

from accelreport.importing.formats import reader_of
from accelreport.importing.published import Composed, RowDefaults, composed, selected
from accelreport.importing.reader import Asked, Readout, read_given

DEVICES = 'schema = 1\n[cpu]\nkind = "CPU"\n[gpu]\nkind = "GPU"\n'

SPEC = """\
# A comment that stays.
schema = 1
title = "Batches"   # and this one
devices = ["cpu", "gpu"]

[workload]
kind = "image_classification"

[sweep]
batch_size = [256, 512]
"""

SOURCE: dict[str, str | int] = {"title": "A page", "url": "https://example.org/page", "year": 2018}
"""Who published it, complete."""


def a_spec(folder: Path, text: str | bytes = SPEC) -> Path:
    """A spec beside a devices file."""
    (folder / "devices.toml").write_text(DEVICES)
    spec = folder / "batches.toml"
    spec.write_bytes(text.encode() if isinstance(text, str) else text)
    return spec


def a_file(folder: Path, content: str | bytes, name: str = "figures.csv") -> Path:
    """Somebody's file."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def read(path: Path, asked: Asked | None = None) -> Readout:
    """What a file says."""
    given = read_given(path)
    return reader_of(given).read(given, asked or Asked())


def rows(path: Path, asked: Asked | None = None, **select: str) -> list[Composed]:
    """The rows of a file, on the device `gpu` and cited."""
    found = selected(read(path, asked).rows, select)
    return composed(found, RowDefaults(path.name, device="gpu", label="Theirs", source=SOURCE))
