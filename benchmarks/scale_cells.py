"""The cells and records of `benchmarks/scale.py`."""

from __future__ import annotations

from pathlib import Path

from accelreport.loader.load import load
from accelreport.machine.inventory import inventory
from accelreport.results.record import Record
from accelreport.spec.cells import Cell, Spec
from tests.support.records import study


def spec_of(folder: Path) -> Spec:
    """The spec with all the cells."""
    (spec,) = load([folder / "specs"]).specs
    return spec


def template() -> Record:
    """A record of a short training: of some 12 KB, as most are."""
    return study("training", repeats=1, devices=("cpu",)).records[0]


def record_of(cell: Cell, like: Record) -> Record:
    """A complete record of a cell on this machine, with the figures of another one."""
    assert like.environment is not None
    here = like.environment.model_copy(update={"machine": inventory().machine})
    return like.model_copy(update={"cell": cell, "key": cell.key, "environment": here})
