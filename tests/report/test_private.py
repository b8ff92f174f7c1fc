"""Nothing that is built of records names who measured, where, or beside which programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from accelreport.api import load_results
from accelreport.report.comparison import compare_folders
from accelreport.report.pages.compare import comparison_html
from accelreport.report.site.options import BuildOptions
from accelreport.results.reading import plan_file_name, to_bytes
from accelreport.results.store import Store
from tests.support import sites
from tests.support.private import found_in, old_studies

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A results folder as an earlier version left it, with a file that cannot be read."""
    root = tmp_path_factory.mktemp("results") / "results"
    store = Store(root)
    store.prepare()
    for one in old_studies():
        name = plan_file_name(one.plan.spec, one.plan.profile)
        (store.planned / name).write_bytes(to_bytes(one.plan))
        for record in one.records:
            store.record_path(record.key, record.machine).write_bytes(to_bytes(record))
    (store.cells / f"{'0' * 16}.0a1b2c3d.json").write_text("{")
    return root


def test_no_file_of_a_site_holds_a_name(results: Path, tmp_path: Path) -> None:
    assert found_in(results), "the records have names"
    site, single = tmp_path / "site", tmp_path / "report.html"
    options = BuildOptions(base_url="https://example.org/report/")
    sites.build(Store(results), site, options=options)
    sites.build(Store(results), single, options=BuildOptions(single_file=True))
    assert len(list(site.rglob("*"))) > 80
    assert found_in(site, single) == []


def test_what_other_formats_hold_of_the_records_has_no_name(
    results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared = compare_folders(Store(results), Store(results))
    (tmp_path / "compare.html").write_text(comparison_html(compared))
    (tmp_path / "compare.json").write_text(compared.model_dump_json())
    loaded = load_results(results)
    for name in ("cells", "speedups", "claims", "curves", "steps"):
        getattr(loaded, name).to_csv(tmp_path / f"{name}.csv")
    for number, record in enumerate(loaded.records):
        (tmp_path / f"{number}.json").write_bytes(to_bytes(record))
    assert found_in(tmp_path) == []
    monkeypatch.setenv("HOME", str(results.parent))
    for shown in (
        repr(loaded),
        loaded._repr_html_(),
        compare_folders(Store(results), Store(results)).old.name,
    ):
        assert str(results.parent) not in shown
        assert "~/results" in shown
