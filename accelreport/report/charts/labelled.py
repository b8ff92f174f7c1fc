"""Rows with their names at the left, under headings: devices within sweep points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from accelreport.report.charts.scales import quoted


@dataclass(frozen=True)
class Heading:
    """A sweep point and the devices under it; no row is made for an empty title."""

    title: str
    names: tuple[str, ...]


@dataclass(frozen=True)
class LabelledRows:
    """The rows of a chart, from the top.

    Attributes:
        keys: a key for each row, headings included.
        labels: what stands at the left of each.
        headings: keys of the headings.
    """

    keys: tuple[str, ...]
    labels: tuple[str, ...]
    headings: frozenset[str]

    def axis(self, *, limit: int) -> alt.Axis:
        """The axis: headings in bold ink, names in soft ink."""
        pairs = zip(self.keys, self.labels, strict=True)
        texts = " : ".join([*(f"datum.value == {quoted(k)} ? {quoted(t)}" for k, t in pairs), "''"])
        bold = " || ".join(f"datum.value == {quoted(k)}" for k in self.keys if k in self.headings)
        weight: Any = alt.Undefined
        if bold:
            weight = {"condition": {"test": bold, "value": "bold"}, "value": "normal"}
        return alt.Axis(
            title=None,
            domain=False,
            ticks=False,
            labelExpr=texts,
            labelFontWeight=weight,
            labelColor="var(--ink)",
            labelLimit=limit,
        )

    def encoding(self, *, wide: bool) -> alt.Y:
        """The vertical position of field `row`, which holds keys."""
        scale = alt.Scale(type="band", domain=list(self.keys), paddingInner=0.3, paddingOuter=0.1)
        return alt.Y("row:N", scale=scale, axis=self.axis(limit=label_limit(wide=wide)))


def label_limit(*, wide: bool) -> int:
    """Pixels a row's name may take."""
    return 220 if wide else 128


def row_key(point: int, name: int) -> str:
    """The key of a device's row under a heading, both by number."""
    return f"{point}.{name}"


def labelled_rows(headings: Sequence[Heading]) -> LabelledRows:
    """Rows for every heading and name."""
    keys: list[str] = []
    labels: list[str] = []
    heads = set()
    for number, heading in enumerate(headings):
        if heading.title:
            keys.append(f"{number}")
            heads.add(f"{number}")
            labels.append(heading.title)
        keys += [row_key(number, i) for i in range(len(heading.names))]
        labels += heading.names
    return LabelledRows(tuple(keys), tuple(labels), frozenset(heads))
