"""Putting a site together, in units that are made, remembered and left alone as a whole.

A few units ahead are being drawn while one is written.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import islice
from typing import TypeVar

from accelreport.errors import FIRST_STEPS, AccelReportError, ExitCode, Unshown
from accelreport.report.model import Download, Note, Notes, Page, Section
from accelreport.report.pages.benchmark import benchmark_page
from accelreport.report.pages.registry import PAGES, SiteContent, SitePage
from accelreport.report.pages.run import cell_page
from accelreport.report.site.cache import BuildManifest, Remembered, digest
from accelreport.report.site.drawing import Drawer
from accelreport.report.site.export import (
    FEED,
    PREVIEW,
    benchmark_files,
    embed_pages,
    feed,
    figure_files,
    figure_svg,
    preview,
    record_json,
    site_files,
)
from accelreport.report.site.options import BuildInput, ResultsSource, SiteFacts
from accelreport.report.site.output import MANIFEST, Output
from accelreport.report.site.render import Renderer
from accelreport.report.slides.benchmark import slides_page
from accelreport.report.text import label
from accelreport.report.view import BenchmarkView, cell_slug, views
from accelreport.results.privacy import without_names
from accelreport.results.versions import OtherVersions


def gather(results: ResultsSource) -> list[BenchmarkView]:
    """Every plan with its records, by the name of the spec and of the profile.

    Raises:
        AccelReportError: there is none.
    """
    plans = sorted(results.plans(), key=lambda plan: (plan.spec, plan.profile))
    if not plans:
        which = "that can be read" if results.problems else ""
        raise AccelReportError(
            "There is nothing to build a report from.",
            why=f"The results folder holds no plan {which}".rstrip() + ".",
            remedy=f"Run `accelreport run specs/` first. Without specs, {FIRST_STEPS}.",
        )
    return views(plans, results.records())


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
            colours = json.dumps(dict(bench.colours), sort_keys=True)
            machines = {machine for _, machine in bench.records}
            rates = json.dumps({name: bench.highest_tflops.get(name) for name in sorted(machines)})
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
        if self.facts.address:
            yield FEED, feed(self.benches, self.facts)


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
        image = f"preview/{self.name}.png" if self.facts.address else ""
        return [replace(page, image=image)] if page else []

    @cached_property
    def key(self) -> str:
        """Hash of what the page says: it is made in no time, since it has no charts."""
        return digest(repr(self._pages))

    def pages(self) -> list[Page]:
        """The page alone."""
        return self._pages

    def files(self) -> Iterator[tuple[str, str]]:
        """None."""
        yield from ()


@dataclass(frozen=True)
class BenchmarkUnit:
    """A benchmark: its page, its slides, its files, and its cells.

    Attributes:
        bench: the benchmark.
        cells: record → every benchmark that has it, for those whose first one is this.
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

    def of(self, some: BenchmarkView) -> BenchmarkUnit:
        """The same with only some of its records."""
        cells = {place: own for place, own in self.cells.items() if place in some.records}
        return replace(self, bench=some, cells=cells)

    def pages(self) -> list[Page]:
        """Pages of cells first, which have no charts: the others are still being drawn."""
        page = benchmark_page(self.bench, self.facts)
        if self.facts.address:
            page = replace(page, image=f"preview/{self.bench.slug}.png")
        pages = [
            replace(
                cell_page(self.bench, self.bench.records[place], place[1], owners),
                image=page.image,
            )
            for place, owners in self.cells.items()
        ]
        pages += [page, *embed_pages(page)]
        if page.related:
            pages.append(slides_page(self.bench, page, self.facts.talk))
        return pages

    def files(self) -> Iterator[tuple[str, str]]:
        """Every number as CSV and JSON."""
        texts = {place: record_json(record) for place, record in self.bench.records.items()}
        for place in self.cells:
            yield f"cells/{cell_slug(*place)}.json", texts[place] + "\n"
        yield from benchmark_files(self.bench, texts)


Shared = TypeVar("Shared")


def unforeseen(path: str, what: str, error: Exception) -> Unshown:
    """What is told of a benchmark, or of one record of it, that a page could not be made of."""
    why = f"{type(error).__name__}: {label(without_names(str(error)), 300)}"
    return Unshown(f"{path}: {what} cannot be shown", why, ExitCode.NOT_SHOWN, error)


MOST_SET_ASIDE = 20
"""Records that are set aside of one benchmark; where there are more, the fault is another."""


def shown_part(
    make: Callable[[BenchmarkView], Shared],
    bench: BenchmarkView,
    path: str,
    unshown: list[Unshown],
) -> tuple[BenchmarkView, Shared] | None:
    """What is made of a benchmark, or of the records of which, each alone, it can be made.

    Args:
        make: makes it.
        bench: the benchmark.
        path: the page.
        unshown: where the records are told without which it was made, or the benchmark.

    Returns:
        The benchmark as far as it is shown, and what was made; None where it cannot be.
    """

    def error_with(*places: RecordPlace) -> Exception | None:
        try:
            make(replace(bench, records={place: bench.records[place] for place in places}))
        except Exception as error:
            return error
        return None

    def failing(places: Sequence[RecordPlace]) -> Iterator[tuple[RecordPlace, Exception]]:
        """The records of these that make it fail, each alone; half of them at a time."""
        if error := error_with(*places):
            half = len(places) // 2
            if half:
                yield from failing(places[:half])
                yield from failing(places[half:])
            else:
                yield places[0], error

    try:
        return bench, make(bench)
    except AccelReportError:
        raise
    except Exception as error:
        whole = unforeseen(path, f"what was measured for {label(bench.plan.spec)}", error)
    every = list(bench.records) if not error_with() else []
    wrong = dict(islice(failing(every), MOST_SET_ASIDE + 1)) if every else {}
    left = {place: record for place, record in bench.records.items() if place not in wrong}
    if left and 0 < len(wrong) <= MOST_SET_ASIDE and not error_with(*left):
        unshown += [
            unforeseen(path, f"the record {key}.{machine}.json", cause)
            for (key, machine), cause in wrong.items()
        ]
        some = replace(bench, records=left)
        return some, make(some)
    unshown.append(whole)
    return None


