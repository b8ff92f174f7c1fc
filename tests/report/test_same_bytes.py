"""The same records give the same bytes, wherever and whenever they are built."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from accelreport.report.site.builder import build
from accelreport.report.site.cache import BuildManifest
from accelreport.report.site.options import BuildOptions, report_cache
from accelreport.results.store import Store
from tests.report.scenarios import ordinary
from tests.support import sites
from tests.support.records import store_of

BUILD = """
import sys
from pathlib import Path
from accelreport.report.site.builder import build
from accelreport.results.store import Store
build(Store(Path(sys.argv[1])), Path(sys.argv[2]))
"""


def digests(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("results")
    store_of(root, *ordinary().studies[1:])
    return root


@pytest.fixture(scope="module")
def here(results: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("here")
    first = sites.build(Store(results), out)
    assert first.written > first.pages
    return out


@pytest.mark.e2e
@pytest.mark.parametrize(
    "variables",
    [
        {"TZ": "Pacific/Chatham", "PYTHONHASHSEED": "1", "LC_ALL": "C"},
        {"TZ": "America/Lima", "PYTHONHASHSEED": "2", "LANG": "de_DE.UTF-8"},
    ],
)
def test_a_build_does_not_depend_on_place_time_language_or_hash_seed(
    variables: dict[str, str], results: Path, here: Path, tmp_path: Path
) -> None:
    there = tmp_path / "there"
    subprocess.run(
        [sys.executable, "-c", BUILD, str(results), str(there)],
        env=os.environ | variables, check=True, cwd=tmp_path,
    )  # fmt: skip
    assert digests(there) == digests(here)


def test_building_again_writes_nothing(results: Path, here: Path) -> None:
    # Of the first build only its figures are remembered, and none of its pages.
    BuildManifest.of(report_cache(), here).path.unlink()
    options = BuildOptions(cache=report_cache())
    assert build(Store(results), here, options=options, engines=sites.ENGINES).written == 0
