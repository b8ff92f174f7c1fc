"""Adds repeats until comparisons with the baseline and claims are decided.

This module does not know when a comparison is decided: it asks a stopping rule after all planned
cells, and again after the added ones. Added cells are ordinary cells. They are in the plan document
before the first of them starts, so an interrupted run continues with them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from accelreport.results.plan_document import (
    ClaimLook,
    Halt,
    Halted,
    Look,
    Looks,
    PlanDocument,
    profile_of,
)
from accelreport.results.record import Failure, Record
from accelreport.results.store import Store
from accelreport.runner.events import CellName, LookedAt, LookLine, Observer, named
from accelreport.runner.plan import Policy, RunPlan, make_plan
from accelreport.runner.plan_documents import extended, repeated
from accelreport.spec.base import Scalar
from accelreport.spec.cells import Cell


class StoppingRule(Protocol):
    """Decides when a comparison or a claim is decided."""

    def looks(self, planned: int) -> Looks:
        """The looks at comparisons with `planned` repeats."""

    def latest(self, plan: PlanDocument, records: Iterable[Record]) -> Sequence[Look]:
        """The verdict of every comparison of a plan, from the records of one machine."""

    def claims(self, plan: PlanDocument, records: Iterable[Record]) -> Sequence[ClaimLook]:
        """The verdicts of the claims of a plan that repeats can decide."""


Name = tuple[str, str]
"""Spec and profile of a cell."""


@dataclass
class AdaptiveRepeats:
    """The repeats that are added in one run.

    Attributes:
        stopping_rule: decides when a comparison is decided.
        documents: the plan documents of the current specs, with their looks.
        chosen: the selected cells; comparisons without all their planned repeats among them get no
            repeats.
        store: where records and plan documents are.
        machine: this machine's fingerprint.
        unavailable: why a cell cannot run here; None if it can.
        policy: what counts as done.
    """

    stopping_rule: StoppingRule
    documents: Sequence[PlanDocument]
    chosen: Sequence[Cell]
    store: Store
    machine: str
    unavailable: Callable[[Cell], Failure | None]
    policy: Policy
    _now: dict[Name, PlanDocument] = field(init=False)
    _places: dict[tuple[Name, str], dict[int, Cell]] = field(init=False)

    def __post_init__(self) -> None:
        self._places = {}
        for cell in self.chosen:
            place = ((cell.spec, cell.profile), _place(cell.device, cell.point))
            self._places.setdefault(place, {})[cell.repeat] = cell
        names = {name for name, _ in self._places}
        documents = {(document.spec, profile_of(document)): document for document in self.documents}
        self._now = {name: document for name, document in documents.items() if name in names}

    def possible(self) -> tuple[Cell, ...]:
        """The largest number of cells that may be added."""
        return tuple(
            cell
            for name, document in self._now.items()
            for cell in self._missing(name, document, self._looked(name, document), to_the_end=True)
        )

    def further(self, observer: Observer) -> RunPlan:
        """The next cells, written into the plan documents; none at the end.

        Raises:
            ResultsError: the results folder cannot be written.
        """
        cells: list[Cell] = []
        looks: list[LookedAt] = []
        for name, document in self._now.items():
            looked = self._looked(name, document)
            more = self._missing(name, document, looked)
            looks += [
                LookedAt(
                    spec=document.spec,
                    profile=document.profile,
                    device=look.device,
                    point=dict(look.point),
                    repeats=look.repeats,
                    verdict=look.verdict,
                    wanted=look.wanted,
                    reason=_reason(look.halted) if look.halted else "",
                )
                for look in looked
            ]
            cells += more
            if more:
                self._now[name] = extended(document, more, document.until_decided)
                self.store.write_plan(self._now[name])
        plan = make_plan(
            cells,
            earlier=lambda key: self.store.get(key, self.machine),
            unavailable=self.unavailable,
            policy=self.policy,
            documents=self.documents,
        )
        added = [planned.cell for planned in plan.cells]
        observer.on(
            LookLine(
                comparisons=looks,
                cells=[CellName(**named(cell)) for cell in added],
                todo=[planned.cell for planned in plan.of("run")],
            )
        )
        return plan

    def _looked(self, name: Name, document: PlanDocument) -> list[Look]:
        """The verdicts of the comparisons to which this run may add repeats."""
        return [
            look
            for look in self.stopping_rule.latest(document, self._records(document))
            if all(
                self._complete(name, document, point, device)
                for device, point in (
                    (look.device, look.point),
                    document.baseline.place("", look.point),
                )
            )
        ]

    def _records(self, document: PlanDocument) -> Iterator[Record]:
        for cell in document.cells:
            record = self.store.get(cell.key, self.machine)
            if record is not None:
                yield record

    def _complete(
        self, name: Name, document: PlanDocument, point: Mapping[str, Scalar], device: str
    ) -> bool:
        """Whether every planned repeat of a device is among the selected cells."""
        cells = self._places.get((name, _place(device, point)), {})
        here = cells and self.unavailable(next(iter(cells.values()))) is None
        return bool(here) and all(repeat in cells for repeat in range(document.measure.repeats))

    def _missing(
        self,
        name: Name,
        document: PlanDocument,
        looked: Sequence[Look],
        *,
        to_the_end: bool = False,
    ) -> list[Cell]:
        """The cells that the next look needs and the document does not have."""
        known = {cell.key for cell in document.cells}
        last = document.until_decided.at[-1] if document.until_decided else 0
        asked = [
            (device, point, look.wanted)
            for look in looked
            if look.wanted
            for device, point in (
                document.baseline.place("", look.point),
                (look.device, look.point),
            )
        ]
        # A claim gets repeats if all its devices and points can run.
        asked += [
            (device, point, claim.wanted)
            for claim in self.stopping_rule.claims(document, self._records(document))
            if claim.wanted
            and all(self._complete(name, document, point, device) for device, point in claim.places)
            for device, point in claim.places
        ]
        cells: dict[str, Cell] = {}
        for device, point, wanted in asked:
            like = next(iter(self._places[name, _place(device, point)].values()))
            for repeat in range(document.measure.repeats, last if to_the_end else wanted):
                cell = repeated(like, repeat)
                cells[cell.key] = cell
        return [cell for key, cell in cells.items() if key not in known]


def _place(device: str, point: Mapping[str, Scalar]) -> str:
    return repr((device, dict(point)))


def _reason(halted: Halted) -> str:
    if halted.why is Halt.MOST:
        return f"{halted.repeat} repeats are the most allowed"
    if halted.why is Halt.INPUT:
        return "its input differs from the baseline's"
    whose = "the baseline's" if halted.baseline else "its"
    return f"{whose} repeat {halted.repeat} has no time ({halted.problem or 'no steady step'})"
