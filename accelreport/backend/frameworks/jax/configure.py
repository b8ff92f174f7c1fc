"""JAX as a device of the devices file asks for it; set once in a process."""

from __future__ import annotations

import os

from accelreport.backend.failures import NoDeviceError
from accelreport.backend.runtime import Runtime
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
    import jax
    import keras

    from accelreport.backend.frameworks.jax.device import OnJax

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
