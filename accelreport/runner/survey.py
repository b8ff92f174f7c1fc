"""What this machine is and which devices can run on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from accelreport.backend.availability import Probe, needs_probe, probe, unavailable
from accelreport.machine.inventory import Inventory, inventory
from accelreport.results.plan_document import Document
from accelreport.spec.device import ONE_DEVICE, Device
from accelreport.spec.devices_file import read_devices
from accelreport.spec.families import TENSORFLOW
from accelreport.spec.problems import Problem, SpecErrors
from accelreport.spec.source import read_file


class DeviceHere(Document):
    """A device of the devices file, and whether it can run on this machine."""

    name: str
    """Its name."""
    device: Device
    """What the file says of it."""
    reason: str | None
    """Why it cannot run here; none when it can."""


class Survey(Document):
    """A machine and its devices."""

    machine: Inventory
    """The machine, as the system describes it."""
    tensorflow: Probe | None
    """What TensorFlow sees; none when it was not asked."""
    devices: list[DeviceHere]
    """Each device of the devices file."""


def survey(devices_file: Path, *, ask_tensorflow: bool) -> Survey:
    """Look at this machine.

    Args:
        devices_file: the devices; without the file none are listed.
        ask_tensorflow: whether to start TensorFlow, which takes seconds.

    Raises:
        SpecErrors: the devices file has an error.
    """
    devices = _devices(devices_file) if devices_file.exists() else {}
    here = inventory()
    answer = probe() if ask_tensorflow else None
    return Survey(
        machine=here,
        tensorflow=answer,
        devices=[
            DeviceHere(name=name, device=device, reason=unavailable(device, here, answer))
            for name, device in devices.items()
        ],
    )


def absences(
    devices: Mapping[str, Device], *, waiting: Callable[[str], None]
) -> dict[str, str | None]:
    """Device name → why it cannot run here, or None.

    Args:
        devices: the devices by name.
        waiting: told what takes seconds.
    """
    machine = inventory()
    answer = None
    if needs_probe(devices.values(), machine):
        waiting("TensorFlow is asked which devices it sees")
        answer = probe()
    return {name: unavailable(device, machine, answer) for name, device in devices.items()}


def worth_comparing(devices: Mapping[str, Device], absent: Mapping[str, str | None]) -> list[str]:
    """Devices of this machine whose comparison says something, the baseline first.

    One thread of the CPU, the whole CPU, then each accelerator. Where there is none, the CPU
    under every other framework that is installed, so that a comparison exists.

    Args:
        devices: the rows of a devices file.
        absent: name → why it cannot run here, or None.

    Returns:
        Names, one for each use of the hardware; those of CPUs where nothing can run.
    """
    plain = {name: device for name, device in devices.items() if _is_plain(device)}
    here = {name: device for name, device in plain.items() if absent[name] is None}
    if not here:
        return [name for name, device in plain.items() if device.kind == "CPU"][:1]
    accelerated = any(device.kind != "CPU" for device in here.values())
    found: dict[tuple[str, str, bool], str] = {}
    for name, device in here.items():
        # Another framework is compared on the whole CPU; one thread is TensorFlow's row.
        whole = not accelerated and device.threads != 1
        if device.framework == TENSORFLOW or whole:
            found.setdefault((device.kind, device.framework, device.threads == 1), name)
    order = {"CPU": 0, "GPU": 1, "TPU": 2}
    ranked = sorted(
        found.items(),
        key=lambda each: (order[each[0][0]], each[0][1] != TENSORFLOW, not each[0][2]),
    )
    return [name for _, name in ranked]


def _is_plain(device: Device) -> bool:
    """Whether a device is one use of the hardware as it is: one process, no option of its own."""
    optional = (device.xla, device.eager, device.tf32, device.torch_compile, device.placement)
    return (
        device.strategy in {*ONE_DEVICE, "tpu"}
        and device.threads in {None, 1}
        and device.precision == "float32"
        and not any(optional)
    )


def _devices(path: Path) -> dict[str, Device]:
    file = read_file(path, str(path))
    if isinstance(file, Problem):
        raise SpecErrors([file])
    found, problems = read_devices(file)
    if every := [*file.syntax_problems(), *problems]:
        raise SpecErrors(every)
    return {name: device for name, device in found.items() if device}
