"""Machines as the records saw them, devices as specs ask for them, and machines side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import log

from accelreport.analysis.overview import OnMachine, on_machines
from accelreport.analysis.speed_findings import ratio_of
from accelreport.analysis.speedup import Speedup, Why, groups_of, rules_of
from accelreport.analysis.stats import MARGIN, Verdict, grouped
from accelreport.report import quantity
from accelreport.report.frames import why_withheld
from accelreport.report.model import (
    Column,
    Download,
    Entry,
    Fact,
    Facts,
    Line,
    Page,
    RowGroup,
    Section,
    Table,
    entry,
    table_row,
)
from accelreport.report.pages.badges import with_intervals
from accelreport.report.pages.sections.speedup import (
    estimate_heat,
    interval_lines,
    time_lines,
    verdict_badges,
)
from accelreport.report.say import Speaker
from accelreport.report.text import label, short_hardware, slug
from accelreport.report.view import (
    BenchmarkView,
    Point,
    measured_records,
    processor_kinds,
    vector_name,
)
from accelreport.results.record import Environment, Record

DEVICES = "devices.html"
"""The page of devices and machines, which tables of other pages lead to."""

MOST_LETTERS = 60
"""Letters of the machines in a line that has little room."""
MOST_TEXTS = 4
"""Values of a fact that a page lists."""

_FIELDS: tuple[tuple[str, Callable[[Environment], str]], ...] = (
    ("Host", lambda e: e.host),
    ("CPU", lambda e: e.cpu),
    ("Cores", lambda e: cores(e)),
    ("Memory", lambda e: quantity.size(e.memory_bytes)),
    ("GPU", lambda e: "; ".join(_gpus(e)) or "none"),
)
_SOFTWARE: tuple[tuple[str, Callable[[Environment], str]], ...] = (
    ("CUDA and cuDNN", lambda e: libraries(e)),
    ("System and kernel", lambda e: e.os),
    ("Python", lambda e: e.python),
)


def _gpus(environment: Environment) -> list[str]:
    gpus = []
    for gpu in environment.gpus:
        parts = [gpu.name]
        parts += [quantity.size(gpu.memory_bytes)] if gpu.memory_bytes else []
        parts += [f"driver {gpu.driver}"] if gpu.driver else []
        gpus.append(", ".join(parts))
    return gpus


def _versions(environments: Sequence[Environment]) -> str:
    """Versions of this program, with the commit, or how many there were."""
    text = " or ".join(sorted({environment.accelreport for environment in environments}))
    commits = {environment.commit for environment in environments if environment.commit}
    if commits:
        one = f"commit {min(commits)[:12]}"
        text += f", {one if len(commits) == 1 else f'{len(commits)} commits'}"
    return text + " with uncommitted changes" * any(e.dirty for e in environments)


_LIBRARIES = {
    "nvidia-cuda-runtime-cu12": "CUDA package",
    "nvidia-cuda-runtime": "CUDA package",
    "nvidia-cudnn-cu12": "cuDNN package",
    "nvidia-cudnn-cu13": "cuDNN package",
    "jax-cuda12-plugin": "JAX CUDA 12",
    "jax-cuda13-plugin": "JAX CUDA 13",
}


def libraries(environment: Environment) -> str:
    """CUDA and cuDNN that the framework was built for, and the installed packages of both.

    Empty for a cell on the CPU, which uses neither.
    """
    runtime, packages = environment.runtime, environment.packages
    if runtime.get("device") == "CPU":
        return ""
    own = runtime.get("framework", "JAX").startswith("JAX")
    parts = [f"CUDA {runtime['cuda']}"] if runtime.get("cuda") else []
    parts += [f"cuDNN {runtime['cudnn']}"] if runtime.get("cudnn") else []
    parts += [
        f"{title} {packages[name]}"
        for name, title in _LIBRARIES.items()
        if name in packages and (own or not title.startswith("JAX"))
    ]
    return ", ".join(parts)


def cores(environment: Environment) -> str:
    """Physical cores and usable threads of a machine's CPU, and the limit that a container sets."""
    threads = quantity.plural(environment.threads, "usable thread")
    if environment.cpu_limit is not None:
        threads += f", limit {environment.cpu_limit:g}"
    if environment.cores is None:
        return threads
    return f"{quantity.plural(environment.cores, 'physical core')}, {threads}"


