"""What this machine is and which devices can run on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from accelreport.backend.availability import Probe, needs_probe, probe, unavailable
from accelreport.machine.inventory import Inventory, inventory
from accelreport.results.plan_document import Document
from accelreport.spec.device import Device
from accelreport.spec.devices import read_devices
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


def _devices(path: Path) -> dict[str, Device]:
    file = read_file(path, str(path))
    if isinstance(file, Problem):
        raise SpecErrors([file])
    found, problems = read_devices(file)
    if every := [*file.syntax_problems(), *problems]:
        raise SpecErrors(every)
    return {name: device for name, device in found.items() if device}
