"""JAX as a device of the devices file asks for it; set once in a process, and what lies on it."""

from __future__ import annotations

import functools
import os
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import jax
import keras
from numpy.typing import NDArray

from accelreport.backend.failures import NoDeviceError
from accelreport.backend.frameworks import Runtime
from accelreport.backend.placement import OneDevice
from accelreport.spec.device import Device

PLATFORMS = {"CPU": "cpu", "GPU": "cuda,cpu", "TPU": "tpu,cpu"}
"""JAX's platforms for each kind; the first must be there, the others bring data to it."""

POOL = "NPROC"
"""The variable from which XLA's client for CPUs takes the number of its threads."""


def configure(device: Device) -> Runtime:
    """Set threads, platform and precision, and find the device.

    Raises:
        NoDeviceError: JAX does not see the device.
    """
    if device.threads is not None:
        os.environ[POOL] = str(device.threads)
    # Memory is taken as it is needed: otherwise the peak would be the whole card.
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    jax.config.update("jax_platforms", PLATFORMS[device.kind])
    precision = ""
    if device.kind == "GPU":
        precision = "tensorfloat32" if device.tf32 else "highest"
        jax.config.update("jax_default_matmul_precision", precision)
    try:
        found = jax.devices(device.kind.lower())[0]
    except RuntimeError as error:
        reason = (str(error).splitlines() or [""])[0]
        raise NoDeviceError(f"JAX sees no {device.kind}: {reason}") from error
    jax.config.update("jax_default_device", found)
    keras.mixed_precision.set_global_policy(device.precision)
    # XLA's programs for CPUs compute a step slower inside a loop (benchmarks/framework_steps.py).
    looped = device.kind != "CPU"
    facts = {
        "framework": f"JAX {jax.__version__}",
        "intra_op_threads": os.environ.get(POOL, "all") if device.kind == "CPU" else "",
        "steps": "a loop in one program" if looped else "a program, called for each step",
        "matmul_precision": precision,
        "xla": "on",
        "device": device.kind,
        "device_kind": str(found.device_kind),
        "precision": device.precision,
        "strategy": device.strategy,
    }
    return Runtime(
        placement=OnJax(
            strategy=None,
            replicas=1,
            devices=[f"{device.kind}:{found.id}"],
            synchronous=False,
            device=found,
        ),
        jit_compile=True,
        facts={name: value for name, value in facts.items() if value},
        framework="jax",
        loops_in_program=looped,
    )


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


def can_wait() -> bool:
    """Whether `everything_done` can wait: this process computes alone."""
    return True
