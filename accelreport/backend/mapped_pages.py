"""The pages of libraries that a process has in its memory, for its forks to have them, too.

A fork does not inherit which pages of files are mapped: it finds them again one by one, when it
needs them. Its resident set is then smaller than that of a process that imported the same
libraries itself, by hundreds of megabytes, and it meets the missing ones while it is timed.
"""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Iterable
from pathlib import Path

MADV_POPULATE_READ = 22
"""Maps pages as if each had been read; Linux has it since 5.14."""

PRESENT = 1 << 63
"""The bit of a page map's entry that says that the page is in memory."""

Range = tuple[int, int]
"""Address and length in bytes of neighbouring pages."""


def mapped_pages() -> list[Range]:
    """The pages of files that are mapped into this process now."""
    found: list[Range] = []
    with Path("/proc/self/pagemap").open("rb") as entries:
        for line in Path("/proc/self/maps").read_text().splitlines():
            addresses, rights, _, _, inode, *_ = line.split(maxsplit=5)
            if inode == "0" or rights[0] != "r":
                continue
            first, end = (int(address, 16) for address in addresses.split("-"))
            entries.seek(first // mmap.PAGESIZE * 8)
            content = entries.read((end - first) // mmap.PAGESIZE * 8)
            found += _runs(first, memoryview(content).cast("Q"))
    return found


def map_pages(ranges: Iterable[Range]) -> bool:
    """Map pages again that `mapped_pages` found before this process was forked.

    Returns:
        Whether that was done; an older kernel cannot.
    """
    madvise = ctypes.CDLL(None).madvise
    madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    return all(madvise(start, length, MADV_POPULATE_READ) == 0 for start, length in ranges)


def _runs(first: int, entries: memoryview[int]) -> list[Range]:
    runs: list[Range] = []
    start = None
    for number, entry in enumerate(entries):
        if entry & PRESENT:
            start = number if start is None else start
        elif start is not None:
            runs.append((first + start * mmap.PAGESIZE, (number - start) * mmap.PAGESIZE))
            start = None
    if start is not None:
        runs.append((first + start * mmap.PAGESIZE, (len(entries) - start) * mmap.PAGESIZE))
    return runs
