"""Results folders that come as zip archives, unpacked for a moment and without trusting them.

Only what a results folder holds is unpacked, under names of its own making, so that nothing can
lead out of the temporary folder; sizes are bounded by what is really unpacked.
"""

from __future__ import annotations

import re
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from accelreport.results.problems import ResultsError, UnreadableFile
from accelreport.results.reading import LARGEST_FILE, opened
from accelreport.results.versions import record_versions

MEMBER = re.compile(
    r"(?:[^/\\]+/)?"  # the folder that was archived
    r"(?P<place>(?:conflicts/)?(?:cells|plans)|artefacts)/"
    r"(?P<name>[A-Za-z0-9%_][A-Za-z0-9%_.-]*)"
)
"""Names of members that belong to a results folder."""

ARTEFACTS = "artefacts"

MOST_MEMBERS = 500_000
MOST_BYTES = 8 * 2**30
"""What an archive may hold unpacked: ten times a hundred thousand records."""

CHUNK = 2**20


def is_archive(path: Path) -> bool:
    """Whether a path is a zip archive, by its name."""
    return path.suffix.lower() == ".zip" and not path.is_dir()


@contextmanager
def unpacked(sources: Sequence[Path]) -> Iterator[list[Path]]:
    """Folders for results folders and archives of them, as long as the context lasts.

    Raises:
        ResultsError: an archive is missing, damaged, too large, or holds no results.
    """
    with ExitStack() as stack:
        folders = []
        for source in sources:
            if is_archive(source):
                temporary = stack.enter_context(
                    tempfile.TemporaryDirectory(prefix="accelreport-unpacked-")
                )
                # Messages about its files then begin with the archive's own name.
                folder = Path(temporary) / source.name
                folder.mkdir()
                _unpack(source, folder)
                folders.append(folder)
            else:
                folders.append(source)
        yield folders


def _unpack(source: Path, folder: Path) -> None:
    try:
        with opened(source) as (file, _), zipfile.ZipFile(file) as archive:
            if len(archive.infolist()) > MOST_MEMBERS:
                raise _unusable(source, f"It has more than {MOST_MEMBERS:,} members.")
            left = MOST_BYTES
            for member, target, most in _wanted(archive, folder):
                left -= _copied(archive, member, target, min(left, most))
                if left < 0:
                    raise _unusable(source, f"It unpacks to more than {MOST_BYTES:,} bytes.")
    except FileNotFoundError as error:
        raise _unusable(source, "There is no such file.") from error
    except UnreadableFile as error:
        message = error.problem.message
        raise _unusable(source, f"{message[0].upper()}{message[1:]}.") from error
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError) as error:
        raise _unusable(source, f"It is damaged or encrypted ({error}).") from error
    except OSError as error:
        raise _unusable(source, f"{error.strerror or error}.") from error
    if not any(folder.iterdir()):
        raise _unusable(source, "It holds neither cells/ nor plans/.")


def _wanted(archive: zipfile.ZipFile, folder: Path) -> Iterator[tuple[zipfile.ZipInfo, Path, int]]:
    """The members that belong to a results folder, where each goes, and the bytes it may have.

    Of the files that cells left, those come that a record names which has been unpacked by then.
    """
    artefacts = []
    for member in archive.infolist():
        parts = MEMBER.fullmatch(member.filename)
        if parts and parts["place"] == ARTEFACTS:
            artefacts.append((member, parts["name"]))
        elif parts and not member.is_dir():
            yield member, folder / parts["place"] / parts["name"], LARGEST_FILE
    named = record_versions([folder], folder, []).artefacts
    for member, name in artefacts:
        if name in named:
            yield member, folder / ARTEFACTS / name, max(named[name])


def _copied(archive: zipfile.ZipFile, member: zipfile.ZipInfo, target: Path, most: int) -> int:
    """Bytes written: of a member larger than `most`, one more than that."""
    target.parent.mkdir(parents=True, exist_ok=True)
    written = 0
    with archive.open(member) as reading, target.open("xb") as writing:
        while written <= most and (chunk := reading.read(min(CHUNK, most + 1 - written))):
            written += writing.write(chunk)
    return written


def _unusable(source: Path, why: str) -> ResultsError:
    return ResultsError(
        f"{source} cannot be used as an archive of results.",
        why=why,
        remedy="Archive the whole results folder again, and copy it as a binary file.",
    )
