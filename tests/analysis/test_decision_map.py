"""A map has what was measured, says what is undecided, and its model is tested on unseen nets."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from accelreport.analysis.decision_map import (
    DecisionMap,
    Net,
    NetLaw,
    fastest_ranges,
    fit_law,
    fitted_half,
    map_of,
)
from accelreport.cli.ceilings import law_lines
from accelreport.loader.load import load
from accelreport.report.heroes.decision_map import error_sentence
from accelreport.report.heroes.hero import ON_A_CARD, ON_A_PHONE, ON_A_SLIDE, HeroFigure, Size
from accelreport.report.heroes.registry import hero_of
from accelreport.report.model import Table
from accelreport.report.pages.benchmark import benchmark_page
from accelreport.report.pages.methods import methods_page
from accelreport.report.slides.benchmark import MOST_LETTERS, slide_block
from accelreport.report.theme import device_colours
from accelreport.report.view import BenchmarkView
from accelreport.runner.plan_documents import plan_document
from accelreport.spec.cells import Cell
from accelreport.workloads.paradnn import ParaDnnParameters
from tests.support.worlds import Fact, records_of

SPEC = Path(__file__).parents[2] / "specs" / "paradnn.toml"
COSTS = st.floats(1e-6, 1e-2)
OPERATIONS = st.floats(1e3, 1e12)

ONE_THREAD, ALL_THREADS = NetLaw(5e-5, 1e-5, 1 / 2e10), NetLaw(1e-4, 3e-5, 1 / 8e10)
Seconds = Callable[[Cell, int, float], float]
"""Cell, its depth and operations → seconds of its steps."""


def lawful(cell: Cell, depth: int, operations: float) -> float:
    law = ONE_THREAD if cell.device == "cpu-1" else ALL_THREADS
    return law.seconds(depth, operations)


@cache
def cells(profile: str, devices: tuple[str, ...]) -> tuple[Cell, ...]:
    (spec,) = load([SPEC], profile=profile).specs
    return tuple(cell for cell in spec.cells if cell.device in devices)


def view(
    seconds: Seconds, profile: str = "full", devices: tuple[str, ...] = ("cpu", "cpu-1")
) -> BenchmarkView:
    """The shipped field, measured in a world of which everything is known."""

    def fact(cell: Cell) -> Fact:
        net = ParaDnnParameters.model_validate(cell.workload, strict=False)
        step_s = seconds(cell, net.depth, net.operations)
        return Fact(step_s, final={"loss": 2.3}, operations=net.operations)

    (spec,) = load([SPEC], profile=profile).specs
    plan = plan_document(spec, {})
    records = records_of(cells(profile, devices), fact)
    found = {(each.key, each.machine): each for each in records}
    return BenchmarkView(plan, found, device_colours(plan.devices))


def made_of(bench: BenchmarkView) -> DecisionMap:
    assert bench.decision_map is not None
    return bench.decision_map


@given(
    st.builds(NetLaw, COSTS, COSTS, st.floats(1e-13, 1e-9)),
    st.lists(st.tuples(st.integers(1, 9), OPERATIONS), min_size=4, max_size=12, unique=True),
)
def test_exact_times_of_a_law_are_told_again_at_every_place(
    law: NetLaw, places: list[tuple[int, float]]
) -> None:
    found = fit_law([(depth, work, law.seconds(depth, work)) for depth, work in places])
    for depth, work in places:
        assert found.seconds(depth, work) == pytest.approx(law.seconds(depth, work), rel=1e-6)
    assert min(found.fixed_s, found.layer_s, found.each_s) >= 0


@given(st.lists(st.tuples(st.floats(0, 1e-2), st.floats(0, 1e-8)), min_size=1, max_size=5),
       st.lists(OPERATIONS, min_size=1, max_size=20))  # fmt: skip
def test_a_range_names_the_device_that_no_other_one_beats_there(
    lines: list[tuple[float, float]], works: list[float]
) -> None:
    named = {(f"device {number}", ""): line for number, line in enumerate(lines)}
    ranges = fastest_ranges(named)
    assert ranges[0].least == 0
    assert math.isinf(ranges[-1].most)
    assert all(one.most == other.least for one, other in pairwise(ranges))
    for work in works:
        seconds = {name: fixed + work * each for name, (fixed, each) in named.items()}
        (winner,) = {r.runner for r in ranges if r.least < work <= r.most}
        assert seconds[winner] <= min(seconds.values()) * (1 + 1e-9)


@given(st.sets(st.integers(1, 64), min_size=2, max_size=6), st.sets(st.integers(1, 9), min_size=1))
def test_half_of_the_nets_of_each_kind_are_fitted_and_the_others_test_the_model(
    widths: set[int], depths: set[int]
) -> None:
    nets = {Net(kind, d, w) for kind in ("dense", "conv") for d in depths for w in widths}
    black = fitted_half(nets)
    assert black < nets
    assert len(nets) <= 2 * len(black) <= len(nets) + 2, "one more of each kind, where it is odd"
    assert {net.kind for net in black} == {net.kind for net in nets - black}
    assert fitted_half(sorted(nets, reverse=True)) == black


def test_the_boundary_of_exact_times_is_where_the_laws_meet() -> None:
    found = made_of(view(lawful))
    within = [each for each in found.boundaries if each.measured]
    for each in within:
        apart = ALL_THREADS.seconds(each.depth, 0) - ONE_THREAD.seconds(each.depth, 0)
        assert each.operations.value == pytest.approx(
            apart / (ONE_THREAD.each_s - ALL_THREADS.each_s), rel=1e-3
        )
        assert (each.below[0], each.above[0]) == ("cpu-1", "cpu")
        assert each.found
        assert each.operations.high / each.operations.low < 1.1, "nothing varies but a rounding"
    assert {(each.kind, each.depth) for each in within} >= {("dense", 2), ("dense", 6)}
    assert all(found.verdicts)
    assert max(found.time_errors) < 1e-2


def test_a_known_boundary_is_found_in_noise_and_the_error_told_is_that_of_the_noise() -> None:
    spread = 0.1

    def noisy(cell: Cell, depth: int, operations: float) -> float:
        # The same on every run, and another factor for each device and net.
        key = [ord(letter) for letter in f"{cell.device}{sorted(cell.point.items())}"]
        noise = np.random.default_rng(key).normal(0, spread)
        return lawful(cell, depth, operations) * math.exp(noise)

    found = made_of(view(noisy))
    truth = {(each.kind, each.depth): each for each in made_of(view(lawful)).boundaries}
    compared = [each for each in found.boundaries if (each.kind, each.depth) in truth]
    assert compared
    for each in compared:
        # A time that is off by a tenth moves a crossing by a few tenths.
        known = truth[each.kind, each.depth].operations.value
        assert known / 2 < each.operations.value < known * 2
        assert each.operations.low < known < each.operations.high
    assert 0.01 < float(np.median(found.time_errors)) < 3 * spread
    assert sum(found.verdicts) > 0.7 * len(found.verdicts)


def test_intervals_of_a_boundary_hold_the_truth_as_often_as_they_say() -> None:
    exact = made_of(view(lawful))
    truth = {(each.kind, each.depth): each.operations.value for each in exact.boundaries}
    generator, held = np.random.default_rng(1), []
    for spread in (0.03, 0.1):
        for _ in range(20):
            noisy = map_of(
                [
                    replace(place, seconds={runner: seconds * math.exp(generator.normal(0, spread))
                                            for runner, seconds in place.seconds.items()})
                    for place in exact.places
                ]
            )  # fmt: skip
            held += [
                each.operations.low < truth[each.kind, each.depth] < each.operations.high
                for each in noisy.boundaries
            ]
    assert len(held) > 200
    assert 0.92 < sum(held) / len(held) < 0.99


def test_where_an_interval_has_no_end_no_title_tells_the_boundary_and_less_is_tinted() -> None:
    def unlike(cell: Cell, depth: int, operations: float) -> float:
        # Widths matter beside the work, which the model has no word for.
        slow = cell.device == "cpu" and cell.point["batch_size"] == 4
        return lawful(cell, depth, operations) * (3 if slow else 1)

    bench = view(unlike, "quick")
    unknown = [each for each in made_of(bench).boundaries if not each.found]
    assert unknown
    hero = hero_of(bench)
    assert plain(hero.title).startswith("Fastest of 18 points:")
    assert any(said in plain(hero.answer) for said in ("95 %: anywhere", "95 %: at "))
    figures = [hero_of(each).figures[0] for each in (bench, view(lawful, "quick"))]
    tinted = [
        sum("fill" in row and "y2" in row for row in data(figure, ON_A_SLIDE))
        for figure in figures
        if isinstance(figure, HeroFigure)
    ]
    assert tinted[0] < tinted[1]


def test_a_command_tells_the_boundary_with_its_interval_and_how_the_model_did() -> None:
    bench = view(lawful, "quick")
    said = plain(list(law_lines(bench, bench.timed_sweeps))[-2])
    assert "By the model, in operations of a step, devices are equal at " in said
    assert "(95 %: " in said
    assert said.endswith(plain(error_sentence(made_of(bench))))


def test_what_no_process_decides_is_undecided_and_no_title_speaks_for_it() -> None:
    bench = view(lambda cell, depth, operations: ALL_THREADS.seconds(depth, operations), "quick")
    found = made_of(bench)
    assert [place.fastest for place in found.places] == [None] * 18
    assert found.verdicts == []
    hero = hero_of(bench)
    assert hero.undecided
    assert plain(hero.title) == "Which device is fastest is decided at none of 18 points"
    assert "no point is decided" in hero.answer


def test_a_model_that_names_the_wrong_device_is_in_no_title_and_its_failure_is_told() -> None:
    def jagged(cell: Cell, depth: int, operations: float) -> float:
        black = cell.point["width"] != 256
        quick = "cpu" if black else "cpu-1"
        return lawful(cell, depth, operations) * (1 if cell.device == quick else 20)

    bench = view(jagged, "quick")
    found, hero = made_of(bench), hero_of(bench)
    assert sum(found.verdicts) < len(found.verdicts) / 2
    assert plain(hero.title).startswith("Fastest of 18 points: Example at 12 and")
    right = f"at {sum(found.verdicts)} of 6 decided points it has the right device"
    assert right in plain(hero.answer)


def test_a_single_device_has_no_map_and_the_page_says_what_it_needs() -> None:
    bench = view(lawful, "quick", ("cpu",))
    assert bench.decision_map is None
    hero = hero_of(bench)
    assert hero.answer.endswith("A map of which device is fastest where needs a second device.")
    assert "decision-map" not in {getattr(each, "id", "") for each in hero.figures}


def test_the_page_opens_with_the_map_whose_line_is_a_model_and_whose_marks_are_measured() -> None:
    bench = view(lawful)
    hero = hero_of(bench)
    assert hero.title.startswith("Example (one thread) wins below ")
    assert hero.title.endswith(", by a model")
    assert len(hero.title) <= MOST_LETTERS, "a slide has room for all of it"
    first = hero.figures[0]
    assert isinstance(first, HeroFigure)
    assert first.up == "operations of a step", "a slide says what its upright axis counts"
    (figure,) = hero.figures
    assert isinstance(figure, HeroFigure)
    texts = words(figure, Size(1104, 290))
    assert any(plain(text).startswith("model, 2 layers: ") for text in texts)
    assert {"Dense", "Convolutional", "Recurrent", "undecided"} <= set(texts)
    assert {row["label"] for row in data(figure, Size(1104, 290)) if row.get("label")} == {
        bench.point_title(point) for point in bench.points
    }
    page = benchmark_page(bench)
    assert page.opening is not None
    assert "it is no measurement" in page.opening.finding
    assert error_sentence(made_of(bench)) in page.finding
    assert "quality" not in {section.id for section in page.sections}, "it learns nothing"


def test_the_map_fits_a_card_a_telephone_and_a_slide_with_a_mark_for_every_point() -> None:
    bench = view(lawful, "quick")
    (figure,) = hero_of(bench).figures
    assert isinstance(figure, HeroFigure)
    for size in (ON_A_CARD, ON_A_PHONE, ON_A_SLIDE):
        spec = figure.drawing(size).spec
        assert 0 < spec["width"] < size.width
        assert 0 < spec["height"] < size.height
        places = [row for row in data(figure, size) if row.get("label")]
        assert len({row["label"] for row in places}) == len(bench.points)
        assert all(0 < float(str(row["x"])) < size.width for row in places)
        assert all(0 < float(str(row["y"])) < size.height for row in places)
        titles = {"Dense", "Conv." if size == ON_A_CARD else "Convolutional", "Recurrent"}
        assert titles <= set(words(figure, size))
    beside = [text for text in words(figure, ON_A_SLIDE) if text.startswith("model: ")]
    assert beside, "the line is called a model where there is room for it"
    assert slide_block(figure, "figure-1") is not None


def test_methods_tell_the_errors_of_the_map_beside_those_of_sizes_left_out() -> None:
    bench = view(lawful, "quick")
    (section,) = (each for each in methods_page([bench]).sections if each.id == "model")
    assert section.finding == error_sentence(made_of(bench), "The model of “Which device where”")
    (table,) = (each for each in section.blocks if isinstance(each, Table))
    assert table.id == "map-errors"
    (row,) = table.groups[0].rows
    assert row.entries[0].lines[0].text == "6 of 6"


def data(figure: HeroFigure, size: Size) -> list[Mapping[str, object]]:
    sets: Mapping[str, list[Mapping[str, object]]] = figure.drawing(size).spec["datasets"]
    return [row for each in sets.values() for row in each]


def words(figure: HeroFigure, size: Size) -> list[str]:
    return [str(row["text"]) for row in data(figure, size) if "text" in row]


def plain(text: str) -> str:
    return text.replace("\N{NO-BREAK SPACE}", " ")
