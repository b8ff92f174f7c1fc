"""Lines over a swept number; a failure ends its line with a mark."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from accelreport.report.charts.drawing import (
    LABEL_SIZE,
    ROOMY,
    Chart,
    Device,
    Devices,
    Make,
    halo,
    inner_width,
    left_axis,
    rows,
    told,
)
from accelreport.report.charts.scales import (
    Axis,
    as_written,
    decades,
    log_domain,
    plain,
    swept_on_log,
    ticked,
)
from accelreport.report.charts.text_metrics import text_width

LARGEST_SHARE = 0.3
"""Of the width, which names at the ends of lines may take; else the legend alone has them."""


@dataclass(frozen=True)
class SweepLine:
    """One device: the swept values, and its rates with their intervals."""

    device: Device
    x: tuple[float, ...]
    y: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


@dataclass(frozen=True)
class End:
    """A device that failed at a swept value: where the mark stands and what it says."""

    device: Device
    x: float
    y: float
    text: str


@dataclass(frozen=True)
class SweepAxes:
    """What all panels of a figure share."""

    x_title: str
    y_title: str
    swept: tuple[float, ...]
    rates: tuple[float, float]
    log: bool
    """Whether the swept number has a logarithmic axis; rates always have one."""
    shown: tuple[Device, ...]


def sweep_axes(
    lines: Sequence[SweepLine], ends: Sequence[End], *, x_title: str, y_title: str
) -> SweepAxes:
    """Axes that hold every line of a figure, so that its panels can be compared."""
    swept = sorted({x for line in lines for x in line.x} | {end.x for end in ends})
    heights = [v for line in lines for v in (*line.low, *line.high, *line.y)]
    return SweepAxes(
        x_title,
        y_title,
        tuple(swept),
        log_domain([*heights, *(end.y for end in ends)], 1.3),
        swept_on_log(swept),
        tuple(dict.fromkeys(line.device for line in lines)),
    )


def sweep_lines(
    lines: Sequence[SweepLine],
    ends: Sequence[End],
    axes: SweepAxes,
) -> Make:
    """A function from the width in pixels to the chart."""
    devices = Devices(axes.shown)
    low, high = axes.rates
    ticks = decades(low, high, 6)
    labels = [plain(tick) for tick in ticks]
    data = rows(_points(lines, devices))
    failed = rows(
        [
            {"device": devices.name(end.device), "x": end.x, "y": end.y, "label": end.text}
            for end in ends
        ]
    )

    def make(width: int) -> Chart:
        inner = inner_width(width, labels)
        longest = max(text_width(line.device.title, LABEL_SIZE, bold=True) for line in lines)
        named = (longest + 24) / inner <= LARGEST_SHARE
        halves = [text_width(end.text, LABEL_SIZE) / 2 + 4 for end in ends]
        x_scale, x_axis = _across(axes, max([longest + 24 if named else 0, *halves]) / inner)
        y_scale = alt.Scale(type="log", domain=[low, high], nice=False)
        x = alt.X("x:Q", scale=x_scale, axis=x_axis)

        def y(field: str) -> alt.Y:
            return alt.Y(f"{field}:Q", scale=y_scale, axis=left_axis(ticks, plain))

        base = alt.Chart(data).encode(x=x, **devices.channels("color"))
        crosses = alt.Chart(failed).encode(x=x, y=y("y"))
        layers = [
            base.mark_line().encode(y=y("y"), **devices.channels("strokeDash")),
            base.mark_rule(strokeWidth=3, opacity=0.45).encode(y=y("low"), y2=alt.Y2("high")),
            base.mark_point(size=60).encode(
                y=y("y"),
                **devices.channels("shape"),
                tooltip=told(
                    device="device", x=axes.x_title, y=axes.y_title, low="interval from",
                    high="interval to",
                ),
            ),
        ]  # fmt: skip
        if ends:
            layers += [
                crosses.mark_point(shape="cross", angle=45, size=120).encode(
                    **devices.channels("color"),
                    tooltip=told(device="device", x=axes.x_title, label="failure"),
                ),
                *halo(crosses.encode(text=alt.Text("label:N")), dy=18, fill="var(--alert)"),
            ]
        if named:
            layers += _named(_names(lines, devices, low, high), devices, x, y)
        return alt.layer(*layers, width=inner, height=275 if width > ROOMY else 215)

    return make


def _across(axes: SweepAxes, share: float) -> tuple[alt.Scale, Axis]:
    """The axis of the swept values.

    Args:
        axes: those of the figure.
        share: of its length that is kept free at the right for names.
    """
    shown = list(axes.swept[:: -(-len(axes.swept) // 9)])
    free = share / (1 - share)
    if axes.log:
        low, high = log_domain(axes.swept, 1.12)
        scale = alt.Scale(type="log", domain=[low, high * (high / low) ** free], nice=False)
        return scale, ticked(shown, as_written, title=f"{axes.x_title} (log scale)", grid=False)
    high = axes.swept[-1] * 1.08
    scale = alt.Scale(domain=[0, high * (1 + free)], nice=False)
    return scale, ticked([0.0, *shown], as_written, title=axes.x_title, grid=False)


def _named(
    names: list[dict[str, Any]], devices: Devices, x: alt.X, y: Callable[[str], alt.Y]
) -> list[alt.Chart]:
    """Names at the ends of lines; one that had to move away has a thread to its line."""
    moved = [name for name in names if name["label_y"] != name["y"]]
    far = 17 if moved else 9
    text = alt.Chart(rows(names)).encode(x=x, y=y("label_y"), text=alt.Text("device:N"))
    texts = halo(text, align="left", dx=far, fontWeight="bold")
    if not moved:
        return [*texts]
    threads = alt.Chart(rows(moved)).mark_rule(strokeWidth=1, xOffset=5, x2Offset=far - 2)
    ends = {"x2": alt.X2("x2"), "y2": alt.Y2("label_y")}
    return [threads.encode(x=x, y=y("y"), **ends, **devices.channels("color")), *texts]


def _points(lines: Sequence[SweepLine], devices: Devices) -> list[dict[str, Any]]:
    return [
        {"device": devices.name(line.device), "x": x, "y": y, "low": low, "high": high}
        for line in lines
        for x, y, low, high in zip(line.x, line.y, line.low, line.high, strict=True)
    ]


def _names(
    lines: Sequence[SweepLine], devices: Devices, low: float, high: float
) -> list[dict[str, Any]]:
    """Names at the ends of the lines, moved apart where lines end together."""
    gap = (high / low) ** (17 / 250)
    placed: list[dict[str, Any]] = []
    for line in sorted(lines, key=lambda each: each.y[-1]):
        height = line.y[-1]
        if placed and height < placed[-1]["label_y"] * gap:
            height = placed[-1]["label_y"] * gap
        end = {"x": line.x[-1], "x2": line.x[-1], "y": line.y[-1], "label_y": height}
        placed.append({"device": devices.name(line.device), **end})
    return placed
