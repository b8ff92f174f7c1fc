"""What a report needs of a results folder."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from accelreport.results.plan_document import PlanDocument
from accelreport.results.record import Record


class Results(Protocol):
    """Plans and records; `accelreport.results.store.Store` is one."""

    @property
    def problems(self) -> Sequence[object]:
        """Files that could not be read, each with a sentence as its text."""

    def records(self) -> Iterable[Record]:
        """Every record that can be read."""

    def plans(self) -> Sequence[PlanDocument]:
        """Every plan that can be read."""
