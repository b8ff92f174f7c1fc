"""Data of the right shapes, small enough to be made for every test."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from accelreport.datasets.base import Dataset

Arrays = Mapping[str, NDArray[Any]]


def dataset(
    train: Arrays, validation: Arrays, classes: tuple[str, ...] = (), **details: Any
) -> Dataset:
    """A data set made of these arrays."""
    return Dataset(
        name="test",
        train=train,
        validation=validation,
        classes=classes,
        origin="synthetic",
        files={},
        fingerprint="0" * 64,
        seed=0,
        details=details,
    )


@pytest.fixture(scope="session")
def images() -> Dataset:
    """Grey images in ten classes."""
    generator = np.random.default_rng(0)

    def part(count: int) -> Arrays:
        return {
            "x": generator.integers(0, 256, (count, 28, 28), np.uint8),
            "y": (np.arange(count) % 10).astype(np.uint8),
        }

    return dataset(part(40), part(20), tuple("0123456789"))


@pytest.fixture(scope="session")
def reviews() -> Callable[[int], Dataset]:
    """Word numbers and labels, of a given length."""

    def make(length: int) -> Dataset:
        generator = np.random.default_rng(1)

        def part(count: int) -> Arrays:
            return {
                "x": generator.integers(0, 15000, (count, length), np.int32),
                "y": (np.arange(count) % 2).astype(np.uint8),
            }

        return dataset(part(12), part(7), ("negative", "positive"))

    return make


@pytest.fixture(scope="session")
def motion() -> Dataset:
    """Windows of nine signals in six classes."""
    generator = np.random.default_rng(2)

    def part(count: int) -> Arrays:
        return {
            "x": generator.standard_normal((count, 128, 9)).astype(np.float32),
            "y": (np.arange(count) % 6).astype(np.uint8),
        }

    return dataset(part(12), part(6), tuple("ABCDEF"))


@pytest.fixture(scope="session")
def play() -> Dataset:
    """A text that counts, so that every window shows where it was taken."""
    return dataset(
        {"text": (np.arange(900) % 256).astype(np.uint8)},
        {"text": (np.arange(205) % 256).astype(np.uint8)},
    )
