"""Versions of records and plans, as several results folders hold them.

What is held of a version while folders are merged is small: its content is read again when it
is written, so that a hundred thousand records need no more memory than their names.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import BaseModel

from accelreport.results.naming import RECORD_NAME, is_document, listing, names, plan_file_name
from accelreport.results.problems import ResultProblem, ResultsError, UnreadableFile
from accelreport.results.reading import read_bytes, read_plan, read_record, to_bytes

STANDING = {"ok": 3, "partial": 2, "failed": 1, "skipped": 0}
MEASURED = 2
"""From this standing on, nothing is dropped for being older."""


@dataclass(frozen=True, order=True, slots=True)
class Version:
    """One version of a record or a plan, ordered by what makes it stand in front.

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
            ResultsError: the file was changed or removed since it was first read.
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
        raise changed(self.source, why)


Versions = dict[str, set[Version]]
"""Name of a file → its versions."""


def kept(versions: Iterable[Version]) -> set[Version]:
    """What the union keeps of the versions of one record.

    Those of the highest standing; of versions that hold no measurement, only the newest.
    """
    found = set(versions)
    highest = max(version.standing for version in found)
    best = {version for version in found if version.standing == highest}
    return best if highest >= MEASURED else {max(best)}


@dataclass
class FoundRecords:
    """What was found of the records of some folders.

    Attributes:
        versions: name of a record's file → its versions.
        artefacts: name of a file that they say was left → the bytes it may hold.
        untouched: names of records that are merged with nothing, and therefore were not read.
        several: those of them of which versions lie under `conflicts/`.
    """

    versions: Versions = field(default_factory=dict)
    artefacts: dict[str, set[int]] = field(default_factory=dict)
    untouched: frozenset[str] = frozenset()
    several: frozenset[str] = frozenset()


def record_versions(
    sources: Sequence[Path], out: Path, problems: list[ResultProblem]
) -> FoundRecords:
    """The versions of every record of some folders, and of the same records in `out`.

    What is in `out` and in none of the folders is not read: results of a thousand nodes that
    come one after the other would else be read a thousand times.

    Args:
        sources: the folders.
        out: the folder that takes the union; it may be one of them.
        problems: takes what cannot be read.

    Raises:
        ResultsError: a folder cannot be read.
    """
    found = FoundRecords()
    for source in sources:
        _gather(found, _paths(source, "cells"), problems)
    if out in sources:
        return found
    fronts = {name for name in names(out / "cells") if is_document(name)}
    asides: dict[str, list[str]] = {}
    for name in filter(is_document, names(out / "conflicts" / "cells")):
        asides.setdefault(_front_of(name), []).append(name)
    every = fronts | set(asides)
    # A file may hold another record than its name says: then those of that name are read, too.
    unclear = {name for name in every if name not in fronts or not RECORD_NAME.fullmatch(name)}
    seen: set[str] = set()
    while pending := ((found.versions.keys() & every) | unclear) - seen:
        seen |= pending
        for name in sorted(pending):
            paths = [out / "conflicts" / "cells" / aside for aside in sorted(asides.get(name, ()))]
            if name in fronts:
                paths.insert(0, out / "cells" / name)
            _gather(found, paths, problems)
    found.untouched = frozenset(fronts - seen)
    found.several = found.untouched.intersection(asides)
    return found


def plan_versions(
    folders: Sequence[Path], measured: Collection[str], problems: list[ResultProblem]
) -> Versions:
    """The versions of every plan of some folders.

    Every node of a run leaves the same plan of all its cells, so that a file of the same bytes
    is not read again.

    Args:
        folders: the folders.
        measured: keys of the cells that have records.
        problems: takes what cannot be read.

    Raises:
        ResultsError: a folder cannot be read.
    """
    found: Versions = {}
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
        found.setdefault(plan_file_name(plan.spec, plan.profile), set()).add(version)
    return found


def changed(path: Path, why: str = "") -> ResultsError:
    """The error for a file that is no longer what it was when it was first looked at."""
    return ResultsError(
        f"{path} changed while it was merged.",
        why=why,
        remedy="Nothing is lost. Run the same command again.",
    )


def _gather(found: FoundRecords, paths: Iterable[Path], problems: list[ResultProblem]) -> None:
    """Add what these files hold to the versions of records."""
    for path in paths:
        try:
            record = read_record(path)
        except FileNotFoundError:
            continue  # it was removed since the folder was listed
        except UnreadableFile as error:
            problems.append(error.problem)
            continue
        machine = record.environment.machine if record.environment else ""
        name = f"{record.key}.{machine}.json"
        if RECORD_NAME.fullmatch(name):
            version = Version(STANDING[record.status], record.started_at, digest_of(record), path)
            found.versions.setdefault(name, set()).add(version)
            for artefact in record.artefacts:
                found.artefacts.setdefault(artefact.file, set()).add(artefact.bytes)
        else:
            message = "it does not say which cell of which machine it is of"
            problems.append(ResultProblem(path, "misnamed", message))


def _paths(folder: Path, kind: str) -> Iterator[Path]:
    for place in (folder / kind, folder / "conflicts" / kind):
        yield from listing(place)


def _front_of(aside: str) -> str:
    """`<key>.<machine>.json` of `<key>.<machine>.<digest>.json`."""
    return f"{aside.removesuffix('.json').rpartition('.')[0]}.json"


def digest_of(document: BaseModel) -> str:
    """SHA-256 of a document as it is stored."""
    return _sha256(to_bytes(document))


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
