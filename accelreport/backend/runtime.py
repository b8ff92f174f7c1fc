"""A framework as a device of the devices file asks for it; set once in a process."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from accelreport.backend.frameworks import framework_module
from accelreport.backend.placement import Placement
from accelreport.spec.device import Device
from accelreport.spec.families import TENSORFLOW


@dataclass(frozen=True)
class Runtime:
    """A configured framework.

    Attributes:
        placement: where the model lies and how its graphs are run there.
        jit_compile: whether steps are compiled, by XLA or by `torch.compile`.
        facts: what the framework resolved, for the record.
        framework: as a device names it.
        loops_in_program: whether a window of steps is one call on the device; else each step
            is one, and the host dispatches them.
    """

    placement: Placement
    jit_compile: bool
    facts: dict[str, str]
    framework: str = TENSORFLOW
    loops_in_program: bool = True

    @property
    def strategy(self) -> Any:
        """The `tf.distribute` strategy."""
        return self.placement.strategy

    @property
    def replicas(self) -> int:
        """Replicas in sync, over all workers."""
        return self.placement.replicas

    @property
    def devices(self) -> list[str]:
        """TensorFlow's names of the devices that compute."""
        return self.placement.devices

    @property
    def counts_steps(self) -> bool:
        """Whether the optimizer's own count of steps can be relied upon.

        Under a parameter server workers add to it without waiting for each other.
        """
        return self.facts.get("strategy") != "parameter_server"

    @property
    def synchronous(self) -> bool:
        """Whether a time stamp inside a graph is true."""
        return self.placement.synchronous


def configure(device: Device) -> Runtime:
    """Set threads, visible devices, precision and strategy.

    Raises:
        NoDeviceError: the framework does not see the device.
    """
    found: Runtime = framework_module(device.framework, "device").configure(device)
    return found
