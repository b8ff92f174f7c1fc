"""The output folder: what a build wrote it may replace and remove, and nothing else.

A list of the site's own files lies in the folder. It is written before the files, so
that a build that was killed leaves nothing behind that the next one does not know.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import tempfile
import time
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import Self

from accelreport import strict_json
from accelreport.atomic import refuse_links, sweep, write_whole
from accelreport.errors import AccelReportError, ExitCode
from accelreport.results.reading import UnreadableFile, read_bytes

MANIFEST = ".accelreport-site.json"
"""Name of the list of own files."""
STAGING = ".accelreport-new-"
"""Beginning of the name of the folder in which new files wait."""
ABANDONED_AFTER_S = 3600.0
"""Seconds after which such a folder was left by a build that was killed, where no lock says so."""


class OutputError(AccelReportError):
    """The output folder cannot take the site."""

    exit_code = ExitCode.BAD_RESULTS


class Output:
    """Writes a site's files into a folder; a context manager that leaves no half of one.

    New and changed files wait in a folder of their own until `finish`, so that a build that
    fails leaves the site as it was, and memory is not needed for all of them at once. As a
    context manager it also keeps a second build out of the folder until the first has ended.

    Args:
        root: the folder; it is made when it is not there.

    Raises:
        OutputError: the folder is a file, or its list of own files is damaged.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._before = self._own_files()
        self._files: set[str] = set()
        self._waiting: dict[str, Path] = {}
        self._staging: Path | None = None
        self._lock: int | None = None

    def add(self, path: str, content: str | bytes) -> None:
        """Takes a file for the site; nothing of the site is changed before `finish`.

        Args:
            path: below the root, with "/" between folders.
            content: bytes, or text to be written in UTF-8.

        Raises:
            ValueError: the path leads out of the folder, or was added before.
            OutputError: the disk refuses.
        """
        self._claim(path)
        data = content.encode() if isinstance(content, str) else content
        try:
            if path not in self._before or not _holds(self.root / path, data):
                if self._staging is None:
                    self.root.mkdir(parents=True, exist_ok=True)
                    self._staging = Path(tempfile.mkdtemp(prefix=STAGING, dir=self.root))
                waiting = self._staging / str(len(self._waiting))
                waiting.write_bytes(data)
                self._waiting[path] = waiting
        except OSError as error:
            raise unwritable(self.root, error) from error

    def keep(self, path: str) -> None:
        """Leaves a file of an earlier build where it is, as part of this site.

        Raises:
            ValueError: the path leads out of the folder, or was added before.
        """
        self._claim(path)

    def owns(self, path: str) -> bool:
        """Whether an earlier build wrote a file, so that this one may keep it."""
        return path in self._before

    def _claim(self, path: str) -> None:
        if not is_inside(path) or path == MANIFEST:
            raise ValueError(f"{path!r} is not a path inside the site")
        if path in self._files:
            raise ValueError(f"{path!r} is written twice")
        self._files.add(path)

    def finish(self) -> int:
        """Puts in place what changed, removes own files that are no longer part of the site.

        Returns:
            How many files were written.

        Raises:
            OutputError: a file that accelreport did not write is in the way, or the disk
                refuses.
        """
        try:
            for inside in {path.rpartition("/")[0] for path in self._before | self._files}:
                refuse_links(self.root / inside, self.root)
            self._refuse_foreign()
            self.root.mkdir(parents=True, exist_ok=True)
            self._write_manifest(self._before | self._files)
            for folder in {(self.root / path).parent for path in self._waiting}:
                folder.mkdir(parents=True, exist_ok=True)
            for path, waiting in self._waiting.items():
                waiting.replace(self.root / path)
            for path in sorted(self._before - self._files):
                self._remove(path)
            self._write_manifest(self._files)
        except OSError as error:
            raise unwritable(self.root, error) from error
        finally:
            self.close()
        return len(self._waiting)

    def close(self) -> None:
        """Drops the files that still wait, and lets the next build into the folder."""
        if self._staging is not None:
            shutil.rmtree(self._staging, ignore_errors=True)
            self._staging = None
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def __enter__(self) -> Self:
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(self.root, os.O_RDONLY | os.O_CLOEXEC)
            alone = False
            with contextlib.suppress(OSError):  # some network file systems know no locks
                fcntl.flock(self._lock, fcntl.LOCK_EX)
                alone = True
            # Folders that killed builds left; without a lock, only old ones.
            oldest = time.time() - ABANDONED_AFTER_S
            for folder in self.root.glob(f"{STAGING}*"):
                if alone or folder.lstat().st_mtime < oldest:
                    shutil.rmtree(folder, ignore_errors=True)
            sweep(self.root, MANIFEST)
        except OSError as error:
            self.close()
            raise unwritable(self.root, error) from error
        self._before = self._own_files()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
        if error is not None:
            with contextlib.suppress(OSError):
                self.root.rmdir()  # only if nothing is in it

    def _own_files(self) -> set[str]:
        path = self.root / MANIFEST
        try:
            return _listed(read_bytes(path).decode())
        except FileNotFoundError:
            return set()
        except (UnreadableFile, ValueError, KeyError, TypeError, RecursionError) as error:
            raise OutputError(
                f"{path}, the list of the site's own files, cannot be used.",
                why=f"{error}.",
                remedy="Choose another folder with --out, or empty this one by hand.",
            ) from error

    def _refuse_foreign(self) -> None:
        for path in sorted(self._files - self._before):
            if os.path.lexists(self.root / path):
                raise foreign(self.root / path)

    def _remove(self, path: str) -> None:
        target = self.root / path
        target.unlink(missing_ok=True)
        for folder in target.parents:
            if folder == self.root:
                return
            try:
                folder.rmdir()
            except FileNotFoundError:
                continue  # another build removed it
            except OSError:
                return  # it holds other files

    def _write_manifest(self, files: set[str]) -> None:
        note = "Written by accelreport build: the files it may replace or remove."
        # One path a line; JSON's own indentation is written by Python, which takes long.
        names = ",\n".join(json.dumps(name) for name in sorted(files))
        text = f'{{\n"note": {json.dumps(note)},\n"files": [\n{names}\n]\n}}\n'
        place = self.root / MANIFEST
        if not _holds(place, text.encode()):
            write_whole(place, text.encode(), durable=False)


def unwritable(place: Path, error: OSError) -> OutputError:
    """The error where the disk refuses what a build writes."""
    return OutputError(
        f"{place} cannot be written.",
        why=f"{error.strerror or error}.",
        remedy="Free space or allow writing there, or choose another place with --out.",
    )


def foreign(place: Path) -> OutputError:
    """The error where a file that no build wrote is in the way."""
    return OutputError(
        f"{place} is in the way.",
        why="It was not written by accelreport build, which replaces only its own files.",
        remedy="Move it away, or choose another place with --out.",
    )


def _holds(path: Path, content: bytes) -> bool:
    return path.is_file() and not path.is_symlink() and path.read_bytes() == content


def _listed(text: str) -> set[str]:
    """The files a manifest names; ValueError, KeyError or TypeError when it is damaged."""
    names = strict_json.loads(text)["files"]
    if not isinstance(names, list) or not all(isinstance(n, str) and is_inside(n) for n in names):
        raise ValueError("it names files outside the folder")
    return set(names)


def is_inside(path: str) -> bool:
    """Whether a path with "/" between folders stays below the folder it is relative to."""
    parts = PurePosixPath(path).parts
    odd = {"..", "/", "\\"}
    return bool(parts) and not any(part in odd or {*part} & {*"\\:\0"} for part in parts)
