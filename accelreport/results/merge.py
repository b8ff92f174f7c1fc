"""Merges several results folders into one, such as those of several machines.

Merging is a union, so it does not matter in which order, how often or in how many steps
folders are merged: it is associative, commutative and idempotent. For one cell on one
machine the union keeps

- of a measurement and a failure or a skip, the measurement; of a complete and a partial
  measurement, the complete one; of failures and skips, the newest failure;
- of different measurements of the same standing, all of them. The newest goes to `cells/`, the
  others to `conflicts/`, and the merge names them.

Files that cells wrote are named by their content. The union takes those that a record names and
checks them against the record.

Nothing is destroyed: an unreadable file in the output folder is set aside when another file takes
its place, a file of a newer accelreport keeps its place, and only files that were read are removed
from `conflicts/`.

Plans of the same name that differ are kept in the same way; the one whose cells have the most
records goes to `plans/`.

The merge keeps little of a version in memory and reads its content again to write it, so a hundred
thousand records need no more memory than their keys.

Folders may be zip archives. Only files that belong into a results folder are unpacked, under names
that the merge makes, so nothing can lead out of the temporary folder.
"""

from __future__ import annotations

import hashlib
import re
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from pydantic import BaseModel

from accelreport.atomic import write_parts, write_whole
from accelreport.results.reading import (
    LARGEST_FILE,
    RECORD_NAME,
    ResultProblem,
    ResultsError,
    UnreadableFile,
    is_document,
    listing,
    names,
    open_regular,
    parts_of,
    plan_file_name,
    read_bytes,
    read_plan,
    read_record,
    to_bytes,
)
from accelreport.results.record import STANDING
from accelreport.results.store import Store, existing, set_aside, writing

MEASURED = 2
"""Versions of at least this standing are never dropped for being older."""


@dataclass(frozen=True, order=True, slots=True)
class Version:
    """One version of a record or a plan, in an order that decides which one comes first.

    Attributes:
        standing: of a record, by its status; of a plan, how many of its cells have records.
        when: of a record, when it was started; of a plan, how many cells it has.
        digest: SHA-256 of its content, so that no two versions are equal.
        source: a file that holds it.
    """

    standing: int
    when: str
    digest: str
    source: Path = field(compare=False)

    def content(self, reader: Callable[[Path], BaseModel]) -> bytes:
        """The document as it is stored.

        Args:
            reader: reads one from a file.

        Raises:
            ResultsError: the file was changed or removed after it was first read.
        """
        try:
            if _sha256(content := read_bytes(self.source)) == self.digest:
                return content
            # An earlier accelreport wrote the same record in other words.
            if _sha256(content := to_bytes(reader(self.source))) == self.digest:
                return content
            why = ""
        except (UnreadableFile, FileNotFoundError) as error:
            why = f"{error}."
        raise file_changed(self.source, why)


Versions = dict[str, set[Version]]
"""Name of a file → its versions."""


def kept(versions: Iterable[Version]) -> set[Version]:
    """The versions of one record that the union keeps.

    Those of the highest standing; of versions without a measurement, only the newest.
    """
    keys = set(versions)
    highest = max(version.standing for version in keys)
    best = {version for version in keys if version.standing == highest}
    return best if highest >= MEASURED else {max(best)}


@dataclass
class FoundRecords:
    """The records of some folders.

    Attributes:
        versions: name of a record's file → its versions.
        artefacts: name of an artefact → its possible sizes in bytes, by the records.
        untouched: names of records that are merged with nothing, and are therefore not read.
        several: those of them with further versions in `conflicts/`.
    """

    versions: Versions = field(default_factory=dict)
    artefacts: dict[str, set[int]] = field(default_factory=dict)
    untouched: frozenset[str] = frozenset()
    several: frozenset[str] = frozenset()


def record_versions(
    sources: Sequence[Path], out: Path, problems: list[ResultProblem]
) -> FoundRecords:
    """The versions of every record of some folders, and of the same records in `out`.

    Records that only `out` has are not read; otherwise the results of a thousand nodes that arrive
    one after the other would be read a thousand times.

    Args:
        sources: the folders.
        out: the folder that takes the union; it may be one of them.
        problems: takes what cannot be read.

    Raises:
        ResultsError: a folder cannot be read.
    """
    records = FoundRecords()
    for source in sources:
        _gather(records, _paths(source, "cells"), problems)
    if out in sources:
        return records
    fronts = {name for name in names(out / "cells") if is_document(name)}
    asides: dict[str, list[str]] = {}
    for name in filter(is_document, names(out / "conflicts" / "cells")):
        # The front of `<key>.<machine>.<digest>.json` is `<key>.<machine>.json`.
        front = f"{name.removesuffix('.json').rpartition('.')[0]}.json"
        asides.setdefault(front, []).append(name)
    every = fronts | set(asides)
    # A file may hold a record of another name; then the files of that name are read, too.
    unclear = {name for name in every if name not in fronts or not RECORD_NAME.fullmatch(name)}
    known: set[str] = set()
    while pending := ((records.versions.keys() & every) | unclear) - known:
        known |= pending
        for name in sorted(pending):
            paths = [out / "conflicts" / "cells" / aside for aside in sorted(asides.get(name, ()))]
            if name in fronts:
                paths.insert(0, out / "cells" / name)
            _gather(records, paths, problems)
    records.untouched = frozenset(fronts - known)
    records.several = records.untouched.intersection(asides)
    return records


