"""Each machine, what is known about it, and how many benchmarks each configuration ran on it."""

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
    Fact,
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
from accelreport.report.pages.badges import absent_text, tried_kinds
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
from accelreport.report.text import label
from accelreport.report.view import (
    VECTORS,
    BenchmarkView,
    measured_records,
    processor_kinds,
)
from accelreport.results.record import Environment, Record
from accelreport.spec.device import Device, StoredDevice


def devices_page(benches: Sequence[BenchmarkView]) -> Page:
    """The page; nothing on it depends on a time that was measured."""
    devices = listings(benches)
    machines = sorted({machine for device in devices for machine in device.machines})
    gone = [device for device in devices if not device.timed and device.rows]
    alike = [(device.title.partition(",")[0], device.device.hardware) for device in gone]
    counts = Counter(alike)
    here = {"CPU", *(device.device.kind for device in devices if device.timed)}
    absent = [
        (device.title if device.device.kind in here or counts[own] == 1 else
         f"{own[0]} in {counts[own]} configurations", device.device,
         max(device.rows, key=lambda row: row.ran))
        for device, own in zip(gone, alike, strict=True)
    ]  # fmt: skip
    software = [
        Facts(tuple(facts), title=f"Machine {label(machine, 20)}", long=True)
        for machine in machines
        if (facts := software_facts(_environments(devices, machine)))
    ]
    anchored: set[str] = set()
    one = len(machines) == 1
    sections = [_machine(devices, benches, machine, anchored, one=one) for machine in machines]
    if published := _published_machines(benches):
        sections.append(published)
    if software:
        sections.append(Section("software", "Software and variables", tuple(software), folded=True))
    missing = absent_text(absent, tried_kinds(benches))
    return Page(
        path=DEVICES,
        title="Devices",
        headline=_headline(devices, benches),
        finding=f"Devices without numbers: {missing}." if missing else "",
        sections=tuple(sections),
        template="article.html",
        crumbs=(Download("index.html", "All benchmarks"),),
    )


def _headline(devices: Sequence[Listing], benches: Sequence[BenchmarkView]) -> str:
    """How many benchmarks have a time, and on how many machines or processors."""
    tried = [device for device in devices if device.machines]
    ran = [bench for bench in benches if any(row.timed for row in bench.results)]
    if not ran:
        return "No benchmark measured"
    places = {
        (host, n): {id(environment) for environment in own}
        for host in {machine for device in tried for machine in device.machines}
        for n, own in enumerate(processor_kinds(_environments(tried, host)).values())
    }
    noun = "processor" if any(n for _, n in places) else "machine"
    own: list[set[object]] = [{r.machine for r in measured_records([b])} for b in ran]
    if noun == "processor":
        known = [{id(record.environment) for record in measured_records([b])} for b in ran]
        own = [{place for place, ids in places.items() if ids & here} for here in known]
    count = len(set[object]().union(*own))
    where = f"{quantity.number_word(count)} {noun}{'s' * (count > 1)}"
    return f"{quantity.plural(len(ran), 'benchmark')} on {where}"


def _environments(devices: Sequence[Listing], machine: str) -> list[Environment]:
    """The surroundings of all cells that ran on a machine."""
    return [e for device in devices for e in device.machines.get(machine, ())]


def _machine(
    devices: Sequence[Listing], benches: Sequence[BenchmarkView], machine: str, anchored: set[str],
    *, one: bool,
) -> Section:  # fmt: skip
    """What a machine is, then what each of its configurations is, with how many benchmarks it ran.

    The first row of a device has the id that other pages link to.
    """
    own = [device for device in devices if machine in device.machines]
    rows: dict[str, list[Row]] = {}
    for device in own:
        price = price_of(device.device)
        ran = [
            any(row.timed and row.machine == machine for row in device.rows_of(bench))
            for bench in device.benches
        ]
        row = table_row(
            entry(device.title, Line(device.name, "detail")),
            quantity.count(sum(ran)),
            entry(driven_text(device.device), *under(price_text(price) if price else "", "detail")),
            id="" if device.id in anchored else device.id,
        )
        anchored.add(device.id)
        rows.setdefault(", ".join(software_lines(device, machine)), []).append(row)
    records = (record for device in own for record in device.records)
    words = machine_line((record for record in records if record.machine == machine), brief=True)
    name = [] if one and words else [f"Machine {label(machine, 20)}"]
    title = ": ".join([*name, *[words] * bool(words)])
    listed = Table(
        id=f"configurations-{machine_id(machine)}",
        title="Configurations",
        corner="device",
        columns=(Column("benchmarks", number=True), Column("configuration")),
        groups=tuple(RowGroup(tuple(own), title=software) for software, own in rows.items()),
        style="prose",
    )
    return Section(machine_id(machine), title, (*_hardware(devices, benches, machine), listed))


