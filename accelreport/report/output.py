"""The output folder: what a build wrote it may replace and remove, and nothing else.

A list of the site's own files stands in the folder. It is written before the files, so
that a build that was killed leaves nothing behind that the next one does not know.
"""

from __future__ import annotations

import json
from pathlib import Path, PurePosixPath

from accelreport.errors import AccelReportError, ExitCode

MANIFEST = ".accelreport-site.json"
"""Name of the list of own files."""


class OutputError(AccelReportError):
    """The output folder cannot take the site."""

    exit_code = ExitCode.BAD_RESULTS


class Output:
    """Writes a site's files into a folder.

    Args:
        root: the folder; it is made when it is not there.

    Raises:
        OutputError: the folder is a file, or its list of own files is damaged.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._before = self._own_files()
        self._files: dict[str, bytes] = {}

    def add(self, path: str, content: str | bytes) -> None:
        """Takes a file for the site; nothing is written before `finish`.

        Args:
            path: below the root, with "/" between folders.
            content: bytes, or text to be written in UTF-8.

        Raises:
            ValueError: the path leads out of the folder, or was added before.
        """
        if not is_inside(path) or path == MANIFEST:
            raise ValueError(f"{path!r} is not a path inside the site")
        if path in self._files:
            raise ValueError(f"{path!r} is written twice")
        self._files[path] = content.encode() if isinstance(content, str) else content

    def finish(self) -> int:
        """Writes what changed, removes own files that are no longer part of the site.

        Returns:
            How many files were written.

        Raises:
            OutputError: a file that accelreport did not write is in the way, or the disk
                refuses.
        """
        self._refuse_foreign()
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            self._write_manifest(self._before | self._files.keys())
            written = sum(self._write(path, content) for path, content in self._files.items())
            for path in sorted(self._before - self._files.keys()):
                self._remove(path)
            self._write_manifest(set(self._files))
        except OSError as error:
            raise OutputError(
                f"{self.root} cannot be written.",
                why=f"{error.strerror or error}.",
                remedy="Free space or allow writing there, or choose another folder with --out.",
            ) from error
        return written

    def _own_files(self) -> set[str]:
        path = self.root / MANIFEST
        try:
            return _listed(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return set()
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise OutputError(
                f"{path}, the list of the site's own files, cannot be used.",
                why=f"{error}.",
                remedy="Choose another folder with --out, or empty this one by hand.",
            ) from error

    def _refuse_foreign(self) -> None:
        foreign = [
            path
            for path in sorted(self._files.keys() - self._before)
            if (self.root / path).exists()
        ]
        if foreign:
            raise OutputError(
                f"{self.root / foreign[0]} is in the way.",
                why="It was not written by accelreport build, which replaces only its own files.",
                remedy="Move it away, or choose another folder with --out.",
            )

    def _write(self, path: str, content: bytes) -> bool:
        target = self.root / path
        if path in self._before and target.is_file() and target.read_bytes() == content:
            return False
        target.parent.mkdir(parents=True, exist_ok=True)
        partial = target.with_name(f".{target.name}.part")
        partial.write_bytes(content)
        partial.replace(target)
        return True

    def _remove(self, path: str) -> None:
        target = self.root / path
        target.unlink(missing_ok=True)
        for folder in target.parents:
            if folder == self.root or any(folder.iterdir()):
                return
            folder.rmdir()

    def _write_manifest(self, files: set[str]) -> None:
        note = "Written by accelreport build: the files it may replace or remove."
        text = json.dumps({"note": note, "files": sorted(files)}, indent=0) + "\n"
        partial = self.root / f"{MANIFEST}.part"
        partial.write_text(text, encoding="utf-8")
        partial.replace(self.root / MANIFEST)


def _listed(text: str) -> set[str]:
    """The files a manifest names; ValueError, KeyError or TypeError when it is damaged."""
    names = json.loads(text)["files"]
    if not all(isinstance(name, str) and is_inside(name) for name in names):
        raise ValueError("it names files outside the folder")
    return set(names)


def is_inside(path: str) -> bool:
    """Whether a path with "/" between folders stays below the folder it is relative to."""
    parts = PurePosixPath(path).parts
    odd = {"..", "/", "\\"}
    return bool(parts) and not any(part in odd or "\\" in part or ":" in part for part in parts)
