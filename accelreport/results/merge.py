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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from pydantic import BaseModel

from accelreport.results.atomic import write_whole
from accelreport.results.folder import existing
from accelreport.results.problems import ResultProblem
from accelreport.results.reading import read_plan, read_record
from accelreport.results.store import Store, cannot_write
from accelreport.results.versions import Version, kept, plan_versions, record_versions

ARTEFACT_NAME = re.compile(r"[0-9a-f]{64}\.[a-z0-9_.]+")

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
    versions, untouched = record_versions(sources, out, problems)
    records = {name: kept(each) for name, each in versions.items()}
    every = {*records, *untouched.names}
    measured = {name.partition(".")[0] for name in every}
    plans = plan_versions(folders, measured, problems)
    try:
        _unite_artefacts(folders, out, problems)
        conflicts = [*_settle(out, "cells", records, read_record, untouched.several)]
        conflicts += _settle(out, "plans", plans, read_plan)
    except OSError as error:
        raise cannot_write(out, error) from error
    return Merged(
        records=len(every),
        plans=len(plans),
        machines=tuple(sorted({name.split(".")[1] for name in every})),
        conflicts=tuple(sorted(conflicts)),
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


def _settle(
    out: Path,
    kind: str,
    found: Mapping[str, set[Version]],
    reader: Reader,
    several: Iterable[str] = (),
) -> Iterator[str]:
    """Put every version where it belongs; yields the names of which there are several.

    Args:
        out: the folder that takes the union.
        kind: `cells` or `plans`.
        found: name → the versions of it that are kept.
        reader: reads one from a file.
        several: names that are not among these and of which several versions lie there.
    """
    aside = out / "conflicts" / kind
    wanted: set[str] = set()
    alone: list[tuple[Path, Version]] = []
    # All are out of each other's way before the first one takes its place.
    safe = {name: _without_strays(found[name], name, aside, reader) for name in sorted(found)}
    for name, versions in safe.items():
        front = max(versions)
        if len(versions) == 1:
            alone.append((out / kind / name, front))
            continue
        places = {_place_aside(aside, name, one): one for one in sorted(versions - {front})}
        wanted |= {path.name for path in places}
        places[out / kind / name] = front
        # All are read before the first is written: one may lie where another one belongs. The
        # one in front is written last, so that a merge that is killed has lost none.
        for path, content in [(path, one.content(reader)) for path, one in places.items()]:
            _put(path, content)
        yield f"{kind}/{name}"
    _put_all(alone, reader)
    yield from (f"{kind}/{name}" for name in several)
    kept_aside = {name.removesuffix(".json") for name in several}
    for path in aside.glob("[!.]*.json"):
        if path.name not in wanted and path.stem.rpartition(".")[0] not in kept_aside:
            path.unlink()


def _without_strays(
    versions: Iterable[Version], name: str, aside: Path, reader: Reader
) -> set[Version]:
    """The same versions, of which none lies where the record of another name belongs.

    Somebody may have given a file the name of another record: that one would take its place, and
    the only copy of what the file holds.
    """
    found = set()
    for version in versions:
        place = _place_aside(aside, name, version)
        if version.source.name in (name, place.name):
            found.add(version)
        else:
            _put(place, version.content(reader))
            found.add(replace(version, source=place))
    return found


def _place_aside(aside: Path, name: str, version: Version) -> Path:
    return aside / f"{name.removesuffix('.json')}.{version.digest[:12]}.json"


def _put_all(places: Sequence[tuple[Path, Version]], reader: Reader) -> None:
    """Write each version to its place, several at a time and never many in memory."""
    rest = iter(places)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        while some := list(islice(rest, 8 * AT_ONCE)):
            list(pool.map(lambda place: _put(place[0], place[1].content(reader)), some))


def _put(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_bytes() != content:
        write_whole(path, content)
