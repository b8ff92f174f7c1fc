"""Rates over the batch, and the law that is fitted to each device's: a form of its own.

Marks are what was timed: a dot where it was measured, a diamond where it was published. The law
is a thin dotted line, fainter where nothing was timed, and says that it is a model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from accelreport.analysis.batch_law import Law
from accelreport.report import quantity
from accelreport.report.charts.drawing import (
    ROOMY,
    Chart,
    Devices,
    DeviceStyle,
    Layer,
    halo,
    inner_width,
    left_axis,
    marked,
    rows,
)
from accelreport.report.charts.scales import (
    Axis,
    Scale,
    decades,
    log_domain,
    plain,
    ticked,
    work_text,
)

BEYOND = 4.0
"""A line goes on to so many times the largest amount that was timed, where it is fainter."""
PIECES = 24
"""Straight pieces of a line, which bends on logarithmic axes."""
DOTTED = [1.5, 3.5]


@dataclass(frozen=True)
class LawLine:
    """One device: the amounts that were timed, their rates, and the law.

    `law` is None where none is drawn. Amounts and rates share `unit`: a rate is so many of an
    amount each second.
    """

    device: DeviceStyle
    published: bool
    amounts: tuple[float, ...]
    rates: tuple[float, ...]
    law: Law | None
    unit: float = 1.0

    def rate(self, amount: float) -> float:
        """The rate that the law gives an amount."""
        assert self.law is not None
        return amount / self.law.seconds(amount / self.unit)

    def amount_text(self, amount: float) -> str:
        """An amount as the axis has it."""
        return plain(amount) if self.unit == 1 else work_text(amount / self.unit)

    @property
    def ends(self) -> tuple[float, float]:
        """The least and the largest amount that was timed."""
        return min(self.amounts), max(self.amounts)


def law_lines(
    lines: Sequence[LawLine],
    equal: Sequence[tuple[float, str]],
    *,
    x_title: str,
    y_title: str,
    width: int,
) -> Chart:
    """The chart, both axes logarithmic.

    Args:
        lines: the devices, at least one of them with a law.
        equal: amounts at which two laws give the same time, and what is written there.
        x_title: what is swept.
        y_title: what the rates are.
        width: pixels in all.
    """
    devices = Devices([line.device for line in lines])
    timed = [amount for line in lines for amount in line.amounts]
    x_ends = log_domain([*timed, BEYOND * max(timed), *(at for at, _ in equal)], 1.15)
    curve = [row for line in lines if line.law for row in _curve(line, devices, x_ends)]
    marks = _marks(lines, devices, x_title, y_title)
    y_ends = log_domain([row["y"] for row in (*curve, *marks)], 1.3)
    y_ticks = decades(*y_ends, 6)
    unit = lines[0].unit

    inner = inner_width(width, [plain(tick) for tick in y_ticks])
    x = alt.X(
        "x:Q",
        scale=Scale(type="log", domain=list(x_ends), nice=False),
        axis=_swept_axis(timed, x_ends, unit, width, title=f"{x_title} (log scale)", grid=False),
    )
    y = alt.Y(
        "y:Q",
        scale=Scale(type="log", domain=list(y_ends), nice=False),
        axis=left_axis(y_ticks, plain),
    )
    layers = [
        *_crossings(equal, x, y, y_ends),
        _model(curve, devices, x=x, y=y),
        *_timed(marks, devices, x=x, y=y),
    ]
    return Chart(layers, inner, 275 if width > ROOMY else 238)


def _model(curve: list[dict[str, Any]], devices: Devices, **encoding: Any) -> Layer:
    """The law's lines: dotted, and fainter where nothing was timed."""
    faint = alt.Opacity(
        "group:N", title=None, scale=Scale(domain=["timed", "beyond"], range=[1, 0.5])
    )
    dotted = alt.StrokeDash("form:N", title=None, scale=Scale(domain=["model"], range=[DOTTED]))
    line = Layer(rows(curve)).mark_line(strokeWidth=2)
    dotted_line: Layer = line.encode(
        **encoding,
        detail=alt.Detail("piece:N"),
        opacity=faint,
        strokeDash=dotted,
        **devices.channels("color"),
    )
    return dotted_line


def _timed(marks: list[dict[str, Any]], devices: Devices, **encoding: Any) -> list[Layer]:
    """A dot where it was measured, a diamond where it was published."""
    encoding |= devices.channels("color")
    dots, diamonds = (
        Layer(rows([mark for mark in marks if mark["group"] == group])).encode(**encoding)
        for group in ("measured", "published")
    )
    return [
        dots.mark_point(size=70).encode(**devices.channels("shape")),
        diamonds.mark_point(
            filled=False, shape="diamond", size=120, fill="var(--paper)", strokeWidth=2
        ),
    ]


def _marks(
    lines: Sequence[LawLine], devices: Devices, x_title: str, y_title: str
) -> list[dict[str, Any]]:
    return [
        {
            "device": devices.name(line.device),
            "group": "published" if line.published else "measured",
            "x": amount,
            "y": rate,
            **marked(
                line.device,
                f"{line.device.title}, {'published' if line.published else 'measured'}, {x_title} "
                f"{line.amount_text(amount)}: {quantity.number(rate)} {y_title}",
            ),
        }
        for line in lines
        for amount, rate in zip(line.amounts, line.rates, strict=True)
    ]


def _swept_axis(
    timed: Sequence[float], ends: tuple[float, float], unit: float, width: int, **rest: Any
) -> Axis:
    """Ticks at the batches that were timed; of operations at decades."""
    if unit == 1:
        return ticked(_ticks(timed, width), plain, **rest)
    ticks = decades(*ends, 6 if width > ROOMY else 4)
    return ticked(ticks, lambda tick: work_text(tick / unit), **rest)


def _ticks(timed: Sequence[float], width: int) -> list[float]:
    """The amounts that were timed, as many of them as there is room for."""
    known = sorted(set(timed))
    return known[:: -(-len(known) // (9 if width > ROOMY else 4))]


def _curve(line: LawLine, devices: Devices, ends: tuple[float, float]) -> list[dict[str, Any]]:
    """The line in up to three parts: before, between and behind what was timed."""
    least, most = line.ends
    parts = (("beyond", ends[0], least), ("timed", least, most), ("beyond", most, ends[1]))
    name = devices.name(line.device)
    return [
        {
            "device": name,
            "piece": f"{name} {number}",
            "group": group,
            "form": "model",
            "x": x,
            "y": line.rate(x),
            **marked(line.device, "", f"{line.device.title}: model"),
        }
        for number, (group, low, high) in enumerate(parts)
        if low < high
        for x in (low * (high / low) ** (k / PIECES) for k in range(PIECES + 1))
    ]


def _crossings(
    equal: Sequence[tuple[float, str]], x: alt.X, y: alt.Y, ends: tuple[float, float]
) -> list[Layer]:
    if not equal:
        return []
    data = Layer(rows([{"x": at, "y": ends[0] * 1.12, "label": said} for at, said in equal]))
    rule = data.mark_rule(strokeWidth=1, strokeDash=DOTTED, stroke="var(--soft)").encode(x=x)
    return [rule, halo(data.encode(x=x, y=y, text=alt.Text("label:N")), align="left", dx=5)]
