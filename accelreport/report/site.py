"""The site: from a results folder to pages that load nothing and run nothing."""

from __future__ import annotations

import time
from pathlib import Path

from accelreport.report.collector import patient_collector
from accelreport.report.drawer import Drawer
from accelreport.report.facts import facts_of
from accelreport.report.figure_cache import FigureCache
from accelreport.report.fingerprint import digest, fingerprint
from accelreport.report.memory import Memory
from accelreport.report.options import BuildOptions, BuildResult
from accelreport.report.output import OutputError
from accelreport.report.results import Results
from accelreport.results.store import Store, content_digest

__all__ = ["BuildOptions", "BuildResult", "Results", "build"]

USUAL = BuildOptions()
"""What is built when a person chooses nothing."""


def build(results: Results, out: Path, *, options: BuildOptions = USUAL) -> BuildResult:
    """Writes the site; needs neither TensorFlow nor any spec.

    The same records give the same bytes, whenever and wherever they are built, and whatever
    was remembered of earlier builds.

    Args:
        results: the results folder.
        out: where the site is written; files that are not the site's own are kept. With
            `single_file` the file to write.
        options: what a person chose.

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
    with patient_collector():
        pages, written = _built(results, out, options)
    index = out if options.single_file else out / "index.html"
    return BuildResult(pages, written, index, time.perf_counter() - started)


def _built(results: Results, out: Path, options: BuildOptions) -> tuple[int, int]:
    """How many pages the site has, and how many files were written."""
    facts = facts_of(options)
    if options.single_file:
        from accelreport.report.single import build_single

        return build_single(results, out, options, facts)
    memory = Memory.of(options.cache, out) if options.cache else None
    base = fingerprint(options, facts) if memory else ""
    sources = digest(base, content_digest(results)) if memory and isinstance(results, Store) else ""
    if memory and memory.whole(sources):
        return sum(unit.pages for unit in memory.units.values()), 0
    cache = FigureCache(options.cache / "figures") if options.cache else None
    with Drawer(cache) as drawer:
        # What analyses takes a second to import, which nothing changed does not need; the
        # processes that draw start in that time.
        from accelreport.report.assembly import assemble

        made = assemble(results, out, options, facts, drawer=drawer, memory=memory, base=base)
    if cache:
        cache.prune()
    if memory:
        memory.save("" if results.problems else sources, made.units)
    return made.pages, made.written
