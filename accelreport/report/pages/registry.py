"""The pages that a site has once: the only list of them.

Navigation, assembly, the single file and the golden screenshots follow from it. A benchmark
and a cell have pages of their own beside these.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import PurePosixPath

from accelreport.report.model import Download, Page
from accelreport.report.pages.benchmarks import benchmarks_page
from accelreport.report.pages.ceilings import ceilings_page
from accelreport.report.pages.data import data_page
from accelreport.report.pages.devices import devices_page
from accelreport.report.pages.index import index_page
from accelreport.report.pages.machines import machines_page
from accelreport.report.pages.methods import methods_page
from accelreport.report.pages.sections.claims import claims_page
from accelreport.report.site.options import RANKED_TITLE, SiteFacts
from accelreport.report.slides.site import deck_page
from accelreport.report.view import BenchmarkView
from accelreport.results.versions import OtherVersions


@dataclass(frozen=True)
class SiteContent:
    """What the pages of a site are made of.

    Attributes:
        benches: every benchmark.
        facts: what every page says of the site.
        problems: a sentence for each result file that could not be read.
        others: what was measured of other versions of the specs and is not shown.
    """

    benches: Sequence[BenchmarkView]
    facts: SiteFacts
    problems: Sequence[str]
    others: OtherVersions | None

    @cached_property
    def machines(self) -> Page | None:
        """The machines side by side, if a device was measured on several."""
        return machines_page(self.benches)

    @cached_property
    def front(self) -> Page:
        """The front page, which alone leads to the comparison of machines and to ranked chips."""
        page = index_page(self.benches, self.facts.title, self.problems, self.others)
        beside = [Download(page.path, page.title) for page in (self.machines,) if page]
        beside += [Download(self.facts.chips, RANKED_TITLE)] if self.facts.chips else []
        return replace(page, related=tuple(beside))


@dataclass(frozen=True)
class SitePage:
    """A page of the site.

    Attributes:
        path: its file in the site's root.
        make: makes it; None where the site has no such page.
        link: what the navigation of every page calls it; empty where it does not lead there. A page
            with a link is always there, because the page of a cell does not change with others.
        of_times: whether it shows what was measured, or only plans, hardware and software.
        deck: whether it is slides, which the single file leaves out.
    """

    path: str
    make: Callable[[SiteContent], Page | None]
    link: str = ""
    of_times: bool = True
    deck: bool = False

    @property
    def name(self) -> str:
        """Its file without the suffix."""
        return PurePosixPath(self.path).stem


PAGES = (
    SitePage(
        "index.html",
        lambda content: content.front,
    ),
    SitePage(
        "benchmarks.html",
        lambda content: benchmarks_page(content.benches),
        "Benchmarks",
    ),
    SitePage(
        "ceilings.html",
        lambda content: ceilings_page(content.benches),
        "Hardware use",
    ),
    SitePage(
        "claims.html",
        lambda content: claims_page(content.benches),
        "Claims",
    ),
    SitePage(
        "devices.html",
        lambda content: devices_page(content.benches),
        "Devices",
        of_times=False,
    ),
    SitePage(
        "slides.html",
        lambda content: deck_page(content.benches, content.front),
        "Slides",
        deck=True,
    ),
    SitePage(
        "data.html",
        lambda content: data_page(content.benches),
        "Data",
    ),
    SitePage(
        "compare.html",
        lambda content: content.machines,
    ),
    SitePage(
        "methods.html",
        lambda _: methods_page(),
        "Methods",
    ),
)
"""Every page, in the order of the navigation."""

NAVIGATION = tuple(page for page in PAGES if page.link)
"""What the navigation of every page leads to."""
