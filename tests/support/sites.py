"""Sites for tests: none draws a figure that another test has drawn, whichever process it ran in."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from accelreport.report.site import builder
from accelreport.report.site.builder import BuildResult
from accelreport.report.site.options import BuildOptions, ResultsSource, report_cache


def build(results: ResultsSource, out: Path, *, options: BuildOptions | None = None) -> BuildResult:
    """`builder.build`, with what the command remembers of figures; they take most of its time.

    `test_cache.py` holds that pages are the same without.
    """
    chosen = options or BuildOptions()
    return builder.build(
        results, out, options=replace(chosen, cache=chosen.cache or report_cache())
    )
