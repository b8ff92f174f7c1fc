"""Packages as an installer leaves them, without an installer."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

EXAMPLE = Path(__file__).parents[1] / "example_package"
"""A package that adds a family and a data set."""


def install(folder: Path, name: str, points: Mapping[str, Mapping[str, str]]) -> None:
    """Leave what an installer leaves, so that Python finds the package's entry points."""
    metadata = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    groups = [
        f"[{group}]\n" + "\n".join(f"{key} = {value}" for key, value in entries.items())
        for group, entries in points.items()
    ]
    (metadata / "entry_points.txt").write_text("\n".join(groups))
