"""Every kind of failure, provoked for real: a row of the table, a process, a record, a page."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from html import unescape
from pathlib import Path
from typing import Any, get_args

import pytest

from accelreport.analysis.warnings import REFUSING
from accelreport.backend.environment import environment
from accelreport.report.warning_text import KINDS
from accelreport.results.record import FailureKind, Record
from accelreport.results.store import Store
from accelreport.runner.interrupt import Stop
from accelreport.runner.launch import LocalLauncher
from accelreport.runner.process import ForkPool
from accelreport.spec.cells import Cell
from accelreport.spec.device import Device
from accelreport.spec.models import Measure, Target
from tests.datasets.layouts import write_images
from tests.support.children import bare_cell, cell, one_environment
from tests.support.packages import install
from tests.support.records import study
from tests.support.sites import build

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[2]
CPU = Device(kind="CPU")
CNN: dict[str, Any] = {"model": "conv12_conv24_conv32", "batch_size": 32, "epochs": 1}
SERIES: dict[str, Any] = {"dataset": "beijing_pm25", "data": "synthetic", "epochs": 1}
SMALL = CNN | {"data": "synthetic", "train_examples": 64, "validation_examples": 64}


@dataclass(frozen=True)
class Provoked:
    """How a failure is brought about, and what its message must say.

    Attributes:
        cell: what is measured.
        says: a part of the failure's message.
        stop: whether the run is stopped while the cell works.
    """

    cell: Cell
    says: str
    stop: bool = False


def failing(how: str, **conditions: Any) -> Cell:
    return bare_cell({"kind": "failing", "how": how}, **conditions)


def images(more: dict[str, Any], **conditions: Any) -> Cell:
    return cell("image_classification", more, **conditions)


TABLE: dict[FailureKind, tuple[Provoked, ...]] = {
    # A device that is asked for and is not there.
    "no-device": (
        Provoked(
            images(SMALL, device=Device(kind="GPU", strategy="mirrored", replicas=64)),
            "64 are needed",
        ),
    ),
    # What needs TensorFlow where it is not installed.
    "no-framework": (Provoked(failing("no_tensorflow"), "import of tensorflow halted"),),
    # A folder without the files; the same folder holds MNIST with one bit flipped.
    "data-unavailable": (
        Provoked(images(CNN | {"data": "real", "dataset": "fashion_mnist"}), "fashion_mnist"),
    ),
    "data-corrupt": (
        Provoked(images(CNN | {"data": "real", "dataset": "mnist"}), "cannot be used as data"),
    ),
    # A limit of the system that Python meets, and one that TensorFlow's allocator meets.
    "oom-host": (
        Provoked(failing("memory_limit"), "Unable to allocate"),
        Provoked(failing("huge_tensor"), "OOM when allocating"),
    ),
    "oom-device": (Provoked(failing("huge_tensor_of_a_gpu"), "GPU:0"),),
    "timeout": (
        Provoked(failing("sleep", measure=Measure(budget=2.0, timeout=4.0)), "measure.timeout"),
    ),
    "signal": (Provoked(failing("crash"), "SIGSEGV"),),
    "nan-loss": (
        Provoked(failing("not_a_number"), "nan"),
        Provoked(images(SMALL | {"optimizer": {"name": "sgd", "learning_rate": 1e38}}), "loss was"),
    ),
    "compile-error": (Provoked(failing("nothing_xla_can_compile"), "XLA"),),
    "worker-lost": (
        Provoked(
            failing(
                "lose_a_worker",
                device=Device(kind="CPU", strategy="multi_worker_mirrored", workers=2, threads=1),
            ),
            "worker:1",
        ),
    ),
    "not-converged": (
        Provoked(
            images(
                SMALL,
                measure=Measure(target=Target(metric="val_accuracy", at_least=1.1, required=True)),
            ),
            "val_accuracy had to be at least 1.1",
        ),
    ),
    # A package that cannot be loaded, and one whose code has an error.
    "bad-plugin": (
        Provoked(bare_cell({"kind": "broken"}), "cannot be used"),
        Provoked(failing("shapes_that_do_not_fit"), "InvalidArgumentError"),
    ),
    # What a person asks for does not fit together, which only the cell can know.
    "bad-spec": (
        Provoked(
            cell("series_forecast", SERIES | {"window": 900_000}),
            "is too short",
        ),
    ),
    # Pixels that are all the same take less power than real ones.
    "refused": (Provoked(failing("constant_input"), "constant-input"),),
    "interrupted": (Provoked(failing("sleep"), "stopped", stop=True),),
    "harness-error": (Provoked(failing("leave"), "exit code 3"),),
}
"""Every kind, and at least one way in which a person may meet it."""

ROWS = [(kind, number) for kind, ways in TABLE.items() for number in range(len(ways))]

Failures = Callable[[FailureKind, int], Record]
"""Kind and number of its row → the record, measured when it is first asked for."""


@pytest.fixture(scope="module")
def failures(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Failures]:
    """Measures in real processes, beside damaged data and two packages, one of them broken."""
    folder = tmp_path_factory.mktemp("failures")
    data, site = folder / "data", folder / "site"
    write_images(data, "mnist")
    damaged = data / "mnist" / "train-images-idx3-ubyte.gz"
    content = bytearray(damaged.read_bytes())
    content[len(content) // 2] ^= 1
    damaged.write_bytes(content)
    install(site, "failing", {"accelreport.workloads": {"failing": "tests.failing.kernels:FAMILY"}})
    install(site, "broken", {"accelreport.workloads": {"broken": "tests.failing.absent:FAMILY"}})
    forks = ForkPool(folder)
    launcher = LocalLauncher(folder, environment, forks=forks)

    @cache
    def measure(kind: FailureKind, number: int) -> Record:
        provoked, stop = TABLE[kind][number], Stop()

        def hear(event: Any) -> None:
            if provoked.stop and event.event == "phase" and event.phase == "compile":
                stop.request("SIGINT")

        with one_environment():
            return launcher.measure(
                provoked.cell,
                stop=stop,
                on_event=hear,
                on_tick=lambda: None,
                on_file=lambda _: None,
            )

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ACCELREPORT_DATA", str(data))
        patch.setenv("PYTHONPATH", os.pathsep.join([str(site), str(ROOT)]))
        yield measure
    forks.close()


def test_the_table_provokes_every_kind_of_failure_there_is() -> None:
    assert set(TABLE) == set(get_args(FailureKind))
    assert len(TABLE) >= 12
    assert all(TABLE.values())


@pytest.mark.parametrize(("kind", "number"), ROWS)
def test_what_goes_wrong_becomes_a_record_of_its_kind_that_says_why(
    failures: Failures, kind: FailureKind, number: int
) -> None:
    record = failures(kind, number)
    assert record.status == "failed"
    assert record.failure is not None
    told = f"{record.failure.kind}: {record.failure.message}"
    assert record.failure.kind == kind, told
    assert TABLE[kind][number].says in record.failure.message, told
    assert record.failure.remedy, told
    assert record.environment is not None


def test_missing_data_fail_the_cell_with_both_remedies(failures: Failures) -> None:
    failure = failures("data-unavailable", 0).failure
    assert failure is not None
    assert "accelreport data fetch" in failure.remedy
    assert "--data synthetic" in failure.remedy


def test_a_training_that_did_not_converge_keeps_what_it_measured(
    failures: Failures,
) -> None:
    record = failures("not-converged", 0)
    assert len(record.epochs) == 1
    assert record.blocks
    assert record.final["val_accuracy"] <= 1


def test_every_kind_stands_in_its_cell_of_the_page_with_its_message(
    failures: Failures, tmp_path: Path
) -> None:
    kinds = list(TABLE)
    made = study(
        "matmul",
        devices=("cpu", "gpu"),
        axes={"size": list(range(1, len(kinds) + 1))},
        repeats=1,
        fate=lambda one: kinds[int(one.point["size"]) - 1] if one.device == "gpu" else "ok",
    )
    store = Store(tmp_path / "results")
    store.prepare()
    store.write_plan(made.plan)
    for record in made.records:
        if record.failure is not None:
            failure = failures(record.failure.kind, 0).failure
            record = record.model_copy(update={"failure": failure})
        store.write(record)

    build(store, tmp_path / "site")

    page = unescape((tmp_path / "site" / f"{made.plan.spec}.full.html").read_text())
    cells = [unescape(path.read_text()) for path in (tmp_path / "site" / "cells").glob("*.html")]
    for kind in kinds:
        assert KINDS[kind] in page, f"{kind} is not told in words"
        failure = failures(kind, 0).failure
        assert failure is not None
        assert any(failure.message[:40] in text for text in cells), failure.message


def test_every_kind_has_words_of_its_own() -> None:
    assert set(KINDS) <= set(get_args(FailureKind)) | REFUSING
    assert set(KINDS) >= set(get_args(FailureKind))
    assert len(set(KINDS.values())) == len(KINDS)
