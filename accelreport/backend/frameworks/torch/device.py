"""PyTorch as a device of the devices file asks for it; set once, and what lies on it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import keras
import torch
from numpy.typing import NDArray
from torch._dynamo.utils import counters

from accelreport.backend.failures import NoDeviceError
from accelreport.backend.frameworks import TORCH_DEVICES, Runtime, no_compiler
from accelreport.backend.placement import OneDevice
from accelreport.spec.device import Device


def configure(device: Device) -> Runtime:
    """Set threads and precision, and find the device.

    Raises:
        NoDeviceError: PyTorch does not see the device, or cannot compile for it.
    """
    if device.kind == "GPU" and not torch.cuda.is_available():
        build = f"built for CUDA {torch.version.cuda}" if torch.version.cuda else "a CPU build"
        raise NoDeviceError(f"PyTorch sees no GPU: {torch.__version__} is {build}")
    if device.torch_compile and (missing := no_compiler(device)):
        raise NoDeviceError(missing)
    if device.threads is not None:
        torch.set_num_threads(device.threads)
    found = torch.device(TORCH_DEVICES[device.kind])
    if device.kind == "GPU":
        _set_tf32("tf32" if device.tf32 else "ieee")
    keras.mixed_precision.set_global_policy(device.precision)
    return Runtime(
        placement=OnTorch(
            strategy=None,
            replicas=1,
            devices=[f"{device.kind}:{found.index or 0}"],
            synchronous=device.kind == "CPU",
            device=found,
        ),
        jit_compile=device.torch_compile,
        facts=_facts(device),
        framework="torch",
        loops_in_program=False,
    )


def _set_tf32(precision: str) -> None:
    """Have float32 products, convolutions and recurrent kernels of a GPU use it or not."""
    torch.backends.cuda.matmul.fp32_precision = precision
    torch.backends.cudnn.conv.fp32_precision = precision
    torch.backends.cudnn.rnn.fp32_precision = precision


def _facts(device: Device) -> dict[str, str]:
    """What PyTorch resolved, for the record."""
    gpu = device.kind == "GPU"
    eager = "operations, called one by one"
    cudnn = str(torch.backends.cudnn.version() or "") if gpu else ""
    libraries = {"oneDNN": torch.backends.mkldnn, "MKL": torch.backends.mkl}
    there = [name for name, library in libraries.items() if library.is_available()]
    facts = {
        "framework": f"PyTorch {torch.__version__}",
        "intra_op_threads": "" if gpu else str(torch.get_num_threads()),
        "steps": "compiled by torch.compile, called one by one" if device.torch_compile else eager,
        "torch_compile": "on" if device.torch_compile else "off",
        "kernels": f"cuDNN {cudnn}".strip() if gpu else " and ".join(there),
        "cuda": str(torch.version.cuda or "") if gpu else "",
        "cudnn": cudnn,
        "matmul_precision": ("tf32" if device.tf32 else "ieee") if gpu else "",
        "device": device.kind,
        "device_kind": str(torch.cuda.get_device_name(0)) if gpu else "",
        "precision": device.precision,
        "strategy": device.strategy,
    }
    return {name: value for name, value in facts.items() if value}


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


def can_wait() -> bool:
    """Whether `everything_done` can wait: this process computes alone."""
    return True
