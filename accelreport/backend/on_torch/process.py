"""What PyTorch has compiled in this process, and whether it has done all it was given."""

from __future__ import annotations

from collections.abc import Hashable

import torch
from torch._dynamo.utils import counters


def compiled() -> frozenset[Hashable]:
    """See `accelreport.backend.checks.process.compiled`: graphs that Dynamo has traced."""
    return frozenset(range(counters["stats"]["unique_graphs"]))


def everything_done() -> None:
    """Wait for every stream of every GPU that this process has used; a CPU is never behind."""
    if torch.cuda.is_initialized():
        for number in range(torch.cuda.device_count()):
            torch.cuda.synchronize(number)
