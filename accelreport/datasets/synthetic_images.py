"""Synthetic images: deformed strokes of soft ink, learnable but not at once.

Each image takes the skeleton of its class, bends it by a smooth displacement along the
line, turns, scales, slants and shifts it, and draws it with a pen of its own width. Some
images lean towards another class, and all carry noise, so that a convolutional network
improves over several epochs and ends below 1.

Ink at a pixel is Σ_p exp(−|pixel − point_p|² / 2σ²). The Gaussian is a product of one
factor in x and one in y, so the sum over points is one matrix product for each image, and
60,000 images take seconds.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from accelreport.datasets.strokes import DIGITS, GARMENTS, Line, skeleton

SIDE = 28
_POINTS = 32
_BLOCK = 2000
_MOST_THREADS = 8
_BENDS = 3


@dataclass(frozen=True)
class _Style:
    lines: tuple[tuple[Line, ...], ...]
    pen: tuple[float, float]
    """Smallest and largest standard deviation of the ink, in pixels."""
    bend: float
    """Standard deviation of each harmonic of the displacement, in pixels."""
    astray: float
    """Share of images that lean towards another class."""
    noise: int
    """Largest value added to a pixel."""


_STYLES = {
    "mnist": _Style(DIGITS, pen=(0.8, 1.3), bend=0.8, astray=0.06, noise=40),
    "fashion_mnist": _Style(GARMENTS, pen=(1.2, 1.9), bend=0.9, astray=0.10, noise=50),
}


def draw_images(
    name: str, counts: tuple[int, ...], seed: int, part: int
) -> dict[str, NDArray[np.uint8]]:
    """Draw images of every class in a random order.

    Args:
        name: whose style, `mnist` or `fashion_mnist`.
        counts: images of each class.
        seed: the seed; the same seed gives the same images.
        part: 0 for training, 1 for validation: other images of the same kind.

    Returns:
        `x` uint8 [Σ counts, 28, 28] and `y` uint8 [Σ counts].
    """
    style = _STYLES[name]
    shapes = np.stack([skeleton(lines, _POINTS) for lines in style.lines]) * np.float32(SIDE - 1)
    y = np.repeat(np.arange(len(counts), dtype=np.uint8), counts)
    np.random.default_rng([seed, part]).shuffle(y)
    x = np.empty((len(y), SIDE, SIDE), np.uint8)

    def draw(start: int) -> None:
        labels = y[start : start + _BLOCK]
        rng = np.random.default_rng([seed, part, 1 + start // _BLOCK])
        x[start : start + _BLOCK] = _draw(style, shapes, labels, rng)

    # Each block has a generator of its own, so it does not matter which is drawn when.
    with ThreadPoolExecutor(min(_MOST_THREADS, os.cpu_count() or 1)) as threads:
        list(threads.map(draw, range(0, len(y), _BLOCK)))
    return {"x": x, "y": y}


def _draw(
    style: _Style, shapes: NDArray[np.float32], labels: NDArray[np.uint8], rng: np.random.Generator
) -> NDArray[np.uint8]:
    """Draw one block: labels [n] → uint8 [n, 28, 28]."""
    n = len(labels)
    points = _place(_bend(_lean(shapes, labels, style.astray, rng), style.bend, rng), rng)
    sigma = rng.uniform(*style.pen, (n, 1, 1, 1)).astype(np.float32)
    pixels = np.arange(SIDE, dtype=np.float32)
    # One array for all: making new ones takes as long as computing what is in them.
    ink = pixels - points[..., None]
    ink /= sigma
    np.square(ink, out=ink)
    ink *= np.float32(-0.5)
    np.exp(ink, out=ink)
    drawn = np.matmul(ink[:, :, 1].transpose(0, 2, 1), ink[:, :, 0])
    np.minimum(drawn, 1, out=drawn)
    drawn *= rng.uniform(120, 255, (n, 1, 1)).astype(np.float32)
    drawn += rng.integers(0, style.noise, drawn.shape, np.uint8)
    np.minimum(drawn, 255, out=drawn)
    image: NDArray[np.uint8] = drawn.astype(np.uint8)
    return image


def _lean(
    shapes: NDArray[np.float32],
    labels: NDArray[np.uint8],
    astray: float,
    rng: np.random.Generator,
) -> NDArray[np.float32]:
    """Points of each image's class, some on the way to another class, [n, points, 2]."""
    n = len(labels)
    others = (labels + rng.integers(1, len(shapes), n)) % len(shapes)
    way = np.where(rng.random(n) < astray, rng.uniform(0.1, 0.5, n), 0.0).astype(np.float32)
    way = way[:, None, None]
    leaning: NDArray[np.float32] = (1 - way) * shapes[labels] + way * shapes[others]
    return leaning


def _bend(
    points: NDArray[np.float32], size: float, rng: np.random.Generator
) -> NDArray[np.float32]:
    """Displace points smoothly along the line by a few harmonics, [n, points, 2]."""
    along = np.linspace(0, np.pi, points.shape[1], dtype=np.float32)
    waves = np.cos(along[:, None] * np.arange(1, 1 + _BENDS, dtype=np.float32))
    strength = rng.standard_normal((len(points), _BENDS, 2), np.float32) * np.float32(size)
    bent: NDArray[np.float32] = points + np.matmul(waves, strength)
    return bent


def _place(points: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.float32]:
    """Turn, scale, slant and shift each image about the middle, [n, points, 2]."""
    n = len(points)
    middle = np.float32((SIDE - 1) / 2)
    turn = rng.normal(0, 0.12, n)
    scale = rng.uniform(0.7, 0.95, (n, 2))
    slant = rng.normal(0, 0.15, n)
    cos, sin = np.cos(turn), np.sin(turn)
    matrix = np.empty((n, 2, 2), np.float32)
    matrix[:, 0, 0] = cos * scale[:, 0]
    matrix[:, 0, 1] = sin * scale[:, 0]
    matrix[:, 1, 0] = (slant * cos - sin) * scale[:, 1]
    matrix[:, 1, 1] = (slant * sin + cos) * scale[:, 1]
    shift = rng.normal(0, 1.0, (n, 1, 2)).astype(np.float32)
    placed: NDArray[np.float32] = np.matmul(points - middle, matrix) + middle + shift
    return placed
