"""Machines as the records saw them, and devices as the specs ask for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from accelreport.analysis.frames import machine_of
from accelreport.report import formatting
from accelreport.report.bench import Bench
from accelreport.report.model import Column, Entry, Fact, Facts, Line, Row, RowGroup, Table
from accelreport.report.pages.marks import kind_text
from accelreport.report.text import label, slug
from accelreport.results.record import Environment, Record
from accelreport.spec.models import Device

_FIELDS: tuple[tuple[str, Callable[[Environment], str]], ...] = (
    ("CPU", lambda e: e.cpu),
    ("Cores", lambda e: _cores(e)),
    ("Memory", lambda e: formatting.size(e.memory_bytes)),
    ("GPU", lambda e: "; ".join(_gpus(e)) or "none"),
    ("TensorFlow saw", lambda e: ", ".join(e.accelerators)),
    ("Operating system", lambda e: e.os),
    ("Python", lambda e: e.python),
    ("Packages", lambda e: ", ".join(f"{k} {v}" for k, v in sorted(e.packages.items()))),
    ("accelreport", lambda e: _version(e)),
    ("Runtime", lambda e: ", ".join(f"{k} = {v}" for k, v in sorted(e.runtime.items()))),
    ("Variables", lambda e: ", ".join(f"{k}={v}" for k, v in sorted(e.variables.items()))),
)


def _cores(environment: Environment) -> str:
    threads = formatting.plural(environment.threads, "usable thread")
    if environment.cores is None:
        return threads
    return f"{formatting.plural(environment.cores, 'physical core')}, {threads}"


def _gpus(environment: Environment) -> list[str]:
    found = []
    for gpu in environment.gpus:
        parts = [gpu.name]
        parts += [formatting.size(gpu.memory_bytes)] if gpu.memory_bytes else []
        parts += [f"driver {gpu.driver}"] if gpu.driver else []
        found.append(", ".join(parts))
    return found


def _version(environment: Environment) -> str:
    text = environment.accelreport
    if environment.commit:
        text += f", commit {environment.commit[:12]}"
    return text + (" with uncommitted changes" if environment.dirty else "")


def machine_facts(records: Iterable[Record]) -> tuple[Facts, ...]:
    """What each machine is, one block for each; what changed between cells is listed."""
    by_machine: dict[str, list[Environment]] = {}
    for record in records:
        if record.environment is not None:
            by_machine.setdefault(machine_of(record), []).append(record.environment)
    blocks = []
    for machine, environments in sorted(by_machine.items()):
        rows = []
        for term, say in _FIELDS:
            said = dict.fromkeys(label(say(each), 600) for each in environments)
            values = [text for text in sorted(said) if text]
            if values:
                rows.append(Fact(term, "; or ".join(values[:4])))
        rows += _load(environments)
        title = f"Machine {label(machine, 20)}"
        blocks.append(Facts(tuple(rows), title=title, id=f"machine-{slug(machine)}"))
    return tuple(blocks)


def _load(environments: Sequence[Environment]) -> list[Fact]:
    loads = [each.load_before for each in environments if each.load_before is not None]
    if not loads:
        return []
    low, high = formatting.fixed(min(loads), 1), formatting.fixed(max(loads), 1)
    text = low if low == high else f"{low} to {high}"
    return [Fact("Load before cells", f"{text} (one-minute average)")]


def machine_line(records: Iterable[Record]) -> str:
    """The machines in a few words: their CPUs and GPUs."""
    said: dict[str, None] = {}
    for record in sorted(records, key=machine_of):
        environment = record.environment
        if environment is None:
            continue
        gpus = [gpu.name for gpu in environment.gpus]
        said[label(" + ".join([environment.cpu, *gpus]), 90)] = None
    return formatting.listed(list(said)) or "not recorded"


def devices_table(benches: Sequence[Bench], identity: str = "devices-table") -> Table:
    """Devices as the devices file defines them, and whether they were measured."""
    rows: dict[str, Row] = {}
    for bench in benches:
        for name, device in bench.plan.devices.items():
            if name not in rows:
                rows[name] = _device_row(name, device, benches)
    ordered = sorted(rows, key=lambda name: (_kind(name, benches), name))
    titles = ("kind", "strategy", "arithmetic", "state", "cited peak")
    return Table(
        id=identity,
        title="Devices",
        caption="Devices as the specs ask for them, and whether this machine had them.",
        corner="device",
        columns=tuple(Column(title) for title in titles),
        groups=(RowGroup(tuple(rows[name] for name in ordered)),),
    )


def _kind(name: str, benches: Sequence[Bench]) -> str:
    return next(b.plan.devices[name].kind for b in benches if name in b.plan.devices)


def _device_row(name: str, device: Device, benches: Sequence[Bench]) -> Row:
    strategy = device.strategy.replace("_", " ")
    if device.replicas > 1 or device.workers > 1:
        strategy += f", {device.replicas * device.workers} replicas"
    arithmetic: list[str] = [device.precision]
    arithmetic += ["TF32 allowed"] if device.tf32 else []
    arithmetic += ["XLA"] if device.xla else []
    arithmetic += [formatting.plural(device.threads, "thread")] if device.threads else []
    peak = [f"{formatting.number(v)} TFLOPS {k}" for k, v in sorted(device.peak_tflops.items())]
    cited = ", ".join(peak) + (f" ({device.peak_source})" if peak and device.peak_source else "")
    texts = (device.kind, strategy, ", ".join(arithmetic), _state(name, benches), cited or "–")
    colour = next(b.colours[name] for b in benches if name in b.plan.devices)
    title = label(device.label or name, 60)
    header = (Line(title), Line(label(name, 60), "reason")) if title != name else (Line(title),)
    return Row(
        Entry(header), tuple(Entry((Line(label(text, 200)),)) for text in texts), device=colour
    )


def _state(name: str, benches: Sequence[Bench]) -> str:
    rows = [row for bench in benches for row in bench.rows if row["device"] == name]
    if any(row["status"] in {"ok", "partial"} for row in rows):
        return "measured"
    return formatting.listed(sorted({kind_text(row) for row in rows}))
