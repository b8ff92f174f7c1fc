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

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from accelreport.analysis.claim_rules import Place, places_of, verdict_of
from accelreport.analysis.claims import ClaimVerdict
from accelreport.analysis.invalid_results import REFUSED
from accelreport.analysis.results import PointKey, Result, point_key, results_of
from accelreport.analysis.speedup import Rules, speedups_of
from accelreport.analysis.stats import DECIDED, LEVEL, Verdict
from accelreport.results.plan_document import Looks, PlanDocument
from accelreport.results.record import Record
from accelreport.spec.claims import Claim

LOOKS = (3, 5, 10, 20)
"""Numbers of repeats after which there is a look."""

LOOK_LEVEL = 1 - (1 - LEVEL) / len(LOOKS)
"""Confidence level of the interval at each look: 98.75 %."""


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


_Place = tuple[str, PointKey]
"""A device and a sweep point."""

_Repeats = dict[int, Result]
"""The processes of one device at one point, by repeat."""


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
    looks = plan.until_decided
    results = results_of(plan, records)
    place = {each.key: (each.device, each.where) for each in results}
    point = {place[cell.key]: dict(cell.point) for cell in plan.cells}
    repeats: dict[_Place, _Repeats] = {where: {} for where in point}
    for each in results:
        if each.machine:
            repeats[place[each.key]][each.repeat] = each
    most = max((n for own in repeats.values() for n in own), default=-1) + 1
    verdicts = {n: _verdicts(plan, n, results) for n in looks.at if n <= most}
    return [
        _last(
            Look(device, point[device, where], 0, Verdict.NOT_MEASURED.value),
            (own, repeats.get((plan.baseline, where), {})),
            looks,
            {n: found[device, where] for n, found in verdicts.items() if (device, where) in found},
        )
        for (device, where), own in repeats.items()
        if device != plan.baseline
    ]


def _verdicts(plan: PlanDocument, n: int, results: Iterable[Result]) -> dict[_Place, Verdict]:
    """What the first `n` repeats say of every speedup.

    One that must not stand alone is decided, too: more repeats do not change what it lacks.
    """
    first = [each for each in results if each.repeat < n]
    found = speedups_of(plan, first, Rules(looks=plan.until_decided))
    return {
        (each.device, each.own.results[0].where): estimate.verdict
        for each in found
        if (estimate := each.estimate or each.qualified)
    }


def _last(
    look: Look, pair: tuple[_Repeats, _Repeats], looks: Looks, verdicts: Mapping[int, Verdict]
) -> Look:
    own, base = pair
    for n in looks.at:
        if reason := _obstacle(n, own, base):
            return replace(look, reason=reason)
        if any(repeat not in group for group in pair for repeat in range(n)):
            return replace(look, wanted=n)
        look = replace(look, repeats=n, verdict=verdicts[n].value)
        if verdicts[n] in DECIDED:
            return look
    return replace(look, reason=f"{looks.at[-1]} repeats are the most allowed")


def _obstacle(n: int, own: _Repeats, base: _Repeats) -> str:
    """Why repeats are not added: what failed once costs its whole time again."""
    for name, group in (("its", own), ("the baseline's", base)):
        for repeat in range(n):
            if repeat in group and (problem := _problem(group[repeat])):
                return f"{name} repeat {repeat} has no time ({problem})"
    shared = [repeat for repeat in range(n) if repeat in own and repeat in base]
    if any(own[repeat].fingerprint != base[repeat].fingerprint for repeat in shared):
        return "its input differs from the baseline's"
    return ""


def _problem(result: Result) -> str:
    """Why a process has no time, in a word; empty where it has one."""
    if result.measured:
        return "" if result.seconds > 0 else "no steady step"
    kind = result.failure_kind
    return f"{REFUSED}: {kind}" if result.refused else kind or result.status


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
            reason = (
                f"repeat {failed.repeat} of {failed.device} has no number ({_described(failed)})"
            )
            return replace(last, reason=reason)
        if sum(bool(each.machine) for each in first) < n * len(wanted):
            return replace(last, wanted=n)
        found = verdict_of(plan, first, claim)
        last = replace(last, repeats=n, verdict=found.value)
        if found is not ClaimVerdict.UNDECIDED:
            return last
    return replace(last, reason=f"{looks[-1]} repeats are the most allowed")


def _described(failed: Result) -> str:
    """What became of a process, with its record's own sentence where that has one."""
    said = f": {failed.failure_message}" if failed.failure_message else ""
    return f"{failed.status} ({failed.failure_kind}){said}"


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
