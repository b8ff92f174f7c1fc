"""Sites for tests: none draws a figure that another test has drawn, whichever process it ran in."""

from __future__ import annotations

import atexit
from dataclasses import replace
from pathlib import Path

from accelreport.report.site import builder
from accelreport.report.site.builder import BuildResult
from accelreport.report.site.drawing import Engines
from accelreport.report.site.options import BuildOptions, ResultsSource, report_cache

ENGINES = Engines()
"""Left by one build of this process to the next."""

atexit.register(ENGINES.close)


def build(results: ResultsSource, out: Path, *, options: BuildOptions | None = None) -> BuildResult:
    """`builder.build`, with what the command remembers of figures; they take most of its time.

    `test_cache.py` holds that pages are the same without.
    """
    chosen = options or BuildOptions()
    remembering = replace(chosen, cache=chosen.cache or report_cache())
    return builder.build(results, out, options=remembering, engines=ENGINES)
