"""Writing a file so that a reader sees all of it or none of it, whatever is killed.

Also what keeps a write or a removal in the folder that it is meant for, and where files lie that
are an aid only, and can be made again.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import time
from collections.abc import Iterable
from pathlib import Path

TEMPORARY_SUFFIX = ".tmp"
"""Ending of a file that is still being written. Its name also begins with a dot."""

ABANDONED_AFTER_S = 1.0
"""A hidden file is swept only when it is this old: a new one may not be locked yet."""


def cache_folder(name: str) -> Path:
    """A folder of what can be made again: in `ACCELREPORT_CACHE`, or in one of the platform's."""
    chosen = os.environ.get("ACCELREPORT_CACHE")
    if chosen:
        return expanded(chosen) / name
    from platformdirs import user_cache_path

    return user_cache_path("accelreport", appauthor=False) / name


def expanded(path: str) -> Path:
    """A path with `~` as the home folder; where `~name` is nobody's, that is a name as any other.

    `Path.expanduser` raises there.
    """
    return Path(os.path.expanduser(path))  # noqa: PTH111


def refuse_links(path: Path, root: Path) -> None:
    """See that nothing between a folder of accelreport's and a path in it is a link.

    Whoever gave the folder away, such as in a repository, may have put links into it that lead
    anywhere. The folder itself, and what lies above it, may be links: a person names those.

    Args:
        path: a folder that is written to or removed from, or a file that is opened to be changed;
            one that is renamed into its place replaces a link there and needs no look.
        root: the folder that is accelreport's.

    Raises:
        OSError: one of them is a link.
    """
    place = root
    for part in path.relative_to(root).parts:
        place /= part
        if place.is_symlink():
            why = f"{place} is a link, through which nothing is written or removed"
            raise OSError(errno.ELOOP, f"{why}: put a folder in its place")


def write_whole(path: Path, content: bytes, *, durable: bool = True) -> None:
    """Write `content` to `path`; see `write_parts`."""
    write_parts(path, (content,), durable=durable)


def write_parts(path: Path, parts: Iterable[bytes], *, durable: bool = True) -> None:
    """Write to `path` what comes in parts, replacing what is there in one step.

    The bytes go to a hidden file of the same folder, reach the disk, and are then renamed;
    last, the folder itself is brought to the disk, so that the name survives a power cut.

    Args:
        path: the file.
        parts: its content.
        durable: whether to wait for the disk, which what can be made again need not.

    Raises:
        OSError: the disk is full, the folder cannot be written, and so on. Then, and with any
            error of `parts`, `path` is as it was before, and the hidden file is gone.
    """
    temporary = path.parent / f".{path.name}.{os.getpid()}-{os.urandom(4).hex()}{TEMPORARY_SUFFIX}"
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    try:
        # Held while the file is being written: `sweep` takes only files that nobody holds.
        with contextlib.suppress(OSError):  # some network file systems know no locks
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        for part in parts:
            rest = memoryview(part)
            while rest:
                rest = rest[os.write(descriptor, rest) :]
        if durable:
            os.fsync(descriptor)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    finally:
        os.close(descriptor)
    if durable:
        sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Bring the names in a folder to the disk, where its file system can do that."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in {errno.EINVAL, errno.ENOTSUP}:  # what some network disks answer
            raise
    finally:
        os.close(descriptor)


def sweep(folder: Path, name: str = "*") -> None:
    """Remove what killed writers left in a folder.

    A file that is being written at this moment is locked by its writer and stays.

    Args:
        folder: where they wrote.
        name: the file that they wrote; any when absent.
    """
    for path in folder.glob(f".{name}.*{TEMPORARY_SUFFIX}"):
        if _abandoned(path):
            path.unlink(missing_ok=True)


def _abandoned(path: Path) -> bool:
    try:
        if time.time() - path.lstat().st_mtime < ABANDONED_AFTER_S:
            return False
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW)
    except OSError:
        return False  # its writer has just renamed or removed it
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True
