"""The energy counter of NVIDIA's boards (Volta and newer).

`nvmlDeviceGetTotalEnergyConsumption` counts millijoules since the driver was loaded (NVML API
reference, "Device Queries"). The sensor behind the counter looks at the power only part of the
time and updates about every tenth of a second (Yang, Adamek, Armour: "Part-time Power
Measurements", SC 2024).
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack

from accelreport.backend.energy import Absent, SensorError
from accelreport.backend.nvml import Board, DriverError, boards, driver, visible

SENSOR, SCOPE = "NVML", "GPU board"
UPDATE_S = 0.1
UNIT_J = 1e-3


class Nvml:
    """Some boards, added. Holds the driver open, for reading takes microseconds then.

    Args:
        chosen: the boards.
        opened: closes the driver.

    Raises:
        SensorError: a board has no counter.
    """

    sensor, scope, unit_j, update_s = SENSOR, SCOPE, UNIT_J, UPDATE_S

    def __init__(self, chosen: Sequence[Board], opened: ExitStack) -> None:
        self._boards = chosen
        self._opened = opened
        self.parts = [board.name for board in chosen]
        self._first = self._millijoules()

    def joules(self) -> float:
        """See `energy.Counter`."""
        return (self._millijoules() - self._first) * UNIT_J

    def _millijoules(self) -> int:
        import pynvml

        try:
            return sum(board.millijoules() for board in self._boards)
        except pynvml.NVMLError as error:
            message = f"the energy counter of a board cannot be read: {error}"
            raise SensorError(message) from error


def nvml(used: int, variables: Mapping[str, str] = os.environ) -> Nvml | Absent:
    """The counter of the boards a cell uses, or why there is none.

    Args:
        used: GPUs of the cell in this process.
        variables: environment variables, for which boards are visible.
    """
    with ExitStack() as stack:
        try:
            stack.enter_context(driver())
            return Nvml(_chosen(used, variables), stack.pop_all())
        except (DriverError, SensorError) as error:
            return Absent(SENSOR, SCOPE, str(error))


def _chosen(used: int, variables: Mapping[str, str]) -> Sequence[Board]:
    """The boards that the cell uses, where that can be told."""
    shown = visible(boards(), variables).boards
    if len(shown) != used:
        raise SensorError(
            f"{len(shown)} boards are visible and {used} used: name them in CUDA_VISIBLE_DEVICES"
        )
    if any(board.part for board in shown):
        raise SensorError("a part of a board (MIG) has no counter of its own")
    return shown
