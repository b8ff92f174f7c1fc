"""What two folders were measured on and with, and where that differs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Protocol

from accelreport.analysis.comparison_values import Difference
from accelreport.results.record import Environment, Record

QUIET = ("accelreport", "Python", "operating system")
"""Facts that are told but are not loud: they seldom change a steady step by themselves."""

GPU = "GPU and driver"

_PORT = re.compile(r"(?<=[\w\]]):\d+(?=\")")
"""Ports of a cluster's addresses, which are others in every run."""


class Measured(Protocol):
    """A group of processes."""

    def values(self, name: str) -> list[str]:
        """What they say of a fact, each value once."""

    @property
    def facts(self) -> set[str]:
        """The facts that they say something of."""


def facts(record: Record) -> dict[str, str]:
    """Fact → value of the machine and the software of a record; empty where it names none."""
    if record.environment is None:
        return {}
    environment = record.environment
    found = {
        "machine": environment.machine,
        "CPU": environment.cpu,
        "threads": str(environment.threads),
        GPU: "; ".join(_gpus(environment)) or "none",
        "operating system": environment.os,
        "Python": environment.python,
        "accelreport": _version(environment),
    }
    if environment.cpu_limit is not None:
        found["CPU limit"] = f"{environment.cpu_limit:g}"
    found |= {f"package {name}": value for name, value in environment.packages.items()}
    found |= {
        f"variable {name}": _PORT.sub(":…", value) if name == "TF_CONFIG" else value
        for name, value in environment.variables.items()
    }
    own = environment.runtime.get("framework", "TensorFlow").partition(" ")[0]
    return found | {f"{own}'s {name}": value for name, value in environment.runtime.items()}


def _gpus(environment: Environment) -> Iterable[str]:
    for gpu in environment.gpus:
        yield f"{gpu.name}, driver {gpu.driver}" if gpu.driver else gpu.name


def _version(environment: Environment) -> str:
    commit = f" {environment.commit[:12]}" if environment.commit else ""
    return f"{environment.accelreport}{commit}{' with changes' if environment.dirty else ''}"


def differences(pairs: Sequence[tuple[Measured, Measured]]) -> list[Difference]:
    """Every fact that is not the same on both sides of some pair, the grave ones first."""
    found: dict[tuple[str, tuple[str, ...], tuple[str, ...]], int] = {}
    for old, new in pairs:
        if not (old.facts and new.facts):
            continue
        for name in sorted(old.facts | new.facts):
            values = tuple(old.values(name)), tuple(new.values(name))
            if values[0] != values[1]:
                found[name, *values] = found.get((name, *values), 0) + 1
    told = [
        Difference(
            fact=name, old=list(old), new=list(new), grave=name not in QUIET, comparisons=count
        )
        for (name, old, new), count in found.items()
    ]
    return sorted(told, key=lambda each: (not each.grave, each.fact != "machine", each.fact))
