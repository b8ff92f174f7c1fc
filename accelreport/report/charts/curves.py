"""Lines over time: training against validation, and a series with its forecast.

Solid lines are validation, dotted ones training, or the reverse where the title is of training; a
band reaches from the lowest seed to the highest. All drawings of a figure have one axis of the
metric, so that they can be compared; the axis of time ends with the longest curve that is drawn,
and begins at 0 unless the curves have fewer than four points.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import altair as alt

from accelreport.analysis.findings import Subject
from accelreport.report import quantity
from accelreport.report.charts.drawing import (
    LABEL_SIZE,
    LINE_OF_ITS_OWN,
    ROOMY,
    Chart,
    DeviceStyle,
    Layer,
    dashed,
    device_fields,
    drawable,
    extent,
    halo,
    left_axis,
    marked,
    rows,
    text_layers,
)
from accelreport.report.charts.place import Box, along, moved_apart, place
from accelreport.report.charts.scales import (
    Scale,
    nice_ticks,
    percent_text,
    plain,
    quality_ticks,
    ticked,
    time_axis,
)
from accelreport.report.text import lines_within, text_width
from accelreport.report.theme import DASHES, letters, series

LINE = 14.0
"""Pixels that a label takes at the end of a curve."""
FEW = 4
"""Points of a curve from which its axis of time begins at 0."""
DOTTED = [1, 4]
"""The dash of training, or of validation where the title is of training."""
KEY = 8
"""Pixels between a plot and the labels of its lines."""


@dataclass(frozen=True)
class Curve:
    """One line: for each epoch the mean of the seeds, and their range.

    Attributes:
        device: what was trained on.
        validation: whether the metric is that of data never trained on.
        elapsed_s: timed training up to the end of each epoch.
        value: means over seeds.
        low: the lowest seed's values.
        high: the highest seed's.
        end: the last value as the end of the line has it.
        of: what that value is of; None where no finding can be about it.
        apart: what tells its device from the first one, behind the text at its end.
    """

    device: DeviceStyle
    validation: bool
    elapsed_s: tuple[float, ...]
    value: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    end: str
    of: Subject | None = None
    apart: str = ""

    @property
    def role(self) -> str:
        """What its metric is of."""
        return "validation" if self.validation else "training"

    def label(self, width: int) -> str:
        """The text at its end: its role and the value, short in a narrow chart."""
        text = f"{self.role if width > ROOMY else f'{self.role[:5]}.'} {self.end}"
        return ", ".join(filter(None, (text, self.apart)))


@dataclass(frozen=True)
class Axes:
    """What all drawings of a figure share.

    Attributes:
        ticks: of the metric; its axis reaches from the first to the last.
        percent: whether the metric is a share.
        target: a level that was asked for, and its text.
        shown: every device of the figure.
        total: how long the training took, behind what the axis of time counts.
        trained: whether the title is of training, which is solid then.
    """

    ticks: tuple[float, ...]
    percent: bool
    target: tuple[float, str] | None
    shown: tuple[DeviceStyle, ...]
    total: str = ""
    trained: bool = False

    def text(self, value: float) -> str:
        """A tick of the metric's axis."""
        return percent_text(value) if self.percent else plain(value)


def shared_axes(
    curves: Sequence[Curve], *, percent: bool, target: tuple[float, str] | None
) -> Axes:
    """An axis of the metric that holds every curve; that of a share never leaves 0 to 1."""
    values = [v for curve in curves for v in (*curve.low, *curve.high)]
    values += [target[0]] if target else []
    return Axes(
        ticks=tuple(quality_ticks(min(values), max(values), share=percent)),
        percent=percent,
        target=target,
        shown=tuple(dict.fromkeys(curve.device for curve in curves)),
    )


def need_dashes(devices: Sequence[DeviceStyle]) -> bool:
    """Whether some devices differ in their dashes alone, as one device on two machines does.

    Where none does, validation is solid, so that no device's dots are taken for training.
    """
    return len({device.colour for device in devices}) < len(devices)


