"""What is known of a cell before it is measured."""

from __future__ import annotations

from collections.abc import Collection

from accelreport.results.record import Record
from accelreport.results.store import Store
from accelreport.runner.plan import ALWAYS_RETRIED

RANK = {"ok": 3, "partial": 2, "failed": 1, "skipped": 0}
"""Of two records of a cell, the one of the higher status says more of it."""


class KnownAnywhere:
    """The best record of each cell, of whichever machine; among equals the newest.

    Where cells are measured by any of several machines, a cell is done when one has done it.

    The folder is listed at first and after `refresh`, and not for every cell.

    Args:
        store: the results folder.
        keys: only these cells will be asked for; all when absent. A job of a few cells need
            not hold the names of all others.
    """

    def __init__(self, store: Store, keys: Collection[str] | None = None) -> None:
        self._store = store
        self._keys = None if keys is None else frozenset(keys)
        self._machines: dict[str, list[str]] | None = store.machines(self._keys)

    def refresh(self) -> None:
        """Look into the folder again when a cell is next asked for."""
        self._machines = None

    def __call__(self, key: str) -> Record | None:
        """The best record of a cell; None when there is none that can be read."""
        records = self._of(key)
        return max(records, key=lambda each: (RANK[each.status], each.finished_at), default=None)

    def clear_attempts(self, measured: Record) -> None:
        """Take away what other machines left of a cell that is measured now.

        That is what the next run would have tried again, such as a cell that was interrupted: a
        report would else tell for good of a failure that nobody can mend there any more.

        Args:
            measured: a record that was written; nothing happens if it holds no measurement.
        """
        if measured.status not in {"ok", "partial"}:
            return
        for record in self._of(measured.key):
            again = record.failure is not None and record.failure.kind in ALWAYS_RETRIED
            if again and record.status == "failed" and record.environment is not None:
                self._store.record_path(record.key, record.environment.machine).unlink(
                    missing_ok=True
                )

    def _of(self, key: str) -> list[Record]:
        if self._machines is None:
            self._machines = self._store.machines(self._keys)
        found = [self._store.get(key, machine) for machine in self._machines.get(key, ())]
        return [record for record in found if record is not None]
