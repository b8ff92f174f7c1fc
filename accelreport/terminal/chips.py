"""What a chip comes to, what a contribution holds, and what is doubtful of it, on a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from accelreport.analysis.findings import Unit
from accelreport.chips.contribution import Contribution, environment_of, kind_of
from accelreport.chips.ranking import FIGURES, Entry, Figure, Ranked, entries, ranked
from accelreport.chips.verify import Doubt
from accelreport.report.quantity import HEADLINE, span, write
from accelreport.terminal.say import columns

MOST = 12
"""Doubts that are printed of one contribution; the others are counted."""


def value_of(entry: Entry, figure: Figure) -> str:
    """The value with its interval."""
    text = write(entry.value.value, figure.unit, entry.value, figure.noun)
    ends = span(entry.value, figure.unit, figure.noun)
    return f"{text} ({ends})" if ends else f"{text} (single run)"


def rank_of(row: Ranked) -> str:
    """A rank, or the range of ranks that the intervals leave open."""
    return f"{row.best}" if row.best == row.worst else f"{row.best}–{row.worst}"


def answer(own: Contribution, others: Sequence[Contribution]) -> Iterator[str]:
    """What was measured by each figure, with its rank among other contributions and neighbours."""
    others = [other for other in others if other.name != own.name]
    known = [entries(each) for each in (own, *others)]
    for figure in FIGURES:
        rows = ranked([row for each in known for row in each[figure.name]], figure)
        mine = [row for row in rows if row.entry.contribution == own.name]
        if not mine:
            continue
        yield figure.title
        lines = []
        for row in mine:
            rank = f"rank {rank_of(row)} of {len(rows)}" if others else ""
            lines.append((f"  {row.entry.title}", value_of(row.entry, figure), rank))
        yield from columns(lines)
        if others:
            yield from _neighbours(mine[0], rows, figure)


def _neighbours(own: Ranked, rows: Sequence[Ranked], figure: Figure) -> Iterator[str]:
    """The next entries above and below, as factors of this one."""
    place = rows.index(own)
    for row in (*rows[max(place - 1, 0) : place], *rows[place + 1 : place + 2]):
        if row.entry.contribution == own.entry.contribution:
            continue
        ratio = row.entry.value.value / own.entry.value.value
        factor = ratio if figure.more_is_better else 1 / ratio
        open_ = row.best <= own.worst and own.best <= row.worst
        state = "undecided" if open_ else write(factor, Unit.RATIO, digits=HEADLINE)
        yield f"    {row.entry.title}, rank {rank_of(row)}: {state}"


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
        ("  processor", f"{environment.cpu}, {environment.threads} threads"),
        ("  GPUs", gpus),
        ("  system", f"{environment.os}, Python {environment.python}"),
        ("  packages", packages),
        ("  variables", variables or "none"),
        ("  fingerprint", f"{environment.machine}, which identifies no person"),
    )
    yield from columns(rows)


def verdict(path: Path, contribution: Contribution, doubts: Iterable[Doubt]) -> Iterator[str]:
    """Whether a contribution is accepted, and every reason against it."""
    reasons = sorted(doubts, key=lambda doubt: not doubt.refuses)
    refused = sum(doubt.refuses for doubt in reasons)
    state = "refused" if refused else ("look at it" if reasons else "accepted")
    yield f"{path}: {state} ({len(contribution.records)} cells)"
    for doubt in reasons[:MOST]:
        where = f"{doubt.cell}: " if doubt.cell else ""
        yield f"  {doubt.kind}: {where}{doubt.message}"
    if len(reasons) > MOST:
        yield f"  and {len(reasons) - MOST} more"
