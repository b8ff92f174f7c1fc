"""NVIDIA's driver: which boards CUDA shows, and what is asked of them."""

from __future__ import annotations

from collections.abc import Iterator

import pynvml
import pytest

from accelreport.backend.environment import environment
from accelreport.machine.clocks import Clock, gpu_clock
from accelreport.machine.energy import Absent, Nvml, nvml
from accelreport.machine.inventory import inventory, nvidia_gpus
from accelreport.machine.nvidia import DriverError, answered, boards, visible
from accelreport.results.record import Gpu
from tests.support.nvml import UNSUPPORTED, Card, Driver

T4S = [Card(f"GPU-{letter}000-1", mhz=1000 + 10 * n) for n, letter in enumerate("abc")]
UNLIKE = [Card("GPU-a000-1", name="NVIDIA T4"), Card("GPU-b000-1", name="NVIDIA H100")]
DIVIDED = [Card("GPU-a000-1", parts=["MIG-7-1", "MIG-8-1"]), Card("GPU-b000-1", parts=[])]
BUS = {"CUDA_DEVICE_ORDER": "PCI_BUS_ID"}


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """What was found out of this machine is found out anew."""
    for cached in (inventory, nvidia_gpus):
        cached.cache_clear()
    yield
    for cached in (inventory, nvidia_gpus):
        cached.cache_clear()


def shown(cards: list[Card], variables: dict[str, str], patch: pytest.MonkeyPatch) -> list[str]:
    Driver(cards).installed(patch)
    found = answered(lambda: visible(boards(), variables))
    return [board.uuid[4] for board in found.boards]


