"""A published ratio beside the same over today's base: every time is a mark, and none is hidden."""

from __future__ import annotations

from typing import Any

import pytest

from accelreport.report.charts.dot_plot import Dot
from accelreport.report.charts.drawing import LABEL_SIZE, Named
from accelreport.report.charts.place import Box, place
from accelreport.report.charts.slope import LARGE, Slope, slope_chart
from accelreport.report.text import text_width

CPU, GPU, TPU = Named("CPU", 0), Named("GPU", 1), Named("TPU", 2)


def slope(*seconds: float, today: float = 1425.0) -> Slope:
    named = zip(("Colab CPU", "Colab GPU", "Colab TPU"), seconds, (CPU, GPU, TPU), strict=False)
    return Slope(
        published=[Dot(name, "", device, t, f"{t:g} s", t, t) for name, t, device in named],
        today=Dot("Xeon", "extrapolated", CPU, today, f"{today:g} s", today, today, hollow=True),
        fastest=len(seconds) - 1,
        stated="110×",
        again="14×",
        headings=("published 2018", "measured here"),
    )


def rows_of(chart: Any) -> dict[str, list[dict[str, Any]]]:
    """The rows of every layer, by the kind of their mark and their dash."""
    made = chart.to_dict()
    known = {}
    for number, layer in enumerate(made["layer"]):
        known[f"{layer['mark']['type']}-{number}"] = made["datasets"][layer["data"]["name"]]
    return known


def texts(chart: Any) -> list[dict[str, Any]]:
    return [row for name, every in rows_of(chart).items() if "text" in name for row in every]


@pytest.mark.parametrize("width", [1104, 330])
def test_all_times_and_both_ratios_are_written_and_none_lies_on_another(width: int) -> None:
    chart = slope_chart(slope(11164, 196, 102), width, 280)
    written = texts(chart)
    assert {"110×", "14×", "Colab CPU 11164 s", "Xeon", "1425 s", "extrapolated"} <= {
        row["label"] for row in written
    }
    boxes = []
    for row in written:
        if row["role"].startswith("to-"):
            continue
        size = (LARGE if width > 500 else 20.0) if row["role"].startswith("ratio") else LABEL_SIZE
        wide, left = text_width(row["label"], size), row["role"] in {"left", "ratio-left"}
        x = row["x"] - wide if left else row["x"]
        boxes.append(Box(x, row["y"] - 6, x + wide, row["y"] + 6))
        assert x >= 0
        assert x + wide <= width
    paper = Box(0, -1e3, width, 1e3)
    assert None not in place([[box] for box in boxes], taken=(), within=paper, budget=len(boxes))


def test_up_is_slower_and_a_kept_time_stays_on_its_level() -> None:
    chart = slope_chart(slope(11164, 196, 102), 1104, 280)
    points = [row for name, every in rows_of(chart).items() if "point" in name for row in every]
    heights = {row["point"].partition("|")[2].partition(",")[0]: row["y"] for row in points}
    assert heights["Colab CPU"] < heights["Xeon"] < heights["Colab GPU"] < heights["Colab TPU"]
    (kept,) = [every for every in rows_of(chart).values() if every and "x2" in every[0]]
    assert {row["y"] for row in kept} == {heights["Colab GPU"], heights["Colab TPU"]}


def test_a_ratio_without_a_free_place_is_left_out() -> None:
    close = slope(103.0, 102.5, 102.0, today=102.8)
    assert "110×" not in {row["label"] for row in texts(slope_chart(close, 330, 60))}
