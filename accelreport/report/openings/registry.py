"""Which figures an opening has: the form of the finding that is its title.

The forms of rates, sweeps and grids have files of their own; those of networks that learn are here:
curves, mistakes, forecasts, what one writes, int8.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from accelreport.analysis.findings import COMPARISONS, Finding, Kind, Unit
from accelreport.analysis.ranking import title_finding
from accelreport.analysis.speed_findings import has_lines
from accelreport.analysis.stats import Interval
from accelreport.datasets.catalogue import BUILT_IN
from accelreport.report import quantity
from accelreport.report.charts.curves import FEW
from accelreport.report.charts.dots import Base, brief_marks
from accelreport.report.charts.drawing import drawable
from accelreport.report.charts.scales import factor_text
from accelreport.report.model import Code, Token
from accelreport.report.openings.frameworks import frameworks_scenes
from accelreport.report.openings.grid import grid_scene
from accelreport.report.openings.opening import Opening, Plot, Scene, Shown, dots_plot
from accelreport.report.openings.rates import (
    dot_of,
    point_of,
    rates_at,
    rates_scene,
    ratios_scene,
    totals_plot,
)
from accelreport.report.openings.sweep import latency_scene, sweep_scene
from accelreport.report.pages.sections.about import commands
from accelreport.report.pages.sections.deployment import int8_plot
from accelreport.report.pages.sections.learning import curves_of
from accelreport.report.pages.sections.predictions import (
    epochs_written,
    few_mistakes,
    forecast_plots,
    shown_run,
    text_by_epoch,
)
from accelreport.report.say import Speaker
from accelreport.report.text import beginning, clean, in_quotes, label, sentence, written
from accelreport.report.view import BenchmarkView, cached_by_bench, replaced_data

Form = Callable[[BenchmarkView, Finding], tuple[Scene, ...]]
"""A benchmark and the finding of its title → its figures."""

MOST_PICTURES = 12
"""Mistakes beside a chart: three rows."""
MOST_EPOCHS, LONGEST = 3, 150
"""Epochs whose text is in the first screen, and letters of each."""


def quality_scenes(bench: BenchmarkView, finding: Finding) -> tuple[Scene, ...]:
    """Curves of training and validation, misclassified examples; the figure of the title first."""
    mistakes = finding if finding.kind is Kind.MISCLASSIFIED else _next(bench, Kind.MISCLASSIFIED)
    pictures = few_mistakes(bench, mistakes, MOST_PICTURES) if mistakes else None
    beside = (Scene(mistakes, pictures),) if mistakes and pictures else ()
    if mistakes is finding:
        return (*beside, *_curves(bench, _next(bench, Kind.LEARNS)))
    return (*_curves(bench, finding), *beside)


def _next(bench: BenchmarkView, *kinds: Kind) -> Finding | None:
    """The first finding of some kinds."""
    return next((finding for finding in bench.findings if finding.kind in kinds), None)


def _curves(bench: BenchmarkView, finding: Finding | None) -> tuple[Scene, ...]:
    if finding is None:
        return ()
    curves = curves_of(bench)
    plot = curves.plot(curves.metrics[0], finding.values[0].of.point, finding)
    return (Scene(finding, plot),) if plot else ()


def writing_scenes(bench: BenchmarkView, finding: Finding) -> tuple[Scene, ...]:
    """What a network wrote after some epochs, and its curves."""
    run = shown_run(bench, lambda record: bool(record.texts))
    if run is None:
        return ()
    record = run.record
    rows = epochs_written(record, MOST_EPOCHS)
    text = text_by_epoch(bench, record, rows, "What it wrote", LONGEST)
    if not rows:
        last = record.texts[0]
        tokens = (Token(clean(last.prompt), "head"), Token(beginning(written(last.text), LONGEST)))
        text = Code("What it wrote", tokens, wrapped=True)
    return (Scene(finding, text), *_curves(bench, _next(bench, Kind.LEARNS)))


def forecast_scenes(bench: BenchmarkView, finding: Finding) -> tuple[Scene, ...]:
    """The forecast of one series and, of several, the errors of all."""
    (first, *_) = forecast_plots(bench)
    findings = [other for other in bench.findings if other.kind is Kind.FORECAST]
    if len(findings) < 2:
        return (Scene(finding, first),)
    every = Finding(Kind.FORECAST, tuple(other.values[0] for other in findings))
    errors = _errors(bench, findings)
    return (Scene(finding, first), *([Scene(every, errors)] if errors else []))


def _errors(bench: BenchmarkView, findings: Sequence[Finding]) -> Plot | None:
    """Mean absolute error of the network over that of the best naive guess, series by series.

    A network that diverged has no error and no row; None where all did.
    """
    speaker = Speaker(bench)
    dots = []
    for finding in findings:
        own, base = finding.values[0], finding.base
        if base is None or not (base.number > 0 and drawable(own.number) and own.number > 0):
            continue
        mean, low, high = (
            end / base.number for end in (own.number, own.interval.low, own.interval.high)
        )
        ratio = replace(own, interval=Interval(mean, low, high, own.interval.n), unit=Unit.RATIO)
        dot = dot_of(speaker, ratio)
        dots.append(
            replace(
                dot,
                name=sentence(label(own.of.part, 24)),
                detail=f"{speaker.number(own)}; {in_quotes(base.of.part)} {speaker.number(base)}",
                text=speaker.with_interval("", ratio).strip(),
            )
        )
    if not dots:
        return None
    plot = dots_plot(
        dots,
        axis="error ÷ naive guess",
        tick=factor_text,
        base=Base(name="naive guess = 1×", below="← better", above="worse →"),
        id="forecast-errors",
        title="Error over that of the naive guess",
        values=tuple(value for finding in findings for value in finding.every_value),
    )
    errors = "; ".join(
        ", ".join((f"{dot.name}: {dot.text}", *dot.hollow, dot.detail)) for dot in dots
    )
    hollow = brief_marks(dots, bars=False)
    return replace(plot, description=f"{errors}.", brief=hollow)


def int8_scenes(bench: BenchmarkView, finding: Finding) -> tuple[Scene, ...]:
    """How fast the network is in both arithmetics."""
    plot = int8_plot(bench)
    return (Scene(finding, plot),) if plot else ()


QUALITY_FORMS = {
    Kind.LEARNS: quality_scenes,
    Kind.MISCLASSIFIED: quality_scenes,
    Kind.WRITES: writing_scenes,
    Kind.FORECAST: forecast_scenes,
    Kind.INT8: int8_scenes,
}
"""Kind of the title's finding → the form of its figures."""


