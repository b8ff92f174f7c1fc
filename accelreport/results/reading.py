"""Reads the files of a results folder without trusting them: first their names, then their content.

Unreadable files are named, and all others are read.

To change the record, raise `RECORD_VERSION`, bring a record of the previous version to it in
`read_record`, and keep one among the tests.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal, TypeVar

from pydantic import BaseModel, ValidationError

from accelreport import strict_json
from accelreport.errors import AccelReportError, ExitCode
from accelreport.results.plan_document import PlanDocument
from accelreport.results.record import RECORD_VERSION, Record

ProblemKind = Literal[
    "unreadable", "not-a-file", "too-large", "cut-off", "not-json", "newer", "invalid", "misnamed"
]
"""Why a file is left out."""


class ResultsError(AccelReportError):
    """A results folder cannot be read or written."""

    exit_code = ExitCode.BAD_RESULTS


@dataclass(frozen=True)
class ResultProblem:
    """A file that was left out while all others were read.

    Attributes:
        path: the file.
        kind: why, from a closed list.
        message: why, in a sentence.
    """

    path: Path
    kind: ProblemKind
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"


class UnreadableFile(Exception):  # noqa: N818 -- a carrier for a problem, not an error of its own
    """Raised while one file is read; callers add it to their problems."""

    def __init__(self, path: Path, kind: ProblemKind, message: str) -> None:
        self.problem = ResultProblem(path, kind, message)
        super().__init__(str(self.problem))


KEY_LENGTH = 16
KEY = re.compile(rf"[0-9a-f]{{{KEY_LENGTH}}}")
MACHINE = re.compile(r"[0-9a-f]{8}")
RECORD_NAME = re.compile(rf"(?P<key>{KEY.pattern})\.(?P<machine>{MACHINE.pattern})\.json")

UNSAFE = re.compile(r"[\x00-\x1f\x7f/\\%.]")
"""Encoded in the name of a plan's file; "." too, because "a.b" + "c" and "a" + "b.c" must not
meet in one file."""


LONGEST_NAME = 150
"""Characters of a plan's name from which on a digest takes the place of its end."""


def plan_file_name(spec: str, profile: str) -> str:
    """The name of a plan's file: unique for each plan, and never leading out of the folder."""
    name = f"{_file_part(spec)}.{_file_part(profile)}"
    if len(name) > LONGEST_NAME:
        digest = hashlib.sha256(name.encode()).hexdigest()[:16]
        name = f"{name[: LONGEST_NAME - 17]}-{digest}"
    return f"{name}.json"


def _file_part(name: str) -> str:
    return UNSAFE.sub(lambda match: f"%{ord(match[0]):02X}", name) or "%"


def listing(folder: Path) -> list[Path]:
    """The documents in a folder, by name; none if the folder does not exist.

    Raises:
        ResultsError: the folder cannot be read.
    """
    return [folder / name for name in sorted(filter(is_document, names(folder)))]


def is_document(name: str) -> bool:
    """Whether a file of this name is a document, and not one that is still being written."""
    return name.endswith(".json") and not name.startswith(".")


def names(folder: Path) -> Iterator[str]:
    """The names in a folder, in no order; none if the folder does not exist.

    Raises:
        ResultsError: the folder cannot be read.
    """
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                yield entry.name
    except FileNotFoundError:
        return
    except NotADirectoryError as error:
        file = next(path for path in (folder, *folder.parents) if path.exists())
        raise ResultsError(
            f"{folder} cannot be read.",
            why=f"{file} is not a folder.",
            remedy="Pass the results folder.",
        ) from error
    except OSError as error:
        raise ResultsError(f"{folder} cannot be read.", why=f"{error.strerror}.") from error


LARGEST_FILE = 64 * 2**20
"""Largest size of a file that is opened; a large record has about one million bytes."""

PART = 2**20
"""Bytes of a large file that are in memory at a time."""


