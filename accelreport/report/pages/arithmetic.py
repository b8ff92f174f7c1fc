"""How much arithmetic each device did, and what share of its cited peak that is."""

from __future__ import annotations

from accelreport.report import formatting
from accelreport.report.bench import Bench, Point, Series
from accelreport.report.frames import present
from accelreport.report.model import Block, Column, Download, Entry, Line, Row, Section, Table
from accelreport.report.pages.marks import absence, number_badges
from accelreport.report.pages.panels import groups_corner, point_groups
from accelreport.report.pages.rates import peak_of, tflops_of, unknown_peak
from accelreport.report.pages.roofline import roofline_blocks
from accelreport.report.text import label


def arithmetic_section(bench: Bench) -> Section | None:
    """The section; None where no run counted its operations."""
    groups = point_groups(
        bench,
        lambda point, header: Row(
            Entry((Line(header),)), tuple(_entry(bench, each, point) for each in bench.series)
        ),
    )
    places = [(s, p) for s in bench.shown_series for p in bench.points]
    known = {place: rate for place in places if (rate := tflops_of(bench, *place)) is not None}
    if not known:
        return None
    methods = sorted(
        {label(r.flops.method, 500) for r in bench.records.values() if r.flops is not None}
    )
    table = Table(
        id="arithmetic-table",
        title=f"Floating-point operations each second, by the steady time of a {bench.words.step}",
        caption=(
            f"Counted so: {'; '.join(methods)}. One multiply-add counts as two. The share is of "
            "the dense peak cited for the element type, by the devices file or else by the table "
            "of known hardware; the notes say what each figure was held against."
        ),
        corner=groups_corner(bench),
        columns=tuple(Column(s.title, number=True, device=s.colour) for s in bench.series),
        groups=groups,
        notes=_sources(bench),
        style="matrix",
        download=Download(f"{bench.slug}/cells.csv", "CSV", "every cell"),
    )
    blocks: tuple[Block, ...] = (table, *roofline_blocks(bench))
    return Section("arithmetic", "Arithmetic", blocks, finding=_finding(bench, known))


def _entry(bench: Bench, series: Series, point: Point) -> Entry:
    rate = tflops_of(bench, series, point)
    if rate is None:
        return absence(bench, series, point)
    value, low, high = rate
    ends = (low, high) if present(low) and present(high) else ()
    # The unit may stand below: eight devices have no room for it beside the number.
    lines = [Line(f"{formatting.number(value, *ends)} TFLOPS")]
    peak = peak_of(bench, series, point)
    if peak:
        share = formatting.percent(value / peak.tflops, 1)
        of = f"of {formatting.number(peak.tflops)} TFLOPS {label(peak.dtype, 20)}"
        lines += [Line(f"{share} of the peak", "interval"), Line(of, "detail")]
    else:
        lines.append(Line(unknown_peak(bench, series, point), "reason"))
    badges = number_badges(bench.planned(series, point))
    return Entry(tuple(lines), href=bench.evidence(series, point), badges=badges, mark="small")


def _sources(bench: Bench) -> tuple[str, ...]:
    found = {
        f"{series.title}: {label(peak.source, 240)}"
        for series in bench.shown_series
        for point in bench.points
        if (peak := peak_of(bench, series, point)) and peak.source
    }
    return (f"Peaks. {'; '.join(sorted(found))}.",) if found else ()


def _finding(bench: Bench, known: dict[tuple[Series, Point], tuple[float, float, float]]) -> str:
    shares = {
        place: rate[0] / peak.tflops
        for place, rate in known.items()
        if (peak := peak_of(bench, *place))
    }
    if not shares:
        return "No peak is cited for these devices, so there is no share of it to give."
    place = max(shares, key=lambda each: shares[each])
    where = f" at {bench.point_title(place[1])}" if bench.axes else ""
    return (
        f"{place[0].title} comes nearest to its peak: {formatting.percent(shares[place], 1)} of "
        f"it{where}."
    )
