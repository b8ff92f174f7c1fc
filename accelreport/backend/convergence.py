"""Whether a training reached what its spec requires of it."""

from __future__ import annotations

from accelreport.errors import AccelReportError
from accelreport.results.record import Record
from accelreport.spec.models import Target


class NotConvergedError(AccelReportError):
    """A complete training never reached the target that its spec requires."""

    kind = "not-converged"


def require_target(record: Record) -> None:
    """See that a complete training reached its target in some epoch, where that is required.

    A training that a budget ended has not failed: nobody knows where it would have ended.

    Raises:
        NotConvergedError: it did not.
    """
    target = record.cell.measure.target
    if target is None or not target.required or record.status != "ok":
        return
    values = [value for row in record.epochs if (value := row.metrics.get(target.metric))]
    if any(_reached(target, value) for value in values):
        return
    rises = target.at_least is not None
    bound = f"{'at least' if rises else 'at most'} {target.at_least if rises else target.at_most:g}"
    best = f"{(max if rises else min)(values):.4g}" if values else "none"
    raise NotConvergedError(
        f"{target.metric} had to be {bound}; the best of {len(record.epochs)} epochs was {best}",
        remedy="train for more epochs, or require less in measure.target",
    )


def _reached(target: Target, value: float) -> bool:
    if target.at_least is not None:
        return value >= target.at_least
    return target.at_most is not None and value <= target.at_most
