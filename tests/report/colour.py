"""Contrast and distance of colours, for normal and three kinds of colour-blind sight.

Sources: WCAG 2.2 (relative luminance and contrast), Ottosson 2020 (OKLab), Machado,
Oliveira and Fernandes 2009 (simulation of colour vision deficiency at severity 1).
"""

from __future__ import annotations

import math

Rgb = tuple[float, float, float]

_DEFICIENCIES: dict[str, tuple[Rgb, Rgb, Rgb]] = {
    "normal": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
    "protan": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deutan": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritan": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
SIGHTS = tuple(_DEFICIENCIES)
"""Kinds of sight that a palette is tested for."""


def linear(colour: str) -> Rgb:
    """Linear-light sRGB of "#rrggbb", each channel from 0 to 1."""
    channels = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    red, green, blue = (
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels
    )
    return red, green, blue


def luminance(colour: str) -> float:
    """Relative luminance by WCAG, from 0 (black) to 1 (white)."""
    red, green, blue = linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Contrast by WCAG, from 1 to 21."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def oklab(rgb: Rgb) -> Rgb:
    """OKLab of linear-light sRGB."""
    red, green, blue = rgb
    long = math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
    medium = math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
    short = math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
    return (
        0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * medium + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * medium - 0.8086757660 * short,
    )


def seen(colour: str, sight: str) -> Rgb:
    """Linear-light sRGB of a colour as one kind of sight sees it, clipped to the gamut."""
    rgb = linear(colour)
    red, green, blue = (
        min(1.0, max(0.0, sum(weight * channel for weight, channel in zip(row, rgb, strict=True))))
        for row in _DEFICIENCIES[sight]
    )
    return red, green, blue


def difference(one: str, other: str, sight: str = "normal") -> float:
    """Distance in OKLab times 100, as one kind of sight sees two colours."""
    return 100 * math.dist(oklab(seen(one, sight)), oklab(seen(other, sight)))
