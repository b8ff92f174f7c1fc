"""Putting a site together, in units: each is made, remembered and kept as a whole.

A few units ahead are being drawn while one is written.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from accelreport.errors import FIRST_STEPS, AccelReportError, Unshown
from accelreport.report.model import Page
from accelreport.report.pages.benchmark import benchmark_page
from accelreport.report.pages.registry import PAGES, SiteContent, SitePage
from accelreport.report.pages.run import cell_page
from accelreport.report.site.cache import BuildManifest, Remembered, digest
from accelreport.report.site.drawing import Drawer
from accelreport.report.site.export import (
    PREVIEW,
    benchmark_files,
    figure_files,
    preview,
    record_json,
    site_files,
)
from accelreport.report.site.options import BuildInput, ResultsSource, SiteFacts
from accelreport.report.site.output import MANIFEST, Output
from accelreport.report.site.render import Renderer
from accelreport.report.slides.benchmark import slides_page
from accelreport.report.view import BenchmarkView, cell_slug, views
from accelreport.results.versions import OtherVersions


def gather(results: ResultsSource) -> list[BenchmarkView]:
    """Every plan with its records, by the name of the spec and of the profile.

    Raises:
        AccelReportError: there is none.
    """
    plans = sorted(results.plans(), key=lambda plan: (plan.spec, plan.profile))
    if not plans:
        which = "that can be read" if results.problems else ""
        root = getattr(results, "root", None)
        absent = root is not None and not root.exists()
        raise AccelReportError(
            "There is nothing to build a report from.",
            why=f"{root} does not exist."
            if absent
            else f"The results folder holds no plan {which}".rstrip() + ".",
            remedy=f"Run `accelreport run specs/` first. Without specs, {FIRST_STEPS}.",
        )
    return views(plans, results.records())


def withheld_in(benches: Sequence[BenchmarkView]) -> tuple[int, int]:
    """How many secrets programs wrote that are not published, and in how many records."""
    records = {place: record for bench in benches for place, record in bench.records.items()}
    counts = [sum(record.withheld.values()) for record in records.values() if record.withheld]
    return sum(counts), len(counts)


RecordPlace = tuple[str, str]
"""Key and machine of a record."""


@dataclass(frozen=True)
class ContentHashes:
    """Hashes of all that benchmarks are made of, each made when it is first asked for.

    Attributes:
        benches: every benchmark by its slug.
    """

    benches: Mapping[str, BenchmarkView]
    _known: dict[str, str] = field(default_factory=dict)

    def of(self, slug: str) -> str:
        """The hash of one benchmark."""
        if slug not in self._known:
            bench = self.benches[slug]
            records = (record.model_dump_json() for record in bench.records.values())
            places = json.dumps([list(place) for place in bench.records])
            colours = json.dumps(
                [dict(bench.colours), sorted(bench.mixed), dict(bench.here)], sort_keys=True
            )
            machines = {machine for _, machine in bench.records}
            rates = json.dumps(
                sorted(pair for pair in bench.highest_tflops.items() if pair[0][0][0] in machines)
            )
            plan = bench.plan.model_dump_json()
            self._known[slug] = digest(plan, colours, rates, places, *records)
        return self._known[slug]


@dataclass(frozen=True)
class FrontUnit:
    """What is made of all benchmarks: the front page, its tables, its slides, the methods."""

    benches: Sequence[BenchmarkView]
    contents: ContentHashes
    facts: SiteFacts
    problems: Sequence[str]
    others: OtherVersions | None
    name: str = "front"

    @property
    def key(self) -> str:
        """Hash of everything it is made of."""
        hashes = (self.contents.of(bench.slug) for bench in self.benches)
        return digest(*hashes, repr(self.others), "problems", *self.problems)

    def pages(self) -> list[Page]:
        """Every page that shows times."""
        content = SiteContent(self.benches, self.facts, self.problems, self.others)
        pages = [page for entry in PAGES if entry.of_times and (page := entry.make(content))]
        return [replace(page, image=PREVIEW) if self.facts.address else page for page in pages]

    def files(self) -> Iterator[tuple[str, str]]:
        """Headline figures of all benchmarks."""
        yield from site_files(self.benches)


@dataclass(frozen=True)
class PlanUnit:
    """A page that changes with plans and surroundings, and not with times."""

    site_page: SitePage
    benches: Sequence[BenchmarkView]
    facts: SiteFacts

    @property
    def name(self) -> str:
        """Different for each unit."""
        return self.site_page.name

    @cached_property
    def _pages(self) -> list[Page]:
        page = self.site_page.make(SiteContent(self.benches, self.facts, (), None))
        return [page] if page else []

    @cached_property
    def key(self) -> str:
        """Hash of the page itself, which is made quickly because it has no charts."""
        return digest(repr(self._pages))

    def pages(self) -> list[Page]:
        """The page alone."""
        return self._pages

    def files(self) -> Iterator[tuple[str, str]]:
        """No files."""
        yield from ()


@dataclass(frozen=True)
class BenchmarkUnit:
    """A benchmark: its page, its slides, its files, and its cells.

    Attributes:
        bench: the benchmark.
        cells: record of a process that was begun → every benchmark that has it, for those whose
            first one is this.
        contents: hash of each benchmark.
    """

    bench: BenchmarkView
    cells: Mapping[RecordPlace, Sequence[BenchmarkView]]
    contents: ContentHashes
    facts: SiteFacts

    @property
    def name(self) -> str:
        """Different for each unit."""
        return f"benchmark {self.bench.slug}"

    @cached_property
    def key(self) -> str:
        """Hash of the benchmark, and of those it shares cells with."""
        others = {owner.slug for owners in self.cells.values() for owner in owners}
        return digest(*(self.contents.of(slug) for slug in (self.bench.slug, *sorted(others))))

    def pages(self) -> list[Page]:
        """Pages of cells first, which have no charts: the others are still being drawn."""
        page = benchmark_page(self.bench)
        if self.facts.address:
            page = replace(page, image=f"preview/{self.bench.slug}.png")
        pages = [
            replace(
                cell_page(self.bench, self.bench.records[place], place[1], owners),
                image=page.image,
            )
            for place, owners in self.cells.items()
        ]
        pages.append(page)
        if page.related:
            pages.append(slides_page(self.bench, page))
        return pages

    def files(self) -> Iterator[tuple[str, str]]:
        """Every number as CSV and JSON."""
        texts = {place: record_json(record) for place, record in self.bench.records.items()}
        for place in self.cells:
            yield f"cells/{cell_slug(*place)}.json", texts[place] + "\n"
        yield from benchmark_files(self.bench, texts)


Unit = BenchmarkUnit | PlanUnit | FrontUnit
"""Pages and files that are made of the same things."""


def site_units(
    benches: Sequence[BenchmarkView],
    facts: SiteFacts,
    problems: Sequence[str],
    others: OtherVersions | None,
) -> list[Unit]:
    """The units of a site, the front page last."""
    contents = ContentHashes({bench.slug: bench for bench in benches})
    owners: dict[RecordPlace, list[BenchmarkView]] = {}
    for bench in benches:
        for place in bench.records:
            owners.setdefault(place, []).append(bench)
    units: list[Unit] = []
    for bench in benches:
        cells = {
            place: owners[place]
            for place, record in bench.records.items()
            # Of a skipped cell there is only the reason, which the benchmark's page says.
            if record.status != "skipped" and owners[place][0] is bench
        }
        units.append(BenchmarkUnit(bench, cells, contents, facts))
    units += [PlanUnit(entry, benches, facts) for entry in PAGES if not entry.of_times]
    units.append(FrontUnit(benches, contents, facts, problems, others))
    return units


Files = list[tuple[str, str]]


def _content(unit: Unit) -> tuple[list[Page], Files]:
    """A unit's pages and files; an error of ours says which unit it is about."""
    try:
        return [charted(page) for page in unit.pages()], list(unit.files())
    except Exception as error:
        error.add_note(f"while making {unit.name}")
        raise


