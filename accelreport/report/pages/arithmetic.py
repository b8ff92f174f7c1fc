"""How much arithmetic each device did, and what share of its cited peak that is."""

from __future__ import annotations

from accelreport.analysis.peaks import Peak, cited_peak
from accelreport.report import formatting
from accelreport.report.bench import Bench, Point, Series, median, present
from accelreport.report.model import Column, Download, Entry, Line, Row, Section, Table
from accelreport.report.pages.marks import absence, number_badges
from accelreport.report.pages.panels import groups_corner, point_groups
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
    known = {place: rate for place in places if (rate := _tflops(bench, *place)) is not None}
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
            "the peak cited for the element type, by the devices file or else by the data sheet."
        ),
        corner=groups_corner(bench),
        columns=tuple(Column(s.title, number=True, device=s.colour) for s in bench.series),
        groups=groups,
        notes=_sources(bench),
        style="matrix",
        download=Download(f"{bench.slug}/cells.csv", "CSV", "every cell"),
    )
    return Section("arithmetic", "Arithmetic", (table,), finding=_finding(bench, known))


def _tflops(bench: Bench, series: Series, point: Point) -> tuple[float, float, float] | None:
    """TFLOPS and their interval, from the geometric mean of the steady time."""
    row = bench.speedup(series, point)
    work = median([cell["flops_per_step"] for cell in bench.measured(series, point)])
    if row is None or not present(row["seconds"]) or not present(work):
        return None
    ends = (row["seconds_high"], row["seconds_low"])
    low, high = (work / end / 1e12 if present(end) else float("nan") for end in ends)
    return work / row["seconds"] / 1e12, low, high


def _peak(bench: Bench, series: Series, point: Point) -> Peak | None:
    values = dict(zip(bench.axes, point, strict=True))
    return cited_peak(bench.plan, series.device, values, _hardware(bench, series, point))


def _hardware(bench: Bench, series: Series, point: Point) -> str:
    """The name by which a driver knows what the cells ran on."""
    for row in bench.measured(series, point):
        record = bench.record(row)
        if record and record.environment:
            kind = bench.plan.devices[series.device].kind
            gpus = [gpu.name for gpu in record.environment.gpus]
            return gpus[0] if kind == "GPU" and gpus else record.environment.cpu
    return ""


def _entry(bench: Bench, series: Series, point: Point) -> Entry:
    rate = _tflops(bench, series, point)
    if rate is None:
        return absence(bench, series, point)
    value, low, high = rate
    ends = (low, high) if present(low) and present(high) else ()
    lines = [Line(f"{formatting.number(value, *ends)}{formatting.SPACE}TFLOPS")]
    peak = _peak(bench, series, point)
    if peak:
        share = formatting.percent(value / peak.tflops, 1)
        of = f"of {formatting.number(peak.tflops)} TFLOPS {label(peak.dtype, 20)}"
        lines += [Line(f"{share} of the peak", "interval"), Line(of, "detail")]
    badges = number_badges(bench.planned(series, point))
    return Entry(tuple(lines), href=bench.evidence(series, point), badges=badges, mark="small")


def _sources(bench: Bench) -> tuple[str, ...]:
    found = {
        f"{series.title}: {label(peak.source, 160)}"
        for series in bench.shown_series
        for point in bench.points
        if (peak := _peak(bench, series, point)) and peak.source
    }
    return (f"Peaks. {'; '.join(sorted(found))}.",) if found else ()


def _finding(bench: Bench, known: dict[tuple[Series, Point], tuple[float, float, float]]) -> str:
    shares = {
        place: rate[0] / peak.tflops
        for place, rate in known.items()
        if (peak := _peak(bench, *place))
    }
    if not shares:
        return "No peak is cited for these devices, so there is no share of it to give."
    place = max(shares, key=lambda each: shares[each])
    where = f" at {bench.point_title(place[1])}" if bench.axes else ""
    return (
        f"{place[0].title} comes nearest to its peak: {formatting.percent(shares[place], 1)} of "
        f"it{where}."
    )
