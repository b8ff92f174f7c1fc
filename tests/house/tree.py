"""The files of this project, as the tests of the house read them."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
"""The folder that holds `pyproject.toml`."""

CODE = ("accelreport", "tests", "benchmarks", "docsite")
"""Folders of Python code."""

BINARY = {".png", ".gz", ".zip", ".npz", ".ico", ".woff2"}
"""Endings of files that hold no text."""

LEFT_BEHIND = {".hypothesis", ".mypy_cache", ".pytest_cache", ".ruff_cache", "__pycache__"}
LEFT_BEHIND |= {"PKG-INFO"}
"""What stands in an unpacked source archive and was not kept by git."""


@cache
def files() -> tuple[Path, ...]:
    """Every file that git keeps, absolute; a file deleted but not committed is left out.

    A source archive holds these and no others; what tests leave there is hidden or Python's own.
    """
    if (ROOT / "PKG-INFO").exists():
        found = (path for path in ROOT.rglob("*") if path.is_file())
        return tuple(sorted(path for path in found if not LEFT_BEHIND & set(path.parts)))
    listed = subprocess.run(
        # In a container the checkout may belong to another user, which git would refuse.
        ["git", "-c", f"safe.directory={ROOT}", "ls-files", "-z"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    paths = [ROOT / name for name in listed.stdout.split("\0") if name]
    return tuple(path for path in paths if path.is_file())


def texts() -> Iterator[tuple[str, str]]:
    """Name (relative to the root) and text of every file that holds text."""
    for path in files():
        if path.suffix not in BINARY:
            yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")


def sources(*folders: str) -> Iterator[tuple[str, ast.Module]]:
    """Name (relative to the root) and syntax tree of every Python file below the folders."""
    for path in files():
        name = path.relative_to(ROOT).as_posix()
        if path.suffix == ".py" and name.split("/")[0] in folders:
            yield name, _parsed(path)


def module_name(name: str) -> str:
    """`accelreport/spec/__init__.py` → `accelreport.spec`."""
    return name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


@cache
def _parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
