"""Forecasts of one run beside what came true."""

from __future__ import annotations

from accelreport.report import formatting
from accelreport.report.bench import Bench
from accelreport.report.charts.drawing import panel
from accelreport.report.charts.forecast import Track, forecast_lines, thinned
from accelreport.report.model import (
    Column,
    Entry,
    Figure,
    Key,
    Line,
    Panel,
    Row,
    RowGroup,
    Section,
    Table,
)
from accelreport.report.pages.marks import origin_badges
from accelreport.report.pages.runs import Run, first_run
from accelreport.report.text import label, sentence
from accelreport.results.record import Forecast

MOST_TARGETS = 6
DAY_S = 86_400.0


def forecast_section(bench: Bench) -> Section | None:
    """The section; None where no run predicted a series."""
    run = first_run(bench, lambda record: bool(record.forecasts))
    if run is None:
        return None
    shown = [each for each in run.record.forecasts if len(each.true) > 1][:MOST_TARGETS]
    if not shown:
        return None
    every = -(-max(len(each.true) for each in shown) // 500)
    origin = run.record.data.origin if run.record.data else ""
    figure = Figure(
        id="forecasts",
        title="What was, and what the model said a while before",
        subtitle=f"From {run.name}, the beginning of the validation data.",
        caption=(
            "The grey line is what was measured, the coloured one the prediction for the same "
            "moment. In the shaded part the model had seen too little; its loss leaves that out."
            + (" Axes of values start near the lowest one, not at 0." if _cut(shown) else "")
            + (f" One value in {every} is drawn." if every > 1 else "")
        ),
        panels=tuple(_panel(run, each, number) for number, each in enumerate(shown)),
        keys=(
            Key("measured", "soft", "bar"),
            Key(f"predicted on {run.series.title}", run.series.css),
        ),
        badges=tuple(origin_badges([origin])),
        table=_table(shown),
        stacked=True,
    )
    return Section("forecast", "Forecasts", (figure,), finding=_finding(shown))


def _panel(run: Run, forecast: Forecast, number: int) -> Panel:
    kept = thinned(len(forecast.true))
    track = Track(
        days=tuple(i * forecast.step_s / DAY_S for i in kept),
        true=tuple(forecast.true[i] for i in kept),
        predicted=tuple(forecast.predicted[i] for i in kept),
        warm_up_days=forecast.ignored_steps * forecast.step_s / DAY_S,
        device=run.series,
    )
    unit = f" ({label(forecast.unit, 20)})" if forecast.unit else ""
    title = f"{sentence(label(forecast.target, 60))}{unit}"
    start = formatting.instant(forecast.first_time)
    since = f"days since {formatting.day(start)}" if start else "days"
    drawn = panel(
        forecast_lines(track, axis_title=since),
        prefix=f"fc{number}",
        title=f"{title}: measured and predicted",
        description=f"Mean absolute error {_number(_error(forecast))} after the shaded part.",
    )
    return Panel(drawn.wide, drawn.narrow, title=title)


def _cut(shown: list[Forecast]) -> bool:
    """Whether an axis leaves 0 out."""
    return any(min(*each.true, *each.predicted) > 0 for each in shown)


def _error(forecast: Forecast) -> float:
    """Mean absolute error after the ignored steps; of all where nothing is left."""
    pairs = list(zip(forecast.true, forecast.predicted, strict=True))
    counted = pairs[forecast.ignored_steps :] or pairs
    return sum(abs(true - said) for true, said in counted) / len(counted)


def _naive(forecast: Forecast) -> float:
    """The error of always saying the mean of what was: what a model has to beat."""
    counted = forecast.true[forecast.ignored_steps :] or forecast.true
    mean = sum(counted) / len(counted)
    return sum(abs(value - mean) for value in counted) / len(counted)


def _number(value: float) -> str:
    return formatting.number(value)


def _finding(shown: list[Forecast]) -> str:
    first = shown[0]
    unit = f"{formatting.SPACE}{label(first.unit, 20)}" if first.unit else ""
    return (
        f"{sentence(label(first.target, 60))} is missed by {_number(_error(first))}{unit} on "
        f"average; always saying its mean would miss by {_number(_naive(first))}{unit}."
    )


def _table(shown: list[Forecast]) -> Table:
    rows = tuple(
        Row(
            Entry((Line(label(each.target, 60)),)),
            tuple(
                Entry((Line(text),))
                for text in (
                    label(each.unit, 20) or "–",
                    _number(_error(each)),
                    _number(_naive(each)),
                    formatting.count(len(each.true)),
                )
            ),
        )
        for each in shown
    )
    titles = ("unit", "mean absolute error", "error of saying the mean", "values")
    return Table(
        id="forecast-data",
        title="Errors of the forecasts",
        caption="Each value stands in the record of the run.",
        corner="target",
        columns=tuple(Column(title, number=i > 0) for i, title in enumerate(titles)),
        groups=(RowGroup(rows),),
    )
