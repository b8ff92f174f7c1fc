"""What builds remember saves time and nothing else: the bytes are those of a build without."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pytest

from accelreport.errors import AccelReportError
from accelreport.plugins import WORKLOADS
from accelreport.report.site import builder, cache
from accelreport.report.site.options import BuildOptions, facts_of
from accelreport.report.site.output import MANIFEST
from accelreport.results.store import Store
from tests.report.test_same_bytes import digests
from tests.support import sites
from tests.support.children import python
from tests.support.packages import EXAMPLE, install
from tests.support.records import study

build = partial(builder.build, engines=sites.ENGINES)
"""A build that starts no process for what it draws."""

REBUILD = """
import sys
from pathlib import Path
from accelreport.report.site.builder import BuildOptions, build
from accelreport.results.store import Store
results, out, cache = map(Path, sys.argv[1:4])
built = build(Store(results), out, options=BuildOptions(cache=cache))
print(built.written, "altair" in sys.modules, "pandas" in sys.modules)
"""


def _measured(root: Path, specs: Sequence[str] = ("one", "two")) -> Path:
    store = Store(root)
    for number, spec in enumerate(specs):
        made = study(
            "matmul", spec=spec, repeats=2, first_seed=100 * number, seed=number,
            devices=("cpu", "gpu"), axes={"size": (1024,)},
        )  # fmt: skip
        store.write_plan(made.plan)
        for record in made.records:
            store.write(record)
    return store.root


@dataclass(frozen=True)
class Built:
    """A site, what it was built from, and how; all of it may be changed."""

    results: Path
    out: Path
    options: BuildOptions


def _places(root: Path) -> Built:
    return Built(root / "results", root / "out", BuildOptions(cache=root / "cache"))


@pytest.fixture(scope="module")
def first_build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a site in `now`, and a copy of it in `kept`."""
    root = tmp_path_factory.mktemp("built")
    site = _places(root / "now")
    _measured(site.results)
    build(Store(site.results), site.out, options=site.options)
    shutil.copytree(root / "now", root / "kept")
    return root


@pytest.fixture
def built(first_build: Path) -> Built:
    """The site as its first build left it, in the place that the memory of it names."""
    shutil.rmtree(first_build / "now")
    shutil.copytree(first_build / "kept", first_build / "now")
    return _places(first_build / "now")


def change_a_record(results: Path) -> None:
    store = Store(results)
    record = next(record for record in store.records() if record.blocks)
    slower = [b.model_copy(update={"wall_s": 2 * b.wall_s}) for b in record.blocks]
    store.write(record.model_copy(update={"blocks": slower}))


def remove_a_record(results: Path) -> None:
    next((results / "cells").iterdir()).unlink()


def remove_a_plan(results: Path) -> None:
    next((results / "plans").iterdir()).unlink()


def damage_a_record(results: Path) -> None:
    next((results / "cells").iterdir()).write_text("{")


@pytest.mark.parametrize(
    "change", [change_a_record, remove_a_record, remove_a_plan, damage_a_record]
)
def test_a_build_that_remembers_gives_the_bytes_of_one_that_does_not(
    change: Callable[[Path], None], built: Built, tmp_path: Path
) -> None:
    change(built.results)
    build(Store(built.results), built.out, options=built.options)
    sites.build(Store(built.results), tmp_path / "fresh")
    assert digests(built.out) == digests(tmp_path / "fresh")


def test_a_build_of_what_did_not_change_loads_and_writes_nothing(built: Built) -> None:
    said = subprocess.run(
        [sys.executable, "-c", REBUILD, *map(str, (built.results, built.out, built.options.cache))],
        check=True, capture_output=True, encoding="utf-8",
    )  # fmt: skip
    assert said.stdout.split() == ["0", "False", "False"]


def test_one_changed_record_changes_five_pages_and_two_decks(built: Built) -> None:
    before = digests(built.out)
    change_a_record(built.results)
    build(Store(built.results), built.out, options=built.options)
    now = digests(built.out)
    changed = [name for name in now if now[name] != before[name] and name.endswith(".html")]
    (cell,) = [name for name in changed if name.startswith("cells/")]
    (deck,) = [name for name in changed if name.endswith(".full.slides.html")]
    benchmark = deck.replace(".slides.html", ".html")
    of_all = {"index.html", "benchmarks.html", "ceilings.html", "slides.html"}
    assert set(changed) == {cell, benchmark, deck, *of_all}


