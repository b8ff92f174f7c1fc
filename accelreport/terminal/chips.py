"""The ranks, the contents and the verdict of a contribution, on a terminal."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from accelreport.chips.contribution import Contribution
from accelreport.chips.ranking import FIGURES, Figure, Ranked, entries, ranked
from accelreport.chips.verify import Doubt
from accelreport.report.quantity import plural
from accelreport.report.rank_labels import (
    confirmed_label,
    interval_label,
    precision_label,
    rank_label,
    ratio_label,
    ratio_title,
    stopped_label,
    value_label,
)
from accelreport.terminal.say import columns

OwnRank = tuple[Figure, Ranked, list[Ranked]]
"""A figure, an entry's rank by it, and all ranks by it."""

MOST = 12
"""Reasons that are printed against one contribution; the others are counted."""


def own_ranks(own: Contribution, others: Sequence[Contribution]) -> list[OwnRank]:
    """Each figure with each rank of the contribution among those of other machines."""
    known = [entries(one) for one in (own, *others) if one is own or one.machine != own.machine]
    ranks = []
    for figure in FIGURES:
        rows = ranked([row for figures in known for row in figures[figure.name]], figure)
        ranks += [(figure, row, rows) for row in rows if row.entry.contribution == own.name]
    return ranks


def answer(ranks: Sequence[OwnRank]) -> Iterator[str]:
    """Each figure of each device with its value, its rank, and how it compares with the first."""
    yield from columns(
        [
            (
                f"{figure.title}, {precision_label(row.entry)}",
                f"{value_label(row.entry, figure)} ({interval_label(row.entry, figure)})",
                f"rank {rank_label(row)} of {len(rows)}",
                f"{ratio_label(row, rows, figure)} {confirmed_label(row)}"
                if row.confirmed
                else ratio_label(row, rows, figure),
                stopped_label(row.entry),
            )
            for figure, row, rows in ranks
        ]
    )
    yield ""
    title = ratio_title(figure for figure, _, _ in ranks)
    yield f"×: {title}; undecided where the intervals overlap"
    if not all(row.confirmed for _, row, _ in ranks):
        yield "self-reported until another machine of the same hardware agrees within 10 %"
    if any(row.entry.stopped for _, row, _ in ranks):
        yield "stopped: by the time budget; the rate is that of its completed steps"


def contents(contribution: Contribution) -> Iterator[str]:
    """What a file holds, for the person who is about to send it."""
    environment = contribution.environment
    timed = sum(len(block.step_s) for r in contribution.records for block in r.blocks)
    gpus = ", ".join(gpu.name for gpu in environment.gpus)
    packages = ", ".join(f"{name} {version}" for name, version in environment.packages.items())
    variables = ", ".join(f"{name}={value}" for name, value in environment.variables.items())
    yield f"{contribution.name}: {len(contribution.records)} cells with {timed:,} timed steps"
    yield from columns(
        [
            ("  processor", f"{environment.cpu}, {plural(environment.threads, 'thread')}"),
            ("  GPUs", gpus or "none"),
            ("  system", f"{environment.os}, Python {environment.python}"),
            ("  packages", packages),
            ("  variables", variables or "none"),
            ("  fingerprint", f"{environment.machine}, which identifies no person"),
        ]
    )


def verdict(path: Path, contribution: Contribution, doubts: Iterable[Doubt]) -> Iterator[str]:
    """Whether a contribution is accepted, and every reason against it."""
    reasons: dict[tuple[bool, str, str], list[str]] = defaultdict(list)
    for doubt in doubts:
        reasons[not doubt.refuses, doubt.kind, doubt.message].append(doubt.cell)
    refused = any(not look for look, _, _ in reasons)
    state = "refused" if refused else ("look at it" if reasons else "accepted")
    yield f"{path}: {state} ({len(contribution.records)} cells)"
    for (_, kind, message), cells in sorted(reasons.items())[:MOST]:
        where = f"{cells[0]}: " if cells[0] else ""
        more = f" (and {len(cells) - 1} more cells)" if len(cells) > 1 else ""
        yield f"  {kind}: {where}{message}{more}"
    if len(reasons) > MOST:
        yield f"  and {len(reasons) - MOST} more"
