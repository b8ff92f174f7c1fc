"""A page of repeats that were added until it was decided says so, and keeps its level."""

from __future__ import annotations

import pytest

from accelreport.analysis.sequential import UntilDecided
from accelreport.report.frames import speedups_frame
from accelreport.report.notices import notices_of
from accelreport.report.site.assembly import gather
from accelreport.results.store import Store
from tests.support.records import Study, study


@pytest.fixture
def made() -> Study:
    return study(devices=("cpu", "gpu"), axes={}, repeats=5)


def test_a_page_tells_of_added_repeats_and_its_intervals_are_those_of_one_look(
    made: Study, tmp_path_factory: pytest.TempPathFactory
) -> None:
    rows, notices = [], []
    for looks in (None, UntilDecided(10).looks(3)):
        store = Store(tmp_path_factory.mktemp("results"))
        store.write_plan(made.plan.model_copy(update={"until_decided": looks}))
        for record in made.records:
            store.write(record)
        (bench,) = gather(store)
        rows.append(
            next(
                row
                for row in speedups_frame(bench.plan, bench.compared).to_dict("records")
                if row["device"] == "gpu"
            )
        )
        notices.append([notice for notice in notices_of([bench]) if "Repeated" in notice.title])
    assert notices[0] == []
    (told,) = notices[1]
    assert "Looks after 3, 5 and 10 repeats" in told.text
    plain, looked = rows
    assert looked["speedup"] == plain["speedup"]
    assert looked["low"] < plain["low"] < plain["high"] < looked["high"]
    assert looked["level"] == plain["level"] == 0.95
