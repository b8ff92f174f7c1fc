"""The devices file: what a spec may run on, by name."""

from __future__ import annotations

import re
from typing import Any

from accelreport.spec.device import Device
from accelreport.spec.diagnostics import Collector
from accelreport.spec.problems import Problem
from accelreport.spec.sections import NAME, NAME_RULE, check_schema
from accelreport.spec.source import SourceFile, whole

FILE_NAME = "devices.toml"
"""The devices file beside the specs."""


def read_devices(file: SourceFile) -> tuple[dict[str, Device | None], list[Problem]]:
    """The devices of a file, and everything that is wrong in it.

    Returns:
        The devices by name, in the order of the file; None stands for one with problems, so
        that a spec that names it is not blamed. A device without a label has its name as
        its label, and a label names the framework where that is not TensorFlow.
    """
    collector = Collector(whole(file))
    data = collector.view.data
    devices: dict[str, Device | None] = {}
    if not check_schema(collector):
        return devices, collector.problems
    if "schema" not in data:
        help_ = "begin the file with `schema = 1`"
        collector.add("missing-key", (), "`schema` is missing", help=help_)
    for name, raw in data.items():
        if name != "schema":
            devices[name] = _device(collector, name, raw)
    if not devices:
        help_ = 'write [cpu], and kind = "CPU" under it'
        collector.add("empty-table", (), "this file has no device", help=help_)
    return devices, collector.problems


def _device(collector: Collector, name: str, raw: Any) -> Device | None:
    if not isinstance(raw, dict):
        help_ = "a devices file holds `schema` and one [table] for each device"
        collector.wrong_type((name,), "a table", raw, help_)
        return None
    if not re.fullmatch(NAME, name):
        message = f"`{name}` cannot be the name of a device"
        collector.add("bad-name", (name,), message, help=NAME_RULE, at_key=True)
    device = collector.checked(Device, (name,), raw, "a key of a device")
    return None if device is None else device.model_copy(update={"label": _label(name, device)})


def _label(name: str, device: Device) -> str:
    """What tables and figures call it: two rows must not differ in what nobody can see."""
    label, framework = device.label or name, device.framework_name
    told = device.framework == "tensorflow" or framework.casefold() in label.casefold()
    return label if told else f"{label}, {framework}"
