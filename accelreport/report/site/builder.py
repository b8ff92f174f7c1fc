"""The site: from a results folder to pages that load nothing and run nothing."""

from __future__ import annotations

import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from accelreport.errors import Unshown
from accelreport.report.site.cache import BuildManifest, FigureCache, build_fingerprint, digest
from accelreport.report.site.drawing import Drawer, Engines
from accelreport.report.site.options import (
    BuildInput,
    BuildOptions,
    BuildResult,
    ResultsSource,
    facts_of,
)
from accelreport.report.site.output import Output, OutputError
from accelreport.results.store import Store, content_digest
from accelreport.results.versions import other_versions

__all__ = ["BuildOptions", "BuildResult", "ResultsSource"]

PATIENCE = 200_000
"""New containers after which the collector looks for cycles among them; 700 or 2,000 usually."""


@contextmanager
def patient_collector() -> Iterator[None]:
    """Lets cycles wait longer; afterwards everything is as it was."""
    usual = gc.get_threshold()
    gc.set_threshold(PATIENCE, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)


USUAL = BuildOptions()


def build(
    results: ResultsSource,
    out: Path,
    *,
    options: BuildOptions = USUAL,
    engines: Engines | None = None,
) -> BuildResult:
    """Writes the site; needs neither TensorFlow nor any spec.

    The same records give the same bytes, whenever and wherever they are built, and whatever
    was remembered of earlier builds.

    Args:
        results: the results folder.
        out: where the site is written; files that are not the site's own are kept. With
            `single_file` the file to write.
        options: what a person chose.
        engines: the processes that draw, where further builds follow.

    Raises:
        AccelReportError: there is nothing to build from, or the folder refuses.
    """
    started = time.perf_counter()
    if out.resolve() == out.resolve().parent:
        raise OutputError(
            f"{out} cannot take a site.",
            why="It is the root of the file system, where a site has no place of its own.",
            remedy="Choose another one with --out.",
        )
    others = other_versions(results) if isinstance(results, Store) else None
    read = BuildInput(results, out, options, facts_of(options), others)
    with patient_collector():
        pages, written, unshown, withheld = _built(read, engines)
    index = out if options.single_file else out / "index.html"
    seconds = time.perf_counter() - started
    return BuildResult(pages, written, index, seconds, unshown, others, withheld)


def _built(
    read: BuildInput, engines: Engines | None
) -> tuple[int, int, tuple[Unshown, ...], tuple[int, int]]:
    """How many pages it has, how many files were written, and what is not shown and withheld."""
    options = read.options
    if options.single_file:
        from accelreport.report.site.single_file import build_single

        return build_single(read, engines)
    cache = FigureCache(options.cache) if options.cache else None
    with Drawer(cache, engines) as drawer:
        # Processes that draw start while this one still asks what has changed, and while it
        # imports what analyses, which takes a second, and which nothing changed does not need.
        memory = BuildManifest.of(options.cache, read.out) if options.cache else None
        base = build_fingerprint(options, read.facts) if memory else ""
        sources = ""
        if memory and isinstance(read.results, Store):
            sources = digest(base, content_digest(read.results))
        if memory and memory.whole(sources):
            with Output(read.out):  # which removes what a build that was killed left there
                pages = sum(unit.pages for unit in memory.units.values())
                return pages, 0, (), memory.withheld
        from accelreport.report.site.assembly import assemble

        assembled = assemble(read, drawer, memory, base)
    if cache:
        cache.prune()
    if memory:
        memory.withheld = assembled.withheld
        memory.save("" if read.results.problems or assembled.unshown else sources, assembled.units)
    return assembled.pages, assembled.written, assembled.unshown, assembled.withheld
