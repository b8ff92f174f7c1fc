"""The inventory: every device of every spec, every machine, and what was measured where."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from accelreport.analysis.cost import price_of
from accelreport.report import quantity
from accelreport.report.model import (
    Badge,
    Column,
    Download,
    Entry,
    Fact,
    Line,
    Note,
    Notes,
    Page,
    Prose,
    Row,
    RowGroup,
    Section,
    Table,
    entry,
    table_row,
)
from accelreport.report.pages.badges import KINDS as REASONS
from accelreport.report.pages.badges import kind_text
from accelreport.report.pages.hardware import (
    KINDS,
    Listing,
    driven_lines,
    hardware_lines,
    listings,
    size_lines,
    software_lines,
)
from accelreport.report.pages.machines import (
    DEVICES,
    fact_lines,
    machine_facts,
    machine_id,
    machine_line,
)
from accelreport.report.pages.sections.cost import price_text
from accelreport.report.text import label, sentence
from accelreport.report.view import BenchmarkView
from accelreport.report.warning_text import source_of_peak, type_of_peak

UNCHECKED = Badge("not checked", "Nobody has checked this figure against its source yet.")


MOST_NAMED = 8
"""Devices that a sentence names; more are counted by their kind."""
HOW = (
    "Neither the devices file nor the table of known hardware gives one. In the "
    "devices file, give peak_tflops with peak_source and memory_gbps with "
    "memory_source."
)


def limits_section(devices: Sequence[Listing]) -> Section:
    """A row for each cited figure; devices without one are named."""
    rows = {each.id: _rows(each) for each in devices}
    without = [each.title for each in devices if not rows[each.id]]
    rest = f"{len(without) - MOST_NAMED} more"
    named = without if len(without) <= MOST_NAMED else [*without[:MOST_NAMED], rest]
    note = f"No figure is cited for {quantity.listed(named)}." if without else ""
    if len(without) == len(devices):
        return Section(
            "limits", "Cited peak and bandwidth of each device", (Prose(f"{note} {HOW}"),)
        )
    table = Table(
        id="limits-table",
        title="Peak arithmetic and memory bandwidth, as they are cited",
        caption=(
            "Dense peaks for the element type that was computed, from the devices file or else "
            "from the table of known hardware. A figure whose source nobody has checked is "
            "marked."
        ),
        corner="device",
        columns=(Column("at most"), Column("source")),
        groups=(RowGroup(tuple(row for own in rows.values() for row in own)),),
        notes=(note,) if note else (),
        style="prose",
    )
    return Section("limits", "What each can do at most", (table,))


def _rows(listing: Listing) -> list[Row]:
    cited = [
        (f"{quantity.number(peak.tflops)} TFLOPS", type_of_peak(peak), source_of_peak(peak),
         peak.checked, bool(listing.device.peak_tflops))
        for peak in listing.peaks
    ] + [
        (f"{quantity.number(width.gbps)} GB/s", "memory", width.source, width.checked,
         listing.device.memory_gbps is not None)
        for width in listing.bandwidths
    ]  # fmt: skip
    made = []
    for amount, of, source, checked, given in cited:
        said = [Line(sentence(label(source, 300)))]
        said += [Line("by the devices file", "detail")] if given else []
        marks = () if checked else (UNCHECKED,)
        limit = entry(amount, Line(of, "detail"))
        made.append((limit, Entry(tuple(said), badges=marks)))
    return [table_row(listing.title, *entries, device=listing.number) for entries in made]


def devices_page(benches: Sequence[BenchmarkView]) -> Page:
    """The page; nothing on it depends on a time that was measured."""
    devices = listings(benches)
    records = {place: record for bench in benches for place, record in bench.records.items()}
    machines, named = machine_facts(records.values()), machine_line(records.values())
    heading, finding = _finding(devices)
    sections = (
        Section("inventory", "Every device", (_inventory(devices),)),
        _absent(devices),
        limits_section(devices),
        Section("machines", "Machines and their software", machines) if machines else None,
    )
    return Page(
        path=DEVICES,
        title="Devices and machines",
        headline=heading,
        kicker="Inventory",
        finding=finding,
        sections=tuple(section for section in sections if section),
        template="article.html",
        byline=(
            *([Fact("Machines", named)] if named else []),
            Fact("Benchmarks", quantity.count(len(benches))),
        ),
        crumbs=(Download("index.html", "All benchmarks"),),
    )


def _done(listing: Listing) -> bool:
    return any(row.measured for row in listing.rows)


def _finding(devices: Sequence[Listing]) -> tuple[str, str]:
    here = [each for each in devices if _done(each)]
    gone = [each for each in devices if not _done(each)]
    count = "all" if len(here) == len(devices) else str(len(here)) if here else "none"
    heading = f"{quantity.plural(len(devices), 'device')}, {count} of them measured"
    if not here:
        return heading, "Nothing has been measured yet. The table shows what the specs ask for."
    if len(devices) > MOST_NAMED:
        counts = [
            (
                f"{sum(map(_done, own)) or 'none'} of {quantity.plural(len(own), 'configuration')} "
                f"of a {kind}"
            )
            for kind in KINDS
            if (own := [each for each in devices if each.device.kind == kind])
        ]
        return heading, f"Measured: {quantity.listed(counts)}."
    said = f"Measured: {quantity.listed([each.title for each in here])}."
    if gone:
        said += f" Not measured: {quantity.listed([each.title for each in gone])}."
    return heading, said


def _inventory(devices: Sequence[Listing]) -> Table:
    priced = any(price_of(each.device) for each in devices)
    titles = ["software", "driven by", "measured", *(["price"] * priced)]
    alike: dict[tuple[str, tuple[tuple[str, str], ...]], list[Listing]] = {}
    for kind in KINDS:
        for each in (each for each in devices if each.device.kind == kind):
            alike.setdefault((kind, tuple(hardware_lines(each))), []).append(each)
    return Table(
        id="inventory-table",
        title="What each device is",
        caption=(
            (
                "Hardware and software are those in the records of the machines that measured; the "
                "devices file gives prices and how a device is driven. A clock is what the system "
                "reported when cells began."
            )
            + ("" if priced else " No device has a price.")
        ),
        corner="device",
        columns=tuple(Column(title) for title in titles),
        groups=tuple(
            _group(kind, found, own, tuple(_row(each, priced=priced) for each in own))
            for (kind, found), own in alike.items()
        ),
        style="prose",
    )


def _group(
    kind: str, found: Sequence[tuple[str, str]], own: Sequence[Listing], rows: tuple[Row, ...]
) -> RowGroup:
    """Devices of the same hardware, which is told once above them."""
    if not found:
        return RowGroup(rows, title=kind, detail="not measured")
    environments = [e for each in own for seen in each.machines.values() for e in seen]
    names = [f"machine{quantity.SPACE}{label(machine, 12)}" for _, machine in found]
    said = [*size_lines(own[0].device, environments), quantity.listed(names)]
    title = "; ".join(dict.fromkeys(name for name, _ in found))
    return RowGroup(rows, title, href=_place(found[0][1]), detail=" · ".join((kind, *said)))


def _row(listing: Listing, *, priced: bool) -> Row:
    driven = [*driven_lines(listing.device), *_hosts(listing)]
    entries = [_software(listing), fact_lines(driven), fact_lines(_counts(listing))]
    price = price_of(listing.device)
    if priced:
        said = price_text(price).split(", ", 1) if price else ["not given"]
        entries.append(fact_lines(said))
    named = [Line(listing.title)]
    if listing.title != label(listing.name, 60):
        named.append(Line(label(listing.name, 60), "reason"))
    if listing.variant:
        where = quantity.listed([f"“{label(b.plan.title)}”" for b in listing.benches[:3]])
        named.append(Line(f"as defined for {where}", "reason"))
    return table_row(entry(*named), *entries, id=listing.id, device=listing.number)


def _counts(listing: Listing) -> list[str]:
    """How many of its cells were measured, in how many benchmarks, and what became of the rest."""
    lost = Counter(kind_text(row) for row in listing.rows if not row.measured)
    done = len(listing.rows) - lost.total()
    of = quantity.plural(len(listing.benches), "benchmark")
    said = [
        f"{quantity.count(done)} of {quantity.plural(len(listing.rows), 'cell')}",
        f"in {of}",
    ]
    return said + [f"{why}: {quantity.count(count)}" for why, count in sorted(lost.items())]


def _software(listing: Listing) -> Entry:
    """Versions of what drove it; why nothing did."""
    if listing.machines:
        return fact_lines(software_lines(listing))
    return entry(f"not{quantity.SPACE}measured", Line(_reason(listing), "reason"))


def _hosts(listing: Listing) -> list[str]:
    """The machines that its workers ran on, where they are several."""
    unordered = {host.host for record in listing.records for host in record.hosts}
    hosts = sorted(unordered, key=lambda host: (len(host), host))
    names = quantity.listed([label(host, 40) for host in hosts[:8]])
    return [f"{quantity.plural(len(hosts), 'host')}: {names}"] if len(hosts) > 1 else []


def _place(machine: str) -> str:
    return f"#{machine_id(machine)}"


def _reason(listing: Listing) -> str:
    texts = {kind_text(row) for row in listing.rows} or {"not planned"}
    return quantity.listed(sorted(texts))


def _absent(devices: Sequence[Listing]) -> Section | None:
    """Devices without any number, and why; none is dropped."""
    alike: dict[tuple[str, str], list[Listing]] = {}
    for each in devices:
        if not _done(each):
            alike.setdefault(_why(each), []).append(each)
    notes = tuple(_note(*why, own) for why, own in alike.items())
    if not notes:
        return None
    return Section(
        "absent",
        "Devices that were not measured",
        (Notes(notes),),
        finding="Every table lists absent devices with the reason.",
    )


def _why(listing: Listing) -> tuple[str, str]:
    """Why a device has no number, and what to do."""
    said, remedies = [], []
    for record in listing.absences:
        if record.failure is not None:
            kind = REASONS.get(record.failure.kind, record.failure.kind)
            said.append(sentence(label(record.failure.message or kind, 300)).rstrip(".") + ".")
            remedies.append(label(record.failure.remedy, 300))
    why = " ".join(dict.fromkeys(said)) or "None of its cells has been run yet."
    return why, " ".join(dict.fromkeys(text for text in remedies if text))


def _note(why: str, remedy: str, alike: Sequence[Listing]) -> Note:
    """What is said once of all devices of which the same is to be said."""
    benches = list({b.slug: b for each in alike for b in each.benches}.values())
    where = [Download(f"{bench.slug}.html", bench.named) for bench in benches[:6]]
    if (rest := len(benches) - 6) > 0:
        where.append(Download("benchmarks.html", f"and {rest} more"))
    return Note(
        f"{quantity.listed([each.title for each in alike])}.",
        why,
        remedy=remedy,
        where=tuple(where),
    )
