"""One device of PyTorch: what lies on it, what was compiled for it, whether it has done all."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from numpy.typing import NDArray
from torch._dynamo.utils import counters

from accelreport.backend.placement import OneDevice


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


def compiled() -> frozenset[Hashable]:
    """See `accelreport.backend.checks.windows.compiled`: graphs that Dynamo has traced."""
    return frozenset(range(counters["stats"]["unique_graphs"]))


def everything_done() -> None:
    """Wait for every stream of every GPU that this process has used; a CPU is never behind."""
    if torch.cuda.is_initialized():
        for number in range(torch.cuda.device_count()):
            torch.cuda.synchronize(number)
