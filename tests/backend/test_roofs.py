"""What a machine's own processor reaches: measured once, kept, and believed where it was idle."""

from __future__ import annotations

import time
from collections.abc import Mapping
from math import floor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from accelreport.analysis.ceilings import ceiling, own_limits, work_of
from accelreport.machine import clocks
from accelreport.machine import roofs as module
from accelreport.machine.inventory import inventory
from accelreport.machine.roofs import measured_roofs, roofs
from accelreport.results.record import OTHER_LOAD, Roofs
from accelreport.runner.run import headline
from accelreport.spec.models import Measure
from tests.faults.cells import RECURRENT
from tests.support.children import Measures, cell
from tests.support.nets import dense


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the roofs of this machine are kept."""
    monkeypatch.setenv("ACCELREPORT_CACHE", str(tmp_path))
    return tmp_path / "roofs" / f"{inventory().machine}.json"


def test_a_processor_s_roofs_are_rates_of_real_work_with_their_method() -> None:
    found = measured_roofs(inventory())
    assert found.core_tflops > 1e-4
    assert 1e-4 < found.tflops < 100
    assert 0.1 < found.gbps < 10_000
    assert "products of float32 matrices" in found.method
    assert f"{inventory().threads} threads" in found.method


def test_a_library_on_one_thread_leaves_a_roof_of_all_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(np, "matmul", lambda *_, **__: time.sleep(0.01))
    alone = 2 * module.SIDE**3 / 0.01 / 1e12
    assert measured_roofs(inventory().model_copy(update={"threads": 4})).tflops > 2 * alone


def test_a_machine_that_nobody_else_uses_is_called_so_though_its_system_counts_in_hundredths(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(clocks, "busy_s", lambda: floor(100 * time.process_time()) / 100)
    monkeypatch.setattr(module, "SIDE", 64)  # short beside a hundredth of a second on any machine
    assert measured_roofs(inventory()).other_cores <= OTHER_LOAD


def _made(tflops: float, other_cores: float) -> Roofs:
    return Roofs(
        tflops=tflops,
        core_tflops=tflops / 2,
        gbps=tflops * 50,
        method="",
        other_cores=other_cores,
        measured_at="",
    )


def test_a_machine_is_measured_again_until_it_is_left_alone_and_its_best_is_kept(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    readings = [_made(0.2, 0.9), _made(0.1, 1.5), _made(0.15, 0.0), _made(9.0, 0.0)]
    waiting = iter(readings)
    monkeypatch.setattr(module, "measured_roofs", lambda _machine: next(waiting))
    assert roofs() == readings[0]
    assert roofs() == readings[1].model_copy(
        update={"tflops": 0.2, "core_tflops": 0.1, "gbps": 10.0}
    )
    best = roofs()
    assert best is not None
    assert (best.tflops, best.other_cores) == (0.2, 0.0)
    assert roofs() == best, "an idle machine is measured once"
    kept.write_bytes(b"{")
    assert roofs() == readings[3], "what cannot be read is measured anew"


def test_a_machine_without_memory_for_it_has_no_roofs_and_its_cell_a_record(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_machine: object) -> Roofs:
        raise MemoryError

    monkeypatch.setattr(module, "measured_roofs", full)
    assert roofs() is None
    assert not kept.exists()


@pytest.mark.e2e
@pytest.mark.parametrize(
    "workload",
    [
        dense(64, 2),
        {"kind": "image_classification", "data": "sample"},
        RECURRENT,
    ],
    ids=lambda workload: workload["kind"],
)
def test_no_step_measured_here_is_above_what_this_machine_reaches(
    workload: Mapping[str, Any], measure: Measures
) -> None:
    """Nets so small reach some hundredths of it: a busy machine moves neither to the other side."""
    few = {**workload, "batch_size": 4, "steps_per_epoch": 20, "validation_examples": 16}
    record = measure(cell(workload["kind"], few, measure=Measure(warmup_steps=2)))
    assert record.flops is not None
    assert record.environment is not None
    work = work_of(record.flops, "float32")
    # What tests keep is out of reach, and a machine that runs tests is never left alone.
    own = measured_roofs(inventory()).model_copy(update={"other_cores": 0.0})
    limits = own_limits(record.environment.model_copy(update={"roofs": own}), "float32")
    assert work is not None
    assert limits is not None
    assert 0 < ceiling(work, limits).share(headline(record)["step_s"]) <= 1
