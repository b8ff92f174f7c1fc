"""What the process of one cell does, with real TensorFlow in real processes."""

import base64
import json
import os
import signal
import subprocess
import sys
import time
import zlib
from pathlib import Path
from typing import Any

import psutil
import pytest

from accelreport.analysis.results import results_of
from accelreport.analysis.speedup import speedups_of
from accelreport.backend.protocol import EVENTS
from accelreport.loader.load import load
from accelreport.results.plan_document import plan_document
from accelreport.results.reading import read_record
from accelreport.results.record import Record
from accelreport.runner.launchers.base import ChildEvent
from accelreport.spec.device import Device
from accelreport.spec.models import Measure
from tests.support.children import Measures, cell, command, measured
from tests.support.processes import gone, soon

pytestmark = pytest.mark.e2e

SMALL_CNN: dict[str, Any] = {
    "data": "synthetic",
    "train_examples": 1024,
    "validation_examples": 500,
    "batch_size": 32,
    "model": "conv32_conv64_conv64",
}

ONE_AND_TWO = """
schema = 1

[one]
kind = "CPU"
strategy = "mirrored"
replicas = 1

[two]
kind = "CPU"
strategy = "mirrored"
replicas = 2
"""
"""A processor, and the same as two logical ones."""

TWICE = """
schema = 1
title = "The same processor, twice"
description = "Are two logical processors faster than the one that they share?"
devices = ["one", "two"]
baseline = "one"

[workload]
kind = "matmul"
size = 512
count = 20

[measure]
repeats = 2
calls = 3
"""


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> tuple[Record, list[ChildEvent]]:
    """The record of matrix products, and what their process told."""
    folder = tmp_path_factory.mktemp("product")
    reading, writing = os.pipe()
    what = cell("matmul", {"size": 256, "count": 10})
    child = subprocess.Popen(
        command(what, folder, writing),
        pass_fds=[writing],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(writing)
    with os.fdopen(reading) as lines:
        events = [EVENTS.validate_python(json.loads(line)) for line in lines]
    assert child.wait() == 0
    return read_record(folder / "record.json"), events


def test_a_matmul_keeps_its_cold_call_apart_and_counts_by_the_formula(
    product: tuple[Record, list[ChildEvent]],
) -> None:
    record, _ = product
    assert record.status == "ok"
    assert [block.warmup for block in record.blocks] == [True, *[False] * 5]
    assert record.times.first_step_s == record.blocks[0].wall_s
    assert record.blocks[0].wall_s > min(block.wall_s for block in record.blocks[1:])
    assert record.flops is not None
    assert record.flops.per_step == 2 * 256**3
    assert record.data is not None
    assert record.data.origin == "generated"
    assert record.environment is not None
    assert record.environment.packages["keras"]


@pytest.fixture(scope="module")
def another(tmp_path_factory: pytest.TempPathFactory) -> tuple[Record, Path]:
    """A training in a process that was started from nothing, and the folder it was given.

    Beside that stands `common`, as the machine's folder for temporary files.
    """
    root = tmp_path_factory.mktemp("another")
    for name in ("own", "common"):
        (root / name).mkdir()
    what = cell("image_classification", {**SMALL_CNN, "epochs": 1})
    record = measured(what, root / "own", environment={"TMPDIR": str(root / "common")})
    return record, root / "own"


def test_nothing_is_left_in_the_machine_s_folder_for_temporary_files(
    another: tuple[Record, Path],
) -> None:
    record, own = another
    assert record.status == "ok"
    assert list((own.parent / "common").iterdir()) == []
    assert [path for path in own.iterdir() if path.name.startswith("__autograph")]


@pytest.fixture(scope="module")
def trained(measure: Measures) -> Record:
    what = cell(
        "image_classification",
        {**SMALL_CNN, "epochs": 3, "samples": 30},
        measure=Measure(warmup_steps=10),
    )
    return measure(what)


def test_training_learns_and_leaves_every_step(trained: Record) -> None:
    assert trained.status == "ok"
    assert trained.final["val_accuracy"] > 0.5
    assert sum(block.steps for block in trained.blocks) == trained.planned_steps == 3 * 32
    assert [block.first_step for block in trained.blocks[:1]] == [0]
    assert trained.blocks[0].steps == 1, "the first step, which compiles, stands alone"
    assert all(len(block.step_s) == block.steps - 1 for block in trained.blocks)
    assert sum(block.steps for block in trained.blocks if block.warmup) == 10
    assert trained.parameters == 93_322


def test_a_learning_curve_has_a_row_for_each_epoch_and_its_clock_leaves_evaluation_out(
    trained: Record,
) -> None:
    assert [row.epoch for row in trained.epochs] == [1, 2, 3]
    blocks = sum(block.wall_s for block in trained.blocks)
    assert trained.epochs[-1].elapsed_s == pytest.approx(blocks)
    assert trained.times.train_s == pytest.approx(blocks)
    assert all(row.evaluate_s > 0 for row in trained.epochs)
    assert trained.epochs[0].metrics["loss"] > trained.epochs[-1].metrics["loss"]


def test_the_steps_stamped_inside_the_graph_add_up_to_the_window_around_them(
    trained: Record,
) -> None:
    # A single step has no stamp before it.
    stamped = [block for block in trained.blocks[1:] if block.steps > 1]
    assert stamped
    for block in stamped:
        assert 0 < sum(block.step_s) <= block.wall_s * 1.02


def test_synthetic_data_are_said_beside_the_number(trained: Record) -> None:
    assert trained.data is not None
    assert trained.data.origin == "synthetic"
    assert "data-synthetic" in [warned.kind for warned in trained.warnings]


def test_wrong_predictions_come_first_and_carry_their_picture(trained: Record) -> None:
    wrong = [sample.true != sample.predicted for sample in trained.samples]
    assert len(wrong) == 30
    assert wrong == sorted(wrong, reverse=True)
    pictures = [zlib.decompress(base64.b64decode(sample.pixels)) for sample in trained.samples]
    assert {len(picture) for picture in pictures} == {28 * 28}


def test_the_same_seed_gives_the_same_first_epoch_in_another_process(
    trained: Record, another: tuple[Record, Path]
) -> None:
    other, _ = another
    assert other.began_with is not None
    assert other.began_with == trained.began_with, "weights and order, to the last bit"
    ours, theirs = trained.epochs[0].metrics["loss"], other.epochs[0].metrics["loss"]
    assert theirs == pytest.approx(ours, rel=1e-3), "several threads add it up"


def test_steps_that_run_operation_by_operation_train_alike_and_trace_nothing(
    trained: Record, measure: Measures
) -> None:
    eager = Device(kind="CPU", eager=True)
    other = measure(cell("image_classification", {**SMALL_CNN, "epochs": 1}, device=eager))
    assert other.status == "ok"
    assert other.epochs[0].metrics["loss"] == pytest.approx(
        trained.epochs[0].metrics["loss"], rel=1e-3
    )
    assert other.flops is not None
    assert trained.flops is not None
    assert other.flops.per_step == trained.flops.per_step
    assert "compile-inside" not in [warned.kind for warned in other.warnings]
    assert other.environment is not None
    assert other.environment.runtime["steps"] == "operations, called one by one"


def test_the_pipeline_trains_on_the_same_batches_as_the_resident_data(
    trained: Record, measure: Measures
) -> None:
    what = cell("image_classification", {**SMALL_CNN, "epochs": 1, "input": "pipeline"})
    other = measure(what)
    # Where the pixels are scaled differs, and Adam's first steps magnify the last bit.
    ours, theirs = trained.epochs[0].metrics["loss"], other.epochs[0].metrics["loss"]
    assert theirs == pytest.approx(ours, rel=0.01)
    assert other.epochs[0].steps == trained.epochs[0].steps


def test_a_spent_budget_keeps_what_was_done_and_calls_it_partial(measure: Measures) -> None:
    what = cell("image_classification", {**SMALL_CNN, "epochs": 200}, measure=Measure(budget=1.0))
    record = measure(what)
    assert record.status == "partial"
    assert 0 < sum(block.steps for block in record.blocks) < record.planned_steps
    assert record.final["loss"] > 0


def test_confusion_is_that_of_the_weights_that_were_put_back(measure: Measures) -> None:
    what = cell(
        "sequence_classification",
        {
            "data": "sample",
            "train_examples": 64,
            "validation_examples": 120,
            "model": "stacked_bilstm",
            "layers": 1,
            "units": 4,
            "epochs": 2,
            "batch_size": 32,
            "optimizer": {"name": "sgd", "learning_rate": 100.0},
            "restore_best_weights": True,
        },
    )
    record = measure(what)
    assert record.selection is not None
    assert record.selection.best_epoch != len(record.epochs), "the last epoch is not the best"
    assert record.confusion is not None
    counts = record.confusion.counts
    right = sum(row[number] for number, row in enumerate(counts))
    last = record.epochs[-1].metrics["val_accuracy"]
    assert record.final["val_accuracy"] != last
    assert right / sum(map(sum, counts)) == pytest.approx(record.final["val_accuracy"])


def test_a_kernels_record_counts_the_work_of_every_replica_in_a_step(measure: Measures) -> None:
    parameters = {"size": 256, "count": 4}
    mirrored = Device(kind="CPU", strategy="mirrored", replicas=2)
    one = measure(cell("matmul", parameters))
    two = measure(cell("matmul", parameters, device=mirrored))
    assert one.failure is two.failure is None
    assert one.flops is not None
    assert two.flops is not None
    assert [block.steps for block in two.blocks] == [block.steps for block in one.blocks]
    assert two.flops.per_step == 2 * one.flops.per_step == 4 * 256**3
    assert two.flops.bytes_per_step == 2 * (one.flops.bytes_per_step or 0) > 0


def test_replicas_that_share_a_processor_are_compared_by_the_work_they_do(
    measure: Measures, tmp_path: Path
) -> None:
    spec = tmp_path / "twice.toml"
    spec.write_text(TWICE)
    (tmp_path / "devices.toml").write_text(ONE_AND_TWO)
    (found,) = load([spec], devices_file=tmp_path / "devices.toml").specs
    plan = plan_document(found, {})
    results = results_of(plan, [measure(what) for what in found.cells])
    assert all(each.timed for each in results)
    (shown,) = (each for each in speedups_of(plan, results) if each.device == "two")
    assert shown.base is not None
    by_time = shown.base.seconds().value / shown.own.seconds().value
    assert shown.interval.value == pytest.approx(2 * by_time), "a step of two does twice the work"


def test_events_tell_the_stages_and_the_progress(
    product: tuple[Record, list[ChildEvent]],
) -> None:
    _, events = product
    phases = [event.phase for event in events if event.event == "phase"]
    assert phases[0] == "import"
    assert phases[-1] == "finish"
    assert events[-2].event == "progress"
    assert events[-2].step == events[-2].steps == 60


def test_a_cell_does_not_outlive_a_runner_that_was_killed(tmp_path: Path) -> None:
    what = cell("matmul", {"size": 512, "count": 100_000})
    program = (
        "import subprocess, sys;"
        " child = subprocess.Popen(sys.argv[1:], stderr=subprocess.DEVNULL);"
        " print(child.pid, flush=True); child.wait()"
    )
    runner = subprocess.Popen(
        [sys.executable, "-c", program, *command(what, tmp_path)], stdout=subprocess.PIPE
    )
    assert runner.stdout is not None
    child = int(runner.stdout.readline())
    # Before it has begun with its job, it is the runner's own lifeline that would end it.
    while b"tensorflow" not in Path(f"/proc/{child}/maps").read_bytes():
        assert runner.poll() is None
        time.sleep(0.1)
    orphan = psutil.Process(child)
    runner.send_signal(signal.SIGKILL)
    runner.wait()
    runner.stdout.close()
    assert soon(lambda: gone(orphan))
