"""What an earlier build left in an output folder, so that the next one leaves it there.

A site is made in units (a benchmark with its cells, the front page). For each the memory
holds a key (everything the unit was made from) and the size and time of each file. A file
of which all three still hold is not made again. The pages themselves are not kept: the
output folder is where they are.
"""

from __future__ import annotations

import contextlib
import json
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from accelreport.report.fingerprint import digest
from accelreport.results.atomic import write_whole

State = tuple[int, int]
"""Size in bytes, and time of the last change in nanoseconds."""


def state_of(path: Path) -> State | None:
    """Size and time of a regular file; None where there is none."""
    try:
        status = path.lstat()
    except OSError:
        return None
    return (status.st_size, status.st_mtime_ns) if stat.S_ISREG(status.st_mode) else None


@dataclass(frozen=True)
class Remembered:
    """A unit as an earlier build left it."""

    key: str
    pages: int
    files: Mapping[str, State]


@dataclass
class Memory:
    """Units of one output folder.

    Attributes:
        path: where this memory is kept.
        out: the output folder.
        sources: key of everything the whole site was made from; empty where a result file
            could not be read, because a build has to say so each time.
        units: name of a unit → how it was left.
    """

    path: Path
    out: Path
    sources: str = ""
    units: dict[str, Remembered] = field(default_factory=dict)

    @classmethod
    def of(cls, cache: Path, out: Path) -> Memory:
        """What is remembered of a folder: nothing where the memory is absent or damaged."""
        path = cache / "sites" / f"{digest(str(out.absolute()))[:32]}.json"
        memory = cls(path, out)
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            memory.units = {
                name: Remembered(
                    unit["key"],
                    unit["pages"],
                    {file: (size, time) for file, (size, time) in unit["files"].items()},
                )
                for name, unit in found["units"].items()
            }
            memory.sources = found["sources"]
        return memory

    def kept(self, name: str, key: str) -> Remembered | None:
        """A unit that was made from the same, and whose files are as they were left."""
        unit = self.units.get(name)
        if unit is None or unit.key != key:
            return None
        return unit if self._untouched(unit.files) else None

    def whole(self, sources: str) -> bool:
        """Whether the site was made from the same, and every file is as it was left."""
        known = bool(sources) and sources == self.sources and bool(self.units)
        return known and all(self._untouched(unit.files) for unit in self.units.values())

    def _untouched(self, files: Mapping[str, State]) -> bool:
        return all(state_of(self.out / path) == state for path, state in files.items())

    def left(self, key: str, pages: int, files: Iterable[str]) -> Remembered:
        """A unit as this build leaves it."""
        states = {path: state_of(self.out / path) for path in files}
        return Remembered(key, pages, {path: s for path, s in states.items() if s is not None})

    def save(self, sources: str, units: Mapping[str, Remembered]) -> None:
        """Remembers; a disk that takes no more costs the next build time, not this one."""
        document = {
            "sources": sources,
            "units": {
                name: {"key": unit.key, "pages": unit.pages, "files": unit.files}
                for name, unit in units.items()
            },
        }
        with contextlib.suppress(OSError):
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_whole(self.path, json.dumps(document).encode(), durable=False)
