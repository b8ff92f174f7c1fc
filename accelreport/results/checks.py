"""What the timer found when it checked itself: parts of a record."""

from __future__ import annotations

from typing import Literal

from accelreport.results.plan_document import Document

OTHER_LOAD = 0.10
"""Other processes that keep more than this many cores busy make a machine loaded."""


class SelfCheck(Document):
    """One thing that would make a timing wrong, looked for in this process."""

    name: str
    """What was looked for; the kind of the warning where it was found."""
    outcome: Literal["passed", "failed", "not-applicable"]
    """failed: found, and the record has a warning of this kind; not-applicable: this device or
    workload does not let it be looked for, and `seen` says why."""
    expected: str = ""
    """What a sound measurement shows."""
    seen: str
    """What was observed."""


class Beginning(Document):
    """What a training began with; two repeats of different seeds must not share it."""

    weights: str = ""
    """SHA-256 over the beginnings of the random initial weights; empty where none is random."""
    order: str = ""
    """SHA-256 over the order of the examples in the first epoch; empty where there are too few
    examples for two orders to differ for certain."""
