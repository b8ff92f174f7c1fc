"""Machines side by side: what each took for the same work, and how their times compare."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from accelreport.analysis.machines import machines_frame
from accelreport.report import formatting
from accelreport.report.bench import Bench
from accelreport.report.frames import plain_rows, present
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
from accelreport.report.pages.speedup import VERDICTS, decided_heat, ratio_lines, time_lines
from accelreport.report.text import label

PATH = "compare.html"


def machines_page(benches: Sequence[Bench]) -> Page | None:
    """The page; None where no device was measured on two machines."""
    machines = _by_cells(benches)
    found = [(b, plain_rows(machines_frame(b.cells, list(b.axes), machines[0]))) for b in benches]
    shared = [(bench, rows) for bench, rows in found if rows]
    if not shared:
        return None
    own = [bench.records for bench, _ in shared]
    records = {place: record for each in own for place, record in each.items()}
    compared = [row for _, rows in shared for row in rows if present(row["faster"])]
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


def _by_cells(benches: Sequence[Bench]) -> list[str]:
    """Machines, the one with most measured cells first: the others are compared with it."""
    counts: dict[str, int] = {}
    for bench in benches:
        for row in bench.rows:
            if row["machine"]:
                done = row["status"] in {"ok", "partial"}
                counts[row["machine"]] = counts.get(row["machine"], 0) + done
    return sorted(counts, key=lambda machine: (-counts[machine], machine)) or [""]


def _finding(rows: Sequence[dict[str, Any]], reference: str) -> str:
    verdicts = [row["verdict"] for row in rows]
    said = [
        f"{verdicts.count(name)} {word}"
        for name, word in (("FASTER", "faster"), ("SLOWER", "slower"), ("SAME", "the same"))
        if name in verdicts
    ]
    open_ = len(rows) - sum(verdicts.count(name) for name in ("FASTER", "SLOWER", "SAME"))
    said += [f"{open_} undecided"] if open_ else []
    noun = formatting.plural(len(rows), "comparison")
    return f"Of {noun} with machine {label(reference, 12)}: {formatting.listed(said)}."


def _section(bench: Bench, rows: Sequence[dict[str, Any]], reference: str) -> Section:
    machines = list(dict.fromkeys(row["machine"] for row in rows))
    machines.sort(key=lambda machine: (machine != reference, machine))
    groups = []
    for device in dict.fromkeys(row["device"] for row in rows):
        own = [row for row in rows if row["device"] == device]
        points = dict.fromkeys(bench.point_of(row) for row in own)
        made = tuple(
            _row(
                bench, point, machines, {r["machine"]: r for r in own if bench.point_of(r) == point}
            )
            for point in points
        )
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


def _hardware(bench: Bench, machine: str) -> str:
    return machine_line(record for (_, of), record in bench.records.items() if of == machine)


def _row(
    bench: Bench, point: tuple[Any, ...], machines: Sequence[str], own: dict[str, dict[str, Any]]
) -> Row:
    entries = tuple(_entry(own.get(machine)) for machine in machines)
    return Row(Entry((Line(bench.point_header(point)),), href=f"{bench.slug}.html"), entries)


def _entry(row: dict[str, Any] | None) -> Entry:
    if row is None:
        return Entry((Line("not measured here", "reason"),), mark="absent")
    time = time_lines(row)
    if row["machine"] == row["reference"]:
        return Entry(time, mark="baseline")
    if not present(row["faster"]):
        return Entry((*time, Line("its input differs", "reason")))
    values = {**row, "speedup": row["faster"]}
    badge = VERDICTS.get(row["verdict"])
    return Entry(
        (*ratio_lines(values), Line(time[0].text, "detail")),
        heat=decided_heat(values),
        badges=(badge,) if badge and present(row["low"]) else (),
    )
