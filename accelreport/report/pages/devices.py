"""Each machine, what ran on it and what is known about it; and devices that were not measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from accelreport.analysis.cost import price_of
from accelreport.analysis.hardware import RUNTIMES
from accelreport.analysis.results import Result
from accelreport.analysis.stats import grouped
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
from accelreport.report.pages.machines import (
    DEVICES,
    device_id,
    hardware_facts,
    libraries,
    machine_id,
    machine_line,
    software_facts,
)
from accelreport.report.pages.sections.cost import price_text
from accelreport.report.text import label, sentence
from accelreport.report.view import BenchmarkView
from accelreport.results.record import Environment, Record
from accelreport.spec.device import Device

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
    if published := _published_machines(benches):
        sections.append(published)
    if software:
        sections.append(Section("software", "Software and variables", tuple(software), folded=True))
    headline = "Nothing has been measured yet"
    if done := [device for device in devices if _done(device)]:
        who = "One machine ran" if len(machines) == 1 else f"{len(machines)} machines ran"
        headline = f"{who} {_kinds(done)}"
    return Page(
        path=DEVICES,
        title="Devices and machines",
        headline=headline,
        finding=f"Not measured: {_kinds(absent)}." if absent else "Every device has a number.",
        sections=tuple(sections),
        template="article.html",
        crumbs=(Download("index.html", "All benchmarks"),),
    )


def _published_machines(benches: Sequence[BenchmarkView]) -> Section | None:
    """The machines of published figures in the words of the sources that benchmarks quote."""
    quoted = {
        source.title
        for plan in (bench.plan for bench in benches)
        for source in (plan.source, *(row.source for row in plan.published))
        if source
    }
    groups: dict[str, list[Row]] = {}
    for machine in RUNTIMES:
        if machine.source in quoted:
            source = entry(f"“{machine.source}”", Line(machine.by, "detail"))
            row = table_row(entry(machine.name), machine.hardware, f"“{machine.words}”", source)
            groups.setdefault(machine.kind, []).append(row)
    table = Table(
        id="published-machines-table",
        title="As their sources describe them",
        corner="machine",
        columns=(Column("hardware"), Column("in the words of its source"), Column("source")),
        groups=tuple(RowGroup(tuple(groups[kind]), title=kind) for kind in KINDS if kind in groups),
        style="prose",
    )
    title = "Machines behind published figures"
    return Section("published-machines", title, (table,), folded=True) if groups else None


def _done(listing: Listing) -> bool:
    """Whether any of its cells has a time."""
    return any(row.timed for row in listing.rows)


def _kinds(devices: Sequence[Listing]) -> str:
    """How many configurations of which kind: "15 configurations of a CPU and 2 of a TPU"."""
    counts: Counter[str] = Counter(device.device.kind for device in devices)
    first, *others = (kind for kind in KINDS if counts[kind])
    parts = [f"{quantity.plural(counts[first], 'configuration')} of a {first}"]
    return quantity.listed([*parts, *(f"{counts[kind]} of a {kind}" for kind in others)])


class _Inventory:
    """Tables of devices; the first row of a device has the id that other pages link to."""

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
            lost = Counter(kind_text(row) for row in rows if not row.timed)
            done = quantity.count(len(rows) - lost.total())
            cells = f"{done} of {quantity.plural(len(rows), 'cell')}"
            counts = [f"{why}: {quantity.count(count)}" for why, count in sorted(lost.items())]
            counted = entry(
                f"{cells} in {quantity.plural(len(device.benches), 'benchmark')}",
                *(Line(count, "detail") for count in counts),
            )
            software = ", ".join(software_lines(device, machine))
            groups.setdefault(software, []).append(self._row(device, counted))
        table = Table(
            id=f"run-{machine_id(machine)}",
            title="What ran on it",
            corner="configuration",
            columns=(Column("how it runs"), Column("measured"), *self._price),
            groups=tuple(RowGroup(tuple(rows), title=title) for title, rows in groups.items()),
            style="prose",
        )
        known = Facts(
            tuple(hardware_facts(self.environments(machine))),
            title="Details of the machine",
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
        lines = [Line(device.title), *under(" · ".join(label(name, 60) for name in named))]
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
    reasons, remedies = [], []
    for record in listing.absences:
        if record.failure is not None:
            kind = REASONS.get(record.failure.kind, record.failure.kind)
            reasons.append(sentence(label(record.failure.message or kind, 300)).rstrip(".") + ".")
            remedies.append(label(record.failure.remedy, 300))
    why = " ".join(dict.fromkeys(reasons)) or "None of their cells has been run yet."
    return why, " ".join(dict.fromkeys(text for text in remedies if text))


# What a device is -----------------------------------------------------------------------------


KINDS = ("CPU", "GPU", "TPU")
"""Kinds of devices, in the order of tables."""


@dataclass(frozen=True)
class Listing:
    """A device as one or more plans define it.

    Attributes:
        name: its name in the devices file.
        device: what that file says of it.
        benches: the benchmarks that define it so, whether or not they measured it.
        variant: 0; where plans define one name differently, the later ones have 1, 2, …
    """

    name: str
    device: Device
    benches: tuple[BenchmarkView, ...]
    variant: int = 0

    @property
    def id(self) -> str:
        """Its id on the page of devices."""
        return device_id(self.name) + (f"-{self.variant + 1}" if self.variant else "")

    @cached_property
    def titles(self) -> list[str]:
        """What pages of benchmarks that measured it call it, the most usual name first."""
        measured = [b for b in self.benches if any(row.measured for row in self.rows_of(b))]
        names = Counter(bench.title_of(self.name) for bench in measured or self.benches)
        return [name for name, _ in names.most_common()]

    @property
    def title(self) -> str:
        """Its most usual name."""
        return self.titles[0]

    @property
    def number(self) -> int:
        """From which its colour and its mark follow."""
        return self.benches[0].colours[self.name]

    def rows_of(self, bench: BenchmarkView) -> list[Result]:
        """Its cells in one benchmark."""
        return [row for row in bench.results if row.device == self.name]

    @cached_property
    def rows(self) -> list[Result]:
        """Its cells in all benchmarks."""
        return [row for bench in self.benches for row in self.rows_of(bench)]

    @cached_property
    def records(self) -> list[Record]:
        """Records of cells that ran on it, also those that failed: they found its hardware."""
        return [
            record
            for bench in self.benches
            for row in self.rows_of(bench)
            if row.status != "skipped" and (record := bench.record(row)) is not None
        ]

    @cached_property
    def machines(self) -> dict[str, list[Environment]]:
        """Environments in which its cells ran, by machine."""
        known = (r.environment for r in self.records if r.environment is not None)
        return dict(sorted(grouped(known, lambda environment: environment.machine).items()))

    @cached_property
    def absences(self) -> list[Record]:
        """Records that say why it was not measured, each reason once."""
        by_reason: dict[tuple[str, str], Record] = {}
        for bench in self.benches:
            for row in self.rows_of(bench):
                record = bench.record(row)
                if record is not None and record.failure is not None:
                    by_reason.setdefault((record.failure.kind, record.failure.message), record)
        return list(by_reason.values())


def listings(benches: Sequence[BenchmarkView]) -> list[Listing]:
    """Every device of every plan: CPUs, GPUs, TPUs, each by name."""
    by_text: dict[tuple[str, str], tuple[Device, list[BenchmarkView]]] = {}
    for bench in benches:
        for name, device in bench.plan.devices.items():
            by_text.setdefault((name, device.model_dump_json()), (device, []))[1].append(bench)
    listed: list[Listing] = []
    for (name, _), (device, owners) in by_text.items():
        variant = sum(listing.name == name for listing in listed)
        listed.append(Listing(name, device, tuple(owners), variant))
    listed.sort(
        key=lambda listing: (KINDS.index(listing.device.kind), listing.name, listing.variant)
    )
    return listed


def software_lines(listing: Listing, machine: str) -> list[str]:
    """Versions of what drives it on a machine: framework, Keras, a GPU's driver and libraries."""
    environments = listing.machines[machine]
    device = listing.device
    lines = [*_distinct(_frameworks(environment, device.framework) for environment in environments)]
    if listing.device.kind == "GPU":
        lines += _distinct(
            f"driver {gpu.driver}" for e in environments for gpu in e.gpus if gpu.driver
        )
        lines += _distinct(map(libraries, environments))
    return [label(line, 120) for line in lines if line]