def clocks(environments: Sequence[Environment]) -> str:
    """The CPU's clock at the start of cells, and its highest; empty where neither is known."""
    now = [e.clock_mhz / 1000 for e in environments if e.clock_mhz]
    highest = [e.clock_max_mhz / 1000 for e in environments if e.clock_max_mhz]
    parts = []
    if now:
        parts.append(f"{quantity.extent(now, lambda end: quantity.fixed(end, 2))} GHz")
    if highest:
        parts.append(f"≤ {quantity.fixed(max(highest), 2)} GHz")
    return ", ".join(parts)


def device_id(name: str) -> str:
    """The id of a device on the page of devices."""
    return f"device-{slug(name)}"


def machine_id(machine: str) -> str:
    """The id of a machine on the page of devices."""
    return f"machine-{slug(machine)}"


def machine_facts(records: Iterable[Record], *, page: str = "") -> tuple[Facts, ...]:
    """What each machine is, one block for each; what changed between cells is listed.

    Args:
        records: of any number of machines.
        page: address of the page of devices, for links to it from any other page.
    """
    known = (record.environment for record in records if record.environment is not None)
    blocks = []
    for machine, environments in sorted(grouped(known, lambda own: own.machine).items()):
        rows = (*hardware_facts(environments), *software_facts(environments))
        title, place = f"Machine {label(machine, 20)}", machine_id(machine)
        href = f"{page}#{place}" if page else ""
        blocks.append(Facts(rows, title=title, id=place, href=href, long=True))
    return tuple(blocks)


def hardware_facts(environments: Sequence[Environment]) -> list[Fact]:
    """What a machine is, with a core's roof: runs may raise that of all, which `ceilings` shows."""
    facts = _field_facts(_FIELDS, environments)
    if own := processor_kinds(environments):
        facts.append(Fact("Vector units", " or ".join(own)))
    if clock := clocks(environments):
        facts.append(Fact("CPU clock", clock))
    roofs = [environment.roofs for environment in environments if environment.roofs]
    if roofs:
        core = quantity.extent([roof.core_tflops for roof in roofs], quantity.operation_rate)
        gbps = quantity.extent([roof.gbps for roof in roofs], quantity.number)
        facts.append(Fact("Roof per core", core))
        facts.append(Fact("Memory bandwidth", f"{gbps}{quantity.SPACE}GB/s"))
    return facts


def _field_facts(
    fields: Iterable[tuple[str, Callable[[Environment], str]]], environments: Sequence[Environment]
) -> list[Fact]:
    facts = []
    for term, say in fields:
        texts = sorted({label(text, 600) for text in map(say, environments) if text})
        if len(texts) > MOST_TEXTS:
            texts = [*texts[:3], f"{len(texts) - 3} others"]
        if texts:
            facts.append(Fact(term, " or ".join(texts)))
    return facts


def software_facts(environments: Sequence[Environment]) -> list[Fact]:
    """The system, devices that each framework used, packages, runtimes and variables."""
    used: dict[str, list[dict[str, str]]] = {"TensorFlow": []}
    for environment in environments:
        name = environment.runtime.get("framework", "TensorFlow").partition(" ")[0]
        used.setdefault(label(name, 40), []).append(dict.fromkeys(environment.accelerators, ""))
    # Records of earlier versions say of a CPU too whether cuDNN could run a layer.
    runtimes = [
        {name: text for name, text in own.items() if name != "cudnn_possible"}
        if own.get("device") == "CPU"
        else own
        for own in (environment.runtime for environment in environments)
    ]
    # The addresses of workers are new in every cell.
    variables = [
        {name: text for name, text in e.variables.items() if name != "TF_CONFIG"}
        for e in environments
    ]
    facts = {f"Devices of {name}": _merged(own, "") for name, own in used.items()} | {
        "Packages": _merged([environment.packages for environment in environments], " "),
        "Runtime": _merged(runtimes, " = "),
        "Variables": _merged(variables, "="),
    }
    version = Fact("accelreport", label(_versions(environments), 600))
    listed = [Fact(term, text) for term, text in facts.items() if text]
    return [*_field_facts(_SOFTWARE, environments), version, *listed]


