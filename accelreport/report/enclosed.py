"""Pages of the site as parts of one file: ids of their own, links that stay within it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from accelreport.report.bench import Bench
from accelreport.report.data_links import data_link, figure_link
from accelreport.report.exports import bench_files, record_json, site_files
from accelreport.report.figure_files import figure_files
from accelreport.report.model import Block, Download, Downloads, Figure, Page, Section
from accelreport.report.relink import relinked
from accelreport.report.text import slug

FILES = "files"
"""Id of the section that holds the files of a page."""

Change = Callable[[str], str]


@dataclass(frozen=True)
class Part:
    """A page of the site on its way into the one file.

    Attributes:
        page: as it stands in the site.
        id: what its ids begin with.
        files: path from the site's root → link that holds the file.
    """

    page: Page
    id: str
    files: Mapping[str, Download]


def front_part(page: Page, benches: Sequence[Bench]) -> Part:
    """The front page, with the headline figures of all benchmarks."""
    return Part(page, "front", _links(page, dict(site_files(benches)), ""))


def bench_part(page: Page, bench: Bench, number: int) -> Part:
    """The page of a benchmark, with every file of it but the figures."""
    texts = {place: record_json(record) for place, record in bench.records.items()}
    return Part(page, f"b{number}", _links(page, dict(bench_files(bench, texts)), f"{bench.slug}."))


def _links(page: Page, contents: Mapping[str, str], before: str) -> dict[str, Download]:
    """The files a page offers, in its order."""
    links: dict[str, Download] = {}
    for item in _offered(page):
        if item.href in contents and item.href not in links:
            made = data_link(item.text, contents[item.href], item.detail, before=before)
            links[item.href] = replace(made, id=f"file-{slug(item.text)}")
    return links


def _offered(page: Page) -> Iterator[Download]:
    blocks = (block for section in page.sections for block in section.blocks)
    for block in blocks:
        if isinstance(block, Downloads):
            yield from block.items


def moved(part: Part, homes: Mapping[str, str]) -> Page:
    """The page as it stands in the one file.

    Args:
        part: the page.
        homes: path of a page in the site → its id in the file.
    """
    stem = part.page.path.removesuffix(".html")

    def name(old: str) -> str:
        return f"{part.id}-{old}"

    def link(old: str) -> str:
        path, _, place = old.partition("#")
        if old.startswith(("https://", "http://", "data:")):
            return old
        if path in part.files:
            return f"#{name(part.files[path].id)}"
        if path.startswith(f"{stem}/"):
            return old  # the files of figures get their links when these are drawn
        home = homes.get(path or part.page.path, "")
        return f"#{home}-{place}" if home and place else f"#{home}" if home else ""

    return replace(
        part.page,
        id=part.id,
        sections=tuple(_section(section, part, name, link) for section in part.page.sections),
        byline=relinked(part.page.byline, name=name, link=link),
        crumbs=(),
        related=(),
    )


def _section(section: Section, part: Part, name: Change, link: Change) -> Section:
    if section.id == FILES and part.files:
        items = tuple(replace(each, id=name(each.id)) for each in part.files.values())
        return Section(name(FILES), section.title, (Downloads(items),))
    return relinked(section, name=name, link=link)


def with_figure_files(page: Page, drawn: Callable[[Figure], Sequence[Markup]]) -> Page:
    """The page with each figure's files in links under it.

    Left out are the dark theme, which is the same drawing, and the specification.

    Args:
        page: a page that was moved.
        drawn: the drawings of a figure.
    """

    def each(block: Block) -> Block:
        if not isinstance(block, Figure):
            return block
        contents = dict(figure_files(block, drawn(block), _no_picture))
        links = (
            figure_link(link, str(contents[link.href]))
            for link in block.downloads
            if not link.href.endswith((".dark.svg", ".vl.json"))
        )
        return replace(block, downloads=tuple(links))

    sections = (
        replace(section, blocks=tuple(each(block) for block in section.blocks))
        for section in page.sections
    )
    return replace(page, sections=tuple(sections))


def _no_picture(svg: str) -> bytes:
    raise ValueError(f"one file holds drawings, not pictures of them: {svg[:60]}")
