"""A spec file as one profile reads it, with every value still traced to its place."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from accelreport.spec.base import Scalar
from accelreport.spec.positions import KeyPath, value_at
from accelreport.spec.problems import Place
from accelreport.spec.source import SourceFile

FULL = "full"
"""The profile of a spec as it stands, without any change."""

SECTIONS = ("workload", "measure", "sweep")
"""Tables in which a profile, or the command line, changes single keys."""

WHOLE = ("devices", "baseline")
"""Keys at the top of the file that a profile may change."""


@dataclass(frozen=True)
class View:
    """A spec's values under one profile.

    Attributes:
        file: the spec.
        profile: the profile's name.
        data: the values, changed.
        moved: where a changed value stands: its path in the file, or the option's text.
    """

    file: SourceFile
    profile: str
    data: dict[str, Any]
    moved: dict[KeyPath, KeyPath | str] = field(default_factory=dict)

    def place(self, path: KeyPath, *, at_key: bool = False, label: str = "") -> Place:
        """Where the value at a path of `data` was written."""
        for length in range(len(path), 0, -1):
            origin = self.moved.get(path[:length])
            if isinstance(origin, str):
                return Place(f"command line: {origin}", label=label)
            if origin is not None:
                path = (*origin, *path[length:])
                break
        return self.file.place(path, at_key=at_key, label=label)

    def has(self, path: KeyPath) -> bool:
        """Whether a value was written at this path."""
        return value_at(self.data, path) is not None

    def change(self, key: str, value: Any, origin: KeyPath | str) -> None:
        """Give a dotted key another value; tables on the way are made where absent."""
        path = self._path(key)
        node = self.data
        for part in path[:-1]:
            inner = node.get(str(part))
            node[str(part)] = node = inner if isinstance(inner, dict) else {}
        node[str(path[-1])] = copy.deepcopy(value)
        self.moved[path] = origin

    def _path(self, key: str) -> KeyPath:
        """Where a dotted key stands, or would stand."""
        head, _, rest = key.partition(".")
        if head != "sweep":
            return tuple(key.split("."))
        # An axis may be written as a quoted dotted key or as nested tables.
        for known, path, _ in leaves(self.data.get("sweep"), ("sweep",)):
            if known == rest:
                return path
        zipped = rest.removeprefix("zip.")
        return ("sweep", "zip", zipped) if zipped != rest else ("sweep", rest)


def whole(file: SourceFile) -> View:
    """The spec as it stands."""
    return View(file, FULL, copy.deepcopy(file.document.data))


def with_profile(file: SourceFile, profile: str) -> View:
    """The spec with a profile's values; what is no change at all is left out."""
    view = View(file, profile, copy.deepcopy(file.document.data))
    for key, path, value in changes(file, profile):
        if is_changeable(key):
            view.change(key, value, path)
    return view


def changes(file: SourceFile, profile: str) -> Iterator[tuple[str, KeyPath, Any]]:
    """A profile's dotted keys, where each is written, and its value."""
    profiles = file.document.data.get("profiles")
    table = profiles.get(profile) if isinstance(profiles, dict) else None
    return leaves(table, ("profiles", profile))


def is_changeable(key: str) -> bool:
    """Whether a dotted key is one that a profile may change."""
    head, _, rest = key.partition(".")
    return key in WHOLE or (head in SECTIONS and all(rest.split(".")))


def with_overrides(view: View, overrides: Mapping[str, Scalar]) -> View:
    """The view with values from the command line."""
    for key, value in overrides.items():
        view.change(key, value, key)
    return view


def leaves(table: object, path: KeyPath = ()) -> Iterator[tuple[str, KeyPath, Any]]:
    """The values below a table: dotted key, path and value; a table that is empty is a value."""
    if not isinstance(table, dict):
        return
    for key, value in table.items():
        if isinstance(value, dict) and value:
            for below, inner, leaf in leaves(value, (*path, key)):
                yield f"{key}.{below}", inner, leaf
        else:
            yield key, (*path, key), value
