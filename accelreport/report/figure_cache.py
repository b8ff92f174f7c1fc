"""Drawn figures kept between builds: a drawing is known by its specification and its drawer.

Files are written whole and renamed, and their names say what they hold, so builds that run
at once cannot disturb each other. A file is compressed, and its checksum is looked at when
it is read; a damaged one is drawn again. What is kept is what Vega drew, before it was made
safe: it goes through `page_svg` each time, so a page trusts this folder no more than Vega.
"""

from __future__ import annotations

import contextlib
import os
import time
import zlib
from importlib.metadata import version
from pathlib import Path

from accelreport.report.fingerprint import digest
from accelreport.results.atomic import write_whole

KEPT_S = 30 * 24 * 3600.0
"""Seconds after its last use in which a figure is kept."""
TOUCHED_S = 24 * 3600.0
"""A use is noted at most once in so many seconds."""


class FigureCache:
    """Figures by content.

    Args:
        folder: where they lie; it is made when the first one is kept.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._drawer = f"vl-convert {version('vl-convert-python')}, own fonts"

    @property
    def empty(self) -> bool:
        """Whether nothing was ever kept here."""
        return not self.folder.is_dir()

    def get(self, spec: str) -> str | None:
        """What was drawn of a specification; None where it is not known, or damaged."""
        path = self._path(spec)
        try:
            drawn = zlib.decompress(path.read_bytes()).decode()
            if time.time() - path.stat().st_mtime > TOUCHED_S:
                os.utime(path)
        except (OSError, zlib.error, UnicodeDecodeError):
            return None
        return drawn

    def put(self, spec: str, drawn: str) -> None:
        """Keeps a drawing. A disk that takes no more costs the next build time, not this one."""
        path = self._path(spec)
        with contextlib.suppress(OSError):
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_whole(path, zlib.compress(drawn.encode(), 1), durable=False)

    def prune(self) -> None:
        """Removes what no build has used for a month."""
        oldest = time.time() - KEPT_S
        for path in self.folder.glob("*/*"):
            with contextlib.suppress(OSError):  # another build may have removed it just now
                if path.stat().st_mtime < oldest:
                    path.unlink()

    def _path(self, spec: str) -> Path:
        name = digest(self._drawer, spec)
        return self.folder / name[:2] / name[2:]
