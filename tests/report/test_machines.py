"""Machines side by side: the same work, their times, and which differences are real."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser

from accelreport.analysis.overview import on_machines
from accelreport.analysis.speedup import Rules, groups_of
from accelreport.report.pages.machines import machines_page
from accelreport.report.pages.overview import Overview
from accelreport.report.site.assembly import gather
from accelreport.results.record import Gpu, Record
from tests.report.scenarios import THERE, Results, two_machines
from tests.report.test_browser import OVERLAPS
from tests.report.tree import Element, parse
from tests.support.browser import opened
from tests.support.records import Study, study
from tests.support.sites import build

HERE = "0a1b2c3d"


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("machines")
    build(two_machines(), out)
    return out / "compare.html"


@pytest.fixture(scope="module")
def page(compared: Path) -> Element:
    return parse(compared.read_text(encoding="utf-8"))


@pytest.mark.e2e
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_asks_for_nothing_and_fits_any_screen(
    width: int, scheme: Literal["light", "dark"], compared: Path, browser: Browser
) -> None:
    with opened(browser, compared, width=width, scheme=scheme) as shown:
        assert shown.evaluate("document.documentElement.scrollWidth") <= width
        assert shown.evaluate(OVERLAPS) == []
        (table,) = shown.locator(".matrix").all()
        assert table.evaluate("e => e.scrollWidth <= e.clientWidth")


def test_a_machine_that_is_half_as_fast_is_told_with_its_interval(page: Element) -> None:
    (table,) = [e for e in page.all("div") if "matrix" in e.attributes.get("class", "")]
    groups = {body.all("tr")[0].text: body for body in table.all("tbody")}
    here, there = groups["Example"].all("tr")[1].all("td")
    assert "baseline" in here.attributes["class"]
    assert there.text.startswith(("0.4", "0.5"))
    assert "–" in there.text
    assert "h" in there.attributes["class"]


def test_one_process_each_is_never_called_a_difference() -> None:
    one = study("matmul", spec="k", repeats=1)
    other = study("matmul", spec="k", repeats=1, machine=THERE, seed=7, factors={"cpu": 9.0})
    results = Results((replace(one, records=one.records + other.records),))
    (bench,) = gather(results)
    found = on_machines(groups_of(bench.results), HERE, Rules())
    assert {str(each.over.verdict) for each in found if each.over} == {"UNDECIDED"}


def test_input_that_differs_is_shown_and_not_compared() -> None:
    (bench,) = gather(two_machines(1.0))
    results = [
        replace(each, fingerprint="another") if each.machine == THERE else each
        for each in bench.results
    ]
    found = on_machines(groups_of(results), HERE, Rules())
    assert any(each.over for each in found)
    assert not any(each.over and each.over.estimate for each in found)
    assert all(each.group.seconds().value > 0 for each in found)


def test_a_machine_that_shares_no_device_is_none_of_those_compared() -> None:
    asked: dict[str, Any] = {"spec": "k", "repeats": 2, "devices": ("cpu", "gpu")}
    made = study("matmul", **asked)
    records = tuple(
        record
        for machine, device in ((HERE, "cpu"), (THERE, "cpu"), ("cccccccc", "gpu"))
        for record in study("matmul", machine=machine, **asked).records
        if record.cell.device == device
    )
    page = machines_page(gather(Results((replace(made, records=records),))))
    assert page is not None
    assert "cccccccc" not in repr(page.sections)


def test_the_front_page_leads_to_it_only_where_there_is_something_to_compare(
    tmp_path: Path,
) -> None:
    build(two_machines(1.0), tmp_path / "two")
    build(Results((study("matmul", spec="k", repeats=1),)), tmp_path / "one")
    assert 'href="compare.html"' in (tmp_path / "two" / "index.html").read_text(encoding="utf-8")
    assert not (tmp_path / "one" / "compare.html").exists()
    assert "compare.html" not in (tmp_path / "one" / "index.html").read_text(encoding="utf-8")


def _slower_all_round() -> Results:
    """Two machines, one of which has a slower GPU and a CPU that is slower yet."""
    asked: dict[str, Any] = {"spec": "k", "repeats": 5, "devices": ("cpu", "gpu")}
    asked["axes"] = {"size": (1024,)}
    one = study("matmul", **asked)
    other = study("matmul", machine=THERE, seed=7, factors={"cpu": 4.0, "gpu": 2.0}, **asked)
    return Results((replace(one, records=one.records + other.records),))


def test_the_headline_names_no_device_that_is_slower_than_one_on_another_machine(
    tmp_path: Path,
) -> None:
    build(_slower_all_round(), tmp_path)
    described = {
        name: next(
            each.attributes["content"]
            for each in parse((tmp_path / name).read_text(encoding="utf-8")).all("meta")
            if each.attributes.get("name") == "description"
        )
        for name in ("index.html", "k.full.html")
    }
    assert described["k.full.html"].startswith(f"Example T4 on machine {HERE} multiplies")
    assert f"as fast as Example on machine {HERE}" in described["k.full.html"]
    ahead, _, _ = described["index.html"].partition(" as fast as ")
    assert HERE in ahead
    assert THERE not in ahead
    (row,) = Overview(gather(_slower_all_round())).rows
    assert row.row.base.machine == HERE


def test_devices_of_several_machines_are_called_by_their_hardware() -> None:
    """A fingerprint says nothing to a reader: it stands only where the hardware is the same."""

    def on(made: Study, gpu: str) -> tuple[Record, ...]:
        return tuple(
            each.model_copy(
                update={
                    "environment": each.environment.model_copy(update={"gpus": [Gpu(name=gpu)]})
                }
            )
            for each in made.records
            if each.environment
        )

    one = study("matmul", spec="k", repeats=1, devices=("cpu", "gpu"))
    other = study("matmul", spec="k", repeats=1, devices=("cpu", "gpu"), machine=THERE)
    both = on(one, "Tesla T4") + on(other, "NVIDIA A100-SXM4-40GB")
    (bench,) = gather(Results((replace(one, records=both),)))
    titles = {(each.device, each.machine): each.title for each in bench.series}
    assert titles["gpu", HERE] == "Tesla T4"
    assert titles["gpu", THERE] == "A100-SXM4-40GB"
    assert titles["cpu", HERE] == f"Example on machine {HERE}", "the same processor"
    alike = on(one, "Tesla T4") + on(other, "Tesla T4")
    (bench,) = gather(Results((replace(one, records=alike),)))
    titles = {(each.device, each.machine): each.title for each in bench.series}
    assert titles["gpu", HERE] == f"Tesla T4 on machine {HERE}"
