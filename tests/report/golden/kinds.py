"""Which pages are photographed, in which forms, and the sites they are taken from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from accelreport.report.pages.compare import comparison_html
from accelreport.report.pages.registry import PAGES
from accelreport.report.site.options import BuildOptions
from tests.report.scenarios import (
    Results,
    driven_study,
    observed,
    ordinary,
    two_runs,
)
from tests.support.records import study
from tests.support.sites import build

IMAGES = Path(__file__).with_name("images")
"""Where the golden screenshots are kept."""

SiteName = Literal["ordinary", "small", "single", "runs", "frameworks"]


@dataclass(frozen=True)
class Form:
    """A way to look at a page.

    Attributes:
        name: as in the name of the golden.
        width: of the window, in CSS px.
        height: of the window, in CSS px.
        scheme: the colours that the system asks for.
        media: screen or paper.
        most: how much of the page is photographed, in CSS px from the top.
    """

    name: str
    width: int
    height: int = 900
    scheme: Literal["light", "dark"] = "light"
    media: Literal["screen", "print"] = "screen"
    most: int = 3000


FORMS = (
    Form("light", 1280),
    Form("dark", 1280, scheme="dark"),
    Form("phone", 390),
    # 180 mm lie between the margins of a sheet of A4, and 263 mm above one another, twice.
    Form("print", 725, media="print", most=1988),
)


@dataclass(frozen=True)
class Kind:
    """A kind of page.

    Attributes:
        name: as in the name of the golden.
        site: the site it is taken from.
        path: its file in that site; a cell's page is found by `cell_page`.
        start: identity of the element that the photograph begins at; the page's top if empty.
        height: of the window where the form says nothing better, in CSS px.
        deck: whether it is slides, which have a paper of their own.
    """

    name: str
    site: SiteName
    path: str
    start: str = ""
    height: int = 900
    deck: bool = False

    def seen_as(self, form: Form) -> Form:
        """The form as it is for this kind: three slides of 320 mm × 180 mm on paper."""
        return replace(form, width=1210, most=2041) if self.deck and form.media == "print" else form


SWEEP = "mnist_batch_sweep.full"

KINDS = (
    *(
        Kind("site-slides", "ordinary", each.path, height=720, deck=True)
        if each.deck
        else Kind(each.name, "small" if each.name == "compare" else "ordinary", each.path)
        for each in PAGES
    ),
    Kind("training", "ordinary", f"{SWEEP}.html"),
    Kind("training-figures", "ordinary", f"{SWEEP}.html", start="times"),
    Kind("training-evidence", "ordinary", f"{SWEEP}.html", start="published"),
    Kind("product", "ordinary", "matmul.full.html"),
    Kind("observed", "small", "example_training.full.html", start="model"),
    Kind("cell", "ordinary", "cells"),
    Kind("two-runs", "runs", "comparison.html"),
    Kind("frameworks", "frameworks", "example_training.full.html"),
    Kind("slides", "ordinary", f"{SWEEP}.slides.html", height=720, deck=True),
    Kind("single", "single", "report.html"),
)
"""Every kind of page; those that a site has once are of the registry."""


def golden_of(kind: Kind, form: Form) -> Path:
    """The file of a golden screenshot."""
    return IMAGES / f"{kind.name}.{form.name}.png"


def small() -> Results:
    """A kernel on two machines, and a training with all that is observed of a model."""
    here = study("matmul", spec="k", repeats=4)
    there = study(
        "matmul", spec="k", repeats=4, machine="ffffffff", seed=7, factors={"cpu": 2.0}
    )  # fmt: skip
    both = replace(here, records=here.records + there.records)
    return Results((both, *observed().studies))


def build_sites(folder: Path, *, ordinary_site: Path | None = None) -> dict[SiteName, Path]:
    """Builds the sites that the pages are taken from.

    Args:
        folder: where they are built.
        ordinary_site: the site of `scenarios.ordinary`, where it was built already.

    Returns:
        The folder of each site.
    """
    if ordinary_site is None:
        ordinary_site = folder / "ordinary"
        build(ordinary(), ordinary_site)
    build(small(), folder / "small", options=BuildOptions(base_url="https://example.org/"))
    single = BuildOptions(single_file=True)
    build(small(), folder / "single" / "report.html", options=single)
    (folder / "runs").mkdir()
    html = comparison_html(two_runs(gate=0.05))
    (folder / "runs" / "comparison.html").write_text(html, encoding="utf-8")
    ways = driven_study(Graph={}, Compiled={"xla": True}, Eager={"eager": True})
    build(Results((ways,)), folder / "frameworks")
    built: tuple[SiteName, ...] = ("small", "single", "runs", "frameworks")
    return {"ordinary": ordinary_site, **{name: folder / name for name in built}}


def page_of(kind: Kind, sites: dict[SiteName, Path]) -> Path:
    """The file of a kind of page."""
    path = sites[kind.site] / kind.path
    return _cell_page(path) if path.is_dir() else path


def _cell_page(cells: Path) -> Path:
    """The page of a process that did not end well, which has more to say than others."""
    record = next(r for r in ordinary().studies[0].records if r.status == "partial")
    (found,) = cells.glob(f"{record.key}.*.html")
    return found
