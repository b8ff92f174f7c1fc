"""Colours can be told apart and read, in both themes and by every kind of sight."""

from __future__ import annotations

import itertools
import math

import pytest

from accelreport.report.theme import (
    COUNT_DARK,
    COUNT_LIGHT,
    DASHES,
    EDGES,
    HEAT_DARK,
    HEAT_LIGHT,
    LETTERS_LIGHT,
    PHASES_DARK,
    PHASES_LIGHT,
    SERIES_DARK,
    SERIES_LIGHT,
    TOKENS,
    device_colours,
    heat_bin,
    line_key,
    pattern,
    series,
)
from accelreport.spec.device import Device
from tests.report.colour import SIGHTS, contrast, difference, linear, oklab
from tests.support.records import DEVICES

GROUNDS = {
    "ink": ("paper", "wash", "caution-wash", "alert-wash"),
    "soft": ("paper", "wash", "caution-wash", "alert-wash"),
    "link": ("paper", "wash", "caution-wash"),
    "alert": ("paper", "alert-wash", "wash"),
    "caution": ("paper", "caution-wash", "wash"),
    "good": ("paper", "wash"),
    "code-key": ("wash",),
    "code-text": ("wash",),
    "code-note": ("wash",),
}
"""Colour of a text → what it stands on."""
HAIRLINES = {"edge", "rule", "grid"}
"""Lines that mean nothing: what they part is also apart by its place."""
THEMES = (0, 1)
SERIES = (SERIES_LIGHT, SERIES_DARK)
HEAT = (HEAT_LIGHT, HEAT_DARK)
COUNT = (COUNT_LIGHT, COUNT_DARK)
PHASES = (PHASES_LIGHT, PHASES_DARK)


def token(name: str, theme: int) -> str:
    return TOKENS[name][theme]


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("sight", SIGHTS)
def test_any_two_device_colours_differ_for_every_kind_of_sight(theme: int, sight: str) -> None:
    for one, other in itertools.combinations(SERIES[theme], 2):
        assert difference(one, other, sight) >= (15, 13)[theme]


def test_a_device_keeps_its_hue_in_the_dark() -> None:
    for light, dark in zip(*SERIES, strict=True):
        turned = abs(hue(light) - hue(dark))
        assert min(turned, 360 - turned) <= 36, (light, dark)


def hue(colour: str) -> float:
    """Degrees on OKLab's circle of hues."""
    _, green_red, blue_yellow = oklab(linear(colour))
    return math.degrees(math.atan2(blue_yellow, green_red))


@pytest.mark.parametrize("theme", THEMES)
def test_marks_stand_out_from_the_page(theme: int) -> None:
    paper = token("paper", theme)
    assert all(contrast(colour, paper) >= (3, 4.5)[theme] for colour in SERIES[theme])
    assert contrast(PHASES[theme][0], paper) >= 3
    neighbours = itertools.pairwise(PHASES[theme])
    assert all(difference(one, other) >= 10 for one, other in neighbours)


@pytest.mark.parametrize("theme", THEMES)
def test_text_can_be_read_on_every_ground_it_stands_on(theme: int) -> None:
    for text, behind in GROUNDS.items():
        for ground in behind:
            assert contrast(token(text, theme), token(ground, theme)) >= 4.5, (text, ground)
    letters = (LETTERS_LIGHT, SERIES_DARK)[theme]
    assert all(contrast(colour, token("paper", theme)) >= 4.5 for colour in letters)
    grounds = (*HEAT[theme], *COUNT[theme])
    assert all(contrast(token("ink", theme), ground) >= 4.5 for ground in grounds)


@pytest.mark.parametrize("theme", THEMES)
def test_every_token_is_a_ground_a_text_or_a_hairline_that_can_be_seen(theme: int) -> None:
    behind = {ground for grounds in GROUNDS.values() for ground in grounds}
    assert set(TOKENS) == behind | set(GROUNDS) | HAIRLINES
    for line in HAIRLINES:
        assert contrast(token(line, theme), token("paper", theme)) >= 1.2


def test_bins_of_a_speedup_are_symmetric_about_one() -> None:
    assert len(EDGES) == 8
    for low, high in zip(EDGES, reversed(EDGES), strict=True):
        assert math.isclose(low * high, 1)
    ratios = [high / low for low, high in itertools.pairwise(EDGES) if not low < 1 < high]
    assert all(math.isclose(ratio, 2) for ratio in ratios)
    assert [heat_bin(v) for v in (0.01, 0.5, 1.0, 2.0, 400.0)] == [0, 3, 4, 5, 8]


def test_a_device_keeps_its_colour_whatever_the_order_it_is_met_in() -> None:
    names = list(DEVICES)
    for order in itertools.permutations(names):
        colours = device_colours({name: DEVICES[name] for name in order})
        assert colours == device_colours(DEVICES)
        assert len(set(colours.values())) == len(names)


WAYS: dict[str, dict[str, object]] = {
    "cpu": {"kind": "CPU"}, "cpu-1": {"kind": "CPU", "threads": 1},
    "cpu-bf16": {"kind": "CPU", "precision": "mixed_bfloat16"},
    "cpu-eager": {"kind": "CPU", "eager": True}, "cpu-xla": {"kind": "CPU", "xla": True},
    "cpu-mirrored-2": {"kind": "CPU", "strategy": "mirrored", "replicas": 2},
    "cpu-jax": {"kind": "CPU", "framework": "jax"},
    "cpu-jax-1": {"kind": "CPU", "framework": "jax", "threads": 1},
    "cpu-torch": {"kind": "CPU", "framework": "torch"},
    "cpu-torch-compiled": {"kind": "CPU", "framework": "torch", "torch_compile": True},
    "gpu": {"kind": "GPU"}, "gpu-tf32": {"kind": "GPU", "tf32": True},
    "tpu": {"kind": "TPU", "strategy": "tpu"},
}  # fmt: skip


def test_a_colour_is_a_kind_of_device_or_a_framework() -> None:
    numbers = device_colours({name: Device.model_validate(way) for name, way in WAYS.items()})
    of_colour: dict[str, set[tuple[object, object]]] = {}
    for name, way in WAYS.items():
        family = (way["kind"], way.get("framework"))
        of_colour.setdefault(series(numbers[name]), set()).add(family)
    assert all(len(families) == 1 for families in of_colour.values())
    assert len(of_colour) == 5


@pytest.mark.parametrize("name", WAYS)
def test_a_device_has_its_colour_whichever_others_there_are(name: str) -> None:
    """`build --only` leaves devices out, and a new row of the devices file adds one."""
    devices = {each: Device.model_validate(way) for each, way in WAYS.items()}
    every = device_colours(devices)[name]
    alone = device_colours({name: devices[name]})[name]
    new = {
        "a-new-cpu": Device(kind="CPU"),
        "z": Device(kind="GPU"),
        "b": Device(kind="GPU", threads=1),
    }
    more = device_colours({**new, **devices})[name]
    assert len({series(number) for number in (every, alone, more)}) == 1


def test_devices_that_would_look_alike_differ_in_their_dashes_on_every_machine() -> None:
    twelve = {f"cpu-{i:02}": Device(kind="CPU") for i in range(12)}
    numbers = list(device_colours(twelve).values())
    assert {series(number) for number in numbers} == {series(0)}
    assert len({*numbers}) == len(twelve)
    lines = {line_key(pattern(number, machine)) for number in numbers[:3] for machine in (0, 1)}
    assert len(lines) == len(DASHES) == 6
