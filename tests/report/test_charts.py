"""Charts are valid, say nothing misleading, and draw what they were given."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path

import altair as alt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelreport.errors import ExitCode
from accelreport.loader.load import load
from accelreport.report import quantity
from accelreport.report.charts import scales
from accelreport.report.charts.curves import (
    Curve,
    Track,
    forecast_lines,
    learning_curves,
    shared_axes,
)
from accelreport.report.charts.dot_plot import BESIDE_TITLE, dot_plot
from accelreport.report.charts.dots import Base, Dot, as_bars, marks_text
from accelreport.report.charts.drawing import NARROW, WIDE, Chart, Make, Named, draw
from accelreport.report.charts.sweep import (
    GREY,
    End,
    SweepLine,
    SweepPanel,
    sweep_axes,
)
from accelreport.report.model import Drawing
from accelreport.report.pages.benchmark import benchmark_page
from accelreport.report.pages.sections.speedup import scaling_table
from accelreport.report.pages.sections.steps import QUANTILES, Distribution, step_ecdf
from accelreport.report.site.assembly import gather
from accelreport.report.site.drawing import Drawer, DrawingError
from accelreport.report.theme import LINE_KEYS
from accelreport.results.plan_document import plan_document
from tests.house.tree import ROOT
from tests.report.scenarios import Results, ordinary
from tests.support.records import Study
from tests.support.worlds import Fact, records_of

NASTY = 'a\'b\\c "d" <script>'

CPU, GPU = Named(NASTY, 0), Named("GPU", 1, pattern=1)
CURVE = Curve(CPU, True, (1.0, 2.0), (0.9, 0.97), (0.89, 0.96), (0.91, 0.98), "97 %")
LINE = SweepLine(NASTY, "measured", CPU, (256.0, 512.0), (1e3, 2e3), (9e2, 1e3), (1.1e3, 3e3))
END = End(CPU, 1024.0, 2e3, "out of memory")
DAYS = tuple(i / 24 for i in range(60))


def swept(*lines: SweepLine, ends: Sequence[End] = ()) -> Make:
    axes = sweep_axes(lines, ends, x_title="batch size")
    return lambda width: SweepPanel(lines, ends, axes, width, 320).chart()


def learned(*curves: Curve, target: float | None = None) -> Make:
    level = (target, NASTY) if target is not None else None
    axes = shared_axes(curves, percent=True, target=level)
    return lambda width: learning_curves(curves, axes, width, 300)


def dots(text: str, name: str, width: int) -> Chart:
    """A row with its base, a measured mark and a published one."""
    base = Dot(name, "", CPU, 1.0, "100 images/s", 0.9, 1.1, is_base=True, rest="+3")
    own = Dot(name, "", GPU, 33.1, text, 30.0, 36.0, joined=True, hollow=("why",), owner=name)
    theirs = Dot(name, "", GPU, 0.4, "0.4×", 0.4, 0.4, joined=True, published=True, flagged="why")
    return dot_plot(
        [base, own, theirs],
        axis_title="times as fast",
        tick=scales.factor_text,
        width=width,
        height=0,
        base=Base(name="CPU = 1×", below="← slower", above="faster →"),
    )


CHARTS: dict[str, Make] = {
    "speedup": lambda width: dot_plot(
        [
            Dot("CPU", NASTY, CPU, 5.2, "5.2×", 4.8, 5.6),
            Dot(NASTY, "", GPU, 0.004, "0.004×", 0.004, 0.004),
        ],
        axis_title="times as fast as CPU",
        tick=scales.factor_text,
        width=width,
        height=200,
        base=Base(),
    ),
    "dots": lambda width: dots("33.1×", NASTY, width),
    "bars": lambda width: dot_plot(
        [
            Dot(NASTY, "", CPU, 11_164.0, "3.1 h", 11_164.0, 11_164.0, published=True),
            Dot(
                "here", "", CPU, 1_425.0, "24 min", 1_000.0, 90_000.0, hollow=("why",), beside="14×"
            ),
            Dot("TPU", "", GPU, 602.0, "602 s", 602.0, 602.0, published=True, flagged="why"),
        ],
        axis_title="time",
        tick=scales.plain_duration,
        width=width,
        height=200,
    ),
    "curves": learned(CURVE, replace(CURVE, device=GPU, validation=False), target=0.95),
    "sweep": swept(LINE, ends=[END]),
    "ecdf": lambda width: step_ecdf(
        [Distribution(CPU, tuple(0.1 + i / 1000 for i in range(QUANTILES)))],
        axis_title="t",
        width=width,
    ),
    "forecast": lambda width: forecast_lines(
        Track(DAYS, DAYS, (math.nan, *DAYS[:0:-1]), CPU), "days", width, 300
    ),
}


@pytest.fixture(scope="module")
def drawer() -> Iterator[Drawer]:
    with Drawer() as made:
        yield made


@pytest.mark.parametrize("name", CHARTS)
@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_a_chart_is_valid_by_the_schema_of_vega_lite(name: str, width: int) -> None:
    spec = CHARTS[name](width).to_dict()
    assert spec["config"]["background"] == "transparent"
    alt.Chart.from_dict(spec, validate=True)


@pytest.mark.parametrize("name", CHARTS)
@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_a_chart_is_drawn_as_wide_as_it_was_asked_to_be(
    name: str, width: int, drawer: Drawer
) -> None:
    svg = str(drawer.svg(draw(CHARTS[name], width, prefix="c", title="t", description="d")))
    (found,) = re.findall(r'viewBox="0 0 ([\d.]+) ', svg)
    assert abs(float(found) - width) <= 12
    assert "undefined" not in svg
    assert "NaN" not in svg
    assert "<script" not in svg


@pytest.mark.parametrize("name", CHARTS)
def test_a_mark_tells_its_value_where_it_is_pointed_at(name: str, drawer: Drawer) -> None:
    svg = str(drawer.svg(draw(CHARTS[name], WIDE, prefix="c", title="t", description="d")))
    told = re.findall(r"<(?:path|rect)[^>]*><title>([^<]+)</title>", svg)
    assert told or name == "forecast"
    assert all(re.search(r"\d", text) or name in {"curves", "sweep"} for text in told)


def test_marks_and_names_of_a_device_are_known_by_its_number(drawer: Drawer) -> None:
    svg = str(drawer.svg(draw(CHARTS["sweep"], WIDE, prefix="c", title="t", description="d")))
    kinds = set(re.findall(rf'<(\w+)[^>]* data-series="{CPU.colour}"', svg))
    assert {"path", "text"} <= kinds


@pytest.mark.parametrize("name", ["speedup", "dots"])
def test_a_hostile_name_stands_in_the_chart_as_it_is(name: str, drawer: Drawer) -> None:
    svg = str(drawer.svg(draw(CHARTS[name], WIDE, prefix="c", title="t", description="d")))
    assert "a&#39;b\\c &#34;d&#34; &lt;script&gt;" in svg


def test_a_speedup_axis_holds_one_and_shows_factors(drawer: Drawer) -> None:
    svg = str(drawer.svg(draw(CHARTS["speedup"], WIDE, prefix="c", title="t", description="d")))
    ticks = re.findall(r">([\d.]+)×</text>", svg)
    assert "1" in ticks
    assert "0.1" in ticks


@pytest.mark.parametrize("fonts", ["/usr/share/fonts", "/nonexistent"])
def test_a_drawing_does_not_depend_on_the_fonts_of_the_machine(
    fonts: str, drawer: Drawer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "fonts.conf").write_text(f"<fontconfig><dir>{fonts}</dir></fontconfig>")
    # Signs that Liberation Sans does not have, and DejaVu does.
    flags, gear = "\N{BLACK FLAG}\N{GEAR}\N{BLACK FLAG}", "\N{GEAR}" * 9

    def make(width: int) -> Chart:
        return dots(flags, gear, width)

    drawing = draw(make, WIDE, prefix="c", title="t", description="d")
    monkeypatch.setenv("FONTCONFIG_FILE", str(tmp_path / "fonts.conf"))
    with Drawer() as other:
        assert other.svg(drawing) == drawer.svg(drawing)


def test_a_drawing_is_the_same_whatever_was_drawn_before(drawer: Drawer) -> None:
    def once() -> str:
        return str(drawer.svg(draw(CHARTS["dots"], WIDE, prefix="c", title="t", description="d")))

    first = once()
    drawer.svg(draw(CHARTS["curves"], WIDE, prefix="x", title="t", description="d"))
    assert once() == first


def test_an_address_in_a_chart_is_never_fetched(drawer: Drawer) -> None:
    elsewhere = {"data": {"url": "http://127.0.0.1:9/x.json"}, "mark": "point"}
    drawn = drawer.svg(Drawing(lambda: elsewhere, "c", "t", "d"))
    assert "This figure could not be drawn." in drawn


def test_ticks_are_round_and_within_the_axis() -> None:
    assert scales.decades(0.03, 8, 9) == [0.05, 0.1, 0.2, 0.5, 1, 2, 5]
    assert scales.decades(200, 20_000, 6) == [300, 1000, 3000, 10_000]
    assert scales.decades(1e-6, 1e6, 5)[0] == 1e-6


@given(st.floats(1e-6, 1e6), st.floats(1.5, 1e6), st.integers(3, 9))
def test_a_log_axis_has_two_labels_at_least_and_no_more_than_have_room(
    low: float, factor: float, most: int
) -> None:
    ticks = scales.decades(low, low * factor, most)
    assert 2 <= len(ticks) <= most
    assert ticks == sorted(set(ticks))
    assert low * 0.999999 <= ticks[0] < ticks[-1] <= low * factor * 1.000001


@given(st.floats(1e-6, 1e6) | st.floats(-1e6, -1e-6))
def test_an_axis_of_a_single_value_has_round_values_around_it(value: float) -> None:
    ticks = scales.nice_ticks(value, value)
    assert ticks[0] < value < ticks[-1] or value in ticks
    assert len(ticks) > 1
    assert all(len(f"{tick:.6g}") <= 9 for tick in ticks)


@given(st.floats(1e-6, 1e4), st.floats(1.01, 1e3), st.integers(3, 7))
def test_what_is_said_of_an_axis_of_time_is_where_it_starts(
    low: float, factor: float, most: int
) -> None:
    scale, _ = scales.time_axis(low, low * factor, log=False, title="time", most=most)
    begins_at_zero = scale["domain"][0] <= 0
    assert scales.starts_at_zero(low, low * factor, most) is begins_at_zero


def test_labels_that_have_no_room_side_by_side_are_thinned_out() -> None:
    ticks = [0.0, 50.0, 100.0, 150.0]

    def text(value: float) -> str:
        return f"{value:g} microseconds"

    assert scales.fitting(ticks, text, (0.0, 150.0), 800, log=False) == ticks
    assert scales.fitting(ticks, text, (0.0, 150.0), 300, log=False) == [0.0, 100.0]
    times = [120.0, 300.0, 600.0, 1800.0, 3600.0, 10800.0]
    some = scales.fitting(times, scales.plain_duration, (100.0, 12000.0), 260, log=True)
    assert some == [120.0, 600.0, 3600.0, 10800.0], "the last tick of a log axis"


def test_a_log_axis_of_less_than_a_decade_has_round_values_between() -> None:
    assert scales.decades(1500, 5300, 6) == [2000, 3000, 4000, 5000]
    assert scales.nice_ticks(0.86, 0.99) == [0.85, 0.9, 0.95, 1.0]
    assert scales.nice_ticks(3, 3) == [2.8, 3, 3.2]


def test_a_tick_of_a_time_is_said_in_a_unit_in_which_it_is_round() -> None:
    said = [scales.plain_duration(tick).replace("\N{NO-BREAK SPACE}", " ") for tick in
            (0.002, 2.0, 100.0, 120.0, 200.0, 500.0, 3600.0, 10_000.0)]  # fmt: skip
    assert said == [
        "2 ms", "2 s", "100 s", "2 min", "200 s", "500 s", "1 h", "10,000 s",
    ]  # fmt: skip
    assert scales.plain(2_500_000.0) == quantity.short(2_500_000.0)


def test_an_axis_of_long_times_is_marked_in_minutes_and_hours() -> None:
    said = [scales.plain_duration(tick).replace("\N{NO-BREAK SPACE}", " ") for tick in
            scales.round_times(300.0, 40_000.0)]  # fmt: skip
    assert said == ["5 min", "10 min", "30 min", "1 h", "3 h", "10 h"]
    assert scales.round_times(2.0, 4000.0) == [10.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0]
    assert len(scales.round_times(400.0, 500.0)) > 1


def test_a_long_axis_title_takes_two_lines_where_there_is_little_room() -> None:
    assert scales.wrapped("short", 330) == "short"
    wrapped = scales.wrapped("times as fast as CPU (all threads) (log scale)", 210)
    assert isinstance(wrapped, list)
    assert len(wrapped) == 2


def test_a_device_has_one_colour_in_every_chart_and_legend() -> None:
    devices: dict[str, set[str]] = {}
    legends: dict[str, set[str]] = {}
    for bench in gather(ordinary()):
        for figure in benchmark_page(bench).figures:
            for drawing in figure.drawings:
                for row in chain.from_iterable(drawing.spec["datasets"].values()):
                    if "device" in row:
                        devices.setdefault(row["device"], set()).add(row["colour"])
            for key in figure.keys:
                if key.colour.startswith("s") and key.shape != "diamond":
                    legends.setdefault(f"var(--{key.colour})", set()).add(key.shape)
    for looks in devices.values():  # beside a title of others a line is grey
        looks -= {GREY}
    assert all(len(looks) == 1 for looks in devices.values())
    looks = {look for (look,) in devices.values()}
    assert len(looks) == 3
    for colour in looks:
        assert legends.get(colour, set()) <= {"dot", *LINE_KEYS}


@given(st.floats(0, 1), st.floats(0, 1))
def test_an_axis_of_shares_holds_its_values_and_never_goes_beyond_all_of_them(
    one: float, other: float
) -> None:
    low, high = sorted((one, other))
    ticks = scales.quality_ticks(low, high, share=True)
    assert 0 <= ticks[0] <= low + 1e-9
    assert high - 1e-9 <= ticks[-1] <= 1
    assert ticks[-1] - ticks[0] >= 0.02 - 1e-9


def test_an_axis_of_shares_in_a_low_chart_has_all_its_ticks(drawer: Drawer) -> None:
    axes = shared_axes([CURVE], percent=True, target=None)

    def make(width: int) -> Chart:
        return learning_curves([CURVE], axes, width, 160)

    svg = str(drawer.svg(draw(make, WIDE, prefix="c", title="t", description="d")))
    assert len(re.findall(f">[\\d.]+{quantity.SPACE}%</text>", svg)) == len(axes.ticks)


@given(st.floats(1e-3, 1e3), st.floats(0, 0.01))
def test_differences_nobody_would_care_for_do_not_fill_an_axis_of_losses(
    loss: float, more: float
) -> None:
    ticks = scales.quality_ticks(loss, loss * (1 + more), share=False)
    assert ticks[0] <= loss
    assert ticks[-1] - ticks[0] >= 0.05 * loss * (1 - 1e-9)


def test_both_efficiencies_of_each_device_stand_at_each_batch() -> None:
    (spec,) = load([ROOT / "specs" / "har_strategies.toml"]).specs
    cells = tuple(cell for cell in spec.cells if cell.device_spec.kind == "CPU")
    made = Study(plan_document(spec, {}), records_of(cells, lambda _: Fact()))
    (bench,) = gather(Results((made,)))
    table = scaling_table(bench)
    for group, weak in zip(table.groups, (0, 1, 1, 1), strict=True):
        assert len(group.rows) == 1  # not the replicas on the cores of one
        assert sum(row.entries[2].lines[0].text != "–" for row in group.rows) == weak


@pytest.mark.parametrize(("value", "slower"), [(3.0, False), (0.9, True)])
def test_smaller_values_than_the_base_have_room_and_ground_where_there_is_one(
    value: float, slower: bool
) -> None:
    dots = [Dot("a", "", CPU, value, "", value, value + 0.05)]
    base = Base(below="← slower")
    spec = dot_plot(
        dots, axis_title="x", tick=scales.factor_text, width=500, height=100, base=base
    ).to_dict()
    axes = [layer["encoding"]["x"].get("scale") for layer in spec["layer"]]
    low, high = next(axis["domain"] for axis in axes if axis)
    assert low < (0.5 if slower else 1.0) < 2.0 <= high
    assert (low < 0.9) is slower
    assert any(layer["mark"]["type"] == "rect" for layer in spec["layer"]) is slower


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_lines_are_whole_beside_names_and_go_through_none_that_is_above_its_mark(
    width: int,
) -> None:
    dots = [Dot("row", "", CPU, 2.0, "2×", 1.9, 2.1, group=group) for group in ("one", "other")]
    spec = dot_plot(
        dots, axis_title="x", tick=scales.factor_text, width=width, height=0, base=Base()
    ).to_dict()
    every = [row for rows in spec["datasets"].values() for row in rows]
    lines = [row for row in every if {"base", "tick"} & row.keys()]
    names = [row["y"] for row in every if row.get("label") in {"row", "one", "other"}]
    assert {row["base"] for row in lines if "base" in row} == {1.0}
    crossed = [line for line in lines for y in names if line["y"] < y < line["end"]]
    assert len(names) == 4
    assert bool(crossed) is (width == WIDE)
    assert sum("base" in line for line in lines) == (1 if width == WIDE else 2)


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_bars_are_as_long_as_their_values_and_their_numbers_are_right_of_all_of_them(
    width: int,
) -> None:
    spec = CHARTS["bars"](width).to_dict()
    scale = next(layer["encoding"]["x"]["scale"] for layer in spec["layer"])
    (zero, high), (_, right) = scale["domain"], scale["range"]
    assert (scale["type"], zero) == ("linear", 0)
    every = [row for rows in spec["datasets"].values() for row in rows]
    # An interval that is many times the value ends with the axis.
    assert max(row["high"] for row in every if "high" in row) <= high
    sets = spec["datasets"]
    columns = {
        layer["mark"]["align"]: layer["encoding"]["x"]["value"]
        for layer in spec["layer"]
        if any(row.get("label") in {"24 min", "14×"} for row in sets[layer["data"]["name"]])
    }
    assert right < columns["right"] < width
    assert (columns["left"] < width) if width == WIDE else ("left" not in columns)


STRANGER = "def vegalite_to_svg(spec, *, vl_version=None):\n    raise AssertionError\n"
"""A drawing engine that is called otherwise: its next major version has no `allowed_base_urls`."""


def test_an_engine_that_cannot_be_called_is_named_with_a_remedy_and_a_code_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "vl_convert.py").write_text(STRANGER)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with Drawer() as stranger, pytest.raises(DrawingError, match="allowed_base_urls") as caught:
        stranger.svg(draw(CHARTS["dots"], WIDE, prefix="c", title="t", description="d"))
    assert caught.value.exit_code is ExitCode.NOT_DRAWN
    assert "pip check" in caught.value.remedy


def test_a_linear_axis_of_rates_begins_at_0_and_is_even() -> None:
    axes = sweep_axes([LINE], [END], x_title="batch size", linear=True)
    assert axes.ticks[0] == axes.heights[0] == 0
    assert axes.share(2e3) == pytest.approx(2 * axes.share(1e3))
    assert 0.9 < axes.share(3e3) < 1


def test_bars_beside_those_of_the_title_in_their_colour_are_grey() -> None:
    dots = [
        Dot(name, "", device, 2.0, "2", 2.0, 2.0, quiet=name != "title")
        for name, device in (("title", CPU), ("beside it", CPU), ("of another colour", GPU))
    ]
    spec = dot_plot(dots, axis_title="", tick=scales.plain, width=500, height=0).to_dict()
    bars = [row for rows in spec["datasets"].values() for row in rows if "over" in row]
    looks = {row["colour"] for row in bars}
    assert looks == {"var(--s0)", BESIDE_TITLE, "var(--s1)"}


def test_bars_that_were_all_stopped_are_pale_and_a_narrow_interval_is_in_words() -> None:
    stopped = ("stopped by the budget",)
    own = Dot("a", "", CPU, 100.0, "100", 99.5, 100.4, hollow=stopped, span="99.5–100.4")
    dots = as_bars([own, Dot("b", "", CPU, 9.0, "9", 4.0, 12.0, hollow=stopped)], 100.0)
    assert [dot.whole_text for dot in dots] == ["100 (99.5–100.4)", "9"]
    text = "Pale: stopped by the budget · lines and brackets: 95\xa0% intervals."
    assert marks_text(dots, bars=True) == text
