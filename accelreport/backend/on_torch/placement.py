"""One device of PyTorch, and what lies on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from numpy.typing import NDArray

from accelreport.backend.strategies.one_device import OneDevice


@dataclass
class OnTorch(OneDevice):
    """See `Placement`. A CPU has done an operation when its call returns; a GPU has not."""

    def resident(self, arrays: Mapping[str, NDArray[Any]]) -> Any:
        """See `Placement.resident`."""
        return {name: torch.tensor(array, device=self.device) for name, array in arrays.items()}

    def synchronise(self) -> None:
        """See `Placement.synchronise`."""
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)

    def device_peak_bytes(self) -> int | None:
        """See `Placement.device_peak_bytes`; on a CPU nobody counts."""
        if self.device.type != "cuda":
            return None
        return int(torch.cuda.max_memory_allocated(self.device))
