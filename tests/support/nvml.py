"""A stand-in for the driver's library, called by the package nvidia-ml-py as the real one is."""

from __future__ import annotations

import ctypes
import time
from dataclasses import dataclass, field
from typing import Any

import pynvml
import pytest

INVALID, UNSUPPORTED, NOT_FOUND, UNKNOWN = 2, 3, 6, 999


@dataclass
class Card:
    """A board: what the driver says of it.

    Attributes:
        parts: UUIDs of the instances it is divided into; None where it cannot be divided.
        refuse: what the driver answers when it is asked for the energy; 0 is an answer.
    """

    uuid: str
    name: str = "NVIDIA T4"
    memory: int = 16 * 2**30 + 12345
    millijoules: int = 0
    mhz: int = 1410
    reasons: int = 0
    parts: list[str] | None = None
    refuse: int = 0


@dataclass
class Driver:
    """NVML's functions, under their names in the library."""

    cards: list[Card]
    answers_after_s: float = 0.0
    opened: int = 0
    handles: dict[int, Card] = field(default_factory=dict)

    def installed(self, patch: pytest.MonkeyPatch) -> Driver:
        """Have the package find this library."""
        patch.setattr(pynvml, "nvmlLib", self)
        patch.setattr(pynvml, "_nvmlGetFunctionPointer_cache", {})
        return self

    def nvmlInitWithFlags(self, flags: Any) -> int:  # noqa: N802 - NVML's names
        time.sleep(self.answers_after_s)
        self.opened += 1
        return 0

    def nvmlShutdown(self) -> int:  # noqa: N802
        self.opened -= 1
        return 0

    def nvmlSystemGetDriverVersion(self, text: Any, size: Any) -> int:  # noqa: N802
        text.value = b"550.54"
        return 0

    def nvmlDeviceGetCount_v2(self, count: Any) -> int:  # noqa: N802
        assert self.opened, "it is asked before it is opened"
        count._obj.value = len(self.cards)
        return 0

    def nvmlDeviceGetHandleByIndex_v2(self, index: Any, handle: Any) -> int:  # noqa: N802
        ctypes.cast(handle, ctypes.POINTER(ctypes.c_void_p))[0] = index.value + 1
        return 0 if index.value < len(self.cards) else INVALID

    def nvmlDeviceGetName(self, handle: Any, text: Any, size: Any) -> int:  # noqa: N802
        text.value = self._card(handle).name.encode()
        return 0

    def nvmlDeviceGetUUID(self, handle: Any, text: Any, size: Any) -> int:  # noqa: N802
        number = _number(handle)
        parts = self.cards[number % 100 - 1].parts or []
        uuid = parts[number // 100 - 1] if number >= 100 else self._card(handle).uuid
        text.value = uuid.encode()
        return 0

    def nvmlDeviceGetMemoryInfo(self, handle: Any, memory: Any) -> int:  # noqa: N802
        memory._obj.total = self._card(handle).memory
        return 0 if self._card(handle).memory else UNKNOWN

    def nvmlDeviceGetTotalEnergyConsumption(self, handle: Any, counted: Any) -> int:  # noqa: N802
        counted._obj.value = self._card(handle).millijoules
        return self._card(handle).refuse

    def nvmlDeviceGetClockInfo(self, handle: Any, kind: Any, clock: Any) -> int:  # noqa: N802
        clock._obj.value = self._card(handle).mhz
        return 0 if self._card(handle).mhz else UNSUPPORTED

    def nvmlDeviceGetCurrentClocksThrottleReasons(self, handle: Any, found: Any) -> int:  # noqa: N802
        found._obj.value = self._card(handle).reasons
        return 0

    def nvmlDeviceGetMigMode(self, handle: Any, now: Any, pending: Any) -> int:  # noqa: N802
        now._obj.value = int(bool(self._card(handle).parts))
        return UNKNOWN if self._card(handle).parts is None else 0

    def nvmlDeviceGetMaxMigDeviceCount(self, handle: Any, count: Any) -> int:  # noqa: N802
        count._obj.value = 7
        return 0

    def nvmlDeviceGetMigDeviceHandleByIndex(self, handle: Any, at: Any, part: Any) -> int:  # noqa: N802
        number = _number(handle) + 100 * (at.value + 1)
        ctypes.cast(part, ctypes.POINTER(ctypes.c_void_p))[0] = number
        return 0 if at.value < len(self._card(handle).parts or []) else NOT_FOUND

    def _card(self, handle: Any) -> Card:
        return self.cards[_number(handle) % 100 - 1]


def _number(handle: Any) -> int:
    return int(ctypes.cast(handle, ctypes.c_void_p).value or 0)
