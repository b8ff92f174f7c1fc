"""What each device can do at most: cited peaks and bandwidths, with their sources."""

from __future__ import annotations

from collections.abc import Sequence

from accelreport.report import formatting
from accelreport.report.model import (
    Badge,
    Column,
    Entry,
    Line,
    Prose,
    Row,
    RowGroup,
    Section,
    Table,
)
from accelreport.report.pages.inventory import Listing
from accelreport.report.text import label, sentence

UNCHECKED = Badge("not checked", "Nobody has held this figure against its source yet.")


HOW = (
    "Neither the devices file nor the table of known hardware gives one; in the devices file, "
    "peak_tflops with peak_source and memory_gbps with memory_source would."
)


def limits_section(devices: Sequence[Listing]) -> Section:
    """A row for each cited figure; devices without one are named."""
    rows = {each.id: _rows(each) for each in devices}
    without = [each.title for each in devices if not rows[each.id]]
    note = f"No figure is cited for {formatting.listed(without)}." if without else ""
    if len(without) == len(devices):
        return Section("limits", "What each can do at most", (Prose(f"{note} {HOW}"),))
    table = Table(
        id="limits-table",
        title="Peak arithmetic and memory bandwidth, as they are cited",
        caption=(
            "Dense peaks for the element type that was computed, by the devices file or else by "
            "the table of known hardware. A figure whose source nobody has read is marked."
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
        (f"{formatting.number(peak.tflops)} TFLOPS", label(peak.dtype, 20), peak.source,
         peak.checked, bool(listing.device.peak_tflops))
        for peak in listing.peaks
    ] + [
        (f"{formatting.number(width.gbps)} GB/s", "memory", width.source, width.checked,
         listing.device.memory_gbps is not None)
        for width in listing.bandwidths
    ]  # fmt: skip
    made = []
    for amount, of, source, checked, given in cited:
        said = [Line(sentence(label(source, 300)))]
        said += [Line("by the devices file", "detail")] if given else []
        marks = () if checked else (UNCHECKED,)
        limit = Entry((Line(amount), Line(of, "detail")))
        made.append((limit, Entry(tuple(said), badges=marks)))
    return [Row(Entry((Line(listing.title),)), entries, device=listing.number) for entries in made]