def _dashes(devices: Sequence[DeviceStyle]) -> dict[str, Any]:
    """The channel of dashes, where devices share a hue."""
    several = {series(device.colour) for device in devices}
    if len(several) == len(devices):
        return {}
    of_hue: dict[str, list[str]] = {}
    for device in devices:
        of_hue.setdefault(series(device.colour), []).append(device_fields(device)["device"])
    names = [name for own in of_hue.values() for name in own]
    kinds = [list(DASHES[min(n, 1)]) for own in of_hue.values() for n in range(len(own))]
    return {"strokeDash": alt.StrokeDash("device:N", scale=Scale(domain=names, range=kinds))}


def learning_curves(curves: Sequence[Curve], axes: Axes, width: int, height: int) -> Chart:
    """The chart.

    Args:
        curves: never none.
        axes: that hold them.
        width: pixels in all.
        height: pixels in all.
    """
    tall = height - 58
    ends = max(text_width(curve.label(width), LABEL_SIZE, bold=True) for curve in curves)
    room = extent([axes.text(tick) for tick in axes.ticks])["minExtent"]
    inner = round(width - 10 - room - ends - KEY - 2, 1)
    longest = max(curves, key=lambda curve: curve.elapsed_s[-1]).elapsed_s
    few = max(len(curve.value) for curve in curves) < FEW
    first = min(curve.elapsed_s[0] for curve in curves) if few else 0.0
    x_scale, x_axis = time_axis(first, longest[-1], log=False, title="training time", most=6)
    x_axis |= {"title": f"{x_axis['title']}{axes.total}", "labelFlush": False}
    x = alt.X("seconds:Q", scale=x_scale, axis=x_axis)
    y_axis = left_axis(axes.ticks, axes.text)
    y_scale = Scale(domain=[axes.ticks[0], axes.ticks[-1]], nice=False, zero=False)

    def y(field: str) -> alt.Y:
        return alt.Y(f"{field}:Q", scale=y_scale, axis=y_axis)

    layers: list[Layer] = []
    if axes.target:
        level, text = axes.target
        rule = Layer(rows([{"value": level, "text": text}])).encode(y=y("value"))
        layers.append(rule.mark_rule(strokeDash=[4, 3]))
        wide = text_width(text, LABEL_SIZE)
        at, down = _free_place(curves, axes, x_scale["domain"], (inner, tall), wide)
        layers.append(
            halo(rule.encode(x=alt.XValue(at), text=alt.Text("text:N")), align="left", dy=down)
        )
    for validation in (axes.trained, not axes.trained):
        own = [curve for curve in curves if curve.validation == validation]
        layers += _lines(own, x, y, axes)
    labels = [(curve.label(width), curve) for curve in curves]
    layers += _ends(labels, axes, tall, x=alt.XValue(inner + KEY), y=y("at"))
    return Chart(layers, inner, tall)


def _lines(
    curves: Sequence[Curve],
    x: alt.X,
    y: Callable[[str], alt.Y],
    axes: Axes,
) -> list[Layer]:
    """The lines of training or of validation, the solid ones with band and points."""
    if not curves:
        return []
    base = Layer(rows([row for curve in curves for row in _points(curve, axes)]))
    base = base.encode(x=x, **LINE_OF_ITS_OWN)
    if curves[0].validation == axes.trained:
        dotted = base.mark_line(strokeDash=DOTTED, strokeWidth=2)
        layers = [dotted.encode(y=y("value"))]
        if min(len(curve.value) for curve in curves) == 1:  # no line to be seen
            layers.append(base.mark_point(size=32, filled=False).encode(y=y("value")))
        return layers
    dashes = dashed(axes.shown) if need_dashes(axes.shown) else _dashes(axes.shown)
    return [
        base.mark_area(opacity=0.35, line=False).encode(y=y("low"), y2=alt.Y2("high")),
        base.mark_line().encode(y=y("value"), **dashes),
        base.mark_point(size=32).encode(y=y("value")),
    ]


