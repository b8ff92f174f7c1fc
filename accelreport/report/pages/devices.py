"""Each machine, what was run on it and what is known of it; and devices that were not measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from accelreport.analysis.cost import price_of
from accelreport.report import quantity
from accelreport.report.model import (
    Column,
    Download,
    Entry,
    Facts,
    Line,
    Page,
    Row,
    RowGroup,
    Section,
    Table,
    entry,
    table_row,
    under,
)
from accelreport.report.pages.badges import KINDS as REASONS
from accelreport.report.pages.badges import kind_text
from accelreport.report.pages.hardware import (
    KINDS,
    Listing,
    driven_text,
    listings,
    software_lines,
)
from accelreport.report.pages.machines import (
    DEVICES,
    hardware_facts,
    machine_id,
    machine_line,
    software_facts,
)
from accelreport.report.pages.sections.cost import price_text
from accelreport.report.text import label, sentence
from accelreport.report.view import BenchmarkView
from accelreport.results.record import Environment

MOST_NAMED = 8
"""Devices that a sentence names; more are counted."""


def devices_page(benches: Sequence[BenchmarkView]) -> Page:
    """The page; nothing on it depends on a time that was measured."""
    devices = listings(benches)
    absent = [device for device in devices if not _done(device)]
    machines = sorted({machine for device in devices for machine in device.machines})
    inventory = _Inventory(devices)
    software = [
        Facts(tuple(facts), title=f"Machine {label(machine, 20)}", long=True)
        for machine in machines
        if (facts := software_facts(inventory.environments(machine)))
    ]
    sections = [inventory.machine(machine) for machine in machines]
    if absent:
        sections.append(inventory.absent(absent))
    if software:
        sections.append(Section("software", "Software and variables", tuple(software), folded=True))
    return Page(
        path=DEVICES,
        title="Devices and machines",
        headline=_headline([device for device in devices if _done(device)], len(machines)),
        finding=f"Not measured: {_kinds(absent)}." if absent else "No device is without a number.",
        sections=tuple(sections),
        template="article.html",
        crumbs=(Download("index.html", "All benchmarks"),),
    )


def _done(listing: Listing) -> bool:
    return any(row.measured for row in listing.rows)


def _kinds(devices: Sequence[Listing]) -> str:
    """How many configurations of which kind: "15 configurations of a CPU and 2 of a TPU"."""
    counts: Counter[str] = Counter(device.device.kind for device in devices)
    first, *others = (kind for kind in KINDS if counts[kind])
    said = [f"{quantity.plural(counts[first], 'configuration')} of a {first}"]
    return quantity.listed([*said, *(f"{counts[kind]} of a {kind}" for kind in others)])


def _headline(done: Sequence[Listing], machines: int) -> str:
    if not done:
        return "Nothing has been measured yet"
    who = "One machine ran" if machines == 1 else f"{machines} machines ran"
    return f"{who} {_kinds(done)}"


class _Inventory:
    """Sections in which each device has one row that links of other pages lead to."""

    def __init__(self, devices: Sequence[Listing]) -> None:
        self._devices = devices
        self._anchored: set[str] = set()
        priced = any(price_of(device.device) for device in devices)
        self._price = (Column("price"),) if priced else ()

    def environments(self, machine: str) -> list[Environment]:
        """The surroundings of all cells that ran on a machine."""
        return [e for device in self._devices for e in device.machines.get(machine, ())]

    def machine(self, machine: str) -> Section:
        """What was run on a machine, by framework, and what is known of it."""
        own = [device for device in self._devices if machine in device.machines]
        groups: dict[str, list[Row]] = {}
        for device in own:
            rows = [row for row in device.rows if row.machine in {machine, ""}]
            lost = Counter(kind_text(row) for row in rows if not row.measured)
            done = quantity.count(len(rows) - lost.total())
            cells = f"{done} of {quantity.plural(len(rows), 'cell')}"
            counts = [f"{why}: {quantity.count(count)}" for why, count in sorted(lost.items())]
            counted = entry(
                f"{cells} in {quantity.plural(len(device.benches), 'benchmark')}",
                *(Line(each, "detail") for each in counts),
            )
            software = ", ".join(software_lines(device, machine))
            groups.setdefault(software, []).append(self._row(device, counted))
        table = Table(
            id=f"run-{machine_id(machine)}",
            title="What was run on it",
            corner="configuration",
            columns=(Column("how it runs"), Column("measured"), *self._price),
            groups=tuple(RowGroup(tuple(rows), title=title) for title, rows in groups.items()),
            style="prose",
        )
        known = Facts(
            tuple(hardware_facts(self.environments(machine))),
            title="What is known of it",
            long=True,
        )
        records = [record for device in own for record in device.records]
        name = machine_line(record for record in records if record.machine == machine)
        title = " ".join(filter(None, (name, f"(machine {label(machine, 20)})")))
        return Section(machine_id(machine), title, (table, known))

    def absent(self, absent: Sequence[Listing]) -> Section:
        """Devices without any number, why, and what to do; none is dropped."""
        groups: dict[tuple[str, str], list[Row]] = {}
        for device in absent:
            reasons = Counter(kind_text(row) for row in device.rows) or Counter(["not planned"])
            asked = quantity.plural(len(device.rows), "cell")
            benches = quantity.plural(len(device.benches), "benchmark")
            counts = ", ".join(f"{why}: {quantity.count(n)}" for why, n in sorted(reasons.items()))
            counted = entry(f"none of {asked} in {benches}", Line(counts, "detail"))
            groups.setdefault(_why(device), []).append(self._row(device, counted))
        table = Table(
            id="absent-table",
            title="What the specs ask for and nobody has measured",
            corner="device",
            columns=(Column("how it would run"), Column("measured"), *self._price),
            groups=tuple(
                RowGroup(tuple(rows), title=why, detail=remedy)
                for (why, remedy), rows in groups.items()
            ),
            style="prose",
        )
        return Section("absent", "Devices that were not measured", (table,))

    def _row(self, device: Listing, counted: Entry) -> Row:
        """A device: its names, how it is driven, what became of its cells, and its price."""
        named = dict.fromkeys([*device.titles[1:], device.name])
        named.pop(device.title, None)
        lines = [Line(device.title), *under(" · ".join(label(each, 60) for each in named))]
        if device.variant:
            where = quantity.listed([f"“{label(b.plan.title)}”" for b in device.benches[:3]])
            lines.append(Line(f"as defined for {where}", "reason"))
        driven = [driven_text(device.device)]
        hosts = {host.host for record in device.records for host in record.hosts}
        if len(hosts) > 1:
            some = sorted(hosts, key=lambda host: (len(host), host))[:MOST_NAMED]
            names = quantity.listed([label(host, 40) for host in some])
            driven.append(f"{quantity.plural(len(hosts), 'host')}: {names}")
        price = price_of(device.device)
        priced = [price_text(price) if price else "not given"] if self._price else []
        identity = "" if device.id in self._anchored else device.id
        self._anchored.add(device.id)
        return table_row(
            entry(*lines), ", ".join(driven), counted, *priced, id=identity, device=device.number
        )


def _why(listing: Listing) -> tuple[str, str]:
    """Why a device has no number, and what to do."""
    said, remedies = [], []
    for record in listing.absences:
        if record.failure is not None:
            kind = REASONS.get(record.failure.kind, record.failure.kind)
            said.append(sentence(label(record.failure.message or kind, 300)).rstrip(".") + ".")
            remedies.append(label(record.failure.remedy, 300))
    why = " ".join(dict.fromkeys(said)) or "None of their cells has been run yet."
    return why, " ".join(dict.fromkeys(text for text in remedies if text))