def read_record(path: Path) -> Record:
    """Read a record of any supported version.

    Raises:
        UnreadableFile: with the reason.
        FileNotFoundError: there is no such file.
    """
    content = read_bytes(path)
    try:
        return _each_key_once(path, content, Record.model_validate_json(content))
    except ValidationError as error:
        # The common case has to be fast, so versions are looked at only when it fails.
        version = _document(path, content).get("record_version")
        if not isinstance(version, int) or isinstance(version, bool) or version < 1:
            why = f"record_version is {version!r}, not a whole number from 1"
            raise UnreadableFile(path, "invalid", f"it is not a record: {why}") from error
        if version > RECORD_VERSION:
            message = (
                f"it was written by a newer accelreport (record version {version}; this one reads "
                f"up to {RECORD_VERSION}): update accelreport to read it"
            )
            raise UnreadableFile(path, "newer", message) from error
        raise UnreadableFile(path, "invalid", explain(error, "a record")) from error


def read_named_record(path: Path) -> Record:
    """Read a record and check that its file has its name.

    Raises:
        UnreadableFile: with the reason.
        FileNotFoundError: there is no such file.
    """
    name = RECORD_NAME.fullmatch(path.name)
    if name is None:
        message = "its name is not <16 hexadecimal digits>.<8 hexadecimal digits>.json"
        raise UnreadableFile(path, "misnamed", message)
    record = read_record(path)
    machine = record.environment.machine if record.environment else None
    if (record.key, machine) != (name["key"], name["machine"]):
        message = f"it has the record of cell {record.key} on machine {machine}"
        raise UnreadableFile(path, "misnamed", message)
    return record


EARLIER_KEYS_OF_A_TREND = {"starting_at", "tolerance"}

SPARE = ("published", "claims", "advice")
"""Lists of a plan that it can be shown without."""


def read_plan(path: Path, left_out: list[ResultProblem] | None = None) -> PlanDocument:
    """Read a plan document.

    Args:
        path: its file.
        left_out: collects the errors of single published rows and claims that the plan can be shown
            without; without it, such a plan is not read.

    Raises:
        UnreadableFile: with the reason.
        FileNotFoundError: there is no such file.
    """
    content = read_bytes(path)
    try:
        return _each_key_once(path, content, PlanDocument.model_validate_json(content))
    except ValidationError as error:
        # As with records, versions are looked at only when the common case fails.
        document = _document(path, content)
        version = document.get("plan_version")
        if isinstance(version, int) and version > 1:
            message = f"it was written by a newer accelreport (plan version {version}): update it"
            raise UnreadableFile(path, "newer", message) from error
    claims = document.get("claims")
    for claim in claims if isinstance(claims, list) else ():
        check = claim.get("check") if isinstance(claim, dict) else None
        if isinstance(check, dict) and "along" in check:  # an earlier trend
            claim["check"] = {k: v for k, v in check.items() if k not in EARLIER_KEYS_OF_A_TREND}
    try:
        return PlanDocument.model_validate_json(json.dumps(document))
    except ValidationError as error:
        problem = ResultProblem(path, "invalid", explain(error, "a plan"))
        if left_out is not None:
            return _without_what_is_wrong(problem, document, left_out)
        raise UnreadableFile(path, "invalid", problem.message) from error


def _without_what_is_wrong(
    problem: ResultProblem, document: Mapping[str, Any], left_out: list[ResultProblem]
) -> PlanDocument:
    """A plan without the invalid rows of `SPARE`.

    Raises:
        UnreadableFile: it is invalid without them, too.
    """

    def read(**rows: list[Any]) -> PlanDocument:
        return PlanDocument.model_validate_json(json.dumps({**document, **nothing, **rows}))

    nothing: dict[str, list[Any]] = {name: [] for name in SPARE}
    try:
        read()
    except ValidationError as error:
        raise UnreadableFile(problem.path, problem.kind, problem.message) from error
    kept = {**nothing}
    wrong = []
    for name in SPARE:
        given = document.get(name, [])
        for number, row in enumerate(given if isinstance(given, list) else [given], start=1):
            try:
                read(**{name: [row]})
                kept[name] = [*kept[name], row]
            except ValidationError as error:
                wrong.append(f"row {number} of its `{name}`: {explain(error, 'one')}")
    message = f"{'; '.join(wrong[:3])}{_and_more(wrong)}"
    left_out.append(ResultProblem(problem.path, problem.kind, message))
    return read(**kept)


