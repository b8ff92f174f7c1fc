"""The one device that a framework other than TensorFlow drives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from accelreport.backend.device_errors import StrategyError
from accelreport.backend.strategies.placement import InGraph
from accelreport.workloads.base import TrainingProblem


@dataclass
class OneDevice(InGraph):
    """What is the same for such frameworks; the others override what asks TensorFlow.

    Attributes:
        device: the framework's own object for the device.
    """

    device: Any = None

    def batches(self, problem: TrainingProblem, order: NDArray[Any]) -> Any:  # noqa: ARG002
        """See `Placement.batches`.

        Raises:
            StrategyError: always; `tf.data` is TensorFlow's.
        """
        raise StrategyError("`tf.data` is TensorFlow's", remedy='input = "resident"')