def plan_versions(
    folders: Sequence[Path], measured: Collection[str], problems: list[ResultProblem]
) -> Versions:
    """The versions of every plan of some folders.

    Every node of a run writes the same plan of all cells, so a file of the same bytes is not read
    again.

    Args:
        folders: the folders.
        measured: keys of the cells that have records.
        problems: takes what cannot be read.

    Raises:
        ResultsError: a folder cannot be read.
    """
    versions: Versions = {}
    known: set[str] = set()
    for path in (path for folder in folders for path in _paths(folder, "plans")):
        try:
            digest = _sha256(read_bytes(path))
            if digest in known:
                continue
            plan = read_plan(path)
        except FileNotFoundError:
            continue  # it was removed since the folder was listed
        except UnreadableFile as error:
            problems.append(error.problem)
            continue
        known.add(digest)
        standing = sum(cell.key in measured for cell in plan.cells)
        version = Version(standing, f"{len(plan.cells):09}", digest_of(plan), path)
        versions.setdefault(plan_file_name(plan.spec, plan.profile), set()).add(version)
    return versions


def file_changed(path: Path, why: str = "") -> ResultsError:
    """The error for a file that changed after it was first read."""
    return ResultsError(
        f"{path} changed during the merge.",
        why=why,
        remedy="Nothing is lost. Run the same command again.",
    )


def _gather(records: FoundRecords, paths: Iterable[Path], problems: list[ResultProblem]) -> None:
    """Add what these files hold to the versions of records."""
    for path in paths:
        try:
            record = read_record(path)
        except FileNotFoundError:
            continue  # it was removed since the folder was listed
        except UnreadableFile as error:
            problems.append(error.problem)
            continue
        name = f"{record.key}.{record.machine}.json"
        if RECORD_NAME.fullmatch(name):
            version = Version(STANDING[record.status], record.started_at, digest_of(record), path)
            records.versions.setdefault(name, set()).add(version)
            for artefact in record.artefacts:
                records.artefacts.setdefault(artefact.file, set()).add(artefact.bytes)
        else:
            message = "it does not name its cell and machine"
            problems.append(ResultProblem(path, "misnamed", message))


def _paths(folder: Path, kind: str) -> Iterator[Path]:
    for place in (folder / kind, folder / "conflicts" / kind):
        yield from listing(place)


def digest_of(document: BaseModel) -> str:
    """SHA-256 of a document as it is stored."""
    return _sha256(to_bytes(document))


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


MEMBER = re.compile(
    r"(?:[^/\\]+/)?"  # the folder that was archived
    r"(?P<place>(?:conflicts/)?(?:cells|plans)|artefacts)/"
    r"(?P<name>[A-Za-z0-9%_][A-Za-z0-9%_.-]*)"
)
"""Names of members that belong to a results folder."""

ARTEFACTS = "artefacts"

MOST_MEMBERS = 500_000
MOST_BYTES = 8 * 2**30
"""Largest unpacked size of an archive: ten times a hundred thousand records."""

CHUNK = 2**20


@contextmanager
def unpacked(sources: Sequence[Path], most: int = MOST_BYTES) -> Iterator[list[Path]]:
    """Folders for results folders and archives of them, for the time of the context.

    Args:
        sources: results folders and archives.
        most: bytes that an archive may unpack to.

    Raises:
        ResultsError: an archive is missing, damaged, too large, or has no results.
    """
    with ExitStack() as stack:
        folders = []
        for source in sources:
            if source.suffix.lower() == ".zip" and not source.is_dir():
                temporary = stack.enter_context(
                    tempfile.TemporaryDirectory(prefix="accelreport-unpacked-")
                )
                # Messages about its files then begin with the archive's own name.
                folder = Path(temporary) / source.name
                folder.mkdir()
                _unpack(source, folder, most)
                folders.append(folder)
            else:
                folders.append(source)
        yield folders


