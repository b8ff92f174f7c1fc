"""Reading one file of a results folder without trusting it."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from accelreport.results.migration import NewerVersion, NoVersion, migrate
from accelreport.results.naming import RECORD_NAME
from accelreport.results.plan_document import PlanDocument
from accelreport.results.problems import UnreadableFile
from accelreport.results.record import RECORD_VERSION, Record

LARGEST_FILE = 64 * 2**20
"""Bytes above which a file is not opened: a large record holds about one million."""


def read_record(path: Path) -> Record:
    """Read a record of any version this program knows.

    Raises:
        UnreadableFile: with the reason.
        FileNotFoundError: there is no such file.
    """
    content = read_bytes(path)
    try:
        return Record.model_validate_json(content)
    except ValidationError as error:
        # The common case has to be fast, so versions are looked at only when it fails.
        document = _document(path, content)
        version = document.get("record_version")
        if version == RECORD_VERSION and not isinstance(version, bool):
            raise UnreadableFile(path, "invalid", explain(error, "a record")) from error
    try:
        return Record.model_validate_json(json.dumps(migrate(document)))
    except NewerVersion as error:
        raise UnreadableFile(path, "newer", str(error)) from error
    except (NoVersion, ValidationError) as error:
        raise UnreadableFile(path, "invalid", explain(error, "a record")) from error


def read_named_record(path: Path) -> Record:
    """Read a record and see that its file bears its name.

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
        message = f"it holds the record of cell {record.key} on machine {machine}"
        raise UnreadableFile(path, "misnamed", message)
    return record


def read_plan(path: Path) -> PlanDocument:
    """Read a plan document.

    Raises:
        UnreadableFile: with the reason.
        FileNotFoundError: there is no such file.
    """
    content = read_bytes(path)
    try:
        return PlanDocument.model_validate_json(content)
    except ValidationError as error:
        version = _document(path, content).get("plan_version")
        if isinstance(version, int) and version > 1:
            message = f"it was written by a newer accelreport (plan version {version}): update it"
            raise UnreadableFile(path, "newer", message) from error
        raise UnreadableFile(path, "invalid", explain(error, "a plan")) from error


def read_bytes(path: Path) -> bytes:
    """The content of a regular file of a bearable size.

    Raises:
        UnreadableFile: it is a pipe, a device or a folder, too large, or cannot be read.
        FileNotFoundError: there is no such file.
    """
    try:
        # Not to wait for ever on a named pipe that somebody put there.
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except FileNotFoundError:
        raise
    except OSError as error:
        raise UnreadableFile(path, "unreadable", f"it cannot be read: {error.strerror}") from error
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise UnreadableFile(path, "not-a-file", "it is not a regular file")
        if status.st_size > LARGEST_FILE:
            size, most = status.st_size / 2**20, LARGEST_FILE // 2**20
            message = f"it holds {size:.0f} MiB; no file of a results folder exceeds {most} MiB"
            raise UnreadableFile(path, "too-large", message)
        with open(descriptor, "rb", closefd=False) as file:
            return file.read(LARGEST_FILE + 1)
    except OSError as error:
        raise UnreadableFile(path, "unreadable", f"it cannot be read: {error.strerror}") from error
    finally:
        os.close(descriptor)


def explain(error: Exception, what: str) -> str:
    """The first things pydantic found wrong, in one sentence."""
    if not isinstance(error, ValidationError):
        return f"it is not {what}: {error}"
    found = error.errors(include_url=False, include_context=False, include_input=False)
    parts = [
        ": ".join(part for part in (".".join(map(str, one["loc"])), one["msg"]) if part)
        for one in found[:3]
    ]
    more = f" (and {len(found) - 3} more)" if len(found) > 3 else ""
    return f"it is not {what}: {'; '.join(parts)}{more}"


def to_bytes(document: BaseModel) -> bytes:
    """A document as it is stored: JSON in UTF-8, one line, a line feed at the end."""
    return document.model_dump_json().encode() + b"\n"


def _document(path: Path, content: bytes) -> dict[str, Any]:
    """The content as a JSON object.

    Raises:
        UnreadableFile: it is no JSON, or no object.
    """
    try:
        document = json.loads(content)
    except UnicodeDecodeError as error:
        raise UnreadableFile(path, "not-json", "it is not text in UTF-8") from error
    except json.JSONDecodeError as error:
        rest = content[:1] == b"{" and not content.rstrip().endswith(b"}")
        if rest or not content.strip():
            message = f"it is cut off after {len(content)} bytes"
            raise UnreadableFile(path, "cut-off", message) from error
        raise UnreadableFile(path, "not-json", f"it is not JSON: {error}") from error
    except (RecursionError, ValueError) as error:  # nested too deeply; a number too long
        raise UnreadableFile(path, "not-json", f"it is not JSON: {error}") from error
    if not isinstance(document, dict):
        raise UnreadableFile(path, "not-json", "it is not a JSON object")
    return document
