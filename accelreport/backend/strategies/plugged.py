"""Placements that other packages add: hardware that no strategy of TensorFlow's own drives."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from accelreport.backend.strategies.placement import Placement
from accelreport.plugins import PLACEMENTS, PluginError, Plugins
from accelreport.spec.device import Device


@dataclass(frozen=True)
class PlacementPlugin:
    """A package's placement.

    Attributes:
        name: what a device's `placement` says.
        place: (placement of the device's strategy, device) → the placement that is used.
    """

    name: str
    place: Callable[[Placement, Device], Placement]


def plugged(placement: Placement, device: Device) -> Placement:
    """The placement of the package that a device names, made from that of its strategy.

    Raises:
        PluginError: no package gives one of that name, or it does not work.
    """
    plugins = Plugins(PLACEMENTS, PlacementPlugin, "name", taken=())
    if device.placement in plugins.broken:
        raise plugins.broken[device.placement]
    if device.placement not in plugins.found:
        raise PluginError(
            f"There is no placement {device.placement!r} here.",
            why=f"Known are: {', '.join(sorted(plugins.found)) or 'none'}.",
            remedy="Install the package that adds it, or take `placement` out of the devices file.",
        )
    return plugins.found[device.placement].place(placement, device)
