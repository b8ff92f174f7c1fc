"""Sites for tests: none draws a figure that another test has drawn, whichever process it ran in."""

from __future__ import annotations

import atexit
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from accelreport.report.site import builder, drawing
from accelreport.report.site.builder import BuildResult
from accelreport.report.site.drawing import Engines
from accelreport.report.site.options import BuildOptions, ResultsSource, report_cache

ENGINES = Engines()
"""Left by one build of this process to the next."""

atexit.register(ENGINES.close)


@contextmanager
def one_start() -> Iterator[None]:
    """Builds that would start their own processes take and leave those of the others."""

    class Shared(Engines):
        take, leave = ENGINES.take, ENGINES.leave

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(drawing, "Engines", Shared)
        yield


def build(results: ResultsSource, out: Path, *, options: BuildOptions | None = None) -> BuildResult:
    """`builder.build`, with what the command remembers of figures; they take most of its time.

    `test_cache.py` holds that pages are the same without.
    """
    chosen = options or BuildOptions()
    remembering = replace(chosen, cache=chosen.cache or report_cache())
    return builder.build(results, out, options=remembering, engines=ENGINES)
