"""The whole site as one file: every page but those of single cells, and every file in links.

It is for mail and for a hall without a network. A cell's page is left out because its
record, with every raw step, is among the files; nothing else is.

Pages become parts of one file: ids of their own, links that stay within it, files as `data:`
addresses.
"""

from __future__ import annotations

import base64
import gzip
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import quote

from accelreport.atomic import write_whole
from accelreport.errors import Unshown
from accelreport.report import quantity
from accelreport.report.model import Block, Download, Downloads, Figure, Page, Section
from accelreport.report.pages.benchmark import benchmark_page
from accelreport.report.pages.registry import PAGES, SiteContent
from accelreport.report.site.assembly import charted, gather, withheld_in
from accelreport.report.site.cache import FigureCache
from accelreport.report.site.drawing import Drawer, Engines
from accelreport.report.site.export import (
    benchmark_files,
    record_json,
    relinked,
    site_files,
)
from accelreport.report.site.options import BuildInput
from accelreport.report.site.output import foreign, unwritable
from accelreport.report.site.render import Renderer
from accelreport.report.text import slug
from accelreport.report.view import BenchmarkView

LONGEST = 1_900_000
"""Characters of an address; browsers do not follow one of more than 2 MiB."""
PACKED = 20_000
"""Bytes above which a file is compressed."""

_TYPES = {
    "csv": "text/csv",
    "json": "application/json",
    "toml": "application/toml",
}
_PLAIN = " /?:@!$'()*,;=~{}[]|^`\\"
"""Characters that need no escape inside an attribute of a page."""


def data_link(name: str, content: str, detail: str, *, before: str = "") -> Download:
    """A file as a link that holds it, compressed where it is large.

    A file too large for any link is named without one, with the reason.

    Args:
        name: what the page calls it.
        content: what is in it.
        detail: what the page says of it.
        before: what a saved file has before its name, so that those of two benchmarks differ.
    """
    raw = content.encode()
    if len(raw) <= PACKED:
        kind = _TYPES.get(name.rpartition(".")[2], "text/plain")
        address = f"data:{kind};charset=utf-8,{quote(content, safe=_PLAIN)}"
        return Download(address, name, detail, name=before + name)
    packed = gzip.compress(raw, 9, mtime=0)
    size = quantity.size(len(packed))
    address = f"data:application/gzip;base64,{base64.b64encode(packed).decode()}"
    if len(address) > LONGEST:
        why = f"{size}: too large for a link"
        return Download("", name, why)
    note = ", ".join(part for part in (detail, f"{size} compressed") if part)
    return Download(address, f"{name}.gz", note, name=f"{before}{name}.gz")


FRONT = "front"
"""Id of the front page."""

Change = Callable[[str], str]


@dataclass(frozen=True)
class Part:
    """A page of the site on its way into the one file.

    Attributes:
        page: as the site has it.
        id: what its ids begin with.
        files: path from the site's root → link that holds the file.
    """

    page: Page
    id: str
    files: Mapping[str, Download]


def benchmark_part(page: Page, bench: BenchmarkView, name: str) -> Part:
    """The page of a benchmark, with every file of it but the figures."""
    texts = {place: record_json(record) for place, record in bench.records.items()}
    return Part(page, name, _links(page, dict(benchmark_files(bench, texts)), f"{bench.slug}."))


def _links(page: Page, contents: Mapping[str, str], before: str = "") -> dict[str, Download]:
    """The files a page offers, in its order."""
    links: dict[str, Download] = {}
    blocks = (block for section in page.sections for block in section.blocks)
    for item in (item for block in blocks if isinstance(block, Downloads) for item in block.items):
        if item.href in contents and item.href not in links:
            link = data_link(item.text, contents[item.href], item.detail, before=before)
            links[item.href] = replace(link, id=f"file-{slug(item.text)}")
    return links