def _unpack(source: Path, folder: Path, most_bytes: int) -> None:
    try:
        with open_regular(source) as (file, _), zipfile.ZipFile(file) as archive:
            if len(archive.infolist()) > MOST_MEMBERS:
                raise _unusable(source, f"It has more than {MOST_MEMBERS:,} members.")
            left = most_bytes
            for member, target, most in _wanted(archive, folder):
                left -= _copied(archive, member, target, min(left, most))
                if left < 0:
                    raise _unusable(source, f"It unpacks to more than {most_bytes:,} bytes.")
    except FileNotFoundError as error:
        raise _unusable(source, "There is no such file.") from error
    except UnreadableFile as error:
        message = error.problem.message
        raise _unusable(source, f"{message[0].upper()}{message[1:]}.") from error
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError) as error:
        raise _unusable(source, f"It is damaged or encrypted ({error}).") from error
    except FileExistsError as error:
        name = Path(error.filename).relative_to(folder).as_posix()
        raise _unusable(
            source,
            f"It has {name} twice.",
            remedy="Archive one results folder, with each file once. To merge several folders, "
            "pass an archive of each.",
        ) from error
    except OSError as error:
        raise _unusable(source, f"{error.strerror or error}.") from error
    if not any(folder.iterdir()):
        raise _unusable(source, "It has neither cells/ nor plans/.")


def _wanted(archive: zipfile.ZipFile, folder: Path) -> Iterator[tuple[zipfile.ZipInfo, Path, int]]:
    """The members that belong to a results folder, with their places and largest sizes.

    Of the artefacts, only those that an already unpacked record names.
    """
    artefacts = []
    for member in archive.infolist():
        parts = MEMBER.fullmatch(member.filename)
        if parts and parts["place"] == ARTEFACTS:
            artefacts.append((member, parts["name"]))
        elif parts and not member.is_dir():
            yield member, folder / parts["place"] / parts["name"], LARGEST_FILE
    named = record_versions([folder], folder, []).artefacts if artefacts else {}
    for member, name in artefacts:
        if name in named:
            yield member, folder / ARTEFACTS / name, max(named[name])


def _copied(archive: zipfile.ZipFile, member: zipfile.ZipInfo, target: Path, most: int) -> int:
    """Number of bytes written; of a member larger than `most`, one more than that."""
    target.parent.mkdir(parents=True, exist_ok=True)
    written = 0
    with archive.open(member) as source, target.open("xb") as copy:
        while written <= most and (chunk := source.read(min(CHUNK, most + 1 - written))):
            written += copy.write(chunk)
    return written


def _unusable(
    source: Path,
    why: str,
    remedy: str = "Archive the whole results folder again, and copy it as a binary file.",
) -> ResultsError:
    return ResultsError(
        f"{source} cannot be used as an archive of results.", why=why, remedy=remedy
    )


AT_ONCE = 8
"""Number of simultaneous writes: each waits for the disk, which handles several together."""


@dataclass(frozen=True)
class Merged:
    """The outcome of a merge.

    Attributes:
        records: records in the folder now.
        plans: plans in the folder now.
        machines: fingerprints of their machines.
        conflicts: names of records and plans with several kept versions.
        problems: unreadable files, which stay where they are.
    """

    records: int
    plans: int
    machines: tuple[str, ...]
    conflicts: tuple[str, ...]
    problems: tuple[ResultProblem, ...]


def merge(sources: Sequence[Path], out: Path) -> Merged:
    """Merge results folders into one folder, including its existing content.

    Records that only `out` has are neither read nor changed.

    Raises:
        ResultsError: a source is not a results folder, `out` cannot be written, or a file changed
            during the merge.
    """
    for source in sources:
        existing(source)
    Store(out).prepare()
    folders = [*sources, out]
    problems: list[ResultProblem] = []
    versions = record_versions(sources, out, problems)
    every = {*versions.versions, *versions.untouched}
    measured = {name.partition(".")[0] for name in every}
    plans = plan_versions(folders, measured, problems)
    records = _Settling(out, "cells", read_record, versions.versions, problems)
    documents = _Settling(out, "plans", read_plan, plans, problems)
    with writing(out):
        _unite_artefacts(folders, out, versions.artefacts, problems)
        conflicts = [*records.settle(kept, versions.several), *documents.settle(set)]
    united = {
        name
        for name in conflicts
        if name.startswith("plans/")
        and _differs_in_frameworks(Store(out), name.removeprefix("plans/"))
    }
    return Merged(
        records=len(every),
        plans=len(plans),
        machines=tuple(sorted({name.split(".")[1] for name in every})),
        conflicts=tuple(sorted({*conflicts} - united)),
        problems=tuple(
            dict.fromkeys(map(records.with_new_name, map(documents.with_new_name, problems)))
        ),
    )


