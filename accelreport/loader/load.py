"""Reads spec files: the checked specs, or every problem of every file at once."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from accelreport.errors import FIRST_STEPS
from accelreport.spec.base import Scalar
from accelreport.spec.cells import SpecSet
from accelreport.spec.device import Device
from accelreport.spec.examine import SpecFile
from accelreport.spec.families import Families
from accelreport.spec.files_beside import DEVICES_FILE, FILE_NAME, read_devices
from accelreport.spec.problems import (
    COMMAND_LINE,
    Place,
    Problem,
    SpecErrors,
    did_you_mean,
    listed,
    quote,
    without_echoes,
)
from accelreport.spec.sections import NAME, NAME_RULE
from accelreport.spec.source import FULL, SourceFile, decoded, read_file
from accelreport.workloads.registry import BROKEN, FAMILIES

Devices = dict[str, Device | None]

NO_SPECS = (DEVICES_FILE, FILE_NAME)
"""TOML files beside the specs that are not specs."""

INSTALLED = Families(FAMILIES, BROKEN)
"""The families of workloads: the built-in ones, and those that installed packages add."""


def load(
    paths: Sequence[Path],
    *,
    profile: str | None = None,
    overrides: Mapping[str, Scalar] | None = None,
    devices_file: Path | None = None,
    frameworks: Sequence[str] = (),
    devices: Sequence[str] = (),
) -> SpecSet:
    """Read, check and expand specs.

    Args:
        paths: spec files, or folders, of which every `*.toml` but the devices file is read.
        profile: the profile to read them with; a spec without it is read as it stands.
        overrides: dotted keys, as in a profile, and their values from the command line;
            applied after the profile, to the specs that have the key.
        devices_file: the devices; `devices.toml` beside each spec when absent.
        frameworks: those on which a row of the devices file that names none may run, the preferred
            one first; without any it is TensorFlow.
        devices: rows that the command line names. One that no spec names is added to those that
            can run on it.

    Raises:
        SpecErrors: something is wrong; it holds every problem of every file.
    """
    problems: list[Problem] = []
    files = list(_read_all(paths, devices_file, problems))
    rows = _Devices(devices_file, problems)
    for path in paths:
        if path.name == DEVICES_FILE and os.path.isfile(path):  # noqa: PTH113 -- whatever it is
            rows.read(path)
    specs = [SpecFile(file, rows.beside(file.path), INSTALLED, frameworks) for file in files]
    for spec in specs:
        problems += spec.problems
    problems += _twins(specs)
    problems += _unknown_profile(specs, profile)
    wanted = profile or FULL
    problems += _unknown_overrides(specs, overrides or {}, wanted)
    ready = [spec.overridden(wanted, overrides or {}) for spec in specs]
    problems += [problem for examined in ready for problem in examined.problems]
    if problems:
        raise SpecErrors(_ordered(problems))
    built = [spec.spec(examined, wanted) for spec, examined in zip(specs, ready, strict=True)]
    named = {name for spec in built for name in (*spec.devices, *spec.rows.values())}
    more = {
        name: [spec.overridden(wanted, overrides or {}, [name]).problems for spec in specs]
        for name in devices
        if name in rows.all and name not in named
    }
    for refused in more.values():
        if all(refused):
            raise SpecErrors(_ordered(problem for problems in refused for problem in problems))
    for number, spec in enumerate(specs):
        if added := [name for name, refused in more.items() if not refused[number]]:
            built[number] = spec.spec(spec.overridden(wanted, overrides or {}, added), wanted)
    return SpecSet(tuple(built), {name: item for name, item in rows.all.items() if item})


def examine(path: Path, content: bytes, devices_file: Path | None = None) -> SpecFile:
    """A spec with other content than its file has; what is wrong with it is in its `problems`.

    Args:
        path: its file; devices and other files are looked for beside it.
        content: its bytes.
        devices_file: the devices; `devices.toml` beside it when absent.

    Raises:
        SpecErrors: the content is no text, or the devices file is wrong.
    """
    file = decoded(path, str(path), content)
    problems = [file] if isinstance(file, Problem) else []
    devices = _Devices(devices_file, problems).beside(path)
    if problems or isinstance(file, Problem):
        raise SpecErrors(problems)
    return SpecFile(file, devices, INSTALLED)


class _Devices:
    """The devices of all devices files, of which each is read once.

    Args:
        only: the file to use instead of the one beside each spec.
        problems: where problems are added.
    """

    def __init__(self, only: Path | None, problems: list[Problem]) -> None:
        self.all: Devices = {}
        self._only = only
        self._problems = problems
        self._files: dict[str, Devices] = {}
        self._places: dict[str, Place] = {}

    def beside(self, spec: Path) -> Devices:
        """The devices that a spec may name."""
        return self.read(self._only or spec.parent / DEVICES_FILE)

    def read(self, path: Path) -> Devices:
        """The devices of a file."""
        key = os.path.realpath(path)  # unlike Path.resolve, it raises no error for a loop of links
        if key not in self._files:
            self._files[key] = self._read(path)
        return self._files[key]

    def _read(self, path: Path) -> Devices:
        file = read_file(path, str(path))
        if isinstance(file, Problem):
            if not os.path.lexists(path):
                help_ = "write one beside the specs, with a table such as [cpu]"
                file = Problem("no-devices", Place(str(path)), "there is no devices file", help_)
            self._problems.append(file)
            return {}
        devices, problems = read_devices(file)
        self._problems += [*file.syntax_problems(), *problems]
        for name, device in devices.items():
            place = file.place((name,), at_key=True, label="the other definition")
            if name in self.all and self.all[name] != device:
                message = f"the device `{name}` differs between two devices files"
                also = (self._places[name],)
                self._problems.append(Problem("duplicate-name", place, message, "", name, also))
            self.all.setdefault(name, device)
            self._places.setdefault(name, place)
        # A device may be on a line that cannot be parsed, so no name is called unknown.
        return devices if file.document.is_whole else {}


def _read_all(
    paths: Sequence[Path], devices_file: Path | None, problems: list[Problem]
) -> Iterator[SourceFile]:
    """The spec files that could be read, each once."""
    read = {os.path.realpath(devices_file)} if devices_file else set()
    for path in _files(paths, problems):
        real = os.path.realpath(path)
        if path.name in NO_SPECS or real in read:
            continue
        read.add(real)
        if not re.fullmatch(NAME, path.stem):
            message = f"{quote(path.stem)} cannot be the name of a spec"
            problems.append(Problem("bad-name", Place(str(path)), message, NAME_RULE))
        file = read_file(path, str(path))
        if isinstance(file, Problem):
            problems.append(file)
        else:
            yield file


def _files(paths: Sequence[Path], problems: list[Problem]) -> Iterator[Path]:
    """The TOML files that paths name, a folder standing for all that are in it."""
    for path in paths:
        place = Place(str(path))
        if os.path.isdir(path):  # noqa: PTH112 -- whatever it is
            inside = sorted(path.glob("*.toml"))
            if not any(file.name not in NO_SPECS for file in inside):
                message = "this folder has no spec: no *.toml file except devices.toml"
                problems.append(Problem("no-spec", place, message))
            yield from inside
        elif not os.path.lexists(path):
            siblings = [file.name for file in path.parent.glob("*.toml")]
            help_ = did_you_mean(path.name, siblings) or ("" if path.suffix else FIRST_STEPS)
            problems.append(Problem("no-file", place, "there is no such file", help_))
        elif path.suffix != ".toml":
            problems.append(Problem("no-spec", place, "the name of a spec file ends in .toml"))
        else:
            yield path
    if not paths:
        problems.append(Problem("no-spec", Place(COMMAND_LINE), "no spec is named"))


def _twins(specs: Sequence[SpecFile]) -> Iterator[Problem]:
    """Specs with the same name or title, which a report could not distinguish."""
    names: dict[str, SpecFile] = {}
    titles: dict[str, SpecFile] = {}
    for spec in specs:
        name, title = spec.file.path.stem, spec.full.parts.title
        # Names become file names, and some file systems ignore case.
        first = names.setdefault(name.casefold(), spec)
        if first is not spec:
            also = (Place(first.file.name, label="the other one"),)
            message = f"two specs are called {quote(name)}"
            yield Problem("duplicate-name", Place(spec.file.name), message, related=also)
        first = titles.setdefault(title, spec)
        if title and first is not spec:
            also = (first.file.place(("title",), label="the other one"),)
            message = "two specs have this title"
            place = spec.file.place(("title",))
            yield Problem("duplicate-name", place, message, key="title", related=also)


def _unknown_profile(specs: Sequence[SpecFile], profile: str | None) -> Iterator[Problem]:
    if not specs or profile in {None, FULL} or any(profile in spec.profiles for spec in specs):
        return
    known = sorted({name for spec in specs for name in spec.profiles})
    near = did_you_mean(str(profile), known, quoted=True)
    every = listed([quote(name) for name in [*known, FULL]])
    message = f"no spec has a profile {quote(profile)}"
    yield Problem("no-profile", Place(COMMAND_LINE), message, near or f"there is {every}")


def _unknown_overrides(
    specs: Sequence[SpecFile], overrides: Mapping[str, Scalar], profile: str
) -> Iterator[Problem]:
    for key in overrides:
        if specs and not any(spec.takes(key, profile) for spec in specs):
            message = f"no spec has a key `{key}` that can be overridden"
            yield Problem("unknown-key", Place(COMMAND_LINE), message, key=key)


def _ordered(problems: Iterable[Problem]) -> list[Problem]:
    """Each problem once, by file in the order of reading, then by line and column."""
    unique = without_echoes(problems)
    order = {
        name: number for number, name in enumerate(dict.fromkeys(p.place.file for p in unique))
    }
    return sorted(
        unique,
        key=lambda problem: (order[problem.place.file], problem.place.line, problem.place.column),
    )
