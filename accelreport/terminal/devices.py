"""What `accelreport devices` shows."""

from __future__ import annotations

from collections.abc import Iterator

from accelreport.backend.availability import Probe
from accelreport.runner.survey import Survey
from accelreport.spec.problems import counted

GIB = 2**30


def machine_text(survey: Survey) -> Iterator[str]:
    """The machine, what TensorFlow sees, and each device of the devices file."""
    machine = survey.machine
    cores = counted(machine.cores, "core") if machine.cores else "cores unknown"
    yield f"machine   {machine.machine}  {machine.os}"
    yield f"CPU       {machine.cpu}, {cores}, {counted(machine.threads, 'thread')}"
    if machine.cpu_limit is not None:
        yield f"          limit {machine.cpu_limit:g} (control group)"
    yield f"memory    {machine.memory_bytes / GIB:.1f} GiB"
    for gpu in machine.gpus:
        memory = f", {gpu.memory_bytes / GIB:.1f} GiB" if gpu.memory_bytes else ""
        yield f"GPU       {gpu.name}{memory}, driver {gpu.driver or 'unknown'}"
    if not machine.gpus:
        yield "GPU       none (no driver lists one)"
    yield from _seen(survey.tensorflow)
    if survey.devices:
        yield ""
    width = max((len(device.name) for device in survey.devices), default=0)
    for one in survey.devices:
        verdict = "can run" if one.reason is None else f"cannot run: {one.reason}"
        label = f" ({one.device.label})" if one.device.label not in {"", one.name} else ""
        yield f"{one.name:<{width}}  {one.device.kind}  {verdict}{label}"


def _seen(probe: Probe | None) -> Iterator[str]:
    if probe is None:
        yield "TPU       not looked for, TensorFlow was not asked (--no-probe)"
        return
    if probe.error:
        yield f"TensorFlow  {probe.error}"
        return
    tpus = [device for device in probe.devices if device.kind == "TPU"]
    yield f"TPU       {counted(len(tpus), 'core') if tpus else 'none'}"
    versions = ", ".join(f"{name} {version}" for name, version in probe.versions.items())
    seen = ", ".join(f"{device.name} {device.description}".rstrip() for device in probe.devices)
    yield f"software  {versions}; devices seen: {seen or 'none'}"
