"""Words beside marks: nothing is written over a line, over another name, or cut without need."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import altair as alt
import pytest

from accelreport.report import formatting
from accelreport.report.charts.curves import (
    Curve,
    CurvePanel,
    learning_curves,
    shared_axes,
    told_by_dash,
)
from accelreport.report.charts.dot_plot import Dot, dot_plot
from accelreport.report.charts.drawing import NARROW, WIDE, Named
from accelreport.report.charts.labelled import CeilingBar, Heading, ceiling_bars, row_key
from accelreport.report.charts.scales import plain
from accelreport.report.charts.sweep import BESIDE, SweepLine, sweep_axes, sweep_lines
from accelreport.report.heroes.general import ROW, rates_figure
from accelreport.report.heroes.hero import ON_A_SLIDE, Size
from accelreport.report.model import Figure
from accelreport.report.pages.sections.predictions import forecast_section
from tests.report.scenarios import observed
from tests.report.test_heroes import driven
from tests.report.test_resources import bench_of

SEVEN = [Named(f"device {number}", number) for number in range(7)]


def _curves(ends: list[float], *, seconds: float = 2.0) -> tuple[Curve, ...]:
    """A line of validation and one of training for each device, the latter lower by a point."""
    return tuple(
        Curve(device, validation, (0.1, seconds), (0.3, end), (0.3, end), (0.3, end), f"{end:.3f}")
        for device, last in zip(SEVEN, ends, strict=False)
        for validation, end in ((True, last), (False, last - 0.01))
    )


def _spec(curves: tuple[Curve, ...], height: int, target: float | None = None) -> dict[str, Any]:
    level = None if target is None else (target, "target")
    axes = shared_axes(curves, quality="accuracy", percent=True, target=level)
    made: dict[str, Any] = learning_curves([CurvePanel("", curves)], axes, WIDE, height).to_dict()
    return made


def _rows(spec: dict[str, Any], *fields: str) -> list[dict[str, Any]]:
    """The rows of the first data set that has such fields."""
    sets = spec["datasets"].values()
    return next(rows for rows in sets if rows and set(fields) <= set(rows[0]))


def test_lines_that_end_alike_share_one_label_without_the_mark_of_any_of_them() -> None:
    labels = _rows(_spec(_curves([0.9] * 6 + [0.85]), 300), "role", "label")
    assert [row["label"] for row in labels] == ["0.900", "0.890", "0.850", "0.840"]
    assert [row["alone"] for row in labels] == [False, False, True, True]


@pytest.mark.parametrize("height", [300, 200])
def test_labels_of_many_lines_are_a_line_apart_and_say_validation_before_training(
    height: int,
) -> None:
    spec = _spec(_curves([0.90, 0.899, 0.898, 0.897, 0.896, 0.895, 0.894]), height)
    labels = _rows(spec, "role", "label")
    low, high = 0.2, 1.0
    places = sorted((row["at"] - low) / (high - low) * (height - 58) for row in labels)
    assert all(b - a >= 12 for a, b in pairwise(places))
    assert {row["role"] for row in labels} >= {"validation"}


def test_validation_is_solid_where_colours_tell_devices_apart() -> None:
    beyond = Named("the ninth", 10, 2)
    assert not told_by_dash([SEVEN[0], beyond])
    assert told_by_dash([Named("here", 1, 0), Named("there", 1, 1)])
    curves = (Curve(beyond, True, (1.0, 2.0), (0.5, 0.9), (0.5, 0.9), (0.5, 0.9), "90 %"),)
    assert '"field": "device", "scale": {"domain"' not in str(
        [layer["encoding"].get("strokeDash") for layer in _spec(curves, 300)["layer"]]
    )


def test_the_words_of_a_target_stand_where_no_line_passes() -> None:
    def place(seconds: float) -> float:
        curves = _curves([0.9], seconds=seconds)
        slow = Curve(SEVEN[1], True, (9.0, 10.0), (0.3, 0.35), (0.3, 0.35), (0.3, 0.35), "35 %")
        layers = _spec((*curves, slow), 300, target=0.7)["layer"]
        at: float = next(
            layer["encoding"]["x"]["value"]
            for layer in layers
            if layer["encoding"].get("text", {}).get("field") == "text"
        )
        return at

    assert place(0.3) > 100, "a line that climbs at the left moves the words to the right"
    assert place(10.0) < 10


def test_a_number_stands_beside_the_band_of_an_interval_that_reaches_far_from_its_mark() -> None:
    def shift(spread: float) -> float:
        values = (100.0, 200.0, 300.0)
        low, high = tuple(v / spread for v in values), tuple(v * spread for v in values)
        line = SweepLine("CPU", "measured", SEVEN[0], (1.0, 2.0, 4.0), values, low, high)
        line = replace(line, texts=("", "200", ""))
        axes = sweep_axes([line], [], x_title="batch size")
        made = sweep_lines([line], [], axes, width=600, height=290).to_dict()
        sets = made["datasets"]
        told = [
            layer["mark"]["dx"]
            for layer in made["layer"]
            if any(row.get("text") == "200" for row in sets[layer["data"]["name"]])
        ]
        return float(told[0])

    assert shift(1.0) == 0.0
    assert abs(shift(3.0)) > BESIDE


def test_names_too_long_for_a_telephone_are_broken_and_not_cut() -> None:
    names = ("Matrix products: cold and warm", "MNIST CNN: save, serve, quantise")
    bars = [CeilingBar(row_key(0, i), 3.0, "ceiling 3×", "arithmetic") for i in range(2)]
    make = ceiling_bars(bars, [Heading("", names)], (1.0, 10.0), "speedup")
    told = str(make(NARROW).to_dict())
    for name in names:
        first = name.split()[0]
        assert f"['{first}" in told
    assert "…" not in told


def test_what_a_published_figure_is_does_not_end_in_the_middle_on_a_telephone() -> None:
    detail = "published, two virtual cores of a Xeon"
    dots = [Dot("CPU", detail, SEVEN[0], 1.0, "1 %", 1.0, 1.0, published=True)]
    made = dot_plot(dots, axis_title="share", tick=plain, width=330, height=200).to_dict()
    (row, *_) = _rows(made, "detail", "row")
    assert row["detail"].replace("\n", " ") == detail


def test_many_rows_of_a_slide_have_their_names_alone_and_leave_it_its_height() -> None:
    dots = [Dot(f"row {n}", "measured", SEVEN[0], 1.0 + n, "1", 1.0, 9.0) for n in range(12)]
    size = ON_A_SLIDE
    made = dot_plot(dots, axis_title="x", tick=plain, width=size.width, height=size.height)
    assert {row["detail"] for row in _rows(made.to_dict(), "detail", "row")} == {""}
    assert made.to_dict()["height"] <= size.height - 46


def test_rows_of_a_page_have_room_for_a_name_and_for_what_stands_below_it() -> None:
    bench = driven(Compiled={"xla": True}, Graph={}, Eager={"eager": True})
    dots = [Dot(f"row {n}", "measured", SEVEN[0], 1.0 + n, "1", 1.0, 9.0) for n in range(9)]
    figure = rates_figure(bench, bench.points[0], dots)

    def tall(size: Size) -> float:
        chart = figure.chart(size)
        assert isinstance(chart, alt.LayerChart)
        return float(chart.to_dict()["height"])

    assert tall(Size(1104, 290)) >= ROW * 9
    assert tall(ON_A_SLIDE) < ON_A_SLIDE.height


def test_a_rounding_error_is_told_in_words_that_need_no_powers_of_ten() -> None:
    assert formatting.tiny(1.4e-6) == "below 0.00001"
    assert formatting.tiny(2.6e-4) == "0.00026"
    assert formatting.tiny(0.0) == formatting.number(0.0)


def test_only_an_axis_that_leaves_0_out_is_said_to() -> None:
    (made,) = observed().studies
    (record,) = made.records
    (told,) = record.forecasts
    above = [each + 0.4 for each in told.true]
    forecast = told.model_copy(update={"true": above, "predicted": above})
    record = record.model_copy(update={"forecasts": [forecast]})
    section = forecast_section(bench_of(replace(made, records=(record,))))
    assert section is not None
    (figure,) = [block for block in section.blocks if isinstance(block, Figure)]
    assert "not at 0" not in figure.caption


@pytest.mark.parametrize("size", [ON_A_SLIDE, Size(WIDE, 320)])
@pytest.mark.parametrize("name", ["A", "Intel Xeon", "a device of some name"])
def test_what_is_told_under_a_name_is_whole_where_the_name_has_room(name: str, size: Size) -> None:
    span, steady = (1.0, 2.0), (5.0, 5.0)
    said = ("measured, 95 %", "published, other conditions")
    lines = [
        SweepLine(name, detail, device, span, (high, high), steady, steady)
        for detail, device, high in zip(said, SEVEN, (2.0, 9.0), strict=False)
    ]
    for drawn in (lines, [*lines[:1], replace(lines[1], detail="published")]):
        axes = sweep_axes(drawn, (), x_title="batch size")
        made = sweep_lines(drawn, [], axes, width=size.width, height=size.height).to_dict()
        told = {row["detail"] for row in _rows(made, "detail", "label")}
        assert told == {line.detail for line in drawn}


def test_a_number_that_would_lie_on_another_is_left_to_the_table() -> None:
    x, texts = tuple(float(4**n) for n in range(6)), tuple(f"{n}0,000.99 ms" for n in range(6))
    flat = (1.0, 1.01, 1.0, 1.01, 1.0, 9.0)
    line = SweepLine("A", "", SEVEN[0], x, flat, flat, flat, texts=texts)
    below = replace(line, name="B", device=SEVEN[1], y=(0.9,) * 6, texts=())
    both = [line, below]
    axes = sweep_axes(both, (), x_title="batch size")

    def numbers(width: int) -> set[str]:
        spec = sweep_lines(both, [], axes, width=width, height=290).to_dict()
        return {row["text"] for rows in spec["datasets"].values() for row in rows if "text" in row}

    assert numbers(WIDE) == set(texts)
    few = numbers(330)
    assert texts[0] in few
    assert len(few) < len(texts)