def _differs_in_frameworks(store: Store, name: str) -> bool:
    """Whether the versions of a plan differ in the frameworks of its rows and show all together.

    Then they are no conflict: `Store.plans` has the devices of all of them.
    """
    stored = {plan_file_name(*key): plan for key, plan in store.stored_plans().items()}
    versions = [
        path
        for path in listing(store.versions)
        if path.name.startswith(f"{name.removesuffix('.json')}.")
    ]
    try:
        front, others = read_plan(store.planned / name), [read_plan(path) for path in versions]
    except (UnreadableFile, FileNotFoundError):
        return False
    keys = {cell.key for cell in stored[name].cells} if name in stored else set()
    return all(
        other.rows != front.rows and not store.measured_any({c.key for c in other.cells} - keys)
        for other in others
    )


def _unite_artefacts(
    folders: Sequence[Path],
    out: Path,
    named: Mapping[str, Collection[int]],
    problems: list[ResultProblem],
) -> None:
    """Copy the artefacts before the records that name them.

    Args:
        folders: the folders, of which `out` is one.
        out: the folder that takes the union.
        named: name of a file → its sizes by the records. Other files stay where they are.
        problems: files that do not match their name or record.
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
    """Whether a file exists with an allowed size; it was checked when it was written.

    Raises:
        UnreadableFile: something else has its name, such as a folder.
    """
    try:
        with open_regular(path) as (_, size):
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
        versions: name → every version of it that was read.
        problems: files that could not be read.
    """

    out: Path
    kind: str
    reader: Callable[[Path], BaseModel]
    versions: Versions
    problems: Sequence[ResultProblem]
    _moved: dict[Path, Path] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._digests = {one.digest for versions in self.versions.values() for one in versions}
        self._newer = {problem.path for problem in self.problems if problem.kind == "newer"}

    def settle(
        self,
        keep: Callable[[Iterable[Version]], set[Version]],
        several: Collection[str] = (),
    ) -> Iterator[str]:
        """Put every version where it belongs; yields the names with several versions.

        Args:
            keep: which of the versions of one name the union keeps.
            several: names that were not read and have several versions.
        """
        wanted: set[Path] = set()
        alone: list[tuple[Path, Version]] = []
        # No file is in the place of another record when the first one is written.
        safe = {
            name: self._without_strays(name, keep(self.versions[name])) for name in self.versions
        }
        for name, versions in sorted(safe.items()):
            front = max(versions)
            places = {self._aside(name, one): one for one in sorted(versions - {front})}
            place = self.out / self.kind / name
            places[self._aside(name, front) if place in self._newer else place] = front
            if list(places) == [place]:
                alone.append((place, front))
                continue
            wanted |= places.keys()
            # All are read before the first is written, because one may be in the place of another.
            # The one in front is written last, so that a killed merge has lost none.
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

    def with_new_name(self, problem: ResultProblem) -> ResultProblem:
        """A problem, with the file's new name if it was moved."""
        moved = self._moved.get(problem.path)
        message = f"{problem.message}; it is now {moved.name}" if moved else problem.message
        return replace(problem, message=message)

    def _without_strays(self, name: str, versions: Iterable[Version]) -> set[Version]:
        """The same versions without those whose file has the name of another record.

        A file may have the name of another record: writing that record would destroy the only copy
        of the file's content.
        """
        keys = set()
        for version in versions:
            place = self._aside(name, version)
            if version.source.name in (name, place.name):
                keys.add(version)
            else:
                self._put(place, version.content(self.reader))
                keys.add(replace(version, source=place))
        return keys

    def _aside(self, name: str, version: Version) -> Path:
        """The place of a further version; never that of a newer accelreport's file."""
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
        """Whether a file has this content already; an unreadable file is moved away.

        Raises:
            ResultsError: a file appeared after the folder was read.
        """
        try:
            if read_bytes(path) == content:
                return True
            known = digest_of(self.reader(path)) in self._digests
        except FileNotFoundError:
            return False
        except UnreadableFile as error:
            known = error.problem.kind != "newer"
            if known:
                self._moved[path] = set_aside(path)
        if not known:
            raise file_changed(path)
        return False

    def _is_elsewhere(self, path: Path) -> bool:
        """Whether the merge has read a file's version, so that the file is no longer needed."""
        try:
            return digest_of(self.reader(path)) in self._digests
        except (UnreadableFile, FileNotFoundError):
            return False
