"""Published figures from files of several formats, as `[[published]]` tables of a spec."""

from __future__ import annotations

from enum import StrEnum


class WhichEpoch(StrEnum):
    """The epoch of a training's history whose metrics are imported."""

    LAST = "last"
    BEST = "best"
