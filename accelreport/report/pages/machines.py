"""Machines side by side: what each took for the same work, and how their times compare."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from accelreport.analysis.overview import OnMachine, on_machines
from accelreport.analysis.speedup import Speedup, Why, groups_of, rules_of
from accelreport.report import formatting
from accelreport.report.frames import why_withheld
from accelreport.report.model import (
    Column,
    Download,
    Entry,
    Fact,
    Line,
    Page,
    Row,
    RowGroup,
    Section,
    Table,
)
from accelreport.report.pages.environment import PATH as DEVICES
from accelreport.report.pages.environment import machine_facts, machine_line
from accelreport.report.pages.sections.speedup import (
    estimate_heat,
    interval_lines,
    time_lines,
    verdict_badges,
)
from accelreport.report.text import label
from accelreport.report.view import BenchmarkView, Point

PATH = "compare.html"


def machines_page(benches: Sequence[BenchmarkView]) -> Page | None:
    """The page; None where no device was measured on two machines."""
    machines = _by_cells(benches)
    found = [
        (b, on_machines(groups_of(b.results), machines[0], rules_of(b.plan, b.results)))
        for b in benches
    ]
    shared = [(bench, rows) for bench, rows in found if rows]
    if not shared:
        return None
    own = [bench.records for bench, _ in shared]
    records = {place: record for each in own for place, record in each.items()}
    compared = [each.over for _, rows in shared for each in rows if each.over]
    finding = _finding(compared, machines[0])
    return Page(
        path=PATH,
        title="Machines side by side",
        kicker="",
        finding=finding,
        description=finding,
        sections=(
            *(_section(bench, rows, machines[0]) for bench, rows in shared),
            Section("machines", "The machines", machine_facts(records.values(), page=DEVICES)),
        ),
        template="article.html",
        byline=(
            Fact("Machines", machine_line(records.values())),
            Fact("Benchmarks", formatting.count(len(shared))),
        ),
        crumbs=(Download("index.html", "All benchmarks"),),
        related=(Download(DEVICES, "Devices"),),
    )


def _by_cells(benches: Sequence[BenchmarkView]) -> list[str]:
    """Machines, the one with most measured cells first: the others are compared with it."""
    counts: dict[str, int] = {}
    for bench in benches:
        for row in bench.rows:
            if row.machine:
                done = row.measured
                counts[row.machine] = counts.get(row.machine, 0) + done
    return sorted(counts, key=lambda machine: (-counts[machine], machine)) or [""]


def _finding(found: Sequence[Speedup], reference: str) -> str:
    verdicts = [str(each.verdict) for each in found if each.estimate]
    said = [
        f"{verdicts.count(name)} {word}"
        for name, word in (("FASTER", "faster"), ("SLOWER", "slower"), ("SAME", "the same"))
        if name in verdicts
    ]
    open_ = len(verdicts) - sum(verdicts.count(name) for name in ("FASTER", "SLOWER", "SAME"))
    said += [f"{open_} undecided"] if open_ else []
    noun = formatting.plural(len(verdicts), "comparison")
    return f"Of {noun} with machine {label(reference, 12)}: {formatting.listed(said)}."


def _section(bench: BenchmarkView, found: Sequence[OnMachine], reference: str) -> Section:
    machines = list(dict.fromkeys(each.group.machine for each in found))
    machines.sort(key=lambda machine: (machine != reference, machine))
    groups = []
    for device in dict.fromkeys(each.group.device for each in found):
        points: dict[Point, dict[str, OnMachine]] = {}
        for each in found:
            if each.group.device == device:
                point = tuple(each.group.point.values())
                points.setdefault(point, {})[each.group.machine] = each
        made = tuple(_row(bench, point, machines, own) for point, own in points.items())
        groups.append(RowGroup(made, title=bench.title_of(device)))
    table = Table(
        id=f"machines-{bench.slug.replace('.', '-')}",
        title=f"{label(bench.plan.title)} ({label(bench.plan.profile, 40)} profile)",
        caption=(
            f"How many times as fast as machine {label(reference, 12)}, or as the first machine "
            f"that has the device, by the steady time of a {bench.words.step}; under it the "
            "95 % interval (Welch’s on logarithms: processes of different machines share no "
            "repeat), and the machine’s own time. Coloured only where the interval decides."
        ),
        corner=bench.points_heading,
        columns=tuple(
            Column(f"machine {label(name, 12)}", detail=_hardware(bench, name), number=True)
            for name in machines
        ),
        groups=tuple(groups),
        style="matrix",
        legend=True,
    )
    return Section(f"bench-{bench.slug.replace('.', '-')}", label(bench.plan.title), (table,))


def _hardware(bench: BenchmarkView, machine: str) -> str:
    return machine_line(record for (_, of), record in bench.records.items() if of == machine)


def _row(
    bench: BenchmarkView, point: Point, machines: Sequence[str], own: Mapping[str, OnMachine]
) -> Row:
    entries = tuple(_entry(own.get(machine)) for machine in machines)
    return Row(Entry((Line(bench.point_header(point)),), href=f"{bench.slug}.html"), entries)


def _entry(found: OnMachine | None) -> Entry:
    if found is None:
        return Entry((Line("not measured here", "reason"),), mark="absent")
    time = time_lines(found.group.seconds())
    if found.over is None:
        return Entry(time, mark="baseline")
    estimate = found.over.estimate
    if estimate is None:
        differs = any(each.why is Why.INPUT for each in found.over.withheld)
        why = "its input differs" if differs else why_withheld(found.over, "that machine")
        return Entry((*time, Line(why, "reason")))
    return Entry(
        (*interval_lines(estimate.interval), Line(time[0].text, "detail")),
        heat=estimate_heat(estimate),
        badges=verdict_badges(estimate),
    )
