"""Which epoch of a history is meant; apart, because the command line needs it at once."""

from __future__ import annotations

from enum import StrEnum


class Epoch(StrEnum):
    """Which epoch of a training's history is meant."""

    LAST = "last"
    BEST = "best"