def _merged(mappings: Sequence[Mapping[str, str]], between: str) -> str:
    """Values by their names; a name with several values has each of them once."""
    values: dict[str, dict[str, None]] = {}
    for mapping in mappings:
        for name, value in mapping.items():
            values.setdefault(name, {})[value] = None
    parts = []
    for name, known in sorted(values.items()):
        texts = sorted(label(value, 80) for value in known)
        if len(texts) > MOST_TEXTS:
            texts = [*texts[:3], f"{len(texts) - 3} other values"]
        parts.append(f"{label(name, 80)}{between if texts != [''] else ''}{' or '.join(texts)}")
    return "; ".join(parts)


def machine_in_words(environment: Environment, *, model: bool = True) -> str:
    """A machine by its processor, with its cores, and its GPUs.

    A name that many models have, as in virtual machines, has the vector extension with it.
    """
    cores, name = environment.cores or environment.threads, short_hardware(environment.cpu)
    vector = vector_name(environment) if model and not any(map(str.isdigit, name)) else ""
    processor = f"{' with '.join(filter(None, (name, vector)))}, {quantity.plural(cores, 'core')}"
    names = dict.fromkeys(short_hardware(gpu.name) for gpu in environment.gpus)
    return " + ".join([processor, *names])


def machine_line(records: Iterable[Record], *, brief: bool = False) -> str:
    """The machines in a few words; empty where no record names one.

    Of several processors on one machine a `brief` line says nothing, and many machines are a count.
    """
    known = (record.environment for record in records if record.environment is not None)
    names: Counter[str] = Counter()
    for _, environments in sorted(grouped(known, lambda own: own.machine).items()):
        own = processor_kinds(environments)
        # Where a cell could see no GPU its record names none.
        words = max((machine_in_words(e, model=len(own) < 2) for e in environments), key=len)
        if len(own) > 1 and not brief:
            words += f" ({'; '.join(own)})"
        names[words] += 1
    lines = [f"{count} × {words}" if count > 1 else words for words, count in names.items()]
    line = quantity.listed(lines)
    many = brief and names.total() > 1 and len(line) > MOST_LETTERS
    return quantity.plural(names.total(), "machine") if many else line


def place_text(benches: Iterable[BenchmarkView]) -> str:
    """On what benchmarks were measured; empty without a number."""
    line = machine_line(measured_records(benches))
    return f"Measured on {line}" * bool(line)


PATH = "compare.html"


def machines_page(benches: Sequence[BenchmarkView]) -> Page | None:
    """The page; None where no device was measured on two machines."""
    machines = _by_cells(benches)
    by_bench = [
        (b, on_machines(groups_of(b.results), machines[0], rules_of(b.plan, b.results)))
        for b in benches
    ]
    shared = [(bench, rows) for bench, rows in by_bench if rows]
    if not shared:
        return None
    sides = {row.group.machine for _, rows in shared for row in rows}
    every = (pair for bench, _ in shared for pair in bench.records.items())
    records = {place: record for place, record in every if place[1] in sides}
    return Page(
        path=PATH,
        title="Machines compared",
        headline=_headline([(b, r.over) for b, rows in shared for r in rows if r.over]),
        finding="",
        sections=(
            *(_section(bench, rows, machines[0]) for bench, rows in shared),
            Section("machines", "The machines", machine_facts(records.values(), page=DEVICES)),
        ),
        template="article.html",
        byline=(
            Fact("Machines", machine_line(records.values())),
            Fact("Benchmarks", quantity.count(len(shared))),
        ),
        crumbs=(Download("index.html", "All benchmarks"),),
    )


