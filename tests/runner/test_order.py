"""Cells are measured in an order that no drift of the machine can favour a device by."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from accelreport.results.plan_document import PlanDocument, PlannedCell
from accelreport.runner.plan import Design, make_plan, williams
from accelreport.spec.cells import Cell
from accelreport.spec.models import Measure
from tests.runner.scripted import DEVICES, cell


@st.composite
def designs(draw: st.DrawFn) -> Design:
    devices, points = draw(st.integers(1, 7)), draw(st.integers(1, 9))
    return Design(
        draw(st.text(min_size=1, max_size=8)),
        tuple(f"device-{number}" for number in range(devices)),
        tuple(f"point-{number}" for number in range(points)),
    )


pairs = st.integers(0, 200)
"""Numbers of pairs of repeats."""


@given(designs(), pairs)
def test_the_second_repeat_of_a_pair_runs_the_first_backwards(design: Design, pair: int) -> None:
    first, second = design.repeat(2 * pair), design.repeat(2 * pair + 1)
    assert second == first[::-1]
    everything = {(device, point) for device in design.devices for point in design.points}
    assert len(first) == len(everything)
    assert set(first) == everything


@given(designs(), st.integers(0, 400))
def test_the_devices_of_a_point_follow_one_another_at_once(design: Design, number: int) -> None:
    points = [point for _, point in design.repeat(number)]
    changes = sum(one != other for one, other in pairwise(points))
    assert changes == len(design.points) - 1


@given(designs(), st.integers(0, 400))
def test_within_a_repeat_no_device_comes_first_more_often_than_the_points_demand(
    design: Design, number: int
) -> None:
    order, count = design.repeat(number), len(design.devices)
    places = Counter((name, place % count) for place, (name, _) in enumerate(order))
    rows = len(williams(count))
    fewest, most = len(design.points) // rows, -(-len(design.points) // rows)
    in_a_row = rows // count  # how many rows of the square give a device the same place
    for name in design.devices:
        for place in range(count):
            assert fewest * in_a_row <= places[name, place] <= most * in_a_row


@given(st.integers(1, 12))
def test_every_treatment_has_every_place_and_follows_every_other_equally_often(count: int) -> None:
    rows = williams(count)
    assert all(sorted(row) == list(range(count)) for row in rows)
    places = Counter((each, place) for row in rows for place, each in enumerate(row))
    followed = Counter(pair for row in rows for pair in pairwise(row))
    assert len(places) == count * count
    assert len(set(places.values())) == 1
    assert len(followed) == count * (count - 1)
    assert len(set(followed.values())) <= 1


def test_two_devices_share_drift_in_a_line_and_in_a_bend_alike() -> None:
    design = Design("mm", ("cpu", "gpu"), ("",))
    order = [device for number in range(4) for device, _ in design.repeat(number)]
    for power in (1, 2):
        moments = Counter[str]()
        for moment, device in enumerate(order):
            moments[device] += moment**power
        assert moments["cpu"] == moments["gpu"]


def a_sweep(repeats: int, devices: tuple[str, ...] = ("cpu", "cpu-1", "gpu")) -> list[Cell]:
    return [
        cell(device=device, repeat=repeat, point={"batch": batch})
        for repeat in range(repeats)
        for batch in (1, 2, 4)
        for device in devices
    ]


def a_plan(cells: list[Cell]) -> PlanDocument:
    return PlanDocument(
        spec="sweep",
        profile="full",
        title="a sweep",
        text="",
        workload={"kind": "scripted"},
        baseline="cpu",
        devices={name: DEVICES[name] for name in ("cpu", "cpu-1", "gpu")},
        axes={"batch": [1, 2, 4]},
        measure=Measure(repeats=2),
        cells=[
            PlannedCell(
                key=one.key, device=one.device, point=one.point, repeat=one.repeat, seed=one.seed
            )
            for one in cells
        ],
    )


@given(st.randoms(use_true_random=False), st.data())
def test_the_order_is_the_same_whatever_is_left_out_and_however_it_comes(
    rng: random.Random, data: st.DataObject
) -> None:
    chosen = a_sweep(4)
    design = Design.of("sweep", chosen)
    whole = [one.key for one in design.ordered(chosen)]
    some = [one for one in chosen if data.draw(st.booleans())]
    rng.shuffle(some)
    assert [one.key for one in design.ordered(some)] == [
        key for key in whole if key in {one.key for one in some}
    ]


def test_repeats_that_are_added_later_take_the_places_they_would_have_had() -> None:
    at_once = make_plan(a_sweep(5), earlier=lambda _: None, unavailable=lambda _: None)
    document = a_plan(a_sweep(2))
    undecided = [one for one in a_sweep(5) if one.repeat >= 2 and one.device != "gpu"]
    later = make_plan(
        undecided, earlier=lambda _: None, unavailable=lambda _: None, documents=[document]
    )
    keys = {one.key for one in undecided}
    expected = [each.cell.key for each in at_once.cells if each.cell.key in keys]
    assert [each.cell.key for each in later.cells] == expected
    alone = make_plan(undecided, earlier=lambda _: None, unavailable=lambda _: None)
    assert [each.cell.key for each in alone.cells] != expected, "the plan would not matter"