def charted(page: Page) -> Page:
    """The page with its charts made, so that an error in one of them is raised here."""
    for _, drawing in page.drawings:
        _ = drawing.spec
    return page


AHEAD = 6
"""Units whose drawings are asked for before the first of them is written."""


@dataclass(frozen=True)
class AssembledSite:
    """What was made.

    Attributes:
        pages: HTML pages of the site.
        written: files that are new or changed.
        units: how each unit was left, but for those that lack a figure.
        unshown: the figures that could not be drawn.
        withheld: see `withheld_in`.
    """

    pages: int
    written: int
    units: dict[str, Remembered]
    unshown: tuple[Unshown, ...]
    withheld: tuple[int, int] = (0, 0)


def assemble(
    read: BuildInput, drawer: Drawer, memory: BuildManifest | None, base: str
) -> AssembledSite:
    """Makes every unit that is not there already, and puts all of them in place.

    Args:
        read: what the site is made of.
        drawer: what draws its charts.
        memory: what earlier builds left there.
        base: the fingerprint of everything but the results.

    Raises:
        AccelReportError: there is nothing to build from, or the folder refuses.
    """
    with Output(read.out) as output:
        benches = gather(read.results)
        site = _Site(read, drawer, output, memory, base)
        for unit in site_units(benches, read.facts, read.problems, read.others):
            site.take(unit)
        return replace(site.finish(), withheld=withheld_in(benches))


