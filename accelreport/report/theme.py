"""Every colour of the site, in both themes, and which device wears which.

The style sheet takes its tokens from here, and so does the test that computes their
contrast; charts name colours only as `var(--…)`, which is how they turn dark with the page.
"""

from __future__ import annotations

from collections.abc import Mapping

from accelreport.spec.models import Device

TOKENS: dict[str, tuple[str, str]] = {
    "paper": ("#ffffff", "#15161a"),
    "wash": ("#f6f5f1", "#1e2025"),
    "ink": ("#1b1b1b", "#ecebe8"),
    "soft": ("#575550", "#aaa9a5"),
    "rule": ("#d8d5cd", "#3a3c42"),
    "grid": ("#e9e7e1", "#2a2c31"),
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

SERIES_LIGHT = ("#1b8dfe", "#d77e23", "#7d2767", "#413fc0", "#bb250e", "#897195")
SERIES_DARK = ("#77eed1", "#f5d73c", "#a97092", "#7572f1", "#ec5717", "#afa5ef")
"""Six colours that stay apart for every kind of sight (smallest OKLab distance 15)."""

DISTRIBUTED = frozenset({"mirrored", "multi_worker_mirrored", "parameter_server"})
"""Strategies that spread a step over devices which a site often holds alone as well."""

_PREFERRED = {"CPU": (0, 3, 5), "GPU": (1, 4, 2), "TPU": (2, 4, 1)}
"""Colours a kind of device takes first: CPUs are cool, GPUs orange, TPUs plum."""

PHASES_LIGHT = ("#4d4b47", "#8f8c85", "#c9c5bc", "#e3b04b")
PHASES_DARK = ("#d9d8d4", "#92918d", "#5b5c61", "#c98f2a")
"""Stages of a cold start: greys, and one accent for the first step. Never a device's colour."""

HEAT_LIGHT = (
    "#dd9a5f", "#eabb8e", "#f3d5b9", "#faeadb", "#f1f0eb",
    "#deeeec", "#b9dcd8", "#8cc6c2", "#5fb0ad",
)  # fmt: skip
HEAT_DARK = (
    "#8a5218", "#6b421b", "#4f341c", "#38291d", "#25272c",
    "#18312f", "#16433f", "#155750", "#146b63",
)  # fmt: skip
"""Nine bins of a speedup, slower to faster, the middle one for "about the same"."""

EDGES = (0.1, 0.2, 0.4, 0.8, 1.25, 2.5, 5.0, 10.0)
"""Edges of the bins: each a factor of two wide, and symmetric about 1 on a log scale."""

FONT = "Liberation Sans, Arimo, Helvetica, Arial, sans-serif"
"""The charts' font; its metrics are the same in all four, so that bytes and widths are too."""


def heat_bin(speedup: float) -> int:
    """The bin of a speedup, from 0 (ten times slower) over 4 (the same) to 8."""
    return sum(speedup >= edge for edge in EDGES)


def device_colours(devices: Mapping[str, Device]) -> dict[str, int]:
    """Device → number of its colour, one mapping for the whole site.

    Devices are taken by name, so the mapping depends neither on the order of specs nor on
    which of them were measured. Beyond six devices colours are used again, which falls on
    those that only distribute over others; marks and labels tell them apart.
    """
    chosen: dict[str, int] = {}
    for name in sorted(devices, key=lambda name: (devices[name].strategy in DISTRIBUTED, name)):
        preferred = _PREFERRED[devices[name].kind]
        order = (*preferred, *(i for i in range(len(SERIES_LIGHT)) if i not in preferred))
        uses = list(chosen.values())
        chosen[name] = min(order, key=lambda colour: (uses.count(colour), order.index(colour)))
    return chosen


DASHES: tuple[tuple[float, float], ...] = ((1, 0), (6, 4), (1.5, 3.5), (10, 3))
"""How the lines of a device's first, second, third and fourth machine are drawn."""


def series(colour: int) -> str:
    """The CSS colour of a device's number."""
    return f"var(--s{colour % len(SERIES_LIGHT)})"


def variables() -> list[tuple[str, str, str]]:
    """Every CSS custom property: name, colour on paper, colour in the dark."""
    rows = [(name, light, dark) for name, (light, dark) in TOKENS.items()]
    ramps = (("s", SERIES_LIGHT, SERIES_DARK), ("p", PHASES_LIGHT, PHASES_DARK))
    for prefix, lights, darks in (*ramps, ("h", HEAT_LIGHT, HEAT_DARK)):
        pairs = zip(lights, darks, strict=True)
        rows += [(f"{prefix}{i}", light, dark) for i, (light, dark) in enumerate(pairs)]
    return rows