def test_a_page_that_was_edited_or_removed_is_made_again(built: Built) -> None:
    before = digests(built.out)
    (built.out / "index.html").write_text("edited")
    (built.out / "one.full.html").unlink()
    assert build(Store(built.results), built.out, options=built.options).written == 2
    assert digests(built.out) == before


def test_another_title_or_template_is_another_site(built: Built, tmp_path: Path) -> None:
    again, mine = replace(built.options, title="Of ours"), tmp_path / "mine"
    assert build(Store(built.results), built.out, options=again).written >= 10
    mine.mkdir()
    for text in ("<p>first</p>", "<p>second</p>"):
        (mine / "index.html").write_text(text)
        build(Store(built.results), built.out, options=replace(built.options, templates=mine))
        assert (built.out / "index.html").read_text() == text


def test_a_page_whose_family_a_package_changed_is_made_again(tmp_path: Path) -> None:
    store, site, code = Store(tmp_path / "results"), tmp_path / "site", tmp_path / "code"
    made = study("training", devices=("cpu",), repeats=1)
    store.write_plan(made.plan.model_copy(update={"workload": {"kind": "points"}}))
    shutil.copytree(EXAMPLE / "accelreport_example", code / "accelreport_example")
    family = code / "accelreport_example/points.py"
    page = tmp_path / "out" / f"{made.plan.spec}.full.html"
    (tmp_path / "cache" / "figures").mkdir(parents=True)  # else an engine starts for no figure
    install(site, "example", {WORKLOADS: {"points": "accelreport_example.points:FAMILY"}})

    def rebuild() -> str:
        arguments = map(str, (store.root, tmp_path / "out", tmp_path / "cache"))
        said = python("-c", REBUILD, *arguments, paths=[site, code])
        assert said.returncode == 0, said.stderr
        return page.read_text(encoding="utf-8")

    assert "Points of the plane" in rebuild()
    family.write_text(family.read_text().replace("Points of the plane", "Rings of two colours"))
    assert "Rings of two colours" in rebuild()
    shutil.rmtree(site)
    assert "Rings of two colours" not in rebuild()


@pytest.mark.parametrize("name", ["report/site/own_fonts.conf", "analysis/hardware.toml"])
def test_data_that_the_code_reads_are_part_of_what_a_page_depends_on(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / name
    data.parent.mkdir(parents=True)
    shutil.copy(cache.PACKAGE / name, data)
    monkeypatch.setattr(cache, "PACKAGE", tmp_path)
    options = BuildOptions()
    before = cache.build_fingerprint(options, facts_of(options))
    data.write_text(data.read_text().replace("1", "2"))
    assert cache.build_fingerprint(options, facts_of(options)) != before


def test_a_file_that_cannot_be_read_is_named_by_every_build(built: Built) -> None:
    damage_a_record(built.results)
    for _ in range(2):
        store = Store(built.results)
        build(store, built.out, options=built.options)
        assert len(store.problems) == 1


def test_what_is_remembered_may_be_damaged_or_lost(built: Built) -> None:
    before = digests(built.out)
    assert built.options.cache is not None
    for number, path in enumerate(sorted(built.options.cache.rglob("*"))):
        if path.is_file():
            path.write_bytes((b"", b"{", b"x" * 100)[number % 3])
    assert build(Store(built.results), built.out, options=built.options).written == 0
    assert digests(built.out) == before


def test_a_build_that_fails_leaves_the_site_as_it_was(built: Built, tmp_path: Path) -> None:
    before, mine = digests(built.out), tmp_path / "mine"
    mine.mkdir()
    (mine / "page.html").write_text("{{ page.nothing_of_that_name }}")
    with pytest.raises(AccelReportError, match=r"page.html, line 1"):
        build(Store(built.results), built.out, options=replace(built.options, templates=mine))
    assert digests(built.out) == before
    assert MANIFEST in before
