"""A folder of contributions: refused ones, the ranks of the others, and published rates."""

from __future__ import annotations

import gc
import multiprocessing
import os
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path

from accelreport.analysis.compare import facts
from accelreport.analysis.cost import Price, price_of
from accelreport.analysis.hardware import named_in
from accelreport.analysis.overview import PublishedRate, published_rates
from accelreport.analysis.results import matches
from accelreport.chips.agreement import Trace, between, trace_of
from accelreport.chips.contribution import paths_in, read
from accelreport.chips.ranking import FIGURES, Entry, Figure, Ranked, entries, ranked
from accelreport.chips.verify import Doubt, doubts
from accelreport.datasets.catalogue import CATALOGUE
from accelreport.errors import AccelReportError
from accelreport.loader.first_spec import DEVICES, SYSTEMS
from accelreport.loader.load import load
from accelreport.results.plan_document import plan_document
from accelreport.results.record import Environment
from accelreport.spec.cells import SpecSet

INVENTED = "Invented "
"""The name of a processor that does not exist begins so: examples and tests are marked by it."""

PATIENCE = 200_000
"""New containers after which such a process looks for cycles."""
FEW = 40
"""Contributions up to which one process verifies them."""


@dataclass(frozen=True)
class Submission:
    """One contribution that was verified.

    Attributes:
        file: its name in the folder.
        name: its canonical name.
        environment: of the machine.
        facts: fact → values of machine and software, each once.
        measured_at: the instant of its first record.
        kind: CPU, GPU or TPU.
        cells: how many were measured.
        entries: figure → its devices; none where it is refused, since its values are none.
        doubts: reasons not to believe it.
        trace: what others are compared with.
    """

    file: str
    name: str
    environment: Environment
    facts: Mapping[str, Collection[str]]
    measured_at: str
    kind: str
    cells: int
    entries: Mapping[str, Sequence[Entry]]
    doubts: Sequence[Doubt]
    trace: Trace

    @property
    def machine(self) -> str:
        """Fingerprint of the machine."""
        return self.environment.machine

    @property
    def refused(self) -> bool:
        """Whether no measurement gives its numbers."""
        return any(doubt.refuses for doubt in self.doubts)

    @property
    def invented(self) -> bool:
        """Whether its hardware does not exist."""
        return self.environment.cpu.startswith(INVENTED)


@dataclass(frozen=True)
class Refusal:
    """A file that is not ranked, and why."""

    file: str
    reasons: Sequence[str]


@dataclass(frozen=True, eq=False)
class Board:
    """The contributions of a folder.

    Attributes:
        histories: fingerprint → what a machine contributed, in order of time; the last is ranked.
        refused: files that are not ranked.
        published: figure → who printed a rate of the same network at the same batch size, on what
            data, and it.
    """

    histories: Mapping[str, Sequence[Submission]]
    refused: Sequence[Refusal]
    published: Mapping[str, Sequence[tuple[str, PublishedRate]]]

    @cached_property
    def machines(self) -> list[Submission]:
        """The latest contribution of each machine."""
        return [history[-1] for history in self.histories.values()]

    @cached_property
    def ranks(self) -> Mapping[str, Sequence[Ranked]]:
        """Name of a figure → every device of a machine that has it, the best first."""
        every = {f: [e for m in self.machines for e in m.entries[f.name]] for f in FIGURES}
        return {figure.name: ranked(rows, figure) for figure, rows in every.items()}

    @cached_property
    def ranks_of(self) -> Mapping[str, Sequence[tuple[Figure, Ranked]]]:
        """Name of a contribution → its ranks by every figure."""
        own: dict[str, list[tuple[Figure, Ranked]]] = defaultdict(list)
        for figure in FIGURES:
            for row in self.ranks[figure.name]:
                own[row.entry.contribution].append((figure, row))
        return own


