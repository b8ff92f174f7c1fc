"""A cell that ended before its first steady step is measured in no count, wherever one is shown."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from accelreport.analysis.results import results_of
from accelreport.errors import ExitCode
from accelreport.report.model import Page, Table
from accelreport.report.notices import notices_of
from accelreport.report.pages.benchmark import benchmark_page
from accelreport.report.pages.benchmarks import benchmarks_page
from accelreport.report.pages.index import index_page
from accelreport.report.site.assembly import gather
from accelreport.report.view import BenchmarkView
from accelreport.runner.events import EndLine
from accelreport.runner.run import exit_code
from accelreport.terminal.listings import benchmarks, cells
from accelreport.terminal.run_text import closing
from tests.report.scenarios import Results
from tests.runner.scripted import Bench, cell
from tests.support.records import Study, store_of, study


@pytest.fixture(scope="module")
def made() -> Study:
    """Six cells: three with times, two that the budget stopped too early, one that is too short."""
    whole = study(devices=("cpu",), axes={"batch_size": (256, 512)}, repeats=3)
    early = whole.records[1], whole.records[3], whole.records[5]
    status = {early[0].key: "partial", early[1].key: "partial", early[2].key: "ok"}
    records = tuple(
        record.model_copy(update={"status": status[record.key], "blocks": record.blocks[:1]})
        if record.key in status
        else record
        for record in whole.records
    )
    return replace(whole, records=records)


@pytest.fixture(scope="module")
def bench(made: Study) -> BenchmarkView:
    (view,) = gather(Results((made,)))
    return view


def texts(page: Page) -> str:
    titles = [page.headline, *(f"{section.title} {section.detail}" for section in page.sections)]
    return " · ".join(titles).replace("\xa0", " ")


def test_its_outcome_is_neither_complete_nor_partial(made: Study) -> None:
    results = results_of(made.plan, made.records)
    assert Counter(result.outcome for result in results) == {"ok": 3, "untimed": 3}
    assert sum(result.timed for result in results) == 3


def test_pages_count_it_among_what_was_not_measured(bench: BenchmarkView) -> None:
    (table,) = [b for b in benchmarks_page([bench]).sections[0].blocks if isinstance(b, Table)]
    counts = table.groups[0].rows[0].entries[-1].lines
    assert [line.text for line in counts] == ["3 of 6", "3 no steady step"]
    own = texts(benchmark_page(bench))
    assert "Runs 3 of 6 measured · 3 not timed" in own


def test_notices_do_not_count_it_among_the_measured_ones(bench: BenchmarkView) -> None:
    (notice,) = [each for each in notices_of([bench]) if each.title == "Partial runs."]
    assert notice.text.replace("\xa0", " ") == (
        "The time budget per cell stopped 2 cells before a steady step."
    )


def test_the_list_of_results_does_not_call_it_complete_or_partial(
    made: Study, tmp_path: Path
) -> None:
    store = store_of(tmp_path / "results", made)
    (row,) = benchmarks(store)
    assert row["records"] == "3 ok, 3 untimed"
    assert Counter(row["status"] for row in cells(store, made.plan.spec)) == {
        "ok": 3,
        "untimed": 3,
    }


@pytest.mark.e2e
def test_a_run_says_how_many_have_no_time_and_what_helps(tmp_path: Path) -> None:
    end = Bench(tmp_path).run([cell(), cell(repeat=1, warmup_alone=True)])
    assert (end.ok, end.partial, end.untimed) == (1, 0, 1)
    assert exit_code(end) == ExitCode.OK
    last, remedy = closing(end)
    assert last.startswith("1 measured, 1 ended before the first steady step in ")
    assert "lower measure.warmup_steps" in remedy


def test_a_run_in_which_no_cell_has_a_time_measured_nothing() -> None:
    counts = dict.fromkeys(EndLine.model_fields, 0)
    end = EndLine.model_validate(
        {
            **counts,
            "event": "end",
            "untimed": 2,
            "stopped_by": "",
            "wall_s": 1.0,
            "results": "r",
            "left_out": {},
        }
    )
    assert next(iter(closing(end))).startswith("0 measured, 2 ended before the first steady step")
    assert exit_code(end) == ExitCode.OK


@pytest.mark.parametrize("fate", ["missing", "oom-host"])
def test_what_was_not_run_has_no_date_and_failed_only_where_a_record_says_so(fate: str) -> None:
    fates = {"cpu": fate, "gpu": "skipped"}
    made = study(devices=("cpu", "gpu"), axes={}, fate=lambda cell: fates[cell.device])
    benches = gather(Results((made,)))
    (table,) = [b for b in benchmarks_page(benches).sections[0].blocks if isinstance(b, Table)]
    failed = fate != "missing"
    assert [group.title for group in table.groups] == ["Failed" if failed else "Not run"]
    page = benchmark_page(benches[0])
    own = repr((page.opening, page.sections))
    assert ("--retry-failed" in own) is failed
    dated = "term='Measured on'", "term='Date'", "@misc{accelreport", "Planned for"
    assert not [word for word in dated if word in own]
    assert (page.measured_on, index_page(benches, "Site", ()).kicker) == ("", "")
