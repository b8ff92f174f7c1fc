"""Somebody else's figures, from the files they are in, as `[[published]]` tables of a spec."""

from __future__ import annotations

from enum import StrEnum


class WhichEpoch(StrEnum):
    """Which epoch of a training's history is meant."""

    LAST = "last"
    BEST = "best"