def _hardware(
    devices: Sequence[Listing], benches: Sequence[BenchmarkView], machine: str
) -> list[Facts | Table]:
    """What a machine is; where it had several processors, a row of each with what differs."""
    environments = _environments(devices, machine)
    kinds = processor_kinds(environments)
    if len(kinds) < 2:
        return [Facts(tuple(hardware_facts(environments)), inline=True)]
    measured = [{id(record.environment) for record in measured_records([b])} for b in benches]
    ran = [sum(any(id(e) in bench for e in own) for bench in measured) for own in kinds.values()]
    own_facts = [{fact.term: fact.value for fact in hardware_facts(e)} for e in kinds.values()]
    known = {
        term: [own.get(term, quantity.MISSING) for own in own_facts]
        for term in dict.fromkeys(term for own in own_facts for term in own)
        if term != "Vector units"
    }
    shared = [Fact(term, texts[0]) for term, texts in known.items() if len({*texts}) == 1]
    columns = {"Benchmarks": list(map(quantity.count, ran))} | {
        term: texts for term, texts in known.items() if len({*texts}) > 1
    }
    rows = map(table_row, kinds, *columns.values())
    names = [term if term[:2].isupper() else term.lower() for term in columns]
    table = Table(
        id=f"processors-{machine_id(machine)}",
        title="Processors",
        corner="processor",
        columns=tuple(Column(name, number=name == "benchmarks") for name in names),
        groups=(RowGroup(tuple(rows)),),
        style="prose",
    )
    return [Facts(tuple(shared), inline=True), table]


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
        title="Published machines",
        corner="machine",
        columns=(Column("hardware"), Column("quoted"), Column("source")),
        groups=tuple(RowGroup(tuple(groups[kind]), title=kind) for kind in KINDS if kind in groups),
        style="prose",
    )
    return (
        Section("published-machines", "Published machines", (table,), folded=True)
        if groups
        else None
    )


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
    def title(self) -> str:
        """Its most usual name on pages that measured it, without what tells processors apart."""
        names = Counter[str]()
        measured = [b for b in self.benches if any(row.measured for row in self.rows_of(b))]
        for bench in measured or self.benches:
            name = bench.title_of(self.name)
            for kind in VECTORS.values() if bench.mixed else ():
                name = name.replace(f" ({kind})", "")
            names[name] += 1
        return names.most_common(1)[0][0]

    def rows_of(self, bench: BenchmarkView) -> list[Result]:
        """Its cells in one benchmark."""
        return [row for row in bench.results if row.device == self.name]

    @cached_property
    def rows(self) -> list[Result]:
        """Its cells in all benchmarks."""
        return [row for bench in self.benches for row in self.rows_of(bench)]

    @property
    def timed(self) -> bool:
        """Whether any of them has a time."""
        return any(row.timed for row in self.rows)

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


def listings(benches: Sequence[BenchmarkView]) -> list[Listing]:
    """Every device of every plan: CPUs, GPUs, TPUs, each by name."""
    by_text: dict[tuple[str, str], tuple[StoredDevice, list[BenchmarkView]]] = {}
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
    if device.spread:
        parts.append("one per machine")
    parts.append(device.precision)
    parts += ["TF32 allowed"] if device.tf32 else []
    parts += ["XLA"] if device.xla or device.framework == "jax" else []
    if device.framework == "torch" or device.eager:
        parts.append("torch.compile" if device.torch_compile else "eager")
    if device.threads:
        parts.append(quantity.plural(device.threads, "thread"))
    parts += [f"placement {label(device.placement, 60)}"] if device.placement else []
    return ", ".join(parts)


def _distinct(texts: Iterable[str]) -> list[str]:
    """Each text once, in a fixed order."""
    return sorted(dict.fromkeys(text for text in texts if text))
