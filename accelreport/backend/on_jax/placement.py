"""One device of JAX, and what lies on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import jax
from numpy.typing import NDArray

from accelreport.backend.strategies.one_device import OneDevice


@dataclass
class OnJax(OneDevice):
    """See `Placement`. JAX dispatches work and returns, so that no stamp inside would be true.

    Attributes:
        latest: what was dispatched last; all that was before it is done when it is.
    """

    latest: Any = None

    def resident(self, arrays: Mapping[str, NDArray[Any]]) -> Any:
        """See `Placement.resident`."""
        return {name: jax.device_put(array, self.device) for name, array in arrays.items()}

    def synchronise(self) -> None:
        """See `Placement.synchronise`."""
        jax.block_until_ready(self.latest)

    def device_peak_bytes(self) -> int | None:
        """See `Placement.device_peak_bytes`; a CPU's allocator does not count."""
        peak = (self.device.memory_stats() or {}).get("peak_bytes_in_use")
        return None if peak is None else int(peak)
