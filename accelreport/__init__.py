"""Declarative accelerator benchmarks that end as a report people trust.

From Python: `run` measures, `load_results` reads what was measured into data frames, `compare`
holds one results folder against another, and `build` makes the report. They are loaded when they
are first asked for, so that a command which needs none of them starts at once.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from accelreport.errors import AccelReportError

if TYPE_CHECKING:
    from accelreport.api.build import build
    from accelreport.api.compare import Comparison, compare
    from accelreport.api.results import Results, load_results
    from accelreport.api.run import run

__version__ = "0.1.0"

__all__ = [
    "AccelReportError",
    "Comparison",
    "Results",
    "build",
    "compare",
    "load_results",
    "run",
]

_PLACES = {
    "Comparison": "accelreport.api.compare",
    "Results": "accelreport.api.results",
    "build": "accelreport.api.build",
    "compare": "accelreport.api.compare",
    "load_results": "accelreport.api.results",
    "run": "accelreport.api.run",
}


def __getattr__(name: str) -> object:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_PLACES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