def board_of(folder: Path) -> Board:
    """The contributions in a folder, each verified alone and against those it has to agree with.

    Raises:
        ResultsError: the folder has no file `*.zip`.
    """
    verified = _verified(paths_in(folder))
    refused = [item for item in verified if isinstance(item, Refusal)]
    histories: dict[str, list[Submission]] = defaultdict(list)
    submissions = _compared([item for item in verified if isinstance(item, Submission)])
    for submission in sorted(submissions, key=lambda one: (one.measured_at, one.file)):
        if submission.refused:
            reasons = [doubt.message for doubt in submission.doubts if doubt.refuses]
            refused.append(Refusal(submission.file, reasons))
        else:
            histories[submission.machine].append(submission)
    refused.sort(key=lambda refusal: refusal.file)
    return Board(dict(sorted(histories.items())), refused, _published())


def _verified(paths: Sequence[Path]) -> list[Submission | Refusal]:
    """The contributions in files, each verified alone."""
    if len(paths) <= FEW or (workers := min(os.cpu_count() or 1, len(paths))) < 2:
        return list(map(_verified_file, paths))
    context = multiprocessing.get_context("spawn")
    # Records have no cycles, and looking for some takes a quarter of the time.
    with ProcessPoolExecutor(workers, context, gc.set_threshold, (PATIENCE,)) as pool:
        return list(pool.map(_verified_file, paths, chunksize=4))


def _verified_file(path: Path) -> Submission | Refusal:
    try:
        contribution = read(path)
    except AccelReportError as error:
        return Refusal(path.name, [error.why or error.what])
    known: dict[str, dict[str, None]] = defaultdict(dict)
    for name, value in (fact for one in contribution.records for fact in facts(one).items()):
        known[name].setdefault(value)
    reasons = doubts(contribution)
    refused = any(reason.refuses for reason in reasons)
    return Submission(
        file=path.name,
        name=contribution.name,
        environment=contribution.environment,
        facts={name: list(known[name]) for name in facts(contribution.first)},
        measured_at=contribution.records[0].started_at,
        kind=contribution.kind,
        cells=len(contribution.measured),
        entries={} if refused else _priced(entries(contribution)),
        doubts=reasons,
        trace=trace_of(contribution),
    )


def _compared(submissions: Sequence[Submission]) -> list[Submission]:
    """The submissions with the doubts that the others give.

    What is refused by itself says nothing against others, since it may be an edited copy of them.
    """
    believed = [submission for submission in submissions if not submission.refused]
    more = between([submission.trace for submission in believed])
    by_file = {one.file: doubts for one, doubts in zip(believed, more, strict=True)}
    return [replace(one, doubts=[*one.doubts, *by_file.get(one.file, ())]) for one in submissions]


@cache
def _sources() -> SpecSet:
    """The specs with the published figures of the networks that chips are ranked by."""
    names = sorted({figure.published for figure in FIGURES if figure.published})
    return load([SYSTEMS / f"{name}.toml" for name in names], devices_file=SYSTEMS / DEVICES)


def _priced(figures: Mapping[str, Sequence[Entry]]) -> dict[str, list[Entry]]:
    """Entries with the price of an hour that the devices file gives for their hardware."""
    return {
        name: [replace(row, price=row.price or _list_price(row.hardware)) for row in rows]
        for name, rows in figures.items()
    }


@cache
def _list_price(hardware: str) -> Price | None:
    """The latest price that the devices file gives for an hour of such hardware."""
    known = named_in(hardware)
    offers = [
        device
        for device in _sources().devices.values()
        if named_in(device.label) is known and device.all_replicas == 1
    ]
    priced = [price for device in offers if (price := price_of(device))]
    return max(priced, key=lambda price: price.date) if known and priced else None


def _published() -> dict[str, list[tuple[str, PublishedRate]]]:
    """Figure → the rates of its network that a source prints, without those that are derived."""
    plans = {spec.name: plan_document(spec, {}) for spec in _sources().specs}
    return {
        figure.name: [
            (f"{source.authors}, {CATALOGUE[plan.workload['dataset']].title}", rate)
            for rate in published_rates(plan)
            if rate.comparable and not rate.flags and rate.row.mark != "D"
            if matches(rate.row.where, dict(figure.point))
        ]
        for figure in FIGURES
        if (plan := plans.get(figure.published)) and (source := plan.source)
    }
