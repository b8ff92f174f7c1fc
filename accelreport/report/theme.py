"""Every colour of the site, in both themes, and how each device is told from all others.

The style sheet takes its tokens from here, and so does the test that computes their
contrast; charts name colours only as `var(--…)`, which is how they turn dark with the page.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Literal

from accelreport.spec.device import Device

TOKENS: dict[str, tuple[str, str]] = {
    "paper": ("#ffffff", "#15161a"),
    "wash": ("#f6f5f1", "#212329"),
    "ink": ("#1b1b1b", "#ecebe8"),
    "soft": ("#575550", "#aaa9a5"),
    "edge": ("#1b1b1b", "#55565b"),
    "rule": ("#d8d5cd", "#3a3c42"),
    "grid": ("#e9e7e1", "#34373f"),
    "link": ("#1f4e8c", "#9cc0f2"),
    "alert": ("#9b1c12", "#ff9c8f"),
    "alert-wash": ("#fbe9e6", "#3b1d1a"),
    "caution": ("#6d4500", "#f2c46d"),
    "caution-wash": ("#fff1d2", "#372a10"),
    "good": ("#1c5f3c", "#86d3a5"),
    "code-key": ("#1f4e8c", "#9cc0f2"),
    "code-text": ("#7d2767", "#e3a3d0"),
    "code-note": ("#63605a", "#9a9994"),
}
"""Name of a token → its colour on paper and in the dark."""

SERIES_LIGHT = (
    "#1a8dfe", "#d87e22", "#7c386f", "#413ecb", "#bb2509", "#937698", "#560100", "#291154",
)  # fmt: skip
SERIES_DARK = (
    "#6aacff", "#fec364", "#ab6fab", "#806efa", "#f58583", "#fdfdfe", "#e84512", "#bfd3f5",
)  # fmt: skip
"""Eight colours that stay apart for every kind of sight (smallest OKLab distance 15, in
the dark 13), and keep their hue in the dark (within 35° of OKLab's circle)."""
LETTERS_LIGHT = (
    "#156fc9", "#a25e1a", "#7c386f", "#413ecb", "#bb2509", "#7e6583", "#560100", "#291154",
)  # fmt: skip
"""The first eight where they are letters: darker, since these need more contrast than marks."""

COLOURS = len(SERIES_LIGHT)

_HUES = {
    ("CPU", "tensorflow"): 0, ("GPU", "tensorflow"): 1, ("TPU", "tensorflow"): 2,
    ("CPU", "jax"): 3, ("CPU", "torch"): 7, ("GPU", "jax"): 4, ("GPU", "torch"): 6,
    ("TPU", "jax"): 5, ("TPU", "torch"): 5,
}  # fmt: skip
"""Kind of device and framework → colour: CPUs are cool, GPUs orange, TPUs plum."""

PHASES_LIGHT = ("#4d4b47", "#8f8c85", "#c9c5bc", "#e3b04b")
PHASES_DARK = ("#d9d8d4", "#92918d", "#6c6d73", "#c98f2a")
"""Stages of a process: greys, and one accent for the first step. Never a device's colour."""

HEAT_LIGHT = (
    "#dd9a5f", "#eabb8e", "#f3d5b9", "#faeadb", "#f1f0eb",
    "#deeeec", "#b9dcd8", "#8cc6c2", "#5fb0ad",
)  # fmt: skip
HEAT_DARK = (
    "#8a5218", "#6b421b", "#4f341c", "#38291d", "#25272c",
    "#18312f", "#16433f", "#155750", "#146b63",
)  # fmt: skip
"""Nine bins of a speedup, slower to faster, the middle one for "about the same"."""

COUNT_LIGHT = ("#f1f3f6", "#dbe1e9", "#c0cad7", "#a3b1c4", "#8798b0")
COUNT_DARK = ("#2b3039", "#374050", "#414e63", "#4c5a75", "#566685")
"""Five bins of a share, few to many: blue-greys, as nothing of them is slower or
faster, and no device has their colour."""

EDGES = (0.1, 0.2, 0.4, 0.8, 1.25, 2.5, 5.0, 10.0)
"""Edges of the bins, symmetric about 1 on a log scale: the middle one from 0.8 to 1.25, its
neighbours a factor of two wide."""

FONT = "Liberation Sans, Arimo, Helvetica, Arial, sans-serif"
"""The charts' font; its metrics are the same in all four, so that bytes and widths are too."""
HALO = {"stroke": "var(--paper)", "strokeWidth": 4, "strokeJoin": "round"}
"""The ground behind a text that lines may cross: its outline, which a page paints first."""
ON_WASH = {"stroke": "var(--wash)"}
"""The same on a shaded ground."""


def heat_bin(speedup: float) -> int:
    """The bin of a speedup, from 0 (ten times slower) over 4 (the same) to 8."""
    return sum(speedup >= edge for edge in EDGES)


def share_bin(share: float) -> int:
    """The bin of a share, from 0 (hardly any) to 4 (nearly all)."""
    return min(len(COUNT_LIGHT) - 1, int(share * len(COUNT_LIGHT)))


def device_colours(devices: Mapping[str, Device]) -> dict[str, int]:
    """Device → its number, from which colour and dash follow on the whole site.

    The colour follows from the kind of device and its framework, and the dash from how it runs the
    steps, whichever other devices there are. Of devices that would look alike the one with the
    shortest name keeps its own number.
    """
    chosen: dict[str, int] = {}
    for name in sorted(devices, key=lambda name: (len(name), name)):
        device = devices[name]
        hue = _HUES[device.kind, device.framework]
        looks = (hue + COLOURS * number for number in count(_mode(device), MODES))
        chosen[name] = next(look for look in looks if look not in chosen.values())
    return chosen


MODES = 13
"""More than the numbers below, and no multiple of `DASHED`."""


def _mode(device: Device) -> int:
    """A number for how a device runs the steps, whose remainder by `DASHED` is its dash."""
    if device.all_replicas > 1:
        return 11 if device.strategy == "multi_worker_mirrored" else 7
    if device.threads:
        return 4
    if device.xla or device.torch_compile:
        return 2
    if device.eager:
        return 1
    if device.precision != "float32" or device.tf32:
        return 5 if device.precision == "mixed_bfloat16" else 8
    return 0


KeyShape = Literal[
    "dot",
    "diamond",
    "bar",
    "dashed",
    "dotted",
    "long",
    "dash-dot",
    "dash-dots",
]
"""What stands for a line or a mark in a legend drawn in HTML, by its name in the style sheets."""

DASHES: tuple[tuple[float, ...], ...] = (
    (1, 0), (6, 4), (1.5, 3.5), (12, 4), (8, 3, 1.5, 3), (8, 3, 1.5, 3, 1.5, 3),
)  # fmt: skip
"""How the lines of a device's first and second machine are drawn, then those of the next
devices of its colour."""
LINE_KEYS: tuple[KeyShape | None, ...] = (
    None, "dashed", "dotted", "long", "dash-dot", "dash-dots",
)  # fmt: skip
"""Their names in the style sheets; a solid line has a disc instead."""
MACHINES = 2
"""Dashes that each device of a colour has."""
DASHED = len(DASHES) // MACHINES
"""Devices of a colour that differ in their dashes."""


def series(number: int) -> str:
    """The CSS colour of a device's number."""
    return f"var(--s{number % COLOURS})"


def letters(number: int) -> str:
    """The same, of a text."""
    return f"var(--t{number % COLOURS})"


def line_key(dashes: int) -> KeyShape:
    """What stands for a device in a legend: its dash, or a disc where its lines are solid."""
    return LINE_KEYS[dashes % len(DASHES)] or "dot"


def pattern(number: int, machine: int) -> int:
    """Which dash the lines of a device have on its first machine (0), and on its second (1)."""
    return machine + MACHINES * (number // COLOURS % DASHED)


def key_class(number: int) -> str:
    """The class of a device's mark before the title of a row or column."""
    return f"k{number % COLOURS}"


def variables() -> list[tuple[str, str, str]]:
    """Every CSS custom property: name, colour on paper, colour in the dark."""
    rows = [(name, light, dark) for name, (light, dark) in TOKENS.items()]
    devices = (("s", SERIES_LIGHT, SERIES_DARK), ("t", LETTERS_LIGHT, SERIES_DARK))
    ramps = (("p", PHASES_LIGHT, PHASES_DARK), ("h", HEAT_LIGHT, HEAT_DARK))
    for prefix, lights, darks in (*devices, *ramps, ("c", COUNT_LIGHT, COUNT_DARK)):
        pairs = zip(lights, darks, strict=True)
        rows += [(f"{prefix}{i}", light, dark) for i, (light, dark) in enumerate(pairs)]
    return rows