def _rates(bench: BenchmarkView, finding: Finding) -> tuple[Scene, ...]:
    """Rates over the one swept number or at the point of the finding; ratios at several points."""
    if has_lines(bench) and bench.shown_series:
        return (sweep_scene(bench, finding),)
    if len({bench.base_point(value.of.point) for value in finding.title_values}) > 1:
        return (ratios_scene(bench, finding),)
    return (rates_scene(bench, finding),)


def _grid(bench: BenchmarkView, finding: Finding) -> tuple[Scene, ...]:
    scene = grid_scene(bench, finding)
    return (scene,) if scene else _rates(bench, Speaker(bench).answered()[0])


FORMS: dict[Kind, Form] = {
    **dict.fromkeys((*COMPARISONS, Kind.GAIN, Kind.PUBLISHED, Kind.RATE), _rates),
    **dict.fromkeys(
        (Kind.EXCEEDS_PEAK, Kind.SHARE_OF_PEAK),
        lambda bench, finding: (rates_scene(bench, finding),),
    ),
    **dict.fromkeys(
        (Kind.RESTATED, Kind.TOTAL), lambda bench, finding: (Scene(finding, totals_plot(bench)),)
    ),
    Kind.COMPILED: frameworks_scenes,
    Kind.RANGE: _grid,
    Kind.LATENCY: lambda bench, finding: (latency_scene(bench, finding),),
    Kind.NOT_MEASURED: lambda bench, finding: (
        Scene(finding, Code("Measure it", commands(bench))),
    ),
    **QUALITY_FORMS,
}
"""Kind of the title's finding → the form of its figures."""


