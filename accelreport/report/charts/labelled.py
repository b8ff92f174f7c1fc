"""Rows with their names at the left, in facets under a heading each: devices at sweep points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt

from accelreport.report.charts.drawing import (
    LABEL_SIZE,
    LONGEST_HEADING,
    ROOMY,
    Chart,
    Rows,
    distinct,
    extent,
    inner_width,
    rows,
)
from accelreport.report.charts.scales import shortened

Values = dict[str, object]


@dataclass(frozen=True)
class Heading:
    """A sweep point and the names of its rows; nothing stands above them if it is empty."""

    title: str
    names: tuple[str, ...]


def row_key(point: int, name: int) -> str:
    """The key of a row: the numbers of its heading and of its name."""
    return f"{point}.{name}"


class LabelledRows:
    """The vertical axis of a chart of rows.

    Args:
        headings: from the top.
        width: of the chart, in pixels.
    """

    def __init__(self, headings: Sequence[Heading], width: int) -> None:
        self._groups = dict(zip(distinct([each.title for each in headings]), headings, strict=True))
        self._places: dict[str, Values] = {}
        for number, (group, heading) in enumerate(self._groups.items()):
            for i, name in enumerate(distinct(heading.names)):
                self._places[row_key(number, i)] = {"group": group, "row": name}
        self._names = list(dict.fromkeys(str(place["row"]) for place in self._places.values()))
        self._alike = len({heading.names for heading in headings}) == 1
        """Whether all headings stand over the same names."""
        self._limit = 220 if width > ROOMY else 128
        self.inner = inner_width(width, self._names, self._limit)
        """Pixels between the axes."""

    @property
    def axis(self) -> alt.Y:
        """The names of the rows, in order."""
        room = extent(self._names, self._limit)
        domain = self._names if self._alike else alt.Undefined
        return alt.Y(
            "row:N",
            sort=None,
            scale=alt.Scale(paddingInner=0.3, paddingOuter=0.1, domain=domain),
            axis=dict(
                title=None, domain=False, ticks=False, labelColor="var(--ink)",
                **shortened(self._names, self._limit, LABEL_SIZE), **room,
            ),
        )  # fmt: skip

    def data(self, values: Sequence[tuple[str, Values]]) -> Rows:
        """Rows of a chart, in the order of their keys; a name that has none keeps its place."""
        own: dict[str, list[Values]] = {key: [] for key in self._places}
        for key, each in values:
            own[key].append(each)
        return rows(
            [{**place, **each} for key, place in self._places.items() for each in own[key] or [{}]]
        )

    def chart(self, data: Rows, layers: Sequence[alt.Chart], step: int) -> Chart:
        """The layers, once under each heading.

        Args:
            data: what all layers show.
            layers: without data of their own.
            step: pixels from one row to the next.
        """
        size = {"width": self.inner, "height": alt.Step(step)}
        if len(self._groups) == 1 and not next(iter(self._groups)):
            return alt.layer(*layers, data=data, **size)
        cut = shortened(self._groups, LONGEST_HEADING, LABEL_SIZE)
        header = cut if "labelExpr" in cut else alt.Undefined
        row = alt.Row("group:N", sort=list(self._groups), title=None, header=header)
        facets = alt.layer(*layers, **size).facet(row=row, data=data, spacing=4)
        return facets if self._alike else facets.resolve_scale(y="independent")
