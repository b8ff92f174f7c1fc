"""Several results folders into one, such as those of several machines.

Merging is a union, so it does not matter in which order, how often or in how many steps
folders are merged: it is associative, commutative and idempotent. For one cell on one
machine the union keeps

- of a measurement and a failure or a skip, the measurement; of a complete and a partial
  measurement, the complete one; of failures and skips, the newest failure;
- of different measurements of the same standing, all of them. The newest stands in `cells/`,
  the others under `conflicts/`, and the merge names them.

Files that cells left are named by their content, so that their union is plain.

Plans of the same name that differ are kept in the same way; the one whose cells have the most
records stands in `plans/`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel

from accelreport.results.atomic import write_whole
from accelreport.results.folder import existing
from accelreport.results.problems import ResultProblem, UnreadableFile
from accelreport.results.reading import read_plan, read_record, to_bytes
from accelreport.results.store import RECORD_NAME, Store, cannot_write, plan_file_name

Content = TypeVar("Content")

ARTEFACT_NAME = re.compile(r"[0-9a-f]{64}\.[a-z0-9_.]+")

STANDING = {"ok": 3, "partial": 2, "failed": 1, "skipped": 0}
MEASURED = 2
"""From this standing on, nothing is dropped for being older."""


@dataclass(frozen=True, order=True)
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

    Raises:
        ResultsError: a source is no results folder, or `out` cannot be written.
    """
    for source in sources:
        existing(source)
    Store(out).prepare()
    folders = [*sources, out]
    problems: list[ResultProblem] = []
    records = {
        name: kept(versions) for name, versions in _grouped(_records(folders, problems)).items()
    }
    measured = {name.partition(".")[0] for name in records}
    plans = _grouped(_plans(folders, measured, problems))
    try:
        _unite_artefacts(folders, out, problems)
        conflicts = [*_settle(out, "cells", records, read_record)]
        conflicts += _settle(out, "plans", plans, read_plan)
    except OSError as error:
        raise cannot_write(out, error) from error
    return Merged(
        records=len(records),
        plans=len(plans),
        machines=tuple(sorted({name.split(".")[1] for name in records})),
        conflicts=tuple(conflicts),
        problems=tuple(dict.fromkeys(problems)),
    )


def _unite_artefacts(folders: Sequence[Path], out: Path, problems: list[ResultProblem]) -> None:
    """Copy the files that cells left, before the records that name them."""
    target = Store(out).artefacts
    for path in (path for folder in folders for path in sorted(Store(folder).artefacts.glob("*"))):
        if not ARTEFACT_NAME.fullmatch(path.name) or (target / path.name).exists():
            continue
        content = path.read_bytes()
        if hashlib.sha256(content).hexdigest() != path.name.partition(".")[0]:
            problems.append(ResultProblem(path, "misnamed", "its content does not fit its name"))
            continue
        target.mkdir(exist_ok=True)
        write_whole(target / path.name, content)


def kept(versions: Iterable[Version]) -> set[Version]:
    """What the union keeps of the versions of one record.

    Those of the highest standing; of versions that hold no measurement, only the newest.
    """
    found = set(versions)
    highest = max(version.standing for version in found)
    best = {version for version in found if version.standing == highest}
    return best if highest >= MEASURED else {max(best)}


def _settle(
    out: Path, kind: str, found: Mapping[str, set[Version]], reader: Callable[[Path], BaseModel]
) -> Iterator[str]:
    """Put every version where it belongs; yields the names of which there are several."""
    aside = out / "conflicts" / kind
    old = set(aside.glob("[!.]*.json"))
    wanted: dict[Path, bytes] = {}
    for name, versions in sorted(found.items()):
        front = max(versions)
        places = {
            aside / f"{name.removesuffix('.json')}.{version.digest[:12]}.json": version
            for version in sorted(versions - {front})
        }
        places[out / kind / name] = front
        # All are read before the first is written: one may lie where another one belongs. The
        # one in front is written last, so that a merge that is killed has lost none.
        contents = {path: to_bytes(reader(one.source)) for path, one in places.items()}
        for path, content in contents.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists() or path.read_bytes() != content:
                write_whole(path, content)
        wanted |= contents
        if len(versions) > 1:
            yield f"{kind}/{name}"
    for path in old - set(wanted):
        path.unlink()


def _records(
    folders: Sequence[Path], problems: list[ResultProblem]
) -> Iterator[tuple[str, Version]]:
    for record, path in _read(folders, "cells", read_record, problems):
        machine = record.environment.machine if record.environment else ""
        name = f"{record.key}.{machine}.json"
        if RECORD_NAME.fullmatch(name):
            standing = STANDING[record.status]
            yield name, Version(standing, record.started_at, _digest(record), path)
        else:
            message = "it does not say which cell of which machine it is of"
            problems.append(ResultProblem(path, "misnamed", message))


def _plans(
    folders: Sequence[Path], measured: Collection[str], problems: list[ResultProblem]
) -> Iterator[tuple[str, Version]]:
    for plan, path in _read(folders, "plans", read_plan, problems):
        standing = sum(cell.key in measured for cell in plan.cells)
        name = plan_file_name(plan.spec, plan.profile)
        yield name, Version(standing, f"{len(plan.cells):09}", _digest(plan), path)


def _read(
    folders: Sequence[Path],
    kind: str,
    reader: Callable[[Path], Content],
    problems: list[ResultProblem],
) -> Iterator[tuple[Content, Path]]:
    for folder in folders:
        for place in (folder / kind, folder / "conflicts" / kind):
            for path in sorted(place.glob("[!.]*.json")):
                try:
                    content = reader(path)
                except UnreadableFile as error:
                    problems.append(error.problem)
                    continue
                yield content, path


def _grouped(pairs: Iterable[tuple[str, Version]]) -> dict[str, set[Version]]:
    groups: dict[str, set[Version]] = {}
    for name, version in pairs:
        groups.setdefault(name, set()).add(version)
    return groups


def _digest(document: BaseModel) -> str:
    return hashlib.sha256(to_bytes(document)).hexdigest()
