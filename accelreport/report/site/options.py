"""What a person may choose of a build, and what a build and every page say of themselves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol
from urllib.parse import urlsplit

from accelreport.atomic import cache_folder
from accelreport.errors import AccelReportError, ExitCode, Unshown
from accelreport.report.text import clean, label
from accelreport.results.plan_document import PlanDocument
from accelreport.results.privacy import without_names
from accelreport.results.record import Record
from accelreport.results.versions import OtherVersions

PACKAGED = Path(__file__).parents[2] / "_templates"
"""Templates as the wheel ships them."""
CHECKOUT = Path(__file__).parents[3] / "templates"
"""Templates of a checkout."""


def report_cache() -> Path:
    """The folder builds remember things in: `ACCELREPORT_CACHE`, or one of the platform's."""
    return cache_folder("report")


class ResultsSource(Protocol):
    """Plans and records; `accelreport.results.store.Store` is one."""

    @property
    def problems(self) -> Sequence[object]:
        """Files that could not be read, each with a sentence as its text."""

    def records(self) -> Iterable[Record]:
        """Every record that can be read."""

    def plans(self) -> Sequence[PlanDocument]:
        """Every plan that can be read."""


Theme = Literal["auto", "light", "dark"]


@dataclass(frozen=True)
class BuildOptions:
    """What a person may choose.

    Attributes:
        title: the site's name, at the top of every page.
        templates: a folder whose templates replace ours, file by file.
        base_url: where the site will be published.
        theme: the colours until a reader chooses.
        single_file: whether everything goes into one HTML file.
        cache: folder in which builds remember what they made; None to remember nothing.
        chips: address of the ranked pages that the front page leads to; empty where there are none.
    """

    title: str = "Accelerator benchmarks"
    templates: Path | None = None
    base_url: str = ""
    theme: Theme = "auto"
    cache: Path | None = None
    single_file: bool = False
    chips: str = ""


@dataclass(frozen=True)
class BuildResult:
    """What was built.

    Attributes:
        pages: number of HTML pages.
        written: files that are new or changed.
        index: the page to open.
        seconds: how long it took.
        unshown: what no page shows although it was asked for.
        others: what was measured of other versions of the specs and is not shown.
        withheld: how many secrets programs wrote that no page shows, and in how many records.
    """

    pages: int
    written: int
    index: Path
    seconds: float
    unshown: tuple[Unshown, ...] = ()
    others: OtherVersions | None = None
    withheld: tuple[int, int] = (0, 0)


class OptionError(AccelReportError):
    """A choice cannot be used."""

    exit_code = ExitCode.USAGE


@dataclass(frozen=True)
class SiteFacts:
    """What every page says of the site.

    Attributes:
        title: its name.
        address: where it will be published, ending with "/"; empty when that is not known.
        theme: "auto", "light" or "dark": the colours until a reader chooses.
        chips: address of the ranked pages that the front page leads to; empty where there are none.
    """

    title: str
    address: str = ""
    theme: str = "auto"
    chips: str = ""


RANKED_TITLE = "Two networks, every chip"
"""What the pages of `accelreport rank` are called."""

NO_FACTS = SiteFacts("")


def facts_of(options: BuildOptions) -> SiteFacts:
    """What the pages say, from what a person chose.

    Raises:
        AccelReportError: a choice cannot be used.
    """
    if options.templates is not None and not options.templates.is_dir():
        raise OptionError(
            f"{options.templates} is not a folder of templates.",
            remedy="Name a folder that holds copies of the templates you want to change.",
        )
    return SiteFacts(
        title=label(options.title),
        address=_address(options.base_url) if options.base_url else "",
        theme=options.theme,
        chips=options.chips,
    )


def _address(text: str) -> str:
    try:
        parts = urlsplit(text)
        usable = parts.scheme in {"http", "https"} and parts.hostname and parts.username is None
    except ValueError:
        parts, usable = urlsplit(""), None
    odd = clean(text) != text or any(letter in " \t\n\"'<>\\" for letter in text)
    if not usable or odd or parts.query or parts.fragment:
        raise OptionError(
            f"{label(text)} cannot be the address of a site.",
            remedy="Give the address of its folder, such as https://example.org/report/.",
        )
    return text if text.endswith("/") else f"{text}/"


@dataclass(frozen=True)
class BuildInput:
    """What one build is made of, and where it is written.

    Attributes:
        results: the results folder.
        out: the output folder, or the one file.
        options: what a person chose.
        facts: what every page says of the site.
        others: what was measured of other versions of the specs and is not shown.
    """

    results: ResultsSource
    out: Path
    options: BuildOptions
    facts: SiteFacts
    others: OtherVersions | None

    @property
    def problems(self) -> list[str]:
        """Files that could not be read, without names of people and hosts."""
        return [without_names(str(problem)) for problem in self.results.problems]
