"""One device of JAX, and what lies on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import jax
from numpy.typing import NDArray

from accelreport.backend.device_errors import StrategyError
from accelreport.backend.strategies.placement import InGraph
from accelreport.workloads.base import TrainingProblem


@dataclass
class OnJax(InGraph):
    """See `Placement`. JAX dispatches work and returns, so that no stamp inside would be true.

    Attributes:
        device: JAX's own object for the device.
        latest: what was dispatched last; all that was before it is done when it is.
    """

    device: Any = None
    latest: Any = None

    def resident(self, arrays: Mapping[str, NDArray[Any]]) -> Any:
        """See `Placement.resident`."""
        return {name: jax.device_put(array, self.device) for name, array in arrays.items()}

    def batches(self, problem: TrainingProblem, order: NDArray[Any]) -> Any:  # noqa: ARG002
        """See `Placement.batches`.

        Raises:
            StrategyError: always; `tf.data` is TensorFlow's.
        """
        raise StrategyError("JAX has no `tf.data`", remedy='input = "resident"')

    def synchronise(self) -> None:
        """See `Placement.synchronise`."""
        jax.block_until_ready(self.latest)

    def device_peak_bytes(self) -> int | None:
        """See `Placement.device_peak_bytes`; a CPU's allocator does not count."""
        peak = (self.device.memory_stats() or {}).get("peak_bytes_in_use")
        return None if peak is None else int(peak)