def page_instead(bench: BenchmarkView, unshown: Unshown) -> Page:
    """The page of a benchmark that could not be made: which, why, and what to do."""
    note = Note(
        f"The page of {label(bench.plan.spec)} could not be made.",
        f"Making it ended with {unshown.why}. Everything else was built.",
        remedy="Its records are whole. Please report this, with what `accelreport --debug build` "
        "prints.",
        tone="bad",
    )
    title = label(bench.plan.title)
    return Page(
        path=f"{bench.slug}.html",
        title=title,
        kicker="benchmark",
        finding="This page could not be made.",
        description=f"{title}: the page could not be made.",
        sections=(Section("unshown", "What could not be shown", (Notes((note,)),)),),
        template="article.html",
        crumbs=(Download("index.html", "All benchmarks"),),
    )


def of_all(
    make: Callable[[Sequence[BenchmarkView]], Shared],
    benches: Sequence[BenchmarkView],
    path: str,
    unshown: list[Unshown],
) -> Shared:
    """What is made of all benchmarks, or of those of which, each alone, it can be made.

    Args:
        make: makes it.
        benches: all.
        path: the page.
        unshown: where those are told that it could not be made of.
    """
    try:
        return make(benches)
    except AccelReportError:
        raise
    except Exception:
        before = len(unshown)
        parts = (shown_part(lambda one: make([one]), bench, path, unshown) for bench in benches)
        sound = [part[0] for part in parts if part]
        if not sound or len(unshown) == before:
            raise
        return make(sound)


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
        cells = {place: owners[place] for place in bench.records if owners[place][0] is bench}
        units.append(BenchmarkUnit(bench, cells, contents, facts))
    units += [PlanUnit(entry, benches, facts) for entry in PAGES if not entry.of_times]
    units.append(FrontUnit(benches, contents, facts, problems, others))
    return units


Files = list[tuple[str, str]]


def _charted(unit: Unit) -> tuple[list[Page], Files]:
    return [charted(page) for page in unit.pages()], list(unit.files())


def charted(page: Page) -> Page:
    """The page, all charts of which are made: one that cannot be is the fault of what made it."""
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
        units: how each unit was left, but for those that show less than they should.
        unshown: what those do not show.
    """

    pages: int
    written: int
    units: dict[str, Remembered]
    unshown: tuple[Unshown, ...]


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
        return site.finish()


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
        self.unshown: list[Unshown] = []
        self._left: dict[str, tuple[str, int, list[str]]] = {}
        self._shown: dict[str, BenchmarkView] = {}
        """Benchmarks by their slug, as far as they are shown."""
        self._lacking: set[str] = set()
        """Units that show less than they should, which the next build makes again."""

    def take(self, unit: Unit) -> None:
        """Leaves a unit where it is, or asks for its drawings and writes an earlier one."""
        if self.memory and self._kept(unit, self.memory):
            return
        lacked = len(self.unshown)
        pages, files = self._content(unit)
        if len(self.unshown) > lacked:
            self._lacking.add(unit.name)
        for page in pages:
            self.drawer.expect(page)
        self._window.append((unit, pages, files))
        if len(self._window) > AHEAD:
            self._write(*self._window.popleft())

    def _content(self, unit: Unit) -> tuple[list[Page], Files]:
        """Pages and files of a unit, or of what can be made of it."""
        if isinstance(unit, BenchmarkUnit):
            path = f"{unit.bench.slug}.html"
            shown = shown_part(lambda some: _charted(unit.of(some)), unit.bench, path, self.unshown)
            if shown is None:
                return [page_instead(unit.bench, self.unshown[-1])], []
            self._shown[unit.bench.slug], pages_and_files = shown
            return pages_and_files

        def content_of(benches: Sequence[BenchmarkView]) -> tuple[list[Page], Files]:
            if isinstance(unit, FrontUnit):
                problems = [*unit.problems, *map(str, self.unshown)]
                return _charted(replace(unit, benches=benches, problems=problems))
            return _charted(replace(unit, benches=benches))

        benches = [self._shown.get(bench.slug, bench) for bench in unit.benches]
        return of_all(content_of, benches, f"the page “{unit.name}”", self.unshown)

    def _kept(self, unit: Unit, memory: BuildManifest) -> bool:
        try:
            key = digest(self.base, unit.key)
        except Exception:
            self._lacking.add(unit.name)
            return False
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
        first = ""
        for figure in page.figures:
            if figure.downloads:
                drawn = [self.drawer.svg(drawing) for drawing in figure.drawings]
                first = first or figure_svg(figure, drawn, dark=False)
                of = f"{page.path}: the figure “{figure.title}”"
                yield from figure_files(figure, drawn, partial(self.drawer.png, of=of))
        if page.image and page.template in {"article.html", "benchmark.html", "index.html"}:
            of = f"{page.path}: the preview"
            yield page.image, self.drawer.png(preview(page, self.facts, first), scale=1.0, of=of)

    def finish(self) -> AssembledSite:
        """Writes what still waits, and puts everything in place."""
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
        return AssembledSite(pages, written, units, (*self.unshown, *self.drawer.unshown))
