"""What a person may choose of a build, and what a build says of itself."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Theme = Literal["auto", "light", "dark"]


@dataclass(frozen=True)
class BuildOptions:
    """What a person may choose.

    Attributes:
        title: the site's name, at the top of every page.
        templates: a folder whose templates replace ours, file by file.
        logo: a PNG or SVG file that stands before the title.
        base_url: where the site will be published.
        pictures: whether every figure is also a PNG file.
        interactive: whether a button under a figure lets a reader explore it.
        theme: the colours until a reader chooses.
        single_file: whether everything goes into one HTML file.
        cache: folder in which builds remember what they made; None to remember nothing.
    """

    title: str = "Accelerator benchmarks"
    templates: Path | None = None
    logo: Path | None = None
    base_url: str = ""
    theme: Theme = "auto"
    pictures: bool = False
    interactive: bool = False
    cache: Path | None = None
    single_file: bool = False


@dataclass(frozen=True)
class BuildResult:
    """What was built.

    Attributes:
        pages: number of HTML pages.
        written: files that are new or changed.
        index: the page to open.
        seconds: how long it took.
    """

    pages: int
    written: int
    index: Path
    seconds: float
