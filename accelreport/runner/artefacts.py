"""Files that a cell's process left beside its record, on their way into the results folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from accelreport.results.errors import UnreadableFile
from accelreport.results.reading import parts_of
from accelreport.results.record import Artefact, Record, Warned


class LeftFile(NamedTuple):
    """A file that a cell left: what its record says of it, and its content."""

    artefact: Artefact
    content: bytes


def hand_over(record: Record, folder: Path, on_file: Callable[[LeftFile], None]) -> Record:
    """Give away each file that a record names; the record, without files that are not there.

    A process that was killed, or a full disk, may leave half a file: what does not have its
    checksum is not kept, and the record says so.

    Args:
        record: what the process left.
        folder: where it left its files.
        on_file: takes a file.
    """
    whole: list[Artefact] = []
    lost: list[Warned] = []
    for artefact in record.artefacts:
        try:
            content = b"".join(parts_of(folder / artefact.file, {artefact.bytes}))
        except FileNotFoundError:
            lost.append(_lost(artefact, "it is not there"))
            continue
        except UnreadableFile as error:
            lost.append(_lost(artefact, error.problem.message))
            continue
        on_file(LeftFile(artefact, content))
        whole.append(artefact)
    return record.model_copy(update={"artefacts": whole, "warnings": [*record.warnings, *lost]})


def _lost(artefact: Artefact, why: str) -> Warned:
    return Warned(
        kind="artefact-lost", message=f"its file {artefact.name} could not be kept: {why}"
    )
