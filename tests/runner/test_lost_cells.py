"""What becomes of cells that are lost with what measured them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from accelreport.runner.interrupt import Stop
from accelreport.runner.launchers.base import ATTEMPTS, ChildEvent
from accelreport.runner.launchers.node import (
    STOPPED,
    Completed,
    Crashed,
    LostCell,
    LostCells,
    Started,
)
from accelreport.runner.launchers.ray.engine import RayNode
from accelreport.runner.launchers.ray.pool import Batch
from accelreport.spec.cells import Cell
from tests.runner.scripted import a_record, cell, different, environment

LOST = LostCell("worker-lost", "It was gone.")

NODE = RayNode("a1", "n1", {"CPU": 8.0})


class Deaf:
    """A watch that nobody looks at."""

    def __init__(self, stop: Stop) -> None:
        self.stop = stop

    def started(self, cell: Cell, host: str = "") -> None:
        return

    def reported(self, cell: Cell, event: ChildEvent) -> None:
        return

    def waiting(self, reason: str) -> None:
        return

    def tick(self) -> None:
        return


@pytest.fixture
def deaf() -> Iterator[Deaf]:
    stop = Stop()
    yield Deaf(stop)
    stop.close()


def test_a_lost_cell_is_measured_again_a_few_times_and_then_fails_on_its_machine() -> None:
    losses, one = LostCells(), cell()
    there = environment().model_copy(update={"host": "n7", "machine": "77777777"})
    found = [losses.of(one, LOST, there) for _ in range(ATTEMPTS)]
    assert found[:-1] == [None] * (ATTEMPTS - 1)
    assert found[-1] is not None
    record = found[-1].record
    assert record.failure is not None
    assert record.failure.kind == "worker-lost"
    assert record.failure.message == f"It was gone. This happened {ATTEMPTS} times."
    assert record.environment == there


def test_a_worker_that_ends_before_a_cell_began_counts_for_no_cell_however_often(
    deaf: Deaf,
) -> None:
    losses, some = LostCells(), different(3)
    for _ in range(3 * ATTEMPTS):
        batch = Batch(NODE, some)
        assert list(batch.hear(LOST, deaf)) == []
        assert batch.over
        assert batch.failed_and_again(losses) == ([], some)


def test_of_the_cells_of_a_lost_worker_only_the_one_being_measured_counts_as_tried(
    deaf: Deaf,
) -> None:
    losses, (first, *others) = LostCells(), different(3)
    through = [a_record(one, "ok") for one in others]
    for attempt in range(1, ATTEMPTS + 1):
        batch = Batch(NODE, [*others[:1], first, *others[1:]])
        began = [Started(key=one.key, environment=environment()) for one in (*others[:1], first)]
        heard = list(batch.hear([began[0], Completed(record=through[0]), began[1]], deaf))
        assert [finished.record for finished in heard] == through[:1]
        assert list(batch.hear(LOST, deaf)) == []
        failed, again = batch.failed_and_again(losses)
        assert [finished.record.key for finished in failed] == (
            [first.key] if attempt == ATTEMPTS else []
        )
        assert again == ([] if failed else [first]) + others[1:]


def test_a_worker_that_cannot_measure_and_says_so_fails_its_cell_in_the_end(deaf: Deaf) -> None:
    losses, (one,) = LostCells(), different(1)
    for _ in range(ATTEMPTS):
        batch = Batch(NODE, [one])
        assert list(batch.hear([Crashed(message="no room")], deaf)) == []
        failed, again = batch.failed_and_again(losses)
    assert again == []
    assert failed[0].record.failure is not None
    assert failed[0].record.failure.kind == "harness-error"
    assert "n1: no room" in failed[0].record.failure.message


def test_a_cell_of_a_run_that_was_stopped_is_interrupted_and_not_tried_again() -> None:
    finished = LostCells().of(cell(), STOPPED, None)
    assert finished is not None
    assert finished.record.failure is not None
    assert finished.record.failure.kind == "interrupted"
    assert finished.record.environment is not None
    assert finished.record.environment.host
