"""When to use which kind of device: what a source advises, and the numbers that bear on it."""

from __future__ import annotations

from collections.abc import Iterator

from accelreport.analysis.findings import COMPARISONS, Kind
from accelreport.report import quantity
from accelreport.report.model import Column, Line, RowGroup, Section, Table, entry, table_row
from accelreport.report.pages.sections.speedup import published_ratios
from accelreport.report.say import Speaker
from accelreport.report.say_run import advised, published_speedups
from accelreport.report.text import label, sentence
from accelreport.report.view import BenchmarkView
from accelreport.spec.models import Advice

NOTHING = "No number of this benchmark bears on it."


def advice_section(bench: BenchmarkView) -> Section | None:
    """The section; None where the spec quotes no advice."""
    advice = bench.plan.advice
    if not advice:
        return None
    rows = []
    for row in advice:
        others = [Line(f"“{label(words, 200)}”") for words in row.others]
        cases = [Line(f"“{label(words, 200)}”") for words in row.words]
        count = quantity.plural(len(others), "case")
        more = f"{count} on which no number here bears" if others else ""
        numbers = _numbers(bench, row) if row.words else [NOTHING]
        rows.append(
            table_row(
                row.use,
                entry(*cases, more=tuple(others), more_title=more),
                entry(*map(Line, numbers)),
            )
        )
    table = Table(
        id="advice-table",
        title="Advice, word for word, and the numbers of this benchmark",
        corner="device",
        columns=(Column("advised for", wide=True), Column("numbers here", wide=True)),
        groups=(RowGroup(tuple(rows)),),
        style="prose",
    )
    finding = advised(advice, bench.plan.source)
    return Section("advice", "When should each be used?", (table,), finding=finding)


def _numbers(bench: BenchmarkView, row: Advice) -> Iterator[str]:
    """What was measured of a kind of device, or published, against the baseline."""
    speaker, devices = Speaker(bench), bench.plan.devices
    said = False
    for finding in bench.findings:
        kinds = {devices[v.of.device].kind for v in finding.values if v.of.device in devices}
        reached = finding.kind is Kind.TARGET and quantity.present(finding.values[0].number)
        own = reached or finding.kind in {Kind.RATE, Kind.RANGE}
        if kinds == {row.use} and (own or finding.kind in COMPARISONS):
            said = True
            yield f"{speaker.title(finding)}."
    rows = [
        ratios
        for ratios in published_ratios(bench).values()
        if (device := devices.get(next(iter(ratios.values())).of.device)) and device.kind == row.use
    ]
    for clause in published_speedups(speaker, rows):
        said = True
        yield f"{sentence(clause)}."
    if not said:
        yield f"No {row.use} has a number here yet."
