"""Validation beyond types: fields that contradict each other, days, files beside a spec."""

from __future__ import annotations

import os
from datetime import date
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Annotated

from pydantic import AfterValidator, Field, ValidationInfo


class FieldsError(ValueError):
    """Fields that are right by themselves and cannot mean anything together.

    Raised in a pydantic `model_validator`. The message is a sentence; the spec's
    diagnostics point at each of the fields.

    Args:
        message: what is wrong.
        fields: the fields' dotted names within the model, the one to be changed first.
        help: what to write instead.
    """

    def __init__(self, message: str, *fields: str, help: str = "") -> None:  # noqa: A002
        super().__init__(message)
        self.fields = fields
        self.help = help


def is_day(text: str) -> bool:
    """Whether a text is a day as ISO 8601 writes it: "2026-05-31"."""
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def require_day(text: str, key: str) -> None:
    """See that the text of a key is a day; raises `FieldsError` otherwise."""
    if not is_day(text):
        help_ = 'write year, month and day, such as "2026-05-31"'
        raise FieldsError(f"`{key}` is not a date: {text!r}", key, help=help_)


def refuse_written(document: object, key: str = "document") -> None:
    """Refuse a document in the spec itself: it is read from the file that the spec names.

    Raises:
        FieldsError: the spec has one.
    """
    if document:
        raise FieldsError(f"`{key}` is what the file holds", key, help="leave it out")


def inside_folder(text: str, folder: Path | None) -> str:
    """A path in a folder or below it, with `/`; what `SpecPath` holds its text to.

    Args:
        text: the path.
        folder: where it must be; None where that is not known.

    Raises:
        ValueError: it is none, or there is no such file.
    """
    path = PurePosixPath(text)
    if not text.strip() or "\0" in text:
        raise ValueError("is not the path of a file")
    if "\\" in text or PureWindowsPath(text).drive:
        raise ValueError("must be written with `/`, relative to the spec's folder")
    if path.is_absolute() or ".." in path.parts:
        raise ValueError("lies outside the spec's folder; put the file beside the spec")
    if folder is not None:
        resolved = Path(os.path.realpath(folder / path))
        if not resolved.is_relative_to(os.path.realpath(folder)):
            raise ValueError("leads outside the spec's folder through a symbolic link")
        if not os.path.isfile(resolved):  # noqa: PTH113 -- Path.is_file() raises where a name is too long
            from accelreport.spec.problems import nearest

            beside = resolved.parent.iterdir() if resolved.parent.is_dir() else ()
            near = nearest(path.name, [file.name for file in beside])
            help_ = f"; did you mean {near}?" if near else ""
            raise ValueError(f"names {path}, which is not a file in the spec's folder{help_}")
    return path.as_posix()


def folder_of(info: ValidationInfo) -> Path | None:
    """The folder of the spec that is being read; None at other times."""
    folder = (info.context or {}).get("folder")
    return folder if isinstance(folder, Path) else None


def _inside(text: str, info: ValidationInfo) -> str:
    return inside_folder(text, folder_of(info))


SpecPath = Annotated[
    str,
    AfterValidator(_inside),
    Field(description="A file in the spec's folder or below it, with `/` between folders."),
]
"""A file in the spec's folder or below it, relative to it and with `/`.

While a spec is checked, the file must exist, and no symbolic link may lead elsewhere; the
spec's folder is then the validation context's `folder`. Elsewhere the path alone is checked.
"""