@cached_by_bench
def opening_of(bench: BenchmarkView) -> Opening:
    """The opening of a benchmark; every benchmark has one."""
    finding, title = bench.findings[0], title_finding(bench.findings)
    scenes = FORMS[finding.kind](bench, finding)
    rule = claim.claim.rule if (claim := Speaker(bench).claim) else None
    if finding.kind is Kind.LATENCY and getattr(rule, "ratio", "") == "throughput":
        # The claim that is the title is of rates, which no time of a call shows.
        rates = sweep_scene(bench, _next(bench, Kind.GAIN) or finding)
        scenes = (replace(rates, claimed=True), *scenes)
    if title and not any(scene.marks(title.title_values) for scene in scenes):
        own = FORMS[title.kind](bench, title)[:1]
        if finding.kind is Kind.RANGE and Speaker(bench).claim:
            # A grid has all qualities; a line of so few epochs shows no more.
            own = tuple(s for s in own if not isinstance(s.shown, Plot) or s.shown.points >= FEW)
        # Of two forms of one figure the title's is shown: an id is there once. What a network wrote
        # is beside its own title alone.
        ids = {getattr(scene.shown, "id", None) for scene in own} - {None}
        kept = [
            scene
            for scene in scenes[:2]
            if getattr(scene.shown, "id", None) not in ids and not isinstance(scene.shown, Code)
        ]
        # A grid shows every cell, whichever of them the title is about.
        scenes = (*kept, *own) if finding.kind is Kind.RANGE else (*own, *kept)
    if title:
        # Ratios beside rates are over the slower side of the title.
        scenes = tuple(
            replace(scene, shown=below(bench, scene, title))
            if scene.marks(title.title_values) else scene
            for scene in scenes
        )  # fmt: skip
    speaker = Speaker(bench)
    if title and not speaker.claim:
        # A heading is the finding of the first figure.
        scenes = tuple(sorted(scenes, key=lambda scene: not scene.marks(title.title_values)))
    return Opening(
        speaker=speaker,
        scenes=scenes,
        findings=bench.findings,
        kicker=kicker(bench),
    )


def below(bench: BenchmarkView, scene: Scene, finding: Finding, *, claimed: bool = True) -> Shown:
    """The figure of a scene below the title of a finding, which has the rows and base of rates.

    Its sides are the strong ones, unless a claim that may be the title is `claimed`.
    """
    if isinstance(scene.shown, Plot) and scene.shown.id == "sweep" and not claimed:
        return sweep_scene(bench, finding, claimed=False).shown
    if not isinstance(scene.shown, Plot) or scene.shown.id != "rates":
        return scene.shown
    # The first cells of a run may all be of other sweep points than the finding.
    if not rates_at(bench, point_of(bench, finding)):
        return scene.shown
    return rates_scene(bench, finding, claimed=claimed).shown


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
    about = data_title(bench) or ("" if bench.words.kernel else bench.words.family)
    parts += [about] if about else []
    source = bench.plan.source
    if source:
        who = label(source.authors or source.title, 60)
        parts.append(f"after {who} {source.year or ''}".rstrip())
    return parts


def data_title(bench: BenchmarkView) -> str:
    """The data set, and whether a sample or a stand-in was read; empty where it has none.

    A set that nobody publishes has the name of its file.
    """
    name = str(bench.plan.workload.get("dataset") or "")
    known = BUILT_IN.get(name)
    title = known.title if known else label(name, 60)
    if known and not known.files:
        parts = (part for part in bench.plan.workload.values() if isinstance(part, dict))
        planned = [Path(str(part["path"])).name for part in parts if part.get("path")]
        read = {file for r in bench.records.values() if r.data for file in r.data.files}
        title = label(", ".join(sorted(read) or planned), 60) or title
    origins = {row.origin for row in bench.results if row.measured}
    origins = origins or {str(bench.plan.workload.get("data", ""))}
    stand_in = next((words for origin, words in STAND_INS.items() if origin in origins), "")
    if replaced_data(bench.records.values()):
        stand_in = "own files"
    return f"{title} ({stand_in})" if title and stand_in else title
