"""What people and programs see of repeats that are added until it is decided."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from accelreport.analysis.sequential import UntilDecided
from accelreport.errors import ExitCode
from accelreport.loader.load import load
from accelreport.results.plan_document import PlanDocument, plan_document
from accelreport.results.store import Store, content_digest
from accelreport.runner.events import CellName, LookedAt, LookLine, named, plan_line
from accelreport.runner.plan_documents import extended, refresh, repeated
from accelreport.runner.prepare import Prepared, Request, prepare
from accelreport.terminal.live import LiveProgress
from accelreport.terminal.progress import JsonLines, PlainLines
from tests.runner.scripted import Bench, cells
from tests.support.program import call, write_specs

DEVICES = """
schema = 1
[cpu]
kind = "CPU"
[cpu-1]
kind = "CPU"
threads = 1
[tpu]
kind = "TPU"
strategy = "tpu"
"""

PRODUCTS = """
schema = 1
title = "Products"
devices = ["cpu", "cpu-1", "tpu"]
baseline = "cpu"
[workload]
kind = "matmul"
size = 64
[sweep]
count = [10, 20]
[measure]
repeats = 3
"""


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    return write_specs(tmp_path, devices=DEVICES, products=PRODUCTS)


def ask(specs: Path, *, most: int = 0, **wishes: object) -> Prepared:
    rule = UntilDecided(most) if most else None
    request = Request([specs], specs.parent / "results", stopping_rule=rule, **wishes)  # type: ignore[arg-type]
    return prepare(request, waiting=lambda reason: None)


def added(specs: Path, upto: int = 5) -> PlanDocument:
    """A plan document in the results folder as a run leaves it that added repeats."""
    (spec,) = load([specs]).specs
    cells = [
        repeated(cell, repeat)
        for repeat in range(3, upto)
        for cell in spec.cells
        if cell.repeat == 0 and cell.device != "tpu"
    ]
    document = extended(plan_document(spec, {}), cells, UntilDecided(20).looks(3))
    Store(specs.parent / "results").write_plan(document)
    return document


def test_a_plan_knows_the_most_that_may_be_added(specs: Path) -> None:
    # Two points, one of two other devices here, baseline and device, repeats 3 to 9.
    prepared = ask(specs, most=10)
    assert len(prepared.plan.further) == 2 * 2 * 7
    assert {cell.device for cell in prepared.plan.further} == {"cpu", "cpu-1"}
    assert {cell.seed for cell in prepared.plan.further} == set(range(3, 10))
    (document,) = prepared.documents
    assert document.until_decided is not None
    assert document.until_decided.at == [3, 5, 10]
    assert len(document.cells) == 18, "what may be added is not planned yet"
    assert not (specs.parent / "results").exists()


@pytest.mark.parametrize(
    ("wishes", "more"),
    [
        ({"filters": ["count=10"]}, 2 * 17),
        ({"devices": ["cpu-1"]}, 0),
        ({"filters": ["repeat=0"]}, 0),
        ({"overrides": {"measure.repeats": 20}}, 0),
        ({"overrides": {"measure.repeats": 1}}, 2 * 2 * 19),
    ],
)
def test_repeats_are_added_only_where_whole_comparisons_are_run(
    specs: Path, wishes: dict[str, object], more: int
) -> None:
    assert len(ask(specs, most=20, **wishes).plan.further) == more


def test_what_was_added_is_part_of_every_later_plan(specs: Path) -> None:
    document = added(specs)
    for most in (0, 20):
        prepared = ask(specs, most=most)
        assert len(prepared.plan.cells) == 18 + 8
        assert [cell.key for cell in prepared.documents[0].cells] == [
            cell.key for cell in document.cells
        ]
    assert len(ask(specs, filters=["repeat=4"]).plan.cells) == 4


def test_a_title_that_is_edited_before_a_build_keeps_what_was_added(specs: Path) -> None:
    document = added(specs)
    path = specs / "products.toml"
    path.write_text(PRODUCTS.replace('"Products"', '"Better"'))
    store = Store(specs.parent / "results")
    assert refresh(store, specs) == []
    (after,) = store.plans()
    assert after.title == "Better"
    assert after.cells == document.cells
    assert after.until_decided == document.until_decided

    path.write_text(PRODUCTS.replace("size = 64", "size = 32"))
    refresh(store, specs)
    (after,) = store.plans()
    assert (len(after.cells), after.until_decided) == (18, None)


def test_a_spec_that_was_renamed_is_shown_once_and_by_its_new_name(specs: Path) -> None:
    document = added(specs)
    store = Store(specs.parent / "results")
    store.write_plan(document.model_copy(update={"spec": "before"}))
    elsewhere = [cell.model_copy(update={"key": f"{cell.key[:-1]}x"}) for cell in document.cells]
    store.write_plan(document.model_copy(update={"spec": "elsewhere", "cells": elsewhere}))
    before = content_digest(store)
    refresh(store, specs)
    assert sorted(plan.spec for plan in store.plans()) == ["elsewhere", "products"]
    assert content_digest(store) != before
    kept = Store(store.root)
    assert sorted(plan.spec for plan in kept.plans()) == ["before", "elsewhere", "products"]


@pytest.mark.e2e
def test_a_dry_run_tells_the_most_that_may_be_added(specs: Path) -> None:
    told = call(specs.parent, "run", "--dry-run", "--until-decided", "--most-repeats", "5")
    assert told.returncode == ExitCode.OK
    assert "while comparisons with the baseline are undecided: at most 8 more" in told.stdout
    line = json.loads(call(specs.parent, "run", "--dry-run", "--until-decided", "--json").stdout)
    assert (line["further"], line["further_at_most_s"]) == (2 * 2 * 17, 2 * 2 * 17 * 600)
    assert json.loads(call(specs.parent, "run", "--dry-run", "--json").stdout)["further"] == 0
    refused = call(specs.parent, "run", "--until-decided", "--most-repeats", "21")
    assert refused.returncode == ExitCode.USAGE


def look(**changes: object) -> LookedAt:
    base = {"spec": "s", "profile": "full", "device": "gpu", "point": {"n": 1}, "repeats": 3}
    base |= {"verdict": "UNDECIDED", "wanted": 0, "reason": ""}
    return LookedAt.model_validate(base | changes)


def test_looks_are_told_in_plain_lines_and_in_json() -> None:
    more = cells(2)
    first = LookLine(
        comparisons=[look(wanted=5), look(device="tpu", verdict="FASTER")],
        cells=[CellName(**named(cell)) for cell in more],
        todo=more,
    )
    last = LookLine(
        comparisons=[look(repeats=20, reason="20 repeats are the most allowed")], cells=[], todo=[]
    )
    plain, lines = io.StringIO(), io.StringIO()
    for line in (first, last):
        PlainLines(plain).on(line)
        JsonLines(lines).on(line)
    assert plain.getvalue().splitlines() == [
        "1 of 2 comparisons with the baseline decided: adds 2 cells, up to 5 repeats",
        "0 of 1 comparison with the baseline decided",
        "  s gpu n=1: UNDECIDED after 20 repeats; 20 repeats are the most allowed",
    ]
    told = [json.loads(line) for line in lines.getvalue().splitlines()]
    assert [each["event"] for each in told] == ["look", "look"]
    assert "todo" not in told[0]
    assert len(told[0]["cells"]) == 2


def test_the_live_display_counts_the_cells_that_are_added(tmp_path: Path) -> None:
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, width=100)
    plan = Bench(tmp_path).plan(cells(2))
    with LiveProgress(console, plan) as live:
        live.on(plan_line(replace(plan, further=tuple(cells(6)[2:])), tmp_path))
        live.on(LookLine(comparisons=[look(wanted=5)], cells=[], todo=cells(6)[2:]))
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", out.getvalue())
    assert "at most 4 more" in shown
    assert "0/6 cells" in shown