def moved(part: Part, homes: Mapping[str, str]) -> Page:
    """The page as the one file has it.

    Args:
        part: the page.
        homes: path of a page or a file of the site → its id in the one file.
    """

    def name(old: str) -> str:
        return f"{part.id}-{old}"

    def link(old: str) -> str:
        path, _, place = old.partition("#")
        if old.startswith(("https://", "http://", "data:")):
            return old
        if path in part.files:
            return f"#{name(part.files[path].id)}"
        home = homes.get(path or part.page.path, "")
        return f"#{home}-{place}" if home and place else f"#{home}" if home else ""

    return replace(
        part.page.with_sections(lambda section: _section(section, part, name, link)),
        id=part.id,
        byline=relinked(part.page.byline, name=name, link=link),
        crumbs=(),
        related=(),
    )


def _section(section: Section, part: Part, name: Change, link: Change) -> Section:
    """A section as the one file has it, where each file that it offers is a link."""

    def own(item: Download) -> Download:
        file = part.files.get(item.href)
        return replace(file, id=name(file.id)) if file else relinked(item, name=name, link=link)

    blocks: list[Block] = []
    for block in section.blocks:
        if isinstance(block, Downloads):
            blocks.append(Downloads(tuple(map(own, block.items))))
        else:  # the numbers of a figure are in the files of its benchmark
            block = replace(block, downloads=()) if isinstance(block, Figure) else block
            blocks.append(relinked(block, name=name, link=link))
    return replace(relinked(section, name=name, link=link), blocks=tuple(blocks))


MARK = '<meta name="generator" content="accelreport">'
"""The mark of a file that accelreport wrote."""


def build_single(
    read: BuildInput, engines: Engines | None
) -> tuple[int, int, tuple[Unshown, ...], tuple[int, int]]:
    """Writes the one file.

    Returns:
        How many pages of the site it holds, how many files were written (1, or 0 when it was
        there already, byte for byte), what it does not show, and see `withheld_in`.

    Raises:
        AccelReportError: there is nothing to build from, another file is in the way, or the
            disk refuses.
    """
    out = read.out
    _refuse_foreign(out)
    benches = gather(read.results)
    pages, data, unshown = _rendered(read, benches, engines)
    withheld = withheld_in(benches)
    try:
        if out.is_file() and out.read_bytes() == data:
            return pages, 0, unshown, withheld
        out.parent.mkdir(parents=True, exist_ok=True)
        write_whole(out, data)
    except OSError as error:
        raise unwritable(out, error) from error
    return pages, 1, unshown, withheld


def _rendered(
    read: BuildInput, benches: Sequence[BenchmarkView], engines: Engines | None
) -> tuple[int, bytes, tuple[Unshown, ...]]:
    cache = FigureCache(read.options.cache) if read.options.cache else None
    with Drawer(cache, engines) as drawer:
        parts = _parts(read, benches)
        homes = {part.page.path: part.id for part in parts}
        homes |= {
            path: f"{part.id}-{file.id}" for part in parts for path, file in part.files.items()
        }
        pages = [moved(part, homes) for part in parts]
        for page in pages:
            drawer.expect(page)

        renderer = Renderer(drawer.svg, read.options.templates, read.facts)
        front = replace(pages[0], template="single.html", path="report.html")
        text = renderer.render(front, pages=pages, site=read.facts)
        return len(pages), text.encode(), tuple(drawer.unshown)


def _parts(read: BuildInput, benches: Sequence[BenchmarkView]) -> list[Part]:
    """The front page, each benchmark, and the other pages."""
    own = [
        benchmark_part(charted(benchmark_page(bench)), bench, f"b{number}")
        for number, bench in enumerate(benches, start=1)
    ]
    content = SiteContent(benches, read.facts, read.problems, read.others)
    files = dict(site_files(benches))
    first, *rest = [
        Part(charted(page), FRONT if page is content.front else entry.name, _links(page, files))
        for entry in PAGES
        if not entry.deck and (page := entry.make(content))
    ]
    return [first, *own, *rest]


def _refuse_foreign(out: Path) -> None:
    try:
        with out.open(encoding="utf-8", errors="replace") as file:
            ours = MARK in file.read(4096)
    except FileNotFoundError:
        return
    except OSError as error:
        raise unwritable(out, error) from error
    if not ours:
        raise foreign(out)
