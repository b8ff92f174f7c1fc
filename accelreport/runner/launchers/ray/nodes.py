"""What the nodes of a Ray cluster have, and what a device, or a person, asks of one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import accelreport
from accelreport.backend.availability import needed_here
from accelreport.results.plan_document import Document
from accelreport.runner.launchers.base import BadLauncher
from accelreport.spec.base import Scalar
from accelreport.spec.device import Device

ACCELERATORS = {"GPU": "GPU", "TPU": "TPU"}
"""Kind of a device → Ray's resource."""


class About(Document):
    """What a node says of itself."""

    host: str
    """Its name."""
    accelreport: str
    """Version of accelreport there."""
    threads: int
    """Logical processors that a process may use there."""
    tensorflow: bool
    """Whether TensorFlow is installed there."""


@dataclass(frozen=True)
class Node:
    """A node of a Ray cluster.

    Attributes:
        id: Ray's number of it.
        host: its name.
        resources: what it has in all, by Ray's names.
        refused: why it measures nothing; empty when it does.
        threads: logical processors that a process may use there.
        address: where other nodes reach it.
    """

    id: str
    host: str
    resources: Mapping[str, float]
    refused: str = ""
    threads: int = 0
    address: str = ""


@dataclass(frozen=True)
class Demand:
    """What a cell asks Ray for: the whole of a node's CPUs, so that it is alone there.

    Attributes:
        cpus: all of the node's.
        gpus: the GPUs of the device.
        more: further resources.
    """

    cpus: float
    gpus: float = 0
    more: Mapping[str, float] = field(default_factory=dict)


def checked(node: Node, about: About | str) -> Node:
    """The node, refused where it cannot measure.

    Args:
        node: the node, as Ray lists it.
        about: what it says of itself, or why it says nothing.
    """
    if isinstance(about, str):
        why, threads = about, 0
    else:
        why, threads = _unfit(node, about), about.threads
    return Node(node.id, node.host, node.resources, why, threads, node.address)


def _unfit(node: Node, about: About) -> str:
    if about.accelreport != accelreport.__version__:
        return f"it has accelreport {about.accelreport}, and here it is {accelreport.__version__}"
    if not about.tensorflow:
        return "TensorFlow is not installed there"
    if node.resources.get("CPU", 0) < 1:
        return "it offers no CPU"
    return ""


def lack(node: Node, device: Device, asked: Mapping[str, float]) -> str:
    """Why a device cannot run on a node; empty when it can.

    Args:
        node: the node.
        device: the device.
        asked: resources that `--on-option resource.NAME=AMOUNT` asks for besides.
    """
    if node.refused:
        return node.refused
    for name, amount in asked.items():
        if node.resources.get(name, 0) < amount:
            return f"it has {node.resources.get(name, 0):g} {name}, and {amount:g} is asked for"
    if device.threads is not None and device.threads > node.threads:
        return f"{device.threads} threads are needed and it has {node.threads}"
    resource = ACCELERATORS.get(device.kind, "")
    if not resource or device.address:
        return ""
    needed, has = needed_here(device), node.resources.get(resource, 0)
    return "" if has >= needed else f"{needed} {resource} needed and it has {has:g}"


def demand(node: Node, device: Device, asked: Mapping[str, float]) -> Demand:
    """What a cell of a device asks for on a node that lacks nothing."""
    more = dict(asked)
    if device.kind == "TPU" and not device.address:
        more["TPU"] = node.resources["TPU"]
    gpus = needed_here(device) if device.kind == "GPU" else 0
    return Demand(node.resources["CPU"], gpus, more)


def asked_resources(options: Mapping[str, Scalar]) -> dict[str, float]:
    """Ray's resources that `--on-option resource.NAME=AMOUNT` asks for.

    Raises:
        BadLauncher: an option is not of that form.
    """
    found: dict[str, float] = {}
    for key, value in options.items():
        prefix, _, name = key.partition(".")
        if prefix != "resource" or not name:
            raise BadLauncher(
                f"--on-option {key}: --on ray does not know it.",
                remedy="It knows resource.NAME=AMOUNT, which asks for nodes with that resource.",
            )
        if name in {"CPU", "GPU", "memory"}:
            raise BadLauncher(
                f"--on-option {key} cannot be used.",
                why="A cell gets all CPUs of its node, and the accelerators of its device.",
            )
        if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
            raise BadLauncher(f"--on-option {key}={value}: an amount is a number above 0.")
        found[name] = float(value)
    return found
