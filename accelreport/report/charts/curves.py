"""Lines over time: training against validation, and a series with what was said of it.

Solid lines are validation, dotted ones training; a band reaches from the lowest seed to the
highest. All panels have the same axes, so that they can be compared.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import altair as alt

from accelreport.report.charts.drawing import (
    LABEL_SIZE,
    ROOMY,
    THUMBNAIL,
    Chart,
    Devices,
    DeviceStyle,
    Layer,
    drawable,
    extent,
    halo,
    left_axis,
    rows,
    told,
)
from accelreport.report.charts.scales import (
    Scale,
    nice_ticks,
    percent_text,
    plain,
    quality_ticks,
    ticked,
    time_axis,
)
from accelreport.report.text import text_width
from accelreport.report.theme import series

LOW = 180
"""A panel that is not higher has neither titles of axes nor words at its lines."""
LINE, SHORT = 30.0, 13.0
"""Pixels that a label takes at the end of a curve: one of two lines, and one of a single line."""
GAP = 26
"""Pixels between two panels."""
KEY = 16
"""Pixels between a plot and the labels of its lines, in which the keys of devices stand."""


@dataclass(frozen=True)
class Curve:
    """One line: for each epoch the median of the seeds, and their range.

    Attributes:
        device: what was trained on.
        validation: whether the metric is that of data never trained on.
        elapsed_s: timed training up to the end of each epoch.
        value: medians over seeds.
        low: the lowest seed's values.
        high: the highest seed's.
        end: the last value, as it stands at the end of the line.
    """

    device: DeviceStyle
    validation: bool
    elapsed_s: tuple[float, ...]
    value: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    end: str

    @property
    def role(self) -> str:
        """What its label says under the value."""
        return "validation" if self.validation else "training"


@dataclass(frozen=True)
class Axes:
    """What all panels of a figure share.

    Attributes:
        seconds: the end of the axis of time.
        ticks: of the metric; its axis reaches from the first to the last.
        percent: whether the metric is a share.
        quality: the metric, in words.
        target: a level that was asked for, and its text.
        shown: every device of the figure.
    """

    seconds: float
    ticks: tuple[float, ...]
    percent: bool
    quality: str
    target: tuple[float, str] | None
    shown: tuple[DeviceStyle, ...]

    def text(self, value: float) -> str:
        """A tick of the metric's axis."""
        return percent_text(value) if self.percent else plain(value)


def shared_axes(
    curves: Sequence[Curve], *, quality: str, percent: bool, target: tuple[float, str] | None
) -> Axes:
    """Axes that hold every curve; that of a share never leaves 0 to 1."""
    values = [v for curve in curves for v in (*curve.low, *curve.high)]
    values += [target[0]] if target else []
    return Axes(
        seconds=max(t for curve in curves for t in curve.elapsed_s),
        ticks=tuple(quality_ticks(min(values), max(values), share=percent)),
        percent=percent,
        quality=quality,
        target=target,
        shown=tuple(dict.fromkeys(curve.device for curve in curves)),
    )


def told_by_dash(devices: Sequence[DeviceStyle]) -> bool:
    """Whether only dashes tell some apart, as those of one device on two machines.

    Elsewhere validation is solid, so that no device's dots are taken for training.
    """
    return len({device.colour for device in devices}) < len(devices)


@dataclass(frozen=True)
class CurvePanel:
    """The curves of one sweep point, and its name; empty where there is only one."""

    title: str
    curves: tuple[Curve, ...]


def learning_curves(panels: Sequence[CurvePanel], axes: Axes, width: int, height: int) -> Chart:
    """The chart: panels side by side, on a telephone one under another.

    Args:
        panels: never none.
        axes: that hold all of them.
        width: pixels in all.
        height: pixels in all; of each panel where they stand under one another.
    """
    devices = Devices(axes.shown)
    across = width > ROOMY or width <= THUMBNAIL
    count = len(panels) if across else 1
    tall = _plot_height(height, titled=any(panel.title for panel in panels))
    low = height <= LOW or any(len(_labels(p.curves)) * LINE > tall + LINE for p in panels)
    ends = max(
        max(
            text_width(_end(curve, low=low), LABEL_SIZE, bold=True),
            0.0 if low else text_width(curve.role, LABEL_SIZE),
        )
        for panel in panels
        for curve in panel.curves
    )
    names = [axes.text(tick) for tick in axes.ticks]
    room = extent(names)["minExtent"]
    inner = (width - 10 - room - GAP * (count - 1)) / count - ends - KEY - 2
    size = (round(inner, 1), height)
    made = [
        _panel(panel, devices, axes, size, named=number == 0 or not across, low=low)
        for number, panel in enumerate(panels)
    ]
    if len(made) == 1:
        return made[0]
    return alt.hconcat(*made, spacing=GAP) if across else alt.vconcat(*made, spacing=8)


