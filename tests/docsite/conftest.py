"""The documentation, built once."""

from __future__ import annotations

from pathlib import Path

import pytest

from docsite.site import build
from tests.report.tree import Element, parse


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the site."""
    return build(tmp_path_factory.mktemp("docs")).parent


@pytest.fixture(scope="session")
def documents(built: Path) -> dict[str, Element]:
    """Its pages, parsed, by their files' names."""
    return {
        path.name: parse(path.read_text(encoding="utf-8")) for path in sorted(built.glob("*.html"))
    }
