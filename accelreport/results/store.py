"""The results folder: records and plans, one JSON file each.

    results/cells/<key>.<machine>.json     one record for each cell and machine
    results/plans/<spec>.<profile>.json    what each spec asked for
    results/artefacts/<sha256>.<name>      files that cells left, named by their content

Files appear completely or not at all, whatever is killed, and whichever of several runners writes
them. An unreadable file is named in `Store.problems`, and the others are read.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TypeVar

from accelreport.atomic import refuse_links, sweep, write_whole
from accelreport.results.plan_document import (
    PlanDocument,
    with_earlier_cells,
    with_other_devices,
)
from accelreport.results.privacy import as_written
from accelreport.results.reading import (
    KEY,
    KEY_LENGTH,
    MACHINE,
    RECORD_NAME,
    ResultProblem,
    ResultsError,
    UnreadableFile,
    listing,
    names,
    plan_file_name,
    read_bytes,
    read_named_record,
    read_plan,
    to_bytes,
)
from accelreport.results.record import Artefact, Record

Content = TypeVar("Content")

FOLDERS = ("cells", "plans", "artefacts", "locks", "jobs", "conflicts/cells", "conflicts/plans")
"""Subfolders into which runs and merges write."""


class Store:
    """A results folder.

    Attributes:
        root: the folder; it need not exist before the first write.
        cells: the folder of the records.
        planned: the folder of the plan documents.
        versions: the folder of further versions of them, which a merge kept.
        artefacts: the folder of the artefacts.
        instead: by spec and profile what `plans` returns instead of the stored plan. Nothing of it
            is written: only runs change stored plans.
        left_out: spec and profile of the stored plans that `plans` leaves out.
        problems: unreadable files, each once, in order of discovery.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.cells, self.planned = root / "cells", root / "plans"
        self.versions, self.artefacts = root / "conflicts" / "plans", root / "artefacts"
        self._problems: dict[Path, ResultProblem] = {}
        self.instead: dict[tuple[str, str], PlanDocument] = {}
        self.left_out: set[tuple[str, str]] = set()
        self._prepared: tuple[int, int] | None = None

    @property
    def problems(self) -> list[ResultProblem]:
        """Unreadable files, each once, in order of discovery."""
        return list(self._problems.values())

    def check(self) -> None:
        """Check that the existing folders can be read.

        Raises:
            ResultsError: one cannot be read, or a file is in its place.
        """
        for folder in (self.cells, self.planned):
            next(names(folder), None)

    def prepare(self, *, sweeping: bool = True) -> None:
        """Create and check the folders for writing, and remove the files of killed writers.

        Args:
            sweeping: whether to remove these files, which requires reading every name in the
                folder.

        Raises:
            ResultsError: the folder cannot be created, read or written.
        """
        self._refuse_links()
        self.check()
        for folder in (self.cells, self.planned):
            probe = folder / "writable"
            with writing(folder):
                folder.mkdir(parents=True, exist_ok=True)
                if sweeping:
                    sweep(folder)
                write_whole(probe, b"?")
                probe.unlink(missing_ok=True)  # another runner may do the same just now
        if sweeping and self.artefacts.is_dir():
            sweep(self.artefacts)
        self._prepared = _identity(self.cells)

    def _refuse_links(self) -> None:
        """Check that no folder for writing is a link.

        Raises:
            ResultsError: one is.
        """
        with writing(self.root):
            for name in FOLDERS:
                refuse_links(self.root / name, self.root)

    def still_here(self) -> None:
        """Check that this is still the folder that was prepared, if it was.

        A folder that is renamed during a run would otherwise be created again, and the records
        would be in two folders.

        Raises:
            ResultsError: it was removed, renamed or replaced.
        """
        if self._prepared not in {None, _identity(self.cells)}:
            raise ResultsError(
                f"{self.cells} cannot be written.",
                why="It was removed, renamed or replaced after the run began.",
                remedy="The earlier measurements are where that folder is now. Put it back, or "
                "choose another folder with --results, then run the same command again.",
            )

    def _folder_of(self, path: Path) -> None:
        """Create the folder of a file before it is written."""
        self.still_here()
        refuse_links(path.parent, self.root)
        path.parent.mkdir(parents=self._prepared is None, exist_ok=True)

    def record_path(self, key: str, machine: str) -> Path:
        """The path of a cell's record for a machine.

        Raises:
            ValueError: the key does not have 16, or the machine not 8, hexadecimal digits.
        """
        if not KEY.fullmatch(key) or not MACHINE.fullmatch(machine):
            raise ValueError(f"not the name of a record: key {key!r}, machine {machine!r}")
        return self.cells / f"{key}.{machine}.json"

    def write(self, record: Record) -> Path:
        """Store a record without names (`as_written`) in place of the cell's earlier one.

        An unreadable file in its place is set aside, not lost.

        Returns:
            Its file.

        Raises:
            ResultsError: the disk is full, the folder cannot be written, or the file in its
                place was written by a newer accelreport.
            ValueError: the record does not name its machine.
        """
        if record.environment is None:
            raise ValueError("a record without an environment belongs to no machine")
        path = self.record_path(record.key, record.environment.machine)
        with writing(path):
            self._folder_of(path)
            self._keep_unreadable(path, read_named_record)
            write_whole(path, to_bytes(as_written(record)))
        return path

    def keep(self, artefact: Artefact, content: bytes) -> Path:
        """Store an artefact; call this before the record that names it is written.

        Returns:
            Its file.

        Raises:
            ResultsError: the disk is full, or the folder cannot be written.
            ValueError: the content does not match the artefact.
        """
        if hashlib.sha256(content).hexdigest() != artefact.sha256:
            raise ValueError(f"not the content of {artefact.file}")
        path = self.artefacts / artefact.file
        with writing(path):
            self._folder_of(path)
            write_whole(path, content)
        return path

    def get(self, key: str, machine: str) -> Record | None:
        """The record of a cell on a machine; None if there is no readable one.

        Raises:
            ValueError: see `record_path`.
        """
        return self._read(self.record_path(key, machine), read_named_record)

    def machines(self, keys: Collection[str] | None = None) -> dict[str, list[str]]:
        """Key of each cell with a record → the machines that have one, by name.

        Args:
            keys: only these cells; default: all.

        Raises:
            ResultsError: the folder cannot be read.
        """
        by_key: dict[str, list[str]] = {}
        for name in names(self.cells):
            # Of a folder of many nodes most names concern others: look at them no longer than
            # it takes to see that.
            key = name[:KEY_LENGTH]
            if (keys is None or key in keys) and (parts := RECORD_NAME.fullmatch(name)):
                by_key.setdefault(key, []).append(parts["machine"])
        for machines in by_key.values():
            machines.sort()
        return by_key

    def remove(self, cells: Mapping[str, Collection[str]], plans: Iterable[PlanDocument]) -> None:
        """Remove records, plans, and artefacts that no record names any more.

        Args:
            cells: key → the machines whose records are removed.
            plans: the plans to remove.

        Raises:
            ResultsError: the folder cannot be written, or a run measures into it.
        """
        self._refuse_links()
        self._refuse_beside_a_run()
        gone = {self.record_path(key, machine) for key in cells for machine in cells[key]}
        records = (self._read(path, read_named_record) for path in gone)
        files = {artefact.file for record in records if record for artefact in record.artefacts}
        with writing(self.root):
            for plan in plans:
                (self.planned / plan_file_name(plan.spec, plan.profile)).unlink(missing_ok=True)
            for path in gone:
                path.unlink(missing_ok=True)
            if files:
                files -= {
                    artefact.file for record in self.records() for artefact in record.artefacts
                }
            for name in files:
                (self.artefacts / name).unlink(missing_ok=True)

    def _refuse_beside_a_run(self) -> None:
        from filelock import FileLock, Timeout

        for path in (self.root / "locks").glob("*.lock"):
            try:
                with FileLock(path, timeout=0):
                    continue
            except Timeout as error:
                raise ResultsError(
                    f"Nothing is removed from {self.root}.",
                    why="A run measures into it.",
                    remedy="Run the same command once it has ended.",
                ) from error
            except (OSError, NotImplementedError):
                continue  # nobody can hold a lock here

    def records(self) -> Iterator[Record]:
        """Every readable record, in the order of the file names."""
        for path in listing(self.cells):
            record = self._read(path, read_named_record)
            if record is not None:
                yield record

    def write_plan(self, plan: PlanDocument) -> Path:
        """Store a plan; it replaces that of the same spec and profile.

        Cells of the earlier plan that were measured under the same conditions stay in it
        (`with_earlier_cells`), and so do devices that belong to it (`with_other_devices`). An
        unreadable file in its place is set aside, not lost.

        Returns:
            Its file.

        Raises:
            ResultsError: the folder cannot be written, or the file in its place was written by a
                newer accelreport.
        """
        path = self.planned / plan_file_name(plan.spec, plan.profile)
        with writing(path):
            self._folder_of(path)
            earlier = self._keep_unreadable(path, read_plan)
            if earlier is not None:
                earlier = self._with_versions(path, earlier)
                plan = with_other_devices(plan, earlier, self.measured_any)
                keys = {cell.key for cell in earlier.cells} - {cell.key for cell in plan.cells}
                plan = with_earlier_cells(plan, earlier, self.machines(keys)) if keys else plan
            write_whole(path, to_bytes(plan))
        return path

    def plan(self, spec: str, profile: str) -> PlanDocument | None:
        """The stored plan of a spec and profile; None if there is no readable one."""
        path = self.planned / plan_file_name(spec, profile)
        plan = self._read(path, read_plan)
        return self._with_versions(path, plan) if plan else None

    def plans(self) -> list[PlanDocument]:
        """The plans to show: the stored ones or their replacements, without those left out."""
        return [
            self.instead.get(name, plan)
            for name, plan in self.stored_plans().items()
            if name not in self.left_out
        ]

    def stored_plans(self) -> dict[tuple[str, str], PlanDocument]:
        """Every readable plan by spec and profile, in the order of the file names.

        Another file with the same plan, such as a copy that a shared disk made, is one of the
        problems.
        """
        left_out: list[ResultProblem] = []
        reader = partial(read_plan, left_out=left_out)
        read = [(path, self._read(path, reader)) for path in listing(self.planned)]
        for problem in left_out:
            self._problems[problem.path] = problem
        named = [(path, (plan.spec, plan.profile), plan) for path, plan in read if plan]
        front: dict[tuple[str, str], Path] = {}
        for path, name, _ in sorted(named, key=lambda one: one[0].name != plan_file_name(*one[1])):
            front.setdefault(name, path)
        for path, name, _ in named:
            if path != front[name]:
                message = f"it has the same plan as {front[name].name}, which is used"
                self._problems[path] = ResultProblem(path, "misnamed", message)
        return {
            name: self._with_versions(path, plan)
            for path, name, plan in named
            if path == front[name]
        }

    def _with_versions(self, path: Path, plan: PlanDocument) -> PlanDocument:
        """A stored plan with the devices of the versions that a merge kept beside it."""
        for version in listing(self.versions):
            kept = version.name.startswith(f"{path.stem}.")
            other = self._read(version, read_plan) if kept else None
            if other and (other.spec, other.profile) == (plan.spec, plan.profile):
                plan = with_other_devices(plan, other, self.measured_any)
        return plan

    def measured_any(self, keys: Collection[str]) -> bool:
        """Whether any of some cells was measured on any machine."""
        places = ((k, m) for k, machines in self.machines(keys).items() for m in machines)
        return any(record.measured for place in places if (record := self.get(*place)))

    def leave_out(self, plan: PlanDocument) -> None:
        """Let `plans` leave out the stored plan of this spec and profile; its file stays."""
        self.left_out.add((plan.spec, plan.profile))

    def _read(self, path: Path, reader: Callable[[Path], Content]) -> Content | None:
        try:
            content = reader(path)
        except FileNotFoundError:
            return None
        except UnreadableFile as error:
            self._problems[path] = error.problem
            return None
        self._problems.pop(path, None)
        return content

    def _keep_unreadable(self, path: Path, reader: Callable[[Path], Content]) -> Content | None:
        """Set aside an unusable file that is about to be replaced.

        Returns:
            Its content; None if there is no file, or no readable one.

        Raises:
            ResultsError: it is from a newer accelreport, which can still use it.
        """
        try:
            return reader(path)
        except FileNotFoundError:
            return None
        except UnreadableFile as error:
            if error.problem.kind == "newer":
                raise ResultsError(
                    f"{path} is not replaced.",
                    why=f"{error.problem.message[0].upper()}{error.problem.message[1:]}.",
                    remedy="Update accelreport, or choose another folder with --results.",
                ) from error
            set_aside(path)
            return None


