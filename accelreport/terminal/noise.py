"""The noise of machines: from a results folder, kept in the cache, and as lines for a terminal."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from pydantic import TypeAdapter, ValidationError

from accelreport.analysis.noise import REPEATS, Noise, noise_of
from accelreport.analysis.results import results_of
from accelreport.analysis.speedup import groups_of
from accelreport.atomic import cache_folder, write_whole
from accelreport.report.claim_text import point_text
from accelreport.report.quantity import percent_at_best as percent
from accelreport.results.plan_document import profile_of
from accelreport.results.store import Store
from accelreport.terminal.listings import plan_records
from accelreport.terminal.say import columns, say

NOISES = TypeAdapter(list[Noise])


def noises(store: Store, *, small: bool) -> list[Noise]:
    """The noise of every device at every sweep point of a results folder.

    Args:
        store: the folder.
        small: whether it holds the small network of `accelreport noise`, instead of a spec's cells.
    """
    noises = []
    for plan in store.plans():
        records = plan_records(store, plan)
        name = "" if small else f"{plan.spec}:{profile_of(plan) or 'full'}"
        for group in groups_of(results_of(plan, records.values())):
            timed = [
                (records[timing.key, timing.machine], timing.seconds) for timing in group.timed
            ]
            noises.append(noise_of(name, timed))
    return [noise for noise in noises if noise]


def kept() -> list[Noise]:
    """The noise that earlier measurements kept; empty where there is none or it is unreadable."""
    try:
        return NOISES.validate_json((cache_folder("noise") / "noise.json").read_bytes())
    except (OSError, ValidationError):
        return []  # it can be measured again, which is what a cache is for


def keep(measured: Sequence[Noise]) -> None:
    """Keep measured noise; it replaces the earlier noise of the same cell and machine.

    A folder that cannot be written is a warning only, because the caller prints the measurement.
    """

    def subject(noise: Noise) -> tuple[str, ...]:
        return noise.machine, noise.workload, noise.device, repr(noise.point)

    new = set(map(subject, measured))
    old = [noise for noise in kept() if subject(noise) not in new]
    folder = cache_folder("noise")
    rows = [noise.model_dump(mode="json") for noise in (*old, *measured)]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / "noise.json", json.dumps(rows, indent=1).encode(), durable=False)
    except OSError as error:
        why = f"{folder} cannot be written ({error.strerror or error})"
        say(f"warning: the noise is not kept for `accelreport compare`: {why}", err=True)


def noise_lines(measured: Sequence[Noise], slowdown: float) -> Iterator[str]:
    """A table for each device and sweep point: the smallest slowdown that N repeats show."""
    for noise in measured:
        place = " ".join(filter(None, (noise.workload or "a small network", "on", noise.device)))
        point = f" at {point_text(noise.point)}" if noise.point else ""
        yield f"{place}{point}: {noise.pairs} pairs of processes of the same cell"
        yield f"  two processes differ by {percent(noise.spread)} (standard deviation)"
        rows = [("repeats", "smallest slowdown that they show")]
        rows += [(str(n), percent(noise.shown_by(n))) for n in REPEATS]
        yield from (f"  {line}" for line in columns(rows))
        needed = noise.repeats_for(slowdown)
        yield (
            f"  A slowdown of {percent(slowdown)} needs {needed} repeats."
            if needed
            else f"  No number of repeats up to a thousand shows a slowdown of {percent(slowdown)}."
        )
        yield ""
    yield "The probability is 80 %, with 95 % intervals, if OLD and NEW run in turns."
