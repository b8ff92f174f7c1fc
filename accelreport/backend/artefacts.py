"""Files that a cell leaves beside its record: trained weights, exported and converted models."""

from __future__ import annotations

import hashlib
import io
import tarfile
from pathlib import Path

from accelreport.backend.protocol import Job
from accelreport.results.record import Artefact

FOLDER = "artefacts"
"""Beside the record of a cell's process, until the runner takes them into the results."""


class Artefacts:
    """Takes the files of one cell.

    Args:
        folder: where they go; made when the first one comes.

    Attributes:
        kept: what was taken, for the record.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.kept: list[Artefact] = []

    def keep(self, name: str, what: str, content: bytes) -> None:
        """Take a file.

        Args:
            name: ending of the file's name, such as `weights.h5`.
            what: what it is, in words.
            content: its bytes.
        """
        digest = hashlib.sha256(content).hexdigest()
        artefact = Artefact(name=name, what=what, bytes=len(content), sha256=digest)
        self._folder.mkdir(exist_ok=True)
        (self._folder / artefact.file).write_bytes(content)
        self.kept.append(artefact)

    def keep_folder(self, name: str, what: str, folder: Path) -> None:
        """Take a folder, as a tar archive that says nothing of when and by whom it was made."""
        self.keep(name, what, archive(folder))


def archive(folder: Path) -> bytes:
    """A folder as an uncompressed tar archive; the same files give the same bytes."""
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for path in sorted(folder.rglob("*")):
            entry = tarfile.TarInfo(path.relative_to(folder).as_posix())
            if path.is_dir():
                entry.type, entry.mode = tarfile.DIRTYPE, 0o755
                tar.addfile(entry)
            elif path.is_file():
                content = path.read_bytes()
                entry.size, entry.mode = len(content), 0o644
                tar.addfile(entry, io.BytesIO(content))
    return target.getvalue()


def artefacts_of(job: Job) -> Artefacts:
    """For the files of a job's cell."""
    return Artefacts(Path(job.record_path).parent / FOLDER)