def _plot_height(height: int, *, titled: bool) -> int:
    """Pixels between the axes of a panel of such a height."""
    return height - (40 if height <= LOW else 58) - (22 if titled else 0)


def _panel(
    panel: CurvePanel,
    devices: Devices,
    axes: Axes,
    size: tuple[float, int],
    *,
    named: bool,
    low: bool,
) -> alt.LayerChart:
    """One panel; `named` is one at whose left the ticks are told, `low` one of short labels."""
    inner, height = size
    small = height <= LOW
    tall = _plot_height(height, titled=bool(panel.title))
    x_scale, x_axis = time_axis(
        0.0,
        axes.seconds,
        log=False,
        title="training time",
        most=3 if small else 6,
        grid=False,
    )
    x = alt.X("seconds:Q", scale=x_scale, axis=x_axis.but(**_SMALL) if small else x_axis)
    y_axis = left_axis(axes.ticks, axes.text)
    if not named:
        y_axis = y_axis.but(labels=False, minExtent=0, maxExtent=0)
    y_scale = Scale(domain=[axes.ticks[0], axes.ticks[-1]], nice=False, zero=False)

    def y(field: str) -> alt.Y:
        return alt.Y(f"{field}:Q", scale=y_scale, axis=y_axis)

    layers: list[Layer] = []
    if axes.target:
        level, text = axes.target
        rule = Layer(rows([{"value": level, "text": text}])).encode(y=y("value"))
        layers.append(rule.mark_rule(strokeDash=[4, 3]))
        if not small:
            at, up = _free_place(panel.curves, axes, (inner, tall), text_width(text, LABEL_SIZE))
            layers += halo(
                rule.encode(x=alt.XValue(at), text=alt.Text("text:N")), align="left", dy=-up
            )
    for validation in (False, True):
        curves = [curve for curve in panel.curves if curve.validation == validation]
        layers += _lines(curves, devices, x, y, axes)
    layers += _ends(panel.curves, devices, axes, (inner, tall), y_scale, low=low)
    title: Any = {"text": panel.title, "fontSize": LABEL_SIZE} if panel.title else alt.Undefined
    return alt.layer(*layers, width=inner, height=tall, title=title)


def _lines(
    curves: Sequence[Curve],
    devices: Devices,
    x: alt.X,
    y: Callable[[str], alt.Y],
    axes: Axes,
) -> list[Layer]:
    """The lines of training or of validation, the latter with band and points."""
    if not curves:
        return []
    base = Layer(rows([row for curve in curves for row in _points(curve, devices)]))
    base = base.encode(x=x, **devices.channels("color"))
    if not curves[0].validation:
        dotted = base.mark_line(strokeDash=[1, 4], strokeWidth=2)
        layers = [dotted.encode(y=y("value"), tooltip=_told(axes.quality))]
        if min(len(curve.value) for curve in curves) == 1:  # no line to be seen
            layers.append(base.mark_point(size=32, filled=False).encode(y=y("value")))
        return layers
    dashes = devices.channels("strokeDash") if told_by_dash(axes.shown) else {}
    return [
        base.mark_area(opacity=0.18, line=False).encode(y=y("low"), y2=alt.Y2("high")),
        base.mark_line().encode(y=y("value"), **dashes),
        base.mark_point(size=32).encode(
            y=y("value"), tooltip=_told(axes.quality), **devices.channels("shape")
        ),
    ]


def _told(quality: str) -> list[alt.Tooltip]:
    return told(
        device="device", epoch="epoch", seconds="time (s)", value=quality, low="lowest seed",
        high="highest seed",
    )  # fmt: skip


def _points(curve: Curve, devices: Devices) -> list[dict[str, object]]:
    columns = zip(curve.elapsed_s, curve.value, curve.low, curve.high, strict=True)
    name = devices.name(curve.device)
    return [
        {"device": name, "epoch": epoch, "seconds": s, "value": v, "low": low, "high": high}
        for epoch, (s, v, low, high) in enumerate(columns, 1)
    ]


