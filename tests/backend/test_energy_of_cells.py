"""A real training beside a power counter that moves on: what its record keeps."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest

from accelreport.results.reading import read_record
from accelreport.results.record import Record
from tests.support.children import cell, command

pytestmark = pytest.mark.e2e

BESIDE_A_COUNTER = textwrap.dedent(
    """
    import os, sys, time
    from pathlib import Path
    import accelreport.machine.energy as energy
    from accelreport.backend.main import main

    root = Path(sys.argv[2])
    energy.rapl.__defaults__ = (root,)
    counter = root / "intel-rapl:0" / "energy_uj"

    read = energy.Rapl.joules

    def one_watt(packages):
        counter.write_text(str(int(time.perf_counter() * 1e6) % 60_000_001))
        return read(packages)

    energy.Rapl.joules = one_watt
    code = main([sys.argv[1]])
    sys.stdout.flush()
    os._exit(code)
    """
)
"""One watt, by a counter that begins anew every minute."""

SMALL = {
    "data": "synthetic",
    "train_examples": 512,
    "validation_examples": 64,
    "batch_size": 16,
    "epochs": 3,
    "model": "conv32_conv64_conv64",
}


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Record:
    folder = tmp_path_factory.mktemp("trained")
    zone = folder / "powercap" / "intel-rapl:0"
    zone.mkdir(parents=True)
    (zone / "name").write_text("package-0\n")
    (zone / "max_energy_range_uj").write_text("60000000\n")
    (zone / "energy_uj").write_text("0\n")
    job = command(cell("image_classification", SMALL), folder)[-1]
    subprocess.run(
        [sys.executable, "-c", BESIDE_A_COUNTER, job, str(zone.parent)], check=True, timeout=1200
    )
    return read_record(folder / "record.json")


def test_energy_is_counted_over_steady_steps_and_one_window_an_epoch(trained: Record) -> None:
    (energy,) = trained.energy
    steady = [block for block in trained.blocks if not block.warmup]
    assert (energy.sensor, energy.parts, energy.absent) == ("RAPL", ["package-0"], "")
    assert energy.steps == sum(block.steps for block in steady)
    assert energy.windows == len({block.epoch for block in steady})


def test_the_windows_hold_the_steady_steps_and_the_energy_of_that_time(trained: Record) -> None:
    (energy,) = trained.energy
    timed = sum(block.wall_s for block in trained.blocks if not block.warmup)
    assert timed <= energy.window_s
    assert energy.joules is not None
    times = trained.times.model_dump(exclude_none=True)
    # One watt: joules are seconds, and each count is cut to a whole millionth.
    assert timed - 1e-6 * energy.windows < energy.joules < sum(times.values())


def test_a_step_says_its_bytes_beside_its_operations(trained: Record) -> None:
    assert trained.flops is not None
    assert trained.flops.bytes_per_step is not None
    assert "reads its operands" in trained.flops.bytes_method
    assert 1 < trained.flops.per_step / trained.flops.bytes_per_step < 1000
