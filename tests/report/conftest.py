"""A site that is built once for all tests of its pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from accelreport.report.site.builder import build
from tests.report.golden.kinds import SiteName, build_sites
from tests.report.scenarios import attacked, ordinary
from tests.report.tree import Element, parse


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The ordinary site."""
    out = tmp_path_factory.mktemp("site")
    build(ordinary(), out)
    return out


@pytest.fixture(scope="session")
def pages(site: Path) -> dict[str, Element]:
    """Its pages, parsed, by their paths."""
    return {
        path.relative_to(site).as_posix(): parse(path.read_text(encoding="utf-8"))
        for path in sorted(site.rglob("*.html"))
    }


@pytest.fixture(scope="session")
def every_site(site: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[SiteName, Path]:
    """The sites that together hold every kind of page."""
    return build_sites(tmp_path_factory.mktemp("every"), ordinary_site=site)


@pytest.fixture(scope="session")
def attacked_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site whose every text is hostile."""
    out = tmp_path_factory.mktemp("attacked") / "site"
    build(attacked(), out)
    return out
