"""Several results folders into one, such as those of several machines.

Merging is a union, so it does not matter in which order, how often or in how many steps
folders are merged: it is associative, commutative and idempotent. For one cell on one
machine the union keeps

- of a measurement and a failure or a skip, the measurement; of a complete and a partial
  measurement, the complete one; of failures and skips, the newest failure;
- of different measurements of the same standing, all of them. The newest stands in `cells/`,
  the others under `conflicts/`, and the merge names them.

Files that cells left are named by their content, so that their union is plain: those that a
record names are taken, and held against what it says of them.

Nothing is destroyed: what lies in the output folder and cannot be read is set aside when
something takes its place, what a newer accelreport wrote keeps its place, and among `conflicts/`
only what was read is cleared up.

Plans of the same name that differ are kept in the same way; the one whose cells have the most
records stands in `plans/`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from pydantic import BaseModel

from accelreport.results.atomic import write_parts, write_whole
from accelreport.results.folder import existing
from accelreport.results.naming import listing, names
from accelreport.results.problems import ResultProblem, UnreadableFile
from accelreport.results.reading import opened, parts_of, read_bytes, read_plan, read_record
from accelreport.results.store import Store, cannot_write, set_aside
from accelreport.results.versions import (
    Version,
    Versions,
    changed,
    digest_of,
    kept,
    plan_versions,
    record_versions,
)

AT_ONCE = 8
"""So many files are written at a time: each waits for the disk, which takes several together."""

Reader = Callable[[Path], BaseModel]


@dataclass(frozen=True)
class Merged:
    """What a merge did.

    Attributes:
        records: records in the folder now.
        plans: plans in the folder now.
        machines: fingerprints of the machines they are from.
        conflicts: names of records and plans of which several versions are kept.
        problems: files that could not be read and were left where they are.
    """

    records: int
    plans: int
    machines: tuple[str, ...]
    conflicts: tuple[str, ...]
    problems: tuple[ResultProblem, ...]


def merge(sources: Sequence[Path], out: Path) -> Merged:
    """Merge results folders into one; what is in it already is one of the sources.

    Records that are in `out` alone stay as they are, and are not read.

    Raises:
        ResultsError: a source is no results folder, `out` cannot be written, or a file changed
            meanwhile.
    """
    for source in sources:
        existing(source)
    Store(out).prepare()
    folders = [*sources, out]
    problems: list[ResultProblem] = []
    found = record_versions(sources, out, problems)
    every = {*found.versions, *found.untouched}
    measured = {name.partition(".")[0] for name in every}
    plans = plan_versions(folders, measured, problems)
    records = _Settling(out, "cells", read_record, found.versions, problems)
    documents = _Settling(out, "plans", read_plan, plans, problems)
    try:
        _unite_artefacts(folders, out, found.artefacts, problems)
        conflicts = [*records.settle(kept, found.several), *documents.settle(set)]
    except OSError as error:
        raise cannot_write(out, error) from error
    return Merged(
        records=len(every),
        plans=len(plans),
        machines=tuple(sorted({name.split(".")[1] for name in every})),
        conflicts=tuple(sorted(conflicts)),
        problems=tuple(dict.fromkeys(map(records.told, map(documents.told, problems)))),
    )


def _unite_artefacts(
    folders: Sequence[Path],
    out: Path,
    named: Mapping[str, Collection[int]],
    problems: list[ResultProblem],
) -> None:
    """Copy the files that cells left, before the records that name them.

    Args:
        folders: the folders, of which `out` is one.
        out: the folder that takes the union.
        named: name of a file → the bytes that records say it holds. Others stay where they are.
        problems: takes what is not what its name or a record says.
    """
    target = Store(out).artefacts
    for folder in (Store(folder).artefacts for folder in folders):
        for name in sorted(named.keys() & set(names(folder))):
            try:
                if not _holds(target / name, named[name]):
                    target.mkdir(exist_ok=True)
                    write_parts(target / name, parts_of(folder / name, named[name]))
            except FileNotFoundError:
                continue  # a link that leads nowhere, or it was removed meanwhile
            except UnreadableFile as error:
                problems.append(error.problem)


def _holds(path: Path, sizes: Collection[int]) -> bool:
    """Whether a file is there and as long as it may be; it was checked when it came.

    Raises:
        UnreadableFile: something else is there, such as a folder.
    """
    try:
        with opened(path) as (_, size):
            return size in sizes
    except FileNotFoundError:
        return False


@dataclass
class _Settling:
    """Puts documents of one kind where they belong in the output folder.

    Attributes:
        out: the folder that takes the union.
        kind: `cells` or `plans`.
        reader: reads one from a file.
        found: name → every version of it that was read.
        problems: files that could not be read.
    """

    out: Path
    kind: str
    reader: Reader
    found: Versions
    problems: Sequence[ResultProblem]
    _moved: dict[Path, Path] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._seen = {one.digest for versions in self.found.values() for one in versions}
        self._newer = {problem.path for problem in self.problems if problem.kind == "newer"}

    def settle(
        self,
        keep: Callable[[Iterable[Version]], set[Version]],
        several: Collection[str] = (),
    ) -> Iterator[str]:
        """Put every version where it belongs; yields the names of which there are several.

        Args:
            keep: which of the versions of one name the union keeps.
            several: names that were not read and of which several versions lie there.
        """
        wanted: set[Path] = set()
        alone: list[tuple[Path, Version]] = []
        # All are out of each other's way before the first one takes its place.
        safe = {name: self._without_strays(name, keep(self.found[name])) for name in self.found}
        for name, versions in sorted(safe.items()):
            front = max(versions)
            places = {self._aside(name, one): one for one in sorted(versions - {front})}
            place = self.out / self.kind / name
            places[self._aside(name, front) if place in self._newer else place] = front
            if list(places) == [place]:
                alone.append((place, front))
                continue
            wanted |= places.keys()
            # All are read before the first is written: one may lie where another one belongs. The
            # one in front is written last, so that a merge that is killed has lost none.
            for path, content in [(path, one.content(self.reader)) for path, one in places.items()]:
                self._put(path, content)
            yield f"{self.kind}/{name}"
        self._put_all(alone)
        yield from (f"{self.kind}/{name}" for name in several)
        kept_aside = {name.removesuffix(".json") for name in several}
        for path in listing(self.out / "conflicts" / self.kind):
            others = path in wanted or path.stem.rpartition(".")[0] in kept_aside
            if not others and self._is_elsewhere(path):
                path.unlink()

    def told(self, problem: ResultProblem) -> ResultProblem:
        """A problem, with the name that its file has now if it had to make room."""
        moved = self._moved.get(problem.path)
        message = f"{problem.message}; it is now {moved.name}" if moved else problem.message
        return replace(problem, message=message)

    def _without_strays(self, name: str, versions: Iterable[Version]) -> set[Version]:
        """The same versions, of which none lies where the record of another name belongs.

        Somebody may have given a file the name of another record: that one would take its place,
        and the only copy of what the file holds.
        """
        found = set()
        for version in versions:
            place = self._aside(name, version)
            if version.source.name in (name, place.name):
                found.add(version)
            else:
                self._put(place, version.content(self.reader))
                found.add(replace(version, source=place))
        return found

    def _aside(self, name: str, version: Version) -> Path:
        """Where a version lies that is not in front: at no place of a newer accelreport's file."""
        folder, stem = self.out / "conflicts" / self.kind, name.removesuffix(".json")
        digests = (version.digest[:length] for length in (12, 24, 64))
        places = (folder / f"{stem}.{digest}.json" for digest in digests)
        return next(place for place in places if place not in self._newer)

    def _put_all(self, places: Sequence[tuple[Path, Version]]) -> None:
        """Write each version to its place, several at a time and never many in memory."""
        rest = iter(places)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            while some := list(islice(rest, 8 * AT_ONCE)):
                list(pool.map(lambda one: self._put(one[0], one[1].content(self.reader)), some))

    def _put(self, path: Path, content: bytes) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not self._is_there(path, content):
            write_whole(path, content)

    def _is_there(self, path: Path, content: bytes) -> bool:
        """Whether a file holds this already; one that cannot be read makes room.

        Raises:
            ResultsError: a file lies there that did not when the folder was read.
        """
        try:
            if read_bytes(path) == content:
                return True
            known = digest_of(self.reader(path)) in self._seen
        except FileNotFoundError:
            return False
        except UnreadableFile as error:
            known = error.problem.kind != "newer"
            if known:
                self._moved[path] = set_aside(path)
        if not known:
            raise changed(path)
        return False

    def _is_elsewhere(self, path: Path) -> bool:
        """Whether a file holds a version that the merge has read, and can be done without."""
        try:
            return digest_of(self.reader(path)) in self._seen
        except (UnreadableFile, FileNotFoundError):
            return False
