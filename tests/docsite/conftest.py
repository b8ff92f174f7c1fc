"""The documentation, built once, as `make docs` builds it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.tree import ROOT
from tests.report.tree import Element, parse
from tests.support.workers import made_once


def sphinx(docs: Path, out: Path, *, builder: str = "html") -> subprocess.CompletedProcess[str]:
    """Builds the documentation; every warning, a broken link too, is an error."""
    options = ("--fail-on-warning", "--nitpicky", "--quiet", "--builder", builder)
    kept = ("--doctree-dir", f"{out}-doctrees")
    return subprocess.run(
        [sys.executable, "-m", "sphinx", *options, *kept, str(docs), str(out)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the site."""

    def build(out: Path) -> None:
        done = sphinx(ROOT / "docs", out)
        assert done.returncode == 0, done.stderr

    return made_once(tmp_path_factory, "docs", build)


@pytest.fixture(scope="session")
def documents(built: Path) -> dict[str, Element]:
    """Its pages, parsed, by their names from the site's root."""
    return {
        path.relative_to(built).as_posix(): parse(path.read_text(encoding="utf-8"))
        for path in sorted(built.rglob("*.html"))
    }
