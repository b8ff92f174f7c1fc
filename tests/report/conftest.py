"""Sites that are built once for all tests of their pages, whichever worker they run in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from accelreport.results.store import Store
from tests.report.golden.kinds import SiteName, build_sites
from tests.report.scenarios import attacked, ordinary
from tests.report.tree import Element, parse
from tests.support.edited import EXAMPLE
from tests.support.sites import build, one_start
from tests.support.workers import made_once


@pytest.fixture(scope="module")
def builds_start_one_engine() -> Iterator[None]:
    """Many small builds: the engine takes longer to start than their charts to draw."""
    with one_start():
        yield


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The ordinary site."""
    return made_once(tmp_path_factory, "site", lambda out: build(ordinary(), out))


@pytest.fixture(scope="session")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of the results that are shipped."""
    return made_once(tmp_path_factory, "example", lambda out: build(Store(EXAMPLE), out))


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
    names: tuple[SiteName, ...] = ("small", "single", "runs", "frameworks")
    every = made_once(tmp_path_factory, "every", lambda out: build_sites(out, ordinary_site=site))
    return {"ordinary": site, **{name: every / name for name in names}}


@pytest.fixture(scope="session")
def attacked_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site whose every text is hostile."""
    made = made_once(tmp_path_factory, "attacked", lambda out: build(attacked(), out / "site"))
    return made / "site"
