"""Words beside marks: nothing is written over a line, over another name, or cut without need."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, pairwise
from math import log
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelreport.report import quantity
from accelreport.report.charts.curves import (
    Curve,
    learning_curves,
    shared_axes,
)
from accelreport.report.charts.dot_plot import LETTERS, dot_plot
from accelreport.report.charts.dots import Base, Dot
from accelreport.report.charts.drawing import LABEL_SIZE, NARROW, WIDE, Named
from accelreport.report.charts.place import Box, place
from accelreport.report.charts.scales import factor_text
from accelreport.report.charts.sweep import (
    BESIDE,
    SweepLine,
    SweepPanel,
    keys_of_lines,
    sweep_axes,
)
from accelreport.report.model import Figure
from accelreport.report.openings.opening import ON_A_PHONE
from accelreport.report.pages.sections.predictions import predictions_section
from accelreport.report.text import text_width
from tests.analysis.test_speed_findings import example
from tests.report.scenarios import observed
from tests.report.test_openings import data_of, plots, view
from tests.report.test_resources import bench_of
from tests.support.records import Noise, study

BOXES = st.builds(
    lambda x, y, wide, high: Box(x, y, x + wide, y + high),
    *(st.floats(-10, 100) for _ in range(2)),
    *(st.floats(1, 60) for _ in range(2)),
)
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
    axes = shared_axes(curves, percent=True, target=level)
    made: dict[str, Any] = learning_curves(curves, axes, WIDE, height).to_dict()
    return made


def _rows(spec: dict[str, Any], *fields: str) -> list[dict[str, Any]]:
    """The rows of the first data set that has such fields."""
    sets = spec["datasets"].values()
    return next(rows for rows in sets if rows and set(fields) <= set(rows[0]))


def _overlap(one: Box, other: Box) -> bool:
    """Whether two boxes share some area."""
    across = min(one.right, other.right) - max(one.left, other.left)
    return across > 0 and min(one.bottom, other.bottom) > max(one.top, other.top)


@given(
    st.lists(st.lists(BOXES, min_size=1, max_size=4), max_size=12),
    st.lists(BOXES, max_size=6),
    st.integers(0, 12),
)
def test_a_label_takes_the_first_place_in_which_it_meets_nothing_or_none(
    labels: list[list[Box]], taken: list[Box], budget: int
) -> None:
    within = Box(0, 0, 100, 100)
    found = place(labels, taken, within, budget)
    occupied, left = list(taken), budget
    for own, at in zip(labels, found, strict=True):
        free = [
            number
            for number, box in enumerate(own)
            if within.holds(box) and not any(_overlap(box, other) for other in occupied)
        ]
        assert at == (free[0] if free and left else None)
        if at is not None:
            occupied.append(own[at])
            left -= 1


def test_the_last_values_of_lines_that_end_together_are_those_of_validation() -> None:
    ends = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3]
    assert [row["label"] for row in _rows(_spec(_curves(ends), 200), "at", "label")] == [
        f"validation {end:.3f}" for end in ends
    ]
    together = _rows(_spec(_curves([0.9] * 6 + [0.5]), 300), "at", "label")
    assert [row["label"] for row in together] == [
        "validation 0.900", "training 0.890", "validation 0.500", "training 0.490",
    ]  # fmt: skip
    labels = _rows(_spec(_curves([0.9, 0.8, 0.79, 0.6, 0.5, 0.4, 0.3]), 300), "at", "label")
    places = sorted((row["at"] - 0.2) / 0.8 * (300 - 58) for row in labels)
    assert all(b - a >= LABEL_SIZE for a, b in pairwise(places))


def test_a_legend_says_of_each_line_what_is_not_alike() -> None:
    same = (1.0, 2.0)
    lines = [
        SweepLine("CPU", "measured", SEVEN[0], same, same, same, same),
        SweepLine("CPU", "published 2018", SEVEN[0], same, same, same, same, published=True),
    ]
    keys = [("CPU, measured", "dot"), ("CPU, published 2018", "dashed")]
    assert [(key.text, key.shape) for key in keys_of_lines(lines)] == keys
    assert [key.text for key in keys_of_lines(lines[:1])] == ["CPU"]


def test_a_number_stands_beside_the_band_of_an_interval_that_reaches_far_from_its_mark() -> None:
    def shift(spread: float) -> float:
        values = (100.0, 200.0, 300.0)
        low, high = tuple(v / spread for v in values), tuple(v * spread for v in values)
        line = SweepLine("CPU", "measured", SEVEN[0], (1.0, 2.0, 4.0), values, low, high)
        line = replace(line, texts=("", "200", ""))
        axes = sweep_axes([line], [], x_title="batch size")
        made = SweepPanel([line], [], axes, 600, 290).chart().to_dict()
        sets = made["datasets"]
        told = [
            layer["mark"]["dx"]
            for layer in made["layer"]
            if any(row.get("label") == "200" for row in sets[layer["data"]["name"]])
        ]
        return float(told[0])

    assert shift(1.0) == 0.0
    assert abs(shift(3.0)) > BESIDE


@given(st.lists(st.floats(min_value=90, max_value=160), min_size=2, max_size=5))
def test_numbers_at_one_swept_value_are_in_the_order_and_the_colours_of_their_marks(
    values: list[float],
) -> None:
    lines = [
        SweepLine(f"line {number}", "measured", device, (1.0, 2.0), (own := (value, 300.0)), own,
                  own, texts=(str(number), ""))
        for number, (value, device) in enumerate(zip(values, SEVEN, strict=False))
    ]  # fmt: skip
    axes = sweep_axes(lines, [], x_title="batch size")
    made = SweepPanel(lines, [], axes, 600, 290).chart().to_dict()
    shown = [
        (-(290 - 46) * axes.share(row["y"]) + layer["mark"]["dy"], -row["y"], row)
        for layer in made["layer"]
        for row in made["datasets"][layer["data"]["name"]]
        if layer["mark"]["type"] == "text" and row["label"].isdigit()
    ]
    assert shown
    assert all(row["ink"] == f"var(--t{row['label']})" for *_, row in shown)
    for one, other in combinations(shown, 2):
        assert one[1] == other[1] or (one[0] < other[0]) == (one[1] < other[1])


def test_published_marks_that_touch_have_a_label_each_with_its_owner() -> None:
    lines = [
        SweepLine(
            name, "", SEVEN[0], (1.0, 2.0), own, own, own, published=True, texts=(f"{own[0]:g}", "")
        )
        for name, own in (("GPU", (100.0, 300.0)), ("TPU", (101.0, 200.0)))
    ]
    axes = sweep_axes(lines, [], x_title="batch size")
    sets = SweepPanel(lines, [], axes, 600, 290).chart().to_dict()["datasets"].values()
    texts = [row["label"] for rows in sets for row in rows if "ink" in row]
    assert {"GPU 100", "TPU 101"} <= {*texts}


def test_names_without_room_at_the_ends_of_lines_are_above_or_below_them_on_a_telephone() -> None:
    lines = [
        SweepLine(name, "", SEVEN[0], (1.0, 2.0), own, own, own, texts=("", "100"))
        for name, own in (
            ("The first of two long names", (100.0, 100.0)),
            ("The second of two long names", (900.0, 900.0)),
        )
    ]
    axes = sweep_axes(lines, [], x_title="batch size")
    named = [SweepPanel(lines, [], axes, width, 290).named for width in (NARROW, NARROW + 1)]
    assert named == [True, False]


def test_a_rounding_error_is_told_in_words_that_need_no_powers_of_ten() -> None:
    assert quantity.tiny(1.4e-6) == "below 0.00001"
    assert quantity.tiny(2.6e-4) == "0.00026"
    assert quantity.tiny(0.0) == quantity.number(0.0)


def test_only_an_axis_that_leaves_0_out_is_said_to() -> None:
    (made,) = observed().studies
    (record,) = made.records
    (told,) = record.forecasts
    above = [each + 0.4 for each in told.true]
    forecast = told.model_copy(update={"true": above, "predicted": above})
    record = record.model_copy(update={"forecasts": [forecast]})
    section = predictions_section(bench_of(replace(made, records=(record,))))
    assert section is not None
    (figure,) = [block for block in section.blocks if isinstance(block, Figure)]
    assert "not at 0" not in figure.caption


# The dot plot of several marks a row -------------------------------------------------------------

ROWS = st.lists(
    st.lists(
        st.tuples(
            st.floats(min_value=0.02, max_value=60),
            st.text(alphabet="CGPU 128ab", min_size=1, max_size=24),
        ),
        min_size=1,
        max_size=3,
    ),
    min_size=1,
    max_size=4,
)


def _texts_beside(spec: dict[str, Any]) -> list[tuple[Box, float]]:
    """The box of each text beside a mark, and where its mark is."""
    axes = [layer["encoding"].get("x", {}).get("scale") for layer in spec["layer"]]
    scale = next(axis for axis in axes if axis and axis.get("type") == "log")
    (low, high), (left, right) = scale["domain"], scale["range"]
    texts = []
    for layer in spec["layer"]:
        mark = layer["mark"]
        for row in spec["datasets"][layer["data"]["name"]]:
            if mark["type"] == "text" and "edge" in row:
                x = left + (right - left) * log(row["edge"] / low) / log(high / low)
                width = text_width(row["label"], LETTERS, bold=mark["fontWeight"] == "bold")
                first = x + mark["dx"] - (width if mark["align"] == "right" else 0)
                box = Box(first, row["y"] - 6.5, first + width, row["y"] + 6.5)
                texts.append((box, x))
    return texts


@given(ROWS, st.sampled_from([1104, 358]))
def test_texts_of_a_dot_plot_are_whole_in_the_chart_and_on_no_other_text(
    marks: list[list[tuple[float, str]]], width: int
) -> None:
    dots = [
        Dot("A network", "64", SEVEN[0], value, f"{value:.2g}×", value, value, owner=owner,
            joined=number > 0)
        for row in marks
        for number, (value, owner) in enumerate(row)
    ]  # fmt: skip
    base = Base(name="this computer = 1×", below="← slower", above="faster →")
    made = dot_plot(
        dots, axis_title="rate", tick=factor_text, width=width, height=0, base=base
    ).to_dict()
    texts = _texts_beside(made)
    assert len(texts) == len(dots)
    scale = next(layer["encoding"]["x"]["scale"] for layer in made["layer"]
                 if "scale" in layer["encoding"].get("x", {}))  # fmt: skip
    (low, high), (left, right) = scale["domain"], scale["range"]
    line = left + (right - left) * log(1 / low) / log(high / low)
    for box, mark in texts:
        assert 0 <= box.left < box.right <= made["width"] + 1
        assert not box.left < mark < box.right
        assert not box.left < line < box.right
    for (one, _), (other, _) in combinations(texts, 2):
        assert not _overlap(one, other)


def test_the_strong_row_below_a_claim_is_what_it_is_of() -> None:
    (rates,) = (plot for plot in plots(example()["imdb_lstm"]) if plot.id == "rates")
    rows = data_of(rates, ON_A_PHONE)
    strong = {row["point"] for row in rows if "over" in row and row["colour"] == "var(--s0)"}
    assert len(strong) == 1
    assert "kernel hard_sigmoid" in str(strong)


@pytest.mark.parametrize(("noise", "shown"), [(1e-4, False), (0.3, True)])
def test_upright_lines_are_explained_where_marks_do_not_hide_them(
    noise: float, shown: bool
) -> None:
    made = study(repeats=3, noise=Noise(process=noise, step=1e-4, outlier_share=0))
    (sweep,) = (plot for plot in plots(view(made)) if plot.id == "sweep")
    assert ("Upright lines" in sweep.caption) is shown
