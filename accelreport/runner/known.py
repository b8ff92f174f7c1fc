"""What is known of a cell before it is measured."""

from __future__ import annotations

from accelreport.results.record import Record
from accelreport.results.store import Store

RANK = {"ok": 3, "partial": 2, "failed": 1, "skipped": 0}
"""Of two records of a cell, the one of the higher status says more of it."""


class KnownAnywhere:
    """The best record of each cell, of whichever machine; among equals the newest.

    Where cells are measured by any of several machines, a cell is done when one has done it.

    Args:
        store: the results folder.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._machines: dict[str, list[str]] = {}
        self.refresh()

    def refresh(self) -> None:
        """Look into the folder again: it is listed once and not for every cell."""
        self._machines = self._store.machines()

    def __call__(self, key: str) -> Record | None:
        """The best record of a cell; None when there is none that can be read."""
        found = [self._store.get(key, machine) for machine in self._machines.get(key, ())]
        records = [record for record in found if record is not None]
        return max(records, key=lambda each: (RANK[each.status], each.finished_at), default=None)
