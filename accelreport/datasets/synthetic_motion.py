"""Synthetic inertial signals: gait for the three kinds of walking, gravity for the rest.

Each window belongs to a made-up person with a pace, a strength and a way of carrying the
phone. Walking is a few harmonics of the pace, whose mixture differs by activity; sitting
and standing differ only by how the phone is turned, which overlaps between people, as it
does on the real recordings.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

STEPS = 128
"""Samples in a window, at 50 Hz."""

_RATE_HZ = 50.0
_HARMONICS = 3
_PEOPLE = 30
_CONCEPT_SEED = 20_210_924
# Pace in Hz and strength of the movement, by activity.
_PACE = np.array([1.9, 1.65, 2.1, 0.3, 0.3, 0.2])
_STRENGTH = np.array([0.22, 0.20, 0.28, 0.012, 0.010, 0.008])
# Where gravity points (x, y, z), in g.
_GRAVITY = np.array(
    [
        [0.97, -0.15, 0.10],
        [0.95, -0.22, 0.12],
        [0.97, -0.12, 0.05],
        [0.93, 0.10, 0.22],
        [0.98, -0.12, 0.04],
        [-0.10, 0.65, 0.68],
    ]
)


def make_motion(counts: tuple[int, ...], seed: int, part: int) -> dict[str, NDArray[np.generic]]:
    """Make windows of every activity in a random order.

    Args:
        counts: windows of each activity.
        seed: the seed; the same seed gives the same windows.
        part: 0 for training, 1 for validation: other people doing the same.

    Returns:
        `x` float32 [Σ counts, 128, 9]: acceleration of the body (g), angular velocity
        (rad/s), acceleration with gravity (g), each along x, y and z; `y` uint8 [Σ counts].
    """
    rng = np.random.default_rng([seed, part])
    y = np.repeat(np.arange(len(counts), dtype=np.uint8), counts)
    rng.shuffle(y)
    person = rng.integers(0, _PEOPLE, len(y))
    body, gyro = _move(y, person, rng)
    turned = _GRAVITY[y] + 0.12 * rng.standard_normal((_PEOPLE, 3))[person]
    turned += 0.10 * rng.standard_normal((len(y), 3))
    gravity = turned / np.linalg.norm(turned, axis=1, keepdims=True)
    total = body + gravity[:, None, :].astype(np.float32)
    return {"x": np.concatenate([body, gyro, total], axis=2), "y": y}


def _move(
    y: NDArray[np.uint8], person: NDArray[np.int64], rng: np.random.Generator
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Acceleration and turning of the body, each float32 [n, 128, 3]."""
    n = len(y)
    # The mixture of harmonics tells the activities apart, whatever the seed.
    concept = np.random.default_rng(_CONCEPT_SEED)
    mixture = concept.uniform(0.2, 1, (len(_PACE), 6, _HARMONICS)) / np.arange(1, 1 + _HARMONICS)
    lag = concept.uniform(0, 2 * np.pi, (len(_PACE), 6, _HARMONICS))
    pace = _PACE[y] * (1 + 0.10 * rng.standard_normal(_PEOPLE)[person])
    strength = _STRENGTH[y] * np.exp(0.3 * rng.standard_normal(_PEOPLE)[person])
    strength *= np.exp(0.25 * rng.standard_normal(n))
    phase = rng.uniform(0, 2 * np.pi, n)
    time = np.arange(STEPS) / _RATE_HZ
    angle = 2 * np.pi * pace[:, None] * time + phase[:, None]
    own = np.exp(0.35 * rng.standard_normal((n, 6, _HARMONICS)))
    weights = (mixture[y] * own * strength[:, None, None]).astype(np.float32)
    moved = np.zeros((n, STEPS, 6), np.float32)
    for harmonic in range(_HARMONICS):
        for channel in range(6):
            wave = np.sin((harmonic + 1) * angle + lag[y, channel, harmonic][:, None])
            moved[:, :, channel] += wave * weights[:, channel, harmonic][:, None]
    noise = rng.standard_normal(moved.shape, np.float32)
    moved += noise * (0.006 + 0.35 * strength[:, None, None]).astype(np.float32)
    return moved[:, :, :3], 3 * moved[:, :, 3:]
