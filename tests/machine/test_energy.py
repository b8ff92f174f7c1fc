"""Energy: counters that wrap, sensors that cannot be read, and windows of steady steps only."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelreport.machine.energy import Absent, Meter, Rapl, rapl

RANGE_UJ = 262_143_328_850
"""Of a real package."""


def _zone(root: Path, name: str, title: str, value: int, limit: int = RANGE_UJ) -> Path:
    """A zone as the kernel shows it: a folder with three files."""
    folder = root / name
    folder.mkdir(parents=True)
    (folder / "name").write_text(f"{title}\n")
    (folder / "max_energy_range_uj").write_text(f"{limit}\n")
    (folder / "energy_uj").write_text(f"{value}\n")
    return folder / "energy_uj"


# RAPL ------------------------------------------------------------------------------------------


def test_packages_are_added_and_their_parts_are_not(tmp_path: Path) -> None:
    one = _zone(tmp_path, "intel-rapl:0", "package-0", 1_000_000)
    two = _zone(tmp_path, "intel-rapl:1", "package-1", 5_000_000)
    for name, title in (
        ("intel-rapl:0:0", "dram"),
        ("intel-rapl:2", "psys"),
        ("intel-rapl-mmio:0", "package-0"),
    ):
        _zone(tmp_path, name, title, 0)
    found = rapl(tmp_path)
    assert isinstance(found, Rapl)
    assert found.parts == ["package-0", "package-1"]
    one.write_text("3500000\n")
    two.write_text("5250000\n")
    assert found.joules() == pytest.approx(2.75)


@given(
    limit=st.integers(1_000, 10**12),
    start=st.integers(0, 10**15),
    shares=st.lists(st.floats(0, 1, exclude_max=True), max_size=30),
)
def test_a_counter_that_begins_anew_is_read_as_one_that_does_not(
    limit: int, start: int, shares: list[float]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = _zone(Path(folder), "intel-rapl:0", "package-0", start % (limit + 1), limit)
        found = rapl(Path(folder))
        assert isinstance(found, Rapl)
        true = start
        for share in shares:
            true += int(share * limit)
            file.write_text(f"{true % (limit + 1)}\n")
            assert found.joules() == pytest.approx((true - start) * 1e-6, rel=1e-12)


def test_a_system_without_power_counters_is_said_to_have_none(tmp_path: Path) -> None:
    found = rapl(tmp_path / "absent")
    assert isinstance(found, Absent)
    assert "virtual machines" in found.reason
    (tmp_path / "intel-rapl").mkdir()
    empty = rapl(tmp_path)
    assert isinstance(empty, Absent)
    assert "no CPU package" in empty.reason


@pytest.mark.parametrize("content", ["", "many", "-5", "1.5"])
def test_a_counter_without_a_number_is_absent_and_says_which_file(
    content: str, tmp_path: Path
) -> None:
    file = _zone(tmp_path, "intel-rapl:0", "package-0", 0)
    file.write_text(content)
    found = rapl(tmp_path)
    assert isinstance(found, Absent)
    assert "energy_uj of intel-rapl:0 holds no number" in found.reason


READ_AS_NOBODY = textwrap.dedent(
    """
    import os, sys
    from pathlib import Path
    from accelreport.machine.energy import rapl
    if os.geteuid() == 0:
        os.setuid(65534)
    print(rapl(Path(sys.argv[1])).reason)
    """
)


def test_a_counter_only_root_may_read_is_absent_with_what_an_administrator_can_do() -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        _zone(Path(folder), "intel-rapl:0", "package-0", 0).chmod(0o000)
        done = subprocess.run(
            [sys.executable, "-c", READ_AS_NOBODY, folder],
            capture_output=True,
            text=True,
            check=True,
        )
    assert "only root may read energy_uj of intel-rapl:0" in done.stdout
    assert "chmod a+r" in done.stdout


# Windows ---------------------------------------------------------------------------------------


def test_only_what_is_counted_inside_windows_is_kept(tmp_path: Path) -> None:
    file = _zone(tmp_path, "intel-rapl:0", "package-0", 0)
    found = rapl(tmp_path)
    assert isinstance(found, Rapl)
    meter = Meter([found], [Absent("NVML", "GPU board", "no board")])
    meter.passed(7)  # warm-up: no window is open
    file.write_text("5000000")
    meter.begin()
    file.write_text("6000000")
    meter.passed(10)
    meter.begin()  # already open
    file.write_text("8000000")
    meter.passed(10)
    meter.end()
    file.write_text("90000000")  # an evaluation
    meter.begin()
    file.write_text("91000000")
    meter.passed(5)
    meter.end()
    energy, absent = meter.energies()
    assert energy.joules == pytest.approx(4.0)
    assert (energy.steps, energy.windows) == (25, 2)
    assert energy.window_s > 0
    assert (absent.joules, absent.absent) == (None, "no board")


@given(st.lists(st.tuples(st.sampled_from(["begin", "end"]), st.integers(0, 10**9)), max_size=8))
def test_energy_is_never_negative_and_never_more_than_was_counted(
    moves: list[tuple[str, int]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = _zone(Path(folder), "intel-rapl:0", "package-0", 0)
        found = rapl(Path(folder))
        assert isinstance(found, Rapl)
        meter, total = Meter([found]), 0
        for move, more in moves:
            getattr(meter, move)()
            total += more
            file.write_text(f"{total}")
        (energy,) = meter.energies()
        assert (energy.joules is None) == (not energy.windows)
        assert 0 <= (energy.joules or 0) <= total * 1e-6 * (1 + 1e-9)
