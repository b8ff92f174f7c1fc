"""What an earlier build made, so that the next one makes only what has changed.

What was made by other code, other templates or other packages is made again; that rule is
what lets a build trust what an earlier one remembered.

Files are written whole and renamed, and their names say what they hold, so builds that run
at once cannot disturb each other. A file is compressed, and its checksum is tested when it
is read; a damaged one is drawn again. It holds what Vega drew, before it was made safe: it
goes through `page_svg` each time, so a page trusts this folder no more than Vega.

A site is made in units (a benchmark with its cells, the front page). For each the memory
holds a key (everything the unit was made from) and the size and time of each file. A file
of which all three still hold is not made again. The pages themselves are not kept: the
output folder is where they are.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
import sys
import time
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from pathlib import Path

from pydantic import TypeAdapter

from accelreport.atomic import refuse_links, write_whole
from accelreport.plugins import DATASETS, WORKLOADS, installed
from accelreport.report.site.options import CHECKOUT, PACKAGED, BuildOptions, SiteFacts

PACKAGE = Path(__file__).parents[2]
"""The source of accelreport."""
ROOMS = ("analysis", "datasets", "report", "results", "spec", "workloads")
"""Rooms a page is made in; the rule of imports keeps all others out."""
DEPENDENCIES = (
    "altair", "jinja2", "markupsafe", "numpy", "pandas", "scipy", "segno", "vl-convert-python",
)  # fmt: skip
"""Packages that have a hand in the bytes of a page."""
PLUGINS = (WORKLOADS, DATASETS)
"""What other packages add that a page may speak of."""


def digest(*parts: str) -> str:
    """SHA-256 of texts, each with its length, so that no two lists of them meet."""
    sha256 = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        sha256.update(b"%d:" % len(data))
        sha256.update(data)
    return sha256.hexdigest()


def build_fingerprint(options: BuildOptions, facts: SiteFacts) -> str:
    """Hash of the code, plug-ins' too, the templates, the packages, and what a person chose.

    Raises:
        OSError: a template or a plug-in's file cannot be read.
    """
    folders = [folder for folder in (options.templates, PACKAGED, CHECKOUT) if folder]
    return digest(
        sys.version,
        json.dumps({name: version(name) for name in DEPENDENCIES}),
        *(_code(PACKAGE / room, PACKAGE) for room in ROOMS),
        *(_files(folder.rglob("*"), folder) for folder in folders),
        *_plugins(),
        json.dumps(asdict(facts), default=repr),
    )


def _plugins() -> Iterable[str]:
    for group in PLUGINS:
        for name, paths in sorted(installed(group).items()):
            yield name
            for path in paths:
                yield _code(path, path.parent)


def _code(path: Path, root: Path) -> str:
    """Hash of a module, or of a package with the data in it."""
    inside = [path] if path.is_file() else path.rglob("*")
    return _files((file for file in inside if file.parent.name != "__pycache__"), root)


def _files(paths: Iterable[Path], root: Path) -> str:
    """Hash of the names and contents of files."""
    sha256 = hashlib.sha256()
    for path in sorted(path for path in paths if path.is_file()):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        sha256.update(f"{path.relative_to(root).as_posix()}\0{content}\n".encode())
    return sha256.hexdigest()


KEPT_S = 30 * 24 * 3600.0
"""Seconds after its last use in which a figure is kept."""
TOUCHED_S = 24 * 3600.0
"""A use is noted at most once in so many seconds."""


class FigureCache:
    """Figures by content.

    Args:
        cache: the folder of everything that builds remember; the folder of figures in it is made
            with the first figure. Nothing is written or removed there through a link.
    """

    def __init__(self, cache: Path) -> None:
        self.folder = cache / "figures"
        self._root = cache.parent
        self._drawer = f"vl-convert {version('vl-convert-python')}, own fonts"

    @property
    def empty(self) -> bool:
        """Whether nothing was ever kept here."""
        return not self.folder.is_dir()

    def get(self, spec: str) -> str | None:
        """What was drawn of a specification; None where it is not known, or damaged."""
        path = self._path(spec)
        try:
            drawn = zlib.decompress(path.read_bytes()).decode()
            if time.time() - path.stat().st_mtime > TOUCHED_S:
                os.utime(path)
        except (OSError, zlib.error, UnicodeDecodeError):
            return None
        return drawn

    def put(self, spec: str, drawn: str) -> None:
        """Keeps a drawing; a full disk costs the next build time, not this one."""
        path = self._path(spec)
        with contextlib.suppress(OSError):
            refuse_links(path.parent, self._root)
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_whole(path, zlib.compress(drawn.encode(), 1), durable=False)

    def prune(self) -> None:
        """Removes what no build has used for a month."""
        oldest = time.time() - KEPT_S
        for path in self.folder.glob("*/*"):
            with contextlib.suppress(OSError):  # another build may have removed it just now
                refuse_links(path.parent, self._root)
                if path.lstat().st_mtime < oldest:
                    path.unlink()

    def _path(self, spec: str) -> Path:
        name = digest(self._drawer, spec)
        return self.folder / name[:2] / name[2:]


State = tuple[int, int]
"""Size in bytes, and time of the last change in nanoseconds."""


def file_state(path: Path) -> State | None:
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


@dataclass(frozen=True)
class _Memory:
    sources: str
    units: dict[str, Remembered]
    withheld: tuple[int, int] = (0, 0)


@dataclass
class BuildManifest:
    """Units of one output folder.

    Attributes:
        path: where this memory is kept.
        out: the output folder.
        sources: key of everything the whole site was made from; empty where a result file
            could not be read, because every build has to report that.
        units: name of a unit → its key, pages and files.
        withheld: see `BuildResult`.
    """

    path: Path
    out: Path
    sources: str = ""
    units: dict[str, Remembered] = field(default_factory=dict)
    withheld: tuple[int, int] = (0, 0)

    @classmethod
    def of(cls, cache: Path, out: Path) -> BuildManifest:
        """What is remembered of a folder: nothing where the memory is absent or damaged."""
        path = cache / "sites" / f"{digest(str(out.absolute()))[:32]}.json"
        memory = cls(path, out)
        with contextlib.suppress(OSError, ValueError):
            remembered = TypeAdapter(_Memory).validate_json(path.read_bytes())
            memory.sources, memory.units = remembered.sources, remembered.units
            memory.withheld = remembered.withheld
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
        return all(file_state(self.out / path) == state for path, state in files.items())

    def left(self, key: str, pages: int, files: Iterable[str]) -> Remembered:
        """A unit as this build leaves it."""
        states = {path: file_state(self.out / path) for path in files}
        return Remembered(key, pages, {path: s for path, s in states.items() if s is not None})

    def save(self, sources: str, units: Mapping[str, Remembered]) -> None:
        """Writes the manifest; a full disk costs the next build time, not this one."""
        document = TypeAdapter(_Memory).dump_json(_Memory(sources, dict(units), self.withheld))
        with contextlib.suppress(OSError):
            refuse_links(self.path.parent, self.path.parents[2])
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_whole(self.path, document, durable=False)