def _frameworks(environment: Environment, framework: str) -> str:
    known = environment.packages
    names = [name for name in known if name.startswith((framework, "libtpu"))]
    parts = [f"{_NAMES.get(name, name)} {known[name]}" for name in sorted(names)]
    parts += [f"Keras {known['keras']}"] if "keras" in known else []
    return ", ".join(parts)


_NAMES = {
    "tensorflow": "TensorFlow",
    "tensorflow-cpu": "TensorFlow (CPU build)",
    "jax": "JAX",
    "torch": "PyTorch",
}


def driven_text(device: Device) -> str:
    """The strategy with its replicas and workers, then the arithmetic: "float32, 1 thread"."""
    parts = []
    if device.strategy != "default":
        parts.append(f"{device.strategy.replace('_', ' ').replace('tpu', 'TPU')} strategy")
    if device.replicas > 1:
        parts.append(quantity.plural(device.replicas, "replica"))
    if device.workers > 1:
        parts.append(quantity.plural(device.workers, "worker"))
    if device.strategy == "parameter_server":
        parts.append(quantity.plural(device.parameter_servers, "parameter server"))
    if device.spread:
        parts.append("each on a machine of its own")
    parts.append(device.precision)
    parts += ["TF32 allowed"] if device.tf32 else []
    parts += ["XLA"] if device.xla or device.framework == "jax" else []
    if device.framework == "torch" or device.eager:
        parts.append("torch.compile" if device.torch_compile else "eager")
    if device.threads:
        parts.append(f"{quantity.plural(device.threads, 'thread')} for an operation")
    parts += [f"placement {label(device.placement, 60)}"] if device.placement else []
    return ", ".join(parts)


def _distinct(texts: Iterable[str]) -> list[str]:
    """Each text once, in a fixed order."""
    return sorted(dict.fromkeys(text for text in texts if text))
