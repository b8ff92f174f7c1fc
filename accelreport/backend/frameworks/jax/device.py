"""One device of JAX: what lies on it, what was compiled for it, whether it has done all."""

from __future__ import annotations

import functools
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import jax
from numpy.typing import NDArray

from accelreport.backend.placement import OneDevice


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


COMPILED = "/jax/core/compile/backend_compile_duration"
"""The event that JAX records after XLA has compiled a program."""


@dataclass
class Compilations:
    """Counts from its making on.

    Attributes:
        count: programs so far.
    """

    count: int = 0

    def heard(self, event: str, _seconds: float, **_details: object) -> None:
        """JAX has recorded how long something took."""
        self.count += event == COMPILED


@functools.cache
def compilations() -> Compilations:
    """The one count of this process: JAX has no way to stop listening to one listener."""
    found = Compilations()
    jax.monitoring.register_event_duration_secs_listener(found.heard)
    return found


def compiled() -> frozenset[Hashable]:
    """See `accelreport.backend.checks.windows.compiled`; counts from the first call on."""
    return frozenset(range(compilations().count))


def everything_done() -> None:
    """Wait for every array of this process, whoever holds it."""
    jax.block_until_ready(jax.live_arrays())