@pytest.mark.parametrize(
    ("named", "seen"),
    [
        (None, "abc"),
        ("", ""),
        ("-1", ""),
        ("1", "b"),
        ("2,0", "ca"),
        (" 1 , 2 ", "bc"),
        ("0,-1,2", "a"),
        ("0,7,2", "a"),
        ("1,1", ""),
        ("GPU-b", "b"),
        ("GPU-c000-1,GPU-a", "ca"),
        ("GPU-", ""),
        ("GPU-f,0", ""),
        ("NoDevFiles", ""),
    ],
)
def test_boards_are_shown_as_cuda_shows_them(
    named: str | None, seen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    variables = {} if named is None else {"CUDA_VISIBLE_DEVICES": named}
    assert shown(T4S, variables, monkeypatch) == list(seen)


def test_among_boards_of_several_models_an_index_needs_an_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(DriverError, match="CUDA_DEVICE_ORDER=PCI_BUS_ID"):
        shown(UNLIKE, {"CUDA_VISIBLE_DEVICES": "1"}, monkeypatch)
    assert shown(UNLIKE, {"CUDA_VISIBLE_DEVICES": "1", **BUS}, monkeypatch) == ["b"]
    assert shown(UNLIKE, {"CUDA_VISIBLE_DEVICES": "GPU-b"}, monkeypatch) == ["b"]


@pytest.mark.parametrize(
    ("named", "seen"),
    [
        ("MIG-8", "a"),
        ("MIG-GPU-a000-1/3/0", "a"),
        ("MIG-9", ""),
    ],
)
def test_a_part_of_a_board_stands_for_the_board_and_is_known_as_a_part(
    named: str, seen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    variables = {"CUDA_VISIBLE_DEVICES": named}
    assert shown(DIVIDED, variables, monkeypatch) == list(seen)
    assert gpu_clock(0, variables) == (Clock(1410.0, 0) if seen else Clock())
    absent = nvml(len(seen), variables)
    assert isinstance(absent, Absent) == bool(seen)
    if isinstance(absent, Absent):
        assert "a part of a board (MIG)" in absent.reason


@pytest.mark.parametrize(
    ("variables", "clock"),
    [
        ({}, Clock(1000.0, 0)),
        ({"CUDA_VISIBLE_DEVICES": "2"}, Clock(1020.0, 0)),
        ({"CUDA_VISIBLE_DEVICES": "GPU-b"}, Clock(1010.0, 0)),
        ({"CUDA_VISIBLE_DEVICES": "-1"}, Clock()),
    ],
)
def test_the_clock_is_that_of_the_board_which_the_cell_is_shown(
    variables: dict[str, str], clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver = Driver(T4S).installed(monkeypatch)
    assert gpu_clock(0, variables) == clock
    assert gpu_clock(1, BUS) == Clock(1010.0, 0)
    assert driver.opened == 0


@pytest.mark.parametrize(
    ("card", "clock"),
    [
        (Card("GPU-a", mhz=1410, reasons=0x4), Clock(1410.0, 0)),
        (Card("GPU-a", mhz=900, reasons=0x20), Clock(900.0, 1)),
        (Card("GPU-a", mhz=0), Clock()),
    ],
)
def test_what_slows_a_board_is_told_from_what_every_full_load_does(
    card: Card, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    Driver([card]).installed(monkeypatch)
    assert gpu_clock(0, {}) == clock


def test_which_of_several_unlike_boards_is_the_first_is_not_guessed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    Driver(UNLIKE).installed(monkeypatch)
    assert gpu_clock(0, {}) == Clock()
    assert gpu_clock(0, BUS) == Clock(1410.0, 0)


def test_the_machine_has_all_its_boards_and_a_record_those_that_were_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    Driver(UNLIKE).installed(monkeypatch)
    for name, value in (BUS | {"CUDA_VISIBLE_DEVICES": "1"}).items():
        monkeypatch.setenv(name, value)
    t4, h100 = inventory().gpus
    assert t4 == Gpu(name="NVIDIA T4", memory_bytes=16 * 2**30, driver="550.54")
    assert environment().gpus == [h100]
    assert h100.name == "NVIDIA H100"


def test_a_board_of_which_little_is_told_is_listed_all_the_same(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    Driver([Card("GPU-a", name="Orin", memory=0)]).installed(monkeypatch)
    (only,) = nvidia_gpus().shown
    assert only == Gpu(name="Orin", memory_bytes=None, driver="550.54")


def test_a_driver_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    Driver(T4S, answers_after_s=1.0).installed(monkeypatch)
    with pytest.raises(DriverError, match=r"did not answer within 0\.05 s"):
        answered(boards, within_s=0.05)


def test_without_a_driver_there_is_no_gpu_no_clock_and_no_counter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def absent() -> None:
        raise pynvml.NVMLError(pynvml.NVML_ERROR_LIBRARY_NOT_FOUND)

    monkeypatch.setattr(pynvml, "_LoadNvmlLibrary", absent)
    assert nvidia_gpus() == ([], [])
    assert gpu_clock(0, {}) == Clock()
    found = nvml(1, {})
    assert isinstance(found, Absent)
    assert found.reason == "the driver's library libnvidia-ml.so.1 is not installed"


def test_boards_count_from_the_moment_they_are_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = Card("GPU-a", name="One", millijoules=2**40), Card("GPU-b", millijoules=7)
    Driver([one, two]).installed(monkeypatch)
    found = nvml(2, {})
    assert isinstance(found, Nvml)
    assert found.parts == ["One", "NVIDIA T4"]
    one.millijoules, two.millijoules = 2**40 + 1500, 507
    assert found.joules() == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("used", "variables", "reason"),
    [
        (1, {}, "2 boards are visible and 1 used"),
        (1, {"CUDA_VISIBLE_DEVICES": "1"}, "CUDA_DEVICE_ORDER=PCI_BUS_ID"),
        (1, {"CUDA_VISIBLE_DEVICES": ""}, "0 boards are visible"),
    ],
)
def test_where_it_is_not_known_which_board_computes_no_energy_is_read(
    used: int, variables: dict[str, str], reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    driver = Driver(UNLIKE).installed(monkeypatch)
    found = nvml(used, variables)
    assert isinstance(found, Absent)
    assert reason in found.reason
    assert driver.opened == 0


def test_a_board_older_than_volta_has_no_counter_and_the_driver_is_quoted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    Driver([Card("GPU-a", refuse=UNSUPPORTED)]).installed(monkeypatch)
    found = nvml(1, {})
    assert isinstance(found, Absent)
    assert found.reason == "the energy counter of a board cannot be read: Not Supported"
