"""What the simulation found of the intervals in use, kept for the page of methods.

The file beside this module is written by `python -m benchmarks.calibration PAGE`
together with the tables of that page, and by nothing else.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import PlainSerializer

from accelreport.results.plan_document import Document

FILE = Path(__file__).with_name("calibration.json")

Percent = Annotated[float, PlainSerializer(lambda value: round(value, 4))]
"""A share in percent, kept to a millionth."""


class Shares(Document):
    """A quantity under one kind of noise."""

    name: str
    """The kind of noise."""
    text: str
    """What it is."""
    percent: tuple[Percent, ...]
    """The quantity in percent, in the order of `Calibration.processes`."""


class Calibration(Document):
    """Shares of simulated experiments."""

    experiments: int
    """Simulated experiments behind each share."""
    processes: tuple[int, ...]
    """Processes of each device, one for each column."""
    coverage: tuple[Shares, ...]
    """95 % intervals that hold the true ratio."""
    differences: tuple[Shares, ...]
    """Comparisons of equals that are called FASTER or SLOWER."""
    modes: tuple[Shares, ...]
    """95 % intervals that hold the true ratio where one device has a slow mode."""


def found() -> Calibration:
    """What the last whole calibration found."""
    return Calibration.model_validate_json(FILE.read_bytes())


def write(what: Calibration, path: Path) -> None:
    """Keeps it as JSON."""
    path.write_text(f"{what.model_dump_json(indent=1)}\n", encoding="utf-8")
