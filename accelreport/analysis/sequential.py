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

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from accelreport.analysis.claim_rules import places_of, verdict_of
from accelreport.analysis.claims import ClaimVerdict
from accelreport.analysis.results import PointKey, Result, point_key, results_of
from accelreport.analysis.speedup import Rules, inputs_differ, speedups_of
from accelreport.analysis.stats import DECIDED, LEVEL, Verdict, verdict
from accelreport.analysis.warnings import REFUSED
from accelreport.results.plan_document import ClaimLook, Halt, Halted, Look, Looks, PlanDocument
from accelreport.results.record import Record
from accelreport.spec.claims import Claim

LOOKS = (3, 5, 10, 20)
"""Numbers of repeats after which there is a look."""

LOOK_LEVEL = 1 - (1 - LEVEL) / len(LOOKS)
"""Confidence level of the interval at each look: 98.75 %."""


_Repeats = dict[int, Result]
"""The processes of one device at one point, by repeat."""


@dataclass(frozen=True)
class UntilDecided:
    """The rule by which a run adds repeats until comparisons and claims are decided.

    Attributes:
        most: repeats after which nothing is added, 3 to 20.
    """

    most: int = LOOKS[-1]

    def looks(self, planned: int) -> Looks:
        """The looks at comparisons of which `planned` repeats are measured anyway.

        The first look is at the planned repeats, or at three where fewer are planned; the last
        is at `most`. There are never more looks than `LOOKS` has, so `LOOK_LEVEL` is enough.

        Raises:
            ValueError: `most` lies outside the schedule.
        """
        if not LOOKS[0] <= self.most <= LOOKS[-1]:
            raise ValueError(f"most must lie in {LOOKS[0]} to {LOOKS[-1]}, not {self.most}")
        first = max(planned, LOOKS[0])
        later = sorted(n for n in {*LOOKS, self.most} if first < n <= self.most)
        return Looks(at=[first, *later], level=LOOK_LEVEL)

    def latest(self, plan: PlanDocument, records: Iterable[Record]) -> list[Look]:
        """The last look at every comparison with the baseline, in the order of the plan.

        Args:
            plan: the plan, with `until_decided` and every cell added so far.
            records: records of its cells, of one machine.

        Raises:
            ValueError: the plan has no looks.
        """
        return self._latest(plan, results_of(plan, records))

    def further(
        self, plan: PlanDocument, results: Sequence[Result]
    ) -> Iterator[tuple[str, PointKey, int]]:
        """The next looks of a plan that has none yet: device, point and further repeats.

        A look has a wider interval than a run of a fixed number of repeats, so it may open again
        what that run decided.

        Args:
            plan: the plan.
            results: its cells, on one machine.
        """
        planned = plan.measure.repeats
        looks = plan.until_decided or self.looks(planned)
        for look in self._latest(plan.model_copy(update={"until_decided": looks}), results):
            if look.wanted > planned:
                base, beside = plan.baseline.place("", look.point)
                yield look.device, point_key(look.point), look.wanted - planned
                yield base, point_key(beside), look.wanted - planned

    def _latest(self, plan: PlanDocument, results: Sequence[Result]) -> list[Look]:
        at = _looks_of(plan)
        place = {process.key: (process.device, process.where) for process in results}
        # What another machine measured is none of these results.
        cells = (cell for cell in plan.cells if cell.key in place)
        point = {place[cell.key]: dict(cell.point) for cell in cells}
        repeats: dict[tuple[str, PointKey], _Repeats] = {where: {} for where in point}
        for result in results:
            if result.machine:
                repeats[place[result.key]][result.repeat] = result
        most = max((n for own in repeats.values() for n in own), default=-1) + 1
        verdicts = {n: _verdicts(plan, n, results) for n in at if n <= most}
        return [
            _last_look(
                Look(device, point[device, where], Verdict.NOT_MEASURED),
                (own, repeats.get((base, point_key(beside)), {})),
                at,
                {
                    n: known[device, where]
                    for n, known in verdicts.items()
                    if (device, where) in known
                },
            )
            for (device, where), own in repeats.items()
            for base, beside in [plan.baseline.place("", point[device, where])]
            if not plan.baseline.is_at(device, point[device, where])
        ]

    def claims(self, plan: PlanDocument, records: Iterable[Record]) -> list[ClaimLook]:
        """What the next look at every claim that repeats can decide needs, as `latest`."""
        at, results = _looks_of(plan), results_of(plan, records)
        looks = []
        for claim in plan.claims:
            if places := places_of(plan, results, claim.rule):
                wanted = {(device, point_key(point)) for device, point in places}
                concerned = [row for row in results if (row.device, row.where) in wanted]
                looks.append(ClaimLook(places, _wanted(plan, at, claim, concerned, len(wanted))))
        return looks


def _looks_of(plan: PlanDocument) -> list[int]:
    if plan.until_decided is None:
        raise ValueError(f"the plan of {plan.spec} has no looks")
    return plan.until_decided.at


def _verdicts(
    plan: PlanDocument, n: int, results: Iterable[Result]
) -> dict[tuple[str, PointKey], Verdict]:
    """The verdict of every speedup by the first `n` repeats.

    A withheld one is decided, too: more repeats do not change why it is withheld.
    """
    first = [result for result in results if result.repeat < n]
    speedups = speedups_of(plan, first, Rules(looks=plan.until_decided))
    return {
        (speedup.device, speedup.own.results[0].where): verdict(estimate.interval)
        for speedup in speedups
        if (estimate := speedup.computed)
    }


def _last_look(
    look: Look, pair: tuple[_Repeats, _Repeats], at: Sequence[int], verdicts: Mapping[int, Verdict]
) -> Look:
    for n in at:
        if halted := _halted(n, *pair):
            return replace(look, halted=halted)
        if any(repeat not in group for group in pair for repeat in range(n)):
            return replace(look, wanted=n)
        look = replace(look, repeats=n, verdict=verdicts[n])
        if verdicts[n] in DECIDED:
            return look
    return replace(look, halted=Halted(Halt.MOST, at[-1]))


def _halted(n: int, own: _Repeats, base: _Repeats) -> Halted | None:
    """Why a look at `n` repeats cannot be made; None if it can."""
    for baseline, group in ((False, own), (True, base)):
        for repeat in range(n):
            if repeat in group and not group[repeat].timed:
                result, problem = group[repeat], ""
                if not result.measured:
                    kind = result.failure_kind
                    problem = f"{REFUSED}: {kind}" if result.refused else kind or result.status
                return Halted(Halt.UNTIMED, repeat, baseline, problem)
    shared = [repeat for repeat in range(n) if repeat in own and repeat in base]
    if inputs_differ([own[repeat] for repeat in shared], [base[repeat] for repeat in shared]):
        return Halted(Halt.INPUT)
    return None


def _wanted(
    plan: PlanDocument, at: Sequence[int], claim: Claim, concerned: Sequence[Result], places: int
) -> int:
    """The repeats that the next look at a claim needs; 0 where there is none."""
    for n in at:
        first = [result for result in concerned if result.repeat < n]
        if any(result.machine and not result.measured for result in first):
            return 0
        if sum(bool(result.machine) for result in first) < n * places:
            return n
        if verdict_of(plan, first, claim) is not ClaimVerdict.UNDECIDED:
            return 0
    return 0
