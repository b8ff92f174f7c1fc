"""Measurements of other versions of the specs, in the words of the terminal and the front page."""

from __future__ import annotations

from collections.abc import Iterator

from accelreport.report.metrics import axis_title
from accelreport.report.model import Notice
from accelreport.report.quantity import count, days, listed, plural
from accelreport.report.text import label
from accelreport.results.versions import OtherVersions

MOST_KEYS = 4
"""Keys that the notice names; it counts the others."""


def versions_notice(others: OtherVersions) -> Notice:
    """How many measurements are not shown, what differs, since when, and what shows them."""
    names = [label(spec, 60) for spec in others.specs]
    where = f"the spec {names[0]}" if len(names) == 1 else f"these {len(names)} specs"
    belong = plural(others.measurements, "measurement belongs", "measurements belong")
    which = "another version" if others.measurements == 1 else "other versions"
    sentences = [f"{belong} to {which} of {where}."]
    if keys := list(dict.fromkeys(map(axis_title, others.differs))):
        named = keys if len(keys) <= MOST_KEYS else keys[: MOST_KEYS - 1]
        more = [f"{len(keys) - len(named)} more keys"] if named != keys else []
        values = "The value of" if len(keys) == 1 else "The values of"
        differ = "differs" if len(keys) == 1 else "differ"
        sentences.append(f"{values} {listed([*named, *more])} {differ}.")
    if period := days((others.first, others.last)):
        sentences.append(
            f"{'It dates' if others.measurements == 1 else 'They date'} from {period}."
        )
    return Notice("Measurements not shown.", " ".join([*sentences, *_remedies(others)]))


def _remedies(others: OtherVersions) -> Iterator[str]:
    """The option that shows them, and what shows or removes those that no plan names any more."""
    planned = others.measurements - others.unplanned
    what = "it" if others.measurements == 1 else "them"
    if planned:
        which = f"{count(planned)} of them" if others.unplanned else what
        was = "it was" if planned == 1 else "they were"
        yield f"“accelreport build --as-measured” shows {which} as {was} measured."
    if others.unplanned:
        which = f"the other {count(others.unplanned)}" if planned else what
        what = "it" if others.unplanned == 1 else "them"
        yield (
            f"No stored plan names {which} any more: “accelreport build --specs DIR” shows {what} "
            f"with the specs of that time in DIR, “accelreport results rm --unplanned” removes "
            f"{what}."
        )
