"""Members of zip and tar archives, read in memory and without trusting the archive.

Nothing is written to disk, so that no name can lead out of a folder; archives with such names are
refused all the same. Limits apply to the unpacked bytes, not to the sizes that the archive states.
"""

from __future__ import annotations

import gzip
import io
import lzma
import tarfile
import zipfile
import zlib
from pathlib import PurePosixPath, PureWindowsPath

from accelreport.datasets.entry import MEBIBYTE
from accelreport.datasets.errors import FormatError

_MEMBERS = 10_000
_TAR_LIMIT = 1024 * MEBIBYTE


class ZipArchive:
    """A zip archive in memory.

    Args:
        data: its bytes.

    Raises:
        FormatError: when it is not a zip archive, has too many members, has two of the
            same name, or has a name that leads elsewhere.
    """

    def __init__(self, data: bytes) -> None:
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, zipfile.LargeZipFile, ValueError, NotImplementedError) as error:
            raise FormatError(f"It is not a complete zip archive ({error}).") from error
        self.names = tuple(member.filename for member in self._zip.infolist())
        if len(self.names) > _MEMBERS:
            raise FormatError(f"It has {len(self.names):,} members; at most {_MEMBERS:,} are read.")
        if len(set(self.names)) < len(self.names):
            raise FormatError("It has two members with the same name.")
        for name in self.names:
            check_name(name)

    def read(self, name: str, limit: int) -> bytes:
        """Unpack one member.

        Args:
            name: its name.
            limit: bytes it may have.

        Raises:
            FormatError: when it is missing, damaged, encrypted or too large.
        """
        if name not in self.names:
            raise FormatError(f"It has no member {name!r}.")
        try:
            with self._zip.open(name) as member:
                data = member.read(limit + 1)
        except (
            zipfile.BadZipFile,
            zlib.error,
            lzma.LZMAError,
            EOFError,
            RuntimeError,
            OSError,
            ValueError,
        ) as error:
            raise FormatError(f"Its member {name!r} is damaged ({error}).") from error
        if len(data) > limit:
            raise FormatError(f"Its member {name!r} has more than {limit:,} bytes.")
        return data


def read_tar_member(data: bytes, name: str, limit: int) -> bytes:
    """Unpack one member of a gzipped tar archive, by its name without folders.

    Args:
        data: the archive's bytes.
        name: the file's name without folders.
        limit: bytes it may have.

    Raises:
        FormatError: when the member is missing, or the archive is damaged, has a name that
            leads elsewhere, or unpacks to too many bytes before the member.
    """
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as unpacked:
            bounded = io.BufferedReader(_Bounded(unpacked))
            with tarfile.open(fileobj=bounded, mode="r|") as archive:
                return _find_member(archive, name, limit)
    except (tarfile.TarError, zlib.error, EOFError, OSError) as error:
        raise FormatError(f"It is not a complete tar.gz archive ({error}).") from error


def check_name(name: str) -> None:
    """Refuse a member's name that would lead out of the folder it is unpacked in."""
    parts = (*PurePosixPath(name).parts, *PureWindowsPath(name).parts)
    anchored = PurePosixPath(name).is_absolute() or PureWindowsPath(name).anchor
    if anchored or ".." in parts or "\0" in name:
        raise FormatError(f"Its member {name!r} leads out of the archive's folder.")


def _find_member(archive: tarfile.TarFile, name: str, limit: int) -> bytes:
    """The content of the first regular file of that name."""
    for count, member in enumerate(archive):
        if count >= _MEMBERS:
            raise FormatError(f"It has more than {_MEMBERS:,} members.")
        check_name(member.name)
        if PurePosixPath(member.name).name == name and member.isreg():
            if member.size > limit:
                raise FormatError(f"Its member {name!r} has more than {limit:,} bytes.")
            file = archive.extractfile(member)
            content = b"" if file is None else file.read()
            if len(content) != member.size:
                raise FormatError(f"Its member {name!r} is truncated.")
            return content
    raise FormatError(f"It has no member {name!r}.")


class _Bounded(io.RawIOBase):
    """A stream that refuses to give more than `_TAR_LIMIT` bytes."""

    def __init__(self, stream: gzip.GzipFile) -> None:
        self._stream = stream
        self._left = _TAR_LIMIT

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = self._stream.read(len(buffer))
        self._left -= len(data)
        if self._left < 0:
            raise FormatError(f"It unpacks to more than {_TAR_LIMIT:,} bytes.")
        buffer[: len(data)] = data
        return len(data)