def _headline(compared: Sequence[tuple[BenchmarkView, Speedup]]) -> str:
    """The largest decided speedup; else that all are the same, or how many are undecided."""
    known = [(bench, own) for bench, own in compared if own.estimate]
    apart = [row for row in known if row[1].verdict in {Verdict.FASTER, Verdict.SLOWER}]
    if apart:
        bench, own = max(apart, key=lambda row: abs(log(row[1].interval.value)))
        value, speaker = ratio_of(own), Speaker(bench)
        number, at = speaker.number(value), speaker.at(value.of)
        ours, other = (label(side.machine, 12) for side in (own.own, own.base) if side)
        return f"Machine {ours}: {number} as fast as machine {other}{at}"
    if undecided := sum(own.verdict is not Verdict.SAME for _, own in known):
        return f"{quantity.plural(undecided, 'comparison')} undecided"
    return f"Equal within {quantity.percent(MARGIN, 0)}" if known else "No common work"


def _by_cells(benches: Sequence[BenchmarkView]) -> list[str]:
    """Machines, the one with most measured cells first: the others are compared with it."""
    counts: Counter[str] = Counter()
    for bench in benches:
        for row in bench.results:
            if row.machine:
                counts[row.machine] += row.timed
    return sorted(counts, key=lambda machine: (-counts[machine], machine)) or [""]


def _section(bench: BenchmarkView, rows: Sequence[OnMachine], reference: str) -> Section:
    """A benchmark with a column for each machine, the reference first, and rows by device."""
    machines = list(dict.fromkeys(row.group.machine for row in rows))
    machines.sort(key=lambda machine: (machine != reference, machine))
    groups = []
    for device in dict.fromkeys(row.group.device for row in rows):
        points: dict[Point, dict[str, OnMachine]] = {}
        for on_machine in rows:
            if on_machine.group.device == device:
                point = tuple(on_machine.group.point.values())
                points.setdefault(point, {})[on_machine.group.machine] = on_machine
        table_rows = tuple(
            table_row(
                entry(bench.point_header(point), href=f"{bench.slug}.html"),
                *(_entry(own.get(machine)) for machine in machines),
            )
            for point, own in points.items()
        )
        groups.append(RowGroup(table_rows, title=bench.title_of(device)))
    table = Table(
        id=f"machines-{bench.slug.replace('.', '-')}",
        title=f"{label(bench.plan.title)} ({label(bench.plan.profile, 40)} profile)",
        corner=bench.points_heading,
        columns=tuple(
            Column(
                f"machine {label(name, 12)}",
                detail=machine_line(r for (_, of), r in bench.records.items() if of == name),
                number=True,
            )
            for name in machines
        ),
        groups=tuple(groups),
        style="matrix",
        legend=True,
    )
    return Section(
        f"bench-{bench.slug.replace('.', '-')}", label(bench.plan.title), (with_intervals(table),)
    )


def _entry(row: OnMachine | None) -> Entry:
    """The speed of a machine over that of the reference, or why there is none."""
    if row is None:
        return entry(Line("not measured here", "reason"), mark="absent")
    time = time_lines(row.group.seconds())
    if row.over is None:
        return Entry(time, mark="baseline")
    estimate = row.over.estimate
    if estimate is None:
        differs = any(withheld.why is Why.INPUT for withheld in row.over.withheld)
        why = "its input differs" if differs else why_withheld(row.over, "that machine")
        return entry(*time, Line(why, "reason"))
    return entry(
        *interval_lines(estimate.interval),
        Line(time[0].text, "detail"),
        heat=estimate_heat(estimate),
        badges=verdict_badges(estimate),
    )
