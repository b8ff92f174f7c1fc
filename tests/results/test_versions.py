"""Measurements of other versions of the specs are counted, and what shows them shows them."""

from __future__ import annotations

from pathlib import Path

import pytest

from accelreport.report.notices import versions_notice
from accelreport.report.pages.index import index_page
from accelreport.report.site.assembly import gather
from accelreport.results.store import Store
from accelreport.results.versions import OtherVersions, other_versions
from accelreport.runner.plan_documents import choose, refresh
from accelreport.runner.prepare import Request, prepare
from tests.runner.scripted import a_record
from tests.support.program import DEVICES, MATMUL, MNIST, call, write_specs

DAY, NEXT_DAY = "2026-05-03T10:00:00+00:00", "2026-05-04T10:00:00+00:00"


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    return write_specs(tmp_path)


def measure(specs: Path, day: str = DAY, **wishes: object) -> None:
    """Leave the plans and records that a run of the specs leaves; a TPU is not here."""
    store = Store(specs.parent / "results")
    prepared = prepare(
        Request([specs], store.root, **wishes),  # type: ignore[arg-type]
        waiting=lambda reason: None,
    )
    store.prepare()
    for document in prepared.documents:
        store.write_plan(document)
    for planned in prepared.plan.cells:
        if planned.action != "done":
            # As on a machine that has the data, whichever this one has.
            absent = planned.missing is not None and planned.missing.kind == "no-device"
            store.write(a_record(planned.cell, "skipped" if absent else "ok", finished_at=day))


def edit(specs: Path, name: str, old: str, new: str) -> None:
    path = specs / f"{name}.toml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def shown(specs: Path, *, only: tuple[str, ...] = (), fresh: bool = True) -> Store:
    """The results as a build reads them."""
    store = Store(specs.parent / "results")
    if fresh:
        assert refresh(store, specs) == []
    choose(store, only=only)
    return store


def hidden(specs: Path, *, only: tuple[str, ...] = (), fresh: bool = True) -> OtherVersions | None:
    return other_versions(shown(specs, only=only, fresh=fresh))


def test_nothing_is_told_while_the_specs_ask_for_what_was_measured(specs: Path) -> None:
    measure(specs)
    measure(specs, overrides={"measure.repeats": 4})
    measure(specs, overrides={"workload.data": "synthetic"})
    assert hidden(specs) is None, "trials and repeats are no other versions"
    edit(specs, "mnist", "A small sweep", "A better title")
    edit(specs, "matmul", "repeats = 1", "repeats = 3")
    assert hidden(specs) is None
    assert hidden(specs, only=("matmul",)) is None


def test_an_edit_of_one_key_tells_how_many_of_what_since_when_and_what_differs(
    specs: Path,
) -> None:
    measure(specs)
    edit(specs, "matmul", "size = 64", "size = 32")
    assert hidden(specs) == OtherVersions(1, 0, ("matmul",), ("size",), DAY, DAY)
    edit(specs, "mnist", 'dataset = "mnist"', 'dataset = "mnist"\nepochs = 2')
    both = hidden(specs)
    assert both is not None
    # Two points and two repeats on the CPU: what was skipped on a TPU is no measurement.
    assert (both.measurements, both.specs) == (1 + 4, ("matmul", "mnist"))
    assert both.differs == ("epochs", "size"), "the most frequent key comes first"
    assert hidden(specs, only=("matmul",)) == OtherVersions(1, 0, ("matmul",), ("size",), DAY, DAY)


@pytest.mark.parametrize(
    ("name", "old", "new", "key"),
    [
        ("mnist", 'dataset = "mnist"', 'dataset = "mnist"\ndata = "synthetic"', "data"),
        ("mnist", "[128, 256]", "[512]", "batch_size"),
        ("mnist", "[sweep]\nbatch_size = [128, 256]", "", "batch_size"),
        (
            "mnist",
            'dataset = "mnist"',
            'dataset = "mnist"\noptimizer = { name = "sgd", learning_rate = 1e-3 }',
            "optimizer",
        ),
        ("mnist", "repeats = 2", "repeats = 2\nwarmup_steps = 7", "warmup_steps"),
        ("mnist", "repeats = 2", "repeats = 2\nfirst_seed = 9", "seed"),
        ("devices", '[cpu]\nkind = "CPU"', '[cpu]\nkind = "CPU"\nthreads = 1', "threads"),
        ("mnist", '["cpu", "tpu"]\nbaseline = "cpu"', '["tpu"]\nbaseline = "tpu"', "devices"),
        (
            "mnist",
            'kind = "image_classification"\ndataset = "mnist"\n[sweep]\nbatch_size = [128, 256]',
            'kind = "matmul"\nsize = 64',
            "kind",
        ),
    ],
)
def test_what_differs_is_named_by_its_key(
    specs: Path, name: str, old: str, new: str, key: str
) -> None:
    measure(specs)
    if key == "kind":
        edit(specs, "mnist", '"workload.epochs" = 2\n', "")
    edit(specs, name, old, new)
    others = hidden(specs)
    assert others is not None
    assert others.differs == (key,)


def test_what_was_measured_is_shown_as_it_was_measured(specs: Path) -> None:
    measure(specs)
    edit(specs, "mnist", "repeats = 2", "repeats = 2\nwarmup_steps = 7")
    assert hidden(specs) is not None
    assert hidden(specs, fresh=False) is None
    (plan,) = (plan for plan in shown(specs, fresh=False).plans() if plan.spec == "mnist")
    assert plan.measure.warmup_steps == 20


def test_what_a_later_run_left_no_plan_of_is_shown_with_the_specs_of_that_time(
    specs: Path,
) -> None:
    measure(specs)
    edit(specs, "matmul", "size = 64", "size = 32")
    measure(specs, NEXT_DAY)
    for fresh in (True, False):
        assert hidden(specs, fresh=fresh) == OtherVersions(1, 1, ("matmul",), ("size",), DAY, DAY)
    edit(specs, "matmul", "size = 32", "size = 64")
    now = hidden(specs)
    assert now == OtherVersions(1, 0, ("matmul",), ("size",), NEXT_DAY, NEXT_DAY)


def test_the_front_page_says_it_before_its_heading(specs: Path) -> None:
    measure(specs)
    edit(specs, "matmul", "size = 64", "size = 32")
    store = shown(specs)
    others = other_versions(store)
    assert others is not None
    assert index_page(gather(store), "t", (), others).banner == versions_notice(others)
    assert index_page(gather(store), "t", ()).banner is None


@pytest.mark.e2e
def test_terminal_and_page_say_the_same_until_it_is_shown_as_measured(tmp_path: Path) -> None:
    specs = write_specs(tmp_path, devices=DEVICES, matmul=MATMUL, mnist=MNIST)
    measure(specs)
    assert "not shown" not in call(tmp_path, "build").stderr
    edit(specs, "matmul", "size = 64", "size = 32")
    others = hidden(specs)
    assert others is not None
    notice = versions_notice(others)
    page = tmp_path / "site" / "index.html"
    for arguments in ((), ("--single-file", "--out", "site/index.html")):
        if arguments:
            page.unlink()
        told = call(tmp_path, "build", *arguments)
        assert told.returncode == 0, told.stderr
        assert f"warning: {notice.title} {notice.text}" in told.stderr.splitlines()
        html = page.read_text(encoding="utf-8")
        assert html.index(notice.text) < html.index("<h1")
    page.unlink()
    told = call(tmp_path, "build", "--as-measured")
    assert (told.returncode, told.stderr) == (0, "")
    assert notice.title not in page.read_text(encoding="utf-8")
