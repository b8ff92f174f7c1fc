"""`accelreport.build`: what the command of that name does, for programs and notebooks."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from accelreport.report.site import builder
from accelreport.report.site.options import report_cache
from accelreport.results.store import Store
from accelreport.runner.plan_documents import choose, refresh
from accelreport.spec.models import NO_TALK
from accelreport.spec.report_file import talk_of


def build(
    results: str | Path = "results",
    out: str | Path | None = None,
    *,
    specs: str | Path | None = "specs/",
    single_file: bool = False,
    title: str = builder.BuildOptions.title,
    logo: str | Path | None = None,
    base_url: str = "",
    theme: Literal["auto", "light", "dark"] = "auto",
    templates: str | Path | None = None,
    pictures: bool = False,
    interactive: bool = False,
    cache: bool = True,
    only: Sequence[str] = (),
    trials: bool = False,
) -> Path:
    """Build the report: static pages of everything in a results folder.

    Needs neither TensorFlow nor a network. The same results give the same bytes. What a page
    could not show is told by a `RuntimeWarning`, and by the page.

    Args:
        results: the results folder.
        out: the folder of the pages, or the file; `site` or `report.html` when absent.
        specs: titles, published figures, claims and the talk are taken from here as they stand
            now, if the folder exists; None takes them from what the runs left.
        single_file: everything in one HTML file.
        title: the site's name.
        logo: a PNG or SVG file, put into every page.
        base_url: where the site will be published.
        theme: until a reader chooses.
        templates: folder of templates that replace ours, file by file.
        pictures: every figure as PNG, too.
        interactive: a button lets a reader explore a figure.
        cache: leave what has not changed as it is.
        only: show these benchmarks only, each by the name of its spec or as "SPEC:PROFILE".
        trials: show runs with overrides, too, of what was also run as it stands.

    Returns:
        The page to open first.

    Raises:
        AccelReportError: nothing to build from, or a folder, logo or template cannot be used.
    """
    options = builder.BuildOptions(
        title=title,
        talk=talk_of(Path(specs)) if specs is not None else NO_TALK,
        templates=Path(templates) if templates else None,
        logo=Path(logo) if logo else None,
        base_url=base_url,
        theme=theme,
        pictures=pictures,
        interactive=interactive,
        cache=report_cache() if cache else None,
        single_file=single_file,
    )
    place = Path(out or ("report.html" if single_file else "site"))
    store = _chosen(Path(results), specs, only, trials=trials)
    return _told(builder.build(store, place, options=options))


def _chosen(results: Path, specs: str | Path | None, only: Sequence[str], *, trials: bool) -> Store:
    """The results that are asked for, beside what the specs say of them now."""
    store = Store(results)
    if specs is not None and Path(specs).is_dir():
        refresh(store, Path(specs))
    choose(store, only=only, trials=trials)
    return store


def _told(built: builder.BuildResult) -> Path:
    """The page to open first; what pages could not show is warned of."""
    for each in built.unshown:
        # Two frames up is the caller of `build`.
        warnings.warn(f"not shown: {each}", RuntimeWarning, stacklevel=3)
    return built.index
