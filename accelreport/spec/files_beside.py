"""The files beside the specs: what a spec may run on, and how a report is made of them."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ValidationInfo

from accelreport.spec.base import SpecModel, Text
from accelreport.spec.device import Device, labelled
from accelreport.spec.diagnostics import Collector
from accelreport.spec.problems import Problem, SpecErrors
from accelreport.spec.sections import NAME, NAME_RULE, check_schema
from accelreport.spec.source import SourceFile, read_file, whole

DEVICES_FILE = "devices.toml"
"""The devices file: what a spec may run on, by name."""


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
    if not check_schema(collector, required=True):
        return devices, collector.problems
    for name, raw in data.items():
        if name != "schema":
            devices[name] = _device(collector, name, raw)
    if not devices:
        help_ = 'write [cpu], and kind = "CPU" under it'
        collector.add("empty-table", (), "this file has no device", help=help_)
    return devices, collector.problems


def _device(collector: Collector, name: str, raw: Any) -> Device | None:
    if not isinstance(raw, dict):
        help_ = "a devices file has `schema` and one [table] for each device"
        collector.wrong_type((name,), "a table", raw, help_)
        return None
    if not re.fullmatch(NAME, name):
        message = f"`{name}` cannot be the name of a device"
        collector.add("bad-name", (name,), message, help=NAME_RULE, at_key=True)
    device = collector.checked(Device, (name,), raw, "a key of a device")
    return None if device is None else labelled(device, name)


FILE_NAME = "accelreport.toml"
"""The file of a report's options. No spec may have this name."""


def _inside(text: str, info: ValidationInfo) -> str:
    folder = (info.context or {})["folder"]
    if not Path(os.path.realpath(folder / text)).is_relative_to(os.path.realpath(folder)):
        raise ValueError(
            f"leads outside {folder}, which holds the specs; name a place elsewhere with "
            f"--{info.field_name} or ACCELREPORT_{str(info.field_name).upper()}"
        )
    return text


ProjectPath = Annotated[Text, AfterValidator(_inside)]
"""A path in the folder above the specs, also after links are followed: a file that came with specs
must not read or write other files of the person who builds the report."""


class ReportOptions(SpecModel):
    """Options of the report. Paths are relative to the working folder."""

    results: ProjectPath | None = None
    """Folder of the results, of every command."""
    out: ProjectPath | None = None
    """Where the pages go."""
    title: Text | None = None
    """The site's name."""
    base_url: Text | None = None
    """Where the site will be published."""
    theme: Literal["auto", "light", "dark"] | None = None
    """Until a reader chooses."""


def read_options(path: Path) -> ReportOptions:
    """What `[report]` says; the defaults if there is no file.

    Raises:
        SpecErrors: the file has an error.
    """
    if not os.path.lexists(path):
        return ReportOptions()
    file = read_file(path, str(path))
    if isinstance(file, Problem):
        raise SpecErrors([file])
    collector = Collector(whole(file))
    options = _report_table(collector) if check_schema(collector, required=True) else None
    problems = [*file.syntax_problems(), *collector.problems]
    if problems or options is None:
        raise SpecErrors(problems)
    return options


def _report_table(collector: Collector) -> ReportOptions | None:
    data = collector.view.data
    for key in (key for key in data if key not in {"schema", "report"}):
        message = f"`{key}` is no table of this file"
        collector.add("unknown-key", (key,), message, help="its table is [report]", at_key=True)
    table = data.get("report", {})
    if not isinstance(table, dict):
        collector.wrong_type(("report",), "a table", table)
        return None
    # A template is a program: none runs because a file that came with the specs names it.
    collector.homes = {"templates": "on the command line (--templates) or in ACCELREPORT_TEMPLATES"}
    folder = {"folder": collector.view.file.path.absolute().parent.parent}
    return collector.checked(ReportOptions, ("report",), table, "a key of [report]", context=folder)
