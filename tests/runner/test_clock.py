"""A wall clock that is set while a run goes on changes labels and nothing else."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import ClassVar

import pytest

from accelreport.results.reading import read_record
from accelreport.runner.launchers import base
from tests.runner.scripted import Bench, cells
from tests.support.children import bare_cell, job, python

pytestmark = pytest.mark.e2e


class Backwards(datetime):
    """A wall clock that somebody sets back by an hour whenever it is looked at."""

    looked: ClassVar[int] = 0

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]
        cls.looked += 1
        return datetime(2026, 1, 1, tzinfo=tz or UTC) - timedelta(hours=cls.looked)


def test_a_clock_that_goes_backwards_between_cells_moves_no_duration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    began = time.monotonic()
    monkeypatch.setattr(base, "datetime", Backwards)
    monkeypatch.setattr(time, "time", lambda: Backwards.now().timestamp())
    bench = Bench(tmp_path)
    chosen = cells(4, step_s=0.02)

    end = bench.run(chosen)

    took = time.monotonic() - began
    records = list(bench.store.records())
    assert (end.ok, len(records)) == (4, 4)
    assert 0 < end.wall_s < took
    for record in records:
        assert record.times.wall_s is not None
        assert 0.04 < record.times.wall_s < took
        assert record.finished_at >= record.started_at
    assert Bench(tmp_path).run(chosen).done_before == 4


@pytest.mark.parametrize("hours", [-24, 24])
def test_a_process_launched_before_the_clock_was_set_knows_how_long_it_took(
    tmp_path: Path, hours: int
) -> None:
    orders = job(bare_cell({"kind": "unknown"}), tmp_path)
    orders = orders.model_copy(update={"launched_at": orders.launched_at + 3600 * hours})
    path = tmp_path / "job.json"
    path.write_text(orders.model_dump_json())

    assert python("-m", "accelreport.backend.main", str(path)).returncode == 0

    times = read_record(tmp_path / "record.json").times
    assert times.process_s is not None
    assert 0 < times.process_s < time.monotonic() - orders.launched_s
