"""What is observed of a trained model beside its speed: parts of a record.

Each is what a published piece showed of its system, so that a page can show it, too.
"""

from __future__ import annotations

from accelreport.results.plan_document import Document


class Confusion(Document):
    """How often each class was taken for each other one in the last evaluation."""

    classes: list[str]
    """Names of the classes."""
    counts: list[list[int]]
    """A row for each true class, a column for each predicted one."""


class Selection(Document):
    """Which epoch a cell ended with, where its spec lets a metric decide."""

    monitor: str
    """The metric that decided."""
    best: float | None = None
    """Its best value."""
    best_epoch: int | None = None
    """The epoch whose weights were kept, from 1."""
    restored: bool = False
    """Whether the cell ended with those weights; the final metrics are then that epoch's."""
    stopped_early: bool = False
    """Whether training ended before its epochs because the metric no longer improved."""


class GeneratedText(Document):
    """What a trained model wrote."""

    prompt: str
    """What it had read before."""
    text: str
    """What it wrote; any character from U+0000 to U+00FF may stand in it."""


class Forecast(Document):
    """A series and what the trained model predicted of it, at equal steps of time."""

    target: str
    """Name of the series."""
    unit: str = ""
    """Its unit."""
    first_time: str
    """Time of the first value, ISO 8601."""
    step_s: float
    """Seconds from one value to the next."""
    ignored_steps: int
    """Values at the beginning that the loss leaves out: the model had seen nothing before."""
    true: list[float]
    """What was."""
    predicted: list[float]
    """What the model said."""
