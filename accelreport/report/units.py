"""A site in units that are made, remembered and left alone as a whole."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Protocol

from accelreport.report.bench import Bench, cell_slug
from accelreport.report.embed import embed_pages
from accelreport.report.exports import bench_files, record_json, site_files
from accelreport.report.facts import SiteFacts
from accelreport.report.feed import FEED, feed
from accelreport.report.fingerprint import digest
from accelreport.report.model import Download, Page
from accelreport.report.pages.benchmark import benchmark_page
from accelreport.report.pages.cell import cell_page
from accelreport.report.pages.deck import DECK, deck_page
from accelreport.report.pages.devices import devices_page
from accelreport.report.pages.index import index_page
from accelreport.report.pages.machines import machines_page
from accelreport.report.pages.methods import methods_page
from accelreport.report.pages.slides import slides_page
from accelreport.report.preview import PREVIEW

Place = tuple[str, str]
"""Key and machine of a record."""


class Unit(Protocol):
    """Pages and files that are made of the same things."""

    @property
    def name(self) -> str:
        """Different for each unit of a site."""

    @property
    def key(self) -> str:
        """Hash of everything it is made of, but for code, templates and options."""

    def pages(self) -> list[Page]:
        """Its pages."""

    def files(self) -> Iterator[tuple[str, str]]:
        """Its other files, by their paths."""


@dataclass(frozen=True)
class Contents:
    """Hashes of all that benchmarks are made of, each made when it is first asked for.

    Attributes:
        benches: every benchmark by its slug.
    """

    benches: Mapping[str, Bench]
    _known: dict[str, str] = field(default_factory=dict)

    def of(self, slug: str) -> str:
        """The hash of one benchmark."""
        if slug not in self._known:
            bench = self.benches[slug]
            records = (record.model_dump_json() for record in bench.records.values())
            places = json.dumps([list(place) for place in bench.records])
            colours = json.dumps(dict(bench.colours), sort_keys=True)
            plan = bench.plan.model_dump_json()
            self._known[slug] = digest(plan, colours, places, *records)
        return self._known[slug]


@dataclass(frozen=True)
class FrontUnit:
    """What is made of all benchmarks: the front page, its slides, how numbers are made."""

    benches: Sequence[Bench]
    contents: Contents
    facts: SiteFacts
    problems: Sequence[str]
    name: str = "front"

    @property
    def key(self) -> str:
        """Hash of everything it is made of."""
        hashes = (self.contents.of(bench.slug) for bench in self.benches)
        return digest(*hashes, "problems", *self.problems)

    def pages(self) -> list[Page]:
        """The front page, its slides and the methods."""
        front = index_page(self.benches, self.facts.title, self.problems)
        deck = deck_page(self.benches, front)
        links = [Download(DECK, "Slides")]
        rest = [methods_page()]
        side_by_side = machines_page(self.benches)
        if side_by_side is not None:
            links.append(Download(side_by_side.path, side_by_side.title))
            rest.append(side_by_side)
        pages = [replace(front, related=(*front.related, *links)), deck, *rest]
        return [replace(page, image=PREVIEW) if self.facts.address else page for page in pages]

    def files(self) -> Iterator[tuple[str, str]]:
        """Headline figures of all benchmarks."""
        yield from site_files(self.benches)
        if self.facts.address:
            yield FEED, feed(self.benches, self.facts)


@dataclass(frozen=True)
class DevicesUnit:
    """The inventory, which changes with plans and surroundings, and not with times."""

    benches: Sequence[Bench]
    facts: SiteFacts
    name: str = "devices"

    @cached_property
    def _page(self) -> Page:
        page = devices_page(self.benches)
        return replace(page, image="preview/devices.png") if self.facts.address else page

    @cached_property
    def key(self) -> str:
        """Hash of what the page says: it is made in no time, since it has no charts."""
        return digest(repr(self._page))

    def pages(self) -> list[Page]:
        """The page alone."""
        return [self._page]

    def files(self) -> Iterator[tuple[str, str]]:
        """None."""
        yield from ()


@dataclass(frozen=True)
class BenchUnit:
    """A benchmark: its page, its slides, its files, and its cells.

    Attributes:
        bench: the benchmark.
        cells: record → every benchmark that has it, for those whose first one is this.
        contents: hash of each benchmark.
    """

    bench: Bench
    cells: Mapping[Place, Sequence[Bench]]
    contents: Contents
    facts: SiteFacts

    @property
    def name(self) -> str:
        """Different for each unit."""
        return f"benchmark {self.bench.slug}"

    @cached_property
    def key(self) -> str:
        """Hash of the benchmark, and of those it shares cells with."""
        others = {each.slug for owners in self.cells.values() for each in owners}
        return digest(*(self.contents.of(slug) for slug in (self.bench.slug, *sorted(others))))

    def pages(self) -> list[Page]:
        """Pages of cells first, which have no charts: the others are still being drawn."""
        page = benchmark_page(self.bench, self.facts)
        if self.facts.address:
            page = replace(page, image=f"preview/{self.bench.slug}.png")
        found = [
            replace(
                cell_page(self.bench, self.bench.records[place], place[1], owners),
                image=page.image,
            )
            for place, owners in self.cells.items()
        ]
        found += [page, *embed_pages(page)]
        return [*found, slides_page(self.bench, page)] if self.bench.shown_series else found

    def files(self) -> Iterator[tuple[str, str]]:
        """Every number as CSV and JSON."""
        texts = {place: record_json(record) for place, record in self.bench.records.items()}
        for place in self.cells:
            yield f"cells/{cell_slug(*place)}.json", texts[place] + "\n"
        yield from bench_files(self.bench, texts)


def units_of(benches: Sequence[Bench], facts: SiteFacts, problems: Sequence[str]) -> list[Unit]:
    """The units of a site, the front page last."""
    contents = Contents({bench.slug: bench for bench in benches})
    owners: dict[Place, list[Bench]] = {}
    for bench in benches:
        for place in bench.records:
            owners.setdefault(place, []).append(bench)
    units: list[Unit] = []
    for bench in benches:
        cells = {place: owners[place] for place in bench.records if owners[place][0] is bench}
        units.append(BenchUnit(bench, cells, contents, facts))
    units.append(DevicesUnit(benches, facts))
    units.append(FrontUnit(benches, contents, facts, problems))
    return units
