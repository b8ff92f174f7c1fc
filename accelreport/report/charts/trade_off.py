"""Time against cost: what a result takes on each device, and what nothing else beats in both."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from accelreport.report import quantity
from accelreport.report.charts.drawing import (
    COLOUR,
    LABEL_SIZE,
    Chart,
    DeviceStyle,
    Layer,
    device_fields,
    inner_width,
    left_axis,
    marked,
    rows,
)
from accelreport.report.charts.place import Box, along, place
from accelreport.report.charts.scales import (
    Scale,
    decades,
    fitting,
    log_domain,
    plain,
    plain_duration,
    round_times,
    ticked,
)
from accelreport.report.text import text_width

FOOT, MARK, MOST_LABELS = 56, 7.0, 16
"""Pixels below the plot and to each side of a mark's middle; labels of a chart."""

Spread = tuple[float, float, float]
"""A value and the ends of its interval, which are the value where there is none."""


@dataclass(frozen=True)
class Offer:
    """What a result takes on a device.

    Attributes:
        name: of the device, with its sweep point.
        device: from which its colour follows.
        seconds: positive.
        cost: None where no price is given.
        text: the time as it is written.
        published: whether a source printed the time.
        hollow: whether it is less than a whole measurement with an interval.
    """

    name: str
    device: DeviceStyle
    seconds: Spread
    cost: Spread | None
    text: str
    published: bool = False
    hollow: bool = False

    @property
    def price(self) -> float:
        """The cost; infinite where no price is given."""
        return self.cost[0] if self.cost else math.inf


def frontier(offers: Sequence[Offer]) -> list[Offer]:
    """The offers that no other is both cheaper and faster than, the cheapest first."""
    best: list[Offer] = []
    for offer in sorted(offers, key=lambda offer: (offer.price, offer.seconds[0])):
        if offer.cost and (not best or offer.seconds[0] < best[-1].seconds[0]):
            best.append(offer)
    return best


def trade_off(offers: Sequence[Offer], *, currency: str, width: int, height: int) -> Chart:
    """The chart, on log scales; down and to the left is better.

    Args:
        offers: at least one of them with a cost.
        currency: of the costs.
        width: pixels in all.
        height: pixels in all.
    """
    return _TradeOff(offers, currency, width, height - FOOT).chart()


