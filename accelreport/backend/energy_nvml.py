"""NVML: the energy counter of NVIDIA's boards (Volta and newer), by the driver's own library.

`nvmlDeviceGetTotalEnergyConsumption` counts millijoules since the driver was loaded (NVML API
reference, "Device Queries"). The library comes with the driver, so that no package is needed.
The sensor behind the counter looks at the power only part of the time and updates about every
tenth of a second (Yang, Adamek, Armour: "Part-time Power Measurements", SC 2024).
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Mapping, Sequence
from typing import Any

from accelreport.backend.energy import Absent, SensorError

LIBRARY = "libnvidia-ml.so.1"
SENSOR, SCOPE = "NVML", "GPU board"
UPDATE_S = 0.1
UNIT_J = 1e-3


class Nvml:
    """Some boards, added.

    Args:
        library: NVML, or what answers its calls.
        handles: of the boards.

    Raises:
        SensorError: a board has no counter.
    """

    sensor, scope, unit_j, update_s = SENSOR, SCOPE, UNIT_J, UPDATE_S

    def __init__(self, library: Any, handles: Sequence[Any]) -> None:
        self._library = library
        self._handles = handles
        self.parts = [_name(library, handle) for handle in handles]
        self._first = self._millijoules()

    def joules(self) -> float:
        """See `energy.Counter`."""
        return (self._millijoules() - self._first) * UNIT_J

    def _millijoules(self) -> int:
        total = 0
        for handle in self._handles:
            counted = ctypes.c_ulonglong()
            code = self._library.nvmlDeviceGetTotalEnergyConsumption(handle, ctypes.byref(counted))
            _check(self._library, code, "the energy counter of a board")
            total += counted.value
        return total


def nvml(
    used: int, *, library: Any = None, variables: Mapping[str, str] = os.environ
) -> Nvml | Absent:
    """The counter of the boards a cell uses, or why there is none.

    Args:
        used: GPUs of the cell in this process.
        library: what answers NVML's calls; the driver's library when None.
        variables: environment variables, for which boards are visible.
    """
    try:
        found = library if library is not None else _load()
        _check(found, found.nvmlInit_v2(), "NVML")
        return Nvml(found, _chosen(found, used, variables))
    except SensorError as error:
        return Absent(SENSOR, SCOPE, str(error))


def _load() -> Any:
    try:
        library = ctypes.CDLL(LIBRARY)
    except OSError as error:
        raise SensorError(f"the driver's library {LIBRARY} is not installed") from error
    library.nvmlErrorString.restype = ctypes.c_char_p
    return library


def _chosen(library: Any, used: int, variables: Mapping[str, str]) -> list[Any]:
    """Handles of the boards that the cell uses, where that can be told."""
    count = ctypes.c_uint()
    _check(library, library.nvmlDeviceGetCount_v2(ctypes.byref(count)), "the list of boards")
    wanted: Sequence[str] = [str(number) for number in range(count.value)]
    visible = variables.get("CUDA_VISIBLE_DEVICES")
    if visible is not None:
        listed = [part.strip() for part in visible.split(",") if part.strip()]
        numbered = all(part.isdigit() for part in listed)
        # CUDA numbers the fastest board 0, NVML the first one on the bus.
        ordered = variables.get("CUDA_DEVICE_ORDER") == "PCI_BUS_ID"
        if listed and numbered and len(listed) < count.value and not ordered:
            raise SensorError(
                "which boards CUDA_VISIBLE_DEVICES means is not known; with "
                "CUDA_DEVICE_ORDER=PCI_BUS_ID it is"
            )
        wanted = listed
    if len(wanted) != used:
        raise SensorError(
            f"{len(wanted)} boards are visible and {used} used: name them in CUDA_VISIBLE_DEVICES"
        )
    return [_handle(library, part) for part in wanted]


def _handle(library: Any, board: str) -> Any:
    handle = ctypes.c_void_p()
    if board.isdigit():
        code = library.nvmlDeviceGetHandleByIndex_v2(
            ctypes.c_uint(int(board)), ctypes.byref(handle)
        )
    else:
        code = library.nvmlDeviceGetHandleByUUID(board.encode(), ctypes.byref(handle))
    _check(library, code, f"board {board}")
    return handle


def _name(library: Any, handle: Any) -> str:
    text = ctypes.create_string_buffer(96)
    _check(library, library.nvmlDeviceGetName(handle, text, ctypes.c_uint(96)), "a board's name")
    return text.value.decode(errors="replace")


def _check(library: Any, code: int, what: str) -> None:
    if code:
        reason = library.nvmlErrorString(code)
        said = reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)
        raise SensorError(f"{what} cannot be read: {said}")
