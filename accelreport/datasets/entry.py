"""An entry of the catalogue: a data set and its files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pydantic import ConfigDict

MEBIBYTE = 1024 * 1024


@dataclass(frozen=True)
class KnownFile:
    """A file with the place it has in the cache.

    Attributes:
        path: place below the data folder, with forward slashes.
        size: bytes of the published file; None when it is pinned on first download.
        sha256: checksum of the published file; None when it is pinned on first download.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    path: str
    size: int | None = None
    sha256: str | None = None

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rsplit("/", 1)[-1]


@dataclass(frozen=True)
class RemoteFile(KnownFile):
    """A published file.

    Attributes:
        url: where it is published.
        limit: largest size in bytes of a file in its place.
        instead: files that replace it if they are already in the cache.
    """

    url: str = ""
    limit: int = 256 * MEBIBYTE
    instead: tuple[KnownFile, ...] = ()


@dataclass(frozen=True)
class CatalogueEntry:
    """A data set.

    Attributes:
        name: its name in a spec.
        title: what the report calls it.
        module: module with `Options`, `read` and `synthetic` for it.
        files: its files; empty if a user brings the file.
        licence: the terms under which it is published.
        citation: how to cite it.
        homepage: the address of its description.
        shape: one line about its contents.
        examples: training examples of the published files; None if options change their number.
    """

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    name: str
    title: str
    module: str
    files: tuple[RemoteFile, ...]
    licence: str
    citation: str
    homepage: str
    shape: str
    examples: int | None = None
