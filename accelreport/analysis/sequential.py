"""Whether a comparison, or a claim, is decided, and if not, how many repeats to look at next.

Looking again and again until something is decided calls differences between equals far more
often than an interval's level says. So there is a fixed, short schedule of looks, and the
error that one interval may make is shared out evenly among them (Bonferroni): whatever the
data do, all intervals of a schedule hold the truth together in at least 95 % of experiments.
How often the procedure errs is simulated in docs/statistics.md.

A look at n uses the first n repeats only, so the decision follows from the records alone:
it is the same however often a run was interrupted, and whatever was measured beyond it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from accelreport.analysis.claim_rules import Place, places_of, verdict_of
from accelreport.analysis.claims import ClaimVerdict
from accelreport.analysis.frames import cells_frame
from accelreport.analysis.invalid_results import REFUSED
from accelreport.analysis.results import Result, point_key, results_of
from accelreport.analysis.stats import (
    LEVEL,
    MARGIN,
    Contrast,
    Verdict,
    compare,
    known_spread,
    level_over,
    logarithms,
    verdict,
)
from accelreport.results.plan_document import Looks, PlanDocument
from accelreport.results.record import MEASURED, Record
from accelreport.spec.claims import Claim

LOOKS = (3, 5, 10, 20)
"""Numbers of repeats after which there is a look."""

LOOK_LEVEL = 1 - (1 - LEVEL) / len(LOOKS)
"""Confidence level of the interval at each look: 98.75 %."""

DECIDED = (Verdict.FASTER, Verdict.SLOWER, Verdict.SAME)
"""Verdicts after which nothing more is measured."""


def schedule(planned: int, most: int = LOOKS[-1]) -> Looks:
    """The looks at comparisons of which `planned` repeats are measured anyway.

    The first look is at the planned repeats, or at three where fewer are planned; the last
    is at `most`. There are never more looks than `LOOKS` has, so `LOOK_LEVEL` is enough.

    Raises:
        ValueError: `most` lies outside the schedule.
    """
    if not LOOKS[0] <= most <= LOOKS[-1]:
        raise ValueError(f"most must lie in {LOOKS[0]} to {LOOKS[-1]}, not {most}")
    first = max(planned, LOOKS[0])
    later = sorted(n for n in {*LOOKS, most} if first < n <= most)
    return Looks(at=[first, *later], level=LOOK_LEVEL)


def level_of(plan: PlanDocument, level: float = LEVEL) -> float:
    """The level of the intervals of one look that, over all looks, are right at `level`.

    It is `level` itself for a plan whose repeats were fixed beforehand.
    """
    return level_over(plan.until_decided, level)


MISSING = "missing"
"""The status of a cell that has no record."""


@dataclass(frozen=True)
class Look:
    """What the last look at one comparison with the baseline found.

    Attributes:
        device: the device that is compared with the baseline.
        point: the sweep point.
        repeats: repeats looked at; 0 when it could not be looked at.
        verdict: what is said of the speedup at that look's level.
        wanted: repeats, counted from the first, that the next look needs; 0 when there is
            no next one.
        reason: why there is no next look although nothing is decided; empty otherwise.
    """

    device: str
    point: dict[str, Any]
    repeats: int
    verdict: str
    wanted: int = 0
    reason: str = ""


@dataclass(frozen=True)
class _Process:
    """A cell's process: seconds a step (None when it has none), and its input."""

    seconds: float | None
    fingerprint: str
    problem: str


_Repeats = dict[int, _Process]
"""The processes of one device at one point, by repeat."""

_Comparison = tuple[str, tuple[tuple[str, Any], ...]]


def latest_looks(plan: PlanDocument, records: Iterable[Record]) -> list[Look]:
    """The last look at every comparison with the baseline, in the order of the plan.

    Args:
        plan: the plan, with `until_decided` and every cell added so far.
        records: records of its cells, of one machine.

    Raises:
        ValueError: the plan has no looks.
    """
    if plan.until_decided is None:
        raise ValueError(f"the plan of {plan.spec} has no looks")
    frame = cells_frame(plan, records)
    by_key = {row["key"]: _process(row) for row in frame.to_dict("records")}
    groups: dict[_Comparison, _Repeats] = {}
    for cell in plan.cells:
        group = groups.setdefault((cell.device, tuple(cell.point.items())), {})
        if by_key[cell.key].problem != MISSING:
            group[cell.repeat] = by_key[cell.key]
    looks = plan.until_decided
    pairs = {
        (device, point): (group, groups.get((plan.baseline, point), {}))
        for (device, point), group in groups.items()
        if device != plan.baseline
    }
    spreads = {
        (device, n): _spread(n, [pair for (other, _), pair in pairs.items() if other == device])
        for device in {device for device, _ in pairs}
        for n in looks.at
    }
    return [
        _last(looks, device, dict(point), own, base, {n: spreads[device, n] for n in looks.at})
        for (device, point), (own, base) in pairs.items()
    ]


def _spread(n: int, pairs: list[tuple[_Repeats, _Repeats]]) -> float:
    """What is known of the spread of two devices' comparisons from the first `n` repeats."""
    timed = [(_seconds(n, own), _seconds(n, base)) for own, base in pairs]
    return known_spread((_difference(own, base), own, base) for own, base in timed if own and base)