def _points(curve: Curve, axes: Axes) -> list[dict[str, Any]]:
    columns = zip(curve.elapsed_s, curve.value, curve.low, curve.high, strict=True)
    name, text = curve.device.title, quantity.percent if axes.percent else quantity.number
    return [
        {"epoch": epoch, "seconds": s, "value": v, "low": low, "high": high}
        | marked(
            curve.device,
            f"{name}, {curve.role}, epoch {epoch}, after {quantity.duration(s)}: {text(v)}",
            f"{name}, {curve.role}",
        )
        for epoch, (s, v, low, high) in enumerate(columns, 1)
    ]


def _free_place(
    curves: Sequence[Curve],
    axes: Axes,
    time: Sequence[float],
    plot: tuple[float, float],
    wide: float,
) -> tuple[float, float]:
    """Where the words of the target meet no line: pixels from the left, and down from the rule.

    Where every place meets a line it is the first place.

    Args:
        curves: what is drawn.
        axes: with a target.
        time: the ends of the axis of time.
        plot: its width and height, in pixels.
        wide: pixels of the words.
    """
    inner, tall = plot
    first, last = axes.ticks[0], axes.ticks[-1]

    def down(value: float) -> float:
        return tall * (last - value) / (last - first)

    points = (zip(curve.elapsed_s, curve.value, strict=True) for curve in curves)
    begin, span = time[0], time[1] - time[0] or 1.0
    lines = [along([(inner * (s - begin) / span, down(v)) for s, v in own]) for own in points]
    rule = down(axes.target[0] if axes.target else last)
    lefts = [4.0, max(inner - wide - 4, 4.0), max((inner - wide) / 2, 4.0)]
    places = [(left, dy) for dy in (-9.0, 9.0) for left in lefts]
    boxes = [Box.around(x + wide / 2, rule + dy, wide + 8, LABEL_SIZE) for x, dy in places]
    edges = Box(-8, -8, inner + 8, tall)
    (at,) = place([boxes], chain.from_iterable(lines), edges, 1)
    return places[at or 0]


def _ends(
    labels: Sequence[tuple[str, Curve]],
    axes: Axes,
    tall: float,
    **channels: Any,
) -> list[Layer]:
    """The last values in the colours of their lines, moved apart where they would touch.

    Equal texts of many curves are one. Where there is no room for all of them, those of
    validation are shown, and the table has all.
    """
    first, last = axes.ticks[0], axes.ticks[-1]
    alike: dict[tuple[str, int], list[Curve]] = {}
    for text, curve in sorted(labels, key=lambda pair: -pair[1].value[-1]):
        own_label = curve.device.colour if len(labels) <= FEW else 0
        alike.setdefault((text, own_label), []).append(curve)
    if len(alike) * LINE > tall + LINE:
        alike = {text: own for text, own in alike.items() if own[0].validation} or alike
    places = [tall * (last - own[0].value[-1]) / (last - first) for own in alike.values()]
    values = [
        {
            "at": last - (last - first) * down / tall,
            "ink": letters(own[0].device.colour) if len(own) == 1 else "var(--ink)",
            "label": text,
            **marked(own[0].device if len(own) == 1 else None, ""),
        }
        for ((text, _), own), down in zip(
            alike.items(), moved_apart(places, LINE, tall), strict=True
        )
    ]
    text = Layer(rows(values)).mark_text(align="left", fontWeight="bold", fontSize=LABEL_SIZE)
    ink = alt.Fill("ink:N", scale=None)
    return [text.encode(text=alt.Text("label:N"), fill=ink, **channels)]


ACTUAL, FORECAST = "actual", "forecast"
"""Names of two lines."""
NAMED = 84.0
"""Pixels that a line of such a name takes."""


