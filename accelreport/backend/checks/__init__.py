"""The timer checks itself: what would make a timing wrong is looked for in every cell.

Nothing here runs inside a timed window. Each check becomes a `SelfCheck` of the record, and a
warning of the same name where it fails; `accelreport.analysis.warnings` says which of them
make a number one that is not shown.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from accelreport.errors import AccelReportError
from accelreport.results.record import SelfCheck, Warned


class RefusedCellError(AccelReportError):
    """A cell that would give a number nobody should read; it is not measured."""

    kind = "refused"


@dataclass
class CheckLog:
    """The checks that were made, in their order."""

    checks: list[SelfCheck] = field(default_factory=list)

    def judge(self, name: str, *, sound: bool, expected: str, observed: str) -> None:
        """Note a check that was made.

        Args:
            name: what was looked for, such as `no-sync`.
            sound: whether it was not found.
            expected: what a sound measurement shows.
            observed: what was observed.
        """
        outcome = "passed" if sound else "failed"
        self._add(name, outcome, expected, observed)

    def inapplicable(self, name: str, why: str) -> None:
        """Note a check that cannot be made here."""
        self._add(name, "not-applicable", "", why)

    def failed(self, name: str) -> bool:
        """Whether a check of that name found what it looked for."""
        return any(check.name == name and check.outcome == "failed" for check in self.checks)

    def warnings(self) -> list[Warned]:
        """A warning for each check that failed, by its name."""
        return [
            Warned(kind=check.name, message=f"{check.seen}; expected: {check.expected}")
            for check in self.checks
            if check.outcome == "failed"
        ]

    def _add(self, name: str, outcome: str, expected: str, observed: str) -> None:
        stated = {"name": name, "outcome": outcome, "expected": expected, "seen": observed}
        self.checks.append(SelfCheck.model_validate(stated))