def _seconds(n: int, group: _Repeats) -> dict[int, float]:
    """The times of the first `n` repeats that have one."""
    return {number: each.seconds for number, each in group.items() if number < n and each.seconds}


def _difference(
    own: Mapping[int, float], base: Mapping[int, float], spread: float = 0.0
) -> Contrast:
    return compare((1.0, logarithms(base)), (-1.0, logarithms(own)), spread=spread)


def _process(row: Mapping[Hashable, Any]) -> _Process:
    """A row of `cells_frame`, which has no time where a page would show none."""
    seconds, fingerprint = row["steady_step_s"], row["fingerprint"]
    if row["status"] not in MEASURED:
        kind = row["failure_kind"]
        problem = f"{REFUSED}: {kind}" if row["status"] == REFUSED else kind or row["status"]
        return _Process(None, fingerprint, problem)
    if not seconds > 0:
        return _Process(None, fingerprint, "no steady step")
    return _Process(seconds, fingerprint, "")


def _last(
    looks: Looks,
    device: str,
    point: dict[str, Any],
    own: _Repeats,
    base: _Repeats,
    spreads: Mapping[int, float],
) -> Look:
    last = Look(device, point, 0, Verdict.NOT_MEASURED.value)
    for n in looks.at:
        if reason := _obstacle(n, own, base):
            return Look(device, point, last.repeats, last.verdict, reason=reason)
        if any(repeat not in group for group in (own, base) for repeat in range(n)):
            return Look(device, point, last.repeats, last.verdict, wanted=n)
        difference = _difference(_seconds(n, own), _seconds(n, base), spreads[n])
        said = verdict(difference.ratio(looks.level), MARGIN)
        last = Look(device, point, n, said.value)
        if said in DECIDED:
            return last
    reason = f"{looks.at[-1]} repeats are the most allowed"
    return Look(device, point, last.repeats, last.verdict, reason=reason)


def _obstacle(n: int, own: _Repeats, base: _Repeats) -> str:
    """Why repeats are not added: what failed once costs its whole time again."""
    for name, group in (("its", own), ("the baseline's", base)):
        for repeat in range(n):
            if repeat in group and group[repeat].problem:
                return f"{name} repeat {repeat} has no time ({group[repeat].problem})"
    shared = [repeat for repeat in range(n) if repeat in own and repeat in base]
    if any(own[repeat].fingerprint != base[repeat].fingerprint for repeat in shared):
        return "its input differs from the baseline's"
    return ""


@dataclass(frozen=True)
class ClaimLook:
    """What the last look at one claim found.

    Attributes:
        text: the claim's sentence.
        places: devices and sweep points whose repeats decide it.
        repeats: repeats looked at; 0 when it could not be looked at.
        verdict: what is said of it at that look's level.
        wanted: repeats, counted from the first, that the next look needs; 0 when there is
            no next one.
        reason: why there is no next look although nothing is decided; empty otherwise.
    """

    text: str
    places: Sequence[Place]
    repeats: int
    verdict: str
    wanted: int = 0
    reason: str = ""


def latest_claims(plan: PlanDocument, records: Iterable[Record]) -> list[ClaimLook]:
    """The last look at every claim that repeats can decide, in the order of the plan.

    Args:
        plan: the plan, with `until_decided` and every cell added so far.
        records: records of its cells, of one machine.

    Raises:
        ValueError: the plan has no looks.
    """
    if plan.until_decided is None:
        raise ValueError(f"the plan of {plan.spec} has no looks")
    results = results_of(plan, records)
    looked = []
    for claim in plan.claims:
        places = places_of(plan, results, claim.check)
        if places:
            looked.append(_last_of_claim(plan, results, claim, places))
    return looked


def _last_of_claim(
    plan: PlanDocument, results: Sequence[Result], claim: Claim, places: Sequence[Place]
) -> ClaimLook:
    looks = plan.until_decided.at if plan.until_decided else []
    wanted = {(device, point_key(point)) for device, point in places}
    concerned = [each for each in results if (each.device, each.where) in wanted]
    last = ClaimLook(claim.text, places, 0, ClaimVerdict.NOT_TESTED.value)
    for n in looks:
        first = [each for each in concerned if each.repeat < n]
        failed = next((each for each in first if each.machine and not each.measured), None)
        if failed is not None:
            reason = f"repeat {failed.repeat} of {failed.device} has no number ({failed.problem})"
            return replace(last, reason=reason)
        if sum(bool(each.machine) for each in first) < n * len(wanted):
            return replace(last, wanted=n)
        found = verdict_of(plan, first, claim)
        last = replace(last, repeats=n, verdict=found.value)
        if found is not ClaimVerdict.UNDECIDED:
            return last
    return replace(last, reason=f"{looks[-1]} repeats are the most allowed")


@dataclass(frozen=True)
class UntilDecided:
    """The rule by which a run adds repeats until comparisons and claims are decided.

    Attributes:
        most: repeats after which nothing is added, 3 to 20.
    """

    most: int = LOOKS[-1]

    def looks(self, planned: int) -> Looks:
        """See `schedule`."""
        return schedule(planned, self.most)

    def latest(self, plan: PlanDocument, records: Iterable[Record]) -> list[Look]:
        """See `latest_looks`."""
        return latest_looks(plan, records)

    def claims(self, plan: PlanDocument, records: Iterable[Record]) -> list[ClaimLook]:
        """See `latest_claims`."""
        return latest_claims(plan, records)
