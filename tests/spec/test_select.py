"""Cells are chosen by device and by any of their parameters, or the choice is refused."""

from __future__ import annotations

import pytest

from accelreport.errors import ExitCode, UsageError
from accelreport.loader.load import load
from accelreport.runner.prepare import select
from accelreport.spec.cells import Cell
from tests.spec.conftest import KERNEL, TRAINING, Write

SWEPT = TRAINING + (
    '[sweep]\nbatch_size = [256, 512]\n"optimizer.learning_rate" = [0.001, 0.01]\n'
    "scale_pixels = [true, false]\n[measure]\nrepeats = 2\n"
)


@pytest.fixture
def cells(write: Write) -> tuple[Cell, ...]:
    """Two specs: 32 cells that train, 6 that call a kernel."""
    paths = [write(SWEPT, "sweep"), write(KERNEL.replace("Batches", "Kernels"), "kernel")]
    return load(paths).cells


def test_without_any_choice_every_cell_stays_in_its_order(cells: tuple[Cell, ...]) -> None:
    assert select(cells, devices=[], filters=[]) == list(cells)


@pytest.mark.parametrize(
    ("filters", "devices", "number"),
    [
        (["batch_size=512"], [], 16),
        (["batch_size=512"], ["cpu"], 8),
        ([], ["cpu", "gpu"], 38),
        (["batch_size=512", "batch_size=256"], [], 32),
        (["batch_size=512", "repeat=1"], [], 8),
        (["workload.batch_size=512"], [], 16),
        (["optimizer.learning_rate=1e-3"], [], 16),
        (["scale_pixels=true"], [], 16),
        (["kind=matmul"], ["gpu"], 3),
        (["size=4096"], [], 6),
        (["spec=sweep"], [], 32),
        (["seed=2"], [], 2),
        ([" batch_size = 512 "], [], 16),
    ],
)
def test_filters_of_different_keys_add_up_and_of_one_key_are_alternatives(
    cells: tuple[Cell, ...], filters: list[str], devices: list[str], number: int
) -> None:
    assert len(select(cells, devices=devices, filters=filters)) == number


@pytest.mark.parametrize(
    ("filters", "devices", "said"),
    [
        ([], ["gpus"], 'no cell runs on a device "gpus"\nDid you mean `gpu`?'),
        (["batchsize=512"], [], 'no cell has a key "batchsize"\nDid you mean `batch_size`?'),
        (["batch_size=300"], [], "no cell has batch_size=300\nThere is 256 and 512."),
        (["scale_pixels=maybe"], [], "There is true and false."),
        (["batch_size"], [], '"batch_size" is not a filter\nWrite key=value'),
        (["=512"], [], "is not a filter"),
        (["batch_size=512", "kind=matmul"], [], "no cell meets all of these together"),
        (["wings=2"], [], "There is"),
    ],
)
def test_a_choice_that_is_not_there_is_refused_with_what_there_is(
    cells: tuple[Cell, ...], filters: list[str], devices: list[str], said: str
) -> None:
    with pytest.raises(UsageError) as caught:
        select(cells, devices=devices, filters=filters)
    assert said in str(caught.value)
    assert caught.value.exit_code == ExitCode.USAGE


def test_nothing_is_chosen_from_nothing() -> None:
    assert select([], devices=["cpu"], filters=["batch_size=512"]) == []