def _free_place(
    curves: Sequence[Curve], axes: Axes, plot: tuple[float, float], wide: float
) -> tuple[float, float]:
    """Where the words of the target cross least of the lines: from the left, and up from the rule.

    Args:
        curves: what is drawn in the panel.
        axes: of the panel, with a target.
        plot: its width and height, in pixels.
        wide: pixels of the words.
    """
    inner, tall = plot
    first, last = axes.ticks[0], axes.ticks[-1]
    rule = axes.target[0] if axes.target else last

    def crossed(place: tuple[float, float]) -> int:
        left, up = place
        count = 0
        for curve in curves:
            ends = list(zip(curve.elapsed_s, curve.value, strict=True))
            for (x0, y0), (x1, y1) in pairwise(ends):
                for part in range(21):
                    x = inner * (x0 + (x1 - x0) * part / 20) / axes.seconds
                    above = tall * (y0 + (y1 - y0) * part / 20 - rule) / (last - first)
                    count += left - 4 <= x <= left + wide + 4 and abs(above - up) <= LABEL_SIZE / 2
        return count

    free = tall * (last - rule) / (last - first) > LABEL_SIZE + 4
    ups = (9.0, -9.0) if free else (-9.0,)
    rights = [4.0, max(inner - wide - 4, 4.0), max((inner - wide) / 2, 4.0)]
    return min(((left, up) for up in ups for left in rights), key=crossed)


def _labels(curves: Sequence[Curve]) -> list[list[Curve]]:
    """Curves from the highest last value down, those whose labels say the same as one."""
    same: dict[tuple[str, str], list[Curve]] = {}
    for curve in sorted(curves, key=lambda curve: -curve.value[-1]):
        same.setdefault((curve.end, curve.role), []).append(curve)
    return list(same.values())


def _ends(
    curves: Sequence[Curve],
    devices: Devices,
    axes: Axes,
    plot: tuple[float, float],
    y_scale: Scale,
    *,
    low: bool,
) -> list[Layer]:
    """The last values, at the right of the plot, moved apart where they would touch.

    Of more than there is room for those of validation are told; the table has all.
    """
    first, last = axes.ticks[0], axes.ticks[-1]
    inner, tall = plot
    wanted = _labels(curves)
    if len(wanted) * SHORT > tall + SHORT:
        wanted = [each for each in wanted if each[0].validation] or wanted
    places = [tall * (last - each[0].value[-1]) / (last - first) for each in wanted]
    apart = moved_apart(places, SHORT if low else LINE, tall)
    values = [
        {
            "at": last - (last - first) * place / tall,
            "device": devices.name(each[0].device),
            "alone": len(each) == 1,
            "label": _end(each[0], low=low),
            "role": each[0].role,
        }
        for each, place in zip(wanted, apart, strict=True)
    ]
    base = Layer(rows(values)).encode(y=alt.Y("at:Q", scale=y_scale))
    size = LABEL_SIZE - 1.5 if low else LABEL_SIZE
    up = 0 if low else 7
    bold = base.mark_text(align="left", fontSize=size, fontWeight="bold", dy=-up)
    at = alt.XValue(inner + KEY)
    layers = [bold.encode(x=at, text=alt.Text("label:N"))]
    alone = [row for row in values if row["alone"]]
    if len(axes.shown) > 1 and alone:
        keyed = Layer(rows(alone)).encode(y=alt.Y("at:Q", scale=y_scale))
        key = keyed.mark_point(size=36, yOffset=-up)
        layers.append(key.encode(x=alt.XValue(inner + 8), **devices.channels("color", "shape")))
    if not low:
        soft = base.mark_text(align="left", fontSize=size, dy=up, fill="var(--soft)")
        layers.append(soft.encode(x=at, text=alt.Text("role:N")))
    return layers


def _end(curve: Curve, *, low: bool) -> str:
    """What stands at the end of a curve; in a low panel, with no line below it, its role."""
    return f"{curve.end} {curve.role[:5]}." if low else curve.end


