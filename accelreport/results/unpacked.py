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

from accelreport.results.problems import ResultsError

MEMBER = re.compile(
    r"(?:[^/\\]+/)?"  # the folder that was archived
    r"(?P<place>(?:conflicts/)?(?:cells|plans)|artefacts)/"
    r"(?P<name>[A-Za-z0-9%_][A-Za-z0-9%_.-]*)"
)
"""Names of members that belong to a results folder."""

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
        with zipfile.ZipFile(source) as archive:
            members = [member for member in archive.infolist() if not member.is_dir()]
            if len(members) > MOST_MEMBERS:
                raise _unusable(source, f"It has more than {MOST_MEMBERS:,} members.")
            left = MOST_BYTES
            for member in members:
                found = MEMBER.fullmatch(member.filename)
                if found:
                    target = folder / found["place"] / found["name"]
                    target.parent.mkdir(parents=True, exist_ok=True)
                    left -= _copy(archive, member, target, left)
                    if left < 0:
                        raise _unusable(source, f"It unpacks to more than {MOST_BYTES:,} bytes.")
    except FileNotFoundError as error:
        raise _unusable(source, "There is no such file.") from error
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError) as error:
        raise _unusable(source, f"It is damaged or encrypted ({error}).") from error
    except OSError as error:
        raise _unusable(source, f"{error.strerror or error}.") from error
    if not any(folder.iterdir()):
        raise _unusable(source, "It holds neither cells/ nor plans/.")


def _copy(archive: zipfile.ZipFile, member: zipfile.ZipInfo, target: Path, most: int) -> int:
    """Bytes written; a little more than `most` where the member is larger than that."""
    written = 0
    with archive.open(member) as reading, target.open("xb") as writing:
        while written <= most and (chunk := reading.read(CHUNK)):
            written += writing.write(chunk)
    return written


def _unusable(source: Path, why: str) -> ResultsError:
    return ResultsError(
        f"{source} cannot be used as an archive of results.",
        why=why,
        remedy="Archive the whole results folder again, and copy it as a binary file.",
    )
