"""What a chip comes to, what a contribution holds, and what is doubtful of it, on a terminal."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from accelreport.analysis.findings import Unit
from accelreport.chips.contribution import Contribution, environment_of, kind_of
from accelreport.chips.ranking import FIGURES, Figure, Ranked, entries, ranked
from accelreport.chips.verify import Doubt
from accelreport.report.quantity import HEADLINE, plural, write
from accelreport.report.rank_text import (
    entry_name,
    entry_text,
    precision_text,
    rank_text,
    stopped_text,
)
from accelreport.terminal.say import columns

SHOWN = 3
"""Neighbours that are named of those that the intervals leave undecided."""

OwnRank = tuple[Figure, Ranked, list[Ranked]]
"""A figure, an entry's rank by it, and all ranks by it."""

MOST = 12
"""Reasons that are printed against one contribution; the others are counted."""


def headline(ranks: Sequence[OwnRank]) -> Iterator[str]:
    """What a person sends to a friend: the first figure, its rank, and the neighbours."""
    for figure, row, rows in ranks[:1]:
        yield figure.title
        parts = entry_text(row.entry, figure), _rank(row, rows), stopped_text(row.entry)
        yield f"  {entry_name(row.entry)}: {', '.join(filter(None, parts))}"
        yield from _neighbours(row, rows, figure)


def answer(ranks: Sequence[OwnRank]) -> Iterator[str]:
    """The headline, then each figure of each device with its rank."""
    yield from headline(ranks)
    yield ""
    yield from columns(
        [
            (
                f"{figure.title}, {precision_text(row.entry)}",
                entry_text(row.entry, figure),
                _rank(row, rows),
                stopped_text(row.entry),
            )
            for figure, row, rows in ranks
        ]
    )
    if any(row.entry.stopped for _, row, _ in ranks):
        yield ""
        yield "stopped: by the time budget; the rate is that of its completed steps"


def own_ranks(own: Contribution, others: Sequence[Contribution]) -> list[OwnRank]:
    """Each figure with each rank of the contribution among those of other machines."""
    known = [
        entries(submission)
        for submission in (own, *others)
        if submission is own or submission.machine != own.machine
    ]
    ranks = []
    for figure in FIGURES:
        rows = ranked([row for figures in known for row in figures[figure.name]], figure)
        ranks += [(figure, row, rows) for row in rows if row.entry.contribution == own.name]
    return ranks


def _rank(row: Ranked, rows: Sequence[Ranked]) -> str:
    return f"rank {rank_text(row)} of {len(rows)}"


def _neighbours(own: Ranked, rows: Sequence[Ranked], figure: Figure) -> Iterator[str]:
    """Whom the intervals leave undecided, and the next above and below that are decided."""
    others = [row for row in rows if row.entry.contribution != own.entry.contribution]
    low, high = own.entry.value.ends
    undecided, better, worse = [], [], []
    for row in others:
        other_low, other_high = row.entry.value.ends
        if other_low <= high and low <= other_high:
            undecided.append(row)
        elif (other_low > high) == figure.more_is_better:
            better.append(row)
        else:
            worse.append(row)
    if undecided:
        names = [f"{entry_name(row.entry)} (rank {rank_text(row)})" for row in undecided]
        more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
        yield f"  undecided against {', '.join(names[:SHOWN])}{more}"
    for row in (*better[-1:], *worse[:1]):
        factor = own.entry.value.value / row.entry.value.value
        text = write(factor if figure.more_is_better else 1 / factor, Unit.RATIO, digits=HEADLINE)
        yield f"  {text} as fast as rank {rank_text(row)} ({entry_name(row.entry)})"


def contents(contribution: Contribution) -> Iterator[str]:
    """What a file holds, for the person who is about to send it."""
    environment = environment_of(contribution.records, kind_of(contribution.records))
    steps = sum(len(block.step_s) for r in contribution.records for block in r.blocks)
    yield f"{contribution.name}: {len(contribution.records)} cells with {steps:,} timed steps"
    if environment is None:
        return
    gpus = ", ".join(gpu.name for gpu in environment.gpus) or "none"
    packages = ", ".join(f"{name} {version}" for name, version in environment.packages.items())
    variables = ", ".join(f"{name}={value}" for name, value in environment.variables.items())
    rows = (
        ("  processor", f"{environment.cpu}, {plural(environment.threads, 'thread')}"),
        ("  GPUs", gpus),
        ("  system", f"{environment.os}, Python {environment.python}"),
        ("  packages", packages),
        ("  variables", variables or "none"),
        ("  fingerprint", f"{environment.machine}, which identifies no person"),
    )
    yield from columns(rows)


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
