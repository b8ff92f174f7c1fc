"""Packages that add to accelreport through entry points.

A package names its object in its own `pyproject.toml`:

    [project.entry-points."accelreport.workloads"]
    table = "my_package.table:FAMILY"

    [project.entry-points."accelreport.datasets"]
    my_rows = "my_package.rows:ENTRY"

    [project.entry-points."accelreport.placements"]
    my_card = "my_package.card:PLACEMENT"

    [project.entry-points."accelreport.launchers"]
    my_cluster = "my_package.cluster:LAUNCHER"

Such a package is code that runs here, as any installed package is. One that does not work is
kept aside with the reason, and spoils nothing but the specs that name it.
"""

from __future__ import annotations

from collections.abc import Collection
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Generic, TypeVar

from accelreport.errors import AccelReportError, ExitCode

T = TypeVar("T")

WORKLOADS = "accelreport.workloads"
"""Entry points of workload families: a `Family` called by its `kind`."""

DATASETS = "accelreport.datasets"
"""Entry points of data sets: a `CatalogueEntry` called by its `name`."""

PLACEMENTS = "accelreport.placements"
"""Entry points of placements: a `PlacementPlugin` called by its `name`."""

LAUNCHERS = "accelreport.launchers"
"""Entry points of launchers: a `LauncherPlugin` called by its `name`."""


class PluginError(AccelReportError):
    """A plug-in cannot be used."""

    exit_code = ExitCode.BAD_SPEC
    kind = "bad-plugin"


class Plugins(Generic[T]):
    """What other packages add under one group.

    Attributes:
        usable: the objects that can be used, by name.
        broken: why the others cannot, by name.

    Args:
        group: the entry points' group.
        wanted: what each must be.
        naming: the attribute of such an object that must be the entry point's name.
        taken: names that accelreport itself uses.
    """

    def __init__(self, group: str, wanted: type[T], naming: str, taken: Collection[str]) -> None:
        self.usable: dict[str, T] = {}
        self.broken: dict[str, PluginError] = {}
        points = list(entry_points(group=group))
        names = [point.name for point in points]
        for point in points:
            if point.name in taken:
                why = f"{point.name!r} is a name of accelreport's own."
                self.broken[f"{point.name} ({point.value})"] = _error(point, why)
            elif names.count(point.name) > 1:
                every = sorted(_where(other) for other in points if other.name == point.name)
                self.broken[point.name] = _error(point, f"It is given by {' and '.join(every)}.")
            else:
                self._load(point, wanted, naming)

    def _load(self, point: EntryPoint, wanted: type[T], naming: str) -> None:
        try:
            loaded = point.load()
        except Exception as error:  # somebody else's code may fail in any way
            self.broken[point.name] = _error(point, f"{type(error).__name__}: {error}")
            return
        if not isinstance(loaded, wanted):
            why = f"It is a {type(loaded).__name__} and not a {wanted.__name__}."
            self.broken[point.name] = _error(point, why)
        elif (own := getattr(loaded, naming)) != point.name:
            why = f"Its {naming} is {own!r} and not {point.name!r}."
            self.broken[point.name] = _error(point, why)
        else:
            self.usable[point.name] = loaded


def installed(group: str) -> dict[str, list[Path]]:
    """Every entry point of a group, as text, and the folders or the file of its package's code.

    Nothing of a package is imported. One that is not found has no paths.
    """
    return {
        f"{point.name} = {point.value} of {_where(point)}": _code(point.module)
        for point in entry_points(group=group)
    }


def _code(module: str) -> list[Path]:
    name, spec = "", None
    for part in module.split("."):
        name = f"{name}.{part}".lstrip(".")
        try:
            spec = find_spec(name)
        except (ImportError, ValueError):
            return []
        if spec is None or spec.origin is not None:
            break  # else a namespace, which others have a share in
    if spec is None:
        return []
    places = spec.submodule_search_locations or ([spec.origin] if spec.origin else [])
    return [Path(place) for place in places]


def _where(point: EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist else point.value


def _error(point: EntryPoint, why: str) -> PluginError:
    return PluginError(
        f"The plug-in {point.name!r} of {_where(point)} cannot be used ({point.value}).",
        why=why.strip(),
        remedy="Correct, update or uninstall the package.",
    )