def read_bytes(path: Path) -> bytes:
    """The content of a regular file of an acceptable size.

    Raises:
        UnreadableFile: it is a pipe, a device or a folder, too large, or cannot be read.
        FileNotFoundError: there is no such file.
    """
    with open_regular(path) as (file, size):
        if size > LARGEST_FILE:
            most = f"such files have at most {LARGEST_FILE / 2**20:.0f} MiB"
            raise UnreadableFile(path, "too-large", f"it has {size / 2**20:.0f} MiB; {most}")
        return _read(path, file, size + 1)


def parts_of(path: Path, sizes: Collection[int]) -> Iterator[bytes]:
    """The content of an artefact, in parts.

    Args:
        path: the file; its name begins with the SHA-256 of its content.
        sizes: its possible sizes in bytes.

    Raises:
        UnreadableFile: see `read_bytes`; or its content does not match its name, which is known
            only at the end.
        FileNotFoundError: there is no such file.
    """
    digest = hashlib.sha256()
    with open_regular(path) as (file, size):
        if size not in sizes:
            text = " or ".join(f"{size:,}" for size in sorted(sizes))
            message = f"it has {size:,} bytes, but its record says {text}"
            raise UnreadableFile(path, "misnamed", message)
        left = size
        while left and (part := _read(path, file, min(left, PART))):
            left -= len(part)
            digest.update(part)
            yield part
    if left or digest.hexdigest() != path.name.partition(".")[0]:
        raise UnreadableFile(path, "misnamed", "its content does not match its name")


@contextmanager
def open_regular(path: Path) -> Iterator[tuple[BinaryIO, int]]:
    """A regular file, open, and its size in bytes.

    Raises:
        UnreadableFile: it is a pipe, a device or a folder, or cannot be opened.
        FileNotFoundError: there is no such file.
    """
    try:
        # Not to wait for ever on a named pipe that somebody put there.
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise _unreadable(path, error) from error
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise UnreadableFile(path, "not-a-file", "it is not a regular file")
        with open(descriptor, "rb", closefd=False) as file:
            yield file, status.st_size
    finally:
        os.close(descriptor)


def _read(path: Path, file: BinaryIO, most: int) -> bytes:
    try:
        return file.read(most)
    except OSError as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: OSError) -> UnreadableFile:
    return UnreadableFile(path, "unreadable", f"it cannot be read: {error.strerror}")


def explain(error: ValidationError, what: str) -> str:
    """The first errors of pydantic, in one sentence."""
    errors = error.errors(include_url=False, include_context=False, include_input=False)
    parts = [
        ": ".join(part for part in (".".join(map(str, one["loc"])), one["msg"]) if part)
        for one in errors[:3]
    ]
    return f"it is not {what}: {'; '.join(parts)}{_and_more(errors)}"


def _and_more(items: Sequence[object]) -> str:
    return f" (and {len(items) - 3} more)" if len(items) > 3 else ""


def to_bytes(document: BaseModel) -> bytes:
    """A document as it is stored: JSON in UTF-8, one line, a line feed at the end."""
    return document.model_dump_json().encode() + b"\n"


Content = TypeVar("Content", bound=BaseModel)


def _each_key_once(path: Path, content: bytes, document: Content) -> Content:
    """The document, if no object in its file has a key twice; a parser keeps only the last one.

    Raises:
        UnreadableFile: an object has a key twice.
    """
    if to_bytes(document) != content:  # what this program writes has none
        _document(path, content)
    return document


def _document(path: Path, content: bytes) -> dict[str, Any]:
    """The content as a JSON object.

    Raises:
        UnreadableFile: it is not JSON, or not an object.
    """
    try:
        document = strict_json.loads(content)
    except UnicodeDecodeError as error:
        raise UnreadableFile(path, "not-json", "it is not text in UTF-8") from error
    except json.JSONDecodeError as error:
        rest = content[:1] == b"{" and not content.rstrip().endswith(b"}")
        if rest or not content.strip():
            message = f"it is truncated after {len(content)} bytes"
            raise UnreadableFile(path, "cut-off", message) from error
        raise UnreadableFile(path, "not-json", f"it is not JSON: {error}") from error
    except ValueError as error:  # nested too deeply; a number too long; a key twice
        raise UnreadableFile(path, "not-json", f"it is not JSON: {error}") from error
    if not isinstance(document, dict):
        raise UnreadableFile(path, "not-json", "it is not a JSON object")
    return document
