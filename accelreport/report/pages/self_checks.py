"""What the timer found when it checked itself, on the page of a cell."""

from __future__ import annotations

from accelreport.report import formatting
from accelreport.report.model import RawTable, Section
from accelreport.report.text import label, sentence
from accelreport.results.record import Record

_OUTCOMES = {"passed": "passed", "failed": "found", "not-applicable": "not looked for"}


def checks_section(record: Record) -> Section | None:
    """Every check of a record with what was expected and seen; None for an older record."""
    if not record.checks:
        return None
    rows = tuple(
        (
            sentence(label(check.name.replace("-", " "), 60)),
            _OUTCOMES[check.outcome],
            label(check.expected, 300) or "–",
            label(check.seen, 400),
        )
        for check in record.checks
    )
    found = sum(check.outcome == "failed" for check in record.checks)
    looked = sum(check.outcome != "not-applicable" for check in record.checks)
    finding = f"{formatting.plural(looked, 'fault')} looked for, {found or 'none'} found."
    table = RawTable(
        title="Faults looked for",
        columns=("fault", "outcome", "a sound measurement shows", "seen"),
        rows=rows,
        note="Nothing of this runs inside a timed window.",
        words=True,
    )
    return Section("checks", "The timer's checks of itself", (table,), finding=finding)
