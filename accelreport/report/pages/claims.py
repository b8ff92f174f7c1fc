"""Every claim of every spec: a square for each by its state, and the page they lead to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from accelreport.analysis.claims import SIGNED, ClaimResult, ClaimVerdict
from accelreport.analysis.printed_claims import PrintedVerdict, printed_verdict
from accelreport.report.model import Page, Prose, Section, Table, Unit, Units
from accelreport.report.pages.sections.claims import claim_id, claims_section
from accelreport.report.pages.sections.problems import notices_of
from accelreport.report.text import label
from accelreport.report.view import BenchmarkView
from accelreport.spec.claims import (
    Check,
    DifferenceCheck,
    EquivalentCheck,
    QuantisedCheck,
    RatioCheck,
    TrendCheck,
    ValueCheck,
)

PATH = "claims.html"
"""Where the page lies."""

STATES = {
    "confirmed": "confirmed here",
    "refuted": "refuted here",
    "undecided": "undecided: more runs, or the real data, needed",
    "agree": "published figures agree, not run here",
    "contradict": "published figures contradict, not run here",
    "device": "needs a device that is not here",
}
"""State of a claim → what it means; in the order of the squares."""

_HERE = {
    ClaimVerdict.CONFIRMED: "confirmed",
    ClaimVerdict.REFUTED: "refuted",
    ClaimVerdict.UNDECIDED: "undecided",
    ClaimVerdict.WITHHELD: "undecided",
}
_PRINTED = {
    PrintedVerdict.AGREE: "agree",
    PrintedVerdict.CONTRADICT: "contradict",
    PrintedVerdict.SILENT: "device",
}


def state_of(bench: BenchmarkView, found: ClaimResult) -> str:
    """The state of a claim: what was measured decides; without it, what was published.

    A quality that was reached on a stand-in for the data decides nothing.
    """
    if not found.tested:
        return _PRINTED[printed_verdict(bench.plan, found.claim)]
    if found.stand_in == "synthetic" and about_quality(found.claim.check):
        return "undecided"
    return _HERE[found.verdict]


def about_quality(check: Check) -> bool:
    """Whether a check speaks of what was learnt, and not of time, rate or size."""
    if isinstance(check, EquivalentCheck | DifferenceCheck | QuantisedCheck):
        return True
    names: set[str] = set()
    if isinstance(check, ValueCheck):
        names = {check.value}
    elif isinstance(check, RatioCheck):
        names = {check.ratio, str(check.to)}
    elif isinstance(check, TrendCheck):
        names = {str(check.rises or check.falls)}
    return bool(names & SIGNED)


def units_of(benches: Sequence[BenchmarkView]) -> Units | None:
    """A square for each claim, those of one state together; None where no spec makes one.

    A claim that was tested in several profiles, or on several machines, is one: the full profile
    speaks before the others, and among its machines what was decided before what was not.
    """
    best: dict[tuple[str, str], tuple[tuple[bool, int], str, Unit]] = {}
    order = list(STATES)
    for bench in benches:
        for number, found in enumerate(bench.tested):
            state = state_of(bench, found)
            text = label(found.claim.text, 200)
            unit = Unit(f"{text}: {STATES[state]}", f"{PATH}#{claim_id(bench, number)}", state)
            tested = state in _HERE.values()
            rank = (not (tested and bench.plan.profile == "full"), order.index(state))
            place = (bench.plan.spec, found.claim.text)
            if place not in best or rank < best[place][0]:
                best[place] = (rank, state, unit)
    if not best:
        return None
    units = sorted((unit for _, _, unit in best.values()), key=lambda u: order.index(u.state))
    counts = {state: sum(unit.state == state for unit in units) for state in order}
    keys = tuple((state, STATES[state], count) for state, count in counts.items() if count)
    return Units(tuple(units), keys)


def claims_page(benches: Sequence[BenchmarkView]) -> Page:
    """The page: every claim with its verdict, its numbers, its rule and who said it."""
    section = claims_section(benches)
    if section is None:
        said = "No spec makes a claim. A `[[claims]]` table in a spec is tested here."
        section = Section("claims", "Claims", (Prose(said),))
    # A square leads to its row, which a reader should not have to unfold first.
    blocks = (
        replace(block, folded=False) if isinstance(block, Table) else block
        for block in section.blocks
    )
    said = section.finding or "No spec makes a claim."
    return Page(
        path=PATH,
        title="Claims",
        kicker="",
        finding=said,
        description=said,
        sections=(replace(section, blocks=tuple(blocks), finding=""),),
        template="tables.html",
        notices=notices_of(benches),
    )
