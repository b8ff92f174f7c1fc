"""Which figures an opening has: the form of the finding that is its title."""

from __future__ import annotations

from collections.abc import Callable

from accelreport.analysis.findings import COMPARISONS, Finding, Kind
from accelreport.analysis.speed_findings import swept_number
from accelreport.datasets.catalogue import BUILT_IN
from accelreport.report import quantity
from accelreport.report.model import Code
from accelreport.report.openings.grid import grid_scene
from accelreport.report.openings.learning import QUALITY_FORMS, pictures_of
from accelreport.report.openings.opening import Opening, Scene
from accelreport.report.openings.rates import (
    frameworks_scenes,
    rates_scene,
    ratios_scene,
    totals_scene,
)
from accelreport.report.openings.sweep import latency_scene, sweep_scene
from accelreport.report.pages.sections.about import commands
from accelreport.report.say import Speaker
from accelreport.report.text import label
from accelreport.report.view import BenchmarkView, once

Form = Callable[[BenchmarkView, Finding], tuple[Scene, ...]]
"""A benchmark and the finding of its title → its figures."""


def _rates(bench: BenchmarkView, finding: Finding) -> tuple[Scene, ...]:
    """Rates over the one swept number or at the point of the finding; ratios at several points."""
    if swept_number(bench) and len(bench.axes) == 1 and bench.shown_series:
        return (sweep_scene(bench, finding),)
    if len({bench.base_point(value.of.point) for value in finding.told}) > 1:
        return (ratios_scene(bench, finding),)
    return (rates_scene(bench, finding),)


def _grid(bench: BenchmarkView, finding: Finding) -> tuple[Scene, ...]:
    scene = grid_scene(bench, finding)
    return (scene,) if scene else _rates(bench, finding)


def _unmeasured(bench: BenchmarkView, finding: Finding) -> tuple[Scene, ...]:
    return (Scene(finding, Code("Measure it", commands(bench))),)


FORMS: dict[Kind, Form] = {
    **dict.fromkeys((*COMPARISONS, Kind.GAIN, Kind.PUBLISHED, Kind.RATE), _rates),
    Kind.COMPILED: frameworks_scenes,
    Kind.RANGE: _grid,
    Kind.RESTATED: lambda bench, finding: (totals_scene(bench, finding),),
    Kind.TOTAL: lambda bench, finding: (totals_scene(bench, finding),),
    Kind.EXCEEDS_PEAK: lambda bench, finding: (rates_scene(bench, finding),),
    Kind.SHARE_OF_PEAK: lambda bench, finding: (rates_scene(bench, finding),),
    Kind.LATENCY: lambda bench, finding: (latency_scene(bench, finding),),
    Kind.NOT_MEASURED: _unmeasured,
    **QUALITY_FORMS,
}
"""Kind of the title's finding → the form of its figures."""


@once
def opening_of(bench: BenchmarkView) -> Opening:
    """The opening of a benchmark; every benchmark has one."""
    finding = bench.findings[0]
    scenes = FORMS[finding.kind](bench, finding)
    return Opening(
        speaker=Speaker(bench),
        scenes=scenes,
        findings=bench.findings,
        kicker=kicker(bench),
        pictures=pictures_of(scenes) if finding.kind in QUALITY_FORMS else None,
    )


STAND_INS = {"synthetic": "synthetic stand-in", "sample": "sample"}
"""Origin of data that are no whole real set → what a reader calls them."""


def kicker(bench: BenchmarkView) -> str:
    """The benchmark, its parameters, its data and its source, in one line."""
    parts = [label(bench.plan.title, 90), *facts_of(bench)]
    if bench.plan.profile != "full":
        parts.append(f"{label(bench.plan.profile, 40)} profile")
    return " · ".join(parts)


def facts_of(bench: BenchmarkView) -> list[str]:
    """Parameters, data and source of a benchmark, each in a few words."""
    parts = []
    counts = sorted({r.parameters for r in bench.records.values() if r.parameters})
    if counts:
        low, high = quantity.count(counts[0]), quantity.count(counts[-1])
        parts.append(f"{low if low == high else f'{low} to {high}'} parameters")
    # What is trained on no data set of the catalogue is named by its family.
    about = _data(bench) or ("" if bench.words.kernel else bench.words.family)
    parts += [about] if about else []
    source = bench.plan.source
    if source:
        who = label(source.authors or source.title, 60)
        parts.append(f"after {who} {source.year or ''}".rstrip())
    return parts


def _data(bench: BenchmarkView) -> str:
    name = str(bench.plan.workload.get("dataset") or "")
    known = BUILT_IN.get(name)
    title = known.title if known else label(name, 60)
    origins = {row.origin for row in bench.results if row.measured}
    stand_in = next((words for origin, words in STAND_INS.items() if origin in origins), "")
    return f"{title} ({stand_in})" if title and stand_in else title