class _Site:
    """Units on their way to the output folder."""

    def __init__(
        self,
        read: BuildInput,
        drawer: Drawer,
        output: Output,
        memory: BuildManifest | None,
        base: str,
    ) -> None:
        self.drawer, self.output = drawer, output
        self.memory, self.base = memory, base
        self.renderer = Renderer(drawer.svg, read.options.templates, read.facts)
        self.facts = read.facts
        self._window: deque[tuple[Unit, list[Page], Files]] = deque()
        self._left: dict[str, tuple[str, int, list[str]]] = {}
        self._lacking: set[str] = set()
        """Units that lack a figure, which the next build makes again."""

    def take(self, unit: Unit) -> None:
        """Keeps an unchanged unit; else asks for its drawings, and writes an earlier unit."""
        if self.memory and self._kept(unit, self.memory):
            return
        pages, files = _content(unit)
        for page in pages:
            self.drawer.expect(page)
        self._window.append((unit, pages, files))
        if len(self._window) > AHEAD:
            self._write(*self._window.popleft())

    def _kept(self, unit: Unit, memory: BuildManifest) -> bool:
        key = digest(self.base, unit.key)
        left = memory.kept(unit.name, key)
        if left is None or not all(self.output.owns(path) for path in left.files):
            return False
        for path in left.files:
            self.output.keep(path)
        self._left[unit.name] = (key, left.pages, list(left.files))
        return True

    def _write(self, unit: Unit, pages: list[Page], files: Files) -> None:
        lacked = len(self.drawer.unshown)
        paths = []
        for path, content in files:
            self.output.add(path, content)
            paths.append(path)
        for page in pages:
            self.output.add(page.path, self.renderer.render(page, site=self.facts))
            paths.append(page.path)
            for path, picture in self._beside(page):
                if path not in paths:
                    self.output.add(path, picture)
                    paths.append(path)
        if len(self.drawer.unshown) > lacked:
            self._lacking.add(unit.name)
        remembered = self.memory and unit.name not in self._lacking
        key = digest(self.base, unit.key) if remembered else ""
        self._left[unit.name] = (key, len(pages), paths)

    def _beside(self, page: Page) -> Iterator[tuple[str, str | bytes]]:
        """Files of a page's figures, and its picture for link previews."""
        for figure in page.figures:
            if figure.downloads:
                drawn = [self.drawer.svg(drawing) for drawing in figure.drawings]
                yield from figure_files(figure, drawn)
        if page.image and page.template in {"benchmark.html", "index.html"}:
            of = f"{page.path}: the preview"
            shared = next((figure.shared for figure in page.figures if figure.shared), None)
            picture = (self.drawer.svg(shared), shared.title) if shared else ("",)
            yield page.image, self.drawer.png(preview(page, self.facts, *picture), scale=1.0, of=of)

    def finish(self) -> AssembledSite:
        """Writes the units that still wait, and puts everything in place."""
        while self._window:
            self._write(*self._window.popleft())
        written = self.output.finish()
        pages = sum(pages for _, pages, _ in self._left.values())
        units = {}
        if self.memory:
            self._left["list of files"] = ("", 0, [MANIFEST])
            units = {
                name: self.memory.left(*left)
                for name, left in self._left.items()
                if name not in self._lacking
            }
        return AssembledSite(pages, written, units, tuple(self.drawer.unshown))
