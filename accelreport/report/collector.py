"""Python's collector of reference cycles, held back while a site is made.

A build makes millions of values that live until its end, and hardly a cycle. With the usual
thresholds the collector looks at all of them again and again, which took a sixth of a build.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

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
