"""Declarative accelerator benchmarks that end as a report people trust.

From Python: `run` measures, `load_results` reads what was measured into data frames, `compare`
holds one results folder against another, and `build` makes the report. They are loaded when they
are first asked for, so that a command which needs none of them starts at once.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from accelreport._version import __version__ as __version__
from accelreport.errors import AccelReportError

if TYPE_CHECKING:
    from accelreport.api import (
        Comparison,
        Results,
        build,
        compare,
        load_results,
        new,
        run,
    )

__all__ = [
    "AccelReportError",
    "Comparison",
    "Results",
    "build",
    "compare",
    "load_results",
    "new",
    "run",
]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("accelreport.api"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
