"""Where templates lie, and where builds keep what they remember."""

from __future__ import annotations

import os
from pathlib import Path

PACKAGED = Path(__file__).parent.parent / "_templates"
"""Templates as the wheel ships them."""
CHECKOUT = Path(__file__).parent.parent.parent / "templates"
"""Templates of a checkout."""


def report_cache() -> Path:
    """The folder builds remember things in: `ACCELREPORT_CACHE`, or one of the platform's."""
    chosen = os.environ.get("ACCELREPORT_CACHE")
    if chosen:
        return Path(chosen).expanduser() / "report"
    from platformdirs import user_cache_path

    return user_cache_path("accelreport", appauthor=False) / "report"