def moved_apart(places: Sequence[float], gap: float, end: float) -> list[float]:
    """Ascending places between 0 and `end`, as little moved as keeps them a gap apart.

    Where there is no room for all of them they share it alike.
    """
    gap = min(gap, end / max(len(places) - 1, 1))
    # Without the gaps before it, no place may lie before the one before: those that would share
    # their mean (isotonic regression by pooling neighbours).
    pools: list[tuple[float, int]] = []
    for number, place in enumerate(places):
        mean, count = place - number * gap, 1
        while pools and pools[-1][0] > mean:
            before, several = pools.pop()
            mean = (before * several + mean * count) / (several + count)
            count += several
        pools.append((mean, count))
    last = end - gap * (len(places) - 1)
    firsts = [min(max(mean, 0.0), last) for mean, count in pools for _ in range(count)]
    return [first + number * gap for number, first in enumerate(firsts)]


CAME, SAID = "what came", "forecast"
"""Names of the two lines."""


@dataclass(frozen=True)
class Track:
    """One target, at equal steps of time.

    Attributes:
        days: time of each value, in days since the first that is drawn.
        true: what came.
        predicted: what the model had said of it.
        device: where the model ran.
    """

    days: Sequence[float]
    true: Sequence[float]
    predicted: Sequence[float]
    device: DeviceStyle


_SMALL: dict[str, Any] = {"titleFontSize": 10.5, "titlePadding": 2, "titleAnchor": "start"}
"""How the title of an axis is set in a thumbnail."""


def forecast_lines(track: Track, axis_title: str, width: int, height: int) -> Chart:
    """The chart.

    Args:
        track: two values at least.
        axis_title: of the axis of time.
        width: pixels in all.
        height: pixels in all.
    """
    small = width <= THUMBNAIL
    last = track.days[-1]
    values = [value for value in (*track.true, *track.predicted) if drawable(value)] or [0.0]
    ticks = nice_ticks(min(values), max(values), 2 if small else 4)
    x_ticks = [tick for tick in nice_ticks(0, last, 4 if width <= ROOMY else 7) if tick <= last]
    ends = 0.0 if small else max(text_width(t, LABEL_SIZE, bold=True) for t in (CAME, SAID)) + 10
    room = extent([plain(tick) for tick in ticks])["minExtent"]
    inner, tall = round(width - 10 - room - ends, 1), height - (38 if small else 52)
    x_scale = Scale(domain=[0, last], nice=False)
    x_axis = ticked(x_ticks, plain, title=axis_title, grid=False, **(_SMALL if small else {}))
    x = alt.X("day:Q", scale=x_scale, axis=x_axis)
    y_scale = Scale(domain=[ticks[0], ticks[-1]], nice=False)
    y_axis = left_axis(ticks, plain)

    def y(field: str) -> alt.Y:
        return alt.Y(f"{field}:Q", scale=y_scale, axis=y_axis)

    data = rows(
        [
            {"day": day, "true": true, "predicted": predicted, "miss": abs(true - predicted)}
            for day, true, predicted in zip(track.days, track.true, track.predicted, strict=True)
        ]
    )
    base = Layer(data).encode(x=x)
    colour = series(track.device.colour)
    tips = told(day=axis_title, true=CAME, predicted=SAID, miss="miss")
    layers = [
        base.mark_area(fill="var(--alert)", opacity=0.22, line=False).encode(
            y=y("true"), y2=alt.Y2("predicted")
        ),
        base.mark_line(stroke="var(--ink)", strokeWidth=1.25).encode(y=y("true")),
        base.mark_line(stroke=colour, strokeWidth=2.25).encode(y=y("predicted"), tooltip=tips),
    ]
    if not small:
        layers += _names(track, (ticks[0], ticks[-1]), tall, x_scale, y_scale)
    return alt.layer(*layers, width=inner, height=tall)


def _names(
    track: Track, ends: tuple[float, float], tall: float, x_scale: Scale, y_scale: Scale
) -> list[Layer]:
    """The names of the lines behind their last values."""
    first, last = ends
    lasts = [(CAME, track.true[-1]), (SAID, track.predicted[-1])]
    shown = sorted(((n, v) for n, v in lasts if drawable(v)), key=lambda each: -each[1])
    places = [tall * (last - value) / (last - first) for _, value in shown]
    at = moved_apart(places, LABEL_SIZE + 3, tall)
    values = [
        {"day": track.days[-1], "at": last - (last - first) * place / tall, "label": name}
        for (name, _), place in zip(shown, at, strict=True)
    ]
    text = Layer(rows(values)).mark_text(align="left", dx=7, fontWeight="bold")
    return [
        text.encode(
            x=alt.X("day:Q", scale=x_scale),
            y=alt.Y("at:Q", scale=y_scale),
            text=alt.Text("label:N"),
        )
    ]