@dataclass(frozen=True)
class Track:
    """One target, at equal steps of time.

    Attributes:
        days: time of each value, in days since the first that is drawn.
        true: the actual values.
        predicted: those that the model forecast.
        device: where the model ran.
        guesses: of a naive guess; empty where none is drawn.
        naive: the name of that guess.
    """

    days: Sequence[float]
    true: Sequence[float]
    predicted: Sequence[float]
    device: DeviceStyle
    guesses: Sequence[float] = ()
    naive: str = ""

    @property
    def lines(self) -> dict[str, Sequence[float]]:
        """Each line by its name."""
        guess = {self.naive: self.guesses} if self.guesses else {}
        return {ACTUAL: self.true, FORECAST: self.predicted, **guess}


def forecast_lines(track: Track, axis_title: str, width: int, height: int) -> Chart:
    """The chart.

    Args:
        track: two values at least.
        axis_title: of the axis of time.
        width: pixels in all.
        height: pixels in all.
    """
    # The last value is of a whole step, at whose end a day may end.
    last = round(2 * track.days[-1] - track.days[-2], 9)
    values = [value for value in chain(*track.lines.values()) if drawable(value)] or [0.0]
    ticks = nice_ticks(min(values), max(values), 4)
    x_ticks = [tick for tick in nice_ticks(0, last, 4 if width <= ROOMY else 7) if tick <= last]
    names = {name: lines_within(name, NAMED, LABEL_SIZE, bold=True) for name in track.lines}
    ends = max(text_width(text, LABEL_SIZE, bold=True) for text in chain(*names.values())) + 10
    room = extent([plain(tick) for tick in ticks])["minExtent"]
    inner, tall = round(width - 10 - room - ends, 1), height - 52
    x_scale = Scale(domain=[0, last], nice=False)
    x = alt.X("day:Q", scale=x_scale, axis=ticked(x_ticks, plain, title=axis_title, grid=False))
    y_scale = Scale(domain=[ticks[0], ticks[-1]], nice=False)
    y_axis = left_axis(ticks, plain)

    y = alt.Y("value:Q", scale=y_scale, axis=y_axis)
    looks: dict[str, dict[str, Any]] = {
        ACTUAL: {"stroke": "var(--ink)", "strokeWidth": 1.25},
        FORECAST: {"stroke": series(track.device.colour), "strokeWidth": 2.25},
        track.naive: {"stroke": "var(--soft)", "strokeWidth": 1, "strokeDash": [3, 2]},
    }
    layers = []
    for name, own in reversed(track.lines.items()):
        points = zip(track.days, own, strict=True)
        line = Layer(rows([{"day": day, "value": value} for day, value in points]))
        layers.append(line.mark_line(**looks[name]).encode(x=x, y=y))
    at = alt.Y("at:Q", scale=y_scale, axis=y_axis)
    layers += _names(track, names, (ticks[0], ticks[-1]), tall, x_scale, at)
    return Chart(layers, inner, tall)


def _names(
    track: Track,
    names: Mapping[str, Sequence[str]],
    ends: tuple[float, float],
    tall: float,
    x_scale: Scale,
    y: alt.Y,
) -> list[Layer]:
    """The names of the lines behind the plot, each in its lines of text."""
    first, last = ends
    lasts = ((own[-1], name) for name, own in track.lines.items() if drawable(own[-1]))
    fills = {ACTUAL: "var(--ink)", FORECAST: letters(track.device.colour)}
    texts, places, pitch = [], [], LINE + 4
    for value, name in sorted(lasts, reverse=True):
        middle = tall * (last - value) / (last - first) - pitch * (len(names[name]) - 1) / 2
        look = {"fill": fills.get(name, "var(--soft)"), "fontWeight": "bold"}
        texts += [({"label": text}, look) for text in names[name]]
        places += [middle + pitch * number for number in range(len(names[name]))]
    at = moved_apart(places, pitch, tall)
    shown = [
        (row | {"day": x_scale["domain"][1], "at": last - (last - first) * down / tall},
         look | {"align": "left", "dx": 7})
        for (row, look), down in zip(texts, at, strict=True)
    ]  # fmt: skip
    return text_layers(shown, x=alt.X("day:Q", scale=x_scale), y=y)