class _TradeOff:
    """The layers of one chart."""

    def __init__(self, offers: Sequence[Offer], currency: str, width: int, height: float) -> None:
        self._offers, self._currency, self._tall = offers, currency, height
        self._y = log_domain([end for offer in offers for end in offer.seconds], 1.35)
        self._x = log_domain([end for offer in offers for end in offer.cost or ()], 1.8)
        times = fitting(round_times(*self._y, 6), plain_duration, self._y, height, log=True)
        labels = list(map(plain_duration, times))
        self._wide = inner_width(width, labels)
        costs = fitting(decades(*self._x, 6), plain, self._x, self._wide, log=True)
        title = f"cost in {currency} (log scale)"
        across = ticked(costs, plain, title=title, domain=False, tickSize=0)
        up = left_axis(times, plain_duration)
        x_scale = Scale(type="log", domain=list(self._x), nice=False)
        y_scale = Scale(type="log", domain=list(self._y), nice=False)
        self._across = {"scale": x_scale, "axis": across}
        self._up = {"scale": y_scale, "axis": up}

    def _at(self, x: str = "cost", y: str = "seconds") -> dict[str, Any]:
        return {"x": alt.X(f"{x}:Q", **self._across), "y": alt.Y(f"{y}:Q", **self._up)}

    def _pixels(self, cost: float, seconds: float) -> tuple[float, float]:
        (left, right), (low, high) = self._x, self._y
        across = math.log(cost / left) / math.log(right / left)
        return across * self._wide, math.log(high / seconds) / math.log(high / low) * self._tall

    def chart(self) -> Chart:
        """The layers from the back to the front."""
        ends = {"x2": alt.X2("right")}
        levels = Layer(rows([self._row(offer) for offer in self._offers if not offer.cost]))
        marks = [self._row(offer) for offer in self._offers if offer.cost]
        layers = [
            levels.mark_rect(opacity=0.2).encode(
                **self._at("left", "fast"), **ends, y2=alt.Y2("slow"), **COLOUR
            ),
            levels.mark_rule(strokeDash=[2, 3], strokeWidth=1.5).encode(
                **self._at("left"), **ends, **COLOUR
            ),
            Layer(rows(self._edge())).mark_line(
                strokeDash=[5, 4], stroke="var(--soft)", strokeWidth=1.25
            ).encode(**self._at(), order=alt.Order("order:Q")),
            Layer(rows(marks)).mark_rule(strokeWidth=6, opacity=0.3).encode(
                **self._at(y="fast"), y2=alt.Y2("slow"), **COLOUR
            ),
        ]  # fmt: skip
        hollow: dict[str, Any] = {"filled": False, "fill": "var(--paper)", "strokeWidth": 2}
        looks = {
            "whole": {"filled": True},
            "partial": hollow,
            "published": {**hollow, "shape": "diamond"},
        }
        for kind, look in looks.items():
            chosen = Layer(rows([mark for mark in marks if mark["kind"] == kind]))
            layers.append(chosen.mark_point(size=110, **look).encode(**self._at(), **COLOUR))
        text = Layer(rows(self._labels())).mark_text(fontWeight="bold")
        layers.append(text.encode(**self._at(), text=alt.Text("label:N"), **COLOUR))
        return Chart(layers, self._wide, self._tall)

    def _row(self, offer: Offer) -> dict[str, Any]:
        seconds, fast, slow = offer.seconds
        price = f" for {quantity.number(offer.price)} {self._currency}" if offer.cost else ""
        return {
            "label": offer.name,
            "seconds": seconds, "fast": fast, "slow": slow,
            "cost": offer.cost[0] if offer.cost else None,
            "left": self._x[0], "right": self._x[1],
            "kind": "published" if offer.published else "partial" if offer.hollow else "whole",
            **marked(offer.device, f"{offer.name}: {offer.text}{price}"),
        }  # fmt: skip

    def _edge(self) -> list[dict[str, float]]:
        """Corners of the frontier: from each offer its time holds up to the next dearer one."""
        corners: list[tuple[float, float]] = []
        for offer in frontier(self._offers):
            corners += [(offer.price, corners[-1][1])] if corners else []
            corners.append((offer.price, offer.seconds[0]))
        corners += [(self._x[1], corners[-1][1])] if len(corners) > 1 else []
        return [{"cost": x, "seconds": y, "order": n} for n, (x, y) in enumerate(corners)]

    def _labels(self) -> list[dict[str, Any]]:
        """The name of each mark that has room for one, and of each device without a price."""
        spots = {id(o): self._pixels(o.price, o.seconds[0]) for o in self._offers if o.cost}
        levels = {
            id(o): (self._wide, self._pixels(self._x[1], o.seconds[0])[1])
            for o in self._offers if not o.cost
        }  # fmt: skip
        taken = [Box.around(x, y, 2 * MARK, 2 * MARK) for x, y in spots.values()]
        edge = [self._pixels(corner["cost"], corner["seconds"]) for corner in self._edge()]
        taken += along(edge)
        taken += [box for x, y in levels.values() for box in along([(0.0, y), (x, y)])]
        texts, boxes = [], []
        for offer in sorted(self._offers, key=lambda offer: offer.cost is not None):
            text = offer.name if offer.cost else f"{offer.name}, {offer.text}: no price given"
            across = text_width(text, LABEL_SIZE, bold=True) + 2
            x, y = {**spots, **levels}[id(offer)]
            dx, dy = across / 2 + MARK + 3, LABEL_SIZE / 2 + MARK + 2
            sides = [(dx, 0.0), (-dx, 0.0), (0.0, -dy), (0.0, dy), (dx, -dy), (-dx, dy)]
            sides += [(-dx, -dy), (dx, dy)]
            if not offer.cost:
                at_left = across / 2 - self._wide
                sides = [(edge, side) for edge in (-across / 2, at_left) for side in (dy, -dy)]
            texts.append((text, offer.device))
            boxes.append([Box.around(x + a, y + b, across, LABEL_SIZE + 3) for a, b in sides])
        chosen = place(boxes, taken, Box(-2, -14, self._wide + 2, self._tall + 2), MOST_LABELS)
        (left, right), (low, high) = self._x, self._y
        return [
            {
                "label": text, **device_fields(device),
                "cost": left * (right / left) ** ((box.left + box.right) / 2 / self._wide),
                "seconds": high * (low / high) ** ((box.top + box.bottom) / 2 / self._tall),
            }
            for (text, device), places, number in zip(texts, boxes, chosen, strict=True)
            if number is not None
            for box in [places[number]]
        ]  # fmt: skip