def _identity(folder: Path) -> tuple[int, int] | None:
    """An identity that no other folder shares; None if the folder does not exist."""
    try:
        status = folder.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def set_aside(path: Path) -> Path:
    """Rename an unusable file so that nothing replaces it; returns the new name.

    Raises:
        OSError: the folder cannot be written.
    """
    number = 1
    while os.path.lexists(aside := path.with_name(f"{path.name}.unreadable-{number}")):
        number += 1
    return path.rename(aside)


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """A context for writing to a results folder.

    Raises:
        ResultsError: it cannot be written.
    """
    try:
        yield
    except OSError as error:
        raise ResultsError(
            f"{path} cannot be written.",
            why=f"{error.strerror or error}.",
            remedy="Every earlier measurement is kept. Free space or make the folder writable, or "
            "choose another one with --results, then run the same command again.",
        ) from error


def existing(folder: Path, command: str = "run") -> Store:
    """The store of an existing results folder.

    Args:
        folder: the folder.
        command: what would have filled it.

    Raises:
        ResultsError: it is not a results folder.
    """
    if not (folder / "cells").is_dir() and not (folder / "plans").is_dir():
        raise ResultsError(
            f"{folder} is not a results folder.",
            why="It has neither cells/ nor plans/.",
            remedy=f"Measure first, with `accelreport {command}`, or name another folder.",
        )
    return Store(folder)


def content_digest(store: Store) -> str:
    """SHA-256 of the names and bytes of all plans and records.

    It includes replaced plans and those left out.

    Raises:
        ResultsError: a folder cannot be read.
    """
    digest = hashlib.sha256()
    for folder in (store.planned, store.cells, store.versions):
        for path in listing(folder):
            name = os.fsencode(f"{folder.name}/{path.name}")
            digest.update(b"%s\0%s\n" % (name, _content(path).encode()))
    for plan in store.instead.values():
        digest.update(to_bytes(plan))
    for spec, profile in sorted(store.left_out):
        digest.update(os.fsencode(f"left out: {spec}\0{profile}\n"))
    return digest.hexdigest()


def _content(path: Path) -> str:
    try:
        return hashlib.sha256(read_bytes(path)).hexdigest()
    except (UnreadableFile, FileNotFoundError) as error:
        return str(error)
